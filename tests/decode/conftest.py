"""The real model, where it is there; tests that need it are skipped otherwise (``maskwright model fetch`` gets it)."""

from __future__ import annotations

from pathlib import Path

import pytest

from maskwright.decode.models import DEFAULT, locate


@pytest.fixture(scope="session")
def smollm2() -> Path:
    path = locate(DEFAULT)
    if path is None:
        pytest.skip(f"the weights are missing: {DEFAULT.remedy}")
    return path

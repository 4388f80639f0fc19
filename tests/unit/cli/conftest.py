"""Running the command line inside the test's process, without any weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maskwright.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No weights are found: neither fetched ones nor an installed package."""
    monkeypatch.setenv("MASKWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("maskwright.decode.models._installed", lambda _: None)


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Call the command line; gives the exit code, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call

"""The arguments of ``maskwright serve``; what it does when it runs is under tests/server."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import pytest

from maskwright.cli import serve
from maskwright.cli.main import main
from maskwright.server.settings import Settings


def _settings(*arguments: str) -> Settings:
    parser = argparse.ArgumentParser()
    serve.configure(parser)
    return serve._settings(parser.parse_args(arguments))


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_packages_that_are_missing(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that helps is told, before anything is loaded."""
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["serve"]) == 2
    said = capsys.readouterr().err
    assert 'pip install "maskwright[server]"' in said
    assert "loading" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "-1"], ["--port", "65536"], ["--port", "x"], ["--batch", "0"], ["--queue", "1.5"], ["--grace", "-1"],
        ["--grace", "nan"], ["--request-seconds", "inf"], ["--without", "everything"], ["--compat", "other"],
        ["--engine", "other"],
    ],
)  # fmt: skip
def test_arguments_that_mean_nothing(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """They are told as wrong arguments, with their exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys come from arguments and from the environment, where other users of the machine do not see them."""
    monkeypatch.setenv("MASKWRIGHT_API_KEYS", " one , two,, ")
    assert _settings("--api-key", "three", "--api-key", "one").keys == {"one", "two", "three"}
    monkeypatch.delenv("MASKWRIGHT_API_KEYS")
    assert _settings().keys == frozenset()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"model": "smollm2", "any_model": False, "compat": "lenient", "without": frozenset(), "origins": ()}),
        (["--model", "/a/b/model.q8.gguf"], {"model": "model.q8"}),
        (["--model", "/a/b/model.gguf", "--name", "m"], {"model": "m"}),
        (["--any-model"], {"any_model": True}),
        (["--without", "native", "--without", "logprobs"], {"without": frozenset({"native", "logprobs"})}),
        (["--origin", "https://a.example", "--origin", "*"], {"origins": ("https://a.example", "*")}),
        (["--request-seconds", "2.5", "--grace", "0"], {"request_seconds": 2.5, "grace": 0.0}),
    ],
)
def test_settings(arguments: list[str], expected: dict[str, Any]) -> None:
    """What the arguments say is what the server is started with."""
    made = _settings(*arguments)
    assert {name: getattr(made, name) for name in expected} == expected

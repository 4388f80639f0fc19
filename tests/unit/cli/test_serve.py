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


@pytest.mark.parametrize(
    ("arguments", "address", "said"),
    [
        ([], ("127.0.0.1", 1), []),
        ([], ("127.3.2.1", 1), []),
        ([], ("::1", 1, 0, 0), []),
        ([], ("0.0.0.0", 1), ["no key"]),  # noqa: S104 - that this is told is the point
        ([], ("::", 1, 0, 0), ["no key"]),
        ([], ("fe80::1%eth0", 1, 0, 2), ["no key"]),
        (["--api-key", "k"], ("0.0.0.0", 1), []),  # noqa: S104
        (["--context", "4096"], ("127.0.0.1", 1), []),
        (["--context", "4097"], ("127.0.0.1", 1), ["4096"]),
        (["--context", "99999"], ("10.0.0.1", 1), ["4096", "no key"]),
    ],
)
def test_advice(
    arguments: list[str],
    address: tuple[Any, ...],
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A context that the model has not, and an open server without a key, are told, a line each."""
    monkeypatch.delenv("MASKWRIGHT_API_KEYS", raising=False)
    parser = argparse.ArgumentParser()
    serve.configure(parser)
    made = parser.parse_args(arguments)

    class Listener:
        def getsockname(self) -> tuple[Any, ...]:
            return address

    class Runtime:
        context = 4_096

    serve._advise(made, serve._settings(made), Runtime(), Listener())  # type: ignore[arg-type]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(said)
    for line, word in zip(lines, said, strict=True):
        assert word in line

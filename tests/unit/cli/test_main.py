"""Exit codes and messages of the whole command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import maskwright as mw

Run = Callable[..., tuple[int, str, str]]


def test_the_version_is_that_of_the_package(run: Run) -> None:
    """``--version`` prints it on standard output."""
    assert run("--version") == (0, f"maskwright {mw.__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["generate"],
        ["generate", "--schema", "{}"],
        ["generate", "--schema", "{}", "--prompt", "a", "--prompt-file", "b"],
        ["generate", "--schema", "-", "--prompt-file", "-"],
        ["generate", "--schema", "{}", "--prompt", "a", "--max-tokens", "many"],
        ["generate", "--schema", "{}", "--prompt", "a", "--threads", "0"],
        ["generate", "--schema", "{}", "--prompt-file", "no/such/file"],
        ["generate", "--schema", "{}", "--prompt", "\udcff"],
        ["show", "--schema", "{}"],
        ["check"],
        ["model", "fetch", "no-such-model"],
    ],
)
def test_wrong_arguments_are_code_2(run: Run, arguments: list[str]) -> None:
    """Nothing on standard output, a message on standard error, no traceback."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--schema", '{"type": 3}', "--prompt", "a"], "#/type"),
        (["generate", "--schema", "false", "--prompt", "a"], ""),
        (["generate", "--schema", "{}", "--prompt", "a"], "maskwright model fetch smollm2"),
        (["generate", "--schema", "{}", "--prompt", "a", "--model", "no-such"], "smollm2"),
        (["show", "--schema", "{}", "--text", "1", "--model", "smollm2"], "maskwright model fetch smollm2"),
        (["model", "path"], "maskwright model fetch smollm2"),
    ],
)
def test_what_is_refused_is_code_1(run: Run, arguments: list[str], message: str) -> None:
    """One message on standard error with the reason and the remedy, nothing on standard output."""
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("maskwright: ")
    assert message in err
    assert "Traceback" not in err


def test_missing_weights_take_one_line(run: Run) -> None:
    """The message that says how to get the weights is one line."""
    assert run("generate", "--schema", "{}", "--prompt", "a")[2].count("\n") == 1


def test_a_damaged_model_file_is_refused(run: Run, tmp_path: Path) -> None:
    """A file that is no GGUF is named."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"no model")
    code, out, err = run("generate", "--schema", "{}", "--prompt", "a", "--model", str(path))
    assert (code, out) == (1, "")
    assert str(path) in err


def test_the_list_says_what_is_missing(run: Run) -> None:
    """``model list`` names every model and how to get it."""
    code, out, _ = run("model", "list")
    assert code == 0
    assert "smollm2" in out
    assert "not here" in out


def test_ctrl_c_is_code_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt at any time is one line and its code."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("maskwright.cli.generate.find", interrupt)
    code, out, err = run("generate", "--schema", "{}", "--prompt", "a")
    assert (code, out, err) == (130, "", "maskwright: interrupted\n")

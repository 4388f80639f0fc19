"""``show``: what was allowed at each step, and where a text goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
SCHEMA = '{"type": "object", "properties": {"a": {"enum": [1, 12]}}, "required": ["a"], "additionalProperties": false}'


def test_a_complete_text_is_followed_to_its_end(run: Run) -> None:
    """Exit code 0, a step for each byte and one for the end."""
    code, out, _ = run("show", "--schema", SCHEMA, "--text", '{"a":12}', "--whitespace", "compact")
    assert code == 0
    assert out.count("written:") == 8
    assert "COMPLETE: nothing can follow" in out


def test_the_first_wrong_byte_is_named(run: Run) -> None:
    """Exit code 1, its place, and what was expected instead."""
    code, out, _ = run("show", "--schema", SCHEMA, "--text", '{"b": 1}', "--whitespace", "compact")
    assert code == 1
    assert "WRONG at byte 3: `b` cannot be read" in out
    assert "`a`" in out.partition("WRONG")[2]


@pytest.mark.parametrize("text", ["", "{", '{"a":1'])
def test_a_beginning_is_not_complete(run: Run, text: str) -> None:
    """A right beginning is said to be one; exit code 1, since it is no document."""
    code, out, _ = run("show", "--schema", SCHEMA, "--text", text)
    assert code == 1
    assert "NOT COMPLETE" in out


def test_a_text_that_may_go_on_is_complete(run: Run) -> None:
    """Where an end and more digits are allowed, both are said."""
    code, out, _ = run("show", "--schema", '{"type": "integer"}', "--text", "12")
    assert code == 0
    assert "it may end here, or go on" in out


def test_bytes_that_are_no_text_are_followed_too(run: Run, tmp_path: Path) -> None:
    """A file that is not UTF-8 goes wrong at its first wrong byte, not with an encoding error."""
    path = tmp_path / "text"
    path.write_bytes(b'"\xff"')
    code, out, _ = run("show", "--schema", '{"type": "string"}', "--text-file", str(path))
    assert code == 1
    assert "WRONG at byte 2: `\\xff`" in out


def test_unprintable_bytes_never_reach_the_terminal(run: Run) -> None:
    """Control characters of a text are shown by their numbers."""
    _, out, _ = run("show", "--schema", '{"type": "string"}', "--text", '"\x1b[2J"')
    assert "\x1b" not in out

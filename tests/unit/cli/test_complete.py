"""``complete``: a document that was cut off is mended, or it is told where it is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
SCHEMA = '{"type": "object", "properties": {"a": {"type": "string"}, "b": {"minimum": 10}}, "required": ["a", "b"]}'


@pytest.fixture
def cut(tmp_path: Path) -> Callable[[bytes], str]:
    def write(data: bytes) -> str:
        path = tmp_path / "cut.json"
        path.write_bytes(data)
        return str(path)

    return write


@pytest.mark.parametrize(
    "text", [b"", b"{", b'{"b" : 12 ,', b'{\n  "a": "x\\u00e', b'{"a": "\xe2\x82', b'{"c": [1, {"d":']
)
def test_what_is_missing_is_added(run: Run, cut: Callable[[bytes], str], text: bytes) -> None:
    """Exit code 0; the beginning as it was, alone on standard output, and valid with what was added."""
    code, out, err = run("complete", SCHEMA, cut(text + b"\n"))
    assert (code, out.encode()[: len(text)], out[-1]) == (0, text, "\n")
    assert {"a", "b"} <= set(json.loads(out))
    assert "bytes added" in err


def test_a_whole_document_stays(run: Run, cut: Callable[[bytes], str]) -> None:
    """Nothing is added, and that is said."""
    assert run("complete", SCHEMA, cut(b'{"a":"","b":1e1}')) == (
        0,
        '{"a":"","b":1e1}\n',
        "maskwright: the document is complete\n",
    )


def test_a_wrong_beginning_is_refused(run: Run, cut: Callable[[bytes], str]) -> None:
    """Exit code 1 and the place of the first wrong byte; nothing on standard output."""
    code, out, err = run("complete", SCHEMA, cut(b'{"a": 5'))
    assert (code, out) == (1, "")
    assert "byte 7" in err


def test_one_standard_input_is_not_two(run: Run) -> None:
    """Exit code 2 where both files are standard input."""
    assert run("complete", "-", "-")[0] == 2

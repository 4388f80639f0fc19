"""``validate``: a line for each wrong document, exit codes, and what files hold beside documents."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

SCHEMA = '{"type": "object", "properties": {"age": {"type": "integer", "maximum": 150}}, "required": ["age"]}'


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write files into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(**contents: bytes) -> None:
        for name, data in contents.items():
            (tmp_path / name.replace("_", ".")).write_bytes(data)

    return write


def test_valid_files(run: Run, files: Callable[..., None]) -> None:
    """Exit code 0, nothing on standard output, a summary on standard error."""
    files(s_json=SCHEMA.encode(), a_json=b'{\n  "age": 1\n}\n', b_jsonl=b'{"age":1}\n\n {"age":2.0}\r\n \t\n{"age":3}')
    assert run("validate", "s.json", "a.json", "b.jsonl") == (0, "", "4 documents, none wrong\n")


def test_wrong_rows_have_file_line_column_pointer_and_reason(run: Run, files: Callable[..., None]) -> None:
    """Lines are those of the file; empty ones, carriage returns and a byte order mark are no errors."""
    rows = b'\xef\xbb\xbf{"age":1}\r\n\r\n{"age":200}\r\n{"age":1}x\n{"b":"\xff"}\n[]\n{"age":1'
    files(rows_ndjson=rows)
    code, out, err = run("validate", SCHEMA, "rows.ndjson")
    assert (code, err) == (1, "6 documents, 5 wrong\n")
    heads = [line.split(";")[0] for line in out.splitlines()]
    assert heads == [
        "rows.ndjson:3:11: /age: the value `200` does not meet `maximum`: 150 (#/properties/age/maximum)",
        "rows.ndjson:4:10: the text goes on after its end",
        "rows.ndjson:5:7: /b: this is not UTF-8",
        'rows.ndjson:6:1: no value that begins with `[` meets `type`: "object" (#/type)',
        "rows.ndjson:7:9: the text ends within an object",
    ]


def test_a_document_has_lines_of_its_own(run: Run, files: Callable[..., None]) -> None:
    """In a file with one document the line is where the wrong byte stands."""
    files(a_json=b'{\n"age":\n "x"}', empty_json=b"")
    code, out, err = run("validate", SCHEMA, "a.json", "empty.json")
    assert (code, err) == (1, "2 documents, 2 wrong\n")
    assert [line.split(" ")[0] for line in out.splitlines()] == ["a.json:3:2:", "empty.json:1:1:"]


def test_lines_of_json(run: Run, files: Callable[..., None]) -> None:
    """With --json each line is an object with all that is known."""
    files(a_jsonl=b'{"age":1}\n{"age":-1.5}\n')
    code, out, _ = run("validate", "--json", SCHEMA, "a.jsonl")
    (found,) = map(json.loads, out.splitlines())
    assert code == 1
    assert {name: found[name] for name in ("file", "line", "column", "offset", "pointer", "places")} == {
        "file": "a.jsonl", "line": 2, "column": 12, "offset": 11, "pointer": "/age",
        "places": ["#/properties/age/type"],
    }  # fmt: skip


def test_it_stops_after_as_many_errors_as_are_wanted(run: Run, files: Callable[..., None]) -> None:
    """The summary says so."""
    files(a_jsonl=b"1\n" * 10)
    code, out, err = run("validate", "--max-errors", "2", SCHEMA, "a.jsonl")
    assert (code, len(out.splitlines()), err) == (1, 2, "stopped after 2 documents: 2 wrong\n")


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """``-`` is one document, or with --lines one a line."""
    for options, summary in (((), "1 document, 1 wrong\n"), (("--lines",), "2 documents, none wrong\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"age":1}\n{"age":2}\n')))
        assert run("validate", *options, SCHEMA, "-")[2] == summary


def test_rows_longer_than_a_block(run: Run, files: Callable[..., None]) -> None:
    """Lines are cut from blocks of any size, a carriage return before the cut included."""
    row = b'{"age":1,"text":"' + b"a" * 65_516 + b'"}'
    files(a_jsonl=b"".join([row, b"\r\n", row[:-3], b'"}\r', b"\n", row, b"\n", b" " * 70_000, b"\n", row]))
    assert run("validate", SCHEMA, "a.jsonl") == (0, "", "4 documents, none wrong\n")


def test_policies(run: Run, files: Callable[..., None]) -> None:
    """Every spelling is read unless an option says otherwise."""
    files(a_json=b'{"age": 1.0}')
    assert run("validate", SCHEMA, "a.json")[0] == 0
    code, out, _ = run("validate", "--whitespace", "compact", SCHEMA, "a.json")
    assert code == 1
    assert "whitespace='compact'" in out


def test_a_schema_that_is_refused(run: Run, files: Callable[..., None]) -> None:
    """Exit code 1 and every problem on standard error."""
    files(a_json=b"{}")
    code, out, err = run("validate", '{"type": "objec", "minLength": -1}', "a.json")
    assert (code, out) == (1, "")
    assert "2 problems" in err
    assert "#/type" in err


@pytest.mark.parametrize(
    "arguments",
    [("nowhere.json",), (".",), ("--max-errors", "0", "-"), ("-", "-"), ("a\0b",)],
)
def test_usage(run: Run, files: Callable[..., None], arguments: tuple[str, ...]) -> None:
    """Exit code 2 and one line."""
    code, out, err = run("validate", SCHEMA, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)

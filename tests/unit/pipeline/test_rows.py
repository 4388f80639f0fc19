"""Rows of inputs: texts, ids, and lines that are none."""

from __future__ import annotations

import io
import json

import pytest

from maskwright.errors import InputError, PolicyError
from maskwright.pipeline.rows import Reading, Row, read_rows, row_digest


def rows(data: bytes, **reading: object) -> list[Row]:
    return list(read_rows(io.BytesIO(data), Reading(**reading)))


def test_strings_and_objects() -> None:
    """A string is its text; an object has one, and perhaps an id."""
    found = rows(b'"a"\n{"text": "b", "id": 7, "more": []}\r\n\n  \n{"id": "x", "text": "c"}')
    assert [(row.number, row.text, row.id, row.error) for row in found] == [
        (1, "a", None, None),
        (2, "b", 7, None),
        (5, "c", "x", None),
    ]


def test_fields_have_any_name() -> None:
    """Whatever holds the text and the id in the input."""
    (row,) = rows(b'{"body": "b", "key": null, "id": [1]}', field="body", id_field="key")
    assert (row.text, row.id) == ("b", None)


@pytest.mark.parametrize("rest", ['"text": 1', '"txt": "a"', '"text": "\\ud800"'])
def test_a_row_without_a_text_keeps_its_id(rest: str) -> None:
    """So that whoever gave it knows which one failed."""
    (row,) = rows(f'{{"id": 7, {rest}}}'.encode())
    assert row.error is not None
    assert row.id == 7


def test_plain_text() -> None:
    """Every line that is not blank is a row, as it stands."""
    found = rows(b'\xef\xbb\xbf  "a" \r\n\r\n{broken\n', format="text")
    assert [(row.number, row.text) for row in found] == [(1, '  "a" '), (3, "{broken")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{broken", "not JSON: Expecting property name enclosed in double quotes, character 2"),
        (b'"\xff"', "byte 2 is no UTF-8: 0xff"),
        (b'"\\ud800"', "the text has half of a surrogate pair, character 1"),
        (b"7", "a row is a string or an object, not 7"),
        (b'{"txt": "a"}', "the object has no 'text' (its members: ['txt'])"),
        (b'{"text": 1}', "'text' is no string: 1"),
        (b'{"text": "a", "id": {}}', "'id' is no string or number: {}"),
        (b'{"text": "a", "id": 1e999}', "'id' is no string or number: inf"),
        (b'{"text": "a", "id": NaN}', "NaN is no JSON"),
        (b"[" * 100_000, "not read: its JSON nests too deeply"),
        (b'{"text": "a", "n": ' + b"1" * 5000 + b"}", "Exceeds the limit"),
        (b'"' + b"a" * 200_000 + b'"', "the line has more than 150,000 bytes"),
    ],
    ids=range(12),
)
def test_broken_lines_are_rows_that_failed(line: bytes, reason: str) -> None:
    """They keep their number, the beginning of their text and the reason; the next line is read as ever."""
    broken, good = rows(line + b'\n"good"\n', longest=150_000)
    assert isinstance(broken.error, InputError)
    assert str(broken.error).startswith(reason)
    assert broken.text == line.decode(errors="backslashreplace")[: len(broken.text)]
    assert (broken.number, good.number, good.text) == (1, 2, "good")


def test_digests_tell_texts_and_ids_apart() -> None:
    """Not the way in which they are written, and broken lines have some as well."""
    same = [*rows(b'{"id": 1, "text": "\xc3\xa4"}'), *rows(b'{"text":"\\u00e4","id":1,"x":2}')]
    assert same[0].digest == same[1].digest
    others = [("a", None), ("a", "1"), ("a", 1), ("a", True), ("", "a"), ("b", None), ("a ", None)]
    assert len({row_digest(text, id_) for text, id_ in others}) == len(others)
    assert rows(b"{a")[0].digest != rows(b"{b")[0].digest
    assert all(0 <= row_digest(str(number), None) < 1 << 63 for number in range(1000))


def test_readings_have_a_meaning() -> None:
    """Unknown formats and lines without room are refused."""
    for wrong in ({"format": "csv"}, {"longest": 0}):
        with pytest.raises(PolicyError):
            Reading(**wrong)


def test_a_long_id_is_kept_exactly() -> None:
    """Whole numbers of any length go through."""
    (row,) = rows(json.dumps({"id": 10**30, "text": ""}).encode())
    assert row.id == 10**30

"""Where rows come from, and what is known of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maskwright.errors import InputError
from maskwright.pipeline.rows import Reading
from maskwright.pipeline.sources import source_of


@pytest.mark.parametrize(("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\n\nb", 3), (b"\n\n", 2)])
def test_lines_are_counted_as_they_are_read(tmp_path: Path, content: bytes, lines: int) -> None:
    """Blank ones, too; a file can be read again."""
    path = tmp_path / "in.txt"
    path.write_bytes(content)
    source = source_of(path, Reading(format="text"))
    assert (source.count(), source.size, source.is_repeatable) == (lines, len(content), True)
    assert len(list(source.rows())) == len(list(source.rows())) == len(content.split())


def test_pipes_are_read_once(tmp_path: Path) -> None:
    """And nothing is known of them before."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    source = source_of(path, Reading())
    assert (source.count(), source.size, source.is_repeatable) == (None, None, False)


def test_lists_are_rows_of_their_places() -> None:
    """Texts with line breaks are one row each; objects are as in a file; iterators have no length."""
    rows = ["a\nb", {"id": 1, "text": "c"}, {"x": 0}]
    source = source_of(rows, Reading(format="text"))
    assert (source.count(), source.path, source.is_repeatable) == (3, None, False)
    found = list(source.rows())
    assert [(row.number, row.text, row.id) for row in found[:2]] == [(1, "a\nb", None), (2, "c", 1)]
    assert isinstance(found[2].error, InputError)
    assert source_of(iter(rows), Reading()).count() is None


@pytest.mark.parametrize("name", ["missing", ".", "nul\0"])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, name: str) -> None:
    """At once, with its name."""
    with pytest.raises(InputError, match="cannot read"):
        source_of(f"{tmp_path}/{name}", Reading())


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that cannot be read")
def test_what_cannot_be_read_is_refused() -> None:
    """With its name and the system's reason, not as an error of the system."""
    with pytest.raises(InputError, match="cannot read /proc/self/mem: Input/output error"):
        list(source_of("/proc/self/mem", Reading()).rows())


def test_what_goes_away_is_refused(tmp_path: Path) -> None:
    """Between its look-up and its reading."""
    path = tmp_path / "in"
    path.touch()
    source = source_of(path, Reading())
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        list(source.rows())

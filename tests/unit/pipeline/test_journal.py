"""Journals: what is whole stays, what is torn goes, what is foreign is refused."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from maskwright.errors import InputError
from maskwright.pipeline.identity import Job
from maskwright.pipeline.journal import Journal

JOB = Job.of("c", "p", "m")


def line(row: int, value: str = '"v"') -> bytes:
    return f'{{"row": {row}, "key": "{JOB.key(row)}", "value": {value}}}\n'.encode()


def rows(path: Path) -> list[int]:
    journal = Journal(path)
    try:
        return [entry.row for entry in journal.entries()]
    finally:
        journal.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def test_what_is_appended_is_read(path: Path) -> None:
    """Rows with their keys, and where their lines stand."""
    journal = Journal(path)
    assert list(journal.entries()) == []
    for row in (2, 1):
        journal.append(line(row))
    journal.sync()
    found = list(journal.entries())
    assert [(entry.row, entry.key) for entry in found] == [(2, JOB.key(2)), (1, JOB.key(1))]
    data = path.read_bytes()
    assert [data[entry.offset : entry.offset + entry.length] for entry in found] == [line(2), line(1)]
    assert journal.size == len(data)
    journal.close()


def test_a_line_torn_anywhere_is_cut_off(path: Path) -> None:
    """Whatever its length; all before it stays, and the next line follows it. Only its newline is not missed."""
    last = line(3, '{"a": ["\\"}", {}]}')
    for kept in range(len(last)):
        path.write_bytes(line(1) + line(2) + last[:kept])
        whole = kept == len(last) - 1
        assert rows(path) == [1, 2]
        assert path.read_bytes() == line(1) + line(2) + (last if whole else b"")


def test_blocks_that_never_reached_the_disk_are_cut_off(path: Path) -> None:
    """A power failure leaves zeros at the end, in the middle of lines or in their place."""
    for lost in (
        b"\0" * 100,
        line(2)[:20] + b"\0" * 50,
        b"\0" * 20 + b'": 1}\n' + b"\0" * 5,
        line(2)[:30] + b"\0\0}\n",
    ):
        path.write_bytes(line(1) + lost)
        assert rows(path) == [1]
        assert path.read_bytes() == line(1)


@pytest.mark.parametrize(
    "content",
    [
        b"a text without end",
        b"a text\n",
        b'{"name": "x"}\n',
        b'{"row": 1, "value": 2}\n',
        b'{"row": 1, "key": "abc", "value": 2}\n',
        line(1) + b"\n",
        line(1) + b"note\n" + line(2),
        line(1) + line(2)[:-2] + b"\n" + line(3),
        b"\xef\xbb\xbf" + line(1),
    ],
    ids=range(9),
)
def test_foreign_files_are_refused_and_left_alone(path: Path, content: bytes) -> None:
    """Not a byte of a file that no run wrote is changed, be it whole or not."""
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"line \d+: .* is no row"):
        rows(path)
    assert path.read_bytes() == content


def test_lines_may_be_written_again_without_blanks(path: Path) -> None:
    """As other programs write JSON."""
    path.write_bytes(line(1).replace(b": ", b":").replace(b", ", b","))
    assert rows(path) == [1]


def _holds(path: Path, answer: multiprocessing.SimpleQueue[str]) -> None:
    try:
        Journal(path)
        answer.put("opened")
    except InputError as error:
        answer.put(str(error))


def test_a_file_belongs_to_one_process(path: Path) -> None:
    """Another is refused until it is closed."""
    context = multiprocessing.get_context("spawn")
    journal = Journal(path)
    for expected in ("is being written by another run", "opened"):
        answer = context.SimpleQueue()
        process = context.Process(target=_holds, args=(path, answer))
        process.start()
        told = answer.get()
        process.join(30)
        assert expected in told
        journal.close()


@pytest.mark.parametrize("name", ["missing/out.jsonl", ".", "pipe", "nul\0"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """Folders, pipes, and paths to nowhere."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError):
        Journal(tmp_path / name)


def test_who_is_in_its_place_is_seen(path: Path) -> None:
    """Removed, moved and replaced files are not where they are looked for."""
    journal = Journal(path)
    assert journal.is_in_place
    assert journal.is_file(path)
    path.rename(path.with_name("moved"))
    assert not journal.is_in_place
    path.write_bytes(b"")
    assert not journal.is_in_place
    assert not journal.is_file(path)
    assert journal.is_file(path.with_name("moved"))
    journal.close()
    journal.close()


def test_a_failed_write_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that was written is cut off at once, and the journal goes on when there is room again."""
    journal = Journal(path)
    journal.append(line(1))
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) > 5:
            return real(descriptor, data[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: full(descriptor, bytes(data)))
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            journal.append(line(2, '"' + "v" * 3 + '"'))
    assert path.read_bytes() == line(1)
    journal.append(line(2))
    assert path.read_bytes() == line(1) + line(2)
    journal.close()


def test_clearing_and_replacing(path: Path, tmp_path: Path) -> None:
    """A cleared file is empty; a replaced one has the new content, the old permissions, and stays locked."""
    path.touch()
    path.chmod(0o640)
    journal = Journal(path)
    journal.append(line(1))
    journal.clear()
    assert path.read_bytes() == b""
    other = tmp_path / "other"
    other.write_bytes(line(2))
    journal.replace(other)
    assert path.stat().st_mode & 0o777 == 0o640
    assert journal.is_in_place
    with pytest.raises(InputError, match="another run"):
        Journal(path)
    journal.close()
    assert rows(path) == [2]

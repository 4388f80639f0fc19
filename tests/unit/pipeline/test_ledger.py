"""The results of a run: what is done, and what may go on from it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from maskwright.errors import InputError
from maskwright.pipeline.identity import Job
from maskwright.pipeline.ledger import Ledger, default_failures
from maskwright.pipeline.outcomes import Cost, Made, failure_line, made_line
from maskwright.pipeline.rows import Reading, Row, read_rows

JOB = Job.of("c", "p", "m")


def rows(*texts: str) -> list[Row]:
    return list(read_rows(io.BytesIO("\n".join(texts).encode()), Reading(format="text")))


def write(ledger: Ledger, *made: Row, failed: tuple[Row, ...] = ()) -> None:
    for row in made:
        ledger.add_value(made_line(row, JOB.key(row.digest), Made("1"), with_cost=False))
    for row in failed:
        ledger.add_failure(failure_line(row, JOB.key(row.digest), ValueError("x"), Cost(), with_cost=False))


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A finished run of rows a, b and c, of which b failed."""
    a, b, c = rows("a", "b", "c")
    ledger = Ledger(tmp_path / "out.jsonl", None, JOB)
    write(ledger, c, a, failed=(b,))
    ledger.close()
    return tmp_path / "out.jsonl"


def test_names_of_failures() -> None:
    """Beside the output, with its suffix."""
    assert default_failures("x/out.jsonl") == Path("x/out.failures.jsonl")
    assert default_failures("out") == Path("out.failures.jsonl")


def test_what_is_done_is_known(output: Path) -> None:
    """Values and failures are done, further rows are not."""
    ledger = Ledger(output, None, JOB)
    assert (ledger.made, ledger.failed) == (2, 1)
    ledger.check(rows("a", "b", "c", "d"))
    assert [row.text for row in rows("a", "b", "c", "d") if not ledger.is_done(row)] == ["d"]
    ledger.close()


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (Job.of("x", "p", "m"), "another schema or grammar"),
        (Job.of("c", "x", "m"), "other instructions or another prompt template"),
        (Job.of("x", "p", "x"), "another schema or grammar and another model or sampling"),
    ],
)
def test_another_job_is_refused(output: Path, job: Job, words: str) -> None:
    """With what differs; nothing is changed, and the files are free again."""
    before = output.read_bytes()
    with pytest.raises(InputError, match=f"was begun with {words}; name another output"):
        Ledger(output, None, job)
    assert output.read_bytes() == before
    Ledger(output, None, job, restart=True).close()
    assert output.read_bytes() == default_failures(output).read_bytes() == b""


def test_another_input_is_refused(output: Path) -> None:
    """A changed row with its number; a shorter input with its end."""
    ledger = Ledger(output, None, JOB)
    with pytest.raises(InputError, match="row 1 is another one"):
        ledger.check(rows("A", "b", "c"))
    with pytest.raises(InputError, match=r"rows that the input has not \(up to row 3\)"):
        ledger.check(rows("a", "b"))
    with pytest.raises(InputError, match=r"rows that the input has not"):
        ledger.check(rows("a", "", "c"))
    ledger.close()


def test_failures_can_be_tried_again(output: Path) -> None:
    """They are not done any more, even where their line was mended; what was made stays."""
    ledger = Ledger(output, None, JOB, retry_failures=True)
    assert (ledger.made, ledger.failed) == (2, 0)
    ledger.check(rows("a", "mended", "c"))
    assert [row.text for row in rows("a", "mended", "c") if not ledger.is_done(row)] == ["mended"]
    ledger.close()


def test_a_row_stands_in_one_place(output: Path) -> None:
    """Twice in a file, or in both, is a file that somebody put together."""
    text = output.read_text()
    output.write_text(text + text)
    with pytest.raises(InputError, match="row 3 is there twice"):
        Ledger(output, None, JOB)
    output.write_text(text)
    failures = default_failures(output)
    failures.write_text(failures.read_text() + text)
    with pytest.raises(InputError, match=r"failures\.jsonl: row 3 is there twice"):
        Ledger(output, None, JOB)


def test_files_are_told_apart(output: Path, tmp_path: Path) -> None:
    """Values, failures and the input are three files, under whatever names."""
    link = tmp_path / "link"
    link.symlink_to(output)
    with pytest.raises(InputError, match="same file"):
        Ledger(output, link, JOB)
    before = output.read_bytes()
    for restart in (False, True):
        with pytest.raises(InputError, match="cannot be written to while it is read"):
            Ledger(output, None, JOB, source=link, restart=restart)
        with pytest.raises(InputError, match="cannot be written to while it is read"):
            Ledger(tmp_path / "new", output, JOB, source=link, restart=restart)
    assert output.read_bytes() == before


def test_sorting(output: Path) -> None:
    """The values come into the order of the input, in a file that is still locked; a sorted one is not touched."""
    ledger = Ledger(output, None, JOB)
    lines = output.read_bytes().splitlines(keepends=True)
    ledger.sort()
    assert output.read_bytes() == b"".join(reversed(lines))
    inode = output.stat().st_ino
    ledger.sort()
    assert output.stat().st_ino == inode
    with pytest.raises(InputError, match="another run"):
        Ledger(output, None, JOB)
    (row,) = rows("", "", "", "d")
    write(ledger, row)
    ledger.sync()
    assert [json.loads(line)["row"] for line in output.read_text().splitlines()] == [1, 3, 4]
    assert not list(output.parent.glob("*.sorting"))
    ledger.close()


def test_sorting_behind_a_link(output: Path, tmp_path: Path) -> None:
    """The link stays one, and what a killed run left of its copy is no obstacle."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = tmp_path / "link.jsonl"
    output.rename(folder / "real.jsonl")
    link.symlink_to(folder / "real.jsonl")
    (folder / "real.jsonl.sorting").write_text("half a co")
    ledger = Ledger(link, tmp_path / "out.failures.jsonl", JOB)
    ledger.sort()
    ledger.sync()
    ledger.close()
    assert link.is_symlink()
    assert [json.loads(line)["row"] for line in (folder / "real.jsonl").read_text().splitlines()] == [1, 3]
    assert [path.name for path in folder.iterdir()] == ["real.jsonl"]


def test_only_files_of_runs_are_overwritten(output: Path, tmp_path: Path) -> None:
    """Whoever names another file to be overwritten has made a mistake."""
    foreign = tmp_path / "thesis.txt"
    foreign.write_text("three years of work\n")
    before = output.read_bytes()
    for files in ((foreign, output), (output, foreign)):
        with pytest.raises(InputError, match="is no row"):
            Ledger(*files, JOB, restart=True)
    with pytest.raises(InputError, match="is no row"):
        Ledger(output, foreign, JOB, retry_failures=True)
    assert (foreign.read_text(), output.read_bytes()) == ("three years of work\n", before)


def test_a_removed_file_is_noticed(output: Path) -> None:
    """When all is put on disk."""
    ledger = Ledger(output, None, JOB)
    ledger.sync()
    output.unlink()
    with pytest.raises(InputError, match="was removed or replaced"):
        ledger.sync()
    ledger.close()

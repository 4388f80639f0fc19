"""Laws of runs that are killed: every row once, whatever the moment."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("slow_run.py")
ROWS = 1200
KILLS = 8


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("".join(f"text {number}, ä🙂 {'x' * (number % 50)}\n" for number in range(1, ROWS + 1)))
    return path


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(*arguments: object) -> str:
    """Run to the end; return what stopped it."""
    process = start(*arguments)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.split()[-1]


def kill_in_the_middle(dice: random.Random, *arguments: object) -> None:
    """Kill a run some time after it has begun to make rows."""
    process = start(*arguments)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(dice.random() * 0.12)
    finally:
        process.kill()
        process.communicate(timeout=60)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def numbers(results: Iterable[dict[str, object]]) -> list[int]:
    return [int(str(line["row"])) for line in results]


@pytest.mark.parametrize("options", [(), ("fail",), ("ordered", "fail")], ids=["plain", "failures", "ordered"])
def test_every_row_is_there_once_after_any_kills(rows: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Values and failures together are the rows of the input, each once, and what was there once never changes."""
    output, failures = tmp_path / "out.jsonl", tmp_path / "out.failures.jsonl"
    dice = random.Random(5)
    before: set[str] = set()
    kills = 0
    while kills < KILLS and len(before) < ROWS:
        kill_in_the_middle(dice, rows, output, *options)
        kills += 1
        now = {line for path in (output, failures) if path.exists() for line in path.read_text().split("\n")[:-1]}
        assert before <= now
        before = now
    assert kills > 2, "the run was too fast to be killed"
    assert finish(rows, output, *options) == "None"
    made, failed = lines(output), lines(failures)
    assert sorted(numbers(made) + numbers(failed)) == list(range(1, ROWS + 1))
    assert numbers(failed) == [] if "fail" not in options else all(number % 7 == 0 for number in numbers(failed))
    texts = rows.read_text().splitlines()
    assert all(line["value"] == texts[int(str(line["row"])) - 1][::-1] for line in made)
    if "ordered" in options:
        assert numbers(made) == sorted(numbers(made))


def test_failures_that_are_tried_again_are_never_lost(rows: Path, tmp_path: Path) -> None:
    """A run that tries failures again and is killed leaves them to the next one, which needs no option for that."""
    output, failures = tmp_path / "out.jsonl", tmp_path / "out.failures.jsonl"
    finish(rows, output, "fail")
    failed = numbers(lines(failures))
    assert len(failed) == ROWS // 7
    kill_in_the_middle(random.Random(1), rows, output, "retry")
    assert finish(rows, output) == "None"
    assert lines(failures) == []
    assert sorted(numbers(lines(output))) == list(range(1, ROWS + 1))


def test_a_run_that_is_done_does_nothing(rows: Path, tmp_path: Path) -> None:
    """Neither a row nor a byte changes, and no worker is asked (it would wait for an hour)."""
    output = tmp_path / "out.jsonl"
    finish(rows, output)
    before = output.read_bytes(), output.stat().st_mtime_ns
    assert finish(rows, output, "forever") == "None"
    assert (output.read_bytes(), output.stat().st_mtime_ns) == before


def test_two_runs_never_write_one_output(rows: Path, tmp_path: Path) -> None:
    """The second is refused while the first lives, and goes on where it was killed."""
    output = tmp_path / "out.jsonl"
    first = start(rows, output, "forever")
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        second = start(rows, output)
        _, err = second.communicate(timeout=60)
        assert second.returncode != 0
        assert "is being written by another run" in err
    finally:
        first.kill()
        first.communicate(timeout=60)
    assert finish(rows, output) == "None"
    assert len(lines(output)) == ROWS


def test_a_full_disk_stops_the_run_and_loses_nothing(rows: Path, tmp_path: Path) -> None:
    """A limit on the size of files fails a write in its middle, as a full disk does: what is there stays whole."""
    output = tmp_path / "out.jsonl"
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
        f"sys.argv[1:] = {[str(rows), str(output)]!r}; runpy.run_path({str(PROGRAM)!r}, run_name='__main__')"
    )
    full = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, timeout=60, check=False)
    assert full.stdout.split()[-1] == "error", full.stderr
    kept = output.read_text()
    assert 0 < len(kept) <= 20_000
    assert kept.endswith("\n")
    count = len(lines(output))
    assert finish(rows, output) == "None"
    assert output.read_text().startswith(kept)
    assert len(lines(output)) == ROWS > count


def test_a_removed_output_stops_the_run(rows: Path, tmp_path: Path) -> None:
    """Rows are not written for ever to a file that nobody can find."""
    output = tmp_path / "out.jsonl"
    process = start(rows, output, "forever")
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        output.unlink()
        out, _ = process.communicate(timeout=60)
        assert out.split()[-1] == "error"
    finally:
        process.kill()
        process.communicate(timeout=60)

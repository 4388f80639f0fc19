"""``maskwright extract`` against an API on loopback: values, failures, codes, signals, and what a person sees."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from maskwright.cli.main import main
from tests.pipeline.fake_api import GARBAGE, GONE, HALF, Api, serving

pytest.importorskip("httpx", reason='pip install "maskwright[client]"')

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "length": {"type": "integer"}},
        "required": ["name", "length"],
        "additionalProperties": False,
    }
)
ROWS = 30


@pytest.fixture
def api() -> Iterator[Api]:
    with serving() as served:
        yield served


class Desk:
    """An input, its outputs, and the command between them."""

    def __init__(self, folder: Path, api: Api) -> None:
        self.input, self.output = folder / "in.jsonl", folder / "out.jsonl"
        self.failures = folder / "out.failures.jsonl"
        self.input.write_text("".join(f'{{"text": "Her name n{row}."}}\n' for row in range(1, ROWS + 1)))
        self.api = api

    def arguments(self, *options: str, schema: str = SCHEMA, url: str = "") -> list[str]:
        files = ["--input", str(self.input), "--output", str(self.output)]
        return [
            "extract",
            "--schema",
            schema,
            *files,
            "--base-url",
            url or self.api.url,
            "--concurrency",
            "4",
            *options,
        ]

    def run(self, *options: str, **given: str) -> int:
        return main(self.arguments(*options, **given))

    def start(self, *options: str, **streams: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "maskwright", *self.arguments(*options)]
        chosen = {"stderr": subprocess.PIPE} | streams
        return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=chosen.get("stdin"), stderr=chosen["stderr"])

    def until_some_are_made(self, process: subprocess.Popen[bytes], more_than: int = 0) -> None:
        limit = time.monotonic() + 60
        while not self.output.exists() or self.output.read_bytes().count(b"\n") <= more_than:
            assert process.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.005)

    def names(self) -> list[str]:
        """The names that were found, in the order of their lines; each must be that of its row."""
        found = [json.loads(line) for line in self.output.read_text().splitlines()]
        assert all(line["value"]["name"] == f"n{line['row']}" for line in found)
        return [line["value"]["name"] for line in found]

    def failed(self) -> dict[int, str]:
        found = [json.loads(line) for line in self.failures.read_text().splitlines()]
        return {line["row"]: line["error"]["type"] for line in found}


@pytest.fixture
def desk(tmp_path: Path, api: Api) -> Desk:
    return Desk(tmp_path, api)


ALL = [f"n{row}" for row in range(1, ROWS + 1)]


def test_every_row_is_answered(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """One call a row, code 0; what it cost is told, and a second run asks nothing."""
    assert desk.run("--ordered", "--price-in", "1", "--price-out", "2") == 0
    assert desk.names() == ALL
    assert desk.api.asked == dict.fromkeys(ALL, 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "30 rows made, 0 failed" in err
    assert "3,000 + 300 tokens, cost 0.0036" in err
    assert desk.run("--quiet") == 0
    assert desk.api.asked.total() == ROWS
    assert capsys.readouterr().err == ""


def test_the_question_is_what_was_said(desk: Desk) -> None:
    """Instructions, template and numbers reach the API; a ``{text}`` in a row stays what it is."""
    desk.input.write_text('{"text": "name {text} x"}\n')
    told = ["--instructions", "Be brief.", "--prompt-template", "<{text}|{text}>", "--max-tokens", "77", "--seed", "5"]
    desk.run(*told)
    (body,) = desk.api.bodies
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["messages"][1]["content"].startswith("<name {text} x|name {text} x>")
    assert (body["seed"], body["temperature"]) == (5, 0.0)
    assert 77 in body.values()


def test_storms_are_weathered(desk: Desk) -> None:
    """Errors that pass cost repetitions, no rows."""
    desk.api.plan = itertools.islice(itertools.cycle([200, 429, 429, 200, 500, 503, 408]), 60)
    assert desk.run("--retries", "8") == 0
    assert sorted(desk.names()) == sorted(ALL)


def test_broken_connections_are_weathered(desk: Desk) -> None:
    """Connections that end at any place cost repetitions, no rows."""
    desk.api.plan = itertools.islice(itertools.cycle([200, GONE, HALF, 200, HALF]), 40)
    assert desk.run("--retries", "8") == 0
    assert sorted(desk.names()) == sorted(ALL)
    assert desk.failed() == {}


def test_garbage_is_a_failure_of_its_row(desk: Desk) -> None:
    """Told as what it is, and gone when it is tried again."""
    desk.api.plan = itertools.chain([200] * 5, [GARBAGE])
    code = desk.run("--retries", "0")
    assert code == (1 if desk.failed() else 0)
    assert set(desk.failed().values()) <= {"ProtocolError"}
    assert desk.run("--retry-failures") == 0
    assert sorted(desk.names()) == sorted(ALL)


def test_rows_that_fail_are_told_and_tried_again(desk: Desk) -> None:
    """What the API refuses is a failure with its type; code 1, until it succeeds."""
    desk.api.refused = {"n3", "n9"}
    assert desk.run() == 1
    assert desk.failed() == {3: "RejectedError", 9: "RejectedError"}
    line = json.loads(desk.failures.read_text().splitlines()[0])
    assert line["text"].startswith("Her name n")
    assert line["error"]["status"] == 400
    assert "status 400" in line["error"]["message"]
    asked = desk.api.asked.total()
    assert desk.run() == 1
    assert desk.api.asked.total() == asked
    desk.api.refused = set()
    assert desk.run("--retry-failures") == 0
    assert sorted(desk.names()) == sorted(ALL)
    assert desk.failed() == {}


def test_a_wrong_key_stops_at_once(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code 4, nothing is written; with the right one, from the environment, all is made."""
    desk.api.key = "right"
    assert desk.run("--api-key", "wrong") == 4
    assert desk.output.read_text() == desk.failures.read_text() == ""
    err = capsys.readouterr().err
    assert "30 rows are left; the same command goes on from here" in err
    assert "wrong" not in err.replace("wrong key", "")
    monkeypatch.setenv("MASKWRIGHT_API_KEY", "right")
    assert desk.run() == 0


def test_nobody_there(desk: Desk) -> None:
    """Code 4 after a few rows, none of which has failed."""
    assert desk.run("--retries", "0", url="http://127.0.0.1:9/v1") == 4
    assert desk.output.read_text() == desk.failures.read_text() == ""


def test_a_question_that_nobody_can_answer(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """What the client says of the command itself is said once, not for each row: code 2."""
    desk.api.models = ["m", "n"]
    assert desk.run() == 2
    assert "which model?" in capsys.readouterr().err
    assert desk.failures.read_text() == ""
    assert desk.run("--model", "n") == 0


def test_an_outage_in_the_middle(desk: Desk) -> None:
    """Code 4; what was answered is kept, the rest is made when the API is back."""
    desk.api.plan = itertools.chain([200] * 10, itertools.repeat(500, 200))
    assert desk.run("--retries", "0", "--give-up", "5") == 4
    assert len(desk.names()) == 10
    assert desk.failed() == {}
    desk.api.plan = iter(())
    assert desk.run() == 0
    assert sorted(desk.names()) == sorted(ALL)
    assert desk.api.asked == dict.fromkeys(ALL, 1)


def test_a_budget(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Code 4 when it is used up, with at most the rows under way beyond it."""
    assert desk.run("--budget-tokens", "1100") == 4
    assert "the budget of 1,100 tokens is used up" in capsys.readouterr().err
    assert 10 <= len(desk.names()) <= 13


@pytest.mark.parametrize("concurrency", [1, 4, 16])
@pytest.mark.parametrize("budget", [1, 3, 10])
def test_there_are_never_more_requests_than_allowed(
    desk: Desk, capsys: pytest.CaptureFixture[str], concurrency: int, budget: int
) -> None:
    """Repeated ones counted, however many rows are under way; what needs another is left for the next run. Code 4."""
    sent: list[int] = []

    def statuses() -> Iterator[int]:
        for number in itertools.count():
            sent.append(number)
            yield 500 if number % 5 == 4 else 200

    desk.api.plan = statuses()
    options = ("--budget-calls", str(budget), "--concurrency", str(concurrency))
    assert desk.run(*options) == 4
    assert len(sent) == budget
    counted = "1 call is" if budget == 1 else f"{budget} calls is"
    assert f"the budget of {counted} used up" in capsys.readouterr().err
    assert len(desk.names()) == budget - budget // 5
    assert desk.failed() == {}
    assert desk.run() == 0
    assert sorted(desk.names()) == sorted(ALL)


def test_a_model_that_is_not_there_ends_the_run(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """No row is to blame, nothing is written, and the right model goes on."""
    desk.api.plan = iter([404] * 4)
    assert desk.run("--model", "misspelt", "--concurrency", "1") == 4
    assert f"{ROWS} rows are left" in capsys.readouterr().err
    assert (desk.output.read_bytes(), desk.failures.read_bytes()) == (b"", b"")
    desk.api.plan = iter(())
    assert desk.run("--model", "m") == 0


def test_one_row_is_no_rows(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """What is said of one has no plural; why a row failed is said at once, and its line keeps the id."""
    desk.input.write_text('{"id": "a7", "txt": "Her name n1."}\n')
    assert desk.run() == 1
    err = capsys.readouterr().err
    assert "0 rows made, 1 failed" in err
    assert "1 failure is in" in err
    assert "row 1: InputError: the object has no 'text'" in err
    assert json.loads(desk.failures.read_text())["id"] == "a7"
    desk.input.write_text('{"text": "Her name n1."}\n')
    assert desk.run("--restart") == 0
    err = capsys.readouterr().err
    assert "1 row made" in err
    assert "1 call (" in err


def test_nobody_there_is_named(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """With the address; the rows are left."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert desk.run(url=url) == 4
    err = capsys.readouterr().err
    assert f"no connection to {url}/v1: [Errno 111]" in err
    assert ".:" not in err


@pytest.mark.parametrize("option", ["--output", "--failures"])
@pytest.mark.parametrize("path", ["-", ".", "/", "..", ""])
def test_what_is_no_file_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: str, path: str
) -> None:
    """Code 2 and a line; nothing is written."""
    folder = desk.input.parent / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert desk.run(option, path) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "given", "words"),
    [
        ([], {"schema": SCHEMA.replace("integer", "number")}, "was begun with another schema or grammar"),
        (["--instructions", "x"], {}, "was begun with other instructions"),
        (["--temperature", "1"], {}, "was begun with another model or sampling"),
        (["--output", "IN"], {}, "cannot be written to while it is read"),
        (["--failures", "OUT"], {}, "same file"),
        (["--input", "missing"], {}, "cannot read missing"),
        (["--output", "missing/out"], {}, "No such file"),
        (["--prompt-template", "x"], {}, "must hold {text}"),
        (["--concurrency", "0"], {}, "at least 1"),
        (["--retries", "-1"], {}, "retries is a whole number"),
        (["--budget-calls", "0"], {}, "above 0"),
    ],
    ids=range(11),
)
def test_what_cannot_be_done_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str], options: list[str], given: dict[str, str], words: str
) -> None:
    """Code 2 and a message; what was made before is untouched."""
    desk.run("--budget-calls", "5")
    before = desk.output.read_bytes()
    paths = {"IN": str(desk.input), "OUT": str(desk.output)}
    assert desk.run(*[paths.get(option, option) for option in options], **given) == 2
    assert words in capsys.readouterr().err
    assert desk.output.read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_interrupted_run_can_be_resumed(desk: Desk, number: signal.Signals) -> None:
    """Code 130; what is under way is finished, and no row that was finished is asked for again."""
    # Long enough for a test on busy cores to see the run in its middle, and less than what an interrupted run waits.
    desk.api.delay = 0.4
    process = desk.start()
    desk.until_some_are_made(process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"the same command goes on from here" in err
    assert 0 < len(desk.names()) < ROWS
    desk.api.delay = 0.0
    assert desk.run() == 0
    assert sorted(desk.names()) == sorted(ALL)
    assert desk.api.asked == dict.fromkeys(ALL, 1)


def test_a_killed_run_can_be_resumed(desk: Desk) -> None:
    """However often: every row is there once; asked for twice are at most those that were under way."""
    desk.api.delay = 0.1
    made = 0
    for _ in range(2):
        process = desk.start()
        desk.until_some_are_made(process, made + 3)
        process.kill()
        process.communicate(timeout=60)
        made = desk.output.read_bytes().count(b"\n")
    desk.api.delay = 0.0
    assert desk.run() == 0
    assert sorted(desk.names()) == sorted(ALL)
    assert ROWS <= desk.api.asked.total() <= ROWS + 2 * 4


def test_rows_from_a_pipe(desk: Desk) -> None:
    """Each is answered while the pipe is open; a resumed run skips what it knows; Ctrl-C ends one that waits."""
    process = desk.start("--input", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'"name n1"\n\n')
    process.stdin.flush()
    desk.until_some_are_made(process)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert process.returncode == 130
    process.communicate()
    second = desk.start("--input", "-", stdin=subprocess.PIPE)
    _, err = second.communicate(b'"name n1"\n\n"name n3"', timeout=60)
    assert second.returncode == 0, err
    assert desk.names() == ["n1", "n3"]
    assert desk.api.asked == {"n1": 1, "n3": 1}
    third = desk.start("--input", "-", stdin=subprocess.PIPE)
    _, err = third.communicate(b'"name n1"\n\n"name n4"', timeout=60)
    assert (third.returncode, b"row 3 is another one" in err) == (2, True)
    assert desk.names() == ["n1", "n3"]


def test_progress_on_a_terminal(desk: Desk) -> None:
    """A bar, rows of all, a rate and the time left are drawn in one line, which is gone at the end."""
    desk.api.delay = 0.1
    mine, its = pty.openpty()
    process = desk.start("--price-in", "1000", stderr=its)
    os.close(its)
    shown = b""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        ready, _, _ = select.select([mine], [], [], 1)
        try:
            piece = os.read(mine, 4096) if ready else b""
        except OSError:
            break
        shown += piece
    process.wait(timeout=60)
    process.communicate()
    os.close(mine)
    drawn = [line for line in shown.decode().split("\r\x1b[K") if "rows," in line]
    assert len(drawn) > 2
    assert any(
        re.match(r"\[#+\.+\] \d+/30 rows, [\d.]+/s, [\d,]+ tokens, cost [\d.]+, [\d.]+ s left", line) for line in drawn
    )
    assert "\r\x1b[K30 rows made, 0 failed" in shown.decode()


def test_progress_in_a_log(desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody watches, whole lines now and then."""
    monkeypatch.setattr("maskwright.cli.meter._PAUSE", 0.0)
    assert desk.run() == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(re.match(r"\d+/30 rows, ", line) for line in lines)
    assert not any("\r" in line for line in lines)

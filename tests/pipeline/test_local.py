"""``maskwright extract`` with a real model in this process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maskwright.cli.main import main
from maskwright.decode.models import DEFAULT, locate

pytestmark = pytest.mark.skipif(locate(DEFAULT) is None, reason=DEFAULT.remedy)

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
PEOPLE = {"Ada": 36, "Alan": 41, "Grace": 85, "Priya": 29}


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    source = tmp_path / "in.jsonl"
    lines = [f"My name is {name} and I am {age} years old." for name, age in PEOPLE.items()]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = ["--input", str(source), "--output", str(tmp_path / "out.jsonl")]
    return ["extract", "--schema", json.dumps(SCHEMA), *files, "--max-tokens", "40"]


def test_every_row_has_a_value_of_the_schema(arguments: list[str], tmp_path: Path) -> None:
    """Rows that are made at once do not disturb each other: each has its own name; alone they are the same."""
    assert main([*arguments, "--concurrency", "3", "--ordered"]) == 0
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    found = [json.loads(line)["value"] for line in lines]
    assert [value["name"] for value in found] == list(PEOPLE)
    assert all(isinstance(value["age"], int) for value in found)
    assert main([*arguments, "--concurrency", "1", "--ordered", "--restart", "--model", "local"]) == 0
    assert (tmp_path / "out.jsonl").read_text().splitlines() == lines


def test_rows_that_do_not_fit_fail_alone(arguments: list[str], tmp_path: Path) -> None:
    """A text longer than the model's context is one row's failure."""
    with (tmp_path / "in.jsonl").open("a") as source:
        source.write(json.dumps("word " * 20_000) + "\n")
    assert main(arguments) == 1
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(PEOPLE)
    failure = json.loads((tmp_path / "out.failures.jsonl").read_text())
    assert (failure["row"], failure["error"]["type"]) == (5, "ModelError")


def test_rows_that_their_bound_closed_say_so(arguments: list[str], tmp_path: Path) -> None:
    """Where what a row cost is told: a name that wants more tokens than there are was cut."""
    (tmp_path / "in.jsonl").write_text(json.dumps("My name is Bartholomew Montgomery and I am 36 years old.") + "\n")
    for most, is_early in (("13", True), ("40", False)):
        assert main([*arguments[:-1], most, "--with-cost", "--restart"]) == 0
        (line,) = (tmp_path / "out.jsonl").read_text().splitlines()
        assert ("closed early" in json.loads(line)["cost"]["how"]) is is_early


def test_a_budget_of_calls_is_one_of_rows(arguments: list[str], tmp_path: Path) -> None:
    """Here a row is one call: never more are begun, and the rest is left."""
    assert main([*arguments, "--budget-calls", "2", "--concurrency", "4"]) == 4
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    assert main(arguments) == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(PEOPLE)


def test_too_few_tokens_for_any_answer(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found out before the first row: nothing is written, and no row has failed."""
    assert main([*arguments[:-1], "3"]) == 3
    assert "no output" in capsys.readouterr().err
    assert (tmp_path / "out.jsonl").read_text() == (tmp_path / "out.failures.jsonl").read_text() == ""


def test_an_interrupted_run_ends_soon(arguments: list[str], tmp_path: Path) -> None:
    """Code 130, also in the middle of an answer that has no end; the next run makes what is left."""
    endless = {"type": "array", "items": {"type": "integer"}, "minItems": 900}
    command = [json.dumps(endless) if part == json.dumps(SCHEMA) else part for part in arguments]
    command = [sys.executable, "-m", "maskwright", *command[:-1], "4000"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    output = tmp_path / "out.jsonl"
    limit = time.monotonic() + 60
    while not output.exists() and time.monotonic() < limit:
        time.sleep(0.01)
    time.sleep(3.0)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert main([*arguments, "--restart"]) == 0

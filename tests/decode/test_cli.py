"""The command line as a process of its own, with the real model: what scripts and shells see of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
        "required": ["name", "age", "city"],
        "additionalProperties": False,
    }
)
PROMPT = (
    "Extract name, age and city from the text as a JSON object.\nText: Alice Martin, 34, moved from Paris to Berlin."
)
COMMAND = [sys.executable, "-m", "maskwright"]


def maskwright(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=120, check=False, **options)


def generate(model: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return maskwright("generate", "--model", str(model), "--schema", SCHEMA, "--prompt", PROMPT, *arguments, **options)


def test_the_main_job(smollm2: Path) -> None:
    """Valid JSON for the schema, alone on standard output; nothing on standard error; code 0."""
    done = generate(smollm2)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"name": "Alice Martin", "age": 34, "city": "Berlin"}
    assert done.stdout.count(b"\n") == 1


def test_sources_and_statistics(smollm2: Path, tmp_path: Path) -> None:
    """Schema from standard input, prompt from a file: the same output; statistics on standard error only."""
    prompt = tmp_path / "prompt.txt"
    prompt.write_text(PROMPT)
    arguments = ["generate", "--model", str(smollm2), "--schema", "-", "--prompt-file", str(prompt), "--stats"]
    done = maskwright(*arguments, input=SCHEMA.encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["name"] == "Alice Martin"
    assert all(word in done.stderr for word in (b"forced", b"model:", b"masks:"))


def test_a_seed_repeats_a_sampled_output(smollm2: Path) -> None:
    """Equal seeds give equal bytes, valid whatever is drawn."""
    outputs = {generate(smollm2, "--temperature", "1.2", "--top-p", "0.95", "--seed", "7").stdout for _ in range(2)}
    assert len(outputs) == 1
    assert set(json.loads(outputs.pop())) == {"name", "age", "city"}


@pytest.mark.parametrize("budget", [20, 30])
def test_an_output_is_closed_in_time(smollm2: Path, budget: int) -> None:
    """With few tokens the output is shorter, and complete."""
    done = generate(smollm2, "--max-tokens", str(budget), "--stats")
    assert set(json.loads(done.stdout)) == {"name", "age", "city"}
    assert int(done.stderr.partition(b"tokens: ")[2].split()[0]) <= budget


def test_a_budget_that_nothing_fits_in_is_code_3(smollm2: Path) -> None:
    """Nothing is generated; the message tells how many tokens are needed."""
    done = generate(smollm2, "--max-tokens", "6")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"--max-tokens" in done.stderr


def test_any_locale_gives_utf8(smollm2: Path) -> None:
    """Characters beyond ASCII are written as UTF-8 in the plainest locale, too."""
    done = maskwright(
        *["generate", "--model", str(smollm2), "--schema", '{"enum": ["日本 é"]}', "--prompt", "naïve"],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (done.returncode, done.stdout.decode()) == (0, '"日本 é"\n')


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_reader_that_goes_away_is_no_traceback(command: str) -> None:
    """``| true``: a quiet end with the code of SIGPIPE."""
    arguments = [command, "{}"] if command == "check" else ["show", "--schema", "{}", "--text", '"' + "x" * 3000 + '"']
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_a_message() -> None:
    """What cannot be written is said in one line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, "check", "{}"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"standard output" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="closing descriptors is the shell's way")
@pytest.mark.parametrize(
    ("redirection", "arguments", "code"),
    [
        ("<&-", "check -", 2),
        (">&-", "check {}", 2),
        ("2>&-", "check {}", 0),
        ("2>&-", "check [", 1),
        (">&- 2>&-", "check {}", 2),
    ],
)
def test_closed_descriptors(redirection: str, arguments: str, code: int) -> None:
    """Closed standard input, output or error end in a code, never in a traceback."""
    line = f'exec "{sys.executable}" -m maskwright {arguments} {redirection}'
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=60, check=False)
    assert done.returncode == code
    assert b"Traceback" not in done.stdout + done.stderr


def test_bytes_that_are_no_text(smollm2: Path, tmp_path: Path) -> None:
    """A prompt that is not UTF-8 is refused with the place of the byte."""
    path = tmp_path / "prompt"
    path.write_bytes(b"caf\xe9")
    done = maskwright("generate", "--model", str(smollm2), "--schema", "{}", "--prompt-file", str(path))
    assert done.returncode == 2
    assert b"byte 4 is 0xe9" in done.stderr


def test_ctrl_c_while_the_model_writes(smollm2: Path) -> None:
    """Code 130, one line, no traceback, nothing on standard output."""
    schema = '{"type": "array", "items": {"type": "string"}, "minItems": 500}'
    arguments = [
        "generate",
        "--model",
        str(smollm2),
        "--schema",
        schema,
        "--prompt",
        "List words.",
        "--max-tokens",
        "8000",
    ]
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from maskwright.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"maskwright: interrupted\n")


def test_show_cuts_a_text_as_the_model_does(smollm2: Path) -> None:
    """With a model's vocabulary the steps are its tokens; a text that no token spells is followed by bytes."""
    text = '{"name": "A", "age": 3, "city": "B"}'
    arguments = ["show", "--model", str(smollm2), "--schema", SCHEMA]
    done = maskwright(*arguments, "--text", text)
    assert done.returncode == 0
    assert done.stdout.count(b"written:") < len(text)
    assert maskwright(*arguments, "--text", '{"name": "\x04').returncode == 1

"""Two servers with the real model, as `maskwright serve` starts them: one for everybody, one that asks for a key."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.registry import fetch


@pytest.fixture(scope="session")
def weights() -> Path:
    """The default model; tests are skipped where the registry cannot be reached."""
    return fetch("smollm2.gguf")


@pytest.fixture(scope="session")
def server(weights: Path) -> Iterator[str]:
    """Base URL of a server, with /v1."""
    with serving(weights) as base:
        yield f"{base}/v1"


@pytest.fixture(scope="session")
def keyed_server(weights: Path) -> Iterator[str]:
    """Base URL of a server that knows the key `right` alone, with /v1."""
    with serving(weights, "--api-key", "right") as base:
        yield f"{base}/v1"


@contextmanager
def serving(weights: Path, *options: str) -> Iterator[str]:
    """The address of a server that is ended with the block."""
    command = [sys.executable, "-m", "maskwright", "serve", "--model", str(weights), "--name", "smollm2", "--port", "0"]
    quiet = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    said: list[str] = []
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, env=quiet) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                said.append(line)
                found = re.search(r"ready on (http://\S+)", line)
                if found:
                    break
            else:
                raise AssertionError("the server did not start:\n" + "".join(said))
            # What it says is read on, so that a full pipe never stops it.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield found.group(1)
        finally:
            process.terminate()
            process.wait(30)

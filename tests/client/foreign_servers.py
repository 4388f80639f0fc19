"""Servers with a real model for tests and measurements: ours without some of its parts, and llama.cpp's own."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from maskwright.decode.models import find

__all__ = ["llamacpp", "ours"]


@contextlib.contextmanager
def ours(*parts: str) -> Iterator[str]:
    """The address of our server, without some of its parts."""
    command = [sys.executable, "-m", "maskwright", "serve", "--model", "smollm2", "--port", "0"]
    for part in parts:
        command += ["--without", part]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        try:
            found = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)), None)
            if found is None:
                raise RuntimeError("the server did not start")
            yield found[0]
        finally:
            server.terminate()


@contextlib.contextmanager
def llamacpp() -> Iterator[str]:
    """The address of llama.cpp's server, which runs in this process on a port of its own."""
    xllamacpp: Any = import_module("xllamacpp")
    given = xllamacpp.CommonParams()
    given.model.path = str(find("smollm2"))
    given.n_ctx, given.n_parallel, given.port = 2048, 1, 0
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(given)
    yield server.listening_address
    del server

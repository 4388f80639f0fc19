"""``maskwright serve`` in a process of its own, as people start it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

__all__ = ["Serving", "serving"]

_ROOT: Final = Path(__file__).parents[2]
_READY: Final = re.compile(r"ready on (http://\S+)")
#: Seconds until a server must be ready, and must have ended after a signal. The cores are shared.
_PATIENCE: Final = 60


class Serving:
    """A process that serves. Its standard error is read as it comes, so it never blocks."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        path = {"PYTHONPATH": os.pathsep.join(map(str, (_ROOT / "src", _ROOT)))}
        command = [sys.executable, "-m", "maskwright", "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **threads, **path, **environment},
        )
        self.lines: list[str] = []
        self.url = ""
        self._is_told = threading.Event()
        assert self.process.stderr is not None
        self._reader = threading.Thread(target=self._read, args=(self.process.stderr,))
        self._reader.start()

    def await_ready(self) -> None:
        """Wait for the line that tells the URL."""
        assert self._is_told.wait(_PATIENCE), self.lines
        assert self.url, self.lines

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rsplit(":", 1)[1])

    @property
    def said(self) -> str:
        """Its standard error so far."""
        return "\n".join(self.lines)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """The exit code; a process that does not end is killed, and the test fails."""
        try:
            return self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self._reader.join(_PATIENCE)

    def close(self) -> None:
        """End it whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        if self.process.stderr is not None:
            self.process.stderr.close()

    def memory(self) -> int:
        """Resident bytes (Linux)."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            self.lines.append(line.decode().rstrip())
            found = _READY.search(self.lines[-1])
            if found:
                self.url = found[1]
                self._is_told.set()
        self._is_told.set()


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Serving]:
    """A server that is ready, and ended at the end."""
    server = Serving(*arguments, **environment)
    try:
        server.await_ready()
        yield server
    finally:
        server.close()


def eventually(holds: object, seconds: float = 10.0) -> bool:
    """Whether something callable comes true in time."""
    assert callable(holds)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return False

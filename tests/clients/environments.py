"""Virtual environments with the real client packages: made once, kept in the cache folder of the tests' vocabularies.

They are apart from the environment of the tests, since two of them do not go together (instructor 1.17 pins what
openai 3.57 has newer), and what is installed for a test must not change what is tested.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

__all__ = ["interpreter"]

#: Environment -> what is installed there. Lower bounds only: the newest releases are what people use.
PACKAGES: Final = {
    "apart": ("instructor>=1.17", "pydantic>=2.9"),
    "together": (
        "cerebras-cloud-sdk>=1.91",
        "langchain-openai>=1.7",
        "litellm>=1.100",
        "openai>=3.57",
        "pydantic-ai-slim[openai]>=2.60",
    ),
}
#: What pip says where there is no way to a registry.
_UNREACHABLE: Final = ("No matching distribution", "Connection", "Temporary failure", "Max retries", "timed out")


def interpreter(name: str) -> Path:
    """Return the Python of an environment, made at the first call (30 s); the test is skipped without a registry."""
    packages = PACKAGES[name]
    digest = sha256("\n".join((sys.version, *packages)).encode()).hexdigest()[:12]
    folder = _folder() / f"{name}-{digest}"
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            venv.create(folder, with_pip=True, clear=True)
            command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            if ended.returncode:
                report = ended.stdout + ended.stderr
                if any(sign in report for sign in _UNREACHABLE):
                    pytest.skip(f"no way to the registry of {', '.join(packages)}: {report.strip()[-300:]}")
                raise AssertionError(f"{packages} cannot be installed:\n{report}")
            (folder / "complete").touch()
    return python


def _folder() -> Path:
    return Path(os.environ.get("MASKWRIGHT_CACHE") or Path.home() / ".cache/maskwright/tests") / "clients"

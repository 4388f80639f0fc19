"""The front door: what ``import maskwright`` gives and what it costs."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import metadata

import pytest

import maskwright as mw
from maskwright import errors

#: Packages that only adapters need; each takes between 0.05 and 3 seconds to import.
HEAVY = ("httpx", "hypothesis", "jsonschema", "lark", "pydantic", "tiktoken", "tokenizers", "torch", "transformers")


def test_every_public_name_exists_and_is_documented() -> None:
    """``__all__`` holds at most 22 names, in order; each exists and has a docstring that says something."""
    assert len(mw.__all__) <= 22
    assert list(mw.__all__) == sorted(mw.__all__)
    for name in mw.__all__:
        assert len(getattr(mw, name).__doc__ or "") > 20, name


def test_the_example_of_the_package_runs() -> None:
    """The first thing that ``help(maskwright)`` shows does what it says."""
    result = doctest.testmod(mw)
    assert result.attempted > 0
    assert result.failed == 0


def test_nothing_else_is_public() -> None:
    """A name without underscore that is no submodule stands in ``__all__``."""
    names = {name for name in vars(mw) if not name.startswith("_")}
    modules = {name for name in names if f"maskwright.{name}" in sys.modules}
    assert names - modules - {"annotations"} <= set(mw.__all__)


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name.endswith("Error")])
def test_errors_are_one_tree(name: str) -> None:
    """Whoever catches ``MaskwrightError`` catches everything that the package raises on purpose."""
    error = getattr(errors, name)
    assert issubclass(error, mw.MaskwrightError)
    assert f" {name} " in f"{errors.__doc__} ".replace("\n", " \n"), "the docstring of errors.py draws the tree"


def test_import_is_light() -> None:
    """``import maskwright`` loads none of the packages that adapters need."""
    program = f"import sys, maskwright; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version_is_that_of_the_distribution() -> None:
    """``__version__`` and the metadata agree, where the package is installed and not only on the path."""
    try:
        installed = metadata.version("maskwright")
    except metadata.PackageNotFoundError:
        pytest.skip("not installed")
    assert mw.__version__ == installed

"""How many threads numpy's linear algebra uses in this process.

OpenBLAS reads its environment variable when numpy is loaded, which is before any command runs, so its setter is called
instead. One thread is the default of the commands: on cores that others use, the threads of OpenBLAS wait for each
other in loops, and a token takes ten times as long.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

import numpy as np

__all__ = ["limit_threads"]

#: Where numpy's wheels put the library, beside or inside the package.
_FOLDERS: Final = ("../numpy.libs", ".libs", ".dylibs")
_SETTERS: Final = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def limit_threads(count: int) -> bool:
    """Let OpenBLAS use ``count`` threads; return whether it was found. Other libraries keep their own settings."""
    package = Path(np.__file__).parent
    for library in (file for folder in _FOLDERS for file in (package / folder).glob("*openblas*")):
        try:
            loaded = ctypes.CDLL(str(library))
        except OSError:
            continue
        for name in _SETTERS:
            setter = getattr(loaded, name, None)
            if setter is not None:
                setter(ctypes.c_int(count))
                return True
    return False

"""Warnings of ``re`` that are no concern of a caller: ``Possible set difference`` for ``/[a--b]/``.

``re._parser`` warns of what sets may mean in a later Python. It is run by ``lark`` and by us on patterns of a grammar's
author; the one who compiles the grammar, maybe with warnings as errors, can do nothing about it. Filters belong to the
whole process and ``warnings.catch_warnings`` is not safe between threads, so this is done only for grammars in which
two such characters stand side by side, by one thread at a time.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from maskwright.forks import guarded_lock

__all__ = ["silence"]

_DOUBLED: Final = re.compile(r"--|&&|~~|\|\||\[\^?\[")
_LOCK: Final = guarded_lock()


@contextmanager
def silence(text: object, *, has_imports: bool) -> Iterator[None]:
    """Read a grammar without such warnings; ``has_imports``: other files than those of libraries may be read too."""
    if not has_imports and (not isinstance(text, str) or _DOUBLED.search(text) is None):
        yield
        return
    with _LOCK, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Possible (nested )?set", FutureWarning)
        yield

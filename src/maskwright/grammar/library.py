"""The library of grammars: Lark files that ship with the package, for use as they are or as a model for others.

The files stand in the top-level folder ``grammars`` of the sources and are installed as ``maskwright.grammars``. A Lark
grammar imports from them by name: ``%import iso_date.start -> date``.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple

from maskwright.errors import PolicyError

__all__ = ["GRAMMARS", "Entry", "read"]


class Entry(NamedTuple):
    """How a grammar of the library is meant to be read."""

    #: What it describes, in a few words.
    title: str
    #: ``"contextual"`` (Lark's default) or ``"exact"``.
    lexer: str
    #: The rule to start with.
    start: str = "start"


#: By name; the file is ``<name>.lark``.
GRAMMARS: Final[dict[str, Entry]] = {
    "arithmetic": Entry("arithmetic over decimal numbers", "contextual"),
    "csv": Entry("comma-separated values (RFC 4180)", "exact"),
    "expression": Entry("expressions like Python's", "contextual"),
    "gbnf": Entry("GBNF, the grammar notation of llama.cpp", "exact"),
    "iso_date": Entry("dates that exist (ISO 8601)", "exact"),
    "json": Entry("JSON (RFC 8259) and the roots of grammar_root", "exact", "value"),
    "lark": Entry("Lark's own notation", "contextual"),
    "sql": Entry("one SELECT of SQL", "contextual"),
}


def read(name: str) -> str:
    """The text of a grammar of the library, for :func:`maskwright.lark` with the lexer of its :class:`Entry`.

    Raises:
        PolicyError: there is no grammar of that name; the error lists those that exist.
    """
    if name not in GRAMMARS:
        raise PolicyError(f"there is no grammar {name!r} in the library, but {', '.join(GRAMMARS)}")
    return _folder().joinpath(f"{name}.lark").read_text("utf-8")


def _folder() -> Traversable:
    try:
        return resources.files("maskwright.grammars")
    except ModuleNotFoundError:
        # Sources that are on the path without being installed.
        return Path(__file__).parents[3] / "grammars"

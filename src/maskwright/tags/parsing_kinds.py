"""What a text without quotes is: a string, or JSON of a kind that may stand in its place.

One rule for masks and readers: where a parameter may be a string or something else, a text that reads as JSON of a kind
that it may be is that, so a string cannot be written that way. Other strings need no quotes.
"""

from __future__ import annotations

from typing import Any, Final

from maskwright.errors import OutputError
from maskwright.limits import Limits
from maskwright.network.lexeme import ANYTHING, Term, characters, concatenate, literal, repeat, unite, words
from maskwright.regex.compile import full_term
from maskwright.schema.residual import FALSE
from maskwright.schema.shape import FALSE_LITERAL, NULL_LITERAL, TRUE_LITERAL, Shape
from maskwright.tags.partial import partial_json

__all__ = ["OPENING", "kind_of", "kinds_of", "read_as_json", "value_of"]

#: The kinds that begin with a bracket, which tells them from everything else at once.
OPENING: Final = {"array": "[", "object": "{"}
_LITERALS: Final = ((NULL_LITERAL, "null"), (TRUE_LITERAL, "true"), (FALSE_LITERAL, "false"))
_BLANKS: Final = repeat(characters([(0x20, 0x20), (0x09, 0x0A), (0x0D, 0x0D)]))
_NUMBER: Final = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?"


def kinds_of(shape: Shape) -> frozenset[str]:
    """The kinds of values but strings that a shape may admit: ``null``, ``true``, ``false``, ``number`` ..."""
    found = {name for bit, name in _LITERALS if shape.literals & bit}
    if shape.numbers:
        found.add("number")
    if shape.array is not FALSE:
        found.add("array")
    if shape.object is not FALSE:
        found.add("object")
    return frozenset(found)


def read_as_json(kinds: frozenset[str], limits: Limits) -> Term:
    """The text term of all that is no string where these kinds may stand too."""
    whole = [words(sorted(kinds & {"null", "true", "false"}))] if kinds & {"null", "true", "false"} else []
    if "number" in kinds:
        whole.append(full_term(_NUMBER, dialect="python", limits=limits))
    begun = [concatenate(_BLANKS, literal(mark), ANYTHING) for kind, mark in sorted(OPENING.items()) if kind in kinds]
    return unite(concatenate(_BLANKS, unite(*whole), _BLANKS), *begun)


def kind_of(value: Any) -> str:
    """The kind of a JSON value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "number"


def value_of(text: str, kinds: frozenset[str] | None, numbers: str) -> Any:
    """The value of a text without quotes; ``kinds`` may stand there, ``None`` if that is not known."""
    try:
        read = partial_json(f"{text} ", numbers=numbers, unique_keys=True)
    except OutputError:
        return text
    kind = kind_of(read.value)
    is_json = read.is_complete and kind != "string" and (kinds is None or kind in kinds)
    return read.value if is_json else text

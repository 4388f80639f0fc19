"""The errors of Maskwright: one tree, every leaf with a place, a reason and a remedy.

::

    MaskwrightError
    ├── ConstraintError            the constraint cannot be compiled; ``problems`` lists every reason
    │   ├── SchemaError            the text is not JSON, or the value is not a JSON Schema
    │   ├── UnsupportedError       a keyword, dialect or construct that is not enforced yet
    │   ├── UnsatisfiableError     no output can meet the constraint
    │   ├── PatternError           a regular expression that cannot be read (message with carets)
    │   ├── GrammarError           a grammar text that cannot be read (line, column, caret)
    │   └── LimitError             a number of :class:`maskwright.Limits` was exceeded
    ├── PolicyError                an argument of a constructor has no meaning
    ├── VocabularyError            the tokens, ids or files of a vocabulary do not fit together
    │   └── UnspellableError       no token sequence of this vocabulary can write the constraint
    ├── TokenError                 a token or byte that the matcher cannot accept here
    ├── OutputError                a text that was generated and cannot be read as what it should be
    ├── ModelError                 weights that are missing, damaged or of an unknown architecture
    └── InputError                 a file or argument of the command line cannot be used
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ConstraintError",
    "GrammarError",
    "InputError",
    "LimitError",
    "MaskwrightError",
    "ModelError",
    "OutputError",
    "PatternError",
    "PolicyError",
    "Problem",
    "SchemaError",
    "TokenError",
    "UnsatisfiableError",
    "UnspellableError",
    "UnsupportedError",
    "VocabularyError",
    "excerpt",
    "label",
]


def excerpt(value: object, most: int = 60) -> str:
    """The beginning of a foreign value as Python writes it, for messages; its type where Python cannot write it.

    ``repr`` raises for whole numbers of more than 4,300 digits, for deep nesting, and for whatever classes raise.
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (a foreign class may raise anything)
        text = f"<{type(value).__name__}>"
    return text[:most]


def label(key: object) -> str:
    """A foreign key as it stands in places and lists: the string that it should be, or an excerpt of what it is."""
    return key if isinstance(key, str) else excerpt(key)


@dataclass(frozen=True)
class Problem:
    """One reason why a constraint is refused."""

    reason: str
    #: Where: a JSON pointer into the schema (``#/properties/a``), or ``line:column`` of a text; ``""`` if nowhere.
    place: str = ""
    #: The keyword or construct at fault, ``""`` if none.
    keyword: str = ""
    #: What to do about it, ``""`` if nothing can be advised.
    remedy: str = ""

    def __str__(self) -> str:
        """One line: place, reason, remedy."""
        at = f"{self.place}: " if self.place else ""
        advice = f" ({self.remedy})" if self.remedy else ""
        return f"{at}{self.reason}{advice}"


class MaskwrightError(Exception):
    """Base of every error that this package raises on purpose."""


class ConstraintError(MaskwrightError):
    """A constraint that cannot be compiled.

    ``problems`` holds every reason that was found, in the order of their places; the message shows them all.
    """

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem, ...] = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class SchemaError(ConstraintError):
    """The text is not JSON, or the value is not a JSON Schema."""


class UnsupportedError(ConstraintError):
    """The constraint uses something that Maskwright does not enforce; it is never silently dropped."""


class UnsatisfiableError(ConstraintError):
    """No output can meet the constraint."""


class PatternError(ConstraintError):
    """A regular expression that cannot be read or compiled."""


class GrammarError(ConstraintError):
    """A grammar text that cannot be read or compiled."""


class LimitError(ConstraintError):
    """A number of :class:`maskwright.Limits` was exceeded."""


class PolicyError(MaskwrightError):
    """An argument of a constructor has no meaning."""


class VocabularyError(MaskwrightError):
    """The tokens, ids or files of a vocabulary do not fit together."""


class UnspellableError(VocabularyError):
    """No token sequence of this vocabulary can write an output that the constraint allows."""


class TokenError(MaskwrightError):
    """A token or byte that the matcher cannot accept here; the matcher is unchanged."""


class OutputError(MaskwrightError):
    """A text that was generated and cannot be read as what it should be; what was read before it went wrong is kept."""

    def __init__(self, reason: str, *, offset: int, line: int, column: int, parsed: object = None) -> None:
        super().__init__(f"{line}:{column}: {reason}")
        self.reason = reason
        #: Characters before the wrong one; the length of the text if it ended too early.
        self.offset = offset
        #: Line and column of the wrong character, from 1.
        self.line = line
        self.column = column
        #: What was read before: what the function or method that raised it would have returned.
        self.parsed = parsed


class ModelError(MaskwrightError):
    """Weights that are missing, damaged or of an unknown architecture."""


class InputError(MaskwrightError):
    """A file or argument of the command line cannot be used."""

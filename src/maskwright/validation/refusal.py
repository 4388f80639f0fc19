"""Refusals: what is said of a text at its first wrong byte."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["Refusal"]


@dataclass(frozen=True)
class Refusal:
    """Why a text is refused: all before ``offset`` begins some valid text, with the byte there nothing does."""

    #: Bytes before the wrong one; the length of the text if it ended too early.
    offset: int
    #: Line and column of the wrong byte, from 1; columns count characters, also the one the byte belongs to.
    line: int
    column: int
    #: JSON pointer (RFC 6901) of the value, object or array at which the text went wrong; ``""`` is the whole.
    pointer: str
    #: What stands there, in words: ```}```, ``byte 0xff``, ``the end of the text``.
    found: str
    #: What could have stood there, in words.
    expected: str
    #: Why not, in words.
    reason: str
    #: JSON pointers of the keywords of the schema that forbid it, as far as they are known.
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line."""
        where = f"{self.line}:{self.column}: {self.pointer}" if self.pointer else f"{self.line}:{self.column}"
        return f"{where}: {self.reason}; found {self.found}, expected {self.expected}"

    def as_dict(self) -> dict[str, object]:
        """Field to value, ready for JSON."""
        return {**asdict(self), "places": list(self.places)}

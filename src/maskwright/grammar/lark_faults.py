"""What the ``lark`` package raises, as errors of ours: with line, column and a caret in the caller's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from maskwright.errors import ConstraintError, LimitError, Problem
from maskwright.grammar.lark_pieces import MARK
from maskwright.grammar.lark_text import Extension, Rewritten

__all__ = ["Guard", "without_marks"]

_MARKED: Final = re.compile(f"{MARK}([0-9]+)")
_AT_LINE: Final = re.compile(r",? at line .*", re.DOTALL)
_NAMES: Final = re.compile(r"'([A-Za-z_][A-Za-z_0-9]*)'|([A-Za-z_][A-Za-z_0-9]*)")
#: How Lark shows a symbol.
_SYMBOL: Final = re.compile(r"(?:Non)?Terminal\('([^']*)'\)")
_TOO_DEEP: Final = Problem(
    "groups, names or imports lie too deeply within each other",
    keyword="lark",
    remedy="give inner groups names; files must not import each other in a circle",
)
#: Lines of a message of Lark's that are kept.
_LINES: Final = 4


def without_marks(text: str, entries: Sequence[Extension]) -> str:
    """A text with extensions as the caller wrote them."""

    def written(match: re.Match[str]) -> str:
        number = int(match.group(1))
        return entries[number].source if number < len(entries) else match.group()

    return _MARKED.sub(written, text)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and all that it was raised for."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


class Guard:
    """Calls Lark for one text; ``entries`` are its extensions, and may still grow."""

    def __init__(self, rewritten: Rewritten, entries: Sequence[Extension]) -> None:
        self.rewritten, self.entries = rewritten, entries

    def __call__(self, call: Callable[[], Any]) -> Any:
        """What the call returns; whatever it raises becomes a :class:`ConstraintError`."""
        try:
            return call()
        except (ConstraintError, MemoryError):
            raise
        except RecursionError as error:
            raise LimitError(_TOO_DEEP) from error
        except Exception as error:
            if any(isinstance(cause, RecursionError) for cause in _causes(error)):
                raise LimitError(_TOO_DEEP) from error
            raise self._translated(error) from error

    def _translated(self, error: Exception) -> ConstraintError:
        """Our error for one of Lark's, with a place where there is one."""
        unexpected = next((e for e in (error, error.__context__) if hasattr(e, "pos_in_stream")), None)
        if unexpected is not None:
            return self._misplaced(str(error), unexpected)
        error = getattr(error, "orig_exc", error)
        message = _SYMBOL.sub(r"'\1'", without_marks(str(error), self.entries))
        lines = [line for line in message.splitlines() if line.strip()]
        reason = "\n".join(lines[:_LINES]) or f"Lark refuses the grammar ({type(error).__name__})"
        found = _NAMES.findall(message)
        names = [quoted for quoted, _ in found if quoted] + [plain for _, plain in found if plain]
        name = next((name for name in names if name in self.rewritten.names), "")
        return self.rewritten.named_fault(name, reason[:1].lower() + reason[1:])

    def _misplaced(self, message: str, unexpected: Any) -> ConstraintError:
        """The error for a character or symbol that cannot stand where it stands."""
        token = getattr(unexpected, "token", None)
        start = unexpected.pos_in_stream or 0
        first, last = self.rewritten.offset(start), self.rewritten.offset(start + len(token or " "))
        if getattr(token, "type", "") == "$END":
            first = last = len(self.rewritten.original)
        if message.startswith("Unexpected"):
            piece = self.rewritten.original[first:last].split("\n")[0].strip()
            reason = f"unexpected {piece}" if piece else "unexpected end of the line"
        else:
            reason = _AT_LINE.sub("", message)
            reason = reason[:1].lower() + reason[1:]
        return self.rewritten.fault((first, max(last, first + 1)), reason)

"""Control tokens by their names: finding them in text that a template wrote, and hiding them in text that it did not.

Templates write control tokens as text, ``<|im_end|>``, between the texts of the messages. If a message holds such a
text itself it must stay text. So every string of a conversation is *guarded* before a template sees it: a character
that no text should have is put into each name of a control token. What still is a name after the template ran was
written by the template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

__all__ = ["END", "Marks", "Piece", "alternatives"]

#: A text, or the id of a control token.
Piece = str | int

#: Four of the code points that Unicode keeps for a program's own use inside itself, U+FDD0 to U+FDEF.
_GUARD: Final = "\ufdd0"
_QUOTE: Final = "\ufdd1"
#: Stands where a conversation is cut off; strings that are guarded never hold it.
END: Final = "\ufdd2"
#: How each of them is written where a message holds it.
_QUOTED: Final = {code: f"{_QUOTE}{index}" for index, code in enumerate((_GUARD, _QUOTE, END))}
_OWN: Final = re.compile(f"[{_GUARD}{_QUOTE}{END}]")
_GUARDED: Final = re.compile(f"{_GUARD}|{_QUOTE}([012])")


class Marks:
    """The names of control tokens. Frozen."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = {name: number for name, number in ids.items() if name and not _OWN.search(name)}
        self._pattern = re.compile(alternatives(sorted(self._ids)))
        self._longest = max(map(len, self._ids), default=0)
        self._begins = {name[:size] for name in self._ids for size in range(1, len(name))}
        self._ends = {name[size:] for name in self._ids for size in range(1, len(name))}

    def guard(self, text: str) -> str:
        """Return a text without any name, nor the beginning or end of one where a template's text adjoins.

        Linear in its length: names are found by a pattern that shares their beginnings. :meth:`split` undoes it.
        """
        text = _OWN.sub(lambda found: _QUOTED[found.group()], text)
        text = self._pattern.sub(lambda found: found.group()[0] + _GUARD + found.group()[1:], text)
        sizes = range(1, min(self._longest, len(text) + 1))
        before = any(text[:size] in self._ends for size in sizes)
        after = any(text[-size:] in self._begins for size in sizes)
        return _GUARD * before + text + _GUARD * after

    def split(self, text: str) -> list[Piece]:
        """Cut a text that a template wrote at the names in it, and unguard what lies between."""
        pieces: list[Piece] = []
        at = 0
        for found in self._pattern.finditer(text):
            pieces += _texts(text[at : found.start()])
            pieces.append(self._ids[found.group()])
            at = found.end()
        pieces += _texts(text[at:])
        return pieces


def _texts(text: str) -> Iterator[str]:
    plain = _GUARDED.sub(lambda found: (_GUARD, _QUOTE, END)[int(found[1])] if found[1] else "", text)
    if plain:
        yield plain


def alternatives(names: Sequence[str]) -> str:
    """A pattern for names, which are sorted: the longest first where one begins another; each beginning occurs once.

    A plain alternation of thousands of names (Gemma has 6,400) is tried one by one at every character. What is left of
    names is cut at their common beginning, so the depth is at most the length of a name.
    """
    if not names:
        return "(?!)"
    parts = []
    for _, same in groupby(names, key=lambda name: name[:1]):
        group = list(same)
        if len(group) == 1:
            parts.append(re.escape(group[0]))
            continue
        shared = _shared(group[0], group[-1])
        rest = [name[len(shared) :] for name in group]
        end = "?" if "" in rest else ""
        parts.append(f"{re.escape(shared)}(?:{alternatives([name for name in rest if name])}){end}")
    return "|".join(parts)


def _shared(first: str, last: str) -> str:
    """What two texts begin with; of sorted texts, the first and last share what all do."""
    sizes = range(min(len(first), len(last)) + 1)
    return first[: max(size for size in sizes if first[:size] == last[:size])]

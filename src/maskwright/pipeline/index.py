"""Which rows are done, for millions of them: eight bytes a row."""

from __future__ import annotations

from array import array
from typing import Final

__all__ = ["RowIndex"]

#: Rows of a page. Rows that are done are nearly all neighbours, so hardly a page is half empty.
_PAGE: Final = 4096


class RowIndex:
    """A map from row numbers to numbers of 63 bits.

    In pages, so that one stray row number costs 32 kB and not its own size.
    """

    def __init__(self) -> None:
        #: ``_pages[n // _PAGE][n % _PAGE]`` is what row n has plus one, 0 if it has nothing.
        self._pages: dict[int, array[int]] = {}
        self._count = 0
        #: The greatest row, 0 if there is none.
        self.last = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: int) -> bool:
        return self.get(row) is not None

    def get(self, row: int) -> int | None:
        """Return the number of a row, ``None`` if it has none."""
        page = self._pages.get(row // _PAGE)
        stored = page[row % _PAGE] if page else 0
        return stored - 1 if stored else None

    def add(self, row: int, number: int) -> bool:
        """Note the number of a row; return False, and change nothing, if it has one already."""
        page = self._pages.get(row // _PAGE)
        if page is None:
            page = self._pages[row // _PAGE] = array("Q", bytes(8 * _PAGE))
        place = row % _PAGE
        if page[place]:
            return False
        page[place] = number + 1
        self._count += 1
        self.last = max(self.last, row)
        return True

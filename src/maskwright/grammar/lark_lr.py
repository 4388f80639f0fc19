"""Lark's LALR tables, and stacks of their states as shared cells.

A *cell* is the top of a stack and the cell below it; equal stacks are the same cell, so a stack is a cheap key, and
what is known of it is found again. Which terminals a stack can take is one number with a bit for each: all terminals on
which a state reduces by the same rule are followed together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["END", "Cell", "Stacks", "Table"]

#: The number of the terminal that ends the text.
END: Final = 0
#: Cells that are found again; beyond, equal stacks may be different cells, which costs memory and nothing else.
_CELLS: Final = 500_000


@dataclass(frozen=True, eq=False)
class Table:
    """LALR actions by state, conflicts resolved as Lark resolves them."""

    #: Names of terminals by number; END is the first.
    names: tuple[str, ...]
    #: ``shifts[state][terminal]``: the state after it.
    shifts: Sequence[Mapping[int, int]]
    #: ``reduces[state]``: (symbols of the rule, its origin, terminals as bits).
    reduces: Sequence[Sequence[tuple[int, str, int]]]
    #: ``gotos[state][origin]``: the state after a rule was reduced.
    gotos: Sequence[Mapping[str, int]]
    start: int
    end: int


class Cell:
    """A stack of states; compared by identity."""

    __slots__ = ("below", "depth", "state", "takes")

    def __init__(self, state: int, below: Cell | None) -> None:
        self.state = state
        self.below = below
        self.depth: int = 1 if below is None else below.depth + 1
        #: Terminals that can be read, as bits; -1 until asked for.
        self.takes = -1


class Stacks:
    """The cells of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._cells: dict[tuple[int, Cell], Cell] = {}
        self._shifts: dict[tuple[Cell, int], Cell | None] = {}
        self.root = Cell(table.start, None)
        self._shifted = [sum(1 << terminal for terminal in shifts) for shifts in table.shifts]
        #: The one thing to do in a state that reads no terminal.
        self._only = [
            reduces[0][:2] if len(reduces) == 1 and not shifts and state != table.end else None
            for state, (shifts, reduces) in enumerate(zip(table.shifts, table.reduces, strict=True))
        ]
        #: Reductions in a row that only make a stack higher: more than all states, and they would never end.
        self._rise = len(table.shifts) + 1

    def push(self, state: int, below: Cell) -> Cell:
        """The stack with one more state."""
        key = (state, below)
        found = self._cells.get(key)
        if found is None:
            if len(self._cells) >= _CELLS:
                self._cells.clear()
            found = self._cells[key] = Cell(state, below)
        return found

    def reduce(self, cell: Cell, size: int, origin: str) -> Cell | None:
        """The stack after a rule was reduced; None if its origin cannot stand there."""
        at: Cell | None = cell
        for _ in range(size):
            at = at.below if at is not None else None
        if at is None:
            return None
        state = self.table.gotos[at.state].get(origin)
        return None if state is None else self.push(state, at)

    def settle(self, cell: Cell) -> Cell:
        """The stack after what the parser does next whatever follows: then different ways to it are one.

        What may follow is what the first stack could take, which the caller knows.
        """
        at = cell
        for _ in range(2 * self._rise):
            only = self._only[at.state]
            then = self.reduce(at, *only) if only is not None else None
            if then is None:
                return at
            at = then
        return cell

    def takes(self, cell: Cell) -> int:
        """The terminals that a stack can take, END among them, as bits."""
        if cell.takes >= 0:
            return cell.takes
        todo = [cell]
        begun = {cell}
        lowest = cell.depth
        while todo:
            at = todo[-1]
            if at.takes >= 0:
                todo.pop()
                continue
            found = self._shifted[at.state] | (1 << END if at.state == self.table.end else 0)
            waiting = []
            for size, origin, mask in self.table.reduces[at.state]:
                then = self.reduce(at, size, origin)
                if then is None:
                    continue
                if then.takes >= 0:
                    found |= then.takes & mask
                elif then in begun or then.depth > lowest + self._rise:
                    found |= self._one_by_one(then, mask)
                else:
                    waiting.append(then)
            if waiting:
                todo.extend(waiting)
                begun.update(waiting)
                lowest = min(lowest, *(then.depth for then in waiting))
            else:
                at.takes = found
                todo.pop()
        return cell.takes

    def _one_by_one(self, cell: Cell, mask: int) -> int:
        """The same where reductions come back to where they began."""
        found = 0
        while mask:
            bit = mask & -mask
            mask ^= bit
            if self.shift(cell, bit.bit_length() - 1) is not None:
                found |= bit
        return found

    def shift(self, cell: Cell, terminal: int) -> Cell | None:
        """The stack after a terminal (after END: the one that accepts); None if it is refused, or never decided.

        What was found is kept for every stack on the way: the elements of a right-recursive list are reduced one by
        one, and each further element would reduce all of them again.
        """
        key = (cell, terminal)
        if key in self._shifts:
            return self._shifts[key]
        way: dict[Cell, None] = {}
        lowest = cell.depth
        found: Cell | None = None
        at: Cell | None = cell
        while at is not None and at not in way and at.depth <= lowest + self._rise:
            way[at] = None
            lowest = min(lowest, at.depth)
            if (at, terminal) in self._shifts:
                found = self._shifts[at, terminal]
                break
            if terminal == END and at.state == self.table.end:
                found = at
                break
            state = self.table.shifts[at.state].get(terminal)
            if state is not None:
                found = self.push(state, at)
                break
            at = self._reduced(at, terminal)
        if len(self._shifts) >= _CELLS:
            self._shifts.clear()
        self._shifts.update(((on, terminal), found) for on in way)
        return found

    def _reduced(self, cell: Cell, terminal: int) -> Cell | None:
        for size, origin, mask in self.table.reduces[cell.state]:
            if mask >> terminal & 1:
                return self.reduce(cell, size, origin)
        return None

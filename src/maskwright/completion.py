"""Completion: the shortest text that brings an output to its end.

What a configuration costs is computed on the network (:mod:`maskwright.kernel.costs`), where a captured string is not
known: a key that may not come twice can stand twice in such a text. So the text is read before it is given out. If it
is refused the captured strings are made one by one, each in the place where the ones before it are known; and where
that is longer than the network promised, a search over real configurations looks for what is shorter (A*, with the
costs of the network as its lower bound; Hart, Nilsson and Raphael 1968).
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final
from weakref import proxy

from maskwright.engine import ENDED, Engine, Generation, Source, Written
from maskwright.errors import LimitError, Problem
from maskwright.kernel.costs import NO_END, Costs, bytes_of, captures, captures_of
from maskwright.kernel.walk import REFUSED
from maskwright.patience import LateError, rest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Completion", "completion_of"]

#: Configurations that the search for something shorter may enter.
_SEARCHED: Final = 5_000


class Completion:
    """Costs and shortest texts of the configurations of one generation; called under the engine's lock."""

    def __init__(self, engine: Engine, generation: Generation) -> None:
        """Start with nothing known."""
        limits = engine.limits
        # The engine holds the generation, and that holds this: no cycles, which the collector would have to find.
        self.engine: Engine = proxy(engine)
        self.walker = generation.walker
        enough: Callable[[Hashable], int] = getattr(engine.constraint.network, "enough", _all_words)
        self.costs = Costs(
            self.walker.closures, self.walker.trie, enough, limits.satisfiability_steps, limits.emptiness_states
        )
        #: ``best[configuration]``: its weight, and the item that has it.
        self.best: dict[int, tuple[int, tuple[int, int, int]]] = {}
        #: Which limit was exceeded last.
        self.cause: LimitError | None = None

    def weight(self, configuration: int) -> int:
        """The weight of the shortest completion as far as the network knows it: never too many bytes.

        ``NO_END`` if none is found within the limits.
        """
        return 0 if configuration == ENDED else self._best(configuration)[0]

    def _best(self, configuration: int) -> tuple[int, tuple[int, int, int]]:
        found = self.best.get(configuration)
        if found is None:
            found = self.best[configuration] = self._least(self.walker.configurations[configuration])
        return found

    def _least(self, items: tuple[tuple[int, int, int], ...]) -> tuple[int, tuple[int, int, int]]:
        """The item with the least weight; one that goes beyond the limits has no way to the end."""
        found = []
        for item in items:
            try:
                found.append((self.costs.item(*item), item))
            except LateError:
                raise
            except LimitError as error:
                self.cause = error
                found.append((NO_END, item))
        return min(found)

    def promised(self, configuration: int) -> bytes:
        """The text of that weight; it may repeat a captured string that may not be repeated."""
        if configuration == ENDED or self.walker.accepting[configuration]:
            return b""
        weight, item = self._best(configuration)
        if weight >= NO_END and self.cause is not None:
            raise self.cause
        return self.costs.text(*item)

    def text(self, configuration: int, source: Source) -> bytes:
        """The shortest completion.

        Raises:
            LimitError: it is not found within the limits.
        """
        promised = self.promised(configuration)
        if self._is_complete(configuration, promised, source):
            return promised
        made = self._one_by_one(configuration, source)
        if made is not None and len(made) == len(promised):
            return made
        try:
            found = self._search(configuration, source, None if made is None else len(made))
        except LateError:
            if made is None:
                raise
            found = None
        if found is None:
            found = made
        if found is None:
            raise LimitError(Problem("no completion is found", remedy="write more of the output first"))
        return found

    def valid_text(self, configuration: int, source: Source) -> bytes | None:
        """A completion that is short, and the shortest where no string is captured twice; None if none is seen."""
        promised = self.promised(configuration)
        if captures_of(self.weight(configuration)) == 0 or self._is_complete(configuration, promised, source):
            return promised
        return self._one_by_one(configuration, source)

    def _is_complete(self, configuration: int, text: bytes, source: Source) -> bool:
        after = self.engine.read(configuration, text, source(text))
        return after != REFUSED and self.engine.is_accepting(after)

    def _one_by_one(self, configuration: int, source: Source) -> bytes | None:
        """A completion that is put together up to the end of one captured string after the other."""
        written, at = b"", configuration
        for _ in range(1 + captures_of(self.weight(configuration)) * 4):
            rest = self.promised(at)
            for place in range(len(rest)):
                at = self._read_byte(at, written, rest[place : place + 1], source)
                written += rest[place : place + 1]
                if at == REFUSED:
                    return None
                if self.walker.captured > 0:
                    break
            else:
                return written if self.engine.is_accepting(at) else None
        return None

    def _read_byte(self, at: int, written: bytes, byte: bytes, source: Source) -> int:
        rest()
        return self.engine.read(at, byte, _shifted(source, written, byte))

    def _search(self, configuration: int, source: Source, bound: int | None) -> bytes | None:
        """A completion shorter than ``bound`` bytes; None if there is none, or it is not seen in time."""
        engine = self.engine
        kinds = 2 + captures_of(self.weight(configuration))
        heap = [(bytes_of(self.weight(configuration)), 0, b"", configuration)]
        seen: set[tuple[int, bytes]] = set()
        closures = self.walker.closures
        recalls = any(captures(kind) > 1 for kind in closures.kind[: closures.places])
        while heap and len(seen) < _SEARCHED:
            promise, _, written, at = heappop(heap)
            if bound is not None and promise >= bound:
                return None
            if engine.is_accepting(at):
                return written
            key = (at, written if recalls or self._is_captured(at) else b"")
            if key in seen:
                continue
            seen.add(key)
            alike: dict[int, int] = {}
            for byte in sorted(self.walker.next_bytes(at), key=_taste):
                piece = bytes([byte])
                after = self._read_byte(at, written, piece, source)
                # Captured strings matter by being different, so of bytes that do the same as many suffice.
                alike[after] = alike.get(after, 0) + 1
                if after != REFUSED and alike[after] <= kinds and self.weight(after) < NO_END:
                    text = written + piece
                    heappush(heap, (len(text) + bytes_of(self.weight(after)), -len(text), text, after))
        return None

    def _is_captured(self, configuration: int) -> bool:
        kind = self.walker.closures.kind
        return any(captures(kind[position]) for _, position, _ in self.walker.configurations[configuration])


def completion_of(engine: Engine) -> Completion:
    """What is known of the engine's present generation; called under its lock."""
    now = engine.now
    if now.completion is None:
        now.completion = Completion(engine, now)
    return now.completion  # type: ignore[return-value]


def _all_words(key: Hashable) -> int:
    del key
    return 0


def _shifted(source: Source, written: bytes, piece: bytes) -> Written:
    """What gives the captured string within a piece that follows bytes which are not in the history."""
    return lambda done, *how: source(written + piece)(len(written) + done, *how)


def _taste(byte: int) -> tuple[bool, bool, int]:
    return byte >= 0x80, not chr(byte).isalnum(), byte

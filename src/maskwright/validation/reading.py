"""Bytes read by a constraint, one configuration at a time, without a history."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from functools import lru_cache, partial
from typing import Final

from maskwright.constraint import Constraint
from maskwright.engine import Engine
from maskwright.kernel.walk import REFUSED
from maskwright.network.lexeme import ANYTHING
from maskwright.network.nodes import Network, NodeKey, Production
from maskwright.schema.nodekeys import AtMember
from maskwright.schema.seen import keys_of
from maskwright.validation.leaps import leap, pieces
from maskwright.vocabulary import Vocabulary
from maskwright.written import last_value, opening_quote

__all__ = ["Reading", "byte_engine"]

#: Bytes of the longest token. The kernel follows so many without building a configuration: with one of 1 byte an array
#: of numbers was read at 1.7 MB/s, with 1,024 at 26, with 4,096 at 28.
_LONGEST: Final = 1024
#: Bytes in which the beginning of a string or value is looked for first.
_WINDOW: Final = 256
#: Bytes in which no leap is looked for.
_SHORT: Final = 511
#: Bytes of the longest character: ``\\ud83d\\ude00``.
_SPLIT: Final = 12
#: Sets of keys of one object, of up to 16 and then of twice as many as the one before, that are remembered where the
#: keys could run out.
_REMEMBERED: Final = 20


@lru_cache(maxsize=1)
def _byte_vocabulary() -> Vocabulary:
    """A token for each byte, so that any text is one path, and a long one, which only sizes the kernel's frames."""
    return Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256)), b"x" * _LONGEST], end_ids=[0])


class _Forgetful:
    """A network that does not remember which keys were written where any other key could still come.

    With the set of keys in the name of every node an object of 100,000 keys took 200 s and 4 GB. Whoever reads must
    then refuse a key that comes twice; no answer is another, since the keys that are left never run out.
    """

    def __init__(self, network: Network) -> None:
        self._network = network

    @property
    def root(self) -> NodeKey:
        return self._network.root

    def expand(self, key: NodeKey) -> Iterable[Production]:
        return self._network.expand(key)

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        if isinstance(key, AtMember) and key.cell is not None:
            keys = keys_of(key.seen, key.cell)
            if key.cell.term is ANYTHING or len(keys.few) + len(keys.chunks) > _REMEMBERED:
                return key
        return self._network.realize(key, text)

    def describe(self, key: NodeKey) -> str:
        return self._network.describe(key)


def byte_engine(constraint: Constraint) -> Engine:
    """The engine of a constraint that reads bytes; of an object it lets a key come twice."""
    bare = Constraint(
        constraint.kind,
        _Forgetful(constraint.network),
        rebuild=constraint.__reduce__()[0],
        limits=constraint.limits,
        policies=constraint.policies,
    )
    return Engine(bare, _byte_vocabulary())


class Reading:
    """One text inside a constraint. Holds the generation it began in, so nothing need ever be read again."""

    def __init__(self, engine: Engine) -> None:
        """Start at the beginning; what earlier texts taught beyond the limits is dropped."""
        self._engine = engine
        engine.settle_down()
        self._walker = engine.now.walker
        self._configuration: int = self._walker.root
        self._before = self._configuration

    def read(self, data: bytes, memory: bytes | bytearray = b"") -> int:
        """Read as many bytes as can be read, and return how many.

        ``memory`` is what was read before, as far as what follows depends on it: the string that is open, or more.
        """
        self._before = self._configuration
        with self._engine.lock:
            return len(data) if self._step(data, memory) else self._first(data, bytes(memory))

    def read_again(self, data: bytes, memory: bytes | bytearray) -> None:
        """Take back the last ``read`` and read the beginning of its bytes."""
        self._configuration = self._before
        with self._engine.lock:
            self._step(data, memory)

    def _first(self, data: bytes, memory: bytes) -> int:
        """Halve what is refused; all in all each byte is read twice."""
        good, bad = 0, len(data)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._step(data[good:middle], memory):
                memory += data[good:middle]
                good = middle
            else:
                bad = middle
        return good

    def _step(self, data: bytes, memory: bytes | bytearray) -> bool:
        if len(data) <= _SHORT:
            return self._go(data, memory)
        before, start = self._configuration, 0
        for piece in pieces(data):
            known = bytes(memory) + data[:start] if start else memory
            if not (self._go(piece, known) if len(piece) <= _SHORT else self._run(piece, known)):
                self._configuration = before
                return False
            start += len(piece)
        return True

    def _run(self, data: bytes, memory: bytes | bytearray) -> bool:
        """Bytes without a quote, as many at once as can be; a character that was cut in two is read to its end."""
        place = 0
        for _ in range(_SPLIT):
            self._configuration, size = leap(self._walker, self._configuration, data[place:])
            place += size
            if place == len(data):
                return True
            if len(data) - place < _SPLIT:
                break
            if not self._go(data[place : place + 1], bytes(memory) + data[:place]):
                return False
            place += 1
        return self._go(data[place:], bytes(memory) + data[:place])

    def _go(self, data: bytes, memory: bytes | bytearray) -> bool:
        after: int = self._walker.read(self._configuration, data, partial(_written, memory, data))
        if after == REFUSED:
            return False
        self._configuration = after
        return True

    @property
    def can_end(self) -> bool:
        """Whether the text may end here."""
        return bool(self._walker.accepting[self._configuration])

    @property
    def must_end(self) -> bool:
        """Whether nothing can follow."""
        with self._engine.lock:
            return bool(self._walker.is_final(self._configuration))

    def expected(self) -> tuple[list[int], list[Hashable]]:
        """The bytes that can follow, and the nodes that read them."""
        with self._engine.lock:
            return self._walker.next_bytes(self._configuration), self._walker.nodes(self._configuration)


def _written(memory: bytes | bytearray, data: bytes, done: int, is_value: bool = False) -> str:  # noqa: FBT001, FBT002
    """The string whose literal ends with ``data[:done]``, or the text of the value before the comma that ends it."""
    size = _WINDOW
    while True:
        tail = data[max(done - size, 0) : done]
        if len(tail) < size and memory:
            tail = bytes(memory[max(len(memory) + done - size, 0) :]) + tail
        is_whole = len(tail) < size
        start, stop = (
            last_value(tail, is_whole=is_whole) if is_value else (opening_quote(tail, is_whole=is_whole), len(tail))
        )
        if start >= 0 or is_whole:
            text = tail[max(start, 0) : stop].decode()
            return text if is_value else json.loads(text)
        size *= 8

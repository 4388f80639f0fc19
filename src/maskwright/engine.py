"""The engine of a guide: one network walked over one vocabulary, with everything it has learned.

What was compiled never changes; what is learned lives here and is dropped when it outgrows ``Limits``. Dropping starts
a new *generation*: matchers notice and read their own history again, so nobody holds a stale number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import RLock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.constraint import Constraint
from maskwright.errors import UnsatisfiableError, UnspellableError
from maskwright.kernel.closures import Closures
from maskwright.kernel.covers import Covers
from maskwright.kernel.lexicon import Lexicon
from maskwright.kernel.trie import Trie
from maskwright.kernel.walk import REFUSED, Walker
from maskwright.limits import Limits
from maskwright.network.lexeme import ANYTHING, quote
from maskwright.rehearsal import rehearsals
from maskwright.spelling import USEFUL_BYTES, Spelling
from maskwright.vocabulary import Vocabulary

__all__ = ["ENDED", "Engine", "Mask"]

Mask = NDArray[np.uint32]

#: The configuration after an end token.
ENDED: Final = -2
#: Bounds of ``maxLength`` whose rows are prepared with a vocabulary, 0.1 ms each; the others when first met.
_PREPARED_LENGTHS: Final = 33
#: Rows kept in the covers of a vocabulary (16 KiB each for 128,000 tokens).
_COVER_ROWS: Final = 256


class _Tables:
    """What all guides of a vocabulary share: its trie and covers, and the lexicon of the present generation."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        self.trie = Trie(vocabulary.tokens, range(len(vocabulary.tokens)))
        self.tokens = vocabulary.tokens
        self.width = len(vocabulary)
        self.absent = bytes(sorted(vocabulary.missing_bytes & USEFUL_BYTES))
        self.renew(limits)

    def renew(self, limits: Limits) -> None:
        """Start a new lexicon and prepare what every JSON constraint needs: the body of a string."""
        self.lexicon = Lexicon(limits.emptiness_states, self.absent, 2 * limits.lexeme_states)
        self.covers = Covers(self.trie, self.tokens, self.width, _COVER_ROWS)
        opened = self.lexicon.intern(quote(ANYTHING))
        body = self.lexicon.state(self.lexicon.expressions.second[opened])
        self.covers.strings = body
        self.covers.profile(self.lexicon, body)


def _tables(vocabulary: Vocabulary, limits: Limits) -> _Tables:
    found: _Tables | None = vocabulary._caches.get("tables")  # noqa: SLF001  (the slot is made for the kernel)
    if found is None:
        found = vocabulary._caches.setdefault("tables", _Tables(vocabulary, limits))  # noqa: SLF001
        _rehearse(vocabulary, limits)
    if len(found.lexicon.state_expressions) > limits.lexeme_states:
        found.renew(limits)
    return found


def _rehearse(vocabulary: Vocabulary, limits: Limits) -> None:
    """Write the rehearsed outputs once, as far as the vocabulary can."""
    for constraint, output in rehearsals(limits):
        engine = Engine(constraint, vocabulary)
        configuration = engine.walker.root
        for token in engine.walker.trie.cover(output + b" "):
            engine.mask(configuration)
            configuration = engine.read(configuration, vocabulary.tokens[token], None)
            if configuration == REFUSED:
                break
    profile = engine.walker.covers.profiles[engine.walker.covers.strings]
    for length in range(1, _PREPARED_LENGTHS):
        profile.limit(length)


class Engine:
    """Configurations, transitions and masks; shared by the matchers of a guide, and by threads."""

    def __init__(self, constraint: Constraint, vocabulary: Vocabulary) -> None:
        """Compile as far as the first mask needs.

        Raises:
            UnsatisfiableError: no output meets the constraint.
            UnspellableError: the vocabulary cannot write one.
        """
        self.constraint = constraint
        self.vocabulary = vocabulary
        self.limits = constraint.limits
        #: Guards everything that learns; reading what is known needs no lock.
        self.lock = RLock()
        #: Logits of the model; every id is below.
        self.width = len(vocabulary)
        self.words = (self.width + 31) // 32
        self.end_ids = sorted(vocabulary.end_ids)
        self._end_mask = self._row()
        for token in self.end_ids:
            self._end_mask[token >> 5] |= np.uint32(1 << (token & 31))
        self._end_mask.flags.writeable = False
        self.generation = 0
        self._start()
        if self.walker.root == REFUSED:
            raise UnsatisfiableError("no output meets the constraint")
        if self.spelling is not None and not self.spelling.is_live(self.walker.root):
            raise UnspellableError("no sequence of tokens of this vocabulary spells an output that the constraint allows")

    def _start(self) -> None:
        tables = _tables(self.vocabulary, self.limits)
        network = self.constraint.network
        self.walker = Walker(
            tables.trie,
            tables.covers,
            Closures(tables.lexicon, network.expand, self.limits.stack_depth),
            network.root,
            network.realize,
            self.end_ids,
        )
        #: ``masks[configuration]``: a read-only row.
        self.masks: dict[int, Mask] = {ENDED: self._end_mask}
        self.spelling: Spelling | None = None
        #: ``transitions[configuration << 32 | token]``: steps that matchers may take without asking, REFUSED among them.
        self.transitions: dict[int, int] = self.walker.transitions
        if self.vocabulary.bound_bytes:
            self._check_spelling()

    def _check_spelling(self) -> None:
        """From now on ask of every step whether tokens can spell an ending after it."""
        self.spelling = Spelling(self.walker, self.vocabulary, self.limits)
        self.transitions = {}

    def renew(self) -> None:
        """Drop what was learned if it outgrew its limits; matchers then read their history again."""
        states = len(self.walker.lexicon.state_expressions)
        if states > self.limits.lexeme_states or len(self.walker.configurations) > self.limits.configurations:
            self._start()
            self.generation += 1

    def _row(self) -> Mask:
        return np.zeros(self.words, np.uint32)

    def mask(self, configuration: int) -> Mask:
        """The row of a configuration; computed once."""
        found = self.masks.get(configuration)
        return self._learn_mask(configuration) if found is None else found

    def _learn_mask(self, configuration: int) -> Mask:
        with self.lock:
            if len(self.masks) > self.limits.masks:
                self.masks = {ENDED: self._end_mask}
            row = self._row()
            self.walker.fill(configuration, row)
            if self.spelling is None and self.walker.closures.unspellable:
                self._check_spelling()
            if self.spelling is not None:
                self.spelling.prune(configuration, row)
            row.flags.writeable = False
            self.masks[configuration] = row
            return row

    def advance(self, configuration: int, token: int, source: Callable[[int], str]) -> int:
        """The configuration after an allowed token, REFUSED after any other."""
        if token in self.vocabulary.end_ids:
            ended = configuration == ENDED or self.walker.accepting[configuration]
            return ENDED if ended else REFUSED
        if configuration == ENDED or not 0 <= token < len(self.vocabulary.tokens):
            return REFUSED
        data = self.vocabulary.tokens[token]
        if not data:
            return REFUSED
        with self.lock:
            after: int = self.walker.advance(configuration, token, data, source)
            if after != REFUSED and self.spelling is not None and not self.spelling.is_live(after):
                return REFUSED
            return after

    def read(self, configuration: int, data: bytes, source: Callable[[int], str] | None) -> int:
        """The configuration after raw bytes."""
        if configuration == ENDED:
            return REFUSED if data else ENDED
        with self.lock:
            after: int = self.walker.read(configuration, data, source)
            return after

    def forced_bytes(self, configuration: int) -> bytes:
        """The bytes that every continuation begins with."""
        if configuration == ENDED:
            return b""
        with self.lock:
            forced: bytes = self.walker.forced(configuration)
            return forced

    def forced_tokens(self, configuration: int) -> list[int]:
        """The longest tokens along the forced bytes, up to the first that could also be a longer one."""
        data = self.forced_bytes(configuration)
        if not data:
            return []
        tokens: list[int] = self.walker.trie.cover(data)
        return tokens

    def is_accepting(self, configuration: int) -> bool:
        """Whether the output may end here."""
        return configuration == ENDED or bool(self.walker.accepting[configuration])

    def must_end(self, configuration: int) -> bool:
        """Whether nothing but an end token can follow."""
        return configuration == ENDED or self.walker.is_final(configuration)

    def expected(self, configuration: int) -> tuple[list[int], list[Hashable]]:
        """The bytes that can follow, and the nodes that read them."""
        if configuration == ENDED:
            return [], []
        with self.lock:
            return self.walker.next_bytes(configuration), self.walker.nodes(configuration)

    def replay(self, history: Sequence[int | bytes], source: Callable[[int, int], str]) -> list[int]:
        """The configurations after each entry of a history, the root first; ``source(entry, done)`` gives captured text."""
        configurations = [self.walker.root]
        for place, entry in enumerate(history):

            def written(done: int, place: int = place) -> str:
                return source(place, done)

            step = self.read if isinstance(entry, bytes) else self.advance
            configurations.append(step(configurations[-1], entry, written))  # type: ignore[operator]
        return configurations

"""The engine of a guide: one network walked over one vocabulary, with everything it has learned.

What was compiled never changes; what is learned lives here and is dropped when it outgrows ``Limits``. Dropping starts
a new *generation*: matchers notice and read their own history again, so nobody holds a stale number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maskwright.constraint import Constraint
from maskwright.errors import UnspellableError
from maskwright.forks import guarded_lock
from maskwright.kernel.closures import Closures
from maskwright.kernel.codes import FIRST_CODE, Codes, is_text
from maskwright.kernel.covers import Covers
from maskwright.kernel.lexicon import Lexicon
from maskwright.kernel.trie import Trie
from maskwright.kernel.walk import REFUSED, Walker
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import ANYTHING, quote
from maskwright.patience import Patience, turn
from maskwright.rehearsal import rehearsals
from maskwright.spelling import NEEDED_BYTES, USEFUL_BYTES, Spelling
from maskwright.vocabulary import Vocabulary
from maskwright.written import written_in

__all__ = ["ENDED", "Engine", "Generation", "Mask", "Source", "Written"]

Mask = NDArray[np.uint32]

#: Gives the string that is written when a capture ends, from how many bytes were read (see ``Frames.advance``).
Written = Callable[..., str]
#: Gives that for bytes that are about to be read.
Source = Callable[[bytes], Written]

#: The configuration after an end token.
ENDED: Final = -2
#: Bounds of ``maxLength`` whose rows are prepared with a vocabulary, 0.1 ms each; the others when first met.
_PREPARED_LENGTHS: Final = 33
#: Expressions of a lexicon after which it is dropped and learned again, a kilobyte each: searches make more of them
#: than of states.
_EXPRESSIONS: Final = 250_000
#: Rows kept in the covers of a vocabulary (16 KiB each for 128,000 tokens).
_COVER_ROWS: Final = 256


class _Tables:
    """What all guides of a vocabulary share: its trie and covers, and the lexicon of the present generation."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        self.tokens = vocabulary.tokens
        # Bytes that UTF-8 never uses are the kernel's own: see maskwright.kernel.codes.
        texts = [token if is_text(token) else b"" for token in self.tokens]
        self.trie = Trie(texts, range(len(texts)))
        self.names = dict(vocabulary.special_names)
        #: ``named_texts[id]``: what a control token is written as where it is shown.
        self.named_texts = {token: name.encode("utf-8", "replace") for name, token in self.names.items()}
        #: The same, turned round.
        self.named_ids = {text: token for token, text in self.named_texts.items()}
        longest_first = sorted(self.named_ids, key=len, reverse=True)
        #: Finds the names of control tokens in a text.
        self.name_pattern = re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None
        self.longest = self.trie.reach[0] if self.trie.size else 0
        self.width = len(vocabulary)
        self.absent = bytes(sorted(vocabulary.missing_bytes & USEFUL_BYTES))
        self.end_ids = sorted(vocabulary.end_ids)
        self.end_mask: Mask = np.zeros((self.width + 31) // 32, np.uint32)
        for token in self.end_ids:
            self.end_mask[token >> 5] |= np.uint32(1 << (token & 31))
        self.end_mask.flags.writeable = False
        self.renew(limits)

    def renew(self, limits: Limits) -> None:
        """Start a new lexicon and prepare what every JSON constraint needs: the body of a string."""
        codes = Codes(self.names, self.tokens)
        self.lexicon = Lexicon(limits.emptiness_states, self.absent, 2 * limits.lexeme_states, self.longest, codes)
        self.covers = Covers(self.trie, self.tokens, self.width, _COVER_ROWS)
        opened = self.lexicon.intern(quote(ANYTHING))
        body = self.lexicon.state(self.lexicon.expressions.second[opened])
        self.covers.strings = body
        self.covers.profile(self.lexicon, body)


def _written_from(written: Written, place: int, done: int, *how: bool) -> str:
    """What gives the string that ends in a part of some bytes."""
    return written(place + done, *how)


def _tables(vocabulary: Vocabulary, limits: Limits) -> _Tables:
    found: _Tables | None = vocabulary._caches.get("tables")  # noqa: SLF001  (the slot is made for the kernel)
    if found is None:
        found = vocabulary._caches.setdefault("tables", _Tables(vocabulary, limits))  # noqa: SLF001
        _rehearse(vocabulary, limits)
    lexicon = found.lexicon
    if len(lexicon.state_expressions) > limits.lexeme_states or len(lexicon.expressions.kind) > _EXPRESSIONS:
        found.renew(limits)
    return found


def _rehearse(vocabulary: Vocabulary, limits: Limits) -> None:
    """Write the rehearsed outputs once, as far as the vocabulary can."""
    if vocabulary.bound_bytes or vocabulary.missing_bytes & NEEDED_BYTES:
        return
    usual = DEFAULT_LIMITS
    limits = replace(limits, compile_seconds=usual.compile_seconds, turn_seconds=usual.turn_seconds)
    for constraint, output in rehearsals(limits):
        try:
            engine = Engine(constraint, vocabulary)
        except UnspellableError:
            continue
        walker = engine.now.walker
        configuration = walker.root
        for token in walker.trie.cover(output + b" "):
            engine.mask(configuration, lambda _: lambda __: "")
            configuration = engine.read(configuration, vocabulary.tokens[token], None)
            if configuration == REFUSED:
                break
    covers = _tables(vocabulary, limits).covers
    profile = covers.profiles[covers.strings]
    for length in range(1, _PREPARED_LENGTHS):
        profile.limit(length)


class Generation:
    """What an engine has learned since it last dropped everything; replaced as a whole, never emptied."""

    __slots__ = (
        "completion",
        "doubtful",
        "masks",
        "most_configurations",
        "most_expressions",
        "most_states",
        "prices",
        "spelling",
        "transitions",
        "walker",
    )

    def __init__(self, walker: Walker, end_mask: Mask, limits: Limits, *, checks_spelling: bool) -> None:
        self.walker = walker
        #: What may be learned before everything is dropped.
        self.most_states = limits.lexeme_states
        self.most_configurations = limits.configurations
        self.most_expressions = _EXPRESSIONS
        #: ``masks[configuration]``: a read-only row.
        self.masks: dict[int, Mask] = {ENDED: end_mask}
        #: ``doubtful[configuration]``: tokens that its mask leaves open, because they depend on the text in progress.
        self.doubtful: dict[int, list[int]] = {}
        #: ``transitions[configuration << 32 | token]``: steps that a matcher may take unasked, REFUSED among them.
        self.transitions: dict[int, int] = {} if checks_spelling else walker.transitions
        self.spelling: Spelling | None = None
        #: What :mod:`maskwright.completion` and :mod:`maskwright.prices` learned, made when first asked for.
        self.completion: object | None = None
        self.prices: object | None = None


class Engine:
    """Configurations, transitions and masks; shared by the matchers of a guide, and by threads.

    A configuration is a number of one generation. Whoever holds one looks at ``now`` once and uses what it finds there;
    everything that learns, and every change of ``now``, happens under ``lock``.
    """

    def __init__(self, constraint: Constraint, vocabulary: Vocabulary) -> None:
        """Compile as far as the first mask needs.

        Raises:
            UnspellableError: the vocabulary cannot write any output of the constraint.
            LimitError: a limit was exceeded, ``compile_seconds`` by waiting for its turn among them.
        """
        self.constraint = constraint
        self.vocabulary = vocabulary
        self.limits = constraint.limits
        #: One lock for all engines of a vocabulary, since they learn in one lexicon.
        self.lock: RLock = vocabulary._caches.setdefault("lock", guarded_lock())  # noqa: SLF001
        #: Logits of the model; every id is below.
        self.width = len(vocabulary)
        self.words = (self.width + 31) // 32
        with self.turn():
            _tables(vocabulary, self.limits)
            with self.patience("the constraint was not compiled", "simplify it"):
                self.now = self._begin()
                root, spelling = self.now.walker.root, self.now.spelling
                is_live = root != REFUSED and (spelling is None or spelling.is_live(root))
        if not is_live:
            raise UnspellableError(
                "no sequence of tokens of this vocabulary spells an output that the constraint allows" + self._lacking()
            )

    def _lacking(self) -> str:
        """Which printable characters the vocabulary lacks, for a message."""
        alone = self.vocabulary.bound_bytes | self.vocabulary.missing_bytes
        lacking = "".join(chr(byte) for byte in sorted(alone) if 0x20 <= byte < 0x7F)
        return f" (no token is one of these characters alone: {lacking})" if lacking else ""

    def _begin(self) -> Generation:
        tables = _tables(self.vocabulary, self.limits)
        network = self.constraint.network
        closures = Closures(tables.lexicon, network.expand, self.limits.stack_depth)
        walker = Walker(tables.trie, tables.covers, closures, network.root, network.realize, tables.end_ids)
        self._read_prefix(walker)
        self._named_texts = tables.named_texts
        self._named_ids = tables.named_ids
        self._name_pattern = tables.name_pattern
        lacking = self.vocabulary.bound_bytes or self.vocabulary.missing_bytes & NEEDED_BYTES
        checks = bool(lacking) or walker.closures.unspellable
        self._end_mask = tables.end_mask
        generation = Generation(walker, tables.end_mask, self.limits, checks_spelling=checks)
        if checks:
            generation.spelling = Spelling(walker, self.vocabulary, self.limits)
        return generation

    def _read_prefix(self, walker: Walker) -> None:
        """Let the output begin after what the constraint says was written before it."""
        prefix = self.constraint.prefix
        if prefix and walker.root != REFUSED:
            walker.root = walker.read(walker.root, prefix, partial(written_in, prefix))

    @property
    def is_current(self) -> bool:
        """Whether guides that are compiled now learn in the same lexicon."""
        tables: _Tables = self.vocabulary._caches["tables"]  # noqa: SLF001
        return self.now.walker.lexicon is tables.lexicon

    def turn(self) -> AbstractContextManager[None]:
        """Hold the lock, unless others hold it for too long."""
        return turn(
            self.lock, Patience(self.limits.compile_seconds, "other constraints were not compiled", "ask again")
        )

    def patience(self, reason: str, remedy: str) -> Patience:
        """How long one turn may take; ``reason`` is what was not done, and ``remedy`` what helps."""
        return Patience(self.limits.turn_seconds, reason, f"{remedy}, or raise Limits.turn_seconds")

    def settle_down(self) -> None:
        """Between two steps: start anew if what was learned outgrew its limits; matchers then read their history."""
        with self.lock:
            now, walker = self.now, self.now.walker
            if (
                len(walker.lexicon.state_expressions) > now.most_states
                or len(walker.configurations) > now.most_configurations
                or len(walker.lexicon.expressions.kind) > now.most_expressions
            ):
                self.now = self._begin()

    def tolerate(self) -> None:
        """After a history was read again: one long output may need more than the limits, and must not evict itself."""
        now = self.now
        now.most_states = max(now.most_states, 2 * len(now.walker.lexicon.state_expressions))
        now.most_configurations = max(now.most_configurations, 2 * len(now.walker.configurations))
        now.most_expressions = max(now.most_expressions, 2 * len(now.walker.lexicon.expressions.kind))

    def _row(self) -> Mask:
        return np.zeros(self.words, np.uint32)

    def mask(self, configuration: int, source: Source) -> Mask:
        """The row of a configuration of ``now``; computed once, but for tokens that depend on the text in progress."""
        now = self.now
        row = now.masks.get(configuration)
        if row is None:
            with self.patience("the tokens that can follow were not found", "simplify the constraint"):
                row = self._learn_mask(now, configuration)
        doubtful = now.doubtful.get(configuration)
        return row if doubtful is None else self._settle(row, configuration, doubtful, source)

    def _learn_mask(self, now: Generation, configuration: int) -> Mask:
        if len(now.masks) > self.limits.masks:
            now.masks = {ENDED: self._end_mask}
        canonical = now.walker.canonical(configuration)
        if canonical != configuration and now.spelling is None:
            row = now.masks.get(canonical)
            row = self._learn_mask(now, canonical) if row is None else row
            if canonical in now.doubtful:
                now.doubtful[configuration] = now.doubtful[canonical]
            now.masks[configuration] = row
            return row
        row = self._row()
        now.walker.fill(configuration, row)
        if now.walker.doubtful:
            now.doubtful[configuration] = now.walker.doubtful
        if now.spelling is None and now.walker.closures.unspellable:
            now.spelling = Spelling(now.walker, self.vocabulary, self.limits)
            now.transitions = {}
        if now.spelling is not None:
            now.spelling.prune(configuration, row)
        row.flags.writeable = False
        now.masks[configuration] = row
        return row

    def _settle(self, row: Mask, configuration: int, doubtful: list[int], source: Source) -> Mask:
        """A copy of a row with the doubtful tokens that can be read after the text in progress."""
        row = row.copy()
        for token in doubtful:
            if self.advance(configuration, token, source(self.vocabulary.tokens[token])) != REFUSED:
                row[token >> 5] |= np.uint32(1 << (token & 31))
        row.flags.writeable = False
        return row

    def advance(self, configuration: int, token: int, written: Written) -> int:
        """The configuration after an allowed token, REFUSED after any other."""
        now = self.now
        if token in self.vocabulary.end_ids:
            return self._end(now, configuration, token, written)
        if configuration == ENDED or not 0 <= token < len(self.vocabulary.tokens):
            return REFUSED
        data = self.vocabulary.tokens[token]
        if token in now.walker.lexicon.codes.named:
            after: int = now.walker.name(configuration, token, data if is_text(data) else b"", written)
        elif not data or not is_text(data):
            return REFUSED
        else:
            after = now.walker.advance(configuration, token, data, written)
        if after != REFUSED and now.spelling is not None and not now.spelling.is_live(after):
            return REFUSED
        return after

    def _end(self, now: Generation, configuration: int, token: int, written: Written) -> int:
        """After an end token: a grammar may name one, in the middle of an output or at its end."""
        if configuration == ENDED:
            return ENDED
        if token in now.walker.lexicon.codes.named:
            after: int = now.walker.name(configuration, token, b"", written)
            if after != REFUSED:
                if not now.walker.is_final(after):
                    return after
                now.transitions.pop(configuration << 32 | token, None)
                return ENDED
        return ENDED if now.walker.accepting[configuration] else REFUSED

    def read(self, configuration: int, data: bytes, written: Written | None) -> int:
        """The configuration after raw bytes; the codes of named tokens may be among them."""
        if configuration == ENDED:
            return REFUSED if data else ENDED
        after: int = self.now.walker.read(configuration, data, written)
        return after

    def named_parts(self, data: bytes) -> list[tuple[bytes, int]]:
        """A text cut where control tokens that a grammar names stand by their names: ``(bytes, id)``, -1 for text."""
        if self._name_pattern is None or not self.now.walker.lexicon.codes.named:
            return [(data, -1)]
        parts, place = [], 0
        for found in self._name_pattern.finditer(data):
            parts += [(data[place : found.start()], -1), (found[0], self._named_ids[found[0]])]
            place = found.end()
        return [*parts, (data[place:], -1)]

    def read_shown(self, configuration: int, data: bytes, written: Written) -> int:
        """The configuration after a text in which a control token stands by its name; letters may be meant as well."""
        at, place = configuration, 0
        for part, token in self.named_parts(data):
            then = partial(_written_from, written, place)
            after = self.read(at, part, then)
            if token >= 0 and at != ENDED:
                named = self.advance(at, token, then)
                after = named if after == REFUSED or named == ENDED else self.now.walker.join(after, named)
            if after == REFUSED:
                return REFUSED
            at, place = after, place + len(part)
        return at

    def forced_bytes(self, configuration: int) -> bytes:
        """The bytes that every continuation begins with."""
        forced: bytes = b"" if configuration == ENDED else self.now.walker.forced(configuration)
        return forced

    def forced_tokens(self, configuration: int) -> list[int]:
        """The longest tokens along the forced bytes, up to the first that could also be a longer one."""
        data = self.forced_bytes(configuration)
        if not data and configuration != ENDED and not self.is_accepting(configuration):
            return self._forced_name(configuration)
        tokens: list[int] = self.now.walker.trie.cover(data) if data else []
        return tokens

    def _forced_name(self, configuration: int) -> list[int]:
        """The one token that can follow, if it is one that is named."""
        walker = self.now.walker
        if any(byte < FIRST_CODE for byte in walker.next_bytes(configuration)):
            return []
        allowed = self._named(configuration)
        return allowed if len(allowed) == 1 else []

    def _named(self, configuration: int) -> list[int]:
        """The tokens that are named and can follow."""
        row = self._row()
        walker = self.now.walker
        walker.fill_named(configuration, row)
        return [token for token in sorted(walker.lexicon.codes.named) if row[token >> 5] >> np.uint32(token & 31) & 1]

    def code_of(self, token: int) -> bytes:
        """The bytes by which a token is read: its text, or the code of one that is named and no text."""
        code: bytes = self.now.walker.lexicon.codes.named.get(token, b"")
        return self.vocabulary.tokens[token] or code

    def name_of(self, entry: int | bytes) -> bytes:
        """The name of a control token that some grammar names and that does not just end the output, else nothing."""
        if isinstance(entry, bytes) or entry not in self.now.walker.lexicon.codes.named:
            return b""
        return self._named_texts.get(entry, b"")

    def shown(self, data: bytes) -> bytes:
        """Bytes with the names of control tokens in the places of their codes."""
        if is_text(data):
            return data
        shown: bytes = self.now.walker.lexicon.codes.spell(data, self._named_texts)
        return shown

    def is_accepting(self, configuration: int) -> bool:
        """Whether the output may end here."""
        return configuration == ENDED or bool(self.now.walker.accepting[configuration])

    def must_end(self, configuration: int) -> bool:
        """Whether nothing but an end token can follow."""
        return configuration == ENDED or self.now.walker.is_final(configuration)

    def expected(self, configuration: int) -> tuple[list[int], list[str], list[Hashable]]:
        """The bytes that can follow, the control tokens that can, by name, and the nodes that read them."""
        if configuration == ENDED:
            return [], [], []
        walker = self.now.walker
        data = walker.next_bytes(configuration)
        names: list[str] = []
        if data and data[-1] >= FIRST_CODE:
            names = [self._named_texts.get(token, b"<[%d]>" % token).decode() for token in self._named(configuration)]
        return [byte for byte in data if byte < FIRST_CODE], names, walker.nodes(configuration)

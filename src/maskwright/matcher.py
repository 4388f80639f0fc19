"""Matcher: one output being written, token by token, inside a compiled constraint."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from maskwright.completion import completion_of
from maskwright.engine import ENDED, Engine, Mask, Written
from maskwright.errors import PolicyError, TokenError, VocabularyError
from maskwright.explanation import explain_bytes
from maskwright.kernel.codes import is_text
from maskwright.kernel.walk import REFUSED
from maskwright.vocabulary import Vocabulary
from maskwright.written import last_value, opening_quote, written_in

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Matcher", "checked_bytes", "checked_id", "fill_masks"]

#: Tokens after which a matcher asks whether what was learned outgrew its limits.
_SETTLE: Final = 16


class Matcher:
    """One sequence. Made by :meth:`maskwright.Guide.matcher`; cheap to make, to fork and to roll back.

    A matcher is not to be used by two threads at once; matchers of one guide may be.
    """

    __slots__ = ("_configurations", "_engine", "_generation", "_history")

    def __init__(self, engine: Engine) -> None:
        """Start at the beginning of the constraint."""
        self._engine = engine
        #: Token ids, and raw bytes for ``advance_bytes``, in the order they were read.
        self._history: list[int | bytes] = []
        #: What the configurations are numbers of.
        self._generation = engine.now
        #: Invariant: ``len(_configurations) == len(_history) + 1``; the last is the present one.
        self._configurations: list[int] = [self._generation.walker.root]

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the guide."""
        return self._engine.vocabulary

    @property
    def tokens(self) -> tuple[int | bytes, ...]:
        """What was read: token ids, and raw bytes where ``advance_bytes`` was used."""
        return tuple(self._history)

    @property
    def text(self) -> bytes:
        """The bytes written so far, with the names of control tokens that a grammar asks for, without end tokens."""
        return b"".join([self._bytes(entry) or self._engine.name_of(entry) for entry in self._history])

    @property
    def is_accepting(self) -> bool:
        """Whether the output may end here."""
        with self._engine.lock:
            return self._engine.is_accepting(self._now())

    @property
    def must_end(self) -> bool:
        """Whether nothing but an end token can follow."""
        with self._engine.lock:
            return self._engine.must_end(self._now())

    @property
    def is_finished(self) -> bool:
        """Whether an end token was read."""
        return self._configurations[-1] == ENDED

    @property
    def tokens_left(self) -> int | None:
        """How many more tokens may be written; None without a budget (``max_tokens`` of ``Guide.matcher``)."""
        return None

    def mask(self) -> Mask:
        """The allowed tokens: read-only ``uint32[ceil(len(vocabulary) / 32)]``, bit ``i & 31`` of word ``i >> 5``.

        Never empty. Known configurations cost a dictionary look-up; new ones some microseconds.
        """
        generation = self._generation
        if generation is self._engine.now and not generation.doubtful:
            found = generation.masks.get(self._configurations[-1])
            if found is not None:
                return found
        with self._engine.lock:
            return self._engine.mask(self._now(), self._source)

    def withheld(self) -> Mask:
        """What the constraint allows here and a budget does not, in the shape of :meth:`mask`; none without one."""
        none: Mask = np.zeros_like(self.mask())
        return none

    def fill_mask(self, row: NDArray[np.int32] | NDArray[np.uint32]) -> None:
        """Copy the mask into a caller's row of 32-bit words; words beyond the vocabulary are cleared.

        Accepts anything that numpy can view without a copy (arrays, CPU torch tensors).

        Raises:
            PolicyError: the row is too short, has another word size or cannot be written.
        """
        _copy(self.mask(), _writable(row, 1))

    def allows(self, token_id: int) -> bool:
        """Whether a token is allowed next."""
        token, mask = checked_id(token_id), self.mask()
        return 0 <= token >> 5 < len(mask) and bool(mask[token >> 5] >> np.uint32(token & 31) & 1)

    def advance(self, token_id: int) -> None:
        """Read a token. A step that any sequence of the guide made before costs a dictionary look-up.

        Raises:
            TokenError: the token is not allowed here or no id of the vocabulary; the matcher is unchanged.
        """
        engine, generation, configurations = self._engine, self._generation, self._configurations
        if type(token_id) is int and token_id < engine.width and generation is engine.now:
            after = generation.transitions.get(configurations[-1] << 32 | token_id, REFUSED)
            if after >= 0:
                self._history.append(token_id)
                configurations.append(after)
                return
        self._advance(token_id)

    def _advance(self, token_id: int) -> None:
        token = checked_id(token_id)
        with self._engine.lock:
            after = self._engine.advance(self._now(), token, self._source(self._bytes(token)))
            if after == REFUSED:
                raise TokenError(self.explain(token))
            self._push(token, after)

    def advance_bytes(self, data: bytes) -> None:
        """Read raw bytes, as one step of the history.

        Raises:
            TokenError: the constraint cannot go on with these bytes; the matcher is unchanged.
        """
        data = checked_bytes(data)
        with self._engine.lock:
            after = self._engine.read(self._now(), data, self._source(data)) if is_text(data) else REFUSED
            if after == REFUSED:
                raise TokenError(self.explain_bytes(data))
            self._push(data, after)

    def advance_shown(self, data: bytes) -> None:
        """Read a text in which control tokens stand by their names, as ``text`` and ``complete`` show them.

        A name is read as the token where that is allowed, as letters where not. Each part is a step of the history.

        Raises:
            TokenError: the constraint cannot go on with it; the matcher is unchanged.
        """
        steps = len(self._history)
        try:
            for part, token in self._engine.named_parts(checked_bytes(data)):
                if token >= 0 and self.allows(token):
                    self.advance(token)
                elif part:
                    self.advance_bytes(part)
        except TokenError:
            self.rollback(len(self._history) - steps)
            raise

    def matches(self, data: bytes) -> bool:
        """Whether a text, with control tokens by their names, brings the output to an end; the matcher is unchanged."""
        data = checked_bytes(data)
        with self._engine.lock:
            after = self._engine.read_shown(self._now(), data, self._source(data)) if is_text(data) else REFUSED
            return after != REFUSED and self._engine.is_accepting(after)

    def can_read(self, data: bytes) -> bool:
        """Whether the constraint can go on with raw bytes; the matcher is unchanged."""
        data = checked_bytes(data)
        with self._engine.lock:
            return is_text(data) and self._engine.read(self._now(), data, self._source(data)) != REFUSED

    def validate_tokens(self, token_ids: Iterable[int]) -> int:
        """How many tokens of a draft would be read, from the first; the matcher is unchanged."""
        return len(self._follow(token_ids)) - 1

    def draft_masks(self, token_ids: Sequence[int], out: NDArray[np.uint32] | None = None) -> NDArray[np.uint32]:
        """Masks before each token of a draft and after the last, as far as the draft is allowed.

        Returns:
            ``uint32[accepted + 1, ceil(len(vocabulary) / 32)]``, a view of ``out`` if that is given. Row ``i`` is the
            mask after ``i`` tokens; ``accepted`` is what ``validate_tokens`` returns. The matcher is unchanged.

        Raises:
            PolicyError: ``out`` is too small, has another word size or cannot be written.
        """
        masks = self._follow(token_ids)
        if out is None:
            return np.stack(masks)
        rows = _writable(out, 2)
        if len(rows) < len(masks):
            raise PolicyError(f"a draft with {len(masks) - 1} allowed tokens needs {len(masks)} rows, not {len(rows)}")
        for row, mask in zip(rows, masks, strict=False):
            _copy(mask, row)
        return out[: len(masks)]

    def _follow(self, token_ids: Iterable[int]) -> list[Mask]:
        """The masks along a draft: as many as tokens are accepted, and one more."""
        if not isinstance(token_ids, Iterable):
            raise PolicyError(f"a draft is a sequence of token ids, not {type(token_ids).__name__}")
        probe = self.fork()
        masks = [probe.mask()]
        for token_id in token_ids:
            try:
                probe.advance(token_id)
            except TokenError:
                break
            masks.append(probe.mask())
        return masks

    def rollback(self, steps: int = 1) -> None:
        """Take back the last steps, end tokens included. O(1) a step.

        Raises:
            TokenError: fewer steps were made.
        """
        steps = checked_id(steps)
        if not 0 <= steps <= len(self._history):
            raise TokenError(f"cannot roll back {steps} steps: {len(self._history)} were made")
        if steps:
            del self._history[-steps:]
            del self._configurations[-steps:]

    def reset(self) -> None:
        """Go back to the beginning."""
        self.rollback(len(self._history))

    def fork(self) -> Self:
        """An independent copy. O(length of the history)."""
        other = type(self).__new__(type(self))
        other._engine = self._engine
        other._generation = self._generation
        other._history = self._history.copy()
        other._configurations = self._configurations.copy()
        return other

    def complete(self) -> bytes:
        """The shortest text that makes what was written a complete output; empty if it may end here.

        Among texts of equal length ASCII is preferred. What is written stays as it is: a beginning that was cut off in
        the middle of a character, an escape or a number is gone on with. Control tokens stand in it by their names.

        Raises:
            LimitError: no completion is found within ``Limits``, or it takes more than 4 MiB.
        """
        with self._engine.lock:
            now = self._now()
            with self._engine.patience("the shortest completion was not found", "write more of the output first"):
                return self._engine.shown(completion_of(self._engine).text(now, self._source))

    def forced_bytes(self) -> bytes:
        """The bytes that every continuation begins with; empty where there is a choice or the output may end."""
        with self._engine.lock:
            return self._engine.forced_bytes(self._now())

    def forced_tokens(self) -> list[int]:
        """Tokens that spell the forced bytes: the longest ones, up to where a longer token could reach beyond them.

        Each is allowed after those before it.
        """
        with self._engine.lock:
            tokens = self._engine.forced_tokens(self._now())
        return tokens[: self.validate_tokens(tokens)] if tokens else tokens

    def explain(self, token_id: int) -> str:
        """Why a token is refused, or that it is allowed, in words."""
        token, vocabulary = checked_id(token_id), self._engine.vocabulary
        if not 0 <= token < len(vocabulary):
            return f"token {token} is no id of the vocabulary: ids run from 0 to {len(vocabulary) - 1}"
        if token in vocabulary.end_ids:
            return self._explain_end(token)
        data = self._bytes(token)
        if not data:
            return self._explain_name(token)
        return f"token {token} {data!r}: {self.explain_bytes(data)}"

    def _explain_name(self, token: int) -> str:
        if self.allows(token):
            return f"token {token} is a control token; it is allowed here"
        if self._engine.name_of(token):
            return f"token {token} is a control token, which nothing asks for here: {self.explain_bytes(b'')}"
        return f"token {token} is not text (control token or padding): only a grammar that names it allows it"

    def _explain_end(self, token: int) -> str:
        if self.is_accepting:
            return f"token {token} ends the output; it is allowed here"
        return f"token {token} ends the output, which is not complete: {self.explain_bytes(b'')}"

    def explain_bytes(self, data: bytes) -> str:
        """Where bytes leave the constraint, and what was expected there, in words."""
        data = checked_bytes(data)
        with self._engine.lock:
            return explain_bytes(self._engine, self._now(), data, self._source(data))

    def _now(self) -> int:
        """The present configuration, of the engine's present generation; called under the engine's lock."""
        engine = self._engine
        if self._generation is not engine.now:
            self._replay()
        return self._configurations[-1]

    def _replay(self) -> None:
        """Read the history again."""
        engine, history = self._engine, self._history
        generation = engine.now
        at: int = generation.walker.root
        configurations = [at]
        for place, entry in enumerate(history):
            written = partial(self._string_before, place, self._bytes(entry))
            at = engine.read(at, entry, written) if isinstance(entry, bytes) else engine.advance(at, entry, written)
            configurations.append(at)
        # Only now: a limit may have ended the reading.
        self._generation, self._configurations = generation, configurations
        engine.tolerate()

    def _push(self, entry: int | bytes, configuration: int) -> None:
        self._history.append(entry)
        self._configurations.append(configuration)
        if isinstance(entry, bytes) or len(self._history) % _SETTLE == 0:
            self._engine.settle_down()

    def _bytes(self, entry: int | bytes) -> bytes:
        if isinstance(entry, bytes):
            return entry
        tokens = self._engine.vocabulary.tokens
        return tokens[entry] if 0 <= entry < len(tokens) else b""

    def _source(self, data: bytes) -> Written:
        """What gives the string that ends within bytes that are about to be read."""
        return partial(self._string_before, len(self._history), data)

    def _string_before(self, place: int, data: bytes, done: int, is_recall: bool = False) -> str:  # noqa: FBT001, FBT002
        """The JSON string literal that ends with ``data[:done]``; it may begin in entries before ``place``.

        For a recall the JSON text of the value before the comma that stands there. Before the first entry stands what
        the constraint says was written before the output.
        """
        tail = data[:done]
        prefix = self._engine.constraint.prefix
        if is_recall:
            return self._value_before(place, tail)
        while place > 0:
            start = opening_quote(tail, is_whole=place == 0 and not prefix)
            if start >= 0:
                value: str = json.loads(tail[start:])
                return value
            place -= 1
            tail = self._bytes(self._history[place]) + tail
        return written_in(prefix + tail, len(prefix) + len(tail))

    def _value_before(self, place: int, tail: bytes) -> str:
        """The JSON text of the value before the separator that ends ``tail``."""
        wanted = 2 * len(tail)
        if place == 0:
            tail = self._engine.constraint.prefix + tail
        while True:
            start, stop = last_value(tail, is_whole=place == 0)
            if start >= 0:
                return tail[start:stop].decode()
            wanted *= 2
            pieces: list[bytes] = []
            while place and (not pieces or sum(map(len, pieces)) < wanted):
                place -= 1
                pieces.append(self._bytes(self._history[place]))
            if place == 0:
                pieces.append(self._engine.constraint.prefix)
            tail = b"".join([*reversed(pieces), tail])

    def __reduce__(self) -> tuple[Callable[..., Matcher], tuple[object, ...]]:
        """Pickle as constraint, vocabulary and history."""
        return _restore, (self._engine.constraint, self._engine.vocabulary, self._history)


def _restore(constraint: object, vocabulary: object, history: list[int | bytes]) -> Matcher:
    matcher = Matcher(Engine(constraint, vocabulary))  # type: ignore[arg-type]
    for entry in history:
        if isinstance(entry, bytes):
            matcher.advance_bytes(entry)
        else:
            matcher.advance(entry)
    return matcher


def checked_id(token_id: object) -> int:
    """A token id, or a number of steps, as an int; TokenError if it is none."""
    try:
        return index(token_id)  # type: ignore[arg-type]
    except TypeError:
        raise TokenError(f"a token id, or a number of steps, is a whole number, not {token_id!r}") from None


def checked_bytes(data: object) -> bytes:
    """Raw output as bytes; TokenError if it is something else."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    raise TokenError(f"raw output is bytes, not {type(data).__name__}")


def fill_masks(matchers: Sequence[Matcher], out: NDArray[np.int32] | NDArray[np.uint32]) -> None:
    """Copy the masks of several matchers into the rows of a 2-D array, ``[len(matchers) or more, words or more]``.

    Rows beyond the matchers are left as they are.

    Raises:
        PolicyError: the array is too small, has another word size or cannot be written.
    """
    rows = _writable(out, 2)
    if not isinstance(matchers, Sequence) or not all(isinstance(matcher, Matcher) for matcher in matchers):
        raise PolicyError("fill_masks() takes a sequence of matchers and an array")
    if len(rows) < len(matchers):
        raise PolicyError(f"{len(matchers)} matchers need as many rows, and the array has {len(rows)}")
    for matcher, row in zip(matchers, rows, strict=False):
        _copy(matcher.mask(), row)


def _writable(array: object, dimensions: int) -> NDArray[np.uint32]:
    try:
        view = array if isinstance(array, np.ndarray) else np.asarray(array)
    except (TypeError, ValueError) as cause:
        raise PolicyError(f"a mask is filled into an array of 32-bit words, not a {type(array).__name__}") from cause
    if (
        view.ndim != dimensions
        or not view.dtype.isnative
        or view.dtype.itemsize != 4
        or view.dtype.kind not in "iu"
        or not view.flags.writeable
    ):
        raise PolicyError(
            f"a mask needs a writable {dimensions}-D array of 32-bit words, not {view.ndim}-D {view.dtype}"
            f"{'' if view.flags.writeable else ', read-only'}"
        )
    words: NDArray[np.uint32] = view.view(np.uint32)
    return words


def _copy(mask: Mask, row: NDArray[np.uint32]) -> None:
    if len(row) < len(mask):
        raise VocabularyError(f"a mask of this vocabulary has {len(mask)} words, and the row only {len(row)}")
    row[: len(mask)] = mask
    if len(row) > len(mask):
        row[len(mask) :] = 0

"""A vocabulary: the exact bytes of every token id of a model, its end ids and its control tokens.

Masks work on bytes, never on decoded text: a token may be half a character, several ids may have the same bytes, and
decoding one id alone often loses a leading blank. What is not text (control tokens, padding, gaps between ids) has the
bytes ``b""`` here and no mask ever allows it as text.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from operator import index
from os import PathLike
from types import MappingProxyType
from typing import Any, Final, cast, final

from maskwright.errors import VocabularyError

__all__ = ["MAXIMUM_IDS", "Vocabulary"]

#: No vocabulary has more ids: 16 times the largest one known (262,144), and small enough that a forged id in a file
#: cannot ask for more than 32 MiB of empty tokens.
MAXIMUM_IDS: Final = 1 << 22

#: The reader of each tokenizer format, as ``module:function``. This is the one place where a lower floor names an
#: upper one, and it names it only: the readers build vocabularies, so they stand above this module and import it,
#: while ``Vocabulary.from_gguf`` and its like are binding names of this class. A table that is resolved at the call
#: keeps the imports one-way and ``import maskwright`` free of readers. A new format is one file and one entry.
_READERS: Final = {
    "gguf": "maskwright.tokenizers.gguf:read_gguf_vocabulary",
    "huggingface": "maskwright.tokenizers.huggingface:read_huggingface",
    "pieces": "maskwright.tokenizers.sentencepiece:read_pieces",
    "sentencepiece": "maskwright.tokenizers.sentencepiece:read_sentencepiece",
    "tekken": "maskwright.tokenizers.tekken:read_tekken",
    "tiktoken": "maskwright.tokenizers.tiktoken:read_tiktoken",
}


def _reader(name: str) -> Callable[..., Vocabulary]:
    module, function = _READERS[name].split(":")
    return cast("Callable[..., Vocabulary]", getattr(import_module(module), function))


@final
@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """Token bytes and the ids with a meaning of their own; frozen, hashable, picklable.

    Two vocabularies are equal if and only if their ``fingerprint`` is. Built by the classmethods only: the bare
    constructor checks nothing.
    """

    #: ``tokens[id]`` is the text of the id, ``b""`` if it never is text.
    tokens: tuple[bytes, ...]
    #: Ids that end the output; each is allowed when the output is complete. Never empty, part of ``special_ids``.
    end_ids: frozenset[int]
    #: Control tokens. They are never text; a grammar may name one.
    special_ids: frozenset[int]
    #: Literal text of a control token -> its id, part of ``special_ids``.
    special_names: Mapping[str, int]
    #: Number of logits of the model, at least ``len(tokens)``. Ids from ``len(tokens)`` on are always forbidden.
    logit_width: int
    #: Tables that the kernel learns for this vocabulary; not part of its value, never pickled.
    _caches: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @classmethod
    def from_tokens(
        cls,
        tokens: Iterable[bytes],
        *,
        end_ids: Iterable[int],
        special_ids: Iterable[int] = (),
        special_names: Mapping[str, int] | None = None,
        logit_width: int | None = None,
    ) -> Vocabulary:
        """Build a vocabulary from the bytes of every id, in the order of the ids.

        Args:
            tokens: One ``bytes`` per id; ``b""`` for ids that are never text. If an end or special id has bytes,
                they become its name: such an id is no longer text.
            end_ids: The ids that end the output, at least one; repeated ids count once.
            special_ids: Further control tokens.
            special_names: Text of a control token -> its id; these ids count as special.
            logit_width: Number of logits of the model, by default the number of tokens. A smaller width cuts off
                control tokens and padding at the end, never text.

        Raises:
            VocabularyError: a token is not ``bytes``, there is no text or no end id, or an id is out of range.

        Linear in the number of tokens: 3 ms for 128,256.

        """
        rows = _checked_tokens(tokens)
        width = _checked_width(logit_width, len(rows))
        ends = _checked_ids(end_ids, len(rows), "end_ids")
        names = _checked_names(special_names or {}, len(rows))
        specials = ends | _checked_ids(special_ids, len(rows), "special_ids") | frozenset(names.values())
        _silence(rows, specials, names)
        if width < len(rows):
            _cut(rows, ends, width)
            specials = frozenset(i for i in specials if i < width)
            names = {name: i for name, i in names.items() if i < width}
        _check_use(rows, ends)
        return cls(tuple(rows), ends, specials, MappingProxyType(names), width)

    @classmethod
    def from_huggingface(
        cls, tokenizer: object, *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
    ) -> Vocabulary:
        """Read a Hugging Face tokenizer.

        Args:
            tokenizer: A ``tokenizers.Tokenizer``, a fast tokenizer of ``transformers``, the path of a
                ``tokenizer.json`` or of its folder, or the parsed file. Beside a file, ``config.json``,
                ``generation_config.json``, ``tokenizer_config.json`` and ``special_tokens_map.json`` are read.
            end_ids: Replaces the end ids that were found: those of the configuration, and the control tokens that
                are known to end a turn (``<|im_end|>``, ``<|eot_id|>``, ...).
            logit_width: Number of logits of the model; by default ``vocab_size`` of ``config.json``, else the
                number of ids. Often larger than the number of ids: Qwen3 has 151,936 logits for 151,669 ids.

        Raises:
            VocabularyError: the file cannot be read, is not a tokenizer, or its tokens are not parts of the text.

        """
        return _reader("huggingface")(tokenizer, end_ids=end_ids, logit_width=logit_width)

    @classmethod
    def from_tiktoken(
        cls,
        encoding: object,
        *,
        special_tokens: Mapping[str, int] | None = None,
        end_ids: Iterable[int] | None = None,
        logit_width: int | None = None,
    ) -> Vocabulary:
        """Read a tiktoken encoding.

        Args:
            encoding: A ``tiktoken.Encoding``, the path of a ``.tiktoken`` file, or the ranks (bytes -> id).
            special_tokens: Text of a control token -> id, for files and ranks, which do not hold them. Known for
                the files ``r50k_base``, ``p50k_base``, ``cl100k_base`` and ``o200k_base``.
            end_ids: Replaces the end ids found among the control tokens.
            logit_width: Number of logits of the model, by default the number of ids.

        Raises:
            VocabularyError: the file cannot be read, is not in this format, or no end id is known.

        """
        return _reader("tiktoken")(encoding, special_tokens=special_tokens, end_ids=end_ids, logit_width=logit_width)

    @classmethod
    def from_sentencepiece(
        cls, model: object, *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
    ) -> Vocabulary:
        """Read a SentencePiece model: a path, or a ``SentencePieceProcessor``.

        Raises:
            VocabularyError: the file cannot be read or is not in this format, or no end id is known.

        """
        return _reader("sentencepiece")(model, end_ids=end_ids, logit_width=logit_width)

    @classmethod
    def from_pieces(
        cls,
        pieces: Sequence[str],
        *,
        end_ids: Iterable[int],
        special_ids: Iterable[int] | None = None,
        logit_width: int | None = None,
    ) -> Vocabulary:
        """Build a vocabulary from SentencePiece pieces: ``▁`` is a blank, ``<0xNN>`` is that byte.

        Args:
            pieces: One piece per id.
            end_ids: The ids that end the output.
            special_ids: Control tokens; by default the pieces ``<unk>``, ``<s>``, ``</s>`` and ``<pad>``.
            logit_width: Number of logits of the model, by default the number of pieces.

        Raises:
            VocabularyError: as :meth:`from_tokens`.

        """
        return _reader("pieces")(pieces, end_ids=end_ids, special_ids=special_ids, logit_width=logit_width)

    @classmethod
    def from_gguf(
        cls, path: str | PathLike[str], *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
    ) -> Vocabulary:
        """Read the vocabulary of a GGUF model file.

        Raises:
            VocabularyError: the file cannot be read, holds no vocabulary, or one whose tokens are not parts of text.

        """
        return _reader("gguf")(path, end_ids=end_ids, logit_width=logit_width)

    @classmethod
    def from_tekken(
        cls, path: str | PathLike[str], *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
    ) -> Vocabulary:
        """Read a ``tekken.json`` of Mistral, the file or its folder.

        Raises:
            VocabularyError: the file cannot be read or is not in this format.

        """
        return _reader("tekken")(path, end_ids=end_ids, logit_width=logit_width)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the whole content, in hexadecimal; equal on every machine. 6 ms for 128,256 tokens."""
        digest = sha256(b"maskwright vocabulary 1\n")
        names = sorted(self.special_names.items())
        for numbers in (
            [self.logit_width, len(self.tokens), len(self.end_ids), len(self.special_ids), len(names)],
            map(len, self.tokens),
            sorted(self.end_ids),
            sorted(self.special_ids),
            (number for name, i in names for number in (len(name.encode()), i)),
        ):
            digest.update(_packed(numbers))
        digest.update(b"".join(self.tokens))
        digest.update("".join(name for name, _ in names).encode())
        return digest.hexdigest()

    @cached_property
    def missing_bytes(self) -> frozenset[int]:
        """Bytes that occur in no token: no output of this model can hold them."""
        content = b"".join(self.tokens)
        return frozenset(byte for byte in range(256) if byte not in content)

    @cached_property
    def bound_bytes(self) -> frozenset[int]:
        """Bytes that occur inside longer tokens only: they can be written in some surroundings, not in all."""
        single = {token[0] for token in self.tokens if len(token) == 1}
        return frozenset(range(256)) - self.missing_bytes - single

    @cached_property
    def duplicates(self) -> Mapping[bytes, tuple[int, ...]]:
        """Texts that several ids have -> those ids, ascending. A mask allows all of them."""
        seen: dict[bytes, int] = {}
        several: dict[bytes, list[int]] = {}
        for i, token in enumerate(self.tokens):
            if token and seen.setdefault(token, i) != i:
                several.setdefault(token, [seen[token]]).append(i)
        return MappingProxyType({token: tuple(ids) for token, ids in several.items()})

    @cached_property
    def longest(self) -> int:
        """Length of the longest token in bytes."""
        return max(map(len, self.tokens))

    def __len__(self) -> int:
        """Width of a mask in bits: the number of logits of the model."""
        return self.logit_width

    def __eq__(self, other: object) -> bool:
        """Whether the other vocabulary has the same content."""
        return self.fingerprint == other.fingerprint if isinstance(other, Vocabulary) else NotImplemented

    def __hash__(self) -> int:
        """Hash of the fingerprint."""
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Sizes and the start of the fingerprint; never the tokens."""
        return f"<Vocabulary of {len(self.tokens)} tokens, width {len(self)}, {self.fingerprint[:12]}>"

    def __reduce__(self) -> tuple[Callable[..., Vocabulary], tuple[object, ...]]:
        """Pickle the content, not what was learned."""
        return _restore, (self.tokens, self.end_ids, self.special_ids, dict(self.special_names), self.logit_width)


def _restore(
    tokens: tuple[bytes, ...], ends: frozenset[int], specials: frozenset[int], names: dict[str, int], width: int
) -> Vocabulary:
    return Vocabulary(tokens, ends, specials, MappingProxyType(names), width)


def _packed(numbers: Iterable[int]) -> bytes:
    packed = array("I", numbers)
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        packed.byteswap()
    return packed.tobytes()


def _checked_tokens(tokens: Iterable[bytes]) -> list[bytes]:
    if isinstance(tokens, str | bytes | Mapping):
        reason = f"the tokens are one {type(tokens).__name__}, not a list"
        raise VocabularyError(f"{reason} (give one bytes object per id, in the order of the ids)")
    try:
        rows = list(tokens)
    except TypeError as cause:
        reason = f"the tokens are of type {type(tokens).__name__}, not a list"
        raise VocabularyError(f"{reason} (give one bytes object per id, in the order of the ids)") from cause
    if len(rows) > MAXIMUM_IDS:
        raise VocabularyError(f"{len(rows)} tokens are more than {MAXIMUM_IDS} (is this a vocabulary?)")
    if set(map(type, rows)) - {bytes}:
        wrong = next(i for i, token in enumerate(rows) if type(token) is not bytes)
        reason = f"token {wrong} is {rows[wrong]!r:.60}, a {type(rows[wrong]).__name__} and not bytes"
        remedy = "text.encode() makes bytes of text, Vocabulary.from_pieces reads SentencePiece pieces"
        raise VocabularyError(f"{reason} ({remedy})")
    return rows


def _checked_width(width: int | None, count: int) -> int:
    if width is None:
        return count
    try:
        number = index(width)
    except TypeError as cause:
        raise VocabularyError(f"logit_width is {width!r}, not an integer (give the number of logits)") from cause
    if not 0 < number <= MAXIMUM_IDS:
        raise VocabularyError(f"logit_width is {number}, not in 1..{MAXIMUM_IDS} (give the number of logits)")
    return number


def _checked_id(value: object, count: int, place: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise VocabularyError(f"{place}: {value!r:.60} is no token id (give integers)")
    number = index(value)
    if not 0 <= number < count:
        reason = f"{place}: id {number} is not in 0..{count - 1}"
        raise VocabularyError(f"{reason} (add b'' to the tokens for every id that is never text)")
    return number


def _checked_ids(ids: Iterable[int], count: int, place: str) -> frozenset[int]:
    try:
        values = list(ids)
    except TypeError as cause:
        raise VocabularyError(f"{place} is {ids!r:.60} (give a set of token ids)") from cause
    return frozenset(_checked_id(value, count, place) for value in values)


def _checked_names(names: Mapping[str, int], count: int) -> dict[str, int]:
    for name in names:
        if not isinstance(name, str) or not name or name.encode(errors="ignore").decode() != name:
            raise VocabularyError(f"special_names: {name!r:.60} is no name (map the text of each token to its id)")
    return {name: _checked_id(value, count, f"special_names[{name!r:.60}]") for name, value in names.items()}


def _silence(rows: list[bytes], specials: frozenset[int], names: dict[str, int]) -> None:
    """Take the text of the special ids away and keep it as their name where it is a text and still free."""
    for i in sorted(specials):
        if rows[i]:
            name = rows[i].decode(errors="ignore")
            if name.encode() == rows[i]:
                names.setdefault(name, i)
            rows[i] = b""


def _cut(rows: list[bytes], ends: frozenset[int], width: int) -> None:
    """Drop the ids that have no logit; Gemma 3 names an image token at 262,144 for 262,144 logits."""
    lost = next((i for i in range(width, len(rows)) if rows[i] or i in ends), None)
    if lost is not None:
        reason = f"logit_width {width} leaves out id {lost}, which is text or an end"
        raise VocabularyError(f"{reason} (give the number of logits of the model, at least {len(rows)} here)")
    del rows[width:]


def _check_use(rows: list[bytes], ends: frozenset[int]) -> None:
    if not any(rows):
        raise VocabularyError("no token has any text (give one bytes object per id)")
    if not ends:
        reason = "there is no end id, so a complete output could never be ended"
        raise VocabularyError(f"{reason} (give end_ids, for instance the model's eos_token_id)")

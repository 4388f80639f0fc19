"""What a tokenizer file says, in one form for all formats, and how it becomes a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from maskwright.errors import VocabularyError
from maskwright.tokenizers.endings import named_ends
from maskwright.vocabulary import MAXIMUM_IDS, Vocabulary

__all__ = ["Content", "checked_path", "listed_ids", "parse_object", "read_bytes", "refusal", "rows_by_id"]


def refusal(place: object, reason: str, remedy: str) -> VocabularyError:
    """Return the error of a source: where, why, what to do."""
    return VocabularyError(f"{place}: {reason} ({remedy})")


@dataclass(slots=True)
class Content:
    """The content of one tokenizer."""

    #: The file or object it comes from, for messages.
    place: object
    #: ``tokens[id]``, ``b""`` for ids that are never text.
    tokens: list[bytes]
    #: Control tokens by their text.
    special_names: dict[str, int] = field(default_factory=dict)
    #: End ids that the source states itself.
    stated_ends: Collection[int] = ()
    #: Number of logits that the source states, ``None`` if it does not.
    stated_width: int | None = None

    def vocabulary(self, end_ids: Iterable[int] | None, logit_width: int | None) -> Vocabulary:
        """Build the vocabulary; what the caller says replaces what was found.

        Raises:
            VocabularyError: no end id is known, or something does not fit together.

        """
        ends = {*self.stated_ends, *named_ends(self.special_names)} if end_ids is None else end_ids
        if end_ids is None and not ends:
            known = ", ".join(sorted(self.special_names)[:8]) or "none"
            raise refusal(self.place, "no end id is known", f"give end_ids; control tokens: {known}")
        try:
            return Vocabulary.from_tokens(
                self.tokens,
                end_ids=ends,
                special_names=self.special_names,
                logit_width=self.stated_width if logit_width is None else logit_width,
            )
        except VocabularyError as cause:
            raise VocabularyError(f"{self.place}: {cause}") from cause


def rows_by_id(place: object, tokens: list[bytes], ids: Collection[int], further: Collection[int] = ()) -> list[bytes]:
    """Return the tokens in the order of their ids, ``b""`` for ids between.

    Args:
        place: Where the ids come from, for messages.
        tokens: The bytes of the tokens.
        ids: Their ids, in parallel.
        further: Ids that must have a place too; those of other tokens may be among them.

    Raises:
        VocabularyError: an id is no integer, is negative or too large, or is used twice.

    """
    _check_ids(place, ids)
    _check_ids(place, further)
    rows = [b""] * (1 + max(max(ids, default=-1), max(further, default=-1)))
    for i, token in zip(ids, tokens, strict=True):
        rows[i] = token
    return rows


def _check_ids(place: object, ids: Collection[int]) -> None:
    remedy = "fetch the file again, it is damaged"
    if set(map(type, ids)) - {int}:
        raise refusal(place, "some token ids are no integers", remedy)
    if ids and not 0 <= min(ids) <= max(ids) < MAXIMUM_IDS:
        raise refusal(place, f"the ids {min(ids)}..{max(ids)} are not within 0..{MAXIMUM_IDS - 1}", remedy)
    if len(set(ids)) != len(ids):
        raise refusal(place, "two tokens have the same id", remedy)


def listed_ids(place: object, ids: object) -> list[Any]:
    """Return ids that a caller gave as a list; whether each of them is an id is checked with the vocabulary.

    Raises:
        VocabularyError: they are no collection.

    """
    if isinstance(ids, Iterable) and not isinstance(ids, str | bytes):
        return list(ids)
    raise refusal(place, f"{ids!r:.60} is no set of token ids", "give a set of integers")


def checked_path(source: object, wanted: str) -> Path:
    """Return the source as a path.

    Raises:
        VocabularyError: it is no path; ``wanted`` says what may be given.

    """
    if isinstance(source, str | PathLike):
        return Path(source)
    raise refusal(type(source).__name__, "not a known kind of tokenizer", f"give {wanted}")


def read_bytes(path: Path, remedy: str) -> bytes:
    """Return the content of a file.

    Raises:
        VocabularyError: the file cannot be read.

    """
    try:
        return path.read_bytes()
    except OSError as cause:
        raise refusal(path, f"cannot be read: {cause.strerror or cause}", remedy) from cause


def parse_object(place: object, text: bytes, remedy: str) -> dict[str, object]:
    """Parse a JSON object.

    Raises:
        VocabularyError: the text is no JSON, too deep, or no object.

    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise refusal(place, f"not JSON: {cause}", remedy) from cause
    if isinstance(value, dict):
        return value
    raise refusal(place, f"a JSON {type(value).__name__}, not an object", remedy)

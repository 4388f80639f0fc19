"""Traces: what the page shows of each step, and what is said of an output at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.masks import allowed_ids
from maskwright.errors import LimitError, TokenError
from maskwright.server.forms import Form
from maskwright.validation.validator import Validator

if TYPE_CHECKING:
    from maskwright.guide import Guide
    from maskwright.matcher import Matcher
    from maskwright.server.counts import EngineStats
    from maskwright.server.jobs import Token
    from maskwright.vocabulary import Vocabulary

__all__ = ["FOUND", "SAMPLE", "Trace", "costs", "drawn", "explained", "sampled", "verdict"]

#: Allowed tokens that a step names.
SAMPLE: Final = 32
#: Ids that are looked at for them.
_LOOKED_AT: Final = 256
#: Allowed tokens that a search names.
FOUND: Final = 100
#: Policies of a schema that say which values are valid, not how they are spelled.
_OF_VALUES: Final = ("objects", "formats")


def drawn(token: int, vocabulary: Vocabulary) -> dict[str, Any]:
    """A token for the page: id, text, and ``kind``: ``text``, ``bytes`` (part of a character), ``control``, ``end``."""
    data = vocabulary.tokens[token] if token < len(vocabulary) else b""
    if data:
        try:
            return {"id": token, "text": data.decode(), "kind": "text"}
        except UnicodeDecodeError:
            return {"id": token, "text": data.hex(" "), "kind": "bytes"}
    name = next((name for name, known in vocabulary.special_names.items() if known == token), "")
    return {"id": token, "text": name, "kind": "end" if token in vocabulary.end_ids else "control"}


def sampled(mask: NDArray[np.uint32], vocabulary: Vocabulary, *, find: str = "") -> dict[str, Any]:
    """How many tokens a mask allows and some of them; with ``find`` those whose text holds it, the shortest first."""
    ids = allowed_ids(mask, len(mask) * 32)
    count = len(ids)
    if find:
        wanted = find.encode("utf-8", "surrogatepass")
        found = [token for token in ids.tolist() if wanted in vocabulary.tokens[token]]
        found.sort(key=lambda token: (len(vocabulary.tokens[token]), token))
        return {"count": count, "found": len(found), "sample": [drawn(token, vocabulary) for token in found[:FOUND]]}
    if count > _LOOKED_AT:
        ids = ids[np.linspace(0, count - 1, _LOOKED_AT).astype(int)]
    tokens = [drawn(token, vocabulary) for token in ids.tolist()]
    if count > SAMPLE:
        ends = [drawn(token, vocabulary) for token in sorted(vocabulary.end_ids) if _is_set(mask, token)]
        tokens = ends + [token for token in tokens if token["kind"] == "text" and token["text"].isprintable()]
    return {"count": count, "sample": tokens[:SAMPLE]}


def _is_set(mask: NDArray[np.uint32], token: int) -> bool:
    return token >> 5 < len(mask) and bool(mask[token >> 5] >> np.uint32(token & 31) & 1)


class Trace:
    """Follows one run with a matcher of its own; belongs to one thread at a time."""

    def __init__(self, vocabulary: Vocabulary, matcher: Matcher | None, prefix: Sequence[int] = ()) -> None:
        """Begin after the tokens of ``prefix``, which ``matcher`` has read; None for free text."""
        self._vocabulary = vocabulary
        #: None without a constraint, and after free text has left it.
        self._matcher = matcher
        self._index = len(prefix)
        #: The output so far, those tokens included.
        self.data = b"".join(self._bytes(token) for token in prefix)

    def step(self, token: Token) -> dict[str, Any]:
        """One step: the token, what was allowed in its place, and what the model would have liked."""
        vocabulary, matcher = self._vocabulary, self._matcher
        told: dict[str, Any] = {"event": "step", "index": self._index, **drawn(token.id, vocabulary)}
        told["forced"] = token.forced
        told["allowed"] = None if matcher is None else sampled(matcher.mask(), vocabulary)
        told["wanted"] = None if token.observed is None else self._wanted(token)
        if matcher is not None:
            try:
                matcher.advance(token.id)
            except TokenError as error:
                told["breaks"] = str(error)
                self._matcher = None
        self._index += 1
        self.data += self._bytes(token.id)
        return told

    def _bytes(self, token: int) -> bytes:
        """What a token adds to the output: its bytes, or its name, or nothing for the end."""
        if token in self._vocabulary.end_ids or token >= len(self._vocabulary):
            return b""
        data: bytes = self._vocabulary.tokens[token] or drawn(token, self._vocabulary)["text"].encode()
        return data

    def _wanted(self, token: Token) -> list[dict[str, Any]]:
        """The model's likeliest tokens without the mask, each with its share and whether the constraint allows it."""
        matcher = self._matcher
        return [
            {
                **drawn(candidate.id, self._vocabulary),
                "p": round(candidate.probability, 6),
                # Free text is observed without a mask; what it is judged by has one.
                "allowed": candidate.allowed if matcher is None else matcher.allows(candidate.id),
            }
            for candidate in token.observed.candidates  # type: ignore[union-attr]  # asked for by step()
        ]


def verdict(form: Form, guide: Guide, data: bytes) -> dict[str, Any]:
    """Whether an output is what was asked for, decided anew from its bytes; if not, where and why not.

    A JSON text is judged by the schema alone, in any spelling, so that free text gets a fair hearing.
    """
    if form.kind == "json_schema":
        policies = {name: form.options[name] for name in _OF_VALUES if name in form.options}
        refusal = Validator(form.source, **policies, limits=guide.constraint.limits).check(data)
        if refusal is None:
            return {"valid": True}
        return {"valid": False, "reason": str(refusal), "pointer": refusal.pointer, "places": list(refusal.places)}
    if guide.matches(data):
        return {"valid": True}
    return {"valid": False, "reason": guide.matcher().explain_bytes(data), "pointer": "", "places": []}


def explained(
    guide: Guide,
    tokens: Sequence[int],
    asked: int | str | None = None,
    *,
    max_tokens: int | None = None,
    find: str = "",
) -> dict[str, Any]:
    """What can be said of the place after some tokens: what is allowed, how it could end, why one token or text is not.

    Args:
        guide: What the output is written by.
        tokens: The output so far.
        asked: A token id, or a text; None asks about the place alone.
        max_tokens: The budget of the whole output.
        find: What the sample of allowed tokens must hold.

    Raises:
        TokenError: the tokens are no beginning of an output.
        UnspellableError: the budget is too small.
    """
    matcher, vocabulary = guide.matcher(max_tokens=max_tokens), guide.vocabulary
    for token in tokens:
        matcher.advance(token)
    told: dict[str, Any] = {"allowed": sampled(matcher.mask(), vocabulary, find=find), "ending": _ending(matcher)}
    told["here"] = matcher.explain_bytes(b"")
    if isinstance(asked, int):
        told |= {
            "token": drawn(asked, vocabulary),
            "is_allowed": matcher.allows(asked),
            "words": matcher.explain(asked),
        }
    elif asked is not None:
        told |= _of_text(matcher, asked.encode("utf-8", "surrogatepass"))
    return told


def _of_text(matcher: Matcher, data: bytes) -> dict[str, Any]:
    """Whether a text can be read, and closed in time after it."""
    try:
        matcher.fork().advance_bytes(data)
    except TokenError as error:
        return {"is_allowed": False, "words": str(error)}
    return {"is_allowed": True, "words": matcher.explain_bytes(data)}


def costs(before: EngineStats, after: EngineStats) -> dict[str, Any]:
    """What the engine did between two pictures of it; ``is_alone`` if all of that was one run's."""
    others = before.running + before.queued + after.running + after.queued
    ended = (after.finished + after.failed + after.cancelled) - (before.finished + before.failed + before.cancelled)
    return {
        "passes": after.steps - before.steps,
        "seconds_model": round(after.seconds_model - before.seconds_model, 6),
        "seconds_masks": round(after.seconds_masks - before.seconds_masks, 6),
        "is_alone": others <= 1 and ended <= 1,
    }


def _ending(matcher: Matcher) -> str | None:
    """The shortest text that ends the output; None where it is not found within the limits."""
    try:
        return matcher.complete().decode(errors="replace")
    except LimitError:
        return None

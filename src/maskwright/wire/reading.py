"""From fields to the part of a request that both endpoints share."""

from __future__ import annotations

from typing import Any, Final

from maskwright.wire.fields import Reading
from maskwright.wire.formats import as_asked
from maskwright.wire.generation import Asked
from maskwright.wire.refusals import invalid
from maskwright.wire.sampling import BIAS_ENTRIES

__all__ = ["agreed", "least_tokens", "shared"]

#: Fields with a constraint that is read as one.
_ASKED: Final = ("structured_outputs", "grammar", "json_schema", "regex", "ebnf")
_COPIED: Final = (
    "model",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "n",
    "stream",
    "return_token_ids",
    "reasoning_format",
    "user",
    "prompt_cache_key",
)


def shared(found: Reading, compat: str) -> dict[str, Any]:
    """The fields of :class:`maskwright.wire.generation.Generation` but for lengths and logprobs.

    Raises ``RequestError`` for more than one constraint, and more biases than an API takes.
    """
    most = BIAS_ENTRIES[compat]
    if len(found["logit_bias"]) > most:
        raise invalid("logit_bias", f"there are at most {most} entries, not {len(found['logit_bias'])}")
    return {
        **{name: found[name] for name in _COPIED},
        "include_usage": found["stream_options"],
        "asked": _asked(found),
        "ignored": tuple(found.ignored),
    }


def _asked(found: Reading) -> Asked | None:
    root = found["grammar_root"]
    every = [
        as_asked(found["response_format"]),
        *(found[name] for name in _ASKED),
        None if root is None else Asked(kind="grammar_root", source=root, param="grammar_root"),
    ]
    asked = [one for one in every if one is not None]
    if len(asked) > 1:
        raise invalid(asked[1].param, f"a request has one constraint; {asked[0].param} is one already")
    return asked[0] if asked else None


def agreed(found: Reading, newer: str, older: str) -> tuple[str, int | None]:
    """The value that two names of one field have, and the name that it stands under.

    Raises ``RequestError`` if they differ: a limit that is quietly not kept is worse than a refusal.
    """
    one, other = found[newer], found[older]
    if one is not None and other is not None and one != other:
        raise invalid(older, f"it is the older name of {newer}, and they differ: {other} and {one}; send one of them")
    return (newer, one) if one is not None else (older, other)


def least_tokens(name: str, given: int | None, most: int | None) -> int:
    """Tokens before the end; -1 is as many as there can be. Raises ``RequestError`` beyond ``most``."""
    wanted = given or 0
    if most is None:
        return wanted
    if wanted > most:
        raise invalid(name, f"{wanted} tokens at least are more than {most} at most")
    return most if wanted == -1 else wanted

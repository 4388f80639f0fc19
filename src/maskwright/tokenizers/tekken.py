"""Mistral's ``tekken.json``: ranks after a block of special tokens.

Source: the file format as ``mistral-common`` reads it. The id of a rank is the rank plus the number of special tokens.
A file may hold more ranks than the model uses (150,000 against 130,072): ``default_vocab_size`` counts. Files up to
version 7 do not list their special tokens, their names are those of that time.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

from maskwright.tokenizers.content import Content, checked_path, parse_object, read_bytes, refusal
from maskwright.vocabulary import MAXIMUM_IDS, Vocabulary

__all__ = ["read_tekken"]

_FILE: Final = "tekken.json"
_REMEDY: Final = f"give the {_FILE} of a Mistral model"
_OLD_NAMES: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)


def read_tekken(
    path: str | PathLike[str], *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
) -> Vocabulary:
    """Read a file; see :meth:`maskwright.vocabulary.Vocabulary.from_tekken`."""
    place = checked_path(path, _REMEDY.removeprefix("give "))
    place = place / _FILE if place.is_dir() else place
    document: Mapping[str, Any] = parse_object(place, read_bytes(place, _REMEDY), _REMEDY)
    try:
        content = _content(place, document)
    except (AttributeError, KeyError, TypeError, Base64Error, ValueError) as cause:
        raise refusal(place, f"not a tekken file: {cause!r:.120}", _REMEDY) from cause
    return content.vocabulary(end_ids, logit_width)


def _content(place: Path, document: Mapping[str, Any]) -> Content:
    settings = document["config"]
    width, specials = int(settings["default_vocab_size"]), int(settings["default_num_special_tokens"])
    entries = document["vocab"]
    if not 0 <= specials < width <= min(specials + len(entries), MAXIMUM_IDS):
        reason = f"{width} ids with {specials} special ones do not fit to {len(entries)} tokens"
        raise refusal(place, reason, "fetch the file again, it is damaged")
    tokens = [b""] * width
    for entry in entries:
        rank = entry["rank"]
        if 0 <= rank < width - specials:
            tokens[specials + rank] = a2b_base64(entry["token_bytes"])
    if not all(tokens[specials:]):
        gap = next(i for i in range(specials, width) if not tokens[i])
        raise refusal(place, f"rank {gap - specials} is missing", "fetch the file again, it is damaged")
    return Content(place, tokens, _names(document.get("special_tokens"), specials))


def _names(listed: list[Mapping[str, Any]] | None, count: int) -> dict[str, int]:
    """Return the names of the special ids; those without one are called as ``mistral-common`` calls them."""
    if listed is None:
        known = dict(enumerate(_OLD_NAMES[:count]))
    else:
        known = {int(token["rank"]): str(token["token_str"]) for token in listed}
    return {known.get(i, f"<SPECIAL_{i}>"): i for i in range(count)}

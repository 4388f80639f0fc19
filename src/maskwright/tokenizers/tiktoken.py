"""tiktoken encodings: ``tiktoken.Encoding``, ``.tiktoken`` files and plain ranks.

Source: the ``tiktoken`` package. A file is one line per token, its bytes in base64 and its rank, which is its id. It
holds no control tokens; those of the public encodings are known here (``tiktoken_ext.openai_public``). The ids have
gaps: 100256 is no token of ``cl100k_base``.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from maskwright.tokenizers.content import Content, checked_path, listed_ids, read_bytes, refusal, rows_by_id
from maskwright.vocabulary import MAXIMUM_IDS, Vocabulary

__all__ = ["read_tiktoken"]

_WANTED: Final = "a tiktoken.Encoding (tiktoken.get_encoding(name)), a .tiktoken file, or a mapping of bytes to ranks"
_END: Final = "<|endoftext|>"

#: File name and number of ranks of a public encoding: its control tokens. The number is compared too, since a name
#: alone proves nothing.
_PUBLIC: Final[Mapping[tuple[str, int], Mapping[str, int]]] = {
    ("r50k_base", 50_256): {_END: 50_256},
    ("p50k_base", 50_280): {_END: 50_256},
    ("cl100k_base", 100_256): {
        _END: 100_257,
        "<|fim_prefix|>": 100_258,
        "<|fim_middle|>": 100_259,
        "<|fim_suffix|>": 100_260,
        "<|endofprompt|>": 100_276,
    },
    ("o200k_base", 199_998): {_END: 199_999, "<|endofprompt|>": 200_018},
}


def read_tiktoken(
    encoding: object,
    *,
    special_tokens: Mapping[str, int] | None = None,
    end_ids: Iterable[int] | None = None,
    logit_width: int | None = None,
) -> Vocabulary:
    """Read an encoding; see :meth:`maskwright.vocabulary.Vocabulary.from_tiktoken`."""
    place: object = "the encoding"
    specials: Mapping[str, int] = {}
    if isinstance(encoding, Mapping):
        ranks: Mapping[bytes, int] = encoding
    elif hasattr(encoding, "decode_single_token_bytes"):
        ranks, specials = _encoding_ranks(encoding)
    else:
        place = path = checked_path(encoding, _WANTED)
        ranks = _file_ranks(path)
        specials = _PUBLIC.get((path.stem, len(ranks)), {})
    ends = None if end_ids is None else listed_ids("end_ids", end_ids)
    content = _content(place, ranks, specials if special_tokens is None else special_tokens, ends or ())
    return content.vocabulary(ends, logit_width)


def _content(place: object, ranks: Mapping[bytes, int], specials: Mapping[str, int], ends: Iterable[int]) -> Content:
    """Put the ranks in order; end ids may lie beyond them, since the control tokens of a file are elsewhere."""
    beyond = {i for i in ends if type(i) is int and 0 <= i < MAXIMUM_IDS}
    tokens = rows_by_id(place, list(ranks), ranks.values(), {*specials.values(), *beyond})
    taken = set(ranks.values()).intersection(specials.values())
    if taken:
        raise refusal(place, f"id {min(taken)} is a rank and a special token", "give special_tokens of this encoding")
    return Content(place, tokens, dict(specials))


def _encoding_ranks(encoding: Any) -> tuple[dict[bytes, int], dict[str, int]]:
    """Ask an encoding, id by id: its list of all bytes is sorted by bytes and does not tell the ids."""
    specials = {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    ranks: dict[bytes, int] = {}
    control = set(specials.values())
    for i in range(encoding.n_vocab):
        if i not in control:
            try:
                ranks[encoding.decode_single_token_bytes(i)] = i
            except KeyError:  # a gap
                continue
    return ranks, specials


def _file_ranks(path: Path) -> dict[bytes, int]:
    lines = read_bytes(path, f"give {_WANTED}").split()
    remedy = "give a file whose lines are a token in base64 and its rank"
    try:
        ranks = dict(zip(map(a2b_base64, lines[::2]), map(int, lines[1::2]), strict=True))
    except (Base64Error, ValueError) as cause:
        raise refusal(path, f"not a .tiktoken file: {cause}", remedy) from cause
    if not ranks:
        raise refusal(path, "the file is empty", remedy)
    if len(ranks) * 2 != len(lines):
        raise refusal(path, "two lines hold the same token", remedy)
    return ranks

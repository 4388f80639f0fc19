"""Texts and vocabularies that the tests of several formats share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from maskwright.vocabulary import Vocabulary
from tests.registry import fetch

if TYPE_CHECKING:
    from collections.abc import Callable

#: Texts that tokenizers disagree about: scripts, emoji with joiners, controls, runs of blanks, look-alikes of tokens.
HARD_TEXTS: Final = (
    "Hello, world! It's 12345 o'clock.",
    '{"name": "Zoë", "tags": ["a\\n", "\\u00e9"], "n": -1.5e+10}\n',
    "  leading, trailing   and\t\ttabs  \r\n\r\n\n\n",
    "日本語のテキストと한국어와 العربية и русский",
    "👩‍👩‍👧‍👦🏳️‍🌈 \U0001f9ff\U00020000鿫",
    "e\u0301 n\u0303 \ufb01 \u212b",
    "\x00\x01\x7f\u0080\u00a0\u00ad\u2028\ufeff\ufffd",
    "</s><|im_end|><|endoftext|><0x41><unk>",
    "def f(x):\n        return {k: v for k, v in x.items()}\n",
    "\u0120\u010a \u00c2\u00e9 \u0100",
)


@cache
def real(reader: str, name: str) -> Vocabulary:
    """Return the vocabulary of a pinned file, read once for all tests."""
    read: Callable[..., Vocabulary] = getattr(Vocabulary, f"from_{reader}")
    return read(fetch(name))

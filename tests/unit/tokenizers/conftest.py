"""Texts and vocabularies that the tests of several formats share."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

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


#: Values that stand where another kind of value belongs.
_ODD: Final[list[Any]] = [None, True, -1, 0, 3, 1.5, 2**70, "", "a", "\ud800", [], [[]], ["a"], {}, {"type": "a"}]


def _places(document: object) -> list[list[Any]]:
    """Return the path of every value inside a JSON document."""
    found: list[list[Any]] = []
    pending: list[tuple[list[Any], object]] = [([], document)]
    while pending:
        path, value = pending.pop()
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in entries:
            found.append([*path, key])
            pending.append(([*path, key], inner))
    return found


@st.composite
def damaged(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON document with one or two of its values removed or replaced by an odd one."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        places = _places(changed)
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        inner: Any = changed
        for key in path:
            inner = inner[key]
        if draw(st.booleans()):
            inner[last] = copy.deepcopy(draw(st.sampled_from(_ODD)))
        else:
            del inner[last]
    return changed

"""The engine-neutral cases, by bytes, by tokens of real vocabularies, and by their next bytes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import maskwright as mw
from tests.oracle.masks import SINGLES, in_mask, make_vocabulary
from tests.registry import fetch

BYTES: Final = make_vocabulary(SINGLES)
CASES: Final[list[dict[str, Any]]] = [
    case for path in sorted(Path(__file__).parent.glob("*.toml")) for case in tomllib.loads(path.read_text())["case"]
]


@cache
def vocabulary(name: str) -> mw.Vocabulary:
    if name == "bytes":
        return BYTES
    if name == "smollm2":
        return mw.Vocabulary.from_gguf(fetch("smollm2.gguf"))
    return mw.Vocabulary.from_huggingface(str(fetch("llama3/tokenizer.json")))


def guide_of(case: dict[str, Any], name: str) -> mw.Guide:
    for notation in ("gbnf", "ebnf"):
        if notation in case:
            return mw.compile(getattr(mw, notation)(case[notation]), vocabulary(name))
    policies = {"property_order": "any", "whitespace": "compact", **case.get("policies", {})}
    return mw.compile(mw.json_schema(case["schema"], **policies), vocabulary(name))


def can_be_written(matcher: mw.Matcher, text: bytes) -> bool:
    """Whether the longest tokens along a text pass every mask, and the output may end after it."""
    longest = max(map(len, matcher.vocabulary.tokens))
    ids = _ids(matcher.vocabulary)
    at = 0
    while at < len(text):
        size = next(n for n in range(min(longest, len(text) - at), 0, -1) if text[at : at + n] in ids)
        if not matcher.allows(ids[text[at : at + size]]):
            return False
        matcher.advance(ids[text[at : at + size]])
        at += size
    return all(matcher.allows(token) for token in matcher.vocabulary.end_ids)


@cache
def _ids(given: mw.Vocabulary) -> dict[bytes, int]:
    return {token: i for i, token in enumerate(given.tokens) if token}


@pytest.mark.parametrize("name", ["bytes", "smollm2", "llama3"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_outputs(case: dict[str, Any], name: str) -> None:
    """Outputs are accepted or rejected whole, as bytes and as tokens."""
    guide = guide_of(case, name)
    for verdict in ("accepted", "rejected"):
        for text in case[verdict]:
            good = verdict == "accepted"
            assert guide.matches(text) is good, text
            assert can_be_written(guide.matcher(), text.encode()) is good, text


@pytest.mark.parametrize("case", [case for case in CASES if "next" in case], ids=lambda case: case["name"])
def test_next_bytes(case: dict[str, Any]) -> None:
    """After each beginning, ASCII bytes that may follow outside of escapes are those of the table."""
    for beginning, expected in case["next"].items():
        matcher = guide_of(case, "bytes").matcher()
        matcher.advance_bytes(beginning.encode())
        found = {chr(token - 1) for token in in_mask(matcher) if 0 < token <= 0x80}
        in_key = "schema" in case and ('"' in expected or "\\" in expected)
        assert found - ({"\\"} if in_key and "\\" not in expected else set()) == set(expected), beginning

"""What users of other engines reported: each case of ``../shared/cases`` is decided right, or refused by name."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import maskwright as mw
from maskwright.errors import MaskwrightError, UnsatisfiableError
from tests.conformance.verdicts import BYTES, SHARED
from tests.oracle.masks import in_mask

FILE = SHARED / "cases/open.jsonl"
#: Cases that wait for a later issue: id -> words of the reason with which they are refused.
REFUSED: Final[dict[str, str]] = json.loads(Path(__file__).with_name("open_cases_refused.json").read_text())

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="the cases are not here: put the workplace's folder shared beside the clone"
)


@cache
def cases(kind: str) -> dict[str, dict[str, Any]]:
    rows = [json.loads(line) for line in FILE.read_text().split("\n") if line] if FILE.exists() else []
    return {row["id"]: row for row in rows if row["constraint_kind"] == kind}


def constraint_of(kind: str, value: Any) -> mw.Constraint:
    if kind == "grammar":
        if isinstance(value, str):
            return mw.lark(value, lexer="exact")
        return mw.lark(value["text"]) if value["syntax"] == "lark" else mw.gbnf(value["text"])
    if kind == "tool":
        return _tool(value)
    if kind == "regex":
        return mw.regex(value["pattern"] if isinstance(value, dict) else value)
    return mw.json_schema(value, property_order="any", whitespace="any")


def _tool(value: dict[str, Any]) -> mw.Constraint:
    """The three ways in which the cases write tool calls."""
    if "tools" in value:
        assert value["tool_choice"] == "required"
        parallel = value["parallel_tool_calls"]
        return mw.grammar_root("funcarray", tools=value["tools"], parallel=parallel, whitespace="any")
    tag = {"begin": value.get("begin", value.get("trigger")), "end": value["end"]}
    content = {"type": "json_schema", "json_schema": value.get("schema", value.get("body"))}
    if not value.get("free_text"):
        return mw.structural_tag({"type": "tag", **tag, "content": content})
    tags = [{**tag, "content": content}]
    return mw.structural_tag({"type": "triggered_tags", "triggers": [value["trigger"]], "tags": tags})


def generated(name: str) -> Any:
    """The constraints that the file gives as a program (``constraint_gen``)."""
    text, null = {"type": "string"}, {"type": "null"}
    tail = {"x": text, "y": {"anyOf": [text, null]}}
    variants = [
        {
            "type": "object",
            "properties": {"t": {"const": f"v{i:02}"}, **tail},
            "required": ["t", "x"],
            "additionalProperties": False,
        }
        for i in range(60)
    ]
    nested: Any = {"type": "integer"}
    for _ in range(10_000):
        nested = {"type": "array", "items": nested}
    return {
        "S01": {"type": "object", "properties": {f"p{i:02}": text for i in range(24)}, "additionalProperties": False},
        "S03": {
            "type": "object",
            "properties": {"k": {"anyOf": variants}},
            "required": ["k"],
            "additionalProperties": False,
        },
        "S05": {"enum": [f"item-{i:05}" for i in range(20_000)]},
        "S15": nested,
        "G06": {"syntax": "gbnf", "text": "root ::= " + "(" * 60_000 + '"a"' + ")" * 60_000},
        "G08": {"syntax": "gbnf", "text": "root ::= " + "(" * 30_000 + '"a"' + ")" * 30_000},
    }[name]


KINDS: Final = ("json_schema", "regex", "grammar", "tool")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in cases(kind)])
def test_texts(kind: str, name: str) -> None:
    """Outputs of the case are accepted, others are not; a case on the list is refused, with its reason."""
    case = cases(kind)[name]
    try:
        guide = mw.compile(constraint_of(case["constraint_kind"], case["constraint"] or generated(name)), BYTES)
    except UnsatisfiableError:
        assert not case["accept"]
        return
    except MaskwrightError as error:
        assert "error" in case["expect"] or (name in REFUSED and REFUSED[name] in str(error)), error  # noqa: PT017  (either is right)
        return
    assert name not in REFUSED, "supported now: take it off the list"
    wrong = [text for text in case["accept"] if not guide.matches(text)]
    wrong += [text for text in case["reject"] if guide.matches(text)]
    assert not wrong


@pytest.mark.parametrize("name", [name for name, case in cases("tokenizer").items() if "vocab" in case["constraint"]])
def test_vocabularies(name: str) -> None:
    """With the vocabulary of the case, its outputs can be written token by token, and end only where they are whole."""
    given = cases("tokenizer")[name]["constraint"]
    latin = cases("tokenizer")[name].get("vocab_bytes")
    tokens = [b"" if piece == "special" else piece.encode("latin-1") for piece in latin or ()]
    tokens = tokens or [
        b"" if i in given.get("special", ()) else token.encode() for i, token in enumerate(given["vocab"])
    ]
    ends = given.get("eos", [0])
    vocabulary = mw.Vocabulary.from_tokens(tokens, end_ids=[ends] if isinstance(ends, int) else ends)
    guide = mw.compile(constraint_of(given["type"], given["value"]), vocabulary)
    for text in cases("tokenizer")[name]["accept"]:
        assert _can_be_written(guide.matcher(), text.encode()), text
    for text in cases("tokenizer")[name]["reject"]:
        assert not _can_be_written(guide.matcher(), text.encode()), text


def _can_be_written(matcher: mw.Matcher, text: bytes) -> bool:
    """Whether some cut of a text into tokens passes every mask, and all end tokens are open after it and only then."""
    if not text:
        ends = matcher.vocabulary.end_ids
        return in_mask(matcher) >= ends
    for token in sorted(in_mask(matcher)):
        data = matcher.vocabulary.tokens[token]
        if data and text.startswith(data):
            matcher.advance(token)
            written = _can_be_written(matcher, text[len(data) :])
            matcher.rollback()
            if written:
                return True
    return False

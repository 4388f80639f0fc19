"""What a mask lets a model write is always read again: random walks through tool calls, for every format."""

from __future__ import annotations

import json
import random
from typing import Any, Final

import jsonschema
import pytest

import maskwright as mw
from maskwright.tags.formats import FORMATS, ToolFormat
from maskwright.tags.parsing import ToolParser
from maskwright.tags.parsing_events import Parsed
from tests.properties.walks import allowed

SCHEMAS: Final[dict[str, Any]] = {
    "get_weather": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 0},
            "note": {"type": ["string", "null", "integer", "array"]},
            "parts": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": ["null", "boolean"]}}}},
        },
        "required": ["city"],
    },
    "get": {
        "type": "object",
        "properties": {"id": {"enum": ["a", "</tool_call>", 1]}},
        "required": ["id"],
        "additionalProperties": False,
    },
}
TOOLS: Final = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]
WORDS: Final = (
    *(
        '{"',
        '"name"',
        '"arguments"',
        ": ",
        "get",
        "_weather",
        '":',
        '"}',
        "}}",
        "</",
        "<",
        "\n\n",
        '"city"',
        "Hi ",
        "é",
    ),
    *("\U0001f600", "[{", '"id"', '"parameters"', ", ", "}\n", "<tool", "_call>", ">>>", "all\n", '{"name": "get", "'),
)
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "auto": {},
    "required": {"choice": "required"},
    "named": {"choice": "get"},
    "single": {"parallel": False},
    "none": {"choice": "none"},
    "thinking": {"thinking": True, "whitespace": "compact"},
}


def vocabulary(form: ToolFormat, *, has_control_tokens: bool) -> mw.Vocabulary:
    """All bytes, some words, and the format's markers: as control tokens or as text."""
    tokens = [b"", *(bytes([byte]) for byte in range(256)), *(word.encode() for word in WORDS)]
    markers = (*form.markers, form.thinking_end)
    names = {marker: len(tokens) + place for place, marker in enumerate(markers)} if has_control_tokens else {}
    tokens += [b"" if has_control_tokens else marker.encode() for marker in markers]
    return mw.Vocabulary.from_tokens(tokens, end_ids=[0], special_names=names)


def written(constraint: mw.Constraint, vocabulary: mw.Vocabulary, chance: random.Random) -> bytes:
    """An output, with a taste for long and control tokens."""
    matcher = mw.compile(constraint, vocabulary).matcher()
    for _ in range(chance.randrange(5, 80)):
        ids = allowed(matcher)
        rare = [token for token in ids if token and len(vocabulary.tokens[token]) != 1]
        ids = rare if rare and chance.random() < 0.6 else [token for token in ids if token] or ids
        if matcher.is_accepting and chance.random() < 0.05:
            return matcher.text
        matcher.advance(chance.choice(ids))
        if matcher.is_finished:
            return matcher.text
    return matcher.text + matcher.complete()


@pytest.mark.parametrize("asked", OPTIONS)
@pytest.mark.parametrize("name", sorted({form.name for form in FORMATS.values()}))
def test_what_was_written_under_a_mask_is_read_again(name: str, asked: str) -> None:
    """Law: outputs of ``tools`` parse, arguments are those of the schemas, and the choice shows in the calls."""
    constraint = mw.tools(TOOLS, format=name, **OPTIONS[asked])
    for seed in range(2):
        chance = random.Random(f"{name} {asked} {seed}")
        text = written(constraint, vocabulary(FORMATS[name], has_control_tokens=seed % 2 == 0), chance)
        parser = mw.parser_of(constraint)
        assert isinstance(parser, ToolParser)
        while text:
            size = chance.randrange(1, 20)
            parser.feed(text[:size])
            text = text[size:]
        check(parser.close(), asked, has_preamble=name == "harmony")


def check(parsed: Parsed, asked: str, *, has_preamble: bool) -> None:
    for call in parsed.calls:
        jsonschema.validate(call.value, SCHEMAS[call.name])
        assert json.loads(call.arguments) == call.value
    if asked in ("required", "named"):
        assert parsed.calls
        assert has_preamble or not parsed.content
    if asked in ("named", "single"):
        assert len(parsed.calls) <= 1
    if asked == "named":
        assert parsed.calls[0].name == "get"
    if asked == "none":
        assert not parsed.calls

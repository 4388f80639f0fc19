"""What a mask lets a model write is always read again: random walks through tool calls, values and roots."""

from __future__ import annotations

import json
import math
import random
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import jsonschema
import pytest

import maskwright as mw
from maskwright.errors import OutputError
from maskwright.tags.formats import FORMATS, ToolFormat
from maskwright.tags.parsing import ToolParser
from maskwright.tags.parsing_events import Parsed
from maskwright.tags.partial import ValueParser
from tests.conformance.verdicts import BYTES
from tests.properties.walks import allowed, walk

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


def fed(constraint: mw.Constraint, text: bytes, chance: random.Random) -> Any:
    parser = mw.parser_of(constraint)
    while text:
        size = chance.randrange(1, 20)
        parser.feed(text[:size])
        text = text[size:]
    return parser.close()


def far(text: str) -> float | Decimal:
    """A number with a point or an exponent: exactly, where no float reaches it."""
    return float(text) if math.isfinite(float(text)) else Decimal(text)


def agrees(constraint: mw.Constraint, text: bytes, chance: random.Random, begun: str = "") -> None:
    """What is read is what the standard library reads; only a number beyond every ``Decimal`` is refused."""
    try:
        value = json.loads(begun + text.decode(), parse_float=far)
    except InvalidOperation:
        with pytest.raises(OutputError, match="no Decimal can hold"):
            fed(constraint, text, chance)
    else:
        assert repr(fed(constraint, text, chance)) == repr(value)


VALUES: Final[dict[str, Any]] = {
    "anything": True,
    "strings": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "number"}, "minItems": 2},
    "tree": {"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "additionalProperties": {"$ref": "#/$defs/t"}}}},
    "words": {"enum": ["\ud83d\ude00", "\u00e9\n", None, True, 1e300, [], {}]},
}


@pytest.mark.parametrize("policies", [{}, {"whitespace": "any", "numbers": "exact"}, {"escapes": "minimal"}], ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_values_are_what_the_standard_library_reads(name: str, policies: dict[str, Any]) -> None:
    """Law: the parser of a schema's outputs gives the value of ``json.loads``, and never infinity."""
    constraint = mw.json_schema(VALUES[name], **policies)
    guide = mw.compile(constraint, BYTES)
    for seed in range(2):
        chance = random.Random(f"{name} {seed}")
        text = walk(guide, chance, budget=40)
        assert isinstance(mw.parser_of(constraint), ValueParser)
        agrees(constraint, text, chance)


@pytest.mark.parametrize(
    "root", ["root", "fcall", "nofcall", "func", "funcarray", "value", "object", "string", "number"]
)
def test_outputs_of_roots_are_read(root: str) -> None:
    """Law: calls of the roots are calls, their values are values, and all else is text."""
    pytest.importorskip("lark")
    is_call = root in ("root", "fcall", "func", "funcarray")
    tools = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()] if is_call else None
    constraint = mw.grammar_root(root, tools=tools)
    guide = mw.compile(constraint, BYTES)
    for seed in range(2):
        chance = random.Random(f"{root} {seed}")
        text = walk(guide, chance, budget=40)
        if isinstance(mw.parser_of(constraint), ValueParser):
            agrees(constraint, text, chance)
            continue
        found = fed(constraint, text, chance)
        assert bool(found.calls) == (text.lstrip()[:1] in (b"{", b"["))
        assert found.calls or found.content == text.decode()
        check(found, "auto", has_preamble=False)


@pytest.mark.parametrize("prefix", ["", '{"a": [1, "x', '["\\ud83d', "[1, {", '{"a', "-1"])
def test_a_value_that_a_prompt_has_begun_is_read_to_its_end(prefix: str) -> None:
    """Law: the parser of ``insidevalue`` gives the value of what was begun and what was written together."""
    pytest.importorskip("lark")
    constraint = mw.grammar_root("insidevalue", prefix=prefix)
    guide = mw.compile(constraint, BYTES)
    for seed in range(2):
        chance = random.Random(f"{prefix} {seed}")
        text = walk(guide, chance, budget=30)
        agrees(constraint, text, chance, prefix)

"""What the mask of tools allows: the parser reads it, the schemas accept it, vocabularies of models can write it."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest

import maskwright as mw
from maskwright.tags.formats import FORMATS, split_markers
from maskwright.tags.parsing import parser_of
from maskwright.tags.tools import tools
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.registry import fetch

SCHEMAS: dict[str, dict[str, Any]] = {
    "f": {
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "u": {"type": ["string", "integer", "null"]},
            "s": {"type": "string"},
            "o": {"type": "object", "additionalProperties": {"type": "array"}},
        },
        "required": ["x"],
        "additionalProperties": False,
    },
    "f_g": {
        "type": "object",
        "properties": {"y": {"type": "string", "maxLength": 5}},
        "additionalProperties": False,
    },
}
TOOLS = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
#: Characters that calls are made of, so that walks meet their beginnings and ends.
TASTE = {*b'<>/|{}[]":,abexyus1-. \n_\\=ToolCALRGS'}


def walked(guide: mw.Guide, chance: random.Random) -> bytes:
    matcher = guide.matcher()
    for _ in range(chance.choice((5, 40, 100))):
        ids = sorted(in_mask(matcher) - {0})
        if not ids:
            break
        matcher.advance(chance.choice([token for token in ids if token - 1 in TASTE] or ids))
    return matcher.text + matcher.complete()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("choice", "parallel"), [("auto", True), ("auto", False), ("required", True), ("f", True)])
def test_the_parser_reads_what_the_mask_allows(form: str, choice: str, parallel: bool) -> None:
    """As calls of the tools that may be called, with arguments that their schemas accept, as many as may be."""
    constraint = tools(TOOLS, format=form, choice=choice, parallel=parallel)
    guide = mw.compile(constraint, BYTES)
    for seed in range(3):
        parser = parser_of(constraint)
        parser.feed(walked(guide, random.Random(seed)))
        calls = parser.close().calls  # type: ignore[union-attr]
        for call in calls:
            arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
            jsonschema.validate(arguments, SCHEMAS[call.name])
        assert choice == "auto" or calls
        assert parallel or len(calls) < 2
        assert choice != "f" or [call.name for call in calls] == ["f"]


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if form.trigger])
def test_masks_of_long_tokens(form: str) -> None:
    """Tokens that span the borders of what a format writes: the mask is what can be read."""
    chance = random.Random(form)
    plain = mw.compile(tools(TOOLS, format=form), BYTES)
    texts = [walked(plain, chance) for _ in range(6)]
    cuts = [text[at : at + chance.randint(2, 9)] for text in texts for at in range(0, len(text) - 1, 7)]
    guide = mw.compile(tools(TOOLS, format=form), make_vocabulary([*SINGLES, *dict.fromkeys(cuts)]))
    matcher = guide.matcher()
    for byte in max(texts, key=len)[:60]:
        assert in_mask(matcher) == by_reading(matcher), matcher.text
        matcher.advance(byte + 1)


@pytest.mark.parametrize("form", ["phi4", "deepseek", "kimi", "mistral", "functionary_v2", "hermes", "harmony"])
def test_control_tokens_stand_where_their_text_would(form: str) -> None:
    """A vocabulary that has the tokens writes the same turns, with them; their spelled names stay text of nothing."""
    layout = FORMATS[form]
    vocabulary = mw.Vocabulary.from_tokens(
        [b"", *SINGLES, *[b""] * len(layout.markers)],
        end_ids=[0],
        special_names={marker: 257 + i for i, marker in enumerate(layout.markers)},
    )
    constraint = tools(TOOLS, format=form, choice="required")
    plain, named = mw.compile(constraint, BYTES), mw.compile(constraint, vocabulary)
    for seed in range(3):
        text = walked(plain, random.Random(seed)).decode()
        matcher, spelled = named.matcher(), named.matcher()
        for part, is_marker in split_markers(text, layout.markers):
            for token in [vocabulary.special_names[part]] if is_marker else [byte + 1 for byte in part.encode()]:
                assert matcher.allows(token), (text, matcher.text)
                matcher.advance(token)
        assert matcher.is_accepting
        assert matcher.text == text.encode()
        assert not spelled.can_read(text.encode())


@pytest.mark.parametrize("form", ["hermes", "mistral", "kimi", "harmony", "phi4"])
@pytest.mark.parametrize("has_tokens", [True, False])
def test_rollback_and_fork_through_calls(form: str, has_tokens: bool) -> None:
    """Whatever was read and taken back: masks are those of a matcher that read only what is left."""
    names = (*FORMATS[form].markers, "</think>") if has_tokens else ()
    texts = [b"", *SINGLES, b'{"name', b'": "f', b'"x": 1}', b"}\n</tool", b"ok <tool", b"\n\n", b"f[ARGS]"]
    vocabulary = mw.Vocabulary.from_tokens(
        [*texts, *[b""] * len(names)],
        end_ids=[0],
        special_names={name: len(texts) + i for i, name in enumerate(names)},
    )
    guide = mw.compile(tools(TOOLS, format=form, choice="required", thinking=True), vocabulary)
    chance = random.Random(form)
    matcher, read = guide.matcher(), list[int]()
    for _ in range(90):
        if read and chance.random() < 0.3:
            count = chance.randint(1, min(4, len(read)))
            matcher.rollback(count)
            del read[-count:]
        else:
            matcher = matcher.fork() if chance.random() < 0.2 else matcher
            ids = sorted(in_mask(matcher) - {0})
            if not ids:
                continue
            token = chance.choice([i for i in ids if i > len(SINGLES) or i - 1 in TASTE] or ids)
            matcher.advance(token)
            read.append(token)
        fresh = guide.matcher()
        for token in read:
            fresh.advance(token)
        assert (matcher.text, matcher.is_accepting) == (fresh.text, fresh.is_accepting)
        assert in_mask(matcher) == in_mask(fresh) == {i for i in range(len(vocabulary)) if matcher.allows(i)}


def test_harmony_ends_with_the_tokens_that_end_it() -> None:
    """``<|call|>`` and ``<|return|>`` are end ids of gpt-oss as it is served, and marks of its format."""
    ids = {marker: 257 + i for i, marker in enumerate(FORMATS["harmony"].markers)}
    ends = {ids["<|call|>"], ids["<|return|>"]}
    vocabulary = mw.Vocabulary.from_tokens([b"", *SINGLES, *[b""] * len(ids)], end_ids=ends, special_names=ids)
    matcher = mw.compile(tools(TOOLS, format="harmony", choice="required", parallel=False), vocabulary).matcher()
    for part in (ids["<|channel|>"], b"commentary to=functions.f ", ids["<|constrain|>"], b"json", ids["<|message|>"]):
        for token in [part] if isinstance(part, int) else [byte + 1 for byte in part]:
            assert in_mask(matcher).isdisjoint(ends)
            matcher.advance(token)
    for byte in b'{"x":1}':
        matcher.advance(byte + 1)
    assert in_mask(matcher) == ends


#: Whether the token is a control token there; the others are ordinary text that is one token.
VOCABULARIES = [("mistral/tekken.json", "mistral", True), ("qwen3/tokenizer.json", "hermes", False)]


@pytest.mark.parametrize(("name", "form", "is_control"), VOCABULARIES)
def test_vocabularies_of_models(name: str, form: str, is_control: bool) -> None:
    """The token that begins a call is allowed after text, and commits to a call."""
    read = mw.Vocabulary.from_tekken if name.endswith("tekken.json") else mw.Vocabulary.from_huggingface
    vocabulary = read(str(fetch(name)))
    trigger = FORMATS[form].trigger
    assert (trigger in vocabulary.special_names) == is_control
    token = vocabulary.special_names[trigger] if is_control else vocabulary.tokens.index(trigger.encode())
    matcher = mw.compile(tools(TOOLS, format=form), vocabulary).matcher()
    matcher.advance(vocabulary.tokens.index(b"I"))
    assert matcher.allows(token)
    assert matcher.is_accepting
    matcher.advance(token)
    assert not matcher.is_accepting
    begin = b"f" if is_control else b"\n"
    assert {vocabulary.tokens[i][:1] for i in in_mask(matcher)} == {begin}

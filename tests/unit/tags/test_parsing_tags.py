"""Structural tags read again: free text, what began a tag, what stood in it, what ended it."""

from __future__ import annotations

import random
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import OutputError
from maskwright.tags.parsing import TagParser, ToolParser
from maskwright.tags.parsing_events import ContentDelta, Parsed, Tag, TagBegin, TagDelta, TagEnd
from maskwright.tags.partial_place import Malformed
from tests.properties.walks import allowed

NUMBER = {"type": "json_schema", "json_schema": {"type": "integer"}}
ANY = {"type": "json_schema", "json_schema": True}
TEXT = {"type": "any_text"}


def tag(begin: Any, content: Any, end: Any) -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


TRIGGERED = {
    "type": "triggered_tags",
    "triggers": ["<f=", "<note>"],
    "tags": [tag("<f=a>", ANY, "</f>"), tag("<f=ab>", NUMBER, "</f>"), tag("<note>", TEXT, ["</note>", "<br>"])],
}
SEPARATED = {"type": "tags_with_separator", "tags": [tag("(", NUMBER, ")"), tag("[", TEXT, "]")], "separator": ", "}
LEGACY = {
    "type": "structural_tag",
    "triggers": ["<function="],
    "structures": [{"begin": "<function=f>", "schema": {"type": "object"}, "end": "</function>"}],
}
TOKENS = {
    "type": "token_triggered_tags",
    "trigger_tokens": ["<|call|>"],
    "tags": [tag({"type": "token", "token": "<|call|>"}, NUMBER, {"type": "token", "token": "<|end|>"})],
}


def read(format: Any, text: str, size: int = 1 << 30, **options: Any) -> tuple[list[Any], Parsed]:  # noqa: A002
    parser = mw.parser_of(mw.structural_tag(format, **options))
    assert isinstance(parser, TagParser)
    events = [event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])]
    return events, parser.close()


@pytest.mark.parametrize("size", [1, 3, 1 << 30])
@pytest.mark.parametrize(
    ("format", "text", "content", "tags"),
    [
        (TRIGGERED, "", "", []),
        (TRIGGERED, " \n", " \n", []),
        (TRIGGERED, "a < b <f", "a < b <f", []),
        (TRIGGERED, 'x<f=a>{"a": "</f>"}</f> <f=ab>12</f>y', "x y", [("<f=a>", {"a": "</f>"}), ("<f=ab>", 12)]),
        (TRIGGERED, "<f=a>true</f><f=a>-1.5e3</f>", "", [("<f=a>", True), ("<f=a>", -1500.0)]),
        (TRIGGERED, "<note>a < b</b></note><note><br>", "", [("<note>", "a < b</b>"), ("<note>", "")]),
        (SEPARATED, "", "", []),
        (SEPARATED, "(1)", "", [("(", 1)]),
        (SEPARATED, "(1), [a, b], (2)", "", [("(", 1), ("[", "a, b"), ("(", 2)]),
        (tag("<a>", NUMBER, ""), "<a>17", "", [("<a>", 17)]),
        (tag("<a>", TEXT, ""), "<a>b</a>", "", [("<a>", "b</a>")]),
        (tag("<a>", TEXT, "</a>"), "<a>b</a>", "", [("<a>", "b")]),
        (LEGACY, 'Hi <function=f>{"a": 1}</function>!', "Hi !", [("<function=f>", {"a": 1})]),
        (TOKENS, "a<|call|>1<|end|>b", "ab", [("<|call|>", 1)]),
    ],
)
def test_texts_are_taken_apart(format: Any, text: str, content: str, tags: list[Any], size: int) -> None:  # noqa: A002
    _, parsed = read(format, text, size)
    assert parsed.content == content
    assert [(found.begin, found.text if found.value is None else found.value) for found in parsed.tags] == tags


def test_events_come_as_soon_as_they_are_sure() -> None:
    parser = mw.parser_of(mw.structural_tag(TRIGGERED))
    assert parser.feed("Hi <f") == [ContentDelta("Hi ")]
    assert parser.feed("=a") == []
    assert parser.feed('>{"b') == [TagBegin(0, "<f=a>"), TagDelta(0, '{"b')]
    assert parser.feed('": 1}</') == [TagDelta(0, '": 1}')]
    assert parser.feed("f>\n") == [TagEnd(0, Tag("<f=a>", '{"b": 1}', "</f>", {"b": 1})), ContentDelta("\n")]


@pytest.mark.parametrize(
    ("format", "text", "message", "rest"),
    [
        (TRIGGERED, "a<f=c>", "1:2: no tag begins like this", "<f=c>"),
        (TRIGGERED, "<f=a>1</f><f=a>[1}</f>", "1:18: expected , or ]", "<f=a>[1}</f>"),
        (TRIGGERED, "<f=a>[1]</g>", "1:9: expected </f>", "<f=a>[1]</g>"),
        (TRIGGERED, "<f=a>[1]</", "1:11: the text ends inside a tag", "<f=a>[1]</"),
        (TRIGGERED, "<f=a>[1", "1:8: the text ends inside a tag", "<f=a>[1"),
        (TRIGGERED, "<note>abc", "1:10: the text ends inside a tag", "<note>abc"),
        (SEPARATED, "(1),(2)", "1:4: expected , ", ",(2)"),
        (tag("<a>", TEXT, "</a>"), "<a>b</a>c", "1:9: expected the end of the text", "c"),
    ],
)
def test_errors_tell_the_place_and_keep_what_was_read(format: Any, text: str, message: str, rest: str) -> None:  # noqa: A002
    parser = mw.parser_of(mw.structural_tag(format))
    found = [event for character in text for event in parser.feed(character)]
    with pytest.raises(OutputError) as caught:
        parser.close()
    assert str(caught.value).startswith(message)
    assert caught.value.parsed.rest == rest
    assert sum(isinstance(event, Malformed) for event in found) <= 1


def test_thinking_stands_before_the_text() -> None:
    asked = {"type": "structural_tag", "format": TRIGGERED}
    parser = mw.parser_of(mw.response_format(asked, thinking=True))
    parser.feed("<f=a> is it?</think>\n\nHi<f=a>1</f>")
    parsed = parser.close()
    assert (parsed.reasoning, parsed.content, parsed.tags[0].value) == ("<f=a> is it?", "Hi", 1)


@pytest.mark.parametrize(
    "format",
    [{"type": "sequence", "elements": [tag("<a>", NUMBER, "</a>"), TEXT]}, {"type": "any_text"}],
)
def test_other_formats_are_text(format: Any) -> None:  # noqa: A002
    parser = mw.parser_of(mw.structural_tag(format))
    assert isinstance(parser, ToolParser)
    parser.feed("<a>1</a>x")
    assert parser.close().content == "<a>1</a>x"


@pytest.mark.parametrize(
    "format", [TRIGGERED, SEPARATED, LEGACY, TOKENS], ids=["triggered", "separated", "older", "tokens"]
)
@pytest.mark.parametrize("seed", range(3))
def test_what_was_written_under_a_mask_is_read_again(format: Any, seed: int) -> None:  # noqa: A002
    """Law: outputs of a structural tag parse, and their parts make up the text."""
    chance = random.Random(seed)
    words = [b"<f=", b"<note>", b"a>", b"</f>", b"<", b"</", b"{", b'"', b"]", b"<function=", b"f>", b"{}", b"12"]
    tokens = [b"", *(bytes([byte]) for byte in range(256)), *words, b"", b""]
    names = {"<|call|>": len(tokens) - 2, "<|end|>": len(tokens) - 1}
    vocabulary = mw.Vocabulary.from_tokens(tokens, end_ids=[0], special_names=names)
    constraint = mw.structural_tag(format)
    matcher = mw.compile(constraint, vocabulary).matcher()
    for _ in range(chance.randrange(60)):
        ids = [token for token in allowed(matcher) if token]
        rare = [token for token in ids if token > 256]
        if not ids:
            break
        matcher.advance(chance.choice(rare if rare and chance.random() < 0.7 else ids))
    text = matcher.text + matcher.complete()
    parser = mw.parser_of(constraint)
    parser.feed(text)
    parsed = parser.close()
    written = [found.begin + found.text + found.end for found in parsed.tags]
    assert sorted((parsed.content + "".join(written)).replace(", ", "")) == sorted(text.decode().replace(", ", ""))

"""Structural tags: random formats against a recogniser that tries every split, faults with their JSON pointers."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import LimitError, SchemaError, UnsatisfiableError, UnsupportedError
from maskwright.tags.structural import structural_tag
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import SINGLES, along_recogniser, by_reading, in_mask, make_vocabulary
from tests.unit.tags.structures import accepts

STRINGS = ["ab", "aba", "a", "bb", "<a>", "</a>", "<", "b<", "aa", "c"]
INTEGER = {"type": "json_schema", "json_schema": {"type": "integer"}}
HELLO = {"type": "const_string", "value": "Hello"}


def draw(chance: random.Random, depth: int) -> dict[str, Any]:
    """A random format over few letters, so that triggers, ends and texts overlap."""

    def strings(most: int) -> list[str]:
        return chance.sample(STRINGS, chance.randint(1, most))

    def some_tag() -> dict[str, Any]:
        end = chance.choice([chance.choice(STRINGS), strings(2), ""])
        return {"type": "tag", "begin": chance.choice([*STRINGS, "", "<a"]), "content": below(), "end": end}

    def below() -> dict[str, Any]:
        return draw(chance, depth - 1)

    if depth == 0:
        return chance.choice(
            [
                {"type": "any_text"},
                {"type": "any_text", "excludes": strings(2)},
                {"type": "any_text", "max_chars": 2},
                {"type": "const_string", "value": chance.choice([*STRINGS, ""])},
                {"type": "regex", "pattern": chance.choice(["a*", "ab|c", "(?:b<)+", ""])},
                INTEGER,
            ]
        )
    flags = {"at_least_one": chance.random() < 0.3, "stop_after_first": chance.random() < 0.3}
    kind = chance.choice(
        ["sequence", "or", "optional", "star", "plus", "repeat", "tag", "tag", "tags_with_separator"]
        + ["triggered_tags"] * 4
        + ["dispatch"]
    )
    if kind in ("sequence", "or"):
        return {"type": kind, "elements": [below() for _ in range(chance.randint(1, 3))]}
    if kind in ("optional", "star", "plus"):
        return {"type": kind, "content": below()}
    if kind == "repeat":
        least = chance.randint(0, 2)
        return {"type": kind, "min": least, "max": chance.choice([-1, least, least + 2]), "content": below()}
    if kind == "tag":
        return some_tag()
    if kind == "tags_with_separator":
        tags = [some_tag() for _ in range(chance.randint(1, 2))]
        return {"type": kind, "tags": tags, "separator": chance.choice(["", "a", "<a>"]), **flags}
    triggers = strings(2)
    excludes = [{}, {}, {"excludes": strings(1)}]
    if kind == "dispatch":
        rules = [[trigger, below()] for trigger in triggers]
        return {"type": kind, "rules": rules, "loop": chance.random() < 0.7, **chance.choice(excludes)}
    tags = [{**some_tag(), "begin": trigger + chance.choice(["", "a", "<a>"])} for trigger in triggers]
    return {"type": kind, "triggers": triggers, "tags": tags, **flags, **chance.choice(excludes)}


@pytest.mark.parametrize("seed", range(12))
def test_verdicts_are_those_of_every_split(seed: int) -> None:
    """For random formats, on random texts and on what the mask itself allows."""
    chance = random.Random(seed)
    compared = 0
    while compared < 12:
        given = draw(chance, chance.choice((1, 2, 2, 3)))
        try:
            guide = mw.compile(structural_tag(given), BYTES)
        except (SchemaError, UnsatisfiableError):
            continue
        compared += 1
        texts = ["".join(chance.choices([*STRINGS, "1", "a", "b"], k=chance.randint(0, 5))) for _ in range(25)]
        texts += [walked(guide, chance) for _ in range(4)]
        texts += [text[:-1] for text in texts[-4:]]
        for text in texts:
            assert guide.matches(text) == accepts(given, text), (given, text)


def walked(guide: mw.Guide, chance: random.Random) -> str:
    """A text that the masks allow, of few letters, brought to its end."""
    matcher = guide.matcher()
    for _ in range(12):
        ids = [token for token in sorted(in_mask(matcher)) if token and chr(token - 1) in "abc<>/1-"]
        if not ids:
            break
        matcher.advance(chance.choice(ids))
    return (matcher.text + matcher.complete()).decode()


def test_masks_are_those_of_brute_force() -> None:
    """Also for tokens that end in, begin in or span a trigger, an end or both."""
    tokens = [
        b"<t",
        b"<t>",
        b"t>1",
        b"hi<t>1</t>x",
        b"1</",
        b"/t>a",
        b"</t><t>",
        b"</t>a<",
        b"2</t>",
        b"<<t",
        b"a<t>12",
    ]
    vocabulary = make_vocabulary([*SINGLES, *tokens])
    tag = {"begin": "<t>", "content": INTEGER, "end": "</t>"}
    for triggers, is_last in itertools.product((["<t>"], ["<t"]), (False, True)):
        made = {"type": "triggered_tags", "triggers": triggers, "tags": [tag], "stop_after_first": is_last}
        constraint = structural_tag(made)
        guide = mw.compile(constraint, vocabulary)
        text = b"a<<t>-12</t>" if is_last else b"a<<t>-12</t><t>3</t>b"
        for read, expected in along_recogniser(constraint.network, text, vocabulary):
            matcher = guide.matcher()
            for byte in read:
                matcher.advance(byte + 1)
            assert in_mask(matcher) == expected == by_reading(matcher), read


def test_rollback_and_fork_through_tags() -> None:
    """Whatever was read and taken back, the masks are those of the text that is left."""
    tokens = [b"hi <t>", b"1</t>", b"<t>2</t>", b"12", b"</t> a", b" <"]
    guide = mw.compile(
        structural_tag(
            {
                "type": "triggered_tags",
                "triggers": ["<t>"],
                "tags": [{"begin": "<t>", "content": INTEGER, "end": "</t>"}],
            }
        ),
        make_vocabulary([*SINGLES, *tokens]),
    )
    chance = random.Random(7)
    matcher, written = guide.matcher(), [b""]
    for _ in range(120):
        if len(written) > 1 and chance.random() < 0.4:
            count = chance.randint(1, min(3, len(written) - 1))
            matcher.rollback(count)
            del written[-count:]
        else:
            matcher = matcher.fork() if chance.random() < 0.3 else matcher
            token = chance.choice(sorted(in_mask(matcher) - {0}))
            matcher.advance(token)
            written.append(guide.vocabulary.tokens[token])
        fresh = guide.matcher()
        for byte in b"".join(written):
            fresh.advance(byte + 1)
        assert matcher.text == b"".join(written)
        assert in_mask(matcher) == in_mask(fresh)


def test_control_tokens_are_what_they_are_called() -> None:
    """With a token of that name only the token begins and ends a tag; its text is then no text at all."""
    tag = {"begin": "<|go|>f", "content": INTEGER, "end": "<|stop|>"}
    made = structural_tag({"type": "triggered_tags", "triggers": ["<|go|>"], "tags": [tag]})
    vocabulary = mw.Vocabulary.from_tokens(
        [b"", *SINGLES, b"|>", b"", b""], end_ids=[0], special_names={"<|go|>": 258, "<|stop|>": 259}
    )
    matcher = mw.compile(made, vocabulary).matcher()
    for byte in b"a<|go|":
        matcher.advance(byte + 1)
    assert not matcher.allows(ord(">") + 1)
    assert matcher.allows(258)
    assert not matcher.allows(259)
    for token in (258, ord("f") + 1, ord("7") + 1):
        matcher.advance(token)
    assert matcher.allows(259)
    assert not matcher.allows(ord("<") + 1)
    matcher.advance(259)
    assert matcher.is_accepting
    assert mw.compile(made, BYTES).matches("a<|go|>f7<|stop|>b")


def test_tokens_by_id_and_by_name() -> None:
    """Formats on the level of tokens."""
    vocabulary = mw.Vocabulary.from_tokens([b"", b"a", b"b", b"", b"1"], end_ids=[0], special_names={"<|t|>": 3})
    tag = {"begin": {"type": "token", "token": "<|t|>"}, "content": INTEGER, "end": {"type": "token", "token": 1}}
    by_name = {"type": "token_triggered_tags", "trigger_tokens": ["<|t|>"], "tags": [tag]}
    by_id = {
        "type": "token_triggered_tags",
        "trigger_tokens": [3],
        "tags": [{**tag, "begin": {"type": "token", "token": 3}}],
        "exclude_tokens": [2],
    }
    rule = {"type": "sequence", "elements": [INTEGER, {"type": "token", "token": 1}]}
    dispatch = {"type": "token_dispatch", "rules": [["<|t|>", rule]]}
    for given, excluded in ((by_name, set()), (by_id, {2}), (dispatch, set())):
        matcher = mw.compile(structural_tag(given), vocabulary).matcher()
        assert in_mask(matcher) == {0, 1, 2, 3, 4} - excluded
        matcher.advance(3)
        assert in_mask(matcher) == {4}
        matcher.advance(4)
        assert in_mask(matcher) == {1, 4}
        matcher.advance(1)
        assert in_mask(matcher) == {0, 1, 2, 3, 4} - excluded
    two = {"type": "any_tokens", "exclude_tokens": [2, 3, 4], "max_tokens": 2}
    matcher = mw.compile(structural_tag(two), vocabulary).matcher()
    for allowed in ({0, 1}, {0, 1}, {0}):
        assert in_mask(matcher) == allowed
        if 1 in allowed:
            matcher.advance(1)
    sequence = {
        "type": "sequence",
        "elements": [{"type": "exclude_token", "exclude_tokens": [1]}, {"type": "token", "token": 1}],
    }
    assert in_mask(mw.compile(structural_tag(sequence), vocabulary).matcher()) >= {2, 4}


@pytest.mark.parametrize(
    ("given", "good", "bad"),
    [
        # X03: a trigger is bytes, whatever tokens it spans; before it everything is allowed.
        (
            {
                "type": "triggered_tags",
                "triggers": ["<tool_call>"],
                "tags": [
                    {
                        "begin": "<tool_call>",
                        "content": {"type": "json_schema", "json_schema": {"type": "object"}},
                        "end": "</tool_call>",
                    }
                ],
            },
            ["hello", 'hi <tool_call>{"a":1}</tool_call>', "x < y"],
            ["<tool_call>nope", '<tool_call>{"a":1}'],
        ),
        # X06: beginnings and ends of several bytes a character.
        (
            {"type": "tag", "begin": "<｜工具▁begin｜>", "content": INTEGER, "end": "<｜工具▁end｜>"},
            ["<｜工具▁begin｜>5<｜工具▁end｜>"],
            ["<工具>5", "<｜工具▁begin｜>x<｜工具▁end｜>"],
        ),
        (
            {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f"]},
            ["a<f>1</f>b", "a"],
            ["<f", "<f>a</f>"],
        ),
        ({"type": "structural_tag", "format": {"type": "star", "content": {"type": "any_text"}}}, ["", "a<b"], []),
        ('{"type": "regex", "pattern": "[0-9]+"}', ["12"], ["", "a"]),
        ({"type": "repeat", "min": 1000, "max": 100_000_000, "content": HELLO}, ["Hello" * 1000], ["Hello" * 999]),
    ],
)
def test_texts_of_formats(given: Any, good: list[str], bad: list[str]) -> None:
    """Cases of the field and the shapes that requests have."""
    guide = mw.compile(structural_tag(given), BYTES)
    assert [text for text in good if not guide.matches(text)] == []
    assert [text for text in bad if guide.matches(text)] == []


def of(**tag: Any) -> dict[str, Any]:
    return {"type": "tag", "begin": "<a>", "content": HELLO, "end": "</a>", **tag}


@pytest.mark.parametrize(
    ("given", "kind", "place", "said"),
    [
        (3, SchemaError, "#", "object"),
        ({"type": "structural_tag"}, SchemaError, "#/format", "format"),
        ({"type": "structural_tag", "format": {"type": "x"}}, SchemaError, "#/format/type", "unknown type 'x'"),
        ({"type": "sequence", "elements": [HELLO, {}]}, SchemaError, "#/elements/1/type", "no type"),
        ({"type": "sequence", "elements": []}, SchemaError, "#/elements", "empty"),
        ({"type": "tag", "begin": "a"}, SchemaError, "#/content", "no content"),
        (of(extra=1), SchemaError, "#/extra", "unknown field"),
        (of(end=3), SchemaError, "#/end", "string"),
        (of(end=["a", "ba"]), SchemaError, "#/end", "holds"),
        (
            of(content={"type": "dispatch", "rules": [["x</a>", HELLO]]}),
            SchemaError,
            "#/content",
            "'</a>' always comes before 'x</a>'",
        ),
        ({"type": "any_text", "excludes": [""]}, SchemaError, "#/excludes/0", "empty"),
        ({"type": "any_text", "max_tokens": 3}, UnsupportedError, "#/max_tokens", "not enforced"),
        ({"type": "regex", "pattern": "("}, mw.ConstraintError, "#/pattern:1:1", "not closed"),
        ({"type": "json_schema", "json_schema": {"type": "x"}}, SchemaError, "#/json_schema/type", "must be one of"),
        ({"type": "json_schema", "json_schema": False}, UnsatisfiableError, "#/json_schema", "false"),
        ({"type": "repeat", "min": 2, "max": 1, "content": HELLO}, SchemaError, "#/max", "never"),
        ({"type": "triggered_tags", "triggers": [], "tags": [of()]}, SchemaError, "#/triggers", "empty"),
        ({"type": "triggered_tags", "triggers": ["<b"], "tags": [of()]}, SchemaError, "#/tags/0/begin", "none of"),
        ({"type": "triggered_tags", "triggers": ["<", "<a"], "tags": [of()]}, SchemaError, "#/tags/0/begin", "2 of"),
        ({"type": "triggered_tags", "triggers": ["<a", "b"], "tags": [of()]}, SchemaError, "#/triggers/1", "no tag"),
        (
            {"type": "triggered_tags", "triggers": ["<a"], "tags": [of()], "excludes": ["<"]},
            SchemaError,
            "#/excludes/0",
            "stands in the trigger",
        ),
        ({"structures": [{"begin": "a"}], "triggers": ["a"]}, SchemaError, "#/structures/0", "begin, schema and end"),
        (
            {"structures": [{"begin": "a", "schema": {"type": "x"}, "end": "b"}], "triggers": ["a"]},
            SchemaError,
            "#/structures/0/schema/type",
            "must be one of",
        ),
        (
            {"structures": [{"begin": 3, "schema": {}, "end": "b"}], "triggers": ["a"]},
            SchemaError,
            "#/structures/0/begin",
            "a string",
        ),
    ],
)
def test_faults_are_told_with_their_place(given: Any, kind: type[Exception], place: str, said: str) -> None:
    """Never an exception from outside the tree."""
    with pytest.raises(kind) as caught:
        structural_tag(given)
    problem = caught.value.problems[0]  # type: ignore[attr-defined]
    assert problem.place == place
    assert said in problem.reason


def test_deep_formats_are_refused_and_wide_ones_compile() -> None:
    """Nothing recurses on what a stranger nests."""
    deep: dict[str, Any] = HELLO
    for _ in range(1_500):
        deep = {"type": "optional", "content": deep}
    assert mw.compile(structural_tag(deep), BYTES).matches("Hello")
    for _ in range(1_000):
        deep = {"type": "optional", "content": deep}
    with pytest.raises(LimitError):
        structural_tag(deep)
    for kind in ("star", "plus"):
        nested: dict[str, Any] = HELLO
        for _ in range(100):
            nested = {"type": kind, "content": nested}
        assert mw.compile(structural_tag(nested), BYTES).matches("HelloHello")
        for _ in range(101):
            nested = {"type": kind, "content": nested}
        with pytest.raises(LimitError):
            structural_tag(nested)
    for marks in (of(end="a" * 5_000), {"type": "any_text", "excludes": ["a" * 5_000]}):
        with pytest.raises(LimitError):
            structural_tag(marks)
    many = {"type": "or", "elements": [{"type": "const_string", "value": str(i)} for i in range(2_000)]}
    assert [text for text in ("7", "1999", "2000", "") if mw.compile(structural_tag(many), BYTES).matches(text)] == [
        "7",
        "1999",
    ]
    triggers = [f"<f{i}>" for i in range(300)]
    tags = [of(begin=trigger) for trigger in triggers]
    wide = structural_tag({"type": "triggered_tags", "triggers": triggers, "tags": tags})
    assert mw.compile(pickle.loads(pickle.dumps(wide)), BYTES).matches("x<f299>Hello</a>y<f3>Hello</a>")

"""Free text and the strings that end it: the first that is completed counts, and long ones cost no more than short."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

import maskwright as mw
from maskwright.errors import LimitError, PolicyError
from maskwright.network.lexeme import NEVER
from maskwright.network.nodes import Lex
from maskwright.tags.formats import FORMATS
from maskwright.tags.freetext import LONGEST, FreeText, overlap
from maskwright.tags.network import Tree
from maskwright.tags.parsing import ToolParser
from tests.conformance.verdicts import BYTES

ANY = {"type": "any_text"}


def first_end(text: str, strings: tuple[str, ...]) -> int:
    """Where the first of the strings that is completed in a text ends; -1 if there is none."""
    ends = [end for end in range(len(text) + 1) for string in strings if text[:end].endswith(string)]
    return min(ends, default=-1)


def state_after(machine: FreeText, text: str) -> int | None:
    state = machine.start
    for character in text:
        found = [to for low, high, to in machine.moves(state) if low <= ord(character) <= high]
        if not found:
            return None
        state = found[0]  # type: ignore[assignment]
    return state


@pytest.mark.parametrize("seed", range(60))
def test_text_may_stand_where_its_end_comes_first(seed: int) -> None:
    """A text may stand in front of ``before`` iff in both together nothing is completed before their end."""
    choose = random.Random(seed)
    words = ["".join(choose.choices("ab", k=choose.randint(1, 5))) for _ in range(choose.randint(1, 3))]
    critical = tuple(dict.fromkeys(words))
    if overlap(critical) is not None:
        critical = critical[:1]
    excluded = ("".join(choose.choices("ab", k=3)),) * choose.randint(0, 1)
    own = choose.choice(critical)
    before = "".join(choose.choices("ab", k=choose.randint(0, 3))) + own
    crosses = choose.random() < 0.5
    machine = FreeText(excluded, critical, (), before, own, crosses)
    for length in range(8):
        for text in map("".join, itertools.product("abc", repeat=length)):
            state = state_after(machine, text)
            inside = first_end(text, critical + excluded) >= 0
            assert (state is None) == inside
            if state is None:
                continue
            whole = text + before
            ends_here = first_end(whole, critical) == len(whole)
            is_clean = crosses or first_end(whole, excluded) < 0
            assert machine.accepts(state) == (ends_here and is_clean)


@pytest.mark.parametrize("end", ["(" * LONGEST, '"' * LONGEST, "ab" * (LONGEST // 2), "a" * (LONGEST - 1) + "b"])
def test_long_ends_complete(end: str) -> None:
    """The longest ends there may be, of the kinds whose beginnings are their ends, complete in a second."""
    thinking = mw.compile(mw.thinking(mw.regex("a"), end=end), BYTES)
    assert thinking.complete("x") == f"{end}a".encode()
    assert thinking.matches(f"xy{end}\na")
    assert not thinking.matches(f"xy{end[:-1]}a")
    tag = {"type": "tag", "begin": "<", "content": ANY, "end": end}
    assert mw.compile(mw.structural_tag(tag), BYTES).matches("<text" + end)


LONG = "(" * (LONGEST + 1)
TOO_LONG: dict[str, Callable[[], object]] = {
    "end of thinking": lambda: mw.thinking(mw.regex("a"), end=LONG),
    "begin of thinking": lambda: mw.thinking(mw.regex("a"), begin="(" * 200_000),
    "thinking of tools": lambda: mw.tools([{"name": "f"}], thinking=(LONG, "(")),
    "thinking of a format": lambda: mw.response_format({"type": "text"}, thinking=LONG),
    "end of a tag": lambda: mw.structural_tag({"type": "tag", "begin": "a", "content": ANY, "end": LONG}),
    "ends of a tag": lambda: mw.structural_tag({"type": "tag", "begin": "a", "content": ANY, "end": ["b", LONG]}),
    "begin of a tag": lambda: mw.structural_tag({"type": "tag", "begin": LONG, "content": ANY, "end": "b"}),
    "begin of a triggered tag": lambda: mw.structural_tag(
        {"type": "triggered_tags", "triggers": ["("], "tags": [{"begin": LONG, "content": ANY, "end": "b"}]}
    ),
    "separator": lambda: mw.structural_tag(
        {"type": "tags_with_separator", "separator": LONG, "tags": [{"begin": "a", "content": ANY, "end": "b"}]}
    ),
    "excludes": lambda: mw.structural_tag({**ANY, "excludes": [LONG]}),
    "without": lambda: mw.grammar_root("nofcall", without=[LONG]),
    "call_begin": lambda: mw.tools([{"name": "f"}], format=replace(FORMATS["hermes"], call_begin=LONG)),
    "markers": lambda: mw.tools([{"name": "f"}], format=replace(FORMATS["hermes"], markers=(LONG,))),
}


@pytest.mark.parametrize("place", TOO_LONG)
def test_marks_have_one_cap(place: str) -> None:
    """Whatever is looked for in text has at most 1,024 characters."""
    with pytest.raises(LimitError, match="too long"):
        TOO_LONG[place]()


@pytest.mark.parametrize("mark", ["\ud800", 1, ["x"]])
def test_marks_are_text(mark: object) -> None:
    """What UTF-8 cannot carry ends nothing."""
    with pytest.raises(PolicyError):
        mw.thinking(mw.regex("a"), end=mark)  # type: ignore[arg-type]
    with pytest.raises(PolicyError):
        mw.tools([{"name": "f"}], format=replace(FORMATS["hermes"], call_end=mark))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "nowhere"),
        ("body", []),
        ("body", "harmony"),
        ("arguments_keys", None),
        ("arguments_keys", (1,)),
        ("reserved", ["f"]),
        ("is_array", 1),
        ("markers", "<a>"),
        ("section_begin", "x"),
        ("name", 1),
    ],
)
def test_formats_are_checked(field: str, value: object) -> None:
    """A field without a meaning is refused by masks and readers alike."""
    form = replace(FORMATS["hermes"], **{field: value})  # type: ignore[arg-type]
    with pytest.raises(PolicyError):
        mw.tools([{"name": "f"}], format=form)
    with pytest.raises(PolicyError):
        ToolParser(form)


def test_what_holds_nothing_is_not_empty() -> None:
    """A lexeme without any text reads no empty text either."""
    tree = Tree()
    node = tree.node([(Lex(NEVER),)], "nothing")
    assert not tree.may_be_empty[node]


@pytest.mark.parametrize("inner", [mw.choice([""]), mw.choice(["", ""]), mw.regex(""), mw.gbnf('root ::= ""')])
def test_nothing_after_thinking(inner: mw.Constraint) -> None:
    """What allows only the empty text allows only the thinking and its end."""
    guide = mw.compile(mw.thinking(inner), BYTES)
    assert guide.matches("hm</think>")
    assert guide.matches("hm</think>\n\n")
    assert not guide.matches("hm</think>x")

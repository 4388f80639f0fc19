"""The twelve roots: their languages by table and by other parsers, and the laws that every constraint keeps."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest

import maskwright as mw
from maskwright.errors import ConstraintError, LimitError, PolicyError, UnsatisfiableError
from maskwright.grammar.opened import opened
from maskwright.grammar.roots import ROOTS
from maskwright.limits import Limits
from maskwright.tags.roots import grammar_root
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.properties.walks import walk

BYTES: Final = make_vocabulary(
    [*SINGLES, b'{"', b'":', b'", "', b"}]", b"[[", b" \n", b'"name"', b"ab", b"12", b"\\u00"]
)
CALL = '{"name":"f","arguments":{}}'

#: Root -> texts that are in its language, texts that are not.
TABLE: Final[dict[str, tuple[list[str], list[str]]]] = {
    "root": (
        ["hello", " \n x {", "a[", CALL, f" [{CALL}]", "0", '"', "\u00e9"],
        ["", "  ", "{oops", " [1]", "{}", CALL + " ", "[]", CALL + CALL],
    ),
    "fcall": ([CALL, f"\n {CALL}", f"[{CALL} , {CALL}]"], ["", "x", f"{CALL} ", "[]", f"[{CALL},]", "{}"]),
    "nofcall": (["x", "  x ", "}{", "]", "\u00e9\n{"], ["", " ", "{", " [x", "\n\t"]),
    "value": (
        ["0", "-1.5E+3", '"a\\u00e9\\ud83d\\ude00"', "true", "false", "null", '{"a":[1,{}]}', "[ ]", '"\u00e9"'],
        ["", " 1", "1 ", "01", "1.", "tru", "[1,]", '{"a"}', '"\\ud83d"', '"\t"', "NaN", "'a'"],
    ),
    "object": (["{}", '{ "a" : 1 , "a" : [ ] }'], ["[]", "1", " {}", '{"a":1,}', ""]),
    "array": (["[]", '[1, "x", [null]]'], ["{}", "[1", "[] ", "[,]"]),
    "string": (['""', '"a b"', '"\\""', '"{["'], ["a", '"', '"" ', '"\\q"', '"\n"']),
    "number": (["0", "-0", "12.50e-7", "1E5"], ["", "-", "00", "+1", ".5", "1.", "1e", "0x1", " 1"]),
    "funcarray": ([f"[{CALL}]", f"[ {CALL}, {CALL} ]"], ["[]", CALL, f"[{CALL}", f" [{CALL}]", "[1]"]),
    "func": (
        [CALL, '{ "name" : "a-B_9" , "parameters" : {"x": [1]} }', '{"name":"' + "n" * 64 + '","arguments":{}}'],
        [
            "{}",
            '{"name":"","arguments":{}}',
            '{"name":"a b","arguments":{}}',
            '{"arguments":{},"name":"f"}',
            '{"name":"f","arguments":[]}',
            '{"name":"f"}',
            '{"name":"f","arguments":{},"parameters":{}}',
            '{"name":"' + "n" * 65 + '","arguments":{}}',
            f" {CALL}",
        ],
    ),
    "ws": (["", " ", "\n\t\r ", " " * 20], ["x", " x", " " * 21, "\u00a0", "\f"]),
}


@cache
def _guide(root: str, **options: Any) -> mw.Guide:
    return mw.compile(grammar_root(root, **options), BYTES)


def _any(root: str) -> mw.Guide:
    """The guide of a root, insidevalue with nothing open."""
    return _guide(root, **({"prefix": ""} if root == "insidevalue" else {}))


@pytest.mark.parametrize("root", TABLE)
def test_languages(root: str) -> None:
    """What the definitions say, with an example of each of their parts."""
    accepted, rejected = TABLE[root]
    guide = _guide(root)
    assert [text for text in accepted if not guide.matches(text)] == []
    assert [text for text in rejected if guide.matches(text)] == []


def test_all_roots_are_known() -> None:
    """Twelve, in the order of the interface."""
    assert {*TABLE, "insidevalue"} == set(ROOTS)
    assert len(ROOTS) == 12


KINDS: Final[dict[str, Any]] = {
    "value": object,
    "insidevalue": object,
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
}


@pytest.mark.parametrize("root", KINDS)
def test_outputs_are_json(root: str) -> None:
    """A JSON parser accepts every output, without blanks around it."""
    guide = _any(root)
    for seed in range(6):
        text = walk(guide, random.Random(seed), budget=30).decode()
        assert isinstance(json.loads(text), KINDS[root]), text
        assert text == text.strip()


def _is_json(text: str) -> bool:
    """Whether a text is one JSON value without blanks around; the module json, less what it allows beyond the RFC."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        value = json.loads(text, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, UnicodeEncodeError):
        return False
    return text == text.strip(" \t\n\r")


LETTERS = '{}[]",:019.-+eE \nutrfalsn\\d83'


def _mutations(chance: random.Random, count: int) -> list[str]:
    found = []
    for _ in range(count):
        text = chance.choice(TABLE["value"][0] + TABLE["object"][0])
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice([*LETTERS, ""]) + text[at + chance.randrange(2) :]
        found.append(text)
    return found


def test_value_is_json() -> None:
    """With any blanks, value is what the module json reads."""
    guide = _guide("value", whitespace="any")
    texts = _mutations(random.Random(1), 3_000)
    assert [text for text in texts if guide.matches(text) != _is_json(text)] == []
    assert sum(map(_is_json, texts)) > 150


@pytest.mark.parametrize("root", ROOTS)
def test_masks_are_what_can_be_read(root: str) -> None:
    """Along random outputs a mask holds exactly the tokens that the matcher can read."""
    chance = random.Random(2)
    for _ in range(3):
        matcher = _any(root).matcher()
        for _ in range(12):
            allowed = in_mask(matcher)
            assert allowed == by_reading(matcher), matcher.text
            tokens = sorted(allowed - BYTES.end_ids)
            if not tokens:
                break
            matcher.advance(chance.choice(tokens))


# ---- insidevalue -------------------------------------------------------------------------------------------------

PROMPTS = [
    'JSON: {"a": 1, "b": [2,',
    'JSON: {"a": 1, "b": [2, ',
    'Say "hi',
    'A 5" disk: {"a": ',
    'Done {"a":1}. ',
    'He said "hi" then "yo',
    'list [see below\n{"x": "q [1, ',
    "[1,2] [3,4",
    "[1,2] [3 ",
    "n: 12",
    '{"a"',
    '{"a": {',
    '{"a": {}, ',
    '["\\ud83d',
    '["\\u00',
    "[tr",
    "[-",
    "[true",
    "[1" + " " * 300,
    "[" * 40,
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_insidevalue_is_the_rest(prompt: str) -> None:
    """An output belongs if and only if what is open and the output together are a value."""
    found = opened(prompt)
    start = found.text if found else ""
    guide = _guide("insidevalue", prompt=prompt)
    assert guide.constraint.policies["open"] == start
    chance = random.Random(3)
    ends = [
        "]",
        "}",
        '"',
        "]}",
        '"}',
        "0",
        "0]",
        '":0}',
        "1}",
        "]" * 40,
        "0" + "]" * 40,
        ',"b":2}',
        "\\ude00",
        "e",
        "1",
    ]
    texts = ["", *ends, *(one + other for one in ends for other in ends), *_mutations(chance, 200)]
    texts += [text + "]" for text in _mutations(chance, 100)] + [text + "]}" for text in _mutations(chance, 100)]
    assert [text for text in texts if guide.matches(text) != _is_json(start + text)] == []
    for seed in range(3):
        rest = walk(guide, random.Random(seed), budget=10).decode()
        assert _is_json(start + rest), rest


def test_a_long_prompt_costs_an_outline() -> None:
    """The constraint keeps a few characters for each open container."""
    constraint = grammar_root("insidevalue", prompt='x {"items": [' + '{"a": [1, 2, 3]}, ' * 20_000)
    assert constraint.prefix == b'{"":[0,'
    assert mw.compile(constraint, BYTES).matches("1]}")


def test_prompts_that_open_too_much() -> None:
    """What the stack can hold is closed again, one level more is refused with what would help."""
    limits = Limits(stack_depth=2_000)
    guide = mw.compile(grammar_root("insidevalue", prompt="[" * 999, limits=limits), BYTES)
    assert guide.matches("]" * 999)
    assert guide.complete("") == b"]" * 999
    assert not guide.matches("]" * 998)
    with pytest.raises(LimitError, match="stack_depth to 2002"):
        grammar_root("insidevalue", prompt="[" * 1_000, limits=limits)


@pytest.mark.parametrize("prefix", ["", "12", "[1,", '{"a":"b', "tru", '"\\u', '{"a":1}'])
def test_an_explicit_prefix(prefix: str) -> None:
    """Numbers and literals count as open here, and a complete value has the empty rest."""
    guide = _guide("insidevalue", prefix=prefix)
    texts = ["", "3", ".5", "]", "0]", '"}', '"', "e", "e5", '0041"', "null", " "]
    assert [text for text in texts if guide.matches(text) != _is_json(prefix + text)] == []


# ---- tools -------------------------------------------------------------------------------------------------------

TOOLS: Final[list[Any]] = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {"x": {"type": "integer"}},
                "required": ["x"],
                "additionalProperties": False,
            },
        },
    },
    {"name": "g", "parameters": {"type": "object", "properties": {"x": {"enum": ["a"]}}}},
    {"name": "h"},
]
F, G = '{"name":"f","arguments":{"x":1}}', '{"name": "g", "parameters": {"x":"a"}}'
CALLS: Final = {
    F: True,
    G: True,
    '{"name":"f","arguments":{"x":"a"}}': False,
    '{"name":"f","arguments":{}}': False,
    '{"name":"g","arguments":{"x":1}}': False,
    '{"name":"h","arguments":{"any":[1]}}': True,
    '{"name":"i","arguments":{}}': False,
}


@pytest.mark.parametrize("root", ["root", "fcall", "func", "funcarray"])
def test_names_go_with_their_schemas(root: str) -> None:
    """Each tool's arguments are those of its own schema, in every root with calls."""
    guide = mw.compile(grammar_root(root, tools=TOOLS), BYTES)
    for call, is_valid in CALLS.items():
        assert guide.matches(call) == (is_valid and root != "funcarray"), call
        assert guide.matches(f"[{call}, {F}]") == (is_valid and root != "func"), call
    one = mw.compile(grammar_root(root, tools=TOOLS, parallel=False), BYTES)
    assert one.matches(f"[{F}]") == (root != "func")
    assert not one.matches(f"[{F},{F}]")


def test_walks_through_tools_end() -> None:
    """No dead ends between calls, and outputs are arrays of calls."""
    guide = mw.compile(grammar_root("fcall", tools=TOOLS), BYTES)
    for seed in range(8):
        value = json.loads(walk(guide, random.Random(seed), budget=40))
        for call in value if isinstance(value, list) else [value]:
            assert list(call) in (["name", "arguments"], ["name", "parameters"])
            assert call["name"] in {"f", "g", "h"}


def test_text_without_triggers() -> None:
    """Excluded strings stand nowhere, not across the blanks either."""
    guide = mw.compile(grammar_root("root", without=["<call>", " \n"]), BYTES)
    texts = {"a<call": True, "a<call>": False, "<call>": False, "x \nx": False, " \nx": False, "\n x": True, CALL: True}
    assert {text: guide.matches(text) for text in texts} == texts
    hermes = mw.compile(grammar_root("nofcall", profile="hermes"), BYTES)
    assert [hermes.matches(text) for text in ("a <tool_call", "a <tool_call>\n")] == [True, False]


def test_no_tools() -> None:
    """Without a tool a turn is text, and a call is impossible."""
    guide = mw.compile(grammar_root("root", tools=[]), BYTES)
    assert [guide.matches(text) for text in ("x", CALL)] == [True, False]
    with pytest.raises(UnsatisfiableError, match="no tools"):
        grammar_root("func", tools=[])


# ---- arguments ---------------------------------------------------------------------------------------------------

BLANKS = ["", " ", "  ", "\n", "\n  ", "\n\t ", " \n", "\r", "\n" + " " * 20, "\n" + " " * 21, " " * 20, " " * 25]


@pytest.mark.parametrize(
    ("whitespace", "pattern"),
    [
        (0, ""),
        (2, r"[ \t\n\r]{0,2}"),
        (20, r"[ \t\n\r]{0,20}"),
        ("none", ""),
        ("single", " ?"),
        ("flex", r"(?: |\n[ \t]{0,20})?"),
        ("any", r"[ \t\n\r]*"),
    ],
)
def test_whitespace(whitespace: str | int, pattern: str) -> None:
    """Each policy is an expression for what may stand between tokens."""
    guide = _guide("array", whitespace=whitespace)
    assert guide.constraint.policies["whitespace"] == whitespace
    for blanks in BLANKS:
        expected = re.fullmatch(pattern, blanks) is not None
        assert guide.matches(f"[{blanks}]") == guide.matches(f"[1{blanks},2]") == expected, (blanks, whitespace)
        assert _guide("ws", whitespace=whitespace).matches(blanks) == expected


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: grammar_root("valeu"), "the roots are root, fcall, nofcall, insidevalue, value"),
        (lambda: grammar_root("value", prompt="x"), "insidevalue"),
        (lambda: grammar_root("insidevalue"), "prompt= or prefix="),
        (lambda: grammar_root("insidevalue", prompt="", prefix=""), "one of them"),
        (lambda: grammar_root("insidevalue", prompt=b"x"), "texts"),  # type: ignore[arg-type]
        (lambda: grammar_root("value", tools=TOOLS), "root, fcall, funcarray, func"),
        (lambda: grammar_root("func", without=["x"]), "root and nofcall"),
        (lambda: grammar_root("nofcall", without=[""]), "not empty"),
        (lambda: grammar_root("nofcall", profile="none such"), "hermes"),
        (lambda: grammar_root("value", profile="hermes"), "root and nofcall"),
        (lambda: grammar_root("root", profile=[]), "hermes"),  # type: ignore[arg-type]
        (lambda: grammar_root("nofcall", without=5), "without="),  # type: ignore[arg-type]
        (lambda: grammar_root("nofcall", without=[5]), "without="),  # type: ignore[list-item]
        (lambda: grammar_root("func", parallel=[]), "parallel"),  # type: ignore[arg-type]
        (lambda: grammar_root("value", limits=5), "limits must be a Limits"),  # type: ignore[arg-type]
        (lambda: grammar_root([]), "there is no root []"),  # type: ignore[arg-type]
        (lambda: grammar_root("value", whitespace=[]), "[]"),  # type: ignore[arg-type]
        (lambda: grammar_root("value", whitespace="some"), "'none', 'single', 'flex', 'any'"),
        (lambda: grammar_root("value", whitespace=-1), "-1"),
        (lambda: grammar_root("value", whitespace=True), "True"),
    ],
)
def test_arguments_without_meaning(make: Callable[[], object], words: str) -> None:
    """The error says what there is, and ``grammar_root`` where the name is wrong."""
    with pytest.raises(PolicyError, match=re.escape(words)):
        make()


def test_a_prefix_that_begins_no_value() -> None:
    """The error shows where the prefix goes wrong."""
    with pytest.raises(UnsatisfiableError, match=re.escape("from character 3 on: ..'[1 2'")):
        grammar_root("insidevalue", prefix="[1 2")


def test_tools_that_cannot_be_used() -> None:
    """The error names the tool and its place."""
    with pytest.raises(ConstraintError, match=re.escape("#/0/parameters")) as caught:
        grammar_root("func", tools=[{"name": "f", "parameters": {"type": "object", "minProperties": -1}}])
    assert "tool 0 (f)" in str(caught.value)


@pytest.mark.parametrize(
    "constraint",
    [
        grammar_root("root", tools=TOOLS, parallel=False, without=["<x>"]),
        grammar_root("insidevalue", prompt='a {"b": [1,'),
        grammar_root("ws", whitespace="flex"),
    ],
)
def test_pickles_are_the_same_constraint(constraint: mw.Constraint) -> None:
    """A pickled constraint has the same policies, prefix and first mask."""
    other = pickle.loads(pickle.dumps(constraint))
    assert (other.kind, other.policies, other.prefix) == (constraint.kind, constraint.policies, constraint.prefix)
    one, two = (in_mask(mw.compile(each, BYTES).matcher()) for each in (constraint, other))
    assert one == two

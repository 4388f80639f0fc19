"""What a prompt leaves open: the vectors of the definition, a slow reading of it, and time that only grows linearly."""

from __future__ import annotations

import json
import random

import pytest

from maskwright.grammar.opened import Fault, Opened, opened, read_prefix

#: Prompt -> what it leaves open (``None``: nothing).
VECTORS = {
    'JSON: {"a": 1, "b": [2,': '{"a": 1, "b": [2,',
    'Say "hi': '"hi',
    'A 5" disk: {"a": ': '{"a": ',
    'Done {"a":1}. ': None,
    'He said "hi" then "yo': '"yo',
    'list [see below\n{"x": "q [1, ': '{"x": "q [1, ',
    "[1,2] [3,4": "[3,4",
    "n: 12": None,
    'Use "{" to start': '{" to start',
    'Use "{': "{",
    "": None,
    "tru": None,
    'a "b\nc': None,
    'a "b\nc "d': '"d',
    '"\\"\\"\n': None,
    '["\\ud83d': '["\\ud83d',
    '["\\udc00': None,
}


@pytest.mark.parametrize("prompt", VECTORS)
def test_vectors(prompt: str) -> None:
    """The examples of the definition, and edges of it."""
    found = opened(prompt)
    assert (found and found.text) == VECTORS[prompt]


class _Open(Exception):  # noqa: N818
    pass


class _Bad(Exception):  # noqa: N818
    pass


class _Slow:
    """A recursive reader of one text that says nothing but how a value at a place fares."""

    def __init__(self, text: str) -> None:
        self.text = text

    def at(self, i: int) -> str:
        if i >= len(self.text):
            raise _Open
        return self.text[i]

    def one_of(self, i: int, marks: str) -> int:
        if self.at(i) not in marks:
            raise _Bad
        return i + 1

    def blanks(self, i: int) -> int:
        while i < len(self.text) and self.text[i] in " \t\n\r":
            i += 1
        return i

    def digits(self, i: int) -> int:
        i = self.one_of(i, "0123456789")
        while self.at(i) in "0123456789":
            i += 1
        return i

    def number(self, i: int) -> int:
        i += self.at(i) == "-"
        i = i + 1 if self.at(i) == "0" else self.digits(i)
        if self.at(i) == ".":
            i = self.digits(i + 1)
        if self.at(i) in "eE":
            i = self.digits(i + 1 + (self.at(i + 1) in "+-"))
        return i

    def escape(self, i: int) -> int:
        if self.at(i) != "u":
            return self.one_of(i, '"\\/bfnrt')
        hexadecimal = "0123456789abcdefABCDEF"
        i = self.one_of(i + 1, hexadecimal)
        if self.text[i - 1] not in "dD" or self.at(i) in "01234567":
            for _ in range(3):
                i = self.one_of(i, hexadecimal)
            return i
        for marks in ("89abAB", hexadecimal, hexadecimal, "\\", "u", "dD", "cdefCDEF", hexadecimal, hexadecimal):
            i = self.one_of(i, marks)
        return i

    def string(self, i: int) -> int:
        i = self.one_of(i, '"')
        while self.at(i) != '"':
            if self.text[i] < " " or "\ud800" <= self.text[i] <= "\udfff":
                raise _Bad
            i = self.escape(i + 1) if self.text[i] == "\\" else i + 1
        return i + 1

    def member(self, i: int) -> int:
        return self.value(self.blanks(self.one_of(self.blanks(self.string(i)), ":")))

    def value(self, i: int) -> int:
        mark = self.at(i)
        if mark in "[{":
            end = "]" if mark == "[" else "}"
            i = self.blanks(i + 1)
            if self.at(i) == end:
                return i + 1
            while True:
                i = self.blanks(self.value(i) if mark == "[" else self.member(i))
                if self.at(i) == end:
                    return i + 1
                i = self.blanks(self.one_of(i, ","))
        if mark == '"':
            return self.string(i)
        for literal in ("true", "false", "null"):
            if literal.startswith(self.text[i : i + len(literal)]):
                self.at(i + len(literal) - 1)
                return i + len(literal)
        return self.number(i)

    def fate(self, i: int) -> int | str:
        """The end of the container or string at a place, ``"open"`` or ``"none"``."""
        try:
            return self.value(i)
        except _Open:
            return "open"
        except _Bad:
            return "none"


def _slowly(prompt: str) -> str | None:
    """The definition word by word: each place is tried anew."""
    reader = _Slow(prompt)
    for marks, answer in (("{[", "{["), ('{["', '"')):
        i = 0
        while i < len(prompt):
            fate = reader.fate(i) if prompt[i] in marks else "none"
            if fate == "open" and prompt[i] in answer:
                return prompt[i:]
            i = fate if isinstance(fate, int) else i + 1
    return None


PIECES = ["[", "]", "{", "}", '"', ",", ":", "1", "-", ".", "t", "true", "\\", "\\u", "d8", "3d", "\n", " ", "a"]
PIECES += ["\\ud83d", '\\"', '"a"', '{"a":', "[1,", "00", "\ud800", "é"]


def test_the_definition() -> None:
    """On random prompts the answer is that of the definition, tried place by place."""
    chance = random.Random(1)
    found = 0
    for _ in range(5_000):
        prompt = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 14)))
        answer = opened(prompt)
        assert (answer and answer.text) == _slowly(prompt), prompt
        found += answer is not None
    assert found > 1_000


def _is_value(text: str) -> bool:
    return bool(text) and _Slow(text + " ").fate(0) == len(text)


def test_outlines() -> None:
    """An outline is gone on with in the same ways as the whole beginning, and no longer."""
    chance = random.Random(2)
    tried = 0
    while tried < 300:
        prompt = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 10)))
        answer = opened(prompt)
        if answer is None:
            continue
        tried += 1
        assert len(answer.outline) <= len(answer.text) + 6 * answer.text.count("{") + 5 * answer.text.count("[")
        for _ in range(200):
            rest = "".join(chance.choice(PIECES) for _ in range(chance.randrange(4)))
            rest += "".join(chance.choice(['"', "]", "}", "0", '":0']) for _ in range(chance.randrange(5)))
            assert _is_value(answer.text + rest) == _is_value(answer.outline + rest), (answer, rest)


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("", ""),
        ("12", "12"),
        ("-", "-"),
        ("1e", "1e"),
        ("tr", "tr"),
        ("true", "null"),
        ('"a\\', '"\\'),
        ('"abc\\ud83d\\ud', '"\\ud83d\\ud'),
        ('{"a": [1, 2], "b": [[], {}, ', '{"":[0,'),
        ('{"a"  ', '{""'),
        ('{"a": 1 ', '{"":null'),
        ('{"a": 1', '{"":1'),
        ("[ ", "["),
        ('{"a":1,', '{"":0,'),
        ("[]", "null"),
    ],
)
def test_prefixes(text: str, outline: str) -> None:
    """An explicit prefix is read as it is."""
    assert read_prefix(text) == Opened(text, outline)


@pytest.mark.parametrize(
    ("text", "place"), [(" 1", 0), ("1 ", 1), ("[1 2", 3), ("{1", 1), ('"\n', 1), ("01", 1), ("[]]", 2), ('["\\x', 2)]
)
def test_no_prefixes(text: str, place: int) -> None:
    """What cannot begin a value is refused where it stops to."""
    assert read_prefix(text) == Fault(place)


@pytest.mark.parametrize(
    "prompt",
    [
        "[" * 50_000 + "x",
        '["[' * 20_000,
        '"' + '\\"' * 30_000 + "\n",
        '"x ["' + "[" * 30_000 + '"]',
        '["["' * 20_000 + "\n",
        '[1,"[2,"' * 10_000 + "x",
        '["\\u' * 10_000,
        '{"a":' * 20_000,
        json.dumps("[" * 30_000),
    ],
)
def test_hostile_prompts(prompt: str) -> None:
    """Time grows with the length and nothing recurses: a quadratic reading of these would take minutes."""
    opened(prompt)

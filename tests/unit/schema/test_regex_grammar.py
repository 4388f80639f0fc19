"""The format `regex`: a table from ECMA-262, a real ECMAScript engine where `node` is installed, and no dead ends."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from maskwright.kernel.lexicon import Lexicon
from maskwright.network.lexeme import intersect
from maskwright.regex.compile import search_term
from maskwright.schema.regex_grammar import Patterns, regex

MACHINE = Patterns()
NODE = shutil.which("node")


def step(state: Any, text: str) -> Any:
    """The state after a text, ``None`` if it was refused."""
    for char in text:
        if state is not None:
            state = next((then for a, b, then in MACHINE.moves(state) if a <= ord(char) <= b), None)
    return state


def accepts(text: str) -> bool:
    """Whether the format admits a text."""
    state = step(MACHINE.start, text)
    return state is not None and MACHINE.accepts(state)


ACCEPTED = [
    "", "a|", "|", "a*?b+?c??", "(a)(?:b)(?=c)(?!d)(?<=e)(?<!f)", "a{0}b{1,}c{2,2}?d{9,10}", "^$", r"\b\B",
    r"\d\D\s\S\w\W", r"\f\n\r\t\v\cA\cz\0\x41\u0041\u{41}\u{000010FFFF}", r"\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/", r"\ud83d",
    r"\p{L}\P{Script=Greek}\p{scx=Grek}\p{gc=Lu}\p{Any}\p{ASCII_Hex_Digit}", "[]", "[^]", "[^^]", "[a-z-]", "[-a]",
    "[a-b-c]", "[+--]", r"[\w-]", r"[\d\-\b]", r"[\ud83d\ude00-\ud83d\ude01]", r"[\ud83d-\ude00]", r"[\u{1f600}-😂]",
    "[[(*]", r"[z-\x7a]", r"[a-\u{10ffff}]", "[à-ü]", "[а-яё]", "[一-龥]", "[\0-\x1f]", "[&&~~-]", r"(a)\1", r"\1(a)",
    r"(?<n>a)\k<n>", r"\k<n>(?<n>a)", "(?<year>a)(?<month>b)(?<day>c)", "(?<$_a1>)", "()", "((((a))))", "a/b", "é{2}",
    r"\10()()()()()()()()()()", r"[\0]", r"\0a", "(?:a){2}", "😀+",
]  # fmt: skip
REFUSED = [
    "(", ")", "a)", "[", "[a", "*", "+a", "a**", "a{2}{3}", "a{", "a{,3}", "a{2,1}", "a{10,9}", "a}", "a]", "{2}", "^*",
    r"\b+", "(?=a)*", "(?<!a)?", r"\a", r"\-", r"\_", r"\é", "\\", r"\c1", r"\c", r"\x4", r"\u004", r"\u{}",
    r"\u{110000}", r"\01", r"[\01]", r"[\1]", r"\1", r"\2(a)", r"\k<n>", r"(?<n>a)\k<m>", r"\k", r"(?<n>a)(?<n>b)",
    "(?<n>a)|(?<n>b)", "(?<1>a)", "(?<>a)", "(?<a", "(?P<n>a)", "(?P=n)", "(?#a)", "(?i)a", "(?i:a)", "(?>a)", "(?a)",
    "(?", r"\p", r"\pL", r"\p{}", r"\p{Greek}", r"\p{sc=}", r"\p{gc=Greek}", r"\p{ L}", "[b-a]", r"[\w-a]", r"[a-\d]",
    r"[b-\x61]", r"[\ud83d\ude01-\ud83d\ude00]", r"[\u{1f600}-\ud83d]", r"[b-\cA]", r"[\B]", r"[\k]", "a{2", "a{2,",
]  # fmt: skip
#: Valid, and told in the module's docstring to be left out.
LEFT_OUT = ["(?<é>a)", r"(?<\u0061>b)", "(?<abc>)(?<abd>)", r"(?<abc>a)\k<abc>", "[か-く]", "()" * 1000 + r"\1000"]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    """What the grammar of ECMA-262 derives, with the u flag, and no early error forbids."""
    assert accepts(text)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """What it does not, or what later editions brought."""
    assert not accepts(text)


@pytest.mark.parametrize("text", LEFT_OUT)
def test_left_out(text: str) -> None:
    """What is narrower than the specification, on purpose."""
    assert not accepts(text)


#: Texts that lead to a complete pattern from anywhere, tried in this order.
CLOSINGS = (
    "}", "]", ">", ")", "a", "=", "0", "f", "L}", "{L}", "()()()()()()()()()()", "()", "(?<n>)", "(?<m1>)", "(?<m>)",
    "u{10ffff}", r"\u{10ffff}", "{10ffff}", "0ffff}", r"\udfff", "udfff", "dfff", "fff", "<n>", "<m1>",
    "=Greek}", "n>", "m1>", "1>",
)  # fmt: skip


@cache
def _closes(state: Any, left: int = 9) -> bool:
    """Whether a complete pattern is found by trying."""
    while state[0] == "property":
        state = MACHINE.moves(state)[0][2]
    if MACHINE.accepts(state):
        return True
    if not left:
        return False
    following = (step(state, closing) for closing in CLOSINGS)
    return any(then is not None and then != state and _closes(then, left - 1) for then in following)


PIECES = [
    *"ab01z(){}[]*+?|^$.-,/_ é<>=!:\\\b", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m1>", r"\k<n>", r"\k<m1>",
    "()", r"\d", r"\W", r"\b", r"\B", "[a-z]", "[^a]", "[^]", "{2}", "{3,2}", "{9,10}", "{0,}", r"\p{L}", r"\P{Lu}",
    r"\p{Script=Greek}", r"\p{Greek}", r"\p{", r"\u{61}", r"\u{110000}", r"\u{10ffff}", r"\x61", r"\x", r"\u", r"\u{",
    r"\cA", r"\c1", r"\0", r"\1", r"\2", r"\10", r"\-", r"\/", r"\ud83d\ude00", r"\ud83d", r"\ude00", "\U0001f600",
    r"[\ud83d\ude00-", r"-\ud83d\ude01]", r"[\0-", r"-\0]", r"[\w-", r"-\d]", r"-\n", r"[\cA-", r"\a", "(?P<",
]  # fmt: skip
INSIDE = [
    *"abz-^1[}", r"\d", r"\n", r"\0", r"\x41", r"\u{1f600}", r"\ud83d", r"\ude00", r"\ud83d\ude00", r"\b", r"\B",
    r"\cA", r"\-", r"\]", r"\p{L}", "\U0001f600",
]  # fmt: skip


def drawn(seed: int, count: int) -> list[str]:
    """Random rows of pieces, and random brackets."""
    source = random.Random(seed)
    texts = ["".join(source.choices(PIECES, k=source.randint(1, 7))) for _ in range(count)]
    return [*texts, *(f"[{''.join(source.choices(INSIDE, k=source.randint(0, 6)))}]" for _ in range(count))]


def test_no_dead_ends() -> None:
    """Every prefix that is read can be completed, and moves ascend."""
    for text in drawn(1, 40):
        state: Any = MACHINE.start
        for char in text:
            moves = MACHINE.moves(state)
            assert all(first <= last for first, last, _ in moves)
            assert all(one[1] < other[0] for one, other in pairwise(moves))
            state = next((then for a, b, then in moves if a <= ord(char) <= b), None)
            if state is None:
                break
            assert _closes(state), text


@pytest.mark.parametrize(
    ("pattern", "is_met"),
    [
        (r"^/.+/$", True),
        (r"^\($", False),
        (r"^\(\(\(.*\)\)\)$", True),
        (r"^.{50}$", True),
        (r"^\[a-", True),
        (r"^\*", False),
        (r"^[^a]*\\$", True),
    ],
)
def test_what_meets_a_pattern_is_found_although_states_have_no_end(pattern: str, is_met: bool) -> None:
    """A stack and counts give states without end; some short or straight text decides."""
    lexicon = Lexicon(20_000, b"", 40_000, 16)
    assert lexicon.moves.is_alive(lexicon.intern(intersect(regex(), search_term(pattern)))) == is_met


SCRIPT = """
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map(text => {
    try { new RegExp(text, 'u'); return true; } catch (error) { return false; }
})));
"""


@pytest.mark.skipif(NODE is None, reason="needs node as the oracle")
def test_agrees_with_v8() -> None:
    """V8 reads what the format admits, and nothing else, but for what later editions brought."""
    texts = [*drawn(7, 1500), *ACCEPTED, *LEFT_OUT, *(t for t in REFUSED if t not in ("(?i:a)", "(?<n>a)|(?<n>b)"))]
    command = [str(NODE), "-e", SCRIPT]
    answer = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    for text, valid in zip(texts, json.loads(answer.stdout), strict=True):
        assert (accepts(text) or text in LEFT_OUT) == valid, text

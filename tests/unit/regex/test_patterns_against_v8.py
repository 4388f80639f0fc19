"""ECMA dialects against a real ECMAScript engine, where `node` is installed."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from maskwright.errors import ConstraintError
from maskwright.regex.compile import search_term
from maskwright.regex.properties import property_names, property_ranges
from maskwright.regex.ranges import normal
from tests.oracle.terms import matches

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node as the oracle")

SCRIPT = """
const lines = require('fs').readFileSync(0, 'utf8').split('\\n');
console.log(JSON.stringify(lines.map(line => {
    const [pattern, flags, texts] = JSON.parse(line);
    try { const regex = new RegExp(pattern, flags); return texts.map(text => regex.test(text)); }
    catch (error) { return null; }
})));
"""
PIECES = [
    *"ab01(){}[]*+?|^$.-,/_ é", "(?:", "(?=", "(?!", "(?<=", "(?<!", ")", r"\d", r"\w", r"\W", r"\s", r"\b", r"\B",
    "[a-z]", "[^a]", "[^]", "{2}", "{1,2}", r"\p{L}", r"\P{Lu}", r"\u{61}", r"\u0061", r"\x61", r"\cA", r"\0", r"\-",
    r"\/", r"\ud83d\ude00", "\U0001f600",
]  # fmt: skip


def judged(cases: list[tuple[str, str, list[str]]]) -> list[list[bool] | None]:
    """What V8 says of each (pattern, flags, texts): found or not, ``None`` for a SyntaxError."""
    asked = "\n".join(json.dumps(case) for case in cases)
    command = [str(NODE), "-e", SCRIPT]
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    result: list[list[bool] | None] = json.loads(answer.stdout)
    return result


def drawn(seed: int, count: int) -> list[tuple[str, list[str]]]:
    """Random rows of pieces, most of them wrong, each with random texts."""
    source = random.Random(seed)
    cases = []
    for _ in range(count):
        pattern = "".join(source.choice(PIECES) for _ in range(source.randint(1, 7)))
        # V8 20 finds \B between the halves of a pair, a place that ECMA-262 22.2.7.2 never visits with the u flag.
        letters = "ab01 -é\n\x01/_" + ("" if r"\B" in pattern else "\U0001f600")
        cases.append(
            (pattern, ["".join(source.choice(letters) for _ in range(source.randint(0, 5))) for _ in range(20)])
        )
    return cases


@pytest.mark.parametrize("seed", range(2))
def test_the_strict_dialect_is_the_u_flag(seed: int) -> None:
    """What V8 reads with the u flag we read too, to the same effect (or refuse as unsupported); nothing more."""
    cases = drawn(seed, 700)
    for (pattern, texts), theirs in zip(cases, judged([(p, "u", texts) for p, texts in cases]), strict=True):
        try:
            term = search_term(pattern, dialect="ecma-unicode")
        except ConstraintError as error:
            assert theirs is None or "not supported" in str(error), pattern  # noqa: PT017 - some are refused on purpose
            continue
        assert theirs is not None, pattern
        assert [matches(term, text) for text in texts] == theirs, pattern


def test_the_lenient_dialect_reads_the_u_flag_alike() -> None:
    """Where V8 accepts a pattern with the u flag, the default dialect means the same."""
    cases = drawn(99, 700)
    for (pattern, texts), theirs in zip(cases, judged([(p, "u", texts) for p, texts in cases]), strict=True):
        if theirs is None:
            continue
        try:
            term = search_term(pattern)
        except ConstraintError as error:
            assert "not supported" in str(error), pattern  # noqa: PT017 - some constructs are refused on purpose
            continue
        assert [matches(term, text) for text in texts] == theirs, pattern


#: Every construct of the language, alone and beside its neighbours.
CONSTRUCTS = [
    "^a$", "a^b", "a$b", "(^a|b$)", "^$", "$^", "(?:^|x)a(?:$|y)", "(a|^)b", "(?:a$|b)c?", "^(?:a|b$)*", "(?:^a)+b",
    "a(?:^|b)c", r"\ba", r"a\b", r"\Ba", r"a\B", r"\bab\b", r"(?:\ba|b)+", r"[\b]a", r"^\w+\b-\b\w+$", r"\b\B",
    r"^\B$", r"^\b$", r"x*\bx", "a??b", "a*?b", "a+?b+?", "a{1,2}?b", "(a{2}){3}", "(?:ab){1,3}?a", "a{0}",
    "a{0,0}b", "a{2,}", "(?<name>a)b", "(?<n1>a)(?<n2>b)", "(?:(?<x>a)|b)", "[a-c]", "[^a-c]", "[]", "[^]", "a[^]b",
    r"[a\-c]", r"[\]a]", r"[\^a]", r"[\d-]", "[a-]", "[-a]", r"[\w.]+", r"[^\W\d]", r"[\s\S]", r"[\u0061-\u0063]",
    r"[\x61-\x63]", r"[\u{61}-\u{63}]", r"\u{1f600}", r"\ud83d\ude00", r"[\ud83d\ude00-\ud83d\ude02]",
    r"[\u{1f600}-\u{1f602}]+", "^.$", "^..$", ".", r"\cA", r"\cj", r"[\cA-\cZ]", r"\0", r"\x00", r"\t\n\r\f\v",
    r"\/", r"a\/b", r"\.", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"^\s*$", r"\p{L}", r"\P{L}", r"\p{Lu}\p{Ll}",
    r"\p{Script=Greek}", r"\p{sc=Latin}", r"\p{scx=Latin}+", r"\P{Script=Latin}", r"\p{Emoji}",
    r"\p{Emoji_Presentation}", r"\p{Alphabetic}", r"\p{ASCII}", r"\p{Any}", r"^\p{ASCII}*$", r"[\p{L}\d]",
    r"[^\p{L}]", r"[\P{L}a]", r"\p{White_Space}", r"\p{ID_Start}\p{ID_Continue}*", r"\p{gc=Nd}", "(?=a)", "(?=a)a",
    "(?=a)b", "(?!a)b", "^(?!a)", "^(?!ab)a", "^(?=.*a)(?=.*b)", "^(?=.*[a-z])(?=.*[0-9]).{2,4}$", "^(?!.*--)[a-]*$",
    "^((?!ab).)*$", "(?:(?!ab).)*$", "^(?:(?!ab|ba)[ab])+$", "a(?=b|$)", "a(?!b|$)", "a(?=$)", "(?=$)", "(?!$)",
    "^(?=ab)", "(?=^a)", "(?<=a)b", "(?<!a)b", "(?<=^a)b", "(?<=^)a", "(?<!^)a", "(?<=ab)c", "(?<!ab)c", "(?<=a+)b",
    "(?<=a|bc)d?a", "(?<=a.)b", "(?<=a)$", "(?<!a)$", "(?<!ab)$", "^.*(?<!ab)$", r"^.*(?<!\.png)$", r"(?<=\b)a",
    "(?<=(?:^|-)a)b", "^(?=a).*(?<=b)$", "^(?!a).*(?<!b)$", "^(?!ab).*(?<!ab)$", "^(?=ab).*(?<=ab)$", "(?=ab)(?<=a)",
    "(?<=ab)(?=ab)", "(?<=ab)(?=ba)", "(?<!ab)(?!ba)", "a(?<=ba)(?=ab)", "(?<=a(?=b))b", "(?<=a(?!b))",
    "(?=a(?<=ba))", "(?=ab(?<=ab))", "(?!ab(?<=bab))a", "(?:(?=ab)a|(?<=ab)b)+", "(?:(?<=ab)0|a|b)+",
    "(?:(?<!ab)0|a|b)*$", "^(?:(?<=ab)0|a|b)*$", "^(?:a(?=b)|b)*$", "^(?:a(?=bb)|b)*$", "(?:(?=a(?=b))a|b)+$",
    "(?=(a|b)*$)", "^(?:(?=a)a|(?=b)b)*$", "(?!(?!a))", "(?!(?=a))", "(?=(?!ab)a)", "((((a))))", "(a|b|)c", "(|a)b",
    "(a|)+b", "(?:)", "()", "a||b", "|", "(?:a|b)*?c", "^(a+)+$", "^(a|a)*$", "^(a*)*$", "(a*)+", "(?:a*b*)*c",
    "x{3}y{2,}", "^.{0,3}$", "^.{2,}$", r"^[^\s]+@[^\s]+$", "^[a-b]+(?:-[a-b]+)*$", r"^(?:\d{1,2}|a)$", r"\(a\)",
    r"\[a\]", r"\{a\}", r"\^\$", r"\|", "^(?:(?:a|b)(?:0|1)){2}$", r"^\S+\s\S+$", "a.b", r"a\nb", r"^\u00e9$", "é",
    "^[à-ü]+$", "😀", "^😀{2}$", "[^😀]", "^[😀-😂]$", r"\bé", r"é\b", r"\w\b\W", "^a|b$", "^(a|b)$", "(?<a>a)|(?<b>b)",
    r"^(?<year>\d)-(?<m>\d)$", r"(?=.*\d)(?=.*[a-z])^\w+$", "(?=a)(?=ab)(?!abb)", "^(?!$)", "^(?!.*(.)1)",
    r"\b(?=a)", r"(?=\ba)", r"(?<=\ba)b", r"(?<=a\b)-", r"(?<=\B)b", r"(?!\b)", r"(?<!\b)", "^(?!-)[a-]{1,3}(?<!-)$",
    "^(?!-)(?!.*--)[a-]{1,4}(?<!-)$", r"^(?!\s)(?!.*\s$).+$", "(?<![a-z])ab(?![a-z])", r"(?<!\d)\d{2}(?!\d)",
    "(?<![ab][ab])0(?!1[ab])", "(?<=ab|b0)1(?=a|b0)", r"^(?:(?!\b)a|b)*$", r"(?:\b|a)+b", r"(?:^|\b)a", r"(?:$|\b)a",
]  # fmt: skip


def test_every_construct_means_what_v8_says() -> None:
    """Nothing but back references is refused, and what is read is found in the same texts."""
    source = random.Random(3)
    cases = []
    for pattern in CONSTRUCTS:
        letters = "ab01c -é\n" + ("" if r"\B" in pattern else "😀") + ("αΑ^$|.()[]{}/" if "\\" in pattern else "")
        texts = ["".join(source.choices("ab", k=source.randint(0, 5))) for _ in range(16)]
        texts += ["".join(source.choices(letters, k=source.randint(0, 4))) for _ in range(16)]
        cases.append((pattern, "u", texts))
    for (pattern, _, texts), theirs in zip(cases, judged(cases), strict=True):
        term = search_term(pattern)
        assert [matches(term, text) for text in texts] == theirs, pattern


def _looks(source: random.Random, depth: int) -> str:
    """A random pattern full of assertions."""
    parts = []
    for _ in range(source.randint(1, 3)):
        inner = "|".join(_looks(source, depth - 1) for _ in range(source.choice([1, 1, 2]))) if depth else "ab"
        kind = source.choice(["", "", "(?=", "(?!", "(?<=", "(?<!", "(?:"])
        if not kind or not depth:
            parts.append(source.choice(["a", "b", "[ab]", ".", "ab", "ba", "^", "$", r"\b", "a?", "b*", "-"]))
        else:
            parts.append(kind + inner + ")" + (source.choice(["*", "+", "?", "{1,2}", ""]) if kind == "(?:" else ""))
    return "".join(parts)


def test_looks_within_looks_mean_what_v8_says() -> None:
    """Lookaheads and lookbehinds of any length, in each other, in repetitions, with anchors."""
    source = random.Random(5)
    cases = []
    for _ in range(150):
        texts = ["".join(source.choices("aabb-", k=source.randint(0, 6))) for _ in range(20)]
        cases.append((_looks(source, 2), "u", texts))
    for (pattern, _, texts), theirs in zip(cases, judged(cases), strict=True):
        term = search_term(pattern)
        assert [matches(term, text) for text in texts] == theirs, pattern


PROPERTIES = """
const names = JSON.parse(require('fs').readFileSync(0, 'utf8'));
let all = '';
for (let point = 0; point <= 0x10FFFF; point++)
    if (point < 0xD800 || point > 0xDFFF) all += String.fromCodePoint(point);
console.log(JSON.stringify(names.map(name => [...all.matchAll(new RegExp(`\\\\p{${name}}+`, 'gu'))].map(
    ([run]) => [run.codePointAt(0), [...run].at(-1).codePointAt(0)]))));
"""


@pytest.mark.parametrize("seed", range(1))
def test_properties_are_those_of_v8(seed: int) -> None:
    """Sets of code points by name; only where both know the same version of Unicode."""
    version = subprocess.run([str(NODE), "-p", "process.versions.unicode"], capture_output=True, text=True, check=True)
    if not version.stdout.startswith("17."):
        pytest.skip("V8 with another version of Unicode")
    names = random.Random(seed).sample(property_names(), 25)
    asked = json.dumps(names)
    answer = subprocess.run([str(NODE), "-e", PROPERTIES], input=asked, capture_output=True, text=True, check=True)
    for name, theirs in zip(names, json.loads(answer.stdout), strict=True):
        # A run that ends before the surrogates and goes on behind them is one run there.
        assert property_ranges(name, loose=False) == normal(map(tuple, theirs)), name

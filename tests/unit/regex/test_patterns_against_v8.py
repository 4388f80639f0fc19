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

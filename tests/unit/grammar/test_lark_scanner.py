"""The scanner takes what Python's ``re`` takes: the first alternative that matches, with all of its priorities."""

from __future__ import annotations

import itertools
import re
from typing import Any

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwright as mw
from maskwright.errors import ConstraintError, GrammarError, LimitError
from maskwright.grammar.lark_programs import Programs
from maskwright.grammar.lark_scanner import Lexer, Pattern, Scanner
from maskwright.limits import DEFAULT_LIMITS
from tests.conformance.verdicts import BYTES

PATTERNS = [
    ["a|ab", "abc"],
    ["(a|ab)(c|bcd)", "a"],
    ["a*?b", "a+"],
    ["(|a)*b", "a"],
    ["(|a)+c|a", "b*"],
    ["(a*)*b|a", "(a|b)*c"],
    ["a(?=b)", "a(?!b)c?", "b"],
    ["a(?=b*c)", "ab*", "c"],
    ["(?!ab)a+", "ab(?!c|b)", "b|c"],
    [r"a\b", "[abc]+?", "b"],
    [r"\Bb", "a", "b"],
    ["(?<=a)b", "(?<!a)b", "a|c"],
    ["(?<=ab)c", "ab?", "b|c"],
    ["^a", "a$", "a|b"],
    ["(?m:^b)", r"a\n?", r"\n"],
    [r"a\Z|ab(?=.$)", "[ab]", "c"],
    ["(?i:AB)", "a", "b"],
    ["a{2,3}?b|a{2}", "a"],
    ["(?=(?!ab)a)..", "a|b|c"],
    ["(b|)*?[^a](?!a|bc)", "a"],
    ["a++b|a", "[bc]*+c|b"],
    ["(?>a+)ab|a", "(?>[ab]*)c|b", "c"],
]


def scanner_of(patterns: list[str]) -> tuple[Scanner, Lexer]:
    programs = Programs(DEFAULT_LIMITS)
    found = [
        Pattern(f"T{number}", number + 1, programs.add(f"T{number}", pattern, 0, number), is_ignored=False)
        for number, pattern in enumerate(patterns)
    ]
    return Scanner(programs, found, DEFAULT_LIMITS), Lexer(tuple(range(len(patterns))), {}, 0)


def taken(scanner: Scanner, lexer: Lexer, text: str) -> list[tuple[int, int]]:
    """(pattern, length) of every end that the whole text agrees with."""
    ends: list[tuple[int, int, int]] = []
    at = scanner.start(lexer, scanner.first)
    bits = [scanner.threads.alphabet.class_of(ord(char)) for char in text]
    for place, bit in enumerate(bits, 1):
        at = next((after for mask, after in scanner.moves(at) if mask & bit), None) if at is not None else None
        if at is None:
            break
        ends += [(scanner.outcomes[number].terminal, place, scanner.outcomes[number].context) for number in at.outcomes]
    found = []
    for terminal, length, context in ends:
        guard: Any
        guard, past = scanner.contexts[context]
        for bit in bits[length:]:
            past = scanner.threads.step_past(past, bit)
            guard = guard is not False and scanner.threads.step_guard(guard, bit, past)
        if guard is not False and scanner.threads.end_guard(guard):
            found.append((terminal - 1, length))
    return found


def expected(patterns: list[str], text: str) -> list[tuple[int, int]]:
    union = "|".join(f"(?P<T{number}>{pattern})" for number, pattern in enumerate(patterns))
    match = re.compile(union).match(text)
    return [] if match is None or match.end() == 0 else [(int(match.lastgroup[1:]), match.end())]


@pytest.mark.parametrize("patterns", PATTERNS, ids=" ".join)
def test_exactly_the_end_that_re_takes_agrees_with_the_rest(patterns: list[str]) -> None:
    """Of all ends of a terminal one hypothesis survives the rest of the text: the match of ``re``."""
    scanner, lexer = scanner_of(patterns)
    for size in range(6):
        for chars in itertools.product("abc\n" if size < 5 else "abc", repeat=size):
            text = "".join(chars)
            if expected(patterns, text) or not re.match("|".join(patterns), text):
                assert taken(scanner, lexer, text) == expected(patterns, text), text


_WORDS = (
    r"a b [ab] [^a] . a* b+? (a|ab) (ab|a) (|a)* (a?)*? (?=a) (?!b) \b (?<=a) (?<!b) $ a{1,2} (?!a|bb) (a|b)*? (?=b*a)"
)
ATOMS = st.sampled_from(_WORDS.split())


@given(
    st.lists(st.lists(ATOMS, min_size=1, max_size=4).map("".join), min_size=1, max_size=3), st.text("ab", max_size=7)
)
def test_random_patterns(patterns: list[str], text: str) -> None:
    """The same of patterns put together by chance; those that match nothing are no terminals."""
    patterns = [pattern for pattern in patterns if re._parser.parse(pattern).getwidth()[0] > 0]  # type: ignore[attr-defined]
    scanner, lexer = scanner_of(patterns)
    assert taken(scanner, lexer, text) == expected(patterns, text)


def whole(pattern: str, string: str) -> bool:
    scanner, _ = scanner_of([pattern, "[ab\\n]"])
    return scanner.matches(0, string)


@pytest.mark.parametrize("pattern", [pattern for patterns in PATTERNS for pattern in patterns] + ["(?=a|b)a(?!b)|ab"])
def test_what_re_takes_of_a_keyword(pattern: str) -> None:
    """Whether ``re.match`` takes a whole string, as ``_create_unless`` of Lark asks."""
    for size in range(1, 5):
        for chars in itertools.product("abc\n", repeat=size):
            text = "".join(chars)
            match = re.match(pattern, text)
            assert whole(pattern, text) == (match is not None and match.group() == text), text


@given(st.lists(ATOMS, min_size=1, max_size=5).map("".join), st.text("ab", min_size=1, max_size=7))
def test_what_re_takes_of_a_keyword_by_chance(pattern: str, text: str) -> None:
    """The same of patterns put together by chance."""
    match = re.match(pattern, text)
    assert whole(pattern, text) == (match is not None and match.group() == text)


@pytest.mark.parametrize(
    ("keyword", "pattern"), [("a" * 40, "(a+)+b"), ("ab" * 30, "([a-z]+)*[0-9]"), ("a" * 2000, "(a|a)+(a|a)*(?=c)")]
)
def test_keywords_before_patterns_that_backtrack(keyword: str, pattern: str) -> None:
    """Python's own search would take longer than the universe has existed."""
    guide = mw.compile(mw.lark(f'start: KW | NAME\nKW: "{keyword}"\nNAME: /{pattern}/'), BYTES)
    assert guide.matches(keyword)


KEYWORDS = [
    ('start: (IF | NAME)+\nIF: "if"\nNAME: /[a-z]+/\n%ignore " "', ["if", "iff", "i", "if if"], []),
    ('start: IF NAME\nIF: "if"\nNAME: /[a-z]+/\n%ignore " "', ["if a", "if iff", "if if", "ifa"], ["iff a", "if", "a"]),
    ('start: NAME\nIF.2: "if"\nNAME: /[a-z]+/', ["iff", "if"], []),
    ('start: (NAME | IF)\nIF.2: "if"\nNAME: /[a-z]+/', ["if", "ia"], ["iff"]),
    ('start: "SELECT"i NAME\nNAME: /[a-z]+/i\n%ignore " "', ["select a", "Select selects"], ["selects a", "a a"]),
    ('start: (LE | LT | SHL)+\nLT: "<"\nLE: "<="\nSHL: "<<"', ["<=<", "<<<"], ["=", "<<="]),
    ("start: (INT | FLOAT | DOT)+\nINT: /[0-9]+/\nFLOAT: /[0-9]+[.][0-9]+/\nDOT: /[.]/", ["1.", "1.2.3", "1.."], ["a"]),
]


@pytest.mark.parametrize(("grammar", "accepted", "refused"), KEYWORDS)
def test_keywords_priorities_and_backing_up(grammar: str, accepted: list[str], refused: list[str]) -> None:
    """A keyword is one only where the parser could take it; Lark agrees with the table."""
    parser = lark.Lark(grammar, parser="lalr")
    for text in accepted:
        parser.parse(text)
    for text in refused:
        with pytest.raises(lark.exceptions.UnexpectedInput):
            parser.parse(text)
    guide = mw.compile(mw.lark(grammar), BYTES)
    assert [text for text in accepted if not guide.matches(text)] == []
    assert [text for text in refused if guide.matches(text)] == []


def test_what_only_threads_can_say_is_not_refused() -> None:
    """A final ``$`` beside a long lookbehind is no term, but Python's ``re`` decides it, and so does the scanner."""
    grammar = "start: A+\nA: /a(?<=ba|ca)$|b|c/"
    guide = mw.compile(mw.lark(grammar), BYTES)
    parser = lark.Lark(grammar, parser="lalr")
    for text in ("ba", "ca", "bca\n"):
        try:
            parser.parse(text)
            expected = True
        except lark.exceptions.UnexpectedInput:
            expected = False
        assert guide.matches(text) is expected
    assert guide.matches("ba")
    assert not guide.matches("aa")


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        (r"(a)\1", ConstraintError),
        (r"(a)?(?(1)b|c)", ConstraintError),
        ("(?>a+|b)b", ConstraintError),
        ("a*", GrammarError),
        ("(?=a)", GrammarError),
        ("a{1,20000}", LimitError),
        ("[ab]*a[ab]{40}", LimitError),
    ],
)
def test_what_is_refused_names_the_terminal(pattern: str, error: type[Exception]) -> None:
    """Patterns that no automaton decides, that may be empty, or that take too many states."""
    with pytest.raises(error, match=r"ABC|terminals"):
        mw.lark(f"start: ABC\nABC: /{pattern}/")


def test_steps_have_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terminals that may each begin anywhere are refused once they have taken many steps, in a second or two."""
    monkeypatch.setattr("maskwright.grammar.lark_scanner._WORK", 50_000)
    names = [f"T{number}" for number in range(12)]
    grammar = "\n".join([f"start: ({'|'.join(names)})+", *(f"{name}: /.*{name}.*x/" for name in names)])
    with pytest.raises(LimitError, match="steps of threads"):
        mw.lark(grammar)
    with pytest.raises(LimitError, match="steps of threads"):
        mw.lark("start: A+\nA: /(?=.*q).*?z(?!.*k.{20})/s")

"""Which texts a pattern accepts: search and full match, dialect by dialect."""

from __future__ import annotations

import pytest

from maskwright.network.lexeme import ANYTHING, EPSILON, NEVER, Term, characters, concatenate, literal, repeat
from maskwright.regex.compile import full_term, search_term
from tests.oracle.terms import matches

# (dialect, pattern, found in, not found in)
SEARCH = [
    ("ecma", r"\S", ["a", " a ", "  b"], ["", " ", "\t", "\ufeff", "\u00a0"]),
    ("ecma", r"^(tmp_)?\d{3,}[\w.]?$", ["123", "tmp_1234", "123.", "1234x"], ["12", "tmp_12", "x123", "123-", "123\n"]),
    ("ecma", r"^ready\!$", ["ready!"], ["ready", "ready!!", "x"]),
    ("ecma", r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", ["-07", ".5", "1.4"], ["abc", "-", "", "1.2.3", "."]),
    ("ecma", r"((1\d|[1-9]|)\d\.){2}(1\d|[1-9]|)\d", ["0.19.199", "9.99.100", "1.1.1"], ["1.1", "200", "1..1"]),
    ("ecma", r"^(|x.*)$", ["", "xab"], ["x\n", "ab", "x\u2028"]),
    ("ecma", r"^(cat\nblack cat|dog\nbrown dog)$", ["cat\nblack cat"], ["cat\\nblack cat", "cat"]),
    ("ecma", r"^[a-z]+:\s(?:[^,\n]+,)*[^,\n]*$", ["ab: x,y", "k: a,b,c", "k:\u2003x"], ["ab x", "AB: x", "a: x\ny"]),
    ("ecma", r"^([ab]*)*c$", ["c", "abbac"], ["ab", "", "cc"]),
    ("ecma", r"^(a+)+b$", ["ab", "aaaab"], ["a" * 40, "a" * 40 + "X"]),
    ("ecma", r"^zip|tar$", ["zipper", "a.tar", "tar"], ["azip", "tar.gz", "tar\n"]),
    ("ecma", r"^$|^x", ["", "xy"], ["yx", "y"]),
    ("ecma", r"^([^,]+(,|$)){3,}$", ["a,b,c", "a,b,c,", "aa,b,c,d"], ["a,b", "a,,b,c", ""]),
    ("ecma", r"^$[a-zA-Z0-9$_]*$", [""], ["a", "$a"]),
    ("ecma", r"/^[0-9]{4}$/", [], ["/1234/", "1234"]),
    ("ecma", r"^(?=[^=]+$)(?!\s+$)(.|\n)+$", ["a", " a\n"], ["", "  ", "a=b"]),
    ("ecma", r"^([\da-z](?:(?!.*--)[\da-z-]*[\da-z])?)$", ["a", "a-b", "ab-c"], ["a--b", "-a", "a-"]),
    ("ecma", r"^((?!mode)(?!Mode).)*$", ["", "mod", "MODE"], ["amode", "Mode", "xmodex"]),
    ("ecma", r"<!--((?!-->).)*-->", ["<!-- a -- b -->", "<!---->x"], ["<!-- a", "<!--a\n-->"]),
    ("ecma", r"\bcat\b", ["cat", "a cat!", "é cat"], ["cats", "concat", "cat_"]),
    ("ecma", r"^.*(?<!\.json)$", ["a.txt", "json", ""], ["a.json", ".json"]),
    ("ecma", r"^(?=.*\d)(?!.*\s).*(?<!x)(?<!end)$", ["1", "a1b"], ["a", "1 2", "1x", "1end"]),
    ("ecma", r"^[\ud83d\ude00-\ud83d\ude4f]+$", ["\U0001f628"], ["a", "", "\u2600"]),
    ("ecma", "^\U0001f600.\\u{1F601}$", ["\U0001f600\U0001f600\U0001f601"], ["\U0001f600\U0001f601"]),
    ("ecma", r"^[\ud800-\udbff]$|^\ud800$|^[]$", [], ["\U0001f600", "a", "\ud7ff"]),
    ("ecma", r"^[^]$", ["\n", "\U0001f600"], ["", "ab"]),
    ("ecma", r"^\cA\0\x41\/[\b]$", ["\x01\x00A/\x08"], ["\x01\x00A/b"]),
    ("ecma", r"^a{,b}{$", ["a{,b}{"], ["aaa"]),
    ("ecma", r"^[\w-.]+$", ["a-b.c"], ["a b", "a,b"]),
    ("ecma", r"^\p{Letter}+\P{L}$", ["aé1", "猫."], ["1", "ab"]),
    ("ecma", r"^\d\w$", ["1a"], ["١a", "1é"]),
    ("ecma-legacy", r"^\101\e\u{2}$", ["Aeuu"], ["Ae\x02"]),
    ("python", r"^a.$", ["ab", "ab\n", "a\r"], ["a\n", "ab\n\n", "ab\nc"]),
    ("python", r"^\d\w\s\Z", ["١é\u00a0"], ["١é\u00a0\n", "1a\ufeff"]),
    ("python", r"(?i)^straße[^a]\Z", ["STRAßEb", "ſtraẞeb"], ["strassea", "straßeA"]),
    ("python", r"(?a)^\d\w\Z", ["1a"], ["١a", "1é"]),
    ("python", r"(?m)^a$", ["b\na\nc", "a"], ["ba", "ab"]),
    ("python", r"(?s)^.\Z", ["\n", "a"], ["", "ab"]),
    ("python", "(?x) ^ a [ ] b \\# # comment\n c \\Z", ["a b#c"], ["ab#c", "a b"]),
    ("python", r"^(?i:a)b(?#no)\Z", ["Ab", "ab"], ["aB"]),
    ("python", r"^x{,2}y{,}\Z", ["", "xxyy"], ["xxx"]),
    ("python", r"^\012\x41\U0001F600\N{BULLET}[]-]\Z", ["\nA\U0001f600\u2022]", "\nA\U0001f600\u2022-"], ["A"]),
    ("rust", r"^(?i)k+(?-i)k\z", ["Kk", "\u212ak"], ["KK"]),
    ("rust", r"^[[:alpha:]_]+\pN\p{^Lu}$", ["a_1a"], ["é1a", "a1A", "a1a\n"]),
    ("rust", r"^a{2}{2}$", ["aaaa"], ["aa", "aaa"]),
    ("rust", r"^(?m:^a$)\n$", ["a\n"], ["a"]),
    ("rust", r"^\d\w\s\x{1F600}$", ["١\u0301\u0085\U0001f600"], ["a1 \U0001f600"]),
]


@pytest.mark.parametrize(("dialect", "pattern", "found", "missing"), SEARCH)
def test_search(dialect: str, pattern: str, found: list[str], missing: list[str]) -> None:
    """The term holds the texts in which the dialect's own engine finds the pattern."""
    term = search_term(pattern, dialect=dialect)
    assert [text for text in found if not matches(term, text)] == []
    assert [text for text in missing if matches(term, text)] == []


@pytest.mark.parametrize(
    ("pattern", "matched", "missing"),
    [
        (r"((1\d|[1-9]|)\d\.){2}(1\d|[1-9]|)\d", ["0.19.199"], ["200.1.1", "1.1.1."]),
        (
            "```latex\n(.|\\n)*?\n```",
            ["```latex\nx\n```", "```latex\n\\frac{1}{2}\n\ny\n```"],
            ["```latex\nx", "latex"],
        ),
        (r"\d*.*", ["", "12", "12abc", "abc é"], ["a\nb"]),
        (r"(a|b)*a(a|b){18}", ["a" + "b" * 18, "bbaa" + "b" * 18], ["b" * 19, "a"]),
        ("(好|坏)+的", ["好的", "坏好的"], ["的", "好", "hao的"]),
        (r"^a|b$", ["a", "b"], ["ab", "ax"]),
        (r"(?=.{2}$)[ab]+", ["ab"], ["a", "aba"]),
        (r"[ab]+(?<!b)", ["a", "ba"], ["ab"]),
        (r"(?=a)[ab]+(?<!ab)", ["a", "aa", "abb"], ["ab", "ba", "aab"]),
    ],
)
def test_full_match(pattern: str, matched: list[str], missing: list[str]) -> None:
    """The term of a full match holds the texts that the pattern matches from beginning to end."""
    term = full_term(pattern)
    assert [text for text in matched if not matches(term, text)] == []
    assert [text for text in missing if matches(term, text)] == []


A, A_TO_Z, NO_COMMA = (
    characters([(97, 97)]),
    characters([(97, 122)]),
    characters([(0, 43), (45, 0xD7FF), (0xE000, 0x10FFFF)]),
)


@pytest.mark.parametrize(
    ("pattern", "term"),
    [
        ("", ANYTHING),
        ("a*", ANYTHING),
        (".*", ANYTHING),
        ("^", ANYTHING),
        ("^.*|$", ANYTHING),
        (r"(?=)", ANYTHING),
        ("^$", EPSILON),
        ("a^b", NEVER),
        ("a$b", NEVER),
        ("[]", NEVER),
        ("(?!)", NEVER),
        ("abc", concatenate(ANYTHING, literal("abc"), ANYTHING)),
        (".*abc.*", concatenate(ANYTHING, literal("abc"), ANYTHING)),
        ("a+", concatenate(ANYTHING, A, ANYTHING)),
        ("^(?:a)bc$", literal("abc")),
        ("^[a-z]{2,5}$", repeat(A_TO_Z, 2, 5)),
        ("^a{2,5}$", repeat(A, 2, 5)),
        ("^[^,]{0,5000}$", repeat(NO_COMMA, 0, 5000)),
        ("^(a*)*$", repeat(A)),
        ("^(a+)+$", repeat(A, 1)),
        ("^((a?)+)?$", repeat(A)),
        ("^(a{2}){3}$", repeat(A, 6, 6)),
        ("^(a{2,3}){2,4}$", repeat(A, 4, 12)),
        ("^(a{3}){0,2}$", repeat(repeat(A, 3, 3), 0, 2)),
        ("^(a*|[b-z]+)*$", repeat(A_TO_Z)),
        ("^(a|b|[c-z])$", A_TO_Z),
        ("^(|a|)$", repeat(A, 0, 1)),
    ],
)
def test_normal_forms(pattern: str, term: Term) -> None:
    """What is evident is found: equal languages of simple shape are the same term."""
    assert search_term(pattern) is term


def test_words_are_one_set() -> None:
    """Alternatives that are strings become one set of words, in any order and with anchors."""
    assert search_term("^(?:cat|dog|bird)$") is search_term("^bird$|^cat$|^dog$")
    assert search_term("^(?:cat|dog|bird)$").op == "words"

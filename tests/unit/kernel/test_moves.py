"""Derivatives: terms of the kernel hold the words that the oracle says, and JSON spells them as RFC 8259 does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.kernel.lexicon import ACCEPTS, DEAD, UNKNOWN, Lexicon
from maskwright.network.lexeme import (
    ANY_CHARACTER,
    ANYTHING,
    Term,
    characters,
    complement,
    encode,
    intersect,
    quote,
    repeat,
    unite,
    words,
)
from tests.oracle.terms import matches
from tests.properties.terms import terms, texts


def run(lexicon: Lexicon, term: Term, data: bytes) -> int:
    """The state after some bytes; DEAD where they cannot be read."""
    at = lexicon.state(lexicon.intern(term))
    for byte in data:
        while lexicon.rows[256 * at + byte] == UNKNOWN:  # a row may leave rare bytes open at first
            lexicon.fill(at)
        at = lexicon.rows[256 * at + byte]
        if at == DEAD:
            break
    return int(at)


def accepts(term: Term, data: bytes) -> bool:
    lexicon = Lexicon(10_000)
    return bool(lexicon.flags[run(lexicon, term, data)] & ACCEPTS)


@given(terms, st.lists(texts, min_size=1, max_size=6))
def test_terms_hold_the_words_of_the_oracle(term: Term, samples: list[str]) -> None:
    """As UTF-8, and as JSON literals with and without needless escapes."""
    for text in samples:
        expected = matches(term, text)
        assert accepts(encode(term), text.encode()) == expected
        assert accepts(quote(term), json.dumps(text, ensure_ascii=False).encode()) == expected
        assert accepts(quote(term), json.dumps(text).encode()) == expected
        assert accepts(quote(term, minimal=True), json.dumps(text, ensure_ascii=False).encode()) == expected


@given(terms, terms, st.lists(texts, min_size=1, max_size=6))
def test_boolean_laws(one: Term, other: Term, samples: list[str]) -> None:
    """De Morgan, double complement, and what is in both is in each."""
    for text in samples:
        data = text.encode()
        first, second = accepts(encode(one), data), accepts(encode(other), data)
        assert accepts(encode(unite(one, other)), data) == (first or second)
        assert accepts(encode(intersect(one, other)), data) == (first and second)
        assert accepts(encode(complement(one)), data) == (not first)
        assert accepts(encode(complement(unite(complement(one), complement(other)))), data) == (first and second)


@given(terms)
def test_every_live_state_reaches_an_end(term: Term) -> None:
    """Whatever can be read, something can follow that ends (walked along the lowest bytes)."""
    lexicon = Lexicon(10_000)
    start = lexicon.state(lexicon.intern(quote(term)))
    seen, todo = {start}, [start]
    before: dict[int, set[int]] = {}
    while todo and len(seen) < 300:
        at = todo.pop()
        while UNKNOWN in list(lexicon.rows[256 * at : 256 * at + 256]):
            lexicon.fill(at)
        for then in set(lexicon.rows[256 * at : 256 * at + 256]) - {DEAD}:
            before.setdefault(then, set()).add(at)
            if then not in seen:
                seen.add(then)
                todo.append(then)
    if todo or start == DEAD:
        return
    live = [state for state in seen if lexicon.flags[state] & ACCEPTS]
    good = set(live)
    while live:
        for above in before.get(live.pop(), set()) - good:
            good.add(above)
            live.append(above)
    assert seen <= good


@pytest.mark.parametrize("minimal", [False, True])
@pytest.mark.parametrize("code", [*range(0x80), 0x80, 0xFF, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF])
def test_every_spelling_of_a_character(code: int, minimal: bool) -> None:
    """RFC 8259 section 7: raw, short and long escapes, pairs of surrogates; minimal only what must be."""
    character = chr(code)
    demanded = code < 0x20 or character in '"\\'
    shorts = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    units = character.encode("utf-16-be").hex()
    hexadecimal = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    term = quote(words([character]), minimal=minimal)
    assert accepts(term, f'"{character}"'.encode()) is not demanded
    if character in shorts:
        assert accepts(term, f'"{shorts[character]}"'.encode()) is (demanded or not minimal)
    for spelling in (hexadecimal, hexadecimal.upper().replace("U", "u")):
        expected = not minimal or (code < 0x20 and character not in shorts)
        if minimal and demanded and not expected:
            continue  # a short escape exists; whether the long one counts as minimal is the policy's business
        assert accepts(term, f'"{spelling}"'.encode()) is expected, spelling


@pytest.mark.parametrize(
    "body",
    [
        b"\xff", b"\xc0\x80", b"\xc1\xbf", b"\x80", b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80",
        b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\n", b"\x00", b"\\x", b"\\u12", b"\\ud83d", b"\\ude00",
        b"\\ud83d\\ud83d", b"\\ud83dx", b"\\U0041", b"\\u00g0",
    ],
)  # fmt: skip
def test_ill_formed_strings(body: bytes) -> None:
    """RFC 3629 and RFC 8259: no overlong forms, lone surrogates however spelled, raw controls or other escapes."""
    assert not accepts(quote(ANYTHING), b'"' + body + b'"')


@pytest.mark.parametrize("least", [0, 1, 5])
@pytest.mark.parametrize("most", [5, 1000, 10**6])
def test_counters_are_exact(least: int, most: int) -> None:
    """A counted class ends at its bounds and not elsewhere, however far they are."""
    lexicon = Lexicon(1000)
    term = encode(repeat(characters([(0x61, 0x62)]), least, most))
    for count in {0, 1, 4, 5, 6, 999, 1000, 1001} - set(range(1002 if most > 1000 else 0, 1002)):
        state = run(lexicon, term, b"ab" * (count // 2) + b"a" * (count % 2))
        assert bool(lexicon.flags[state] & ACCEPTS) == (least <= count <= most)


@pytest.mark.parametrize("word", ["", "a", "\u00e9", "\U0001f600"])
def test_any_character_is_any(word: str) -> None:
    """One code point that UTF-8 can carry."""
    assert accepts(encode(ANY_CHARACTER), word.encode()) is (len(word) == 1)

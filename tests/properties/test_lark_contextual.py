"""Lark grammars with their contextual lexer against Lark itself: verdicts, masks, and no dead ends."""

from __future__ import annotations

import itertools
import random
from typing import Any

import lark
import pytest

import maskwright as mw
from maskwright.errors import ConstraintError, LimitError, UnsatisfiableError
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import by_reading, in_mask, make_vocabulary
from tests.properties.contextual_grammars import GRAMMARS, TEXTS, mutated, random_grammar

#: Characters of the random grammars.
ALPHABET = "abc "
LONGEST = 4


def accepts(parser: lark.Lark, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


def parser_of(grammar: str) -> lark.Lark:
    return lark.Lark(grammar, parser="lalr", lexer="contextual")


@pytest.mark.parametrize("name", GRAMMARS)
def test_mutated_texts_have_lark_s_verdict(name: str) -> None:
    """A text is accepted if and only if Lark parses it."""
    parser = parser_of(GRAMMARS[name])
    guide = mw.compile(mw.lark(GRAMMARS[name]), BYTES)
    dice = random.Random(name)
    alphabet = "".join(sorted(set("".join(TEXTS[name]))))
    for _ in range(120):
        text = mutated(dice, dice.choice(TEXTS[name]), alphabet)
        assert guide.matches(text) == accepts(parser, text), text


def _outcome(grammar: str) -> tuple[lark.Lark, mw.Guide | None] | None:
    """Lark's parser and ours (None: no text is accepted); None if Lark or we refuse the grammar."""
    try:
        parser = parser_of(grammar)
        accepts(parser, "a")
    except Exception:  # noqa: BLE001  (Lark reports what it refuses in many ways)
        return None
    try:
        return parser, mw.compile(mw.lark(grammar), BYTES)
    except UnsatisfiableError:
        return parser, None
    except ConstraintError:
        return None


def _check(grammar: str, parser: lark.Lark, guide: mw.Guide | None) -> None:
    texts = ["".join(chars) for size in range(LONGEST + 1) for chars in itertools.product(ALPHABET, repeat=size)]
    verdicts = {text: accepts(parser, text) for text in texts}
    if guide is None:
        assert not any(verdicts.values()), grammar
        return
    live = {text[:cut] for text in texts if verdicts[text] for cut in range(len(text) + 1)}
    completed = 0
    for text in texts:
        matcher = guide.matcher()
        if not matcher.can_read(text.encode()):
            assert text not in live, (grammar, text)
            continue
        for byte in text.encode():
            matcher.advance(byte + 1)
        assert matcher.is_accepting == verdicts[text], (grammar, text)
        if text not in live and completed < 20:
            completed += 1
            try:
                rest = matcher.complete().decode()
            except LimitError as error:  # the shortest completion is searched among more stacks than it may visit
                if "within" not in str(error):
                    raise
                completed = 20
                continue
            assert accepts(parser, text + rest), (grammar, text)


def _check_one(seed: int) -> None:
    """Check the first random grammar that Lark and we accept; half of them have collisions or empty terminals."""
    for number in range(100):
        grammar = random_grammar(random.Random(100 * seed + number))
        found = _outcome(grammar)
        if found is not None:
            _check(grammar, *found)
            return


@pytest.mark.parametrize("seed", range(100))
def test_small_grammars_agree_with_lark_on_all_short_texts(seed: int) -> None:
    """Every short text has Lark's verdict; a beginning that no short text goes on with is completed, or refused."""
    _check_one(seed)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("bounds", [(0, 10_000), (0, 0), (2_000, 0)])
def test_liveness_does_not_depend_on_how_it_is_found(
    seed: int, bounds: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Search and saturation give the same answers."""
    monkeypatch.setattr("maskwright.grammar.lark_liveness._SEARCH", bounds[0])
    monkeypatch.setattr("maskwright.grammar.lark_liveness._CHEAP", bounds[1])
    _check_one(1_000 + seed)


def _vocabulary(name: str) -> mw.Vocabulary:
    dice = random.Random(name)
    whole = "".join(TEXTS[name])
    pieces = {whole[at : at + dice.randint(2, 5)].encode() for at in range(0, len(whole), 2)}
    return make_vocabulary([*(bytes([byte]) for byte in range(256)), *sorted(pieces)])


@pytest.mark.parametrize("name", GRAMMARS)
def test_masks_are_what_can_be_read_and_completed(name: str) -> None:
    """A mask has exactly the tokens that can be read; what was read can be completed, and Lark accepts the whole."""
    parser = parser_of(GRAMMARS[name])
    vocabulary = _vocabulary(name)
    guide = mw.compile(mw.lark(GRAMMARS[name]), vocabulary)
    dice = random.Random(name)
    for _ in range(3):
        matcher: Any = guide.matcher()
        for _ in range(12):
            allowed = in_mask(matcher)
            assert allowed == by_reading(matcher), matcher.text
            token = dice.choice(sorted(allowed))
            if token == 0:
                break
            other = matcher.fork()
            matcher.advance(token)
            other.advance(token)
            other.rollback(1)
            assert in_mask(other) == allowed
            try:
                text = matcher.text.decode()
            except UnicodeDecodeError:
                continue
            assert accepts(parser, text + matcher.complete().decode()), text

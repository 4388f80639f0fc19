"""Both readings of a Lark grammar against Lark: a text is accepted if and only if Lark parses it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import maskwright as mw
from tests.conformance.verdicts import BYTES, SHARED
from tests.oracle.lark_texts import lark_texts
from tests.oracle.masks import by_reading, in_mask, make_vocabulary
from tests.unit.grammar.lark_grammars import GRAMMARS

lark = pytest.importorskip("lark")

PARSERS = {"contextual": ("lalr", "contextual"), "exact": ("earley", "dynamic_complete")}


def parses(parser: Any, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("lexer", PARSERS)
def test_accepts_what_lark_parses(name: str, lexer: str) -> None:
    """Texts that derive from the grammar, such texts broken, and texts by chance: Lark's verdict is ours."""
    example = GRAMMARS[name]
    kind, lexing = PARSERS[lexer]
    if lexer == "contextual" and not example.is_lalr:
        with pytest.raises(lark.exceptions.GrammarError):
            lark.Lark(example.text, parser=kind, lexer=lexing)
        with pytest.raises(mw.ConstraintError):
            mw.lark(example.text, lexer=lexer)
        return
    parser = lark.Lark(example.text, parser=kind, lexer=lexing)
    guide = mw.compile(mw.lark(example.text, lexer=lexer), BYTES)
    chance = random.Random(f"{name} {lexer}")
    for text in lark_texts(parser, example.alphabet, example.words, 90, chance):
        assert guide.matches(text) == parses(parser, text), text


@pytest.mark.parametrize("name", GRAMMARS)
def test_exact_masks(name: str) -> None:
    """Exact: along random outputs each mask is what the matcher can read, and the shortest end is one of Lark's."""
    example = GRAMMARS[name]
    chance = random.Random(name)
    pairs = {"".join(chance.choices(example.alphabet, k=chance.randint(2, 3))).encode() for _ in range(40)}
    tokens = [*(bytes([byte]) for byte in range(256)), *sorted(pairs | {word.encode() for word in example.words})]
    guide = mw.compile(mw.lark(example.text, lexer="exact"), make_vocabulary(tokens))
    parser = lark.Lark(example.text, parser="earley", lexer="dynamic_complete")

    for _ in range(4):
        matcher = guide.matcher()
        for _ in range(6):
            ids = in_mask(matcher)
            assert ids
            assert ids == by_reading(matcher)
            token = chance.choice(sorted(ids - {0}) or [0])
            if not token:
                break
            matcher.advance(token)
        text = (matcher.text + (matcher.complete() or b"")).decode()
        assert parses(parser, text), text


@pytest.mark.parametrize("lexer", PARSERS)
def test_open_cases(lexer: str) -> None:
    """The cases of other engines' users that are Lark grammars are decided right, under both readings."""
    file = SHARED / "cases/open.jsonl"
    if not file.exists():
        pytest.skip("the cases are not here: put the workplace's folder shared beside the clone")
    rows = [json.loads(line) for line in file.read_text().split("\n") if line]
    grammars = [row for row in rows if row["constraint_kind"] == "grammar" and row["constraint"]]
    cases = [row for row in grammars if row["constraint"]["syntax"] == "lark"]
    assert cases
    for case in cases:
        guide = mw.compile(mw.lark(case["constraint"]["text"], lexer=lexer), BYTES)
        assert all(guide.matches(text) for text in case["accept"]), case["id"]
        assert not any(guide.matches(text) for text in case["reject"]), case["id"]


@pytest.mark.parametrize("name", ["common", "lark", "unicode"])
def test_grammars_that_come_with_lark(name: str) -> None:
    """Every terminal and rule of them can be imported; what Lark refuses alone is refused here too, by name."""
    from importlib.resources import files

    text = files("lark.grammars").joinpath(f"{name}.lark").read_text("utf-8")
    if name == "lark":
        guide = mw.compile(mw.lark(text), BYTES)
        assert guide.matches('start: "a" b? -> c\nb.2: /x/i | ["y"~2..3]\n%import common.WS\n%ignore WS\n')
        assert not guide.matches("start: *\n")
        return
    names = [line.split(":")[0].split(".")[0] for line in text.splitlines() if line[:1].isupper() and ":" in line]
    taken = 0
    for terminal in names:
        grammar = f'start: {terminal} ";"\n%import {name}.{terminal}'
        try:
            lark.Lark(grammar, parser="earley", lexer="dynamic_complete")
        except Exception:  # noqa: BLE001  (some are empty, or named like parts of others)
            with pytest.raises(mw.ConstraintError):
                mw.lark(grammar, lexer="exact")
            continue
        mw.lark(grammar, lexer="exact")
        taken += 1
    assert taken > len(names) // 2

"""Completions of texts that Lark's contextual lexer reads: they end what is open, and are about as short as can be."""

from __future__ import annotations

from functools import cache
from unittest import mock

import lark
import pytest

import maskwright as mw
from maskwright.grammar.library import read
from tests.oracle.masks import SINGLES, make_vocabulary

BYTES = make_vocabulary(SINGLES)
KEYWORDS = """
start: "if"i start "then" start ["else" start] "fi" | "(" start ("," start)* ")" | NAME
NAME: /(?!(?:if|then|else|fi)(?![a-z]))[a-z]+/
%ignore " "
"""


def _source(grammar: str) -> str:
    return read(grammar) if grammar.isalpha() else grammar


@cache
def _guide(grammar: str) -> mw.Guide:
    return mw.compile(mw.lark(_source(grammar)), BYTES)


@cache
def _parser(grammar: str) -> lark.Lark:
    # With interegular lark looks for terminals that collide, and spends ten seconds on it.
    with mock.patch.object(lark.lexer, "has_interegular", new=False):
        return lark.Lark(_source(grammar), parser="lalr")


@pytest.mark.parametrize(
    ("grammar", "text", "size"),
    [
        ("arithmetic", "", 1),
        ("arithmetic", "1+(2*((3-", 4),
        ("arithmetic", "1e", 1),
        ("arithmetic", "(" * 300, 301),
        ("expression", "{1:[(", 3),
        ("expression", "{1:[(2", 3),
        ("expression", "f(a, b=[", 2),
        ("expression", "x if (", len(")else 0")),
        ("expression", "x if y", len(" else 0")),
        ("expression", "x.", 1),
        ("expression", "not", 2),
        ("expression", "'a", 1),
        ("expression", "[" * 100, 100),
        ("sql", "", len("SELECT*")),
        ("sql", "SELECT CASE WHEN (a", len(")THEN 0 END")),
        ("sql", "SELECT a FROM (SELECT ", 2),
        ("sql", "SELECT a FROM t WHERE b IN (SELECT c FROM u GROUP ", len("BY 0)")),
        ("lark", "a: (b [c", 2),
        (KEYWORDS, "if if", len(" a then a fi then a fi")),
        (KEYWORDS, "if a then (b, (c", len("))fi")),
    ],
)
def test_completions(grammar: str, text: str, size: int) -> None:
    """Bytes that are missing, counted by hand; ten levels deep nothing could be found by trying all terminals."""
    guide = _guide(grammar)
    rest = guide.complete(text)
    assert len(rest) <= size
    _parser(grammar).parse(text + rest.decode())
    assert guide.matches(text + rest.decode())

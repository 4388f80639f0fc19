"""The library of grammars: what each accepts and refuses, by table and by an independent judge of its language."""

from __future__ import annotations

import ast
import csv
import io
import itertools
import random
import re
import sqlite3
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import lark
import pytest

import maskwright as mw
from maskwright.errors import PolicyError
from maskwright.grammar.library import GRAMMARS, read
from tests.oracle.masks import SINGLES, by_reading, in_mask, make_vocabulary
from tests.properties.walks import walk

FOLDER: Final = Path(__file__).parents[3] / "grammars"


class Texts(NamedTuple):
    """Texts of a language, and texts that are not."""

    accepted: tuple[str, ...]
    rejected: tuple[str, ...]


TABLE: Final[dict[str, Texts]] = {
    "arithmetic": Texts(
        ("1", "1 + 2*(3 - -4)", "-2**-1", ".5e3//1.", "2 ** 3 ** 2", "+-+1", "((0))", "00", "1%2", "01.5"),
        ("", "1 +", "* 1", "(1", "1)", "1 2", "01", "1..2", "1 ** ", "a", "()", "1\n", "1_0", "1e", "2(3)"),
    ),
    "csv": Texts(
        ("", "a", "a,b\r\nc,d", "a,b\nc,d\n", '"a ""b"", c\n"', ",", '"",""', "é, \t", "\n\n"),
        ('a"', '"a', '"a"b', '"a""', 'a,"b" ', "a\rb", '"a" ,b'),
    ),
    "expression": Texts(
        (
            "x",
            "a.b(c, d=1)[2:].e",
            "x if y else z",
            "not a in b and c or d",
            "1 < x <= 0x1F",
            "a is not None",
            "{'k': [1, (2,), ()]}",
            "f()",
            "-x ** -2 @ y",
            "a[1, ::2, :]",
            "androids + None_",
            '"it\'s\\n"',
            "f(1,)",
            "~a | b ^ c & d << 1",
            "(a, b, c)",
            "x.y.z()()",
        ),
        (
            "",
            "and",
            "x = 1",
            "lambda: 0",
            "[i for i in x]",
            "f(a=1, b)",
            "a not b",
            "a b",
            "(1",
            "1a",
            "1if x else y",
            "'\\x'",
            "f(*a)",
            "a if b",
            "x[]",
            "None.1",
            "(,)",
            "{1}",
            "a\n+b",
            "not",
            "is x",
        ),
    ),
    "gbnf": Texts(
        (
            'root ::= "a"',
            '# c\nroot ::= a | "b"\na ::= [^\\n]+ # d\n\n',
            'root ::=\n  "a" |\n  "b"*\n',
            'root ::= ("a"\n  # inside\n  | b)? "c"{2,} "d"{1} "e"{1,3}\nb ::= .',
            'root ::= "\\x41\\u0041\\U00000041\\"" [a-z\\]]',
            "root ::=",
            "root ::= a-1 | ",
            "root ::= <think> !<[7]> .*",
            'root ::= "a" |\n# end',
            'root ::= | "a" | | b # end\n',
            'root ::= "a" *\r\nb-2 ::= c{ 1 , 2 }',
            'root::="a"b"c"',
        ),
        (
            "",
            'root = "a"',
            'root ::= "a',
            'root ::= *"a"',
            'root ::= "a"\n | "b"',
            'root ::= "a" |\nb ::= "c"',
            'root ::=\nb ::= "c"',
            "root ::= <a\n>",
            "root ::= (a",
            "root ::= a)",
            "root ::= {1}",
            'root ::= "a"{,2}',
            'root # c ::= "a"',
            'a ::= "b" c ::= "d"',
            'root ::= "\\q"',
            'ro_t ::= "a"',
            "root ::= <think",
            '::= "a"',
            'root ::= "a"{2',
        ),
    ),
    "iso_date": Texts(
        ("2024-02-29", "2000-02-29", "2023-12-31", "1999-04-30", "0000-02-29", "9999-01-01"),
        (
            "2023-02-29",
            "1900-02-29",
            "2024-04-31",
            "2024-13-01",
            "2024-00-10",
            "2024-01-00",
            "2024-01-32",
            "20240101",
            "2024-1-1",
            "24-01-01",
            "2024-01-01T00:00",
            "",
            "12024-01-01",
            "2024-02-30",
        ),
    ),
    "json": Texts(
        (
            "null",
            '{"a": [1, -0.5e+3, "x"], "a": {}}',
            "[ ]",
            '"\\ud83d\\ude00 \\u00e9 \\n"',
            "[1 ,\n\t2]",
            "0",
            '"é😀"',
            "{ }",
            '[[[{"": true}]]]',
        ),
        (
            "",
            " 1",
            "1 ",
            "01",
            "+1",
            ".5",
            "1.",
            "[1,]",
            '{"a":1,}',
            "{a:1}",
            '"\\ud83d"',
            '"\\x"',
            '"\n"',
            "NaN",
            "[1 2]",
            "'a'",
            "tru",
            '{"a" 1}',
            '"\\ude00\\ud83d"',
            "1e",
        ),
    ),
    "lark": Texts(
        (
            'start: "a"',
            "start: A b*\nA: /x/i\n\nb: [A | A~2..3] -> c\n",
            "%import common.WORD\n%import .x.y (A, b)\n%import a.B -> C\n%ignore WORD",
            '?start: _x{y} // comment\n  | "c".."d"\n  | (a b)+ # e\n_x{p, q}: p ","?\n',
            'A: "\\"" /[^"]/ "\\\\"\n',
            '!?a.2: b?\n%declare A b\nA.-1: "x"i',
            "%override a: b\n%extend B: C",
            "a: | b |",
            "a: b \\\n  c",
            "",
            "\n\n// only\n",
            "a: /\\//",
            "a: //",
        ),
        (
            "start",
            "a: (b",
            "a: b)",
            "a: b c: d",
            "Aa: b",
            'a: -> "b"',
            "a:: b",
            "a: b??",
            "a: *",
            '"a": b',
            "%import",
            "%ignore %import",
            "a: b\nc",
            'a: "b',
            "a: b~",
            "a{}: b",
            "A{b}: c",
            "a.b: c",
            "a: b{c",
        ),
    ),
    "sql": Texts(
        (
            "SELECT 1",
            "select * from t;",
            'SELECT t.*, a AS b, "c d" x FROM t AS y LEFT OUTER JOIN u ON y.a = u.a WHERE a IS NOT NULL',
            "SELECT count(*) FROM t GROUP BY b, c HAVING count(DISTINCT a) > 1 ORDER BY 1 DESC NULLS LAST LIMIT 3",
            'SELECT t.a, "t"."b", main.t.c, "t".* FROM t',
            "SELECT a FROM t WHERE b NOT IN (SELECT b FROM u) AND c BETWEEN 1 AND 2 OR NOT d LIKE 'x%'",
            "SELECT a FROM (SELECT b FROM u LIMIT 1 OFFSET 2) x, t CROSS JOIN v JOIN w USING (a, b)",
            "SELECT CASE WHEN a = 1 THEN 'it''s' ELSE b || c END, CASE d WHEN 1 THEN 2 END FROM t",
            "SELECT CAST(a AS DECIMAL(10, 2)), -a * (b + .5e3) % 2",
            "SELECT a FROM t UNION ALL SELECT b FROM u EXCEPT SELECT c FROM v ORDER BY a",
            "SELECT DISTINCT a FROM main.t WHERE EXISTS (SELECT 1) AND a = (SELECT max(b) FROM u)",
            "SELECT a <> b, a >= b, a != b FROM t\n  WHERE TRUE",
            "SELECT ordering, selected FROM fromage ORDER BY a NULLS FIRST, b",
        ),
        (
            "",
            "SELECT",
            "SELECT FROM t",
            "SELECT a FROM",
            "SELECT a, FROM t",
            "SELECT a b c FROM t",
            "DELETE FROM t",
            "SELECT a FROM t WHERE",
            "SELECT a FROM t GROUP a",
            "SELECT 'a FROM t",
            "SELECT a FROM t; SELECT b",
            "SELECT a FROM t LIMIT -1",
            "SELECT a FROM t JOIN u",
            "SELECT 1a",
            "SELECT a NOT b",
            "SELECT select FROM t",
            "SELECT (a FROM t",
            "SELECT a IN () FROM t",
            "SELECT CASE END",
            "SELECT a BETWEEN 1",
            "SELECT table FROM t",
            "SELECTa",
        ),
    ),
}


@cache
def _parser(name: str) -> lark.Lark:
    entry = GRAMMARS[name]
    how: dict[str, Any] = {"parser": "lalr", "lexer": "contextual"}
    if entry.lexer == "exact":
        how = {"parser": "earley", "lexer": "dynamic_complete"}
    # With interegular lark looks for terminals that collide, and spends ten seconds on it.
    with mock.patch.object(lark.lexer, "has_interegular", new=False):
        return lark.Lark(read(name), start=entry.start, **how)


def _accepts(name: str, text: str) -> bool:
    """Whether the package lark parses a text by a grammar of the library."""
    try:
        _parser(name).parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


def test_the_table_is_the_folder() -> None:
    """Each file has an entry and a row in the README, and says in its first lines what it promises."""
    assert sorted(path.stem for path in FOLDER.glob("*.lark")) == sorted(GRAMMARS) == sorted(TABLE)
    page = (FOLDER / "README.md").read_text()
    for name, entry in GRAMMARS.items():
        text = read(name)
        assert text == (FOLDER / f"{name}.lark").read_text()
        head = "".join(itertools.takewhile(lambda line: line[:2] in ("//", "\n"), text.splitlines(keepends=True)))
        for words in ("// Accepts", "// Leaves out: ", "// Specification: ", f'// Read with lexer="{entry.lexer}"'):
            assert words in head, (name, words)
        assert f"| [`{name}.lark`]({name}.lark) |" in page, name


def test_unknown_names() -> None:
    """The error lists what there is."""
    with pytest.raises(PolicyError, match="arithmetic, csv, expression, gbnf, iso_date, json, lark, sql"):
        read("no such")


@pytest.mark.parametrize("name", TABLE)
def test_lark_agrees_with_the_tables(name: str) -> None:
    """The package lark itself accepts and refuses what the tables say."""
    texts = TABLE[name]
    assert [text for text in texts.accepted if not _accepts(name, text)] == []
    assert [text for text in texts.rejected if _accepts(name, text)] == []


# ---- the engine ----------------------------------------------------------------------------------------------------

BYTES: Final = make_vocabulary([*SINGLES, b"SELECT ", b" FROM", b"::=", b'""', b"))", b"\r\n", b"-0", b" not", b"a:"])


@cache
def _guide(name: str) -> mw.Guide:
    entry = GRAMMARS[name]
    return mw.compile(mw.lark(read(name), entry.start, lexer=entry.lexer), BYTES)


@pytest.mark.parametrize("name", TABLE)
def test_the_engine_agrees_with_the_tables(name: str) -> None:
    """What is compiled accepts and refuses the same."""
    texts, guide = TABLE[name], _guide(name)
    assert [text for text in texts.accepted if not guide.matches(text)] == []
    assert [text for text in texts.rejected if guide.matches(text)] == []


@pytest.mark.parametrize("name", TABLE)
def test_the_engine_agrees_with_lark(name: str) -> None:
    """On texts of the table with a few characters changed the engine says what the package lark says."""
    texts, guide = TABLE[name], _guide(name)
    letters = "".join(sorted({letter for text in texts.accepted for letter in text}))
    # Earley's parser takes up to a tenth of a second for a text.
    count = 500 if GRAMMARS[name].lexer == "contextual" else 100
    tried = _mutated([text for text in texts.accepted if len(text) < 60], letters, random.Random(7), count)
    assert [text for text in tried if guide.matches(text) != _accepts(name, text)] == []


@pytest.mark.parametrize("name", TABLE)
def test_outputs_belong_to_the_language(name: str) -> None:
    """Random outputs end, lark accepts them, and on the way each mask holds exactly what can be read."""
    guide = _guide(name)

    def check(matcher: mw.Matcher) -> None:
        assert in_mask(matcher) == by_reading(matcher), matcher.text

    for seed in range(2):
        text = walk(guide, random.Random(seed), budget=8, visit=check).decode()
        assert _accepts(name, text), text


# ---- independent judges --------------------------------------------------------------------------------------------


def _mutated(texts: Iterable[str], letters: str, chance: random.Random, count: int) -> list[str]:
    """Texts with some characters removed, replaced or inserted."""
    found = []
    pool = list(texts)
    for _ in range(count):
        text = chance.choice(pool)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice([*letters, ""]) + text[at + chance.randrange(2) :]
        found.append(text)
    return found


def _as_python(text: str, kinds: tuple[type[ast.AST], ...]) -> bool:
    """Whether a text is a Python expression made of some kinds of nodes."""
    try:
        tree = ast.parse(text.lstrip(" \t"), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return all(isinstance(node, kinds) and getattr(node, "value", None) is not ... for node in ast.walk(tree))


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_arithmetic_is_python() -> None:
    """A text is arithmetic if and only if Python reads it as such."""
    operators = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.UAdd, ast.USub)
    kinds = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, *operators)
    texts = _mutated(TABLE["arithmetic"].accepted, "0123.e+-*/%() ", random.Random(1), 3_000)
    texts += ["".join(letters) for letters in itertools.product("01.+*( )e", repeat=4)]
    verdicts = {text: _accepts("arithmetic", text) for text in texts}
    assert [text for text, verdict in verdicts.items() if verdict != _as_python(text, kinds)] == []
    assert sum(verdicts.values()) > 300


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_expressions_are_python() -> None:
    """Every expression of the grammar is one of Python."""
    letters = "ab1.,:=<>+-*/%()[]{}'\" "
    texts = _mutated(TABLE["expression"].accepted, letters, random.Random(2), 4_000)
    accepted = [text for text in [*texts, *TABLE["expression"].accepted] if _accepts("expression", text)]
    assert [text for text in accepted if not _as_python(text, (ast.AST,))] == []
    assert len(accepted) > 300


def test_dates_are_those_of_the_calendar() -> None:
    """All days of years of each kind, and nothing else between 00-00 and 13-40."""
    for year in (1, 4, 100, 400, 1900, 1996, 2000, 2023, 9996):
        days = [date(year, 1, 1) + timedelta(days) for days in range(366)]
        known = {day.isoformat() for day in days if day.year == year}
        texts = [f"{year:04}-{month:02}-{day:02}" for month in range(14) for day in (*range(4), *range(27, 34))]
        assert [text for text in texts if _accepts("iso_date", text) != (text in known)] == []


def test_csv_is_what_the_module_writes() -> None:
    """What the module csv writes is accepted, and what is accepted it reads."""
    chance = random.Random(3)
    cells = ["", "a", "b c", 'say "hi"', "x,y", "line\nbreak", "cr\r\nlf", "é", " "]
    for _ in range(60):
        rows = [[chance.choice(cells) for _ in range(chance.randrange(1, 4))] for _ in range(chance.randrange(1, 4))]
        for end in ("\r\n", "\n"):
            sheet = io.StringIO()
            csv.writer(sheet, lineterminator=end).writerows(rows)
            assert _accepts("csv", sheet.getvalue()), sheet.getvalue()
    for text in _mutated(TABLE["csv"].accepted, 'a",\n', chance, 300):
        if _accepts("csv", text):
            list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_selects_are_read_by_sqlite() -> None:
    """SQLite finds nothing wrong with the syntax of a text that the grammar accepts."""
    database = sqlite3.connect(":memory:")

    def fault(text: str) -> str:
        try:
            database.execute("EXPLAIN " + text)
        except sqlite3.Error as error:
            return str(error)
        return ""

    chance = random.Random(4)
    words = [re.findall(r"\w+|\s+|'[^']*'|\W", text) for text in TABLE["sql"].accepted]
    pool = [word for text in words for word in text]
    texts = list(TABLE["sql"].accepted)
    for _ in range(3_000):
        text = list(chance.choice(words))
        for _ in range(chance.randrange(1, 3)):
            at = chance.randrange(len(text))
            text[at : at + chance.randrange(2)] = [chance.choice(pool)]
        texts.append("".join(text))
    accepted = [text for text in texts if _accepts("sql", text)]
    wrong = re.compile("syntax error|unrecognized token|incomplete")
    assert [(text, fault(text)) for text in accepted if wrong.search(fault(text))] == []
    assert len(accepted) > 300


def test_lark_reads_what_its_grammar_accepts() -> None:
    """The loader of the package lark finds nothing wrong with the syntax of a text if and only if the grammar does."""
    load: Any = lark.load_grammar
    parse: Callable[[str, str], object] = load._get_parser().parse

    def reads(text: str) -> bool:
        try:
            parse(text + "\n", "start")
        except lark.exceptions.LarkError:
            return False
        return True

    texts = [*TABLE["lark"].accepted, *TABLE["lark"].rejected]
    texts += _mutated(TABLE["lark"].accepted, 'aB:|()[]{}.,~+?*!-_/"%\n \\#1', random.Random(5), 3_000)
    packaged = Path(load.__file__).with_name("grammars")
    texts += [path.read_text() for path in packaged.glob("*.lark")]
    texts += [path.read_text() for path in FOLDER.glob("*.lark")]
    # The loader puts a line break at the end of each text, which a backslash there would join to nothing.
    verdicts = {text: _accepts("lark", text) for text in texts if not text.rstrip(" ").endswith("\\")}
    assert [text for text, verdict in verdicts.items() if verdict != reads(text)] == []
    assert sum(verdicts.values()) > 300

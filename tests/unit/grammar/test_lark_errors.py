"""Lark grammars that cannot be read: a typed error with line, column and a caret, whatever Lark itself would do."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

import maskwright as mw
from maskwright.errors import (
    ConstraintError,
    GrammarError,
    LimitError,
    PatternError,
    PolicyError,
    UnsatisfiableError,
    UnsupportedError,
)
from tests.conformance.verdicts import BYTES
from tests.unit.grammar.lark_grammars import GRAMMARS

pytest.importorskip("lark")

BOTH: Final = ("contextual", "exact")


def refusal(grammar: str, lexer: str = "exact", **options: object) -> ConstraintError:
    with pytest.raises(ConstraintError) as caught:
        mw.lark(grammar, lexer=lexer, **options)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("grammar", "error", "place", "words"),
    [
        ("start: foo", GrammarError, "1:8", "foo is used in start but not defined"),
        ("start: a\na: FOO", GrammarError, "2:4", "FOO is used in a but not defined"),
        ('start: FOO\nFOO: BAR "x"', GrammarError, "2:6", "BAR"),
        ("start: FOO\nFOO: bar\nbar: /x/", GrammarError, "2:6", "inside terminals"),
        ('start: A\nA: B\nB: "x" A', GrammarError, "3:8", "contains itself"),
        ('start: ("a"', GrammarError, "1:8", "not closed"),
        ('start: "a" ]', GrammarError, "1:12", "closes nothing"),
        ('start: "a', GrammarError, "1:8", "string without an end"),
        ('start: "a\\"\n', GrammarError, "1:8", "string without an end"),
        ("start: /a\n", GrammarError, "1:8", "pattern without an end"),
        ('start: "a"\n\nstart: "b"', GrammarError, "1:1", "defined more than once"),
        ('start: x ""\nx: "x"', GrammarError, "1:10", "empty string"),
        ('start: /a*/ "b"', GrammarError, "1:8", "may be empty"),
        ('start: T "b"\nT: "a"?', GrammarError, "1:8", "T may be empty"),
        ("start: /a(b/", PatternError, "1:10", "not closed"),
        ("start: T\nT: /(a)\\1/", PatternError, "2:8", "back reference"),
        ('start: A\nA: "x" /1[9-0]/', PatternError, "2:11", "before it begins"),
        ('start: A\nA: B "x"\nB: /1(9/', PatternError, "3:6", "not closed"),
        ('start: A\nA: "b" | /[9-0]/', PatternError, "2:12", "before it begins"),
        ('start: A\nA: "x" /(?i)a/', PatternError, "2:1", "flags"),
        ('start: A\nA: ("a"~2 /b/ | /x{5,3}/)+', PatternError, "2:19", "above its greatest"),
        ("start: A\nA: /a\n/", GrammarError, "2:4", "newlines"),
        ("start: A\nA: /a\n/ & /b/", GrammarError, "2:4", "newlines"),
        ('start: A "x"\nA: "a"\n  | /b\n/ "c"', GrammarError, "3:5", "newlines"),
        ("start: b\nb: /a\n/", GrammarError, "2:4", "newlines"),
        ("start: /(?>a)/", PatternError, "1:9", "atomic"),
        ('start: "a"~5..3', GrammarError, "1:12", "no range"),
        ('start: T\nT: "a"~-1', GrammarError, "2:8", "counts nothing"),
        ('start: "a"~99999999999', GrammarError, "1:12", "counts nothing"),
        ('start: "ab".."c"', GrammarError, "1:8", "not one character"),
        ("start: t\nt{x}: x", GrammarError, "1:8", "without arguments"),
        ('start: t{"a", "b"}\nt{x}: x', GrammarError, "1:8", "takes 1 arguments, not 2"),
        ("start: a\n%declare a", GrammarError, "1:8", "declared and used"),
        ('start: "a"\n%ignore WS', GrammarError, "2:9", "WS"),
        ('start "a"', GrammarError, "1:7", "missing colon"),
        ('start: "a"**', GrammarError, "1:12", "misplaced operator"),
        ("start: a -> B\na: /x/", GrammarError, "1:13", "lowercase"),
        ('start: T\nT: "a" -> b', GrammarError, "1:8", "terminal"),
        ('start: ("a" -> one | "b") "c"', GrammarError, "1:16", "in a group"),
        ('start: "a" $ "b"', GrammarError, "1:12", "$"),
        ('begin: "a"', GrammarError, "", "no rule 'start'"),
        ("", GrammarError, "", "no rule 'start'"),
        ("start: a\n%import .foo.a", GrammarError, "", "no grammar foo"),
        ("start: a\n%import etc.passwd.a", GrammarError, "", "no grammar etc.passwd"),
        ('%import "a"', GrammarError, "1:9", "%import"),
        ('start: "\0"', GrammarError, "1:9", "U+0000"),
        ('start: "\ud800"', GrammarError, "1:9", "U+D800"),
    ],
)
@pytest.mark.parametrize("lexer", BOTH)
def test_places(lexer: str, grammar: str, error: type[ConstraintError], place: str, words: str) -> None:
    """The error says what is wrong at which line and column, and draws a caret under it."""
    refused = refusal(grammar, lexer)
    assert type(refused) is error
    assert refused.problems[0].place == place
    assert words in str(refused)
    if place:
        line, column = map(int, place.split(":"))
        _, shown, carets = str(refused).split("\n")[:3]
        assert shown.strip() == grammar.split("\n")[line - 1].strip().replace("\0", "\\x00").replace(
            "\ud800", "\\ud800"
        )
        assert carets.index("^") - 4 == column - 1


@pytest.mark.parametrize("lexer", BOTH)
def test_places_behind_extensions(lexer: str) -> None:
    """Lines and columns are those of the caller's text, not of what Lark was given."""
    grammar = 'start: %json {\n  "type": "object"\n} <|a|> <|b|> $\n'
    assert refusal(grammar, lexer).problems[0].place == "3:15"


@pytest.mark.parametrize("lexer", BOTH)
def test_nothing_is_written(lexer: str) -> None:
    """A grammar without any text is refused when it is compiled."""
    for grammar in ('start: start "a"', "start: A\n%declare A", 'start: T\nT: "ab" & "ac"'):
        assert isinstance(refusal(grammar, lexer), UnsatisfiableError)


HOSTILE: Final = {
    "backslashes in a string": 'start: "' + "\\\\" * 50,
    "backslashes in a pattern": "start: /" + "\\\\" * 50,
    "nested groups": "start: " + "(" * 100_000 + '"a"' + ")" * 100_000,
    "nested brackets": "start: " + "[" * 199 + '"a"' + "]" * 199,
    "terminals that double": "start: A_0\n" + "".join(f"A_{i}: A_{i + 1} A_{i + 1}\n" for i in range(40)) + 'A_40: "z"',
    "a long chain of terminals": "start: A_0\n" + "".join(f"A_{i}: A_{i + 1}\n" for i in range(5000)) + 'A_5000: "z"',
    "a chain of rules": "start: r0\n" + "".join(f"r{i}: r{i + 1}\n" for i in range(100_000)) + 'r100000: "z"',
    "a template that grows": 'start: t{"a"}\nt{x}: x | t{u{x}}\nu{x}: x "b"',
    "many optional parts": "start: " + " ".join(f'"a{i}"?' for i in range(40)),
    "groups, repeated": 'start: ("a" | "b")~0..45',
    "a great count": 'start: "a"~5..1000000000',
    "a great count of a terminal": 'start: T\nT: "ab"~5..1000000000',
    "a long rule": "start: " + '"a" ' * 4000,
    "only blanks": " \n" * 50_000,
    "only slashes": "/" * 50_000,
    "only quotes": '"' * 50_000,
    "unended patterns": "start: " + "/\\" * 20_000,
    "only tildes": "start: T\nT: " + "~" * 20_000 + '"a" & /[a-c]/',
    "only ands": "start: T\nT: " + "&".join(['"a"'] * 1000),
    "an open schema": "start: %json " + '{"a":' * 20_000,
    "a deep schema": "start: %json " + '{"not":' * 20_000 + "{}" + "}" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("lexer", BOTH)
def test_hostile_texts(lexer: str, name: str) -> None:
    """It works, or is refused with a typed error; in seconds at most, which is what Lark alone would not do."""
    try:
        constraint = mw.lark(HOSTILE[name], lexer=lexer)
    except ConstraintError as error:
        assert error.problems  # noqa: PT017  (either is right)
    else:
        assert constraint.kind == "lark"


@pytest.mark.parametrize("name", GRAMMARS)
def test_damaged_grammars(name: str) -> None:
    """A grammar with characters lost, doubled or changed compiles or raises an error of our tree."""
    chance = random.Random(name)
    text = GRAMMARS[name].text
    for _ in range(25):
        letters = list(text)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(letters))
            letters[place : place + chance.randint(0, 3)] = chance.choices(
                '"/()[]{}|~&<>%:\\.#é\n aA', k=chance.randint(0, 2)
            )
        try:
            mw.lark("".join(letters), lexer=chance.choice(BOTH))
        except ConstraintError as error:
            assert error.problems  # noqa: PT017  (either is right)


@pytest.mark.parametrize("lexer", BOTH)
def test_garbage(lexer: str) -> None:
    """Any characters at all give an error of our tree."""
    chance = random.Random(lexer)
    for _ in range(60):
        text = "".join(chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) for _ in range(60))
        with pytest.raises(ConstraintError):
            mw.lark(text, lexer=lexer)


def test_arguments() -> None:
    """Arguments without a meaning are policy errors."""
    calls: tuple[Callable[[], object], ...] = (
        lambda: mw.lark(b'start: "a"'),  # type: ignore[arg-type]
        lambda: mw.lark('start: "a"', ["start"]),  # type: ignore[arg-type]
        lambda: mw.lark('start: "a"', lexer="basic"),
        lambda: mw.lark('start: "a"', import_paths="."),
        lambda: mw.lark('start: "a"', lexer=[]),  # type: ignore[arg-type]
        lambda: mw.lark('start: "a"', import_paths=None),  # type: ignore[arg-type]
        lambda: mw.lark('start: "a"', import_paths=5),  # type: ignore[arg-type]
        lambda: mw.lark('start: "a"', import_paths=[None]),  # type: ignore[list-item]
        lambda: mw.lark('start: "a"', import_paths=[b"x"]),  # type: ignore[list-item]
        lambda: mw.lark('start: "a"\n%import .b.c', import_paths=["\0"]),
        lambda: mw.lark('start: "a"', limits=3),  # type: ignore[arg-type]
    )
    for call in calls:
        with pytest.raises(PolicyError):
            call()


@pytest.mark.parametrize("lexer", BOTH)
@pytest.mark.parametrize("pattern", ["[+--]", "[[a]x", "[^[a]", "[a&&b]", "[a||b]", "[a~~b]"])
def test_warnings_of_re_are_not_the_callers(pattern: str, lexer: str) -> None:
    """What a set may mean in a later Python is no news for who compiles a grammar; filters stay as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        mw.lark(f'start: A B\nA: /{pattern}/\nB: "b" /{pattern}/ | "c"', lexer=lexer)
        assert warnings.filters == before


def test_limits() -> None:
    """The caps on text and symbols are the caller's."""
    assert isinstance(refusal('start: "abc"', limits=mw.Limits(source_bytes=5)), LimitError)
    assert isinstance(refusal('start: "a" "b"', limits=mw.Limits(grammar_symbols=3)), LimitError)


def test_imports_read_no_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grammar finds files in the folders of import_paths only, never in the current one."""
    (tmp_path / "near.lark").write_text('part: "ab"\n')
    monkeypatch.chdir(tmp_path)
    for path in ("near.part", ".near.part"):
        assert isinstance(refusal(f"start: part\n%import {path}"), GrammarError)
        constraint = mw.lark(f"start: part\n%import {path}", lexer="exact", import_paths=[tmp_path])
        assert mw.compile(constraint, BYTES).matches("ab")


def test_faults_of_imported_files(tmp_path: Path) -> None:
    """An error in an imported file names the file and its line."""
    (tmp_path / "bad.lark").write_text("\npart: $\n")
    (tmp_path / "worse.lark").write_text('\npart: "a\n')
    (tmp_path / "circle.lark").write_text("%import .circle.part\npart: x\n")
    (tmp_path / "binary.lark").write_bytes(b"\xff\xfe")
    found = {}
    for name in ("bad", "worse", "circle", "binary"):
        found[name] = str(refusal(f"start: part\n%import .{name}.part", import_paths=[tmp_path]))
    assert found["bad"].startswith("bad.lark:2:7: ")
    assert found["worse"].startswith("worse.lark:2:7: ")
    assert "circle" in found["circle"]
    assert "binary.lark cannot be read" in found["binary"]


def test_without_lark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lark package the error names the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "lark.load_grammar", None)
    assert "pip install lark" in str(refusal('start: "a"'))


def test_unsupported_is_not_a_grammar_error() -> None:
    """What other readers of Lark's notation know, and we do not, is told apart from what nobody reads."""
    assert isinstance(refusal("start: a\na[lazy]: /x/"), UnsupportedError)

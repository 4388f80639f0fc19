"""What Maskwright reads beyond Lark's notation: JSON Schemas, named tokens, intersection and complement."""

from __future__ import annotations

import itertools
import pickle
import re
from pathlib import Path
from typing import Final

import pytest

import maskwright as mw
from maskwright.errors import GrammarError, LimitError, SchemaError, UnsatisfiableError, UnsupportedError
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import in_mask

pytest.importorskip("lark")

LEXERS: Final = ("contextual", "exact")
#: Ids: 0 end, 1 to 256 bytes, then control tokens.
NAMED: Final = mw.Vocabulary.from_tokens(
    [b"", *(bytes([byte]) for byte in range(256)), b"", b"", b"ab"],
    end_ids=[0],
    special_names={"<|call|>": 257, "<think>": 258},
)


def accepts(guide: mw.Guide, tokens: list[int | str]) -> bool:
    """Whether tokens, given as ids or as text to be read byte by byte, are a whole output."""
    matcher = guide.matcher()
    for token in tokens:
        ids = [token] if isinstance(token, int) else [byte + 1 for byte in token.encode()]
        for one in ids:
            if one not in in_mask(matcher):
                return False
            matcher.advance(one)
    return 0 in in_mask(matcher)


@pytest.mark.parametrize(
    ("terminal", "holds"),
    [
        ("/[ab]+/ & ~/aa/", lambda t: t != "aa" and re.fullmatch("[ab]+", t)),
        ("/[ab]+/ & ~/(?s:.)*aa(?s:.)*/", lambda t: re.fullmatch("[ab]+", t) and "aa" not in t),
        ('/a+/ & /(aa)+/ | "c"', lambda t: t == "c" or (t and set(t) == {"a"} and len(t) % 2 == 0)),
        ('"c" | /a+/ & /(aa)+/', lambda t: t == "c" or (t and set(t) == {"a"} and len(t) % 2 == 0)),
        ('("a" | "b") "c" & ~"ac"', lambda t: t == "bc"),
        ('/[abc]/~2 & ~("a" "b" | "b"~2)', lambda t: re.fullmatch("[abc]{2}", t) and t not in ("ab", "bb")),
        ("(~/[^a]/)~1 & /[abc]+/", lambda t: re.fullmatch("[abc]+", t) and t not in ("b", "c")),
        ("~A+ & /[abc]+/", lambda t: t != "a" and re.fullmatch("[abc]+", t)),
        ("~(A+) & /[abc]+/", lambda t: re.fullmatch("[abc]+", t) and set(t) != {"a"}),
        ("~~A & /[abc]+/", lambda t: t == "a"),
        ("A & A | B & ~A", lambda t: t in ("a", "b")),
        ("[A] B & ~/b/", lambda t: t == "ab"),
        ('("a" .. "c") & ~"b"', lambda t: t in ("a", "c")),
    ],
)
@pytest.mark.parametrize("lexer", LEXERS)
def test_intersection_and_complement(lexer: str, terminal: str, holds: object) -> None:
    """``~`` binds tighter than ``+``, a sequence tighter than ``&``, ``&`` tighter than ``|``: set algebra on texts."""
    grammar = f'start: T "."\nT: {terminal}\nA: "a"\nB: "b"'
    guide = mw.compile(mw.lark(grammar, lexer=lexer), BYTES)
    for length in range(5):
        for letters in itertools.product("abc", repeat=length):
            text = "".join(letters)
            assert guide.matches(text + ".") == bool(text and holds(text)), text  # type: ignore[operator]


def test_operators_over_lines_and_names() -> None:
    """An operand may follow on the next line; a terminal with operators may be used in others and in its own file."""
    grammar = 'start: U\nT: /[ab]+/ // letters\n  & ~/a+/ # not only a\n  | "c"\nU: T "!"'
    guide = mw.compile(mw.lark(grammar), BYTES)
    assert [text for text in ("a!", "ab!", "b!", "c!", "cc!", "ab") if guide.matches(text)] == ["ab!", "b!", "c!"]


@pytest.mark.parametrize("lexer", LEXERS)
def test_operators_come_through_imports(tmp_path: Path, lexer: str) -> None:
    """Extensions in an imported file mean the same there, under whatever name they come, and with its own names."""
    (tmp_path / "words.lark").write_text(
        'WORD: LETTER+ & ~/if|else/\nLETTER: "a".."z"\nmark: <|call|> WORD %json {"const": 1}\n'
    )
    (tmp_path / "deep.lark").write_text("%import .words.mark\nmarks: mark+\n")
    grammar = "start: NAME | mark\n%import words.WORD -> NAME\n%import .deep.marks -> mark\n"
    guide = mw.compile(mw.lark(grammar, lexer=lexer, import_paths=[tmp_path]), NAMED)
    assert accepts(guide, ["ifs"])
    assert not accepts(guide, ["if"])
    assert accepts(guide, [257, "x1", 257, "y1"])
    assert not accepts(guide, [257, "x2"])


@pytest.mark.parametrize("lexer", LEXERS)
def test_json_schemas(lexer: str) -> None:
    """``%json`` reads what the schema accepts, wherever a rule stands."""
    grammar = """
    start: "call " NAME call (";" call)*
    call: %json {"type": "object", // is no comment in a string: "}"
    } | "none"
    NAME: /[a-z]+/
    """.replace(
        '// is no comment in a string: "}"',
        '"properties": {"a}\\"b": {"type": "integer"}}, "additionalProperties": false',
    )
    guide = mw.compile(mw.lark(grammar, lexer=lexer), BYTES)
    for text in ("call f{}", 'call f{"a}\\"b": 1};{}', "call f{};none"):
        assert guide.matches(text), text
    for text in ("call f", "call f{", 'call f{"a":1}', "call f{};", 'call f{"a}\\"b": "1"}'):
        assert not guide.matches(text), text


@pytest.mark.parametrize("lexer", LEXERS)
def test_named_tokens(lexer: str) -> None:
    """A named token is read as itself, never as its text; ids may be listed, excluded or free."""
    grammar = "start: <think> /[a-z]+/ (END | <[259]>) tail?\nEND: <|call|>\ntail: <[^0-257,259]> <[*]>"
    guide = mw.compile(mw.lark(grammar, lexer=lexer), NAMED)
    assert accepts(guide, [258, "xyz", 257])
    assert accepts(guide, [258, "x", 259])
    assert accepts(guide, [258, "x", 257, 258, 7])
    assert not accepts(guide, ["<think>", "x", 257])
    assert not accepts(guide, [258, "x", "<|call|>"])
    assert not accepts(guide, [258, "x", 257, 259, 7])


@pytest.mark.parametrize(
    ("grammar", "error", "place", "words"),
    [
        ('start: %json {"type": 5}', SchemaError, "1:8", "`type` must be"),
        ('start: "a"\n | %json {"type": "string", "enum": [1]}', UnsatisfiableError, "2:4", "`enum`"),
        ('start: %json {"a": [}', GrammarError, "1:14", "has no end"),
        ("start: %json [1]", GrammarError, "1:14", "takes a JSON object"),
        ("start: T\nT: %json {}", GrammarError, "2:4", "terminal"),
        ('start: "a" & "b"', GrammarError, "1:12", "stands in a rule"),
        ('start: ~"b"', GrammarError, "1:8", "stands in a rule"),
        ('start: T\nT: "a" &', GrammarError, "2:8", "without an operand"),
        ('start: T\nT: ("a" | & "b")', GrammarError, "2:11", "without an operand"),
        ("start: T\nT: (~)", GrammarError, "2:5", "without an operand"),
        ('start: T\nT: <|a|> "b"', GrammarError, "1:8", "named token"),
        ("start: T\nT: ~<|a|>", GrammarError, "1:8", "named token"),
        ("start: <[5-3]>", GrammarError, "1:8", "names no tokens"),
        ("start: <[^*]>", GrammarError, "1:8", "names no tokens"),
        ("start: a\na[lazy]: /x/", UnsupportedError, "2:2", "attributes"),
        ("start: @other", UnsupportedError, "1:8", "within a grammar"),
        ('start: T\nT: %regex {"substring_chars": "abc"}', UnsupportedError, "2:4", "%regex"),
        ('%llguidance {"skip_repetition": "once"}\nstart: "a"', UnsupportedError, "1:1", "skip_repetition"),
        ('start: "\\U0010FFFD0"', GrammarError, "1:9", "cannot stand"),
    ],
)
def test_errors(grammar: str, error: type[mw.ConstraintError], place: str, words: str) -> None:
    """What an extension cannot mean is refused, with its place in the caller's text."""
    with pytest.raises(error) as caught:
        mw.lark(grammar)
    (problem,) = caught.value.problems
    assert problem.place.split()[0] == place
    assert words in problem.reason


def test_ignored() -> None:
    """What is ignored may be a terminal with operators; a token only where tokens are no matter of a lexer."""
    for lexer in LEXERS:
        guide = mw.compile(mw.lark('start: "x"+\n%ignore /[a ]+/ & ~/a*/', lexer=lexer), BYTES)
        assert [text for text in ("x x", "xax", "xa x", " x") if guide.matches(text)] == ["x x", "xa x", " x"]
    grammar = 'start: "x"+\n%ignore <|call|>'
    assert accepts(mw.compile(mw.lark(grammar, lexer="exact"), NAMED), [257, "x", 257, "x", 257, 257])
    with pytest.raises(UnsupportedError):
        mw.lark(grammar)


def test_warnings() -> None:
    """What is ignored, or can never be read, is told."""
    constraint = mw.lark('%llguidance {"no_forcing": true}\nstart: "a" | LATER\n%declare LATER')
    assert [problem.place for problem in constraint.warnings] == ["1:1", "2:14"]
    assert mw.compile(constraint, BYTES).matches("a")

    for pattern, is_told in (("/b(?=c)/", True), ("/b(?=c)c/", False), (r"/(?<=a)\bb/", True), (r"/\bb$/", False)):
        constraint = mw.lark(f'start: "a" | B | "c"\nB: {pattern}', lexer="exact")
        assert [problem.keyword for problem in constraint.warnings] == ["B"] * is_told
    assert mw.lark('start: "a" | /b(?=c)/', lexer="exact").warnings[0].place == "1:14"


def test_pickles_as_its_source(tmp_path: Path) -> None:
    """A constraint comes back from pickle with its lexer and folders."""
    (tmp_path / "part.lark").write_text('part: "ab"\n')
    constraint = mw.lark("begin: part\n%import .part.part", "begin", lexer="exact", import_paths=[str(tmp_path)])
    again = pickle.loads(pickle.dumps(constraint))
    assert again.policies == {"lexer": "exact", "start": "begin"}
    assert mw.compile(again, BYTES).matches("ab")


def test_no_limit_of_the_reader_is_a_crash() -> None:
    """Many extensions of one kind are one terminal; many different ones are read in linear time or refused."""
    many = " ".join(f"<|{number}|>" for number in range(2000))
    assert mw.lark(f"start: {many}", lexer="exact").kind == "lark"
    with pytest.raises(LimitError):
        mw.lark("start: " + "<|a|> " * 60_000)

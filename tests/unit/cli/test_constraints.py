"""Constraints on the command line that are no schema: grammars, patterns, roots, tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

LARK = 'start: "a" NUMBER ("," NUMBER)*\nNUMBER: /[0-9]+/\n%ignore " "\n'
GBNF = 'root ::= "a" [0-9]+\nother ::= "b"\n'
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"properties": {"n": {"type": "integer"}}}}}]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Paths of one file of each kind."""
    contents = {"lark": LARK, "gbnf": GBNF, "ebnf": GBNF, "tools": json.dumps(TOOLS)}
    for kind, text in contents.items():
        (tmp_path / kind).write_text(text)
    return {kind: str(tmp_path / kind) for kind in contents}


@pytest.mark.parametrize(
    ("option", "text", "is_complete"),
    [
        ("--lark", "a 12 , 3", True),
        ("--lark", "a", False),
        ("--gbnf", "a12", True),
        ("--ebnf", "a12", True),
        ("--gbnf", "b", False),
        ("--tools", 'Hi <tool_call>\n{"name": "look", "arguments": {"n": 3}}\n</tool_call>', True),
        ("--tools", '<tool_call>\n{"name": "book"', False),
    ],
)
def test_a_text_is_followed_through_a_file(
    run: Run, files: dict[str, str], option: str, text: str, is_complete: bool
) -> None:
    """``show`` tells what a grammar or a list of tools allows; exit code 0 if the text is complete."""
    code, out, err = run("show", option, files[option.strip("-")], "--text", text)
    assert (code, err) == (int(not is_complete), "")
    assert ("\nCOMPLETE" in out) is is_complete


@pytest.mark.parametrize(
    ("arguments", "text", "is_complete"),
    [
        (["--regex", "a+b?"], "aab", True),
        (["--regex", "a+b?"], "b", False),
        (["--regex", r"\d", "--regex-dialect", "ecma"], "\u0663", False),
        (["--regex", r"\d", "--regex-dialect", "python"], "\u0663", True),
        (["--grammar-root", "number"], "1.5e-3", True),
        (["--grammar-root", "number"], "x", False),
    ],
)
def test_a_text_is_followed_through_an_argument(run: Run, arguments: list[str], text: str, is_complete: bool) -> None:
    """Patterns and roots need no file."""
    code, out, err = run("show", *arguments, "--text", text)
    assert (code, err) == (int(not is_complete), "")
    assert ("\nCOMPLETE" in out) is is_complete


def test_options_of_a_source(run: Run, files: dict[str, str]) -> None:
    """Another rule to begin with, another lexer, another choice and format."""
    assert run("show", "--gbnf", files["gbnf"], "--start", "other", "--text", "b")[0] == 0
    assert run("show", "--lark", files["lark"], "--lexer", "exact", "--text", "a1")[0] == 0
    call = '{"name": "look", "parameters": {"n": 3}}'
    assert run("show", "--tools", files["tools"], "--tool-format", "llama3", "--text", call)[0] == 0
    assert run("show", "--tools", files["tools"], "--tool-choice", "required", "--text", "Hi")[0] == 1
    assert run("show", "--grammar-root", "func", "--tools", files["tools"], "--text", '{"name": "book"')[0] == 1


def test_imports_are_found_beside_the_file(run: Run, tmp_path: Path) -> None:
    """``%import`` of a Lark file looks into its folder."""
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n")
    (tmp_path / "main.lark").write_text('%import words.WORD\nstart: WORD "!"\n')
    assert run("show", "--lark", str(tmp_path / "main.lark"), "--text", "hello!")[0] == 0


def test_a_grammar_is_checked(run: Run, files: dict[str, str]) -> None:
    """Name, policies and first mask; nothing of keywords, which a grammar has none of."""
    code, out, err = run("check", "--lark", files["lark"], "--lexer", "exact")
    assert (code, err) == (0, "")
    assert f"{files['lark']}: supported\n" in out
    assert "lexer = 'exact'" in out
    assert "`a`" in out.partition("first mask")[2]


@pytest.mark.parametrize(
    ("option", "text"),
    [("--lark", 'start: "a" )\n'), ("--lark", "start: missing\n"), ("--gbnf", 'root ::= "a'), ("--gbnf", "root ::= x")],
)
def test_a_broken_grammar_is_shown_once_with_a_caret(run: Run, tmp_path: Path, option: str, text: str) -> None:
    """Exit code 1; place, line and carets, once; on standard error for ``show``, in the report of ``check``."""
    path = tmp_path / "broken"
    path.write_text(text)
    code, out, err = run("check", option, str(path))
    assert (code, err) == (1, "")
    assert len(re.findall(r"\^+", out)) == 1
    code, out, err = run("show", option, str(path), "--text", "a")
    assert (code, out) == (1, "")
    assert err.startswith("maskwright: 1:")
    assert len(re.findall(r"\^+", err)) == 1
    assert "Traceback" not in err


def test_a_broken_tool_is_named(run: Run, tmp_path: Path) -> None:
    """The place is a pointer into the list."""
    path = tmp_path / "tools.json"
    path.write_text('[{"type": "function", "function": {"name": "a", "parameters": {"type": "objec"}}}]')
    code, out, _ = run("check", "--tools", str(path))
    assert code == 1
    assert "objec" in out
    path.write_text("[{]")
    assert "1:3: the list of tools is not JSON" in run("check", "--tools", str(path))[1]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["check"], "--grammar-root"),
        (["check", "{}", "--regex", "a"], "not allowed with"),
        (["check", "--regex", "a", "--tools", "x"], "--regex and --tools"),
        (["check", "--regex", "a", "--start", "x"], "--start goes with --lark, --gbnf or --ebnf"),
        (["check", "--gbnf", "x", "--lexer", "exact"], "--lexer goes with --lark"),
        (["check", "{}", "--regex-dialect", "ecma"], "--regex-dialect goes with --regex"),
        (["check", "{}", "--tool-choice", "none"], "--tool-choice goes with --tools"),
        (["check", "--regex", "a", "--dialect", "openai"], "--dialect goes with a schema"),
        (["check", "--lark", "no/such/file"], "no/such/file"),
        (["check", "--grammar-root", "roof"], "'roof'"),
        (["show", "--gbnf", "-", "--text-file", "-"], "cannot both come from standard input"),
        (["generate", "--tools", "-", "--prompt-file", "-"], "cannot both come from standard input"),
        (["export", "{}"], "--to"),
        (["export", "{}", "--to", "lark"], "gbnf"),
    ],
)
def test_arguments_that_do_not_go_together(run: Run, arguments: list[str], part: str) -> None:
    """Exit code 2, and what is wrong in the last line of standard error."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert part in err.splitlines()[-1]

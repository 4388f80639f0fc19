"""Grammars as constraints: one constructor for each notation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from maskwright.constraint import Constraint, is_empty_text, json_schema
from maskwright.errors import PolicyError, excerpt
from maskwright.grammar.compile import compile_grammar
from maskwright.grammar.ebnf import read_ebnf
from maskwright.grammar.gbnf import read_gbnf
from maskwright.grammar.lark_contextual import contextual_network
from maskwright.grammar.lark_loader import compile_rules, load_lark
from maskwright.grammar.lark_rules import exact_grammar
from maskwright.grammar.lark_silence import silence
from maskwright.limits import DEFAULT_LIMITS, Limits, check_limits
from maskwright.network.nodes import Network

__all__ = ["ebnf", "gbnf", "lark"]


def lark(
    text: str,
    start: str = "start",
    *,
    lexer: str = "contextual",
    import_paths: Sequence[str | Path] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Constraint:
    r"""Texts that a Lark grammar accepts; the grammar is read by the ``lark`` package itself.

    Beyond Lark's notation: ``%json {...}`` in rules (a JSON Schema), named tokens in rules and as terminals
    (``<|name|>``, ``<[7,10-20]>``, ``<[^7]>``, ``<[*]>``), ``&`` and ``~`` in terminals (``/[a-z]+/ & ~/if|else/``).

    Args:
        text: The grammar.
        start: The rule to begin with.
        lexer: ``"contextual"``: what ``Lark(text, parser="lalr")`` accepts: at each place the lexer takes the terminal
            that Lark's order puts first, as far as its pattern reaches. ``"exact"``: any text that can be split into
            terminals somehow, for every context-free grammar; priorities decide nothing, ignored text may be split as
            well, and a terminal is read alone: its lookarounds and anchors find nothing beside it (``warnings`` names
            those that therefore read nothing).
        import_paths: Folders in which ``%import`` finds files, beside the grammars of this package and of ``lark``.
            No other file is ever read.
        limits: Caps on sizes, depths and times.

    Raises:
        GrammarError: not a Lark grammar, with line, column and a caret; or ``lark`` is not installed.
        UnsupportedError: a pattern or notation that is not enforced.
        UnsatisfiableError: no text is accepted.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    if lexer not in ("contextual", "exact"):
        raise PolicyError(f"lexer must be 'contextual' or 'exact', not {excerpt(lexer)}")
    check_limits(limits)
    folders = _folders(import_paths)

    def json_network(schema: str) -> Network:
        return json_schema(schema, limits=limits).network

    network: Network
    with silence(text, has_imports=bool(folders)):
        loaded = load_lark(text, start, import_paths=folders, json_network=json_network, limits=limits)
        warnings = list(loaded.warnings)
        if lexer == "exact":
            is_empty = partial(is_empty_text, limits=limits)
            grammar = exact_grammar(loaded, is_empty, warnings)
            network = compile_grammar(grammar, is_empty=is_empty, limits=limits)
        else:
            network = contextual_network(compile_rules(loaded), start=start, foreign=loaded.foreign, limits=limits)
    rebuild = partial(lark, text, start, lexer=lexer, import_paths=folders, limits=limits)
    policies = {"lexer": lexer, "start": start}
    return Constraint("lark", network, rebuild=rebuild, limits=limits, policies=policies, warnings=warnings)


def gbnf(text: str, *, start: str = "root", limits: Limits = DEFAULT_LIMITS) -> Constraint:
    r"""Texts that a grammar in llama.cpp's GBNF accepts, as ``root ::= "yes" | "no"``.

    Any context-free grammar: left recursion, ambiguity, cycles, rules that may be empty, and counts of any size. Tokens
    (``<[7]>``, ``<think>``, ``!<[7]>``) are those of the vocabulary that it is compiled for.

    Args:
        text: The grammar.
        start: The rule to begin with.
        limits: Caps on sizes, depths and times.

    Raises:
        GrammarError: not GBNF, with line, column and a caret; rules that are missing are told all at once.
        UnsupportedError: ``!<name>``: any token but a named one.
        UnsatisfiableError: no text is accepted, with the rule that can never end.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    check_limits(limits)
    grammar = read_gbnf(text, start=start, limits=limits)
    network = compile_grammar(grammar, is_empty=partial(is_empty_text, limits=limits), limits=limits)
    rebuild = partial(gbnf, text, start=start, limits=limits)
    return Constraint("gbnf", network, rebuild=rebuild, limits=limits, policies={"start": start})


def ebnf(text: str, *, start: str = "root", limits: Limits = DEFAULT_LIMITS) -> Constraint:
    r"""Texts that a grammar in EBNF accepts, the W3C's and xgrammar's: ``root ::= [a-z]+ ("," [a-z]+)*``.

    As :func:`gbnf`, but a rule ends where the next begins, literals may stand between single quotes, ``#x20`` is a
    character, and ``A - B`` is what is an A but no B, where both are regular. ``warnings`` tells what xgrammar would
    read in another way.

    Raises:
        GrammarError: not EBNF, with line, column and a caret; rules that are missing are told all at once.
        UnsupportedError: lookaheads, attributes and macros of xgrammar, exclusions of what is not regular.
        UnsatisfiableError: no text is accepted, with the rule that can never end.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    check_limits(limits)
    grammar, warnings = read_ebnf(text, start=start, limits=limits)
    network = compile_grammar(grammar, is_empty=partial(is_empty_text, limits=limits), limits=limits)
    rebuild = partial(ebnf, text, start=start, limits=limits)
    policies = {"start": start}
    return Constraint("ebnf", network, rebuild=rebuild, limits=limits, policies=policies, warnings=warnings)


def _folders(given: object) -> tuple[str | Path, ...]:
    """The folders of a list of them."""
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Path)) else None
    if found is None or not all(isinstance(folder, (str, Path)) and "\0" not in str(folder) for folder in found):
        raise PolicyError(f"import_paths is a list of folders, not {excerpt(given)}")
    return found

"""Lark grammars, read by the ``lark`` package itself: imports, templates, priorities mean what they mean there.

Two steps. :func:`load_lark` reads the text to trees, with everything that is imported; our extensions (``%json``, named
tokens, ``&`` and ``~`` in terminals) have become strings that begin with a mark. :func:`compile_rules` has Lark write
the trees out as plain rules, which its LALR tables are made of; exact reading starts from the trees (``lark_rules``).

``lark`` is imported when the first grammar is read. What it does in more than linear time, or by recursion, is measured
before it is asked: groups within groups, terminals within terminals, alternatives that it multiplies out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from maskwright.errors import ConstraintError, GrammarError, LimitError, PolicyError, Problem, UnsupportedError
from maskwright.grammar.lark_checks import checked_grammar
from maskwright.grammar.lark_faults import Guard, without_marks
from maskwright.grammar.lark_imports import Imports
from maskwright.grammar.lark_templates import Templates
from maskwright.grammar.lark_terms import Special, Terminals
from maskwright.grammar.lark_text import Extension, Extensions, Rewritten, rewrite
from maskwright.grammar.lark_trees import bottom_up, count_alternatives
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.nodes import Network

__all__ = ["CompiledRules", "JsonNetwork", "LoadedGrammar", "compile_rules", "load_lark"]

#: ``json_network(schema text) -> Network``: what ``%json`` calls; given by who knows JSON Schemas.
JsonNetwork = Callable[[str], Network]

#: The name by which Lark knows the caller's text; a file in the folder "".
_TEXT: Final = "the grammar"


@dataclass(frozen=True)
class LoadedGrammar:
    """A grammar as Lark has read it, before it is written out as rules."""

    rewritten: Rewritten
    start: str
    #: ``lark.load_grammar.Grammar``: trees of rules and of terminals, names within terminals resolved.
    grammar: Any
    #: Calls Lark; knows what the marks in strings stand for.
    guard: Guard
    #: The networks of ``%json``.
    foreign: tuple[Network, ...]
    terminals: Terminals
    limits: Limits
    warnings: tuple[Problem, ...] = ()

    @property
    def text(self) -> str:
        """The grammar as the caller wrote it."""
        return self.rewritten.original


@dataclass(frozen=True)
class CompiledRules:
    """What Lark's own parsers and lexers are made of."""

    #: ``lark.grammar.Rule``: origin, expansion (``Terminal`` and ``NonTerminal``), order, options with priority.
    rules: tuple[Any, ...]
    #: ``lark.lexer.TerminalDef``: name, pattern, priority. **Those in ``specials`` have a pattern without meaning.**
    #: A terminal in a rule that is not here was only declared: no lexer ever finds it.
    terminals: tuple[Any, ...]
    #: Names of the terminals that may stand between others.
    ignored: tuple[str, ...]
    #: Terminals that are no Python pattern, by name.
    specials: Mapping[str, Special]
    #: What to call terminals without a name of their own, in messages.
    titles: Mapping[str, str] = field(default_factory=dict)


def load_lark(
    text: str,
    start: str = "start",
    *,
    import_paths: Sequence[str | Path] = (),
    json_network: JsonNetwork | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> LoadedGrammar:
    """Read a Lark grammar, with our extensions.

    Args:
        text: The grammar.
        start: The rule to begin with.
        import_paths: Folders in which ``%import`` finds files, beside those of this package and of ``lark``.
        json_network: What ``%json`` calls with the text of the schema.
        limits: ``source_bytes``, ``grammar_symbols`` and those of patterns.

    Raises:
        GrammarError: not a Lark grammar; with line, column and a caret where they are known.
        UnsupportedError: notations of llguidance that are not read.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    if not isinstance(text, str) or not isinstance(start, str):
        raise PolicyError("a grammar is a str, and start is the name of one of its rules")
    if isinstance(import_paths, (str, Path)):
        raise PolicyError(f"import_paths is a list of folders, not {import_paths!r}")
    lark = _lark()
    extensions = Extensions()
    rewritten = rewrite(text, extensions, limits)

    def read_import(imported: str, name: str) -> str:
        file = rewrite(imported, extensions, limits, source=name)
        Guard(file, extensions.entries)(lambda: lark._get_parser().parse(file.text + "\n", "start"))  # noqa: SLF001
        return file.text

    imports = Imports([Path(folder) for folder in import_paths], lark.PackageResource, read_import)
    builder = lark.GrammarBuilder(False, [imports])
    guard = Guard(rewritten, extensions.entries)
    guard(lambda: builder.load_grammar(rewritten.text, _TEXT))
    grammar = checked_grammar(builder, start, rewritten, extensions.warnings)
    networks, foreign = _networks(extensions.entries, json_network)
    trees = {name: tree for name, _, tree, _ in grammar.rule_defs}
    trees.update((name, tree) for name, (tree, _) in grammar.term_defs if tree is not None)
    terminals = Terminals(networks, limits, guard, trees)
    return LoadedGrammar(rewritten, start, grammar, guard, foreign, terminals, limits, tuple(extensions.warnings))


def compile_rules(loaded: LoadedGrammar) -> CompiledRules:
    """Have Lark write a grammar out as rules; some 0.4 ms for each.

    Raises :class:`GrammarError` for what Lark refuses, terminals that may be empty among it, and :class:`LimitError`
    for groups that it would multiply out to more than ``limits.grammar_symbols`` alternatives.
    """
    _measure(loaded)
    terminals, rules, ignored = loaded.terminals.compiled(
        lambda: loaded.grammar.compile([loaded.start], set()), loaded.terminals.trees.values()
    )
    trees = {name: tree for name, (tree, _) in loaded.grammar.term_defs}
    specials, titles = {}, {}
    for terminal in terminals:
        name = terminal.name
        special = loaded.terminals.special(name, terminal.pattern, trees.get(name))
        if name.startswith("__"):
            titles[name] = without_marks(terminal.pattern.raw or name, loaded.guard.entries).strip('"')
        if special is not None:
            specials[name] = special
            if name in ignored and special.kind != "text":
                reason = f"the token {titles.get(name, name)} is ignored"
                remedy = "name it in the rules, or use lexer='exact'"
                raise loaded.rewritten.named_fault(name, reason, remedy=remedy, error=UnsupportedError)
        if special.is_nullable if special is not None else loaded.terminals.is_nullable(name, terminal.pattern):
            reason = f"the terminal {titles.get(name, name)} may be empty"
            where = name if not name.startswith("__") else terminal.pattern.raw or name
            raise loaded.rewritten.named_fault(where, reason, remedy="use ? or * in the rule instead")
    return CompiledRules(tuple(rules), tuple(terminals), tuple(ignored), specials, titles)


def _lark() -> Any:
    try:
        return import_module("lark.load_grammar")
    except ImportError as error:
        reason = "Lark grammars are read by the lark package, which is not installed"
        raise GrammarError(Problem(reason, keyword="lark", remedy="pip install lark")) from error


def _networks(
    entries: Sequence[Extension], json_network: JsonNetwork | None
) -> tuple[dict[int, int], tuple[Network, ...]]:
    """The networks of the JSON Schemas, and where each is."""
    places: dict[int, int] = {}
    networks: list[Network] = []
    for number, entry in enumerate(entries):
        if entry.kind != "json":
            continue
        if json_network is None:
            raise GrammarError(Problem("%json has no meaning here", place=entry.place, keyword="%json"))
        try:
            network = json_network(entry.source)
        except ConstraintError as error:
            problems = [
                Problem(p.reason, " ".join(filter(None, (entry.place, p.place))), p.keyword, p.remedy)
                for p in error.problems
            ]
            raise type(error)(*problems) from error
        places[number] = len(networks)
        networks.append(network)
    return places, tuple(networks)


def _measure(loaded: LoadedGrammar) -> None:
    """Refuse templates without end, and groups that Lark would multiply out to more alternatives than it can."""
    templates = Templates(loaded.grammar, loaded.rewritten)
    todo = templates.rules()
    seen = set(todo)
    total = 0
    while todo:
        name = todo.pop()
        tree = templates.tree(name)
        for node in bottom_up(tree, leaves="template_usage"):
            if node.data == "template_usage":
                made = templates.instance(node)
                if made not in seen:
                    seen.add(made)
                    todo.append(made)
        own, made_up = count_alternatives(tree)
        total += own + made_up
        if total > loaded.limits.grammar_symbols:
            reason = (
                f"groups that make more than {loaded.limits.grammar_symbols} alternatives when Lark multiplies them"
            )
            remedy = "give the groups names, as rules of their own, or use lexer='exact'"
            raise loaded.rewritten.named_fault(name, reason, remedy=remedy, error=LimitError)

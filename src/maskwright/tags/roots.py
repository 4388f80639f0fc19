"""``grammar_root``: the named roots of the completion interface as constraints."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from maskwright.constraint import Constraint, is_empty_text
from maskwright.errors import LimitError, PolicyError, Problem, UnsatisfiableError, excerpt
from maskwright.grammar.compile import compile_grammar
from maskwright.grammar.opened import Opened, opened, read_prefix
from maskwright.grammar.roots import CALLS, ROOTS, blanks_of, root_grammar
from maskwright.limits import DEFAULT_LIMITS, Limits, check_limits
from maskwright.network.nodes import Network
from maskwright.tags.formats import FORMATS
from maskwright.tags.freetext import check_mark
from maskwright.tags.tools import compile_arguments
from maskwright.tags.toolset import Tool, read_tools

__all__ = ["grammar_root"]

#: Calls of rules for each open array or object, by ``grammars/json.lark``: the container, and what stands inside.
_CALLS_PER_LEVEL: Final = 2
#: The layout of arguments whose schema is known, by the policy for the blanks around it.
_LAYOUTS: Final[dict[str | int, str]] = {"none": "compact", 0: "compact", "any": "any"}


def grammar_root(
    name: str,
    *,
    prompt: str | None = None,
    prefix: str | None = None,
    tools: Iterable[object] | None = None,
    parallel: bool = True,
    without: Iterable[str] = (),
    profile: str | None = None,
    whitespace: str | int = 20,
    limits: Limits = DEFAULT_LIMITS,
) -> Constraint:
    """What a request's field ``grammar_root`` asks for. The names are public, the languages are definitions of ours.

    ``value``, ``object``, ``array``, ``string``, ``number``: one such JSON text without blanks around it, of any
    content. ``ws``: blanks only. ``func``: one call, ``{"name": .., "arguments": {..}}`` (or ``"parameters"``).
    ``funcarray``: an array of at least one call. ``fcall``: a call or an array of calls, after blanks. ``nofcall``:
    text whose first character that is no blank, which there must be, is neither ``{`` nor ``[``. ``root``: ``fcall``
    or ``nofcall``, a whole turn of an assistant. ``insidevalue``: the rest of the value that a prompt has left open,
    to its end; a value if none is open. ``grammars/json.lark`` is what they are compiled from.

    Args:
        name: One of the twelve.
        prompt: For ``insidevalue``: what the model was given. Its end is searched for an object or array that is not
            complete, then for a string; see :mod:`maskwright.grammar.opened`.
        prefix: For ``insidevalue``: the beginning of the value itself, instead of a prompt. A number may go on.
        tools: For roots with calls: tools as :func:`maskwright.tools` takes them; each name goes with its own schema.
        parallel: Whether an array may hold more than one call.
        without: For ``nofcall`` and ``root``: strings that the text must not contain.
        profile: For the same roots: a format of :data:`maskwright.tags.formats.FORMATS`, whose trigger the text must
            not contain either.
        whitespace: What may stand between tokens: the most blanks, tabs and line breaks in one place; ``"none"``;
            ``"single"`` (at most one blank); ``"flex"`` (nothing, a blank, or a line break and at most 20 blanks or
            tabs); or ``"any"``, which suits a validator: a model may write blanks for ever.
        limits: Caps on sizes, depths and times.

    Raises:
        PolicyError: no such root (with the param ``grammar_root``), or an argument that does not belong to it.
        UnsatisfiableError: the prefix does not begin a value, or there are no tools to be called.
        LimitError: more is open than ``Limits.stack_depth`` can hold.
        ConstraintError: a tool that cannot be used, as in :func:`maskwright.tools`.
        GrammarError: the package ``lark`` is not installed.
    """
    if not isinstance(name, str) or name not in ROOTS:
        raise PolicyError(f"grammar_root: there is no root {excerpt(name)}; the roots are {', '.join(ROOTS)}")
    check_limits(limits)
    if not isinstance(parallel, bool):
        raise PolicyError(f"parallel is True or False, not {excerpt(parallel)}")
    if not isinstance(without, Iterable):
        raise PolicyError(f"without= lists strings that are not empty, not {excerpt(without)}")
    excluded = (*((without,) if isinstance(without, str) else without), *_triggers(profile))
    _check(name, prompt=prompt, prefix=prefix, tools=tools, without=excluded)
    begun = _begun(prompt, prefix)
    _check_depth(begun, limits)
    listed = None if tools is None else read_tools(tools, strict=None)
    if name != "root" and listed == ():
        raise UnsatisfiableError(Problem("there are no tools that could be called", keyword=name))
    blanks = blanks_of(whitespace)
    networks = None if listed is None else _networks(listed, whitespace, limits)
    grammar = root_grammar(name, blanks=blanks, tools=networks, parallel=parallel, without=excluded)
    policies: dict[str, object] = {"root": name, "whitespace": whitespace}
    if name in CALLS:
        policies |= {"tools": None if networks is None else tuple(networks), "parallel": parallel}
    if name in ("root", "nofcall"):
        policies["without"] = excluded
    if name == "insidevalue":
        policies["open"] = begun.text
    return Constraint(
        "grammar_root",
        compile_grammar(grammar, is_empty=partial(is_empty_text, limits=limits), limits=limits),
        rebuild=partial(
            grammar_root,
            name,
            prefix=begun.text if name == "insidevalue" else None,
            tools=None if listed is None else [tool.plain() for tool in listed],
            parallel=parallel,
            without=excluded,
            whitespace=whitespace,
            limits=limits,
        ),
        limits=limits,
        policies=policies,
        prefix=begun.outline.encode(),
    )


def _triggers(profile: str | None) -> tuple[str, ...]:
    if profile is None:
        return ()
    if not isinstance(profile, str) or profile not in FORMATS:
        raise PolicyError(f"profile is one of {', '.join(sorted(FORMATS))}, not {excerpt(profile, 80)}")
    trigger = FORMATS[profile].trigger
    return (trigger,) if trigger else ()


def _check(name: str, *, prompt: object, prefix: object, tools: object, without: tuple[object, ...]) -> None:
    """Refuse arguments that have no meaning for a root."""
    given = [given for given in (prompt, prefix) if given is not None]
    if not all(isinstance(text, str) for text in given):
        raise PolicyError("prompt and prefix are texts")
    if len(given) != (name == "insidevalue"):
        raise PolicyError("prompt= or prefix= belongs to the root insidevalue, which needs one of them")
    if tools is not None and name not in CALLS:
        raise PolicyError(f"tools= belongs to the roots {', '.join(CALLS)}, not to {name}")
    if without and name not in ("root", "nofcall"):
        raise PolicyError(f"without= and profile= belong to the roots root and nofcall, not to {name}")
    if not all(isinstance(text, str) and text for text in without):
        raise PolicyError("without= lists strings that are not empty")
    for text in without:
        check_mark(text, "a string of without=")


def _begun(prompt: str | None, prefix: str | None) -> Opened:
    """What the output goes on with."""
    if prefix is None:
        return opened(prompt or "") or Opened("", "")
    found = read_prefix(prefix)
    if isinstance(found, Opened):
        return found
    reason = f"the prefix is not the beginning of a JSON value from character {found.place} on"
    shown = prefix[max(0, found.place - 20) : found.place + 1]
    raise UnsatisfiableError(Problem(f"{reason}: ..{shown!r}", place=str(found.place), keyword="insidevalue"))


def _check_depth(begun: Opened, limits: Limits) -> None:
    """An output could not even close what is open beyond the cap on stacks."""
    needed = _CALLS_PER_LEVEL * (1 + begun.outline.count("[") + begun.outline.count("{"))
    if needed > limits.stack_depth:
        reason = f"{needed // _CALLS_PER_LEVEL - 1} arrays and objects are open"
        remedy = f"raise Limits.stack_depth to {needed}, or end what is open"
        raise LimitError(Problem(reason, keyword="insidevalue", remedy=remedy))


def _networks(listed: tuple[Tool, ...], whitespace: str | int, limits: Limits) -> dict[str, Network]:
    options: dict[str, Any] = {"whitespace": _LAYOUTS.get(whitespace, "flexible"), "limits": limits}
    return dict(zip((tool.name for tool in listed), compile_arguments(listed, options), strict=True))

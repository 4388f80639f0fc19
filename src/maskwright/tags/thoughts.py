"""Thinking before an answer: free text up to a mark, and only then a constraint."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from maskwright.constraint import Constraint
from maskwright.errors import LimitError, PolicyError, Problem, excerpt
from maskwright.network.lexeme import literal, repeat
from maskwright.network.nodes import Call
from maskwright.tags.calls import text_before
from maskwright.tags.formats import Reading, ToolFormat
from maskwright.tags.freetext import check_mark
from maskwright.tags.network import Tree, markers_in, read, spelled
from maskwright.tags.parsing_tags import TagReading

__all__ = ["Thoughts", "thinking", "thoughts_of", "with_thoughts"]

#: Newlines that may stand between the mark and the answer: templates write two.
_NEWLINES: Final = 2
_END: Final = "</think>"
#: Sections of thinking before one answer; pickling and exporting go into each.
_MOST: Final = 16


class Thoughts(NamedTuple):
    """The section before an answer: what ends it, and what begins it (``""`` if the prompt did)."""

    end: str
    begin: str = ""


def thoughts_of(given: object, form: ToolFormat | None = None) -> Thoughts | None:
    """What an argument ``thinking`` means; None if there is no such section.

    Raises:
        PolicyError: it is no mark.
        LimitError: it is too long for one.
    """
    if given is None or given is False or (form is not None and form.body == "harmony" and given is True):
        return None
    if given is True:
        return Thoughts(form.thinking_end if form else _END)
    parts = (given,) if isinstance(given, str) else given
    if isinstance(parts, tuple) and len(parts) in (1, 2) and all(isinstance(part, str) for part in parts) and parts[0]:
        return Thoughts(*(check_mark(part, "a mark of thinking") for part in parts))
    marks = f"the mark that ends it ('{_END}') or those that end and begin it"
    raise PolicyError(f"thinking is None, True, {marks}, not {excerpt(given, 80)}")


def with_thoughts(tree: Tree, thoughts: Thoughts, answer: int) -> int:
    """The node of the section and the answer."""
    markers = markers_in(thoughts.begin) + markers_in(thoughts.end)
    gap = spelled(repeat(literal("\n"), 0, _NEWLINES))
    text = text_before(thoughts.end, thoughts.end)
    begin = read(thoughts.begin, markers)
    return tree.node([(*begin, *text, *read(thoughts.end, markers), *gap, Call(answer))], "thinking")


def _sections(constraint: Constraint) -> int:
    """How many sections of thinking stand before the answer of a constraint already."""
    count = 0
    while constraint.kind == "thinking" and count < _MOST:
        constraint = constraint.__reduce__()[0].args[0]  # type: ignore[attr-defined]
        count += 1
    return count


def thinking(constraint: Constraint, *, end: str = _END, begin: str | None = None) -> Constraint:
    """Free text up to the first ``end``, at most two newlines, and then what a constraint asks for.

    ``begin`` is what the output begins with; by default the prompt has begun the thinking already. Where a vocabulary
    has control tokens of these names only the tokens count, else their text does, however tokens split it. For a model
    whose thinking is switched off use the constraint alone.

    Raises:
        PolicyError: an argument is no mark, or the constraint goes on with a prefix.
        LimitError: a mark of more than 1,024 characters, or more than 16 sections of thinking before an answer.
    """
    if not isinstance(constraint, Constraint):
        raise PolicyError(f"thinking() takes a constraint, not {type(constraint).__name__}")
    if constraint.prefix:
        raise PolicyError("a constraint that goes on with a prefix cannot stand after thinking")
    if _sections(constraint) >= _MOST:
        remedy = f"at most {_MOST} sections before an answer"
        raise LimitError(Problem("thinking nests too deeply", keyword="thinking", remedy=remedy))
    thoughts = thoughts_of((end, begin or ""))
    if thoughts is None:
        raise PolicyError("thinking() needs the mark that ends it")
    tree = Tree()
    answer = tree.node([(tree.part(constraint.network),)], "the answer")
    root = with_thoughts(tree, thoughts, answer)
    reading = constraint.reading if isinstance(constraint.reading, (Reading, TagReading)) else Reading(None)
    return Constraint(
        "thinking",
        tree.finish(root),
        rebuild=partial(thinking, constraint, end=end, begin=begin),
        limits=constraint.limits,
        policies={**constraint.policies, "thinking": end},
        warnings=constraint.warnings,
        reading=replace(reading, thinking=(thoughts.end, thoughts.begin)),
    )

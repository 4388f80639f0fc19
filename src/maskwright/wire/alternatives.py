"""Calls of tools, or else an answer of another kind: what ``response_format`` beside ``tools`` means."""

from __future__ import annotations

from functools import partial
from typing import Final

from maskwright.constraint import Constraint
from maskwright.errors import Problem, UnsupportedError
from maskwright.tags.formats import Reading
from maskwright.tags.network import Tree

__all__ = ["calls_or"]

_REMEDY: Final = "send one of the two, or tool_choice none or required"


def calls_or(calls: Constraint, answer: Constraint) -> Constraint:
    """Texts of ``calls``, which :func:`maskwright.tools` made for at least one call, or of ``answer``.

    What is written is read as the turn that ``calls`` describes: an answer is a text in it. So one that spells the
    mark of a call in a string of its own is read as that call; the mask does not keep it from that.

    Raises:
        UnsupportedError: the format writes calls as bare JSON, so an answer in JSON could not be told from one.
    """
    reading = calls.reading
    trigger = reading.format.trigger if isinstance(reading, Reading) and reading.format is not None else ""
    if not trigger:
        reason = "the model writes calls as bare JSON, which could not be told from an answer in JSON"
        raise UnsupportedError(Problem(reason, keyword="tools", remedy=_REMEDY))
    tree = Tree()
    root = tree.node([(tree.part(calls.network),), (tree.part(answer.network),)], "calls, or an answer")
    return Constraint(
        "tools",
        tree.finish(root),
        rebuild=partial(calls_or, calls, answer),
        limits=calls.limits,
        policies={**answer.policies, **calls.policies},
        warnings=(*calls.warnings, *answer.warnings),
        reading=reading,
    )

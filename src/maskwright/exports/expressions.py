"""Expressions of a grammar that is being written: small trees over literals, character classes and names of rules.

Built through functions that normalise, as terms are. Trees stay shallow (``DEPTH``): what would nest deeper becomes a
rule of its own, so that nothing here or in a reader of the grammar recurses on the depth of a constraint.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from maskwright.network.lexeme import MAX_CODE_POINT

__all__ = ["DEPTH", "EMPTY", "NEVER", "Expression", "alternatives", "character", "control", "literal", "repetition"]
__all__ += ["reference", "references", "sequence", "with_parts"]

#: Nesting of expressions beyond which a part becomes a rule.
DEPTH: Final = 4

Ranges = tuple[tuple[int, int], ...]


class Expression(NamedTuple):
    """One expression; ``kind`` says which fields count."""

    #: ``literal``, ``class``, ``control``, ``rule``, ``sequence``, ``choice`` or ``repeat``.
    kind: str
    #: Of a literal its characters, of a control token its spelling.
    text: str = ""
    #: Of a class: ascending, disjoint, without surrogates.
    ranges: Ranges = ()
    #: Of a reference: the number of the rule.
    rule: int = -1
    parts: tuple[Expression, ...] = ()
    least: int = 0
    most: int | None = None
    depth: int = 0
    #: About how many characters it takes to write.
    size: int = 0


EMPTY: Final = Expression("sequence", size=2)
NEVER: Final = Expression("choice")


def literal(text: str) -> Expression:
    """These characters."""
    return Expression("literal", text, size=len(text) + 2) if text else EMPTY


def character(ranges: Iterable[tuple[int, int]]) -> Expression:
    """One character of a class; surrogates, which no text holds, are left out."""
    kept = tuple(_without_surrogates(ranges))
    if not kept:
        return NEVER
    if len(kept) == 1 and kept[0][0] == kept[0][1]:
        return literal(chr(kept[0][0]))
    return Expression("class", ranges=kept, size=2 + sum(1 if low == high else 3 for low, high in kept))


def _without_surrogates(ranges: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    for first, last in ((0, 0xD7FF), (0xE000, MAX_CODE_POINT)):
        for low, high in ranges:
            if low <= last and high >= first:
                yield max(low, first), min(high, last)


def control(spelling: str) -> Expression:
    """One token of the vocabulary, in the notation's own spelling."""
    return Expression("control", spelling, size=len(spelling))


def reference(rule: int) -> Expression:
    """What a rule reads."""
    return Expression("rule", rule=rule, size=8)


def sequence(parts: Iterable[Expression]) -> Expression:
    """One part after the other; neighbouring literals are one."""
    flat: list[Expression] = []
    for part in parts:
        for piece in part.parts if part.kind == "sequence" else (part,):
            if piece == NEVER:
                return NEVER
            if flat and piece.kind == flat[-1].kind == "literal":
                flat[-1] = literal(flat[-1].text + piece.text)
            elif flat and piece.kind == "repeat" and piece.parts[0] == flat[-1] and piece.most is None:
                flat[-1] = repetition(flat[-1], piece.least + 1, None)
            else:
                flat.append(piece)
    if not flat:
        return EMPTY
    if len(flat) == 1:
        return flat[0]
    depth, size = max(part.depth for part in flat), sum(part.size + 1 for part in flat)
    return Expression("sequence", parts=tuple(flat), depth=depth + 1, size=size)


def alternatives(parts: Iterable[Expression]) -> Expression:
    """Any of the parts, in the given order; single characters are one class, and nothing or something is optional."""
    flat: dict[Expression, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if part.kind == "choice" else (part,)))
    points = [part for part in flat if part.kind == "class" or (part.kind == "literal" and len(part.text) == 1)]
    if len(points) > 1:
        ranges = [pair for part in points for pair in part.ranges or ((ord(part.text), ord(part.text)),)]
        merged = character(_merged(ranges))
        replaced = [merged if part is points[0] else part for part in flat if part is points[0] or part not in points]
        flat = dict.fromkeys(replaced)
    if EMPTY in flat and len(flat) > 1:
        del flat[EMPTY]
        return repetition(alternatives(flat), 0, 1)
    options = tuple(flat)
    if len(options) < 2:
        return options[0] if options else NEVER
    depth, size = max(part.depth for part in options), sum(part.size + 3 for part in options)
    return Expression("choice", parts=options, depth=depth + 1, size=size + 2)


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def repetition(part: Expression, least: int, most: int | None) -> Expression:
    """``least`` to ``most`` times a part (``None``: no bound)."""
    if part == NEVER:
        return EMPTY if least == 0 else NEVER
    if part == EMPTY or most == 0:
        return EMPTY
    if least == most == 1:
        return part
    if (least, most) == (0, 1) and part.kind == "repeat" and part.least <= 1:
        return repetition(part.parts[0], 0, part.most)
    if most is part.most is None and part.kind == "repeat" and part.least <= 1:
        # Loops in loops can be read in several ways, each of which is a stack more for llama.cpp.
        return repetition(part.parts[0], least * part.least, None)
    return Expression(
        "repeat", parts=(part,), least=least, most=most, depth=part.depth + 1, size=part.size + 2 + 3 * (least > 1)
    )


def references(expression: Expression) -> list[int]:
    """The rules that an expression names, in order, each as often as it does."""
    found: list[int] = []
    todo = [expression]
    while todo:
        at = todo.pop()
        if at.kind == "rule":
            found.append(at.rule)
        todo.extend(reversed(at.parts))
    return found


def with_parts(expression: Expression, parts: Iterable[Expression]) -> Expression:
    """The same expression over other parts, normalised again."""
    if expression.kind == "sequence":
        return sequence(parts)
    if expression.kind == "choice":
        return alternatives(parts)
    (part,) = parts
    return repetition(part, expression.least, expression.most)

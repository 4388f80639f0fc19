"""Constraints as GBNF, the grammars of llama.cpp, for its own server and whatever else reads that notation.

The notation is that of llama.cpp's ``grammars/README.md`` and what its reader refuses (``src/llama-grammar.cpp``,
November 2026): names of letters, digits and dashes; no left recursion; 2,000 repetitions and more are not counted.
"""

from __future__ import annotations

from typing import Final

from maskwright.constraint import Constraint
from maskwright.errors import PolicyError, Problem, UnsupportedError
from maskwright.exports.expressions import Expression
from maskwright.exports.nodes import Nodes, names_of
from maskwright.exports.rules import Rules
from maskwright.limits import Limits
from maskwright.network.lexeme import ANY_CHARACTER, MAX_CODE_POINT

__all__ = ["to_gbnf"]

_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
#: Characters that mean something in brackets, beside those above.
_SPECIAL: Final = "]^["
_DASH: Final = 0x2D
_COUNTERS: Final = "fewer or smaller bounds, keys in declared order, or raise Limits.emptiness_states"
_CONTEXTUAL: Final = 'lexer="exact": what a contextual lexer does in a recursive grammar is more than rules can say'
_COMMENT: Final = 110
_WIDTH: Final = 100


def to_gbnf(constraint: Constraint, *, repeats: str = "refused", limits: Limits | None = None) -> str:
    """A constraint as a GBNF grammar that accepts the same texts.

    A grammar remembers nothing of what was written, so it cannot ask for keys that nobody names to differ (an object
    that is not closed), nor for elements to (``uniqueItems``). ``repeats="allowed"`` writes such a constraint all the
    same, without that; the grammar's first lines then say so. A counter takes rules, sets of keys in any order take
    exponentially many.

    Args:
        constraint: What to write. ``escapes="minimal"`` gives a JSON Schema's grammar that a person can read.
        repeats: ``"refused"`` or ``"allowed"``.
        limits: ``emptiness_states`` is the most rules and ``compile_seconds`` the most time; by default those of the
            constraint.

    Raises:
        UnsupportedError: it cannot be written; with the reason and the place in words.
        LimitError: it takes too long.
        PolicyError: an argument has no meaning.
    """
    if not isinstance(constraint, Constraint):
        raise PolicyError(f"to_gbnf() takes a Constraint, not {type(constraint).__name__}")
    if repeats not in ("refused", "allowed"):
        raise PolicyError(f"repeats must be 'refused' or 'allowed', not {repeats!r}")
    if constraint.prefix:
        reason = "the output goes on with a text that is there already, which a grammar does not know"
        raise UnsupportedError(Problem(reason, keyword="prefix", remedy="export it without a prefix"))
    limits = constraint.limits if limits is None else limits
    is_contextual = constraint.policies.get("lexer") == "contextual"
    rules = Rules(limits.emptiness_states, _CONTEXTUAL if is_contextual else _COUNTERS)
    nodes = Nodes(constraint.network, rules, limits, repeats=repeats == "allowed")
    root = nodes.write()
    kept = rules.tidy(root)
    names = names_of([(rule, rules.titles[rule]) for rule in kept], root)
    lines = [f"# Allowed here, unlike in the constraint: {what}." for what in nodes.weakened]
    for rule in kept:
        note = rules.notes.get(rule)
        if note is not None:
            lines.append(f"# {_comment(note)}")
        lines.append(f"{names[rule]} ::= {_body(rules.bodies[rule], names)}")
    return "\n".join(lines) + "\n"


def _comment(words: str) -> str:
    """A description on one line, whatever it holds."""
    plain = "".join(c if c.isprintable() else " " for c in words)
    return plain if len(plain) <= _COMMENT else plain[: _COMMENT - 3] + "..."


def _body(expression: Expression, names: dict[int, str]) -> str:
    if expression.kind != "choice" or expression.size <= _WIDTH:
        return _draw(expression, names)
    return " |\n    ".join(_draw(part, names) for part in expression.parts)


def _draw(expression: Expression, names: dict[int, str]) -> str:
    """An expression in the notation; no deeper than expressions are."""
    match expression.kind:
        case "literal":
            return '"' + "".join(_character(c, '"') for c in expression.text) + '"'
        case "class":
            return _class(expression.ranges)
        case "control":
            return expression.text
        case "rule":
            return names[expression.rule]
        case "sequence":
            return " ".join(_atom(part, names, "choice") for part in expression.parts) or '""'
        case "choice":
            return " | ".join(_draw(part, names) for part in expression.parts)
    part = _atom(expression.parts[0], names, "choice", "sequence", "repeat")
    return part + _counts(expression.least, expression.most)


def _atom(expression: Expression, names: dict[int, str], *grouped: str) -> str:
    drawn = _draw(expression, names)
    return f"({drawn})" if expression.kind in grouped else drawn


def _counts(least: int, most: int | None) -> str:
    known = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    if known is not None:
        return known
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    if ranges == ANY_CHARACTER.args[0]:
        return "."
    others = _others(ranges)
    sign, shown = ("^", others) if len(others) < len(ranges) else ("", ranges)
    # A dash stands for itself at the end: some readers take an escaped one for that of a range.
    pieces = [piece for low, high in shown for piece in ((low, min(high, _DASH - 1)), (max(low, _DASH + 1), high))]
    dash = "-" if any(low <= _DASH <= high for low, high in shown) else ""
    return f"[{sign}{''.join(_range(low, high) for low, high in pieces if low <= high)}{dash}]"


def _others(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """The characters outside of ascending ranges; surrogates, which come in no text, count as either."""
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in (*ranges, (MAX_CODE_POINT + 1, MAX_CODE_POINT + 1)):
        if start < low and (start, low - 1) != (0xD800, 0xDFFF):
            found.append((start, low - 1))
        start = high + 1
    return tuple(found)


def _range(low: int, high: int) -> str:
    first, last = _character(chr(low), _SPECIAL), _character(chr(high), _SPECIAL)
    if low == high:
        return first
    return first + last if high == low + 1 else f"{first}-{last}"


def _character(character: str, special: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable() and character not in special:
        return character
    if character in '"[]':
        return "\\" + character
    point = ord(character)
    for digits, letter in ((2, "x"), (4, "u")):
        if point < 16**digits:
            return f"\\{letter}{point:0{digits}X}"
    return f"\\U{point:08X}"

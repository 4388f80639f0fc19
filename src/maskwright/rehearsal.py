"""Rehearsal: what nearly every JSON Schema needs of a vocabulary, learned when the vocabulary is first used.

String bodies, escapes, numbers, literals, whitespace and the common formats are the same lexemes in every schema. Their
states, rows and profiles are shared, so a few small outputs written once spare the first real schemas their cost:
without it the first mask with a number in it took 4 ms, with it 10 us (Llama 3).
"""

from __future__ import annotations

from typing import Any, Final

from maskwright.constraint import Constraint, json_schema
from maskwright.limits import Limits

__all__ = ["rehearsals"]

_VALUES: Final = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "short": {"type": "string", "minLength": 1, "maxLength": 64},
        "whole": {"type": "integer"},
        "count": {"type": "integer", "minimum": 0},
        "number": {"type": "number"},
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}},
    },
}
#: Schemas, each with an output that passes its lexemes.
_OUTPUTS: Final[tuple[tuple[dict[str, Any], bytes], ...]] = (
    (
        _VALUES,
        (
            b'{"text": "two words\\n", "short": "ab", "whole": 120, "count": 34, "number": 2.5, "flag": true, '
            b'"list": ["one", "two"], "other": [{"more": null}, 12.75, "text", false]}'
        ),
    ),
    ({"type": "array", "items": {"type": "object", "additionalProperties": False}}, b"[{}, {}]"),
    ({"type": "string", "format": "date-time"}, b'"2024-01-02T03:04:05Z"'),
    ({"type": "string", "format": "date"}, b'"2024-02-29"'),
    ({"type": "string", "format": "uri"}, b'"https://www.example.com/path?query#part"'),
    ({"type": "string", "format": "email"}, b'"some.one@example.com"'),
    ({"type": "string", "format": "uuid"}, b'"123e4567-e89b-12d3-a456-426614174000"'),
)


def rehearsals(limits: Limits) -> list[tuple[Constraint, bytes]]:
    """Constraints and the outputs to write of them."""
    return [(json_schema(schema, limits=limits), output) for schema, output in _OUTPUTS]

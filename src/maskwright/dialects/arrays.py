"""Arrays in a dialect: tuples and items of several schemas met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from maskwright.dialects.constants import json_key
from maskwright.dialects.findings import Effect, Written
from maskwright.dialects.gathering import Part
from maskwright.dialects.steps import Steps
from maskwright.schema.references import Subschema

if TYPE_CHECKING:
    from maskwright.dialects.leaves import Leaf

__all__ = ["array_schema"]

Schema = dict[str, Any]
_BESIDE: Final = ("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems")


def _rows(here: Subschema, own: dict[str, Any], leaf: Leaf) -> tuple[list[Subschema], Subschema | None]:
    """The schemas of the first items of one schema, and of those that follow; ``None``: any item."""
    document, items = leaf.engine.taken.document, own.get("items")
    if isinstance(items, list):
        name, rest = "items", "additionalItems"
        first = items
    else:
        name, rest = "prefixItems", "items"
        first = own.get("prefixItems", [])
    rows = [document.child(here, one, name, index) for index, one in enumerate(first)]
    return rows, document.child(here, own[rest], rest) if rest in own else None


def array_schema(leaf: Leaf) -> Steps[Schema | None]:
    """The keywords of an array (with its type, where objects are closed); ``None`` if there is none."""
    meeting, engine, dialect = leaf.meeting, leaf.engine, leaf.dialect
    found = [_rows(here, own, leaf) for here, own in meeting.facts]
    length = max((len(rows) for rows, _ in found), default=0)
    columns: list[tuple[Part, ...]] = [
        tuple((here, False) for rows, rest in found if (here := rows[i] if i < len(rows) else rest) is not None)
        for i in range(length)
    ]
    others = tuple((rest, False) for _, rest in found if rest is not None)
    is_open = not others or all(rest.value is True for rest, _ in others)
    made: Schema = {"type": "array"} if dialect.closed else {}
    first: list[Written] = []
    for column in columns:
        one = yield engine.schema(column, f"{meeting.place}/items")
        first.append(one)
    if False in first:
        _cap(leaf, first.index(False))
        first, others, is_open = first[: first.index(False)], (), False
        rest: Written = False
    elif is_open and not dialect.item_schemas:
        rest = True
    else:
        rest = True if is_open and length else (yield engine.schema(others, f"{meeting.place}/items"))
    more = _tuple(leaf, first, rest) if first else _items(leaf, rest)
    if more is None:
        return None
    made |= more
    for keyword in _BESIDE:
        if keyword in meeting.keywords and leaf.keeps(keyword):
            made[keyword] = meeting.keywords[keyword][0]
    if "maxItems" in made and made.get("minItems", 0) > made["maxItems"]:
        return None
    return made


def _cap(leaf: Leaf, most: int) -> None:
    """The item after the first ``most`` is impossible."""
    place = leaf.meeting.place
    leaf.engine.note(
        place, "items", "changed", f"there are at most {most} items, since the next is impossible", "equal"
    )


def _items(leaf: Leaf, rest: Written) -> Schema | None:
    """Items that are all alike."""
    if rest is True:
        return {}
    if rest is not False or not leaf.dialect.closed:
        return {"items": rest}
    place = leaf.meeting.place
    if leaf.dialect.accepts("maxItems"):
        leaf.meeting.keywords["maxItems"] = (0, leaf.meeting.facts[0][0])
        leaf.engine.note(
            place, "items", "changed", "no item is possible, so at most 0 are", "equal", why="items is a schema"
        )
        return {"items": {"type": "null"}}
    leaf.engine.note(place, "items", "dropped", "the empty array is refused", "narrower", why="items is a schema")
    return None


def _tuple(leaf: Leaf, first: list[Written], rest: Written) -> Schema:
    """Items that differ by place."""
    place, dialect, note = leaf.meeting.place, leaf.dialect, leaf.engine.note
    if dialect.accepts("prefixItems"):
        if not dialect.closed_tuples:
            return {"prefixItems": first} | ({} if rest is True else {"items": rest})
        if rest is not False:
            what = f"arrays have at most {len(first)} items"
            note(place, "items", "changed", what, "narrower", why=str(dialect.closed_tuples))
        return {"prefixItems": first, "items": False}
    kinds = list({json_key(one): one for one in [*first, *([] if isinstance(rest, bool) else [rest])]}.values())
    effect: Effect = "wider" if len(kinds) > 1 else "equal"
    note(place, "prefixItems", "changed", "every item may be as any item of the tuple", effect)
    if rest is True:
        note(
            place,
            "items",
            "changed",
            "further items are as those of the tuple",
            "narrower",
            why=str(dialect.item_schemas),
        )
    if rest is False:
        before = leaf.meeting.keywords.get("maxItems")
        if before is None or before[0] > len(first):
            leaf.meeting.keywords["maxItems"] = (len(first), leaf.meeting.facts[0][0])
    flat = [
        branch
        for one in kinds
        for branch in (one["anyOf"] if isinstance(one, dict) and set(one) == {"anyOf"} else [one])
    ]
    return {"items": flat[0] if len(flat) == 1 else {"anyOf": flat}}

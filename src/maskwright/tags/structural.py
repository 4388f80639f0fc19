"""Structural tags: free text and constrained parts, as xgrammar, vLLM and SGLang write them in requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from maskwright.constraint import Constraint, frozen
from maskwright.errors import ConstraintError, excerpt, label
from maskwright.limits import DEFAULT_LIMITS, Limits, check_limits
from maskwright.notations import ebnf, gbnf, lark
from maskwright.schema.document import read_json
from maskwright.schema.python_types import is_python_type, schema_of
from maskwright.tags.network import Tree
from maskwright.tags.parsing_tags import tag_reading
from maskwright.tags.structural_nodes import Fields, Kind, Nodes, fault
from maskwright.tags.structural_parts import PARTS, grammar_kind
from maskwright.tags.structural_tags import TAGS

__all__ = ["structural_tag"]

_GRAMMAR: Final = grammar_kind({"ebnf": ebnf, "gbnf": gbnf, "lark": lark})
_KINDS: Final[dict[str, Kind]] = dict(sorted({**PARTS, **TAGS, "grammar": _GRAMMAR}.items()))


def structural_tag(source: object, *, limits: Limits = DEFAULT_LIMITS, **policies: Any) -> Constraint:
    """Texts of a structural tag.

    Args:
        source: ``{"type": "structural_tag", "format": {..}}``, a format alone, or the older
            ``{"structures": [{"begin", "schema", "end"}], "triggers": [..]}``; as JSON text or as parsed JSON.
        limits: Caps on sizes, depths and times.
        **policies: Those of :func:`maskwright.json_schema`, for the schemas in it.

    Free text never holds a trigger, and text in front of the end of a tag never holds that end; both are met wherever
    tokens begin. What looks like the name of a control token (``<|tool_call|>``, ``[ARGS]``) in a trigger, a beginning
    or an end is the token itself where the vocabulary has one of that name, and otherwise its text.

    Raises:
        SchemaError: what is no structural tag, with a JSON pointer; triggers and tags that do not fit together.
        UnsupportedError: a field that is not enforced.
        ConstraintError: what schemas, patterns and grammars in it raise, with the pointer to them.
    """
    check_limits(limits)
    source = source if isinstance(source, (str, bytes)) else frozen(source)
    given = read_json(source, limits) if isinstance(source, (str, bytes)) else source
    wanted, place = _format(given)
    tree = Tree()
    nodes = Nodes(tree, _KINDS, limits, policies)
    try:
        root = nodes.make(wanted, place)
    except ConstraintError as error:
        if wanted is given or place != "#":
            raise
        raise type(error)(*(replace(one, place=_legacy_place(one.place)) for one in error.problems)) from error
    return Constraint(
        "structural_tag",
        tree.finish(root),
        rebuild=partial(structural_tag, source, limits=limits, **policies),
        limits=limits,
        policies=policies,
        warnings=nodes.warnings,
        reading=tag_reading(wanted) if isinstance(wanted, Mapping) else None,
    )


def _format(given: object) -> tuple[object, str]:
    """The format of a structural tag, and its place."""
    if not isinstance(given, Mapping):
        raise fault("#", f"a structural tag is an object, not {excerpt(given)}")
    is_older = "structures" in given or "triggers" in given
    if given.get("type", "structural_tag" if is_older else None) != "structural_tag":
        return given, "#"
    if is_older:
        return _from_legacy(given), "#"
    if "format" not in given:
        raise fault("#/format", "a structural tag has a format, or structures and triggers", keyword="format")
    unknown = [label(name) for name in given if name not in ("type", "format")]
    if unknown:
        raise fault(f"#/{unknown[0]}", f"unknown field {excerpt(unknown[0])}", keyword=unknown[0])
    return given["format"], "#/format"


def _legacy_place(place: str) -> str:
    """A place in what an older form was turned into, as a place in that form."""
    place = re.sub(r"^#/tags/(\d+)/content/json_schema", r"#/structures/\1/schema", place)
    return re.sub(r"^#/tags/(\d+)", r"#/structures/\1", place)


def _from_legacy(given: Mapping[str, Any]) -> dict[str, Any]:
    fields = Fields(given, "#", DEFAULT_LIMITS)
    for name in given:
        if name not in ("type", "structures", "triggers"):
            raise fields.fault(
                label(name), f"unknown field {excerpt(name)}", remedy="there are structures and triggers"
            )
    tags: list[dict[str, Any]] = []
    for i, structure in enumerate(fields.items("structures", least=1)):
        if not isinstance(structure, Mapping) or set(structure) != {"begin", "schema", "end"}:
            raise fields.fault("structures", "a structure has begin, schema and end", i)
        schema = structure["schema"]
        if is_python_type(schema):
            schema = schema_of(schema)
        content = {"type": "json_schema", "json_schema": schema}
        tags.append({"begin": structure["begin"], "content": content, "end": structure["end"]})
    return {"type": "triggered_tags", "triggers": given.get("triggers", ()), "tags": tags}

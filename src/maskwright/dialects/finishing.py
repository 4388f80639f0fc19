"""The last steps of a rewriting: definitions in place, the root wrapped, deep parts moved out, branches grouped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maskwright.dialects.constants import constants_of, json_key
from maskwright.dialects.dialect import Dialect
from maskwright.dialects.findings import Written
from maskwright.dialects.rewriter import Rewriter
from maskwright.dialects.texts import json_text

__all__ = ["assemble", "members", "parts_of"]

Schema = dict[str, Any]
_MAPS: Final = ("properties", "patternProperties")
_ANNOTATIONS: Final = (frozenset({"$comment", "title", "default", "examples"}), frozenset({"description"}))
_SINGLES: Final = ("additionalProperties", "items", "propertyNames")


def members(schema: Schema) -> Iterator[tuple[dict[str, Any] | list[Any], Any, int]]:
    """Every place of a subschema of a rewritten schema: its holder, its key there, the steps of nesting to it."""
    for keyword in _SINGLES:
        if isinstance(schema.get(keyword), dict):
            yield schema, keyword, 1
    for keyword in _MAPS:
        for name in schema.get(keyword, ()):
            yield schema[keyword], name, 1
    for keyword, levels in (("prefixItems", 1), ("anyOf", 0)):
        for index in range(len(schema.get(keyword, ()))):
            yield schema[keyword], index, levels


def parts_of(root: Any) -> Iterator[Schema]:
    """A rewritten schema and all subschemas, definitions left out. Iterative."""
    todo = [root]
    while todo:
        schema = todo.pop()
        if isinstance(schema, dict):
            yield schema
            todo += [holder[key] for holder, key, _ in reversed(list(members(schema)))]


def assemble(rewriter: Rewriter, root: Written) -> tuple[Written, str | None]:
    """The whole document, and the key under which the root was put if it had to be wrapped."""
    dialect, definitions = rewriter.dialect, rewriter.definitions
    if root is False:
        return False, None
    schema = root if isinstance(root, dict) else {}
    wrapped = None
    if dialect.object_root and (schema.get("type") != "object" or "anyOf" in schema):
        wrapped = "value"
        aside = {name: schema[name] for name in ("$schema",) if name in schema}
        rest = {name: value for name, value in schema.items() if name not in aside}
        schema = {**aside, "type": "object", "properties": {wrapped: rest}, "required": [wrapped]}
        schema["additionalProperties"] = False
        what = f"it is the property {wrapped!r} of an object"
        rewriter.note("#", "type", "changed", what, "equal", why=str(dialect.object_root))
    elif _accepts_root(dialect) and rewriter.root_name in definitions:
        _redirect([schema, *definitions.values()], f"#/$defs/{rewriter.root_name}", "#")
        del definitions[rewriter.root_name or ""]
    _flatten(rewriter, schema)
    for part in [schema, *definitions.values()]:
        _group_branches(rewriter, part)
        _turn_keys(rewriter, part)
    whole = {**schema, "$defs": definitions} if definitions else schema
    _shorten(rewriter, whole)
    return whole, wrapped


def _shorten(rewriter: Rewriter, whole: Schema) -> None:
    """Where the text is too long, give up annotations: those that help a model least first."""
    limit = rewriter.dialect.limit("text")
    for names in _ANNOTATIONS if limit else ():
        if limit is None or len(json_text(whole)) <= limit.most:
            return
        for part in [whole, *whole.get("$defs", {}).values()]:
            for schema in parts_of(part):
                for name in names & schema.keys():
                    del schema[name]
                    what = f"every `{name}` is dropped to shorten the text"
                    rewriter.note("#", name, "dropped", what, "equal", why=str(limit.rule))


def _accepts_root(dialect: Dialect) -> bool:
    return dialect.references is None or "#" in dialect.references


def _redirect(parts: list[Any], old: str, new: str) -> None:
    for part in parts:
        for schema in parts_of(part):
            if schema.get("$ref") == old:
                schema["$ref"] = new


def _flatten(rewriter: Rewriter, root: Schema) -> None:
    """Move what nests too deeply into definitions, where references are not followed when levels are counted."""
    limit = rewriter.dialect.limit("level")
    if limit is None or rewriter.dialect.no_recursion:
        return
    waiting = [root, *rewriter.definitions.values()]
    while waiting:
        todo = [(waiting.pop(), 0)]
        while todo:
            schema, level = todo.pop()
            for holder, key, levels in members(schema) if isinstance(schema, dict) else ():
                below = holder[key]
                if level + levels == limit.most and isinstance(below, dict) and any(True for _ in members(below)):
                    name = next(f"deep_{n}" for n in range(1, len(rewriter.definitions) + 2) if _is_free(rewriter, n))
                    rewriter.definitions[name] = below
                    holder[key] = {"$ref": f"#/$defs/{name}"}
                    waiting.append(below)
                    rewriter.note(
                        "#",
                        "",
                        "changed",
                        f"what is {limit.most} levels deep is a definition",
                        "equal",
                        why=str(limit.rule),
                    )
                else:
                    todo.append((below, level + levels))


def _is_free(rewriter: Rewriter, number: int) -> bool:
    return f"deep_{number}" not in rewriter.definitions


def _group_branches(rewriter: Rewriter, part: Any) -> None:
    """Branches beyond the limit become groups of branches."""
    limit = rewriter.dialect.limit("branches")
    for schema in parts_of(part) if limit else ():
        while limit and len(schema.get("anyOf", ())) > limit.most:
            branches, size = schema["anyOf"], limit.most
            groups = [branches[at : at + size] for at in range(0, len(branches), size)]
            schema["anyOf"] = [group[0] if len(group) == 1 else {"anyOf": group} for group in groups]
            rewriter.note("#", "anyOf", "changed", "the branches are in groups", "equal", why=str(limit.rule))


def _turn_keys(rewriter: Rewriter, part: Any) -> None:
    """Objects of one ``anyOf`` get different first keys, as far as a key of each is at hand."""
    rule = rewriter.dialect.first_keys
    for schema in parts_of(part) if rule else ():
        first: dict[str, list[Any]] = {}
        for branch in schema.get("anyOf", ()):
            known = _definition(rewriter, branch)
            names = list(known.get("properties", ()))
            if not names:
                continue
            chosen = next((name for name in names if _is_new(name, known["properties"][name], first)), names[0])
            if chosen != names[0] and branch is known:
                properties = branch["properties"]
                branch["required"] = [chosen, *(name for name in branch["required"] if name != chosen)]
                rest = {name: properties.pop(name) for name in names if name != chosen}
                properties.update(rest)
                what = f"the key {chosen!r} comes first"
                rewriter.note("#", "anyOf", "changed", what, "equal", why=str(rule))
            name = next(iter(known["properties"]))
            first.setdefault(name, []).append(constants_of(known["properties"][name]))


def _is_new(name: str, schema: Any, first: dict[str, list[Any]]) -> bool:
    """Whether no branch before begins with the key, or only with other constants under it."""
    constants = constants_of(schema)
    known = {json_key(value) for values in first.get(name, ()) for value in values or ()}
    free = all(values is not None for values in first.get(name, ()))
    return name not in first or (constants is not None and free and known.isdisjoint(map(json_key, constants)))


def _definition(rewriter: Rewriter, branch: Any) -> Schema:
    """The schema that a branch is, or refers to."""
    reference = branch.get("$ref") if isinstance(branch, dict) else None
    found = rewriter.definitions.get(str(reference).removeprefix("#/$defs/")) if reference else branch
    return found if isinstance(found, dict) else {}

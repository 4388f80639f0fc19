"""Taking a schema in: JSON text or Python values become a tree of their own, every subschema known and well-formed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from maskwright.errors import ConstraintError, LimitError, Problem, SchemaError, UnsupportedError
from maskwright.limits import Limits
from maskwright.schema.document import exact_number, is_number, json_kind, read_json
from maskwright.schema.drafts import LATEST
from maskwright.schema.references import Document, Subschema

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["DEFINITIONS", "MEMBERS", "Taken", "below", "take", "target"]

_SINGLES: Final = (
    "additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
DEFINITIONS: Final = ("$defs", "definitions")
#: Keywords whose subschemas describe members of a value, not the value itself.
MEMBERS: Final = frozenset(
    {
        "additionalItems", "additionalProperties", "contains", "items", "patternProperties", "prefixItems",
        "properties", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip


class Taken:
    """A schema document: all its subschemas, and where its references lead."""

    def __init__(self, document: Document, source: Any) -> None:
        """Nothing is visited yet."""
        self.document = document
        #: The value as it was written; subschemas of draft 3 are read in other words.
        self.source = source
        #: Every subschema with the keyword that holds it (``""``: the root or what only a reference reaches).
        self.nodes: list[tuple[str, Subschema]] = []
        #: By the subschema that refers; ``None``: the document is not at hand.
        self.targets: dict[Subschema, Subschema | None] = {}

    @property
    def root(self) -> Subschema:
        """The schema itself."""
        return self.document.root


def take(source: object, limits: Limits, registry: Registry[Any] | None = None) -> Taken:
    """Read a schema given as JSON text (``str``, ``bytes``) or as Python values, which are copied.

    Raises :class:`maskwright.errors.SchemaError` with every malformed keyword, for what is no JSON and for values that
    contain themselves, and :class:`maskwright.errors.LimitError` beyond ``schema_depth`` and ``subschemas``.
    """
    value = read_json(source, limits) if isinstance(source, (str, bytes)) else _copied(source, limits)
    taken = Taken(Document(value, registry), value)
    problems: list[Problem] = []
    todo = [("", taken.root)]
    seen: set[Subschema] = set()
    while todo:
        keyword, here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        if len(seen) > limits.subschemas:
            raise LimitError(Problem("the schema has too many subschemas", "", "", "see Limits.subschemas"))
        taken.nodes.append((keyword, here))
        faults = list(_faults(here))
        problems += faults
        if isinstance(here.value, dict) and not faults:
            todo += [*_followed(taken, here, problems), *reversed(list(below(taken.document, here)))]
    if problems:
        raise SchemaError(*problems)
    return taken


def target(taken: Taken, here: Subschema) -> Subschema | None:
    """Where the ``$ref`` of a subschema leads; ``None`` if that document is not at hand."""
    return taken.targets.get(here)


def _followed(taken: Taken, here: Subschema, problems: list[Problem]) -> Iterator[tuple[str, Subschema]]:
    """The target of a reference; it is visited too, wherever it stands."""
    if "$ref" not in here.value:
        return
    try:
        found = taken.targets[here] = taken.document.resolve(here, here.value["$ref"])
        yield "", found
    except UnsupportedError:
        taken.targets[here] = None
    except ConstraintError as error:
        problems += error.problems


def _faults(here: Subschema) -> Iterator[Problem]:
    """The keywords whose values have not the form that the draft demands."""
    value, draft = here.value, here.resource.draft
    if not isinstance(value, dict):
        if not isinstance(value, bool):
            yield Problem(f"a schema is an object or a boolean, not {json_kind(value)}", here.place)
        return
    for name, given in value.items():
        keyword = draft.keywords.get(name)
        is_map = name in DEFINITIONS or (keyword is None and name in _MAPS and name in LATEST.keywords)
        if draft.lone_reference and "$ref" in value and name not in ("$ref", *DEFINITIONS):
            continue
        if (keyword is not None and not keyword.check(given)) or (is_map and not isinstance(given, dict)):
            form = "an object of schemas" if keyword is None else keyword.form
            yield Problem(f"{name} must be {form}, not {json_kind(given)}", f"{here.place}/{name}", name)


def below(document: Document, here: Subschema) -> Iterator[tuple[str, Subschema]]:
    """The subschemas one level below, each with its keyword; a draft's unknown keywords hold none."""
    value, draft = here.value, here.resource.draft
    hidden = draft.lone_reference and "$ref" in value
    for name, given in value.items():
        if name not in DEFINITIONS and (hidden or name not in draft.keywords):
            continue
        if name in _SINGLES or (name == "items" and not isinstance(given, list)):
            yield name, document.child(here, given, name)
        elif name in _LISTS or name == "items":
            yield from ((name, document.child(here, one, name, index)) for index, one in enumerate(given))
        elif name in _MAPS:
            yield from (
                (name, document.child(here, one, name, key)) for key, one in given.items() if not isinstance(one, list)
            )


def _copied(source: object, limits: Limits) -> object:
    """A tree of lists and dictionaries that shares nothing with the source."""
    result: list[Any] = [None]
    #: (value, place to put its copy, key there, depth); a leave mark has the id of a value whose members are done.
    todo: list[tuple[Any, Any, Any, int]] = [(source, result, 0, 0)]
    above: set[int] = set()
    count = 0
    while todo:
        value, holder, key, depth = todo.pop()
        if depth < 0:
            above.discard(key)
            continue
        count += 1
        if depth > limits.schema_depth or count > limits.subschemas:
            remedy = f"Limits.schema_depth is {limits.schema_depth}, Limits.subschemas {limits.subschemas}"
            raise LimitError(Problem("the schema nests too deeply or is too large", remedy=remedy))
        if isinstance(value, (dict, list)):
            if id(value) in above:
                raise SchemaError(Problem("the schema contains itself", remedy="use $ref"))
            above.add(id(value))
            todo.append((None, None, id(value), -1))
        if isinstance(value, dict):
            odd = [name for name in value if not isinstance(name, str)]
            if odd:
                raise SchemaError(Problem(f"the key {odd[0]!r} is no text"))
            holder[key] = copy = dict.fromkeys(value)
            todo += [(value[name], copy, name, depth + 1) for name in reversed(value)]
        elif isinstance(value, list):
            holder[key] = row = [None] * len(value)
            todo += [(value[index], row, index, depth + 1) for index in reversed(range(len(value)))]
        else:
            holder[key] = _scalar(value)
    return result[0]


def _scalar(value: object) -> object:
    if is_number(value):
        exact_number(value)
    elif value is not None and not isinstance(value, (bool, str)):
        raise SchemaError(
            Problem(f"{json_kind(value)} is no JSON", remedy="use dict, list, str, int, float, bool, None")
        )
    return value

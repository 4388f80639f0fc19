"""``rewrite``: a schema inside a dialect, and everything that was dropped or changed on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maskwright.dialects.checking import find
from maskwright.dialects.findings import Change, Finding
from maskwright.dialects.finishing import assemble, members
from maskwright.dialects.intake import take
from maskwright.dialects.rewriter import Rewriter
from maskwright.dialects.rules import step
from maskwright.dialects.table import find_dialect
from maskwright.dialects.unwrapping import restore
from maskwright.errors import PolicyError, Problem, SchemaError
from maskwright.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["Rewriting", "rewrite"]


@dataclass(frozen=True)
class Rewriting:
    """A schema for a provider, and what must be known to use it in place of the original."""

    #: The name of the dialect.
    dialect: str
    #: The schema to send; ``False`` if the dialect can express no value of the original.
    schema: dict[str, Any] | bool
    #: Every difference, in the order in which it was made.
    changes: tuple[Change, ...]
    #: What the dialect would still refuse in :attr:`schema`; empty if it is accepted.
    unmendable: tuple[Finding, ...] = ()
    #: Place of an object in :attr:`schema` -> its properties that are null where the original leaves them out.
    absent: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: The key under which the original's value is, if the root had to be wrapped.
    wrapped: str | None = None

    @property
    def is_wider(self) -> bool:
        """Whether values may be accepted that the original refuses: then validate with the original."""
        return any(change.effect == "wider" for change in self.changes)

    @property
    def is_narrower(self) -> bool:
        """Whether values of the original can no longer be written."""
        return any(change.effect == "narrower" for change in self.changes)

    def unwrap(self, value: Any) -> Any:
        """A value of :attr:`schema` in the shape of the original: unwrapped, without nulls for absent properties.

        The value must be valid for :attr:`schema`; if no change is wider, the result is valid for the original (as far
        as alternatives that differ in ``format`` alone are not confused). Time grows with the value and the branches
        of alternatives.

        Raises:
            PolicyError: the root was wrapped, and the value is not an object with that key.

        """
        whole = restore(value, self.schema, self.absent) if self.absent else value
        if self.wrapped is None:
            return whole
        if not isinstance(whole, dict) or self.wrapped not in whole:
            raise PolicyError(f"a value of the rewritten schema is an object with the key {self.wrapped!r}")
        return whole[self.wrapped]


def rewrite(
    source: object,
    dialect: str,
    *,
    describe: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    registry: Registry[Any] | None = None,
) -> Rewriting:
    """Rewrite a schema so that a dialect accepts it; a schema that it accepts already is left as it is.

    Optional properties become required and nullable where the dialect demands it, objects are closed, ``oneOf``
    becomes ``anyOf``, ``allOf`` is merged, ``const`` is an enum, a root that is no object is put into one, and keywords
    that are not supported are dropped; ``describe`` says those in words in ``description``. The other arguments are
    those of :func:`maskwright.dialects.check`.

    Raises:
        PolicyError: no dialect has this name.
        SchemaError: the source is not JSON or not a schema.
        LimitError: it, or what it becomes, is larger than ``limits`` allow.

    """
    found = find_dialect(dialect)
    taken = take(source, limits, registry)
    if next(find(taken, found), None) is None:
        return Rewriting(found.name, taken.source, ())
    rewriter = Rewriter(taken, found, limits, describe=describe)
    schema, wrapped = assemble(rewriter, rewriter.rewrite())
    if schema is False:
        rule = found.typed or found.closed
        left = (
            [Finding(found.name, "#", "", "no value of the schema can be expressed", rule, "change it")] if rule else []
        )
        return Rewriting(found.name, False, rewriter.changes, (*rewriter.unmendable, *left))
    try:
        left = list(find(take(schema, limits), found))
    except SchemaError as error:
        raise SchemaError(*(Problem(f"cannot be rewritten: {problem.reason}") for problem in error.problems)) from error
    absent = dict(_absent(rewriter, schema))
    return Rewriting(found.name, schema, rewriter.changes, (*rewriter.unmendable, *left), absent, wrapped)


def _absent(rewriter: Rewriter, root: Any) -> Any:
    """The places of the objects with properties that may be absent, in the finished schema."""
    todo = [("#", root), *((step("#/$defs", name), one) for name, one in root.get("$defs", {}).items())]
    while todo:
        place, schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        found = rewriter.absent.get(id(schema.get("properties")))
        if found is not None:
            yield place, frozenset(found[1])
        for holder, key, _ in members(schema):
            keyword = next((name for name, value in schema.items() if value is holder), None)
            below = f"{place}/{key}" if keyword is None else step(f"{place}/{keyword}", str(key))
            todo.append((below, holder[key]))

"""JSON Schema to a network of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from maskwright.errors import PolicyError, Problem, UnsatisfiableError, excerpt
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import NEVER, Term
from maskwright.network.nodes import NodeKey, Production
from maskwright.schema.arrays import Arrays
from maskwright.schema.describe import describe
from maskwright.schema.document import read_json
from maskwright.schema.layout import Whitespace
from maskwright.schema.liveness import Liveness
from maskwright.schema.members import Cell
from maskwright.schema.nodekeys import AT_ELEMENT, AT_KEY, AT_VALUE, AtElement, AtKey, AtMember, AtValue
from maskwright.schema.objects import Objects
from maskwright.schema.policies import Policies
from maskwright.schema.reader import Reader
from maskwright.schema.reasons import explain
from maskwright.schema.references import Document
from maskwright.schema.scan import scan
from maskwright.schema.seen import with_key
from maskwright.schema.stores import Stores
from maskwright.schema.symbols import Symbols
from maskwright.schema.wholes import Wholes

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["SchemaNetwork", "compile_schema"]


def _is_never(term: Term) -> bool:
    return term is NEVER


class SchemaNetwork:
    """The network of one schema: implements :class:`maskwright.network.nodes.Network`.

    Nodes are expanded on demand; a subschema is read when a value it applies to is reached, or when its being
    satisfiable decides whether a key may be written.
    """

    def __init__(
        self,
        document: Document,
        policies: Policies,
        warnings: tuple[Problem, ...] = (),
        *,
        is_empty: Callable[[Term], bool] = _is_never,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """``is_empty`` decides whether a text term holds no string; the default knows only ``NEVER``.

        Raises :class:`maskwright.errors.UnsatisfiableError` with the reason if no value meets the schema.
        """
        self._policies = policies
        self.warnings = warnings
        stores = self._stores = Stores(document, policies, is_empty, limits)
        self._begin = stores.budget.begin
        reader = Reader(stores)
        liveness = Liveness(stores, reader)
        symbols = Symbols(stores, reader)
        objects = self._objects = Objects(stores, liveness, symbols)
        arrays = self._arrays = Arrays(stores, liveness, symbols)
        #: By tag: see :mod:`maskwright.schema.nodekeys`.
        self._expanders: tuple[Callable[[Any], Iterable[Production]], ...] = (
            Wholes(stores.shapes, liveness, objects, arrays).at_value,
            objects.at_key,
            objects.at_member,
            objects.after_member,
            arrays.at_element,
            arrays.after_element,
        )
        value = stores.values.single(document.root)
        if not liveness.value(value):
            raise UnsatisfiableError(*explain(value, stores, reader, liveness))
        self._root = AtValue(AT_VALUE, reader.shape(value), 0)

    def __del__(self) -> None:
        """Undo the cycles among what is interned: a collector would pause for them in the middle of an output."""
        stores = getattr(self, "_stores", None)
        if stores is not None:
            stores.release()

    @property
    def policies(self) -> dict[str, object]:
        """Every policy with its value."""
        return self._policies.as_dict()

    @property
    def root(self) -> NodeKey:
        """The node of the whole value."""
        return self._root

    def expand(self, key: NodeKey) -> Iterable[Production]:
        """The productions of a node; a few microseconds, or the reading of the subschemas that it meets first."""
        self._begin()
        return self._expanders[cast("AtValue", key).tag](key)

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """The node after an unnamed key, which may not come again, or after an element, which must be told apart."""
        self._begin()
        if cast("AtElement", key).tag == AT_ELEMENT:
            return self._arrays.realize(cast("AtElement", key), text)
        member = cast("AtMember", key)
        cell = cast("Cell", member.cell)
        return member._replace(seen=with_key(member.seen, cell, text))

    def enough(self, key: NodeKey) -> int:
        """The words of a node's switch that suffice for a shortest text, as bits; 0 if all may be needed."""
        return self._objects.enough(cast("AtKey", key)) if cast("AtKey", key).tag == AT_KEY else 0

    def describe(self, key: NodeKey) -> str:
        """What is read at a node, in words."""
        return describe(cast("tuple[Any, ...]", key))


def compile_schema(
    schema: dict[str, Any] | bool | str | bytes,  # noqa: FBT001
    *,
    property_order: str = "declared",
    whitespace: str | Whitespace = "flexible",
    escapes: str = "all",
    digits: int | None = 40,
    numbers: str = "canonical",
    objects: str = "as written",
    formats: str = "assert",
    registry: Registry[Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    is_empty: Callable[[Term], bool] = _is_never,
) -> SchemaNetwork:
    """The network of a schema, given as parsed JSON or as JSON text; linear in the reachable part of the schema.

    Raises :class:`maskwright.errors.PolicyError` for arguments without a meaning, and of the constraint errors:
    ``SchemaError`` (not JSON, not a schema, dangling references), ``UnsupportedError`` (all keywords that are not
    enforced, at once), ``PatternError``, ``UnsatisfiableError`` and ``LimitError``.
    """
    policies = Policies(property_order, whitespace, escapes, digits, numbers, objects, formats)
    if registry is not None and not hasattr(registry, "get_or_retrieve"):
        raise PolicyError(f"registry must be a referencing.Registry or None, not {excerpt(registry)}")
    value = read_json(schema, limits) if isinstance(schema, (str, bytes)) else schema
    document = Document(value, registry)
    warnings = scan(document, policies, limits)
    return SchemaNetwork(document, policies, warnings, is_empty=is_empty, limits=limits)

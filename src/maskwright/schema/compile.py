"""JSON Schema to a network of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from maskwright.errors import PolicyError, Problem, UnsatisfiableError
from maskwright.limits import DEFAULT_LIMITS, Limits
from maskwright.network.lexeme import NEVER, Term
from maskwright.network.nodes import Call, Lex, NodeKey, Production
from maskwright.schema.arrays import Arrays
from maskwright.schema.describe import describe
from maskwright.schema.document import read_json
from maskwright.schema.layout import Whitespace
from maskwright.schema.liveness import Liveness
from maskwright.schema.nodekeys import AT_VALUE, AtMember, AtValue
from maskwright.schema.objects import Objects
from maskwright.schema.policies import Policies
from maskwright.schema.reader import Reader
from maskwright.schema.reasons import explain
from maskwright.schema.references import Document
from maskwright.schema.residual import FALSE
from maskwright.schema.scan import scan
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

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
        self._stores = Stores(document, policies, is_empty, limits)
        self._reader = Reader(self._stores)
        self._liveness = Liveness(self._stores, self._reader)
        self._objects = Objects(self._stores, self._liveness, self._symbol)
        self._arrays = Arrays(self._stores, self._liveness, self._symbol)
        #: By tag: see :mod:`maskwright.schema.nodekeys`.
        self._expanders: tuple[Callable[[Any], Iterable[Production]], ...] = (
            self._at_value,
            self._objects.at_key,
            self._objects.at_member,
            self._objects.after_member,
            self._arrays.at_element,
            self._arrays.after_element,
        )
        value = self._stores.values.single(document.root)
        if not self._liveness.value(value):
            raise UnsatisfiableError(*explain(value, self._stores, self._reader, self._liveness))
        self._root = AtValue(AT_VALUE, self._reader.shape(value), 0)

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
        return self._expanders[cast("AtValue", key).tag](key)

    def realize(self, key: NodeKey, text: str) -> NodeKey:
        """The node after an unnamed key with its text: that key may not come again."""
        member = cast("AtMember", key)
        return member._replace(seen=member.seen | {text})

    def describe(self, key: NodeKey) -> str:
        """What is read at a node, in words."""
        return describe(cast("tuple[Any, ...]", key))

    def _symbol(self, value: Value, level: int) -> Lex | Call:
        """How a value is read: scalars in place, others by a node."""
        shape = self._reader.shape(value)
        if shape.array is FALSE and shape.object is FALSE:
            return Lex(self._stores.shapes.scalar(shape))
        return Call(AtValue(AT_VALUE, shape, level))

    def _at_value(self, key: AtValue) -> Iterator[Production]:
        shape = key.shape
        term = self._stores.shapes.scalar(shape)
        if term is not NEVER:
            yield (Lex(term),)
        if self._liveness.has_object(shape):
            yield from self._objects.opened(shape.object, key.level)
        if self._liveness.has_array(shape):
            yield from self._arrays.opened(shape.array, key.level)


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
        raise PolicyError(f"registry must be a referencing.Registry or None, not {registry!r}")
    value = read_json(schema, limits) if isinstance(schema, (str, bytes)) else schema
    document = Document(value, registry)
    warnings = scan(document, policies, limits)
    return SchemaNetwork(document, policies, warnings, is_empty=is_empty, limits=limits)

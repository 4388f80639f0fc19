"""Blame: which keyword of the schema forbids a byte, and what to say of it.

The engine knows only that no valid text goes on with the byte. Of a scalar the keywords are tried one by one, each as a
schema of its own, with the same engine: those that refuse the value alone are to blame. Of objects and arrays it is
told by the byte: one that closes comes too early, one that goes on comes too late.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from maskwright.constraint import Constraint, json_schema
from maskwright.engine import Engine
from maskwright.errors import ConstraintError, UnsatisfiableError
from maskwright.schema.document import read_json, shown
from maskwright.schema.drafts import DRAFTS
from maskwright.schema.references import Document, Subschema
from maskwright.validation.place import BLANKS, Cursor, State
from maskwright.validation.reading import Reading, byte_engine
from maskwright.validation.schemas import Schemas, is_scoped, knows

__all__ = ["Blame", "Finding", "drawn", "pointer_step"]

_SCALAR: Final = (
    "type", "enum", "const", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "divisibleBy",
    "minLength", "maxLength", "pattern", "format",
)  # fmt: skip
#: Keywords that have no meaning without another.
_WITH: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_NOT_YET: Final = (
    "dependentRequired", "dependentSchemas", "dependencies", "contains", "minContains", "oneOf", "not", "if",
)  # fmt: skip
_NO_MORE: Final = {
    "object": ("maxProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "not", "oneOf", "if"),
    "array": ("maxItems", "items", "additionalItems", "unevaluatedItems", "maxContains", "not", "oneOf", "if"),
}
#: Keywords that look at a whole value, whatever it holds.
_WHOLE: Final = (
    "const", "enum", "not", "disallow", "oneOf", "if", "contains", "maxContains", "uniqueItems", "dependentSchemas",
    "dependencies",
)  # fmt: skip
_NOT_JSON: Final = "this is not JSON"
_NOT_UTF_8: Final = "this is not UTF-8"
_MARK: Final = "a JSON text begins with no byte order mark (RFC 8259 section 8.1)"
#: Policies under which every JSON text is read, but for keys that come twice.
_EXACT: Final = {"property_order": "any", "whitespace": "any", "numbers": "exact", "digits": None, "escapes": "all"}
#: Bytes after which a number or literal is over.
_STOPS: Final = frozenset(BLANKS + b",]}")
_BLANK: Final = tuple(bytes([byte]) for byte in BLANKS)
#: Keywords and bytes that are shown.
_LISTED: Final = 4
_WIDTH: Final = 40


class Finding(NamedTuple):
    """What is to be said of a wrong byte."""

    steps: tuple[str | int, ...]
    reason: str
    places: tuple[str, ...] = ()


class _Accused(NamedTuple):
    place: str
    words: str


class Blame:
    """Answers for one constraint of a JSON Schema."""

    def __init__(self, constraint: Constraint) -> None:
        """Read the schema that the constraint was built from."""
        rebuild: Any = constraint.__reduce__()[0]
        source, options = rebuild.args[0], dict(rebuild.keywords)
        value = read_json(source, constraint.limits) if isinstance(source, (str, bytes)) else source
        document = Document(value, options["registry"])
        if is_scoped(value):
            document.track_scopes()
        self._schemas = Schemas(document, self._finds)
        self._is_ordered = options["property_order"] == "declared"
        #: The policies that are stricter than JSON.
        self._strict = {name: options[name] for name, value in _EXACT.items() if options[name] != value}
        self._options = {**options, "property_order": "any", "whitespace": "any", "objects": "as written"}
        self._is_closed = options["objects"] == "closed"
        #: One engine for a keyword with its value; ``None`` if it allows nothing.
        self._engines: dict[tuple[str, bool], Engine | None] = {}

    def find(self, cursor: Cursor, byte: int | None, allowed: Collection[int]) -> Finding:
        """Why no valid text goes on with a byte after what the cursor has read; or ends there, for ``None``.

        ``allowed`` are the bytes with which one would go on.
        """
        state = cursor.state
        if cursor.offset == 0 and byte == 0xEF:
            return Finding((), _MARK)
        if byte is None and not (state is State.SCALAR and not cursor.literal and not cursor.path):
            return self._ending(cursor, allowed)
        opened = cursor.last in (b"{", b"[") and byte == (0x7D if cursor.last == b"{" else 0x5D)
        if state in (State.KEY, State.VALUE) and opened and not cursor.scalar:
            return self._too_early(cursor, 0)
        if state in (State.KEY, State.IN_KEY):
            return self._key(cursor, byte or 0)
        if state is State.AFTER_KEY:
            return Finding(cursor.value(), _NOT_JSON)
        can_stop = byte is not None and byte in _STOPS and not _STOPS.isdisjoint(allowed)
        if state is State.AFTER_VALUE or (state is State.SCALAR and not cursor.literal and can_stop):
            return self._after_value(cursor, byte or 0)
        return self._value(cursor, byte)

    def _ending(self, cursor: Cursor, allowed: Collection[int]) -> Finding:
        """The text may not end here; of an object or array that may not either is told why."""
        found = _ending(cursor)
        if not cursor.path or cursor.state is not State.AFTER_VALUE:
            return found
        is_object, count = _members(cursor)
        if (0x7D if is_object else 0x5D) in allowed:
            return found
        early = self._too_early(cursor, count)
        return early._replace(reason=f"{found.reason}; {early.reason}") if early.places else found

    def _value(self, cursor: Cursor, byte: int | None) -> Finding:
        is_closed = byte is None or (not cursor.literal and cursor.scalar != b"" and byte in _STOPS)
        fragment = cursor.scalar + (b"" if is_closed or byte is None else bytes([byte]))
        is_closed = is_closed or (byte == 0x22 and bool(cursor.literal) and not cursor.is_escaped)
        steps = cursor.value()
        if fragment[0] in BLANKS or self._refuses({}, fragment, is_closed=is_closed):
            return Finding(steps, self._spelling(fragment, is_closed=is_closed))
        schemas = self._schemas.at(steps)
        accused = list(self._keywords(schemas, fragment, is_closed=is_closed))
        what = f"the value {drawn(fragment)} does not meet" if is_closed else f"no value {_begins(fragment)} meets"
        if accused:
            return _finding(steps, what, accused)
        return self._repeated(cursor) or self._jointly(steps, schemas, what)

    def _repeated(self, cursor: Cursor) -> Finding | None:
        container = self._schemas.at(cursor.container()) if cursor.path else []
        places = tuple(f"{schema.place}/uniqueItems" for schema in container if _is_set(schema))
        reason = "the array holds this element already, and `uniqueItems` is true"
        return Finding(cursor.value(), reason, places) if places else None

    def _jointly(self, steps: tuple[str | int, ...], schemas: list[Subschema], what: str) -> Finding:
        """No keyword alone refuses a scalar: one of those that look at more, or several together."""
        known = [(schema, keyword) for schema in schemas for keyword in _SCALAR if knows(schema, keyword)]
        joint = [_Accused(f"{s.place}/{keyword}", f"`{keyword}`: {shown(s.value[keyword])}") for s, keyword in known]
        if len(joint) > 1 and not _whole(schemas):
            return _finding(steps, what, joint, "together")
        return self._told(steps, "no valid text goes on so", [])

    def _told(self, steps: tuple[str | int, ...], what: str, accused: list[_Accused]) -> Finding:
        """What is wrong with an array or object, or else which keywords look at it, or at what it stands in."""
        if accused:
            return _finding(steps, f"{what}:", accused)
        for size in range(len(steps), -1, -1):
            around = _whole(self._schemas.at(steps[:size]))
            if around:
                words = " or ".join(f"{one.words} ({one.place})" for one in around[:_LISTED])
                return Finding(steps, f"{what}: {words} forbids it", tuple(one.place for one in around))
        return Finding(steps, what)

    def _spelling(self, fragment: bytes, *, is_closed: bool) -> str:
        """Whether it is JSON, and only not spelled as the policies want it."""
        if fragment[:1] in _BLANK:
            return self._policies("whitespace")
        if self._refuses({}, fragment, is_closed=is_closed, is_exact=True):
            return _NOT_JSON if fragment[-1] < 0x80 else _NOT_UTF_8
        return self._policies(*(("escapes",) if fragment[:1] == b'"' else ("numbers", "digits")))

    def _policies(self, *names: str) -> str:
        strict = " and ".join(f"{name}={self._strict[name]!r}" for name in names if name in self._strict)
        return f"this spelling is not allowed by {strict}" if strict else _NOT_JSON

    def _keywords(self, schemas: Iterable[Subschema], fragment: bytes, *, is_closed: bool) -> Iterator[_Accused]:
        """The keywords that refuse a scalar alone."""
        for schema in schemas:
            if schema.value is False:
                yield _Accused(schema.place, "the schema false")
            for keyword in _SCALAR:
                if knows(schema, keyword) and self._refuses(_alone(schema, keyword), fragment, is_closed=is_closed):
                    yield _Accused(f"{schema.place}/{keyword}", f"`{keyword}`: {shown(schema.value[keyword])}")

    def _refuses(self, schema: Mapping[str, Any], fragment: bytes, *, is_closed: bool, is_exact: bool = False) -> bool:
        """Whether a schema refuses what begins with some bytes, or is them; ``is_exact``: whatever the policies are."""
        name = (json.dumps(schema, default=str), is_exact)
        if name not in self._engines:
            options = {**self._options, **_EXACT} if is_exact else self._options
            try:
                self._engines[name] = byte_engine(json_schema(schema, **options))
            except UnsatisfiableError:
                self._engines[name] = None
            except ConstraintError:
                return False
        engine = self._engines[name]
        if engine is None:
            return True
        reading = Reading(engine)
        return reading.read(fragment) < len(fragment) or (is_closed and not reading.can_end)

    def _finds(self, schema: Subschema, pattern: str, name: str) -> bool:
        text = json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")
        return not self._refuses(_dialect(schema) | {"pattern": pattern}, text, is_closed=True)

    def _key(self, cursor: Cursor, byte: int) -> Finding:
        steps = cursor.container()
        fragment = bytes(cursor.literal) + bytes([byte])
        if fragment[:1] != b'"' or self._refuses({}, fragment, is_closed=False):
            is_blank = fragment[:1] in _BLANK
            return Finding(
                steps, self._spelling(fragment, is_closed=False) if is_blank or cursor.literal else _NOT_JSON
            )
        schemas = self._schemas.at(steps)
        is_whole = byte == 0x22 and bool(cursor.literal) and not cursor.is_escaped
        name = json.loads(fragment) if is_whole else ""
        what = (
            f"no member may be named {drawn(fragment)} here" if is_whole else f"no member {_begins(fragment)} may come"
        )
        again = [one for one in cursor.names if (one == name if is_whole else _literal(one).startswith(fragment))]
        if again:
            known = ", ".join(json.dumps(one, ensure_ascii=False) for one in sorted(again)[:_LISTED])
            return Finding(steps, f"{what}: {known} {'stands' if len(again) == 1 else 'stand'} there already")
        if self._is_ordered and any(_literal(one).startswith(fragment) for s in schemas for one in _declared(s)):
            return Finding(steps, f"{what}: keys come in the order of the schema")
        accused = list(self._names(schemas, fragment, is_closed=is_whole))
        accused = accused or list(_no_more(schemas, "object", len(cursor.names)))
        if is_whole:
            below = self._schemas.at((*steps, name))
            accused = [_Accused(one.place, "the schema false") for one in below if one.value is False] or accused
            accused = accused or _whole(below)
        if self._is_closed and not accused:
            what = f"{what}: objects are closed"
        return self._told(steps, what, accused)

    def _names(self, schemas: Iterable[Subschema], fragment: bytes, *, is_closed: bool) -> Iterator[_Accused]:
        for schema in schemas:
            for pattern, own in schema.value["patternProperties"].items() if knows(schema, "patternProperties") else ():
                place = f"{schema.place}/patternProperties/{pointer_step(pattern)}"
                if own is False and (not is_closed or self._finds(schema, pattern, json.loads(fragment))):
                    yield _Accused(place, "the schema false")
            if knows(schema, "propertyNames"):
                yield from self._keywords(self._schemas.spread(schema, "propertyNames"), fragment, is_closed=is_closed)

    def _after_value(self, cursor: Cursor, byte: int) -> Finding:
        if not cursor.path:
            return Finding((), "the text goes on after its end")
        is_object, count = _members(cursor)
        if byte == (0x7D if is_object else 0x5D):
            return self._too_early(cursor, count)
        steps = cursor.container()
        if byte != 0x2C:
            return Finding(steps, self._policies("whitespace") if byte in BLANKS else _NOT_JSON)
        kind = "object" if is_object else "array"
        accused = list(_no_more(self._schemas.at(steps), kind, count))
        if not is_object and not accused:
            below = self._schemas.at((*steps, count))
            accused = [_Accused(schema.place, "the schema false") for schema in below if schema.value is False]
        return self._told(steps, f"no further {'member' if is_object else 'element'} may come", accused)

    def _too_early(self, cursor: Cursor, count: int) -> Finding:
        """The array or object may not end yet."""
        steps = cursor.container()
        is_object = not isinstance(cursor.path[-1], int)
        schemas = self._schemas.at(steps)
        least = "minProperties" if is_object else "minItems"
        accused = list(_missing(schemas, cursor.names)) if is_object else []
        accused += [
            _Accused(f"{s.place}/{least}", f"`{least}`: {shown(s.value[least])}")
            for s in schemas
            if knows(s, least) and s.value[least] > count
        ]
        if not accused:
            accused = [_Accused(f"{s.place}/{k}", f"`{k}`") for s in schemas for k in _NOT_YET if knows(s, k)]
        return self._told(steps, f"the {'object' if is_object else 'array'} may not end yet", accused)


def _members(cursor: Cursor) -> tuple[bool, int]:
    """Whether the innermost that is open is an object, and how many members or elements it has, after one of them."""
    index = cursor.path[-1]
    return (False, index + 1) if isinstance(index, int) else (True, len(cursor.names))


def _ending(cursor: Cursor) -> Finding:
    if cursor.literal:
        is_key = cursor.state is State.IN_KEY
        return Finding(cursor.container() if is_key else cursor.value(), "the text ends within a string")
    if not cursor.path:
        return Finding((), "the text is empty" if cursor.state is State.VALUE else "the text ends too early")
    is_object = not isinstance(cursor.path[-1], int)
    return Finding(cursor.container(), f"the text ends within an {'object' if is_object else 'array'}")


def _declared(schema: Subschema) -> Iterable[str]:
    return schema.value["properties"] if knows(schema, "properties") else ()


def _missing(schemas: Iterable[Subschema], names: set[str]) -> Iterator[_Accused]:
    """Members that are required and not there."""
    for schema in schemas:
        wanted = schema.value["required"] if knows(schema, "required") else ()
        missing = [name for name in wanted if name not in names] if isinstance(wanted, list) else []
        if missing:
            listed = ", ".join(json.dumps(name, ensure_ascii=False) for name in missing[:_LISTED])
            more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
            yield _Accused(
                f"{schema.place}/required", f"{listed}{more} {'is' if len(missing) == 1 else 'are'} required"
            )


def _no_more(schemas: Iterable[Subschema], kind: str, count: int) -> Iterator[_Accused]:
    """The keywords that keep further members or elements away, if one does for certain, else those that may."""
    doubtful: list[_Accused] = []
    certain: list[_Accused] = []
    for schema in schemas:
        for keyword in (name for name in _NO_MORE[kind] if knows(schema, name)):
            value = schema.value[keyword]
            accused = _Accused(f"{schema.place}/{keyword}", f"`{keyword}`: {shown(value)}")
            if keyword in ("maxProperties", "maxItems", "maxContains"):
                certain += [accused] if keyword != "maxContains" and value <= count else []
            elif value is False:
                certain.append(accused)
            elif keyword in ("propertyNames", "not", "oneOf", "if"):
                doubtful.append(accused._replace(words=f"`{keyword}`"))
    yield from certain or doubtful


def _alone(schema: Subschema, keyword: str) -> dict[str, Any]:
    """A schema of one keyword, in the dialect of its own."""
    names = [keyword, *([_WITH[keyword]] if schema.value[keyword] is True and keyword in _WITH else [])]
    return _dialect(schema) | {name: schema.value[name] for name in names if name in schema.value}


def _dialect(schema: Subschema) -> dict[str, Any]:
    draft = schema.resource.draft
    uri = next((uri for uri, known in DRAFTS.items() if known is draft), None)
    return {} if uri is None else {"$schema": f"http://{uri}"}


def _whole(schemas: Iterable[Subschema]) -> list[_Accused]:
    """The keywords that look at a whole value."""
    return [
        _Accused(f"{schema.place}/{keyword}", f"`{keyword}`")
        for schema in schemas
        for keyword in _WHOLE
        if knows(schema, keyword) and (keyword != "uniqueItems" or _is_set(schema))
    ]


def _is_set(schema: Subschema) -> bool:
    return knows(schema, "uniqueItems") and schema.value["uniqueItems"] is True


def _finding(steps: tuple[str | int, ...], what: str, accused: list[_Accused], joint: str = "") -> Finding:
    if not accused:
        return Finding(steps, what)
    distinct = list(dict.fromkeys(accused))
    words = ", ".join(f"{one.words} ({one.place})" for one in distinct[:_LISTED])
    more = f" and {len(distinct) - _LISTED} more" if len(distinct) > _LISTED else ""
    both = f" {joint}" if joint and len(distinct) > 1 else ""
    return Finding(steps, f"{what} {words}{more}{both}", tuple(one.place for one in distinct))


def pointer_step(step: str | int) -> str:
    """A step of a JSON pointer (RFC 6901)."""
    return str(step).replace("~", "~0").replace("/", "~1")


def _literal(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _begins(fragment: bytes) -> str:
    return f"that begins with {drawn(fragment)}"


def drawn(data: bytes) -> str:
    """Bytes of a text for people, in backquotes; of long ones the end."""
    text = data.decode(errors="replace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[-_WIDTH:])
    return f"`{'...' if len(data.decode(errors='replace')) > _WIDTH else ''}{text}`"

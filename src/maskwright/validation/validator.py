"""Validator and Stream: a schema against JSON text that comes in pieces (RFC 8259)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from maskwright.constraint import Constraint, json_schema
from maskwright.engine import Engine
from maskwright.errors import PolicyError, TokenError
from maskwright.explanation import draw_byte, draw_bytes
from maskwright.validation.blame import Blame, Finding, pointer_step
from maskwright.validation.place import BLANKS, Cursor
from maskwright.validation.reading import Reading, byte_engine
from maskwright.validation.refusal import Refusal
from maskwright.validation.schemas import may_remember

__all__ = ["DEFAULTS", "Stream", "Validator"]

#: What a text may be when it is read, not written: every spelling of JSON. Only a key that comes twice is refused,
#: though RFC 8259 section 4 merely advises against it: what it means is up to the reader.
DEFAULTS: Final[dict[str, Any]] = {
    "property_order": "any",
    "whitespace": "any",
    "numbers": "exact",
    "digits": None,
    "escapes": "all",
}
#: Bytes that are read at once: some milliseconds under the lock.
_BLOCK: Final = 65_536
_DESCRIPTIONS: Final = 3
#: Bytes that can stand in any string of JSON.
_CHARACTERS: Final = frozenset(range(0x20, 0x7F)) - {0x22, 0x5C}


class Validator:
    """A schema that texts are checked against; threads may share it."""

    def __init__(self, schema: object, **policies: Any) -> None:
        """Compile the schema, as far as the first byte needs.

        Args:
            schema: What :func:`maskwright.json_schema` takes, or a constraint, whose policies are then in force.
            policies: Those of :func:`maskwright.json_schema`; by default every spelling of JSON is read
                (:data:`DEFAULTS`).

        Raises:
            ConstraintError: the schema is refused; see :func:`maskwright.json_schema`.
            PolicyError: a policy has no meaning, or comes beside a constraint.
        """
        if isinstance(schema, Constraint):
            if policies:
                raise PolicyError("a constraint has its policies already; give them to json_schema()")
            self.constraint = schema
        else:
            self.constraint = json_schema(schema, **{**DEFAULTS, **policies})
        self._engine = byte_engine(self.constraint)
        #: Whether blanks may stand around the value.
        self._is_loose = self.constraint.policies.get("whitespace") == "any"
        rebuild: Any = self.constraint.__reduce__()[0]
        self._remembers = self.constraint.kind == "json_schema" and may_remember(rebuild.args[0])
        self._blame: Blame | None = None

    def __repr__(self) -> str:
        """The constraint."""
        return f"Validator({self.constraint!r})"

    def stream(self) -> Stream:
        """A new text."""
        return Stream(self, self._engine, is_loose=self._is_loose, remembers=self._remembers)

    def check(self, text: str | bytes) -> Refusal | None:
        """Why a whole text is refused, at its first wrong byte or at its end; ``None`` if it is valid."""
        stream = self.stream()
        return stream.feed(text) or stream.finish()

    def explain(self, cursor: Cursor, byte: int | None, allowed: list[int], nodes: list[Hashable]) -> Finding:
        """Why no valid text goes on with a byte, or ends for ``None``, as far as that can be said."""
        if self.constraint.kind == "json_schema":
            if self._blame is None:
                self._blame = Blame(self.constraint)
            return self._blame.find(cursor, byte, allowed)
        describe = self.constraint.network.describe
        words = "; ".join(dict.fromkeys(describe(node) for node in nodes[:_DESCRIPTIONS]))
        what = "the text ends too early" if byte is None else "the text goes on after its end"
        return Finding((), f"this is no {words}" if words else what)


class Stream:
    """One text that comes in pieces. Of it are kept the string in progress and the keys of open objects, no more.

    Where ``uniqueItems`` is asked for (or a remote schema might), all of it is kept.

    After a refusal it stays refused. A stream belongs to one thread.
    """

    def __init__(self, validator: Validator, engine: Engine, *, is_loose: bool, remembers: bool) -> None:
        """Made by :meth:`Validator.stream`."""
        self._validator = validator
        self._reading = Reading(engine)
        self._cursor = Cursor()
        self._is_loose = is_loose
        self._has_begun = False
        self._has_ended = False
        self._refusal: Refusal | None = None
        #: What was read, if arrays of the schema remember their elements.
        self._history = bytearray() if remembers else None

    @property
    def offset(self) -> int:
        """Bytes read so far, without a refused one."""
        return self._cursor.offset

    @property
    def can_end(self) -> bool:
        """Whether what was read is a valid text; more may follow (after ``12`` another digit)."""
        return self._refusal is None and (self._has_ended or self._reading.can_end)

    @property
    def is_complete(self) -> bool:
        """Whether it is one and nothing but blanks can follow."""
        return self.can_end and (self._has_ended or self._reading.must_end)

    def feed(self, data: str | bytes) -> Refusal | None:
        """Read a piece, cut anywhere, even inside a character; the refusal at the first wrong byte, if there is one.

        All before that byte begins a valid text, with it none does. A refusal is not raised: it is what is asked for.

        Raises:
            LimitError: the text needs more than ``Limits`` allows (nesting, ambiguity).
            TokenError: neither text nor bytes.
        """
        if self._refusal is None:
            octets = _octets(data)
            for start in range(0, len(octets), _BLOCK):
                self._refusal = self._read(octets[start : start + _BLOCK])
                if self._refusal is not None:
                    break
        return self._refusal

    def finish(self) -> Refusal | None:
        """Whether the text may end here: ``None``, or what is missing. Changes nothing: the text may still go on."""
        if self._refusal is not None or self.can_end:
            return self._refusal
        return self._refuse(None)

    def _read(self, data: bytes) -> Refusal | None:
        if self._is_loose and not self._has_begun:
            data = self._pass_blanks(data)
            self._has_begun = bool(data)
        if not data:
            return None
        if not self._has_ended:
            good = self._advance(data)
            data = data[good:]
            if not data:
                return None
            self._has_ended = self._is_loose and data[0] in BLANKS and self._reading.can_end
        if self._has_ended:
            data = self._pass_blanks(data)
        return self._refuse(data[0]) if data else None

    def _advance(self, data: bytes) -> int:
        """Read as many bytes as can be read."""
        cursor, reading = self._cursor, self._reading
        memory = cursor.literal if self._history is None else self._history
        before = bytes(memory) if self._history is None else memory
        good = reading.read(data, memory)
        kept = cursor.read(data if good == len(data) else data[:good])
        if kept < good:
            reading.read_again(data[:kept], before)
        if self._history is not None:
            self._history += data[:kept]
        return kept

    def _pass_blanks(self, data: bytes) -> bytes:
        rest = data.lstrip(BLANKS)
        self._cursor.skip(data[: len(data) - len(rest)])
        return rest

    def _refuse(self, byte: int | None) -> Refusal:
        cursor, reading = self._cursor, self._reading
        allowed, nodes = ([], []) if self._has_ended else reading.expected()
        if byte in allowed:  # a key that came twice
            allowed.remove(byte)
        finding = self._validator.explain(cursor, byte, allowed, nodes)
        expected = [_drawn(allowed)] if allowed else []
        if self._has_ended or reading.can_end:
            expected.append("the end")
        return Refusal(
            offset=cursor.offset,
            line=cursor.line,
            column=cursor.column(byte),
            pointer="".join(f"/{pointer_step(step)}" for step in finding.steps),
            found="the end of the text" if byte is None else draw_byte(byte),
            expected=" or ".join(expected),
            reason=finding.reason,
            places=finding.places,
        )


def _drawn(allowed: list[int]) -> str:
    """Bytes in words; where blanks may stand that goes without saying, and most characters of a string are one word."""
    if not _CHARACTERS.difference(allowed):
        return 'a character of the string or `"`' if 0x22 in allowed else "a character of the string"
    shown = [byte for byte in allowed if byte not in BLANKS] if set(BLANKS) <= set(allowed) else allowed
    return draw_bytes(shown or allowed)


def _octets(data: object) -> bytes:
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise TokenError(f"text is str or bytes, not {type(data).__name__}")

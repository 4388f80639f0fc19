"""Single calls as the table of formats describes them: JSON objects, names with arguments, names with parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from maskwright.schema.document import is_writable
from maskwright.tags.formats import ToolFormat, split_markers
from maskwright.tags.parsing_events import ArgumentsDelta, Call, CallBegin, CallEnd, Event
from maskwright.tags.parsing_kinds import OPENING, value_of
from maskwright.tags.parsing_source import Needles, Source, Step
from maskwright.tags.partial_text import Mark

__all__ = ["CallReader", "Parameters", "can_name", "words"]

#: Tool to parameter to the kinds of values that it may be.
Parameters = Mapping[str, Mapping[str, frozenset[str]]]

_A_CALL: Final = "a call"
_BLANKS: Final = " \t\n\r"
_ONLY_STRING: Final = frozenset({"string"})
#: Formats whose words are kept.
_KEPT: Final = 256


def can_name(form: ToolFormat, name: str) -> bool:
    """Whether a parameter's name is read again as it was written: no blanks around it, nor what ends it too early."""
    end = words(form.parameter_middle, form.markers)[0]
    return name == name.strip(_BLANKS) and (name + end).find(end) == len(name) and is_writable(name)


@lru_cache(maxsize=_KEPT)
def words(literal: str, markers: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a literal between which blanks make no difference to a reader."""
    return tuple(word for part, _ in split_markers(literal, markers) for word in part.split())


class _Draft:
    """A call in progress."""

    __slots__ = ("_events", "id", "index", "is_named", "name", "parts")

    def __init__(self, index: int, events: list[Event]) -> None:
        self.index = index
        self.name = ""
        self.id: str | None = None
        self.is_named = False
        #: The JSON text of the arguments, as far as it is known.
        self.parts: list[str] = []
        self._events = events

    def begin(self, name: str) -> None:
        """The name is known; arguments that came before it are told now."""
        self.name = name
        self.is_named = True
        self._events.append(CallBegin(self.index, name, self.id))
        if self.parts:
            self._events.append(ArgumentsDelta(self.index, "".join(self.parts)))

    def grow(self, text: str) -> None:
        """The arguments go on."""
        self.parts.append(text)
        if self.is_named:
            self._events.append(ArgumentsDelta(self.index, text))

    def end(self, value: Any) -> Call:
        """The whole call."""
        call = Call(self.name, "".join(self.parts), value, self.id)
        self._events.append(CallEnd(self.index, call))
        return call


class CallReader:
    """Reads the calls of one turn."""

    def __init__(
        self,
        form: ToolFormat,
        source: Source,
        events: list[Event],
        tools: frozenset[str] | None,
        parameters: Parameters,
    ) -> None:
        """``tools``: the names that may be called, ``None`` for any."""
        self.form = form
        self.calls: list[Call] = []
        self._source = source
        self._events = events
        self._tools = tools
        self._parameters_of = parameters
        self._begin = self._words(form.call_begin)
        self._end = self._words(form.call_end)
        self._name_end = self._words(form.name_end)
        # A name ends where something is known to follow it: blanks alone, or a parameter, where nothing else does.
        after = self._name_end[:1] or ((form.name_end,) if form.name_end else ())
        if form.body == "parameters" and not self._name_end:
            after += (*self._words(form.parameter_begin)[:1], *self._end[:1])
        self._head_end = Needles(*after)

    def _words(self, literal: str) -> tuple[str, ...]:
        return words(literal, self.form.markers)

    def read(self) -> Step[None]:
        """One call, with what stands before and after it."""
        yield from self._source.expect(self._begin, _A_CALL)
        if self.form.body == "object":
            yield from self._object()
        else:
            head, mark = yield from self.head()
            yield from self.named(head, mark)

    def head(self) -> Step[tuple[str, Mark]]:
        """What stands before the arguments of a call that is no object, and its place."""
        yield from self._source.blanks()
        mark = self._source.mark()
        head = yield from self._source.until_there(self._head_end, "the name of a call")
        return head.rstrip(), mark

    def named(self, head: str, mark: Mark) -> Step[None]:
        """The rest of a call after its head."""
        draft = self._draft()
        name, draft.id = self._split(head, mark)
        self._check(name, mark)
        draft.begin(name)
        yield from self._source.expect(self._name_end, _A_CALL)
        if self.form.body == "parameters":
            value = yield from self._parameters(draft)
        else:
            value = yield from self.arguments(draft.grow)
        yield from self._source.expect(self._end, _A_CALL)
        self._finish(draft, value)

    def arguments(self, emit: Callable[[str], None]) -> Step[Any]:
        """A JSON object."""
        yield from self._source.blanks()
        is_object = yield from self._source.sees("{")
        if not is_object:
            raise self._source.error("the arguments must be a JSON object")
        value = yield from self._source.value("the arguments of a call", emit)
        return value

    def addressed(self, name: str, mark: Mark, ends: Step[None]) -> Step[None]:
        """The arguments of a call whose name is known, and what reads its end."""
        draft = self._draft()
        self._check(name, mark)
        draft.begin(name)
        value = yield from self.arguments(draft.grow)
        yield from ends
        self._finish(draft, value)

    def _draft(self) -> _Draft:
        return _Draft(len(self.calls), self._events)

    def _finish(self, draft: _Draft, value: Any) -> None:
        self.calls.append(draft.end(value))
        self._source.keep()

    def _check(self, name: str, mark: Mark) -> None:
        if not name:
            raise self._source.error("a call without a name", mark)
        if self._tools is not None and name not in self._tools:
            raise self._source.error(f"there is no tool {name[:100]!r}", mark)

    def _check_id(self, identity: str, mark: Mark) -> None:
        if re.fullmatch(self.form.id_pattern, identity) is None:
            raise self._source.error(f"{identity[:100]!r} is no id of a call", mark)

    # A name, and what follows it ----------------------------------------------------------------------------------

    def _split(self, head: str, mark: Mark) -> tuple[str, str | None]:
        """The name and the id in what stands before the arguments.

        An id that no marker sets apart is the whole head as the model wrote it: Kimi's are ``functions.f:0``.
        """
        form = self.form
        if not form.id_pattern:
            return head, None
        name, middle, identity = head.rpartition(form.id_begin)
        if not middle:
            if form.is_id_optional:
                return head, None
            raise self._source.error("a call without an id", mark)
        self._check_id(identity.strip(), mark)
        if form.id_begin in form.markers:
            return name.rstrip(), identity.strip()
        return name, "".join(word for word in self._begin if word not in form.markers) + head

    def _parameters(self, draft: _Draft) -> Step[dict[str, Any]]:
        form, source = self.form, self._source
        begin, end = self._words(form.parameter_begin), self._words(form.parameter_end)
        middle = self._words(form.parameter_middle)
        lead = form.parameter_end[: form.parameter_end.index(end[0])]
        blank = form.parameter_middle[len(form.parameter_middle.rstrip()) :]
        kinds = self._parameters_of.get(draft.name, {})
        value: dict[str, Any] = {}
        while True:
            yield from source.blanks()
            comes = yield from source.comes(begin[0], self._end[0], inside=_A_CALL)
            if comes != begin[0]:
                break
            yield from source.expect(begin, _A_CALL)
            mark = source.mark()
            name = (yield from source.until_there(Needles(middle[0]), "the name of a parameter")).strip(_BLANKS)
            if name in value:
                raise source.error(f"the parameter {name[:100]!r} stands there already", mark)
            yield from source.expect(middle, _A_CALL)
            yield from source.takes(blank)
            draft.grow(f"{', ' if value else '{'}{_quoted(name)}: ")
            value[name] = yield from self._parameter(draft, kinds.get(name), end[0], lead)
            yield from source.expect(end, _A_CALL)
        draft.grow("}" if value else "{}")
        return value

    def _parameter(self, draft: _Draft, kinds: frozenset[str] | None, end: str, lead: str) -> Step[Any]:
        """The value of a parameter of some kinds, up to what ends it."""
        source = self._source
        if kinds == _ONLY_STRING:
            return (yield from self._plain(draft, Needles(end, lead=lead)))
        blanks = yield from source.blanks()
        is_json = kinds is not None and "string" not in kinds
        for kind in OPENING if kinds else ():
            is_json = is_json or (kind in (kinds or ()) and (yield from source.sees(OPENING[kind])))
        if is_json:
            return (yield from source.value("a parameter", draft.grow))
        rest = yield from source.until_there(Needles(end, lead=lead), "a parameter")
        # What precedes the end may have been read as blanks of the value.
        text = blanks + rest if rest else blanks.removesuffix(lead)
        value = value_of(text, kinds, source.numbers)
        draft.grow(_quoted(text) if isinstance(value, str) else text.strip())
        return value

    def _plain(self, draft: _Draft, stop: Needles) -> Step[str]:
        """A string without quotes."""
        parts: list[str] = []

        def grow(text: str) -> None:
            parts.append(text)
            draft.grow(_quoted(text)[1:-1])

        draft.grow('"')
        comes = yield from self._source.until(stop, grow)
        if not comes:
            raise self._source.error("the text ends inside a parameter")
        draft.grow('"')
        return "".join(parts)

    # One JSON object ----------------------------------------------------------------------------------------------

    def _object(self) -> Step[None]:
        """A call that is an object; its members may stand in any order, and there are no others."""
        form, source, draft = self.form, self._source, self._draft()
        yield from source.expect(("{",), _A_CALL)
        seen: set[str] = set()
        value: Any = None
        while True:
            key, mark = yield from source.string("a key", _A_CALL)
            kind = "arguments" if key in form.arguments_keys else key
            if kind in seen:
                raise source.error(f"the key {key[:100]!r} stands there already", mark)
            seen.add(kind)
            yield from source.expect((":",), _A_CALL)
            if kind == "arguments":
                value = yield from self.arguments(draft.grow)
            elif key == form.name_key:
                name, mark = yield from source.string("the name of a tool", _A_CALL)
                self._check(name, mark)
                draft.begin(name)
            elif form.id_pattern and key == form.id_begin:
                draft.id, mark = yield from source.string("an id", _A_CALL)
                self._check_id(draft.id, mark)
            else:
                raise source.error(f"a call has no {key[:100]!r}", mark)
            yield from source.blanks()
            goes_on = yield from source.takes(",")
            if not goes_on:
                break
        yield from source.expect(("}",), _A_CALL)
        if not draft.is_named or value is None:
            raise source.error(f"a call without {'arguments' if draft.is_named else 'a name'}")
        yield from source.expect(self._end, _A_CALL)
        self._finish(draft, value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

"""Turns with tool calls: the network of one format, a list of tools and what may be called of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from maskwright.limits import Limits
from maskwright.network.lexeme import (
    ANYTHING,
    EPSILON,
    Term,
    characters,
    complement,
    concatenate,
    encode,
    intersect,
    literal,
    quote,
    repeat,
    unite,
    words,
)
from maskwright.network.nodes import Call, Lex, Production, Switch
from maskwright.regex.compile import full_term
from maskwright.schema.layout import Marks, Whitespace, marks
from maskwright.tags.formats import ToolFormat
from maskwright.tags.freetext import free_text
from maskwright.tags.network import Tree, read, spelled

__all__ = ["Callee", "Turn", "text_before"]

_BLANKS: Final = characters([(0x20, 0x20), (0x09, 0x0A), (0x0D, 0x0D)])
#: Blanks that may stand before calls that begin a turn; more would let a model write them for ever.
_LEADING: Final = 20


class Callee(NamedTuple):
    """A tool that may be called: its name, and what reads its arguments."""

    name: str
    arguments: Call
    #: Parameter to what it may be, of formats that write them one by one.
    kinds: Mapping[str, frozenset[str]] = MappingProxyType({})


def text_before(
    after: str, trigger: str, *, excluded: tuple[str, ...] = (), critical: tuple[str, ...] = ()
) -> Production:
    """Free text that a literal follows, in which a trigger is met; the literal itself is not read.

    What is excluded does not stand in the text or across its end, and no other critical string is met before it.
    """
    before = after[: after.index(trigger) + len(trigger)]
    return spelled(free_text(excluded, critical or (trigger,), before=before, own=trigger))


class Turn:
    """The nodes of a turn in a format, except harmony's."""

    def __init__(
        self,
        tree: Tree,
        form: ToolFormat,
        tools: tuple[Callee, ...],
        *,
        mode: str,
        parallel: bool,
        whitespace: str | Whitespace,
        limits: Limits,
    ) -> None:
        """``mode`` is ``"auto"``, ``"none"``, ``"required"`` or ``"named"``; ``tools`` are those that may be called."""
        self._tree = tree
        self._form = form
        self._tools = tools
        self._mode = mode if tools else "none"
        self._parallel = parallel and mode != "named"
        self._marks: Marks = marks(whitespace)
        self._is_loose = whitespace in ("flexible", "any")
        self._limits = limits
        self._triggers = (form.trigger,) if form.trigger else ()

    def root(self) -> int:
        """The node of the whole turn."""
        layouts = {"around": self._around, "before": self._before, "instead": self._instead, "block": self._block}
        return self._tree.node(layouts[self._form.text](), "an answer")

    # ---- where text and calls stand

    def _text(self) -> Production:
        return spelled(free_text(self._triggers))

    def _leading_text(self, after: str) -> Production:
        return text_before(after, self._form.trigger)

    def _around(self) -> list[Production]:
        if self._mode == "none":
            return [self._text()]
        call = Call(self._call())
        if self._mode != "auto":
            return [self._calls(call)]
        if not self._parallel:
            return [self._text(), (*self._leading_text(self._form.call_begin), call)]
        turn = self._tree.reserve("text or a tool call")
        self._tree.define(turn, [self._text(), (*self._leading_text(self._form.call_begin), call, Call(turn))])
        return [(Call(turn),)]

    def _before(self) -> list[Production]:
        if self._mode == "none":
            return [self._text()]
        form = self._form
        call = Call(self._call())
        calls = self._array(call) if form.is_array else self._calls(call)
        section = (*read(form.section_begin, form.markers), *calls, *read(form.section_end, form.markers))
        if self._mode != "auto":
            return [section]
        node = self._tree.node([section], "tool calls")
        return [self._text(), (*self._leading_text(form.section_begin or form.call_begin), Call(node))]

    def _instead(self) -> list[Production]:
        text = spelled(self._other_text())
        if self._mode == "none":
            return [text]
        form = self._form
        leading = spelled(repeat(_BLANKS, 0, _LEADING)) if self._is_loose else ()
        call = Call(self._call())
        # One object is a call by itself; where arrays may be, several are an array.
        ways = [(call,), self._array(call)] if form.may_be_array else [self._calls(call)]
        calls = self._tree.node(ways, "tool calls")
        turns: list[Production] = [(*leading, Call(calls))]
        if form.optional_begin:
            turns.append((*read(form.optional_begin, form.markers), Call(calls)))
        return turns if self._mode != "auto" else [text, *turns]

    def _other_text(self) -> Term:
        """Text that cannot be read as a call: its first character that is no blank begins no object, and no array."""
        begins = [(ord(character), ord(character)) for character in ("{[" if self._form.may_be_array else "{")]
        first = intersect(complement(unite(_BLANKS, characters(begins))), characters([(0, 0xD7FF), (0xE000, 0x10FFFF)]))
        other = concatenate(repeat(_BLANKS), first, ANYTHING)
        return intersect(other, free_text(self._triggers))

    def _block(self) -> list[Production]:
        form = self._form
        begin = read(form.text_begin, form.markers)
        if self._mode == "none":
            return [(*begin, *self._text())]
        calls = self._tree.node([self._calls(Call(self._call()))], "tool calls")
        if self._mode != "auto":
            return [(Call(calls),)]
        going_on = (*self._leading_text(form.separator), *read(form.separator, form.markers), Call(calls))
        return [(Call(calls),), (*begin, *self._text()), (*begin, *going_on)]

    # ---- calls

    def _calls(self, call: Call) -> Production:
        """One call, or several with what separates them."""
        if not self._parallel:
            return (call,)
        separator = read(self._form.separator, self._form.markers)
        again = self._tree.node([(*separator, call)], "another tool call")
        return (call, self._tree.times(again, 0, None))

    def _array(self, call: Call) -> Production:
        """A JSON array of calls, which one blank may precede."""
        more: Production = ()
        if self._parallel:
            more = (self._tree.times(self._tree.node([(self._marks.comma, call)], "another tool call"), 0, None),)
        blank = spelled(unite(EPSILON, literal(" "))) if self._is_loose and self._form.is_array else ()
        return (*blank, self._marks.open_array, call, *more, self._marks.close_array)

    def _call(self) -> int:
        form = self._form
        inner = self._object() if form.body == "object" else self._named()
        begin, end = read(form.call_begin, form.markers), read(form.call_end, form.markers)
        return self._tree.node([(*begin, *inner, *end)], "a tool call")

    def _object(self) -> Production:
        """The JSON object of a call; the name decides what the arguments are."""
        form, marked = self._form, self._marks
        names = quote(words([tool.name for tool in self._tools], labelled=True), minimal=True)
        keys = Lex(encode(unite(*(literal(f'"{key}"') for key in form.arguments_keys))))
        rest = (*self._object_id(), marked.close_object)
        targets = tuple(
            [
                self._tree.node(
                    [(marked.comma, keys, marked.colon, tool.arguments)],
                    f"the arguments of {tool.name}",
                )
                for tool in self._tools
            ]
        )
        name = Lex(encode(literal(f'"{form.name_key}"')))
        return (marked.open_object, name, marked.colon, Switch(names, targets), *rest)

    def _object_id(self) -> Production:
        form, marked = self._form, self._marks
        if not form.id_pattern:
            return ()
        value = quote(full_term(form.id_pattern, dialect="python", limits=self._limits), minimal=True)
        key = Lex(encode(literal(f'"{form.id_begin}"')))
        ways: list[Production] = [(marked.comma, key, marked.colon, Lex(value))]
        return (Call(self._tree.node([*ways, ()] if form.is_id_optional else ways, "the id of the call")),)

    def _named(self) -> Production:
        """The name as it is, then the arguments."""
        form = self._form
        end = (*self._named_id(), *read(form.name_end, form.markers))
        named = [
            (tool.name, self._tree.node([(*end, tool.arguments)], f"what follows {tool.name}")) for tool in self._tools
        ]
        return (Call(self._tree.one_of(named, "the name of a tool")),)

    def _named_id(self) -> Production:
        form = self._form
        if not form.id_pattern:
            return ()
        value = spelled(full_term(form.id_pattern, dialect="python", limits=self._limits))
        way = (*read(form.id_begin, form.markers), *value)
        return (Call(self._tree.node([way, ()] if form.is_id_optional else [way], "the id of the call")),)

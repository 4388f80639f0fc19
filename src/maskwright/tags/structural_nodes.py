"""Structural tags: the frame in which formats become nodes, without recursion.

For every type of format there is a *maker*: a generator that is given the fields and what *closes* the format, the ends
of the tag that it is the last part of (or nothing). It yields the formats that it needs nodes of, gets the nodes, and
returns its own, which has read the ends too: free text in front of an end must not hold it, so only who reads both
knows where the text may stop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

from maskwright.errors import LimitError, Problem, SchemaError, UnsupportedError, excerpt, label
from maskwright.limits import Limits
from maskwright.network.lexeme import ANY_CHARACTER, Term, intersect, repeat
from maskwright.network.nodes import Call, Lex, Production
from maskwright.tags.freetext import LONGEST, free_text, overlap
from maskwright.tags.network import Tree, read, spelled

__all__ = ["Close", "End", "Fields", "Kind", "Maker", "Need", "Nodes", "fault", "read_end"]

#: One end of a tag: a literal, or the byte term of a token.
End = str | Term
Close = tuple[End, ...]


class Need(NamedTuple):
    """A format whose node is needed."""

    format: Any
    place: str
    close: Close = ()


Maker = Generator[Need, int, int]


class Kind(NamedTuple):
    """A type of format: what makes its node, and the fields that it must and may have."""

    make: Callable[[Nodes, Fields, Close], Maker]
    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


def fault(place: str, reason: str, *, keyword: str = "", remedy: str = "") -> SchemaError:
    """The error of a format that is none."""
    return SchemaError(Problem(reason, place=place, keyword=keyword, remedy=remedy))


def read_end(end: End) -> Production:
    """Symbols that read one end of a tag, or its beginning."""
    return read(end) if isinstance(end, str) else (Lex(end),)


class Fields:
    """The fields of one format, read as what they must be; every fault is told with its JSON pointer."""

    def __init__(self, given: Mapping[str, Any], place: str, limits: Limits) -> None:
        self.given = given
        self.place = place
        self._limits = limits

    def at(self, *steps: object) -> str:
        """The pointer to a field, or to what is in it."""
        return "/".join([self.place, *(str(step).replace("~", "~0").replace("/", "~1") for step in steps)])

    def fault(self, name: str, reason: str, *steps: object, remedy: str = "") -> SchemaError:
        """The error of a field."""
        return fault(self.at(name, *steps), reason, keyword=name, remedy=remedy)

    def flag(self, name: str, *, usual: bool = False) -> bool:
        """A boolean."""
        value = self.given.get(name, usual)
        if not isinstance(value, bool):
            raise self.fault(name, f"{name} is a boolean, not {excerpt(value)}")
        return value

    def number(self, name: str) -> int:
        """A whole number of at least -1."""
        value = self.given[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < -1:
            raise self.fault(name, f"{name} is a whole number, not {excerpt(value)}")
        return value

    def items(self, name: str, *, least: int = 0) -> Sequence[Any]:
        """A list."""
        value = self.given.get(name, ())
        if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
            raise self.fault(name, f"{name} is a list, not {excerpt(value)}")
        if len(value) < least:
            raise self.fault(name, f"{name} is empty", remedy="give at least one")
        return value

    def text(self, name: str) -> str:
        """A string that UTF-8 can carry."""
        return self._checked(self.given[name], name)

    def mark(self, name: str) -> str:
        """A string that is looked for in text."""
        return self._short(self.text(name), name)

    def _short(self, value: str, name: str, *steps: object) -> str:
        if len(value) > LONGEST:
            remedy = f"at most {LONGEST} characters"
            raise LimitError(Problem(f"{name} is too long", place=self.at(name, *steps), keyword=name, remedy=remedy))
        return value

    def marks(self, name: str, *, least: int = 0) -> tuple[str, ...]:
        """A list of strings that are looked for in text; none is empty."""
        found = tuple(self._checked(value, name, i) for i, value in enumerate(self.items(name, least=least)))
        if "" in found:
            raise self.fault(name, f"an empty string in {name}", found.index(""))
        if sum(map(len, found)) > self._limits.pattern_length:
            remedy = f"Limits.pattern_length is {self._limits.pattern_length}"
            raise LimitError(Problem(f"the strings of {name} are too long", place=self.at(name), remedy=remedy))
        return tuple([self._short(value, name, i) for i, value in enumerate(found)])

    def _checked(self, value: object, name: str, *steps: object) -> str:
        if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
            raise self.fault(name, f"{name} is a string that UTF-8 can carry, not {excerpt(value)}", *steps)
        return value

    def refuse(self, **neutral: object) -> None:
        """Fields that are not enforced must have a value that asks for nothing."""
        for name, value in neutral.items():
            if self.given.get(name, value) not in (value, None):
                reason = f"{name} {excerpt(self.given[name])} is not enforced"
                raise UnsupportedError(Problem(reason, place=self.at(name), keyword=name, remedy="leave it out"))


class Nodes:
    """Makes the nodes of one structural tag, in a tree."""

    def __init__(self, tree: Tree, kinds: Mapping[str, Kind], limits: Limits, policies: Mapping[str, Any]) -> None:
        self.tree = tree
        self.limits = limits
        #: For the JSON Schemas in it.
        self.policies = dict(policies)
        self.warnings: list[Problem] = []
        #: Repetitions around the format in hand.
        self.repeats = 0
        self._kinds = kinds

    def make(self, given: object, place: str) -> int:
        """The node of a format.

        Raises:
            SchemaError: what is no format, with its JSON pointer.
            UnsupportedError: a field that is not enforced.
            ConstraintError: what a schema, a pattern or a grammar in it raises, with the pointer to it.
        """
        makers = [self._begin(Need(given, place))]
        node = -1
        is_fresh = True
        while makers:
            try:
                need = next(makers[-1]) if is_fresh else makers[-1].send(node)
            except StopIteration as end:
                makers.pop()
                node, is_fresh = int(end.value), False
                continue
            if len(makers) >= self.limits.schema_depth:
                remedy = f"Limits.schema_depth is {self.limits.schema_depth}"
                raise LimitError(Problem("the format nests too deeply", place=need.place[:200], remedy=remedy))
            makers.append(self._begin(need))
            is_fresh = True
        return node

    def _begin(self, need: Need) -> Maker:
        given, place = need.format, need.place
        if not isinstance(given, Mapping):
            raise fault(place, f"a format is an object, not {excerpt(given)}")
        name = given.get("type")
        kind = self._kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            reason = f"unknown type {excerpt(name)}" if "type" in given else "there is no type"
            raise fault(f"{place}/type", reason, keyword="type", remedy=f"types are {', '.join(self._kinds)}")
        fields = Fields(given, place, self.limits)
        for field in kind.must:
            if field not in given:
                raise fields.fault(field, f"{name} has no {field}")
        known = ("type", *kind.must, *kind.may)
        for field in given:
            if field not in known:
                raise fields.fault(
                    label(field), f"unknown field {excerpt(field)}", remedy=f"{name} has {', '.join(known)}"
                )
        return kind.make(self, fields, need.close)

    def closed(self, production: Production, close: Close, about: str) -> int:
        """The node of some symbols and, after them, one of the ends."""
        if not close:
            return self.tree.node([production], about)
        if len(close) == 1:
            return self.tree.node([(*production, *read_end(close[0]))], about)
        ends = self.tree.node([read_end(end) for end in close], "the end of the tag")
        return self.tree.node([(*production, Call(ends))], about)

    def free(
        self,
        fields: Fields,
        excluded: tuple[str, ...],
        close: Close,
        *,
        triggers: tuple[str, ...] = (),
        most: int | None = None,
    ) -> list[Production]:
        """Free text of at most so many characters without some strings, and what closes it."""
        critical = (*triggers, *(end for end in close if isinstance(end, str)))
        inside = overlap(critical)
        if inside is not None:
            one, other = (critical[i] for i in inside)
            raise fault(fields.place, f"{excerpt(other)} always comes before {excerpt(one)}, since it stands in it")
        found: list[Production] = []
        for end in close or ("",):
            mark = end if isinstance(end, str) else ""
            term = free_text(excluded, critical, before=mark, own=mark, crosses=True)
            if most is not None:
                term = intersect(term, repeat(ANY_CHARACTER, 0, most))
            found.append((*spelled(term), *read_end(end)))
        return found

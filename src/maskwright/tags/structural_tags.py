"""Types of formats in structural tags that are tags, and free text in which something begins them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maskwright.errors import Problem, UnsupportedError, excerpt, label
from maskwright.network.lexeme import ANY_CHARACTER, automaton, encode
from maskwright.network.nodes import Call, Lex, Production, Switch
from maskwright.tags.calls import text_before
from maskwright.tags.freetext import FreeText, holds, overlap
from maskwright.tags.network import markers_in, read
from maskwright.tags.structural_nodes import Close, End, Fields, Kind, Maker, Need, Nodes, read_end
from maskwright.tags.structural_parts import one_token, other_token

__all__ = ["TAGS"]


def _tag(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    return (yield from _rest_of_tag(nodes, fields, close, read_end(_end(fields, "begin"))))


def _rest_of_tag(nodes: Nodes, fields: Fields, close: Close, begin: Production) -> Maker:
    """A tag of whose beginning only some symbols are still to be read."""
    ends = _ends(fields)
    # A tag without an end is closed by what closes the tag around it.
    node = yield Need(fields.given["content"], fields.at("content"), close if "" in ends else ends)
    return nodes.closed((*begin, Call(node)), () if "" in ends else close, "a tag")


def _end(fields: Fields, name: str) -> End:
    value = fields.given[name]
    if not isinstance(value, Mapping):
        return fields.mark(name)
    if value.get("type") != "token" or set(value) != {"type", "token"}:
        raise fields.fault(name, f"{name} is a string or a token, not {excerpt(dict(value))}")
    return one_token(value["token"], fields.at(name, "token"))


def _ends(fields: Fields) -> Close:
    value = fields.given["end"]
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        return (_end(fields, "end"),)
    ends = tuple(dict.fromkeys(fields.marks("end", least=1)))
    inside = overlap(ends)
    if inside is not None:
        one, other = (ends[i] for i in inside)
        raise fields.fault("end", f"the end {excerpt(one)} holds the end {excerpt(other)}")
    return ends


def _tags(nodes: Nodes, fields: Fields) -> list[Fields]:
    """The fields of all tags in a list."""
    found: list[Fields] = []
    for i, tag in enumerate(fields.items("tags", least=1)):
        if not isinstance(tag, Mapping) or tag.get("type", "tag") != "tag":
            raise fields.fault("tags", f"a tag is an object of type 'tag', not {excerpt(tag)}", i)
        own = Fields(tag, fields.at("tags", i), nodes.limits)
        for name in ("begin", "content", "end"):
            if name not in tag:
                raise own.fault(name, f"tag has no {name}")
        for name in tag:
            if name not in ("type", "begin", "content", "end"):
                raise own.fault(label(name), f"unknown field {excerpt(name)}", remedy="tag has begin, content, end")
        found.append(own)
    return found


def _tags_with_separator(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    separator = fields.mark("separator")
    ways: list[Production] = []
    for tag in _tags(nodes, fields):
        node = yield from _tag(nodes, tag, ())
        ways.append((Call(node),))
    one = Call(nodes.tree.node(ways, "a tag"))
    symbols: Production = (one,)
    if not fields.flag("stop_after_first"):
        again = nodes.tree.node([(*read(separator), one)], "another tag")
        symbols = (one, nodes.tree.times(again, 0, None, fields.place))
    if not fields.flag("at_least_one"):
        symbols = (Call(nodes.tree.node([symbols, ()], "tags or nothing")),)
    return nodes.closed(symbols, close, "tags")


# ---- free text with triggers


def _triggered_tags(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    triggers = fields.marks("triggers", least=1)
    tags: list[list[Fields]] = [[] for _ in triggers]
    known = _Prefixes(triggers)
    for tag in _tags(nodes, fields):
        tags[known.of(tag)].append(tag)
    free = _Triggered(nodes, fields, triggers, close, is_last=fields.flag("stop_after_first"))
    for number, trigger in enumerate(triggers):
        rests: list[tuple[str, int]] = []
        for tag in tags[number]:
            node = yield from _rest_of_tag(nodes, tag, (), ())
            rests.append((str(tag.given["begin"])[len(trigger) :], node))
        if not rests:
            raise fields.fault("triggers", f"no tag begins with the trigger {excerpt(trigger)}", number)
        free.add(trigger, nodes.tree.one_of(rests, f"a tag that begins with {excerpt(trigger)}"))
    return free.finish(begins_with_tag=fields.flag("at_least_one"))


class _Prefixes:
    """Which trigger begins a tag; asked by length, since there may be thousands of triggers and of tags."""

    def __init__(self, triggers: tuple[str, ...]) -> None:
        self._places = {trigger: place for place, trigger in enumerate(triggers)}
        self._lengths = sorted({len(trigger) for trigger in triggers})

    def of(self, tag: Fields) -> int:
        begin = tag.mark("begin")
        found = [begin[:length] for length in self._lengths if length <= len(begin) and begin[:length] in self._places]
        if len(found) != 1:
            reason = f"{excerpt(begin)} begins with {len(found) or 'none'} of the triggers"
            raise tag.fault("begin", reason, remedy="exactly one trigger begins every tag")
        return self._places[found[0]]


def _rules(fields: Fields) -> Sequence[Sequence[Any]]:
    rules = fields.items("rules", least=1)
    for i, rule in enumerate(rules):
        if not isinstance(rule, Sequence) or isinstance(rule, str) or len(rule) != len(("trigger", "format")):
            raise fields.fault("rules", "a rule is a trigger and a format", i)
    return rules


def _dispatch(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    rules = _rules(fields)
    triggers = Fields({"rules": [rule[0] for rule in rules]}, fields.place, nodes.limits).marks("rules")
    free = _Triggered(nodes, fields, triggers, close, is_last=not fields.flag("loop", usual=True))
    for i, trigger in enumerate(triggers):
        node = yield Need(rules[i][1], fields.at("rules", i, 1))
        free.add(trigger, node)
    return free.finish(begins_with_tag=False)


class _Triggered:
    """Free text in which a string begins something; after that free text again, or the end."""

    def __init__(self, nodes: Nodes, fields: Fields, triggers: tuple[str, ...], close: Close, *, is_last: bool) -> None:
        excludes = fields.marks("excludes")
        _check_triggers(fields, triggers, excludes)
        self._excluded = excludes
        #: What is met where free text is left.
        self._critical = (*triggers, *(end for end in close if isinstance(end, str)))
        self._tree = nodes.tree
        self._turn = nodes.tree.reserve("free text or a tag")
        self._ends = nodes.free(fields, excludes, close, triggers=triggers)
        self._after = Call(nodes.closed((), close, "the end") if is_last else self._turn)
        self._ways: list[tuple[str, int]] = []

    def add(self, trigger: str, node: int) -> None:
        """What follows a trigger."""
        self._ways.append((trigger, self._tree.node([(Call(node), self._after)], f"what follows {excerpt(trigger)}")))

    def finish(self, *, begins_with_tag: bool) -> int:
        """The node of it all.

        A trigger that may be a control token is read by itself, after free text that may stop where it does; all others
        are read with the text by one machine, whatever their number.
        """
        productions = list(self._ends)
        plain = [way for way in self._ways if not markers_in(way[0])]
        if plain:
            leaving = tuple(trigger for trigger, _ in plain)
            others = tuple(string for string in self._critical if string not in set(leaving))
            machine = encode(automaton(FreeText(self._excluded, others, leaving)))
            productions.append((Switch(machine, tuple(node for _, node in plain)),))
        for trigger, node in self._ways:
            if markers_in(trigger):
                text = text_before(trigger, trigger, excluded=self._excluded, critical=self._critical)
                productions.append((*text, *read(trigger), Call(node)))
        self._tree.define(self._turn, productions)
        if begins_with_tag:
            return self._tree.node([(*read(trigger), Call(node)) for trigger, node in self._ways], "a tag")
        return self._turn


def _check_triggers(fields: Fields, triggers: tuple[str, ...], excludes: tuple[str, ...]) -> None:
    name = "rules" if "rules" in fields.given else "triggers"
    inside = overlap(triggers)
    if inside is not None:
        one, other = (triggers[i] for i in inside)
        reason = f"the trigger {excerpt(one)} holds the trigger {excerpt(other)}, which would always come first"
        raise fields.fault(name, reason, inside[0])
    held = holds(triggers, excludes)
    if held is not None:
        reason = f"{excerpt(excludes[held[1]])} is excluded, but stands in the trigger {excerpt(triggers[held[0]])}"
        raise fields.fault("excludes", reason, held[1])


def _free_token(fields: Fields, name: str, triggers: Sequence[object]) -> Lex:
    """One token of free text in which tokens are triggers; text never holds a control token."""
    are_names = {isinstance(trigger, str) for trigger in triggers}
    if len(are_names) > 1:
        reason = "some triggers are names of control tokens and some are ids"
        raise UnsupportedError(Problem(reason, place=fields.at(name), remedy="give only one of the two"))
    return Lex(encode(ANY_CHARACTER)) if True in are_names else Lex(other_token(fields, triggers))


def _token_triggered_tags(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    triggers = fields.items("trigger_tokens", least=1)
    one = _free_token(fields, "trigger_tokens", triggers)
    known = [one_token(trigger, fields.at("trigger_tokens", i)) for i, trigger in enumerate(triggers)]
    turn = nodes.tree.reserve("free text or a tag")
    end = Call(nodes.closed((), close, "the end"))
    after = end if fields.flag("stop_after_first") else Call(turn)
    ways: list[Production] = []
    for tag in _tags(nodes, fields):
        if _end(tag, "begin") not in known:
            raise tag.fault("begin", "the tag begins with none of the trigger tokens")
        node = yield from _tag(nodes, tag, ())
        ways.append((Call(node), after))
    nodes.tree.define(turn, [(end,), (one, Call(turn)), *ways])
    return nodes.tree.node(ways, "a tag") if fields.flag("at_least_one") else turn


def _token_dispatch(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    rules = _rules(fields)
    one = _free_token(fields, "rules", [rule[0] for rule in rules])
    turn = nodes.tree.reserve("free text, or what follows a token")
    end = Call(nodes.closed((), close, "the end"))
    after = Call(turn) if fields.flag("loop", usual=True) else end
    ways: list[Production] = []
    for i, (trigger, below) in enumerate(rules):
        token = Lex(one_token(trigger, fields.at("rules", i, 0)))
        node = yield Need(below, fields.at("rules", i, 1))
        ways.append((token, Call(node), after))
    return nodes.tree.define(turn, [(end,), (one, Call(turn)), *ways])


#: Type to kind.
TAGS: Final[dict[str, Kind]] = {
    "dispatch": Kind(_dispatch, ("rules",), ("loop", "excludes")),
    "tag": Kind(_tag, ("begin", "content", "end")),
    "tags_with_separator": Kind(_tags_with_separator, ("tags", "separator"), ("at_least_one", "stop_after_first")),
    "token_dispatch": Kind(_token_dispatch, ("rules",), ("loop", "exclude_tokens")),
    "token_triggered_tags": Kind(
        _token_triggered_tags,
        ("trigger_tokens", "tags"),
        ("exclude_tokens", "at_least_one", "stop_after_first"),
    ),
    "triggered_tags": Kind(_triggered_tags, ("triggers", "tags"), ("at_least_one", "stop_after_first", "excludes")),
}

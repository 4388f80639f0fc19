"""Types of formats in structural tags that are no tags: strings, schemas, patterns, grammars, tokens, combinations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from maskwright.constraint import Constraint, is_empty_text, json_schema, regex
from maskwright.errors import ConstraintError, LimitError, Problem, UnsupportedError, excerpt
from maskwright.network.lexeme import EPSILON, Term, subtract, token, token_ids
from maskwright.network.nodes import Call, Lex, Network, Production
from maskwright.tags.formats import FORMATS, ToolFormat
from maskwright.tags.network import markers_in, read, spelled
from maskwright.tags.parameters import parameters_node, read_parameters
from maskwright.tags.structural_nodes import Close, Fields, Kind, Maker, Need, Nodes, fault, read_end

__all__ = ["PARTS", "grammar_kind", "one_token", "other_token"]

#: Styles of schemas whose members are elements of their own; newlines around values may be there or not.
_STYLES: Final[dict[str, ToolFormat]] = {
    "qwen_xml": replace(FORMATS["qwen3_coder"], parameter_middle=">", parameter_end="</parameter>"),
    "glm_xml": FORMATS["glm"],
}
#: Repetitions of repetitions of ...: what may follow is looked for in all of them at every step.
_MOST_REPEATS: Final = 200
#: No vocabulary has ids as high.
_LAST_ID: Final = (1 << 31) - 1


def _const_string(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    value = fields.text("value")
    return nodes.closed(read(value), close, f"{excerpt(value)}")
    yield  # a maker is a generator, also where it needs no other node


def _any_text(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    fields.refuse(max_tokens=None)
    most = None if fields.given.get("max_chars") is None else fields.number("max_chars")
    return nodes.tree.node(nodes.free(fields, fields.marks("excludes"), close, most=most), "free text")
    yield


def _within(place: str, inner: str) -> str:
    """A place within what stands at another place: a JSON pointer, or line and column."""
    return place + inner[1:] if inner.startswith("#") else f"{place}:{inner}" if inner else place


def _told(nodes: Nodes, place: str, make: Callable[[], Constraint]) -> Constraint:
    """A constraint whose problems are told with the place of what it is made of."""
    try:
        made = make()
    except ConstraintError as error:
        raise type(error)(
            *(replace(problem, place=_within(place, problem.place)) for problem in error.problems)
        ) from error
    nodes.warnings.extend(made.warnings)
    return made


def _regex(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    pattern = fields.text("pattern")
    made = _told(nodes, fields.at("pattern"), lambda: regex(pattern, dialect="ecma", limits=nodes.limits))
    term = made.term or EPSILON
    # What matches only the empty text reads nothing at all.
    is_nothing = is_empty_text(subtract(term, EPSILON), nodes.limits)
    return nodes.closed(() if is_nothing else spelled(term), close, f"text that matches {pattern:.60}")
    yield


def _json_schema(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    fields.refuse(excludes=[])
    policies = dict(nodes.policies)
    if fields.flag("any_order"):
        policies["property_order"] = "any"
    if fields.given.get("max_whitespace_cnt") == 0:
        policies["whitespace"] = "compact"
    else:
        fields.refuse(max_whitespace_cnt=None)
    style = fields.given.get("style", "json")
    if style not in ("json", *_STYLES):
        reason, remedy = f"style {excerpt(style)} is not enforced", f"known: json, {', '.join(_STYLES)}"
        raise UnsupportedError(Problem(reason, place=fields.at("style"), keyword="style", remedy=remedy))
    schema = fields.given["json_schema"]
    place = fields.at("json_schema")

    def network(source: Any) -> Network:
        return _told(nodes, place, lambda: json_schema(source, limits=nodes.limits, **policies)).network

    if style == "json":
        return nodes.closed((nodes.tree.part(network(schema), is_value=True),), close, "JSON")
    return nodes.closed((_elements(nodes, place, style, schema, network),), close, "parameters")
    yield


def _elements(nodes: Nodes, place: str, style: str, schema: object, network: Callable[[Any], Network]) -> Call:
    """The members of an object as elements of their own."""
    if schema is True:
        schema = {}
    if not isinstance(schema, Mapping):
        raise fault(place, f"elements are the members of an object, not {excerpt(schema)}", keyword="style")
    try:
        read = read_parameters({"type": "object", **schema}, network, nodes.limits)
        return Call(parameters_node(nodes.tree, _STYLES[style], read, nodes.limits, is_loose=True))
    except UnsupportedError as error:
        raise UnsupportedError(*(replace(one, place=_within(place, one.place)) for one in error.problems)) from error


def grammar_kind(readers: Mapping[str, Callable[..., Constraint]]) -> Kind:
    """The type of formats that are grammars, in some syntaxes."""

    def make(nodes: Nodes, fields: Fields, close: Close) -> Maker:
        text, syntax = fields.text("grammar"), fields.given.get("syntax", "ebnf")
        reader = readers.get(syntax) if isinstance(syntax, str) else None
        if reader is None:
            raise fields.fault("syntax", f"unknown syntax {excerpt(syntax)}", remedy=f"known: {', '.join(readers)}")
        made = _told(nodes, fields.at("grammar"), lambda: reader(text, limits=nodes.limits))
        return nodes.closed((nodes.tree.part(made.network),), close, "text of a grammar")
        yield

    return Kind(make, ("grammar",), ("syntax",))


# ---- tokens


def one_token(value: object, place: str) -> Term:
    """The byte term of a token that is named by its id, or by its name if it is a control token."""
    if isinstance(value, str) and value:
        return token(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return token_ids([(value, value)])
    raise fault(place, f"a token is an id or the name of a control token, not {excerpt(value)}", keyword="token")


def other_token(fields: Fields, also: Sequence[object] = ()) -> Term:
    """The byte term of one token that is not excluded."""
    listed = [*fields.items("exclude_tokens"), *also]
    for i, value in enumerate(listed):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            reason = f"tokens are excluded by id, not {excerpt(value)}"
            raise UnsupportedError(Problem(reason, place=fields.at("exclude_tokens", i), keyword="exclude_tokens"))
    edges = [-1, *sorted({int(value) for value in listed}), _LAST_ID]
    return token_ids([(low + 1, high - 1) for low, high in pairwise(edges)])


def _token(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    term = one_token(fields.given["token"], fields.at("token"))
    return nodes.closed((Lex(term),), close, "a token")
    yield


def _exclude_token(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    return nodes.closed((Lex(other_token(fields)),), close, "a token")
    yield


def _any_tokens(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    most = None if fields.given.get("max_tokens") is None else max(fields.number("max_tokens"), 0)
    one = nodes.tree.node([(Lex(other_token(fields)),)], "a token")
    return nodes.closed((nodes.tree.times(one, 0, most),), close, "tokens")
    yield


# ---- combinations


def _sequence(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    elements = fields.items("elements", least=1)
    symbols: list[Call] = []
    for i, element in enumerate(elements):
        is_last = i == len(elements) - 1
        node = yield Need(element, fields.at("elements", i), close if is_last else ())
        symbols.append(Call(node))
    return nodes.tree.node([tuple(symbols)], "a sequence")


def _or(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    elements = fields.items("elements", least=1)
    words = [_word(element) for element in elements]
    ways: list[Production] = []
    for i, (element, word) in enumerate(zip(elements, words, strict=True)):
        if not word:
            node = yield Need(element, fields.at("elements", i), close)
            ways.append((Call(node),))
    if any(words):
        end = nodes.closed((), close, "the end")
        ways.append((Call(nodes.tree.one_of([(word, end) for word in words if word], "one of several strings")),))
    return nodes.tree.node(ways, "one of several formats")


def _word(element: object) -> str:
    """The string that a format is; empty if it is more than a string, or none that can be read as text."""
    if not isinstance(element, Mapping) or element.keys() != {"type", "value"} or element["type"] != "const_string":
        return ""
    value = element["value"]
    return value if isinstance(value, str) and value.isprintable() and not markers_in(value) else ""


def _optional(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    node = yield Need(fields.given["content"], fields.at("content"), close)
    nothing: list[Production] = [read_end(end) for end in close] if close else [()]
    return nodes.tree.node([(Call(node),), *nothing], "a format or nothing")


def _star(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    return (yield from _repeated(nodes, fields, close, 0, None))


def _plus(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    return (yield from _repeated(nodes, fields, close, 1, None))


def _repeat(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    least, most = fields.number("min"), fields.number("max")
    if least < 0 or -1 < most < least:
        raise fields.fault("max", f"from {least} to {most} times is never")
    return (yield from _repeated(nodes, fields, close, least, None if most < 0 else most))


def _repeated(nodes: Nodes, fields: Fields, close: Close, least: int, most: int | None) -> Maker:
    nodes.repeats += 1
    if nodes.repeats > _MOST_REPEATS:
        remedy = f"at most {_MOST_REPEATS} repetitions within each other"
        raise LimitError(Problem("repetitions nest too deeply", place=fields.place[:200], remedy=remedy))
    node = yield Need(fields.given["content"], fields.at("content"))
    nodes.repeats -= 1
    return nodes.closed((nodes.tree.times(node, least, most, fields.place),), close, "a repeated format")


def _qwen_xml_parameter(nodes: Nodes, fields: Fields, close: Close) -> Maker:
    own = Fields({**fields.given, "style": "qwen_xml"}, fields.place, nodes.limits)
    return (yield from _json_schema(nodes, own, close))


#: Type to kind.
PARTS: Final[dict[str, Kind]] = {
    "any_text": Kind(_any_text, (), ("excludes", "max_chars", "max_tokens")),
    "any_tokens": Kind(_any_tokens, (), ("exclude_tokens", "max_tokens")),
    "const_string": Kind(_const_string, ("value",)),
    "exclude_token": Kind(_exclude_token, (), ("exclude_tokens",)),
    "json_schema": Kind(_json_schema, ("json_schema",), ("style", "any_order", "max_whitespace_cnt", "excludes")),
    "optional": Kind(_optional, ("content",)),
    "or": Kind(_or, ("elements",)),
    "plus": Kind(_plus, ("content",)),
    "qwen_xml_parameter": Kind(_qwen_xml_parameter, ("json_schema",)),
    "regex": Kind(_regex, ("pattern",)),
    "repeat": Kind(_repeat, ("min", "max", "content")),
    "sequence": Kind(_sequence, ("elements",)),
    "star": Kind(_star, ("content",)),
    "token": Kind(_token, ("token",)),
}

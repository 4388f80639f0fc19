"""Which texts are turns of a model with tools: a recogniser of re and json that knows nothing of the package.

``is_answer`` reads a text from left to right, one call at a time, and asks ``meets`` whether a tool may be called with
some arguments. Layouts are written down here once more, from the same public descriptions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

__all__ = ["LAYOUTS", "is_answer"]

Meets = Callable[[str, Any], bool]


class Layout(NamedTuple):
    """One family: where text may stand, and what a call looks like."""

    text: str
    call: str
    begin: str = ""
    end: str = ""
    between: str = ""
    section: tuple[str, str] = ("", "")
    keys: tuple[str, ...] = ("arguments",)
    middle: str = ""
    id: str = ""
    trigger: str = ""


LAYOUTS: Final = {
    "hermes": Layout("around", "object", "<tool_call>\n", "\n</tool_call>", "\n", trigger="<tool_call>"),
    "llama3": Layout("instead", "object", between="; ", keys=("parameters",), trigger="<|python_tag|>"),
    "json": Layout("instead", "object", keys=("arguments", "parameters")),
    "mistral_old": Layout("before", "array", section=("[TOOL_CALLS]", ""), trigger="[TOOL_CALLS]"),
    "phi4": Layout("before", "array", section=("<|tool_call|>", "<|/tool_call|>"), trigger="<|tool_call|>"),
    "mistral": Layout(
        "before",
        "named",
        "[TOOL_CALLS]",
        middle="[ARGS]",
        id=r"(?:\[CALL_ID\][A-Za-z0-9]{9})?",
        trigger="[TOOL_CALLS]",
    ),
    "functionary_v3.1": Layout("around", "named", "<function=", "</function>", middle=">", trigger="<function="),
    "functionary_v3.2": Layout("block", "named", middle="\n", between=">>>", trigger=">>>", section=("all\n", "")),
    "deepseek": Layout(
        "before",
        "named",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁call▁end｜>",
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        middle="<｜tool▁sep｜>",
        trigger="<｜tool▁calls▁begin｜>",
    ),
    "deepseek_r1": Layout(
        "before",
        "named",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
        "\n```<｜tool▁call▁end｜>",
        "\n",
        section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        middle="\n```json\n",
        trigger="<｜tool▁calls▁begin｜>",
    ),
    "kimi": Layout(
        "before",
        "named",
        "<|tool_call_begin|>functions.",
        "<|tool_call_end|>",
        section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        middle="<|tool_call_argument_begin|>",
        id=":(?:0|[1-9][0-9]{0,5})",
        trigger="<|tool_calls_section_begin|>",
    ),
}
_BLANKS: Final = " \t\n\r"


class _No(Exception):  # noqa: N818  (never leaves this file)
    """The text is no answer."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _No
    return dict(pairs)


def _refuse(name: str) -> Any:
    raise _No


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse)


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise _No from None


def _literal(text: str, at: int, literal: str) -> int:
    if not text.startswith(literal, at):
        raise _No
    return at + len(literal)


def _check_object(layout: Layout, value: Any, meets: Meets, *, has_id: bool) -> None:
    ok = isinstance(value, dict) and len(value) >= 2 and list(value)[0] == "name" and list(value)[1] in layout.keys  # noqa: RUF015
    rest = list(value)[2:] if ok else ["?"]
    if rest and not (has_id and rest == ["id"] and re.fullmatch("[A-Za-z0-9]{9}", str(value["id"]))):
        raise _No
    if not isinstance(value["name"], str) or not meets(value["name"], value[list(value)[1]]):
        raise _No


def _call(layout: Layout, text: str, at: int, meets: Meets) -> int:
    at = _literal(text, at, layout.begin)
    if layout.call == "object":
        value, at = _value(text, at)
        _check_object(layout, value, meets, has_id=False)
    else:
        name = re.compile("[A-Za-z0-9_-]+").match(text, at)
        if not name:
            raise _No
        end = re.compile(layout.id).match(text, name.end()) if layout.id else name
        if end is None:
            raise _No
        value, at = _value(text, _literal(text, end.end(), layout.middle))
        if not meets(name[0], value):
            raise _No
    return _literal(text, at, layout.end)


def _calls(layout: Layout, text: str, at: int, meets: Meets, *, parallel: bool) -> int:
    """Reads at least one call."""
    at = _call(layout, text, at, meets)
    while parallel:
        try:
            at = _call(layout, text, _literal(text, at, layout.between), meets)
        except _No:
            break
    return at


def _array(layout: Layout, text: str, at: int, meets: Meets, *, parallel: bool, has_id: bool) -> int:
    if has_id and text.startswith(" ", at):
        at += 1
    value, at = _value(text, at)
    if not isinstance(value, list) or not value or (len(value) > 1 and not parallel):
        raise _No
    for one in value:
        _check_object(layout, one, meets, has_id=has_id and layout.section[0] == "[TOOL_CALLS]")
    return at


def _section(layout: Layout, text: str, at: int, meets: Meets, *, parallel: bool) -> None:
    at = _literal(text, at, layout.section[0])
    if layout.call == "array":
        at = _array(layout, text, at, meets, parallel=parallel, has_id=True)
    else:
        at = _calls(layout, text, at, meets, parallel=parallel)
    if _literal(text, at, layout.section[1]) != len(text):
        raise _No


def _instead(layout: Layout, text: str, meets: Meets, mode: str, *, parallel: bool) -> None:
    bare = text.lstrip(_BLANKS)
    is_text = bare and bare[0] not in ("{[" if not layout.between else "{")
    if is_text and not (layout.trigger and layout.trigger in text):
        if mode not in ("auto", "none"):
            raise _No
        return
    if mode == "none":
        raise _No
    if layout.trigger and text.startswith(layout.trigger):
        bare = text.removeprefix(layout.trigger)
    if bare.startswith("[") and not layout.between:
        end = _array(layout, bare, 0, meets, parallel=parallel, has_id=False)
    else:
        end = _calls(layout, bare, 0, meets, parallel=parallel and bool(layout.between))
    if end != len(bare):
        raise _No


def _read(layout: Layout, text: str, meets: Meets, mode: str, *, parallel: bool) -> None:
    if layout.text == "instead":
        return _instead(layout, text, meets, mode, parallel=parallel)
    if layout.text == "block":
        if text.startswith(layout.section[0]) and mode in ("auto", "none"):
            _, found, text = text.removeprefix(layout.section[0]).partition(layout.between)
            if not found:
                return None
        if mode == "none":
            raise _No
        if _calls(layout, text, 0, meets, parallel=parallel) != len(text):
            raise _No
        return None
    at = text.find(layout.trigger)
    if at < 0 or mode == "none":
        if at >= 0 or mode not in ("auto", "none"):
            raise _No
        return None
    if mode != "auto" and at > 0:
        raise _No
    if layout.text == "before":
        return _section(layout, text, at, meets, parallel=parallel)
    if mode != "auto":
        if _calls(layout, text, at, meets, parallel=parallel) != len(text):
            raise _No
        return None
    while at >= 0:
        end = _call(layout, text, at, meets)
        if not parallel and end != len(text):
            raise _No
        at = text.find(layout.trigger, end)
    return None


def is_answer(name: str, text: str, meets: Meets, mode: str, *, parallel: bool) -> bool:
    """Whether a text is a turn; ``mode`` is auto, none or required, or named with ``meets`` for one tool only."""
    try:
        _read(LAYOUTS[name], text, meets, mode, parallel=parallel and mode != "named")
    except _No:
        return False
    return True

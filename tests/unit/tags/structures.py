"""What a structural tag accepts, by trying every split: a recogniser that shares nothing with the package.

``places`` gives the places where a format, begun at some place of a text, may have ended. Free text in front of an end
stops at the first place where that end, or anything else that it must not hold, is complete.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["accepts"]

Format = dict[str, Any]


def accepts(given: Format, text: str) -> bool:
    """Whether a text is one of a format."""
    return len(text) in places(given, text, 0, ())


def first(text: str, at: int, strings: list[str]) -> tuple[int, set[str]]:
    """Where the first of some strings is complete, and which are; behind the text if none is."""
    for end in range(at + 1, len(text) + 1):
        found = {s for s in strings if text.endswith(s, at, end)}
        if found:
            return end, found
    return len(text) + 1, set()


def free(
    text: str, at: int, excluded: list[str], close: tuple[str, ...], triggers: list[str], most: int | None = None
) -> set[int]:
    """What is excluded does not stand in the text; an end or trigger is not complete before the end that is meant."""
    bad, _ = first(text, at, excluded)
    stop, found = first(text, at, [*triggers, *close])
    if not close:
        return {end for end in range(at, min(stop, bad, len(text) + 1)) if most is None or end - at <= most}
    ends = [stop - len(end) for end in close if end in found]
    return {stop for end in ends if end < bad and (most is None or end - at <= most)}


def closed(text: str, ends: set[int], close: tuple[str, ...]) -> set[int]:
    if not close:
        return ends
    return {at + len(end) for at in ends for end in close if text.startswith(end, at)}


def repeated(given: Format, text: str, at: int, least: int, most: int | None) -> set[int]:
    found = {at} if least == 0 else set()
    here, count, seen = {at}, 0, set()
    while here and (most is None or count < most) and (count < least or (frozenset(here), count >= least) not in seen):
        seen.add((frozenset(here), count >= least))
        here = {end for place in here for end in places(given, text, place, ())}
        count += 1
        if count >= least:
            found |= here
    return found


def tag(given: Format, text: str, at: int, close: tuple[str, ...], skip: int = 0) -> set[int]:
    begin = given["begin"][skip:]
    if not text.startswith(begin, at):
        return set()
    end = given["end"] if isinstance(given["end"], list) else [given["end"]]
    if end == [""]:
        return places(given["content"], text, at + len(begin), close)
    return closed(text, places(given["content"], text, at + len(begin), tuple(end)), close)


def triggered(given: Format, text: str, at: int, close: tuple[str, ...]) -> set[int]:
    excludes = given.get("excludes", [])
    if given["type"] == "dispatch":
        triggers = [rule[0] for rule in given["rules"]]
        is_last = not given.get("loop", True)
    else:
        triggers, is_last = given["triggers"], given.get("stop_after_first", False)

    def after(trigger: str, place: int) -> set[int]:
        if given["type"] == "dispatch":
            return {e for t, rule in given["rules"] if t == trigger for e in places(rule, text, place, ())}
        tags = [one for one in given["tags"] if one["begin"].startswith(trigger)]
        return {e for one in tags for e in tag(one, text, place, (), len(trigger))}

    found: set[int] = set()
    if given.get("at_least_one", False):
        todo = {e for t in triggers if text.startswith(t, at) for e in after(t, at + len(t))}
        if is_last:
            return closed(text, todo, close)
    else:
        todo = {at}
    seen: set[int] = set()
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        found |= free(text, place, excludes, close, triggers)
        stop, met = first(text, place, [*triggers, *close])
        for trigger in met & set(triggers) if stop < first(text, place, excludes)[0] else ():
            reached = after(trigger, stop)
            if is_last:
                found |= closed(text, reached, close)
            else:
                todo |= reached
    return found


def places(given: Format, text: str, at: int, close: tuple[str, ...]) -> set[int]:
    """Where a format that begins at a place may end, what closes it included."""
    match given["type"]:
        case "const_string":
            value = given["value"]
            return closed(text, {at + len(value)} if text.startswith(value, at) else set(), close)
        case "any_text":
            return free(text, at, given.get("excludes", []), close, [], given.get("max_chars"))
        case "regex":
            pattern = re.compile(given["pattern"])
            return closed(text, {e for e in range(at, len(text) + 1) if pattern.fullmatch(text, at, e)}, close)
        case "json_schema":
            return closed(text, {e for e in range(at + 1, len(text) + 1) if is_number(text[at:e])}, close)
        case "sequence":
            here = {at}
            for element in given["elements"][:-1]:
                here = {end for place in here for end in places(element, text, place, ())}
            return {end for place in here for end in places(given["elements"][-1], text, place, close)}
        case "or":
            return {end for element in given["elements"] for end in places(element, text, at, close)}
        case "optional":
            return places(given["content"], text, at, close) | closed(text, {at}, close)
        case "star" | "plus":
            return closed(text, repeated(given["content"], text, at, int(given["type"] == "plus"), None), close)
        case "repeat":
            most = None if given["max"] < 0 else given["max"]
            return closed(text, repeated(given["content"], text, at, given["min"], most), close)
        case "tag":
            return tag(given, text, at, close)
        case "tags_with_separator":
            return closed(text, separated(given, text, at), close)
        case "triggered_tags" | "dispatch":
            return triggered(given, text, at, close)
    raise AssertionError(given["type"])


def separated(given: Format, text: str, at: int) -> set[int]:
    one = {"type": "or", "elements": [{"type": "tag", **each} for each in given["tags"]]}
    again = {"type": "sequence", "elements": [{"type": "const_string", "value": given["separator"]}, one]}
    most = 0 if given.get("stop_after_first", False) else None
    found = {e for end in places(one, text, at, ()) for e in repeated(again, text, end, 0, most)}
    return found if given.get("at_least_one", False) else found | {at}


def is_number(text: str) -> bool:
    """The only schema here is of whole numbers without an exponent."""
    return bool(re.fullmatch(r"-?(0|[1-9][0-9]*)", text)) and text != "-0" and isinstance(json.loads(text), int)

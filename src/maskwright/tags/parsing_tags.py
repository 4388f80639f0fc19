"""Texts of structural tags read again: free text, and tags with what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from maskwright.tags.parsing_events import Event, Parsed, Tag, TagBegin, TagDelta, TagEnd
from maskwright.tags.parsing_prose import Prose
from maskwright.tags.parsing_source import Needles, Source, Step

__all__ = ["TagReading", "TagTurn", "tag_reading"]

_A_TAG: Final = "a tag"


@dataclass(frozen=True)
class _Form:
    """How one tag is written."""

    begin: str
    #: What may end it; ``""``: nothing.
    ends: tuple[str, ...]
    #: Whether a JSON value stands in it, which tells its end by itself.
    is_json: bool


@dataclass(frozen=True)
class TagReading:
    """What a structural tag asks for, for whoever reads the output again."""

    tags: tuple[_Form, ...]
    #: What begins a tag in free text; without any there is no free text.
    triggers: tuple[str, ...] = ()
    #: What stands between two tags where there is no free text; ``None``: there is only one.
    separator: str | None = None
    #: As for :class:`maskwright.tags.formats.Reading`.
    thinking: tuple[str, str] | None = None


def tag_reading(given: Mapping[str, Any]) -> TagReading | None:
    """How the texts of a format are read, which :func:`maskwright.structural_tag` has accepted.

    ``None`` for formats that are not one tag, tags with a separator, or free text with tags, and for tokens that are
    known by their ids alone: their texts are not told apart. JSON in a tag tells its end by itself; what else stands in
    one ends where the end first comes.
    """
    kind = given.get("type")
    listed = [given] if kind == "tag" else given.get("tags", ())
    if kind not in ("tag", "tags_with_separator", "triggered_tags", "token_triggered_tags"):
        return None
    tags = [_form(tag) for tag in listed]
    known = tuple(tag for tag in tags if tag is not None)
    triggers = given.get("triggers", given.get("trigger_tokens", ()))
    if len(known) < len(tags) or not all(isinstance(trigger, str) for trigger in triggers):
        return None
    separator = given.get("separator") if kind == "tags_with_separator" else None
    return TagReading(known, tuple(triggers), separator)


def _form(tag: Mapping[str, Any]) -> _Form | None:
    end = tag["end"]
    is_list = isinstance(end, Sequence) and not isinstance(end, str)
    begin = _text(tag["begin"])
    ends = [_text(text) for text in (end if is_list else [end])]
    if begin is None or None in ends:
        return None
    return _Form(begin, _longest_first(map(str, ends)), tag["content"].get("type") == "json_schema")


def _text(given: Any) -> str | None:
    """A literal, or the name of a control token."""
    text = given.get("token") if isinstance(given, Mapping) else given
    return text if isinstance(text, str) else None


def _longest_first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(texts, key=len, reverse=True))


class TagTurn:
    """One text while it is read."""

    def __init__(self, reading: TagReading, source: Source, events: list[Event]) -> None:
        """Stand before the text."""
        self._reading = reading
        self._source = source
        self._events = events
        self._text = Prose(source, events, keeps_blanks=True)
        self._tags: list[Tag] = []
        self._forms = sorted(reading.tags, key=lambda form: len(form.begin), reverse=True)

    def parsed(self) -> Parsed:
        """What was read."""
        return Parsed("".join(self._text.content), "".join(self._text.reasoning), tags=tuple(self._tags))

    def read(self) -> Step[None]:
        """The whole text."""
        reading, source = self._reading, self._source
        if reading.thinking is not None:
            yield from self._text.think(*reading.thinking)
        if not reading.triggers:
            yield from self._listed()
            return
        stop = Needles(*reading.triggers)
        while (yield from self._text.until(stop)):
            source.keep()
            yield from self._tag()
            source.forget()

    def _listed(self) -> Step[None]:
        """Tags with nothing but a separator between them."""
        source, separator = self._source, self._reading.separator
        source.keep()
        goes_on = separator is None or not (yield from source.is_over())
        while goes_on:
            yield from self._tag()
            source.keep()
            goes_on = bool(separator is not None and not (yield from source.is_over()))
            if goes_on and not (yield from source.takes(separator or "")):
                raise source.error(f"expected {separator}")
        if not (yield from source.is_over()):
            raise source.error("expected the end of the text after the tags")

    def _tag(self) -> Step[None]:
        source, index = self._source, len(self._tags)
        form = yield from self._begin()
        self._events.append(TagBegin(index, form.begin))
        parts: list[str] = []

        def grow(text: str) -> None:
            parts.append(text)
            self._events.append(TagDelta(index, text))

        value = None
        if form.is_json:
            value = yield from source.value(_A_TAG, grow)
        elif form.ends == ("",):
            yield from source.until(Needles(), grow)
        else:
            ends = yield from source.until(Needles(*(end for end in form.ends if end)), grow)
            if not ends and "" not in form.ends:
                raise source.error("the text ends inside a tag")
        end = yield from self._end(form)
        tag = Tag(form.begin, "".join(parts), end, value)
        self._tags.append(tag)
        self._events.append(TagEnd(index, tag))

    def _begin(self) -> Step[_Form]:
        """The beginning that comes next, the longest one that does."""
        for form in self._forms:
            if (yield from self._source.takes(form.begin)):
                return form
        raise self._source.error("no tag begins like this")

    def _end(self, form: _Form) -> Step[str]:
        if form.ends == ("",):
            return ""
        end = yield from self._source.comes(*filter(None, form.ends), inside=_A_TAG)
        if not end and "" not in form.ends:
            raise self._source.error(f"expected {form.ends[0]}")
        self._source.at += len(end)
        return end

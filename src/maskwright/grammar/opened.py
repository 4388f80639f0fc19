r"""What a prompt leaves open: the JSON value at its end that a model would go on with.

:func:`opened` is ``open(P)`` of the root ``insidevalue``, a definition of ours. First, with quotes ignored, the prompt
is searched for an object or array: complete ones are jumped over, one that begins well and does not end is the answer.
If there is none, the prompt is searched for a string in the same way, complete containers being jumped over. Numbers
and literals never count as open. It is a heuristic, ``Use "{" to start`` reads as an open object, so a prefix can be
given instead.

**Linear time.** An attempt that failed is never repeated: each container that it entered is remembered as complete or
not. Attempts begin in what the one before took for a string, so two that read the same character disagree about whether
it is in a string, and no third reads it. Open containers are a list, there is no recursion.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Fault", "Opened", "opened", "read_prefix"]

_BLANKS: Final = re.compile(r"[ \t\n\r]*+")
_BRACKET: Final = re.compile(r"[{\[]")
_BRACKET_OR_QUOTE: Final = re.compile(r'[{\["]')
#: Whole characters of a string: escaped surrogates only in pairs.
_BODY: Final = re.compile(
    r'(?:[^"\\\x00-\x1f\ud800-\udfff]++|\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}'
    r"|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})))*+"
)
#: A character that is begun at the end of a text is one that some of these make whole.
_ENDINGS: Final = ("n", "0000", "000", "00", "0", "00\\udc00", "0\\udc00", "\\udc00", "udc00", "dc00", "c00")
_LONGEST_HALF: Final = len("\\ud800\\udc0")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_NUMERIC: Final = re.compile(r"[-+.eE0-9]*+")
_LITERALS: Final = ("true", "false", "null")

#: What is expected: a value, or the first element or member of a container (which may also end at once), a key, a
#: colon, or after a value the comma or the end.
_VALUE, _ELEMENT, _MEMBER, _KEY, _COLON, _MORE = range(6)
#: What a mark of a container leads to, by its bracket and what was expected; ``_MORE`` is behind its end.
_STEPS: Final = {
    ("[", _ELEMENT, "]"): _MORE,
    ("[", _MORE, "]"): _MORE,
    ("[", _MORE, ","): _VALUE,
    ("{", _MEMBER, "}"): _MORE,
    ("{", _MORE, "}"): _MORE,
    ("{", _MORE, ","): _KEY,
    ("{", _COLON, ":"): _VALUE,
}
#: The shortest text of a container in which this is expected.
_OUTLINES: Final = {
    ("[", _ELEMENT): "[",
    ("[", _VALUE): "[0,",
    ("[", _MORE): "[null",
    ("{", _MEMBER): "{",
    ("{", _KEY): '{"":0,',
    ("{", _COLON): '{""',
    ("{", _VALUE): '{"":',
    ("{", _MORE): '{"":null',
}


class Opened(NamedTuple):
    """A value that is begun and may go on."""

    #: The beginning, as it was written.
    text: str
    #: A text that can be gone on with in the same ways, without what is complete: a few characters a container.
    outline: str


class Fault(NamedTuple):
    """Where a text stops being the beginning of a value, counted in characters."""

    place: int


def opened(prompt: str) -> Opened | None:
    """The value that a prompt leaves open, or ``None``; linear in the prompt's length."""
    scan = _Scan(prompt)
    at = 0
    while mark := _BRACKET.search(prompt, at):
        found = scan.value(mark.start())
        if isinstance(found, Opened):
            return found
        at = found if isinstance(found, int) else mark.start() + 1
    return _opened_string(prompt, scan)


def read_prefix(text: str) -> Opened | Fault:
    """A text as the beginning of a value, or the place where it is none; a complete value counts as its beginning."""
    if not text:
        return Opened("", "")
    found = _Scan(text).value(0)
    if isinstance(found, int):
        return Opened(text, "null") if found == len(text) else Fault(found)
    return found


def _opened_string(prompt: str, scan: _Scan) -> Opened | None:
    at = 0
    #: Quotes before it are escaped characters of a string that does not go on there, so theirs would not either.
    dead = 0
    while mark := _BRACKET_OR_QUOTE.search(prompt, at):
        place = mark.start()
        at = place + 1
        if mark[0] != '"':
            found = scan.value(place)
            at = found if isinstance(found, int) else at
        elif place >= dead:
            end, half = _string(prompt, place)
            if half is not None:
                return Opened(prompt[place:], half)
            if end >= 0:
                at = end
            else:
                dead = ~end
    return None


class _Wrong(Exception):  # noqa: N818  (caught in this file)
    """No value goes on with the character at a place."""

    def __init__(self, place: int) -> None:
        self.place = place


class _Over(Exception):  # noqa: N818  (caught in this file)
    """The text ends where something is expected, after a tail that is not whole."""

    def __init__(self, expected: int, tail: str = "") -> None:
        self.expected, self.tail = expected, tail


class _Scan:
    """Attempts to read values of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: By the place of the bracket of a container that was entered: where it ends, ``None`` if it does not.
        self.ends: dict[int, int | None] = {}

    def value(self, start: int) -> int | Opened | Fault:
        """Where the value that begins here ends, that it is open, or the place where it is none."""
        #: Places of the brackets of open containers.
        stack: list[int] = []
        try:
            return self._read(start, stack)
        except _Wrong as wrong:
            return Fault(wrong.place)
        except _Over as over:
            outer = "".join('{"":' if self.text[place] == "{" else "[" for place in stack[:-1])
            inner = _OUTLINES[self.text[stack[-1]], over.expected] if stack else ""
            return Opened(self.text[start:], outer + inner + over.tail)
        finally:
            self.ends.update(dict.fromkeys(stack))

    def _read(self, at: int, stack: list[int]) -> int:
        text, expected = self.text, _VALUE
        while True:
            if stack:
                at = _after(_BLANKS, text, at)
            if at == len(text):
                raise _Over(expected)
            mark = text[at]
            step = _STEPS.get((text[stack[-1]] if stack else "", expected, mark))
            if step is not None:
                at += 1
                if step == _MORE:
                    self.ends[stack.pop()] = at
                expected = step
            elif expected in (_MEMBER, _KEY):
                at, expected = self._string(at, expected), _COLON
            elif expected > _ELEMENT:
                raise _Wrong(at)
            elif mark in "{[" and at not in self.ends:
                stack.append(at)
                at, expected = at + 1, _MEMBER if mark == "{" else _ELEMENT
            else:
                at, expected = self._known(at) if mark in "{[" else self._scalar(at, expected), _MORE
            if expected == _MORE and not stack:
                return at

    def _known(self, at: int) -> int:
        end = self.ends[at]
        if end is None:
            raise _Wrong(at)
        return end

    def _scalar(self, at: int, expected: int) -> int:
        """The end of a string, number or literal. A number at the end of the text may go on."""
        text = self.text
        if text[at] == '"':
            return self._string(at, expected)
        for literal in _LITERALS:
            if text.startswith(literal, at):
                return at + len(literal)
            if len(text) - at < len(literal) and literal.startswith(text[at:]):
                raise _Over(expected, text[at:])
        end = _after(_NUMERIC, text, at)
        if end == len(text) and _NUMBER.fullmatch(text[at:] + "0"):
            raise _Over(expected, text[at:])
        found = _NUMBER.match(text, at)
        if not found:
            raise _Wrong(at)
        return found.end()

    def _string(self, at: int, expected: int) -> int:
        end, half = _string(self.text, at)
        if half is not None:
            raise _Over(expected, half)
        if end < 0:
            raise _Wrong(~end)
        return end


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of a match of a pattern that also matches nothing."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _string(text: str, at: int) -> tuple[int, str | None]:
    """Where the string at a quote ends (``~place``: where it is none), and its outline if it is open."""
    if text[at] != '"':
        return ~at, None
    end = _after(_BODY, text, at + 1)
    if end < len(text) and text[end] == '"':
        return end + 1, None
    half = text[end:]
    if not half or (len(half) <= _LONGEST_HALF and any(_BODY.fullmatch(half + ending) for ending in _ENDINGS)):
        return end, '"' + half
    return ~end, None

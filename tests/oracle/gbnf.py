"""A slow, obvious reader of GBNF, after llama.cpp's: what that refuses is an error, what it accepts a set of ends."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Gbnf"]

_MOST = 2000
_TOKEN = re.compile(
    r'(?P<space>[ \t]+|\#[^\n]*)|(?P<line>\n)|(?P<name>[a-zA-Z0-9-]+)|(?P<is>::=)|(?P<literal>"(?:\\.|[^"\\])*")'
    r"|(?P<class>\[(?:\\.|[^\]\\])*\])|(?P<count>\{\d+(?:,\d*)?\}|[*+?])|(?P<mark>[|().])|(?P<control><[^>]+>)"
)
_CHARACTER = re.compile(r'\\x[0-9A-F]{2}|\\u[0-9A-F]{4}|\\U[0-9A-F]{8}|\\[nrt\\"\[\]]|[^\\]', re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}


def _characters(text: str) -> list[str]:
    pieces = _CHARACTER.findall(text)
    assert "".join(pieces) == text, text
    return [_character(piece) for piece in pieces]


def _character(piece: str) -> str:
    if piece[0] != "\\":
        return piece
    return _PLAIN.get(piece[1], piece[1]) if len(piece) == 2 else chr(int(piece.lstrip("\\xuU"), base=16))


class Gbnf:
    """A grammar; ``matches`` says whether its root reads a whole text."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            assert found is not None, text[at : at + 40]
            at = found.end()
            if found.lastgroup != "space":
                self._tokens.append((str(found.lastgroup), found[0]))
        self._at = 0
        self.rules: dict[str, Any] = {}
        while self._at < len(self._tokens):
            if self._next("line"):
                continue
            name, mark = self._take("name"), self._take("is")
            assert mark == "::="
            assert name not in self.rules, name
            self.rules[name] = self._choice(nested=False)
            assert self._at == len(self._tokens) or self._next("line"), self._tokens[self._at]
        assert "root" in self.rules
        self._check_left_recursion()

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _take(self, kind: str) -> str:
        found, text = self._peek()
        assert found == kind, (found, text)
        self._at += 1
        return text

    def _next(self, kind: str, text: str | None = None) -> bool:
        if self._peek()[0] != kind or text not in (None, self._peek()[1]):
            return False
        self._at += 1
        return True

    def _choice(self, *, nested: bool) -> Any:
        options = [self._sequence(nested=nested)]
        while self._next("mark", "|"):
            while self._next("line"):
                pass
            options.append(self._sequence(nested=nested))
        return ("choice", options)

    def _sequence(self, *, nested: bool) -> Any:
        parts: list[Any] = []
        weight = 1
        while True:
            if nested and self._next("line"):
                continue
            kind, text = self._peek()
            if kind == "count":
                self._at += 1
                least, most = self._counts(text)
                assert max(least, most or 0) < _MOST, text
                weight *= max(most or least, 1)
                assert weight < _MOST, f"{text}: refused by llama.cpp"
                parts[-1] = ("repeat", parts[-1], least, most)
                continue
            weight = 1
            if kind == "literal":
                parts.append(("literal", "".join(_characters(text[1:-1]))))
            elif kind == "class":
                parts.append(self._class(text[1:-1]))
            elif kind == "name":
                parts.append(("rule", text))
            elif kind == "control":
                parts.append(("literal", text))
            elif text == ".":
                parts.append(("class", True, []))
            elif text == "(":
                self._at += 1
                parts.append(self._choice(nested=True))
                weight = self._weight(parts[-1])
                assert self._peek()[1] == ")"
            else:
                return ("sequence", parts)
            self._at += 1

    def _weight(self, part: Any) -> int:
        """The rules that llama.cpp makes of a group."""
        if part[0] in ("choice", "sequence"):
            return (part[0] == "choice") + sum(map(self._weight, part[1]))
        if part[0] == "repeat":
            return self._weight(part[1]) + (1 if part[3] is None else part[3] - part[2])
        return 0

    def _counts(self, text: str) -> tuple[int, int | None]:
        if text in "*+?":
            return int(text == "+"), 1 if text == "?" else None
        least, comma, most = text[1:-1].partition(",")
        return int(least), (int(most) if most else None) if comma else int(least)

    def _class(self, text: str) -> Any:
        is_negated = text.startswith("^")
        points = _CHARACTER.findall(text[is_negated:])
        ranges = []
        while points:
            first = _characters(points.pop(0))[0]
            last = first
            if len(points) > 1 and points[0] == "-":
                last = _characters(points[1])[0]
                del points[:2]
            assert first <= last
            ranges.append((first, last))
        return ("class", is_negated, ranges)

    def _check_left_recursion(self) -> None:
        """No rule reaches itself before a character is read (what may be empty is stepped over)."""
        empty: set[str] = set()

        def is_empty(part: Any) -> bool:
            kind = part[0]
            if kind in ("choice", "sequence"):
                return (any if kind == "choice" else all)(map(is_empty, part[1]))
            if kind == "repeat":
                return part[2] == 0 or is_empty(part[1])
            return part[1] in empty if kind == "rule" else part == ("literal", "")

        size = -1
        while size != len(empty):
            size = len(empty)
            empty |= {name for name, body in self.rules.items() if is_empty(body)}

        def first(part: Any) -> set[str]:
            if part[0] == "rule":
                return {part[1]}
            if part[0] == "choice":
                return set().union(*map(first, part[1]))
            if part[0] == "sequence":
                found: set[str] = set()
                for piece in part[1]:
                    found |= first(piece)
                    if not is_empty(piece):
                        break
                return found
            if part[0] == "repeat":
                assert part[3] == 1 or not is_empty(part[1]), "a loop over what may be empty"
                return first(part[1])
            return set()

        reach = {name: first(body) for name, body in self.rules.items()}
        for name, direct in reach.items():
            seen, todo = set(), list(direct)
            while todo:
                at = todo.pop()
                if at not in seen:
                    seen.add(at)
                    todo.extend(reach[at])
            assert name not in seen, f"{name} is left recursive"

    def matches(self, text: str) -> bool:
        """Whether the root reads all of a (short) text."""
        known: dict[tuple[int, int], frozenset[int]] = {}

        def ends(part: Any, at: int) -> frozenset[int]:
            key = (id(part), at)
            if key not in known:
                known[key] = _ends(part, at)
            return known[key]

        def _ends(part: Any, at: int) -> frozenset[int]:
            match part[0]:
                case "literal":
                    return frozenset([at + len(part[1])] if text.startswith(part[1], at) else [])
                case "class":
                    good = at < len(text) and any(a <= text[at] <= b for a, b in part[2]) != part[1]
                    return frozenset([at + 1] if good else [])
                case "rule":
                    return ends(self.rules[part[1]], at)
                case "choice":
                    return frozenset().union(*(ends(option, at) for option in part[1]))
                case "sequence":
                    places = frozenset([at])
                    for piece in part[1]:
                        places = frozenset(end for place in places for end in ends(piece, place))
                    return places
            _, piece, least, most = part
            places, found, count = frozenset([at]), frozenset[int](), 0
            while places and (most is None or count <= most):
                found |= places if count >= least else frozenset()
                places = frozenset(end for place in places for end in ends(piece, place)) - (
                    found if most is None else frozenset()
                )
                count += 1
            return found

        return len(text) in ends(self.rules["root"], 0)

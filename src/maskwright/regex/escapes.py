r"""One escape sequence: backslash and what it means in a dialect."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from maskwright.errors import PatternError
from maskwright.regex.dialects import Dialect, shorthand
from maskwright.regex.faults import pattern_fault
from maskwright.regex.properties import property_ranges
from maskwright.regex.ranges import Ranges, inversion
from maskwright.regex.syntax import AnchorKind

__all__ = ["Escape", "read_escape"]

#: A code point, a set, or an anchor.
Escape = int | Ranges | AnchorKind

_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")
_BRACED: Final = re.compile(r"\{([0-9A-Fa-f]+)\}")
_TRAILING: Final = re.compile(r"\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_OCTAL: Final = re.compile(r"[0-7]{1,3}")
_PROPERTY: Final = re.compile(r"\{(\^?)([A-Za-z0-9_=: -]+)\}|([A-Za-z])")
_DIGITS: Final = {"x": 2, "u": 4, "U": 8}


def read_escape(text: str, start: int, dialect: Dialect, *, brackets: bool, ascii_only: bool) -> tuple[Escape, int]:
    """The meaning of the escape at ``text[start]`` and the place after it; :class:`PatternError` if it has none."""
    if start + 1 >= len(text):
        raise pattern_fault(text, (start, start + 1), "the pattern ends in a backslash", r"write \\ for a backslash")
    letter = text[start + 1]
    after = start + 2
    if letter in "dwsDWS":
        ranges = shorthand(dialect, letter.lower(), ascii_only=ascii_only)
        return (ranges if letter.islower() else inversion(ranges)), after
    if not letter.isalnum():
        return _identity(text, start, dialect, brackets=brackets), after
    if letter == "b" and brackets and dialect.backspace:
        return 0x08, after
    if letter in dialect.anchors and not brackets:
        return dialect.anchors[letter], after
    if letter in dialect.letters:
        return dialect.letters[letter], after
    if letter.isdigit():
        return _number(text, start, dialect, brackets=brackets)
    return _lettered(text, start, dialect)


def _identity(text: str, start: int, dialect: Dialect, *, brackets: bool) -> int:
    letter = text[start + 1]
    if dialect.identity == "syntax":
        allowed = letter in _SYNTAX or (letter == "-" and brackets)
    elif dialect.identity == "ascii punctuation":
        allowed = letter.isascii() and letter.isprintable() and letter not in "<> "
    else:
        allowed = True
    if allowed:
        return ord(letter)
    reason = f"\\{letter} means nothing in the dialect {dialect.name}"
    raise pattern_fault(text, (start, start + 2), reason, f"write {letter}")


def _number(text: str, start: int, dialect: Dialect, *, brackets: bool) -> tuple[int, int]:
    r"""``\0``, octal numbers, back references."""
    digits = _OCTAL.match(text, start + 1)
    if text[start + 1] == "0" and dialect.null:
        if digits is not None and dialect.octal:
            return int(digits[0], 8), digits.end()
        if not text[start + 2 : start + 3].isdigit():
            return 0, start + 2
        raise pattern_fault(text, (start, start + 3), "octal escapes are refused in this dialect", r"write \xHH")
    python_octal = digits is not None and len(digits[0]) == 3
    if digits is not None and dialect.octal and (brackets or python_octal):
        value = int(digits[0], 8)
        if value <= 0xFF:
            return value, digits.end()
        raise pattern_fault(text, (start, digits.end()), "octal escape above \\377", r"write \xHH")
    end = start + 2
    while text[end : end + 1].isdigit() and end < start + 4:
        end += 1
    if "digit" in dialect.backreferences and not brackets:
        raise _no_backreference(text, (start, end))
    raise pattern_fault(text, (start, end), f"{text[start:end]} means nothing in the dialect {dialect.name}")


def _no_backreference(text: str, span: tuple[int, int]) -> PatternError:
    reason = "a back reference: what was matched before cannot be required again by a finite automaton"
    return pattern_fault(text, span, reason, "write the possible texts out")


def _lettered(text: str, start: int, dialect: Dialect) -> tuple[int | Ranges, int]:
    letter, after = text[start + 1], start + 2
    if letter in "xuU":
        found = _hexadecimal(text, start, dialect)
        if found is not None:
            return found
    if letter == "c" and dialect.control and text[after : after + 1].isascii() and text[after : after + 1].isalpha():
        return ord(text[after]) & 0x1F, after + 1
    if letter in "pP" and dialect.properties != "none":
        return _property(text, start, dialect)
    if letter == "k" and "k" in dialect.backreferences:
        raise _no_backreference(text, (start, text.find(">", start) + 1 or after))
    if letter == "N" and dialect.named_characters:
        return _named(text, start)
    if dialect.annex_b and letter not in "xuc":
        return ord(letter), after
    remedy = f"write {letter}" if letter not in "xuUcpPN" else ""
    raise pattern_fault(text, (start, after), f"\\{letter} means nothing in the dialect {dialect.name}", remedy)


def _hexadecimal(text: str, start: int, dialect: Dialect) -> tuple[int, int] | None:
    r"""``\xHH``, ``\uHHHH`` (surrogates pair up), ``\UHHHHHHHH`` and the forms in braces."""
    letter, after = text[start + 1], start + 2
    braced = _BRACED.match(text, after)
    if braced is not None and letter + "{" in dialect.hexadecimal:
        digits, end = braced[1].lstrip("0") or "0", braced.end()
    else:
        wanted = _DIGITS[letter]
        run = _HEX.match(text, after, after + wanted)
        if f"{letter}{wanted}" not in dialect.hexadecimal:
            return None
        if run is None or run.end() - after < wanted:
            if dialect.annex_b:
                return ord(letter), after
            reason = f"\\{letter} needs {wanted} hexadecimal digits"
            raise pattern_fault(text, (start, run.end() if run else after), reason)
        digits, end = run[0], run.end()
    value = int(digits, 16) if len(digits) <= 8 else 0x110000
    if value > 0x10FFFF:
        raise pattern_fault(text, (start, end), "no character has this number", "at most 10FFFF")
    if 0xD800 <= value <= 0xDBFF and letter == "u":
        low = _TRAILING.match(text, end)
        if low is not None:
            return 0x10000 + ((value - 0xD800) << 10) + int(low[1], 16) - 0xDC00, low.end()
    return value, end


def _property(text: str, start: int, dialect: Dialect) -> tuple[Ranges, int]:
    found = _PROPERTY.match(text, start + 2)
    loose = dialect.properties == "loose"
    if found is None or (not loose and (found[3] or found[1])):
        raise pattern_fault(text, (start, start + 2), f"\\{text[start + 1]} needs a property in braces", r"as in \p{L}")
    name = (found[2] or found[3]).replace(":", "=") if loose else found[2]
    ranges = property_ranges(name, loose=loose)
    if ranges is None:
        reason = f"no Unicode property is named {name!r} in the dialect {dialect.name}"
        remedy = "as in L, Lu, Alphabetic, Script=Greek, scx=Grek; or write the ranges"
        raise pattern_fault(text, (start, found.end()), reason, remedy)
    negative = (text[start + 1] == "P") != bool(found[1])
    return (inversion(ranges) if negative else ranges), found.end()


def _named(text: str, start: int) -> tuple[int, int]:
    r"""Python's ``\N{LATIN SMALL LETTER A}``."""
    end = text.find("}", start)
    if not text.startswith("{", start + 2) or end < 0:
        raise pattern_fault(text, (start, start + 2), r"\N needs the name of a character in braces")
    point = _character_named(text[start + 3 : end])
    if point is None:
        raise pattern_fault(text, (start, end + 1), "no character has this name")
    return point, end + 1


@lru_cache(maxsize=256)
def _character_named(name: str) -> int | None:
    try:
        return ord(unicodedata.lookup(name))
    except (KeyError, TypeError):
        return None

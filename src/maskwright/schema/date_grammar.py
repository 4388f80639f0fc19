"""Dates, times and durations as text terms (RFC 3339)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Final, cast

from maskwright.network.lexeme import EPSILON, Term, automaton, concatenate, literal, repeat, unite
from maskwright.schema.format_grammars import COLON, DIGIT, DOT, HYPHEN, either, one_of, optional

__all__ = ["LeapSeconds", "date", "date_time", "duration", "time", "time_without_offset"]


@cache
def date() -> Term:
    """``full-date``; days by month and the Gregorian leap years (RFC 3339 section 5.7 and appendix C).

    Year 0000 is left out: the RFC's ABNF spells it, but ``datetime`` and the validators built on it refuse it.
    """
    fours = unite(
        concatenate(literal("0"), one_of("4", "8")),
        concatenate(one_of("2", "4", "6", "8"), one_of("0", "4", "8")),
        concatenate(one_of("1", "3", "5", "7", "9"), one_of("2", "6")),
    )
    leap_year = unite(concatenate(DIGIT, DIGIT, fours), concatenate(fours, literal("00")))
    year = either("19 09 09 09", "0 19 09 09", "0 0 19 09", "0 0 0 19")
    up_to_28 = ("0 19", "1 09", "2 08")
    every_year = unite(
        concatenate(either("0 1", "0 3", "0 5", "0 78", "1 0", "1 2"), HYPHEN, either(*up_to_28, "2 9", "3 01")),
        concatenate(either("0 4", "0 6", "0 9", "1 1"), HYPHEN, either(*up_to_28, "2 9", "3 0")),
        concatenate(literal("02-"), either(*up_to_28)),
    )
    return unite(concatenate(year, HYPHEN, every_year), concatenate(leap_year, literal("-02-29")))


_HOUR: Final = either("01 09", "2 03")
_MINUTE: Final = either("05 09")


class LeapSeconds:
    """The times in second 60, at 23:59 UTC (RFC 3339 section 5.7): an ``Automaton``.

    Local time less offset is 23:59, so the time of day decides the offset, one for each sign; a rule that is regular
    but has 1,440 cases, hence the machine. States are ``(place, digits)``: how much of ``HH:MM:60`` was read or what is
    being read, with the digits of the time of day, or of the offset still to be written.
    """

    start: Final = (0, "")

    def __eq__(self, other: object) -> bool:
        """Compare by value: there is one."""
        return isinstance(other, LeapSeconds)

    def __hash__(self) -> int:
        """Hash by value: there is one."""
        return hash(LeapSeconds)

    def accepts(self, state: Hashable) -> bool:
        """Whether a whole time was read."""
        return state == _END

    def moves(self, state: Hashable) -> Sequence[_Move]:
        """``(first, last, next state)``."""
        position, known = cast("tuple[int | str, str]", state)
        match position:
            case "point":
                return ((*_DIGITS, ("fraction", known)),)
            case "fraction":
                return sorted([*_offsets(known), (*_DIGITS, ("fraction", known))])
            case "offset":
                return (_only(known[0], ("offset", known[1:]) if len(known) > 1 else _END),)
            case 8:
                return sorted([*_offsets(known), _only(".", ("point", known))])
            case int():
                return _clock(position, known)
        return ()


_Move = tuple[int, int, tuple[int | str, str]]
_END: Final = ("end", "")
_DIGITS: Final = (0x30, 0x39)
#: The characters of ``HH:MM:60``, first and last of each range.
_CLOCK: Final = (("0", "2"), ("0", "9"), (":", ":"), ("0", "5"), ("0", "9"), (":", ":"), ("6", "6"), ("0", "0"))


def _only(character: str, target: tuple[int | str, str]) -> _Move:
    return ord(character), ord(character), target


def _clock(position: int, known: str) -> Sequence[_Move]:
    """Read a character of ``HH:MM:60``; the digits of hour and minute are kept."""
    first, last = _CLOCK[position]
    if first == last:
        return (_only(first, (position + 1, known)),)
    if known == "2" and position == 1:
        last = "3"
    return [_only(chr(c), (position + 1, known + chr(c))) for c in range(ord(first), ord(last) + 1)]


def _offsets(known: str) -> Sequence[_Move]:
    """Read the sign of an offset, which is then decided, or the ``Z`` of 23:59."""
    minutes = int(known[:2]) * 60 + int(known[2:])
    east, west = (minutes + 1) % 1440, (1439 - minutes) % 1440
    signs = [
        _only(sign, ("offset", f"{offset // 60:02d}:{offset % 60:02d}")) for sign, offset in (("+", east), ("-", west))
    ]
    return signs if east else [*signs, _only("Z", _END), _only("z", _END)]


@cache
def time() -> Term:
    """``full-time``, with second 60 where it is 23:59 UTC; that month's end is not asked, the date may be absent."""
    ordinary = concatenate(
        _HOUR,
        COLON,
        _MINUTE,
        COLON,
        _MINUTE,
        optional(DOT, repeat(DIGIT, 1)),
        unite(one_of("Z", "z"), concatenate(one_of("+", "-"), _HOUR, COLON, _MINUTE)),
    )
    return unite(ordinary, automaton(LeapSeconds()))


@cache
def time_without_offset() -> Term:
    """``hh:mm:ss`` (draft 3 section 5.23)."""
    return concatenate(_HOUR, COLON, _MINUTE, COLON, _MINUTE)


@cache
def date_time() -> Term:
    """``date-time``."""
    return concatenate(date(), one_of("T", "t"), time())


@cache
def duration() -> Term:
    """``duration`` (RFC 3339 appendix A): no unit between two others may be left out."""

    def unit(name: str, *smaller: Term) -> Term:
        return concatenate(repeat(DIGIT, 1), literal(name), unite(EPSILON, *smaller))

    second = unit("S")
    minute = unit("M", second)
    clock = concatenate(literal("T"), unite(unit("H", minute), minute, second))
    day = unit("D")
    month = unit("M", day)
    calendar = concatenate(unite(day, month, unit("Y", month)), optional(clock))
    return concatenate(literal("P"), unite(calendar, clock, unit("W")))

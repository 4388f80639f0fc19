"""Addresses and names as text terms, and the constructors that all grammars of formats share.

The terms follow the ABNF of their RFCs rule by rule. ABNF strings are case-insensitive (RFC 5234 section 2.3); that is
kept where the RFC means it (``T``, ``Z``, hexadecimal digits, ``IPv6:``) and not for the designators of durations,
which ISO 8601 writes in capitals.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

from maskwright.network.lexeme import (
    EPSILON,
    Term,
    approximate,
    automaton,
    characters,
    concatenate,
    literal,
    repeat,
    unite,
)

__all__ = [
    "ALPHA",
    "COLON",
    "DIGIT",
    "DOT",
    "HEX",
    "HYPHEN",
    "ascii_hostname",
    "color",
    "either",
    "email",
    "hostname",
    "internationalized_email",
    "ipv4",
    "ipv6",
    "one_of",
    "optional",
    "separated",
    "text",
    "uuid",
]


def one_of(*ranges: str) -> Term:
    """One character out of single characters and two-character ranges: ``one_of("az", "_")``."""
    return characters((ord(r[0]), ord(r[-1])) for r in ranges)


def optional(*parts: Term) -> Term:
    """The parts, or nothing."""
    return unite(EPSILON, concatenate(*parts))


def separated(part: Term, separator: Term, count: int | None = None) -> Term:
    """One or more parts with separators between, or exactly ``count`` parts."""
    least, most = (0, None) if count is None else (count - 1, count - 1)
    return concatenate(part, repeat(concatenate(separator, part), least, most))


def text(string: str) -> Term:
    """A string in any mix of cases."""
    return concatenate(*(one_of(*{c.lower(), c.upper()}) for c in string))


DIGIT: Final = one_of("09")
ALPHA: Final = one_of("az", "AZ")
HEX: Final = one_of("09", "af", "AF")
COLON: Final = literal(":")
DOT: Final = literal(".")
HYPHEN: Final = literal("-")


def either(*texts: str) -> Term:
    """Alternatives of one character class each: ``either("01 09", "2 03")`` is ``[01][0-9]|2[0-3]``."""
    return unite(*(concatenate(*(one_of(part) for part in alternative.split())) for alternative in texts))


@cache
def ipv4() -> Term:
    """``IPv4address`` (RFC 3986 section 3.2.2; RFC 2673 section 3.2): octets without leading zeros."""
    octet = either("09", "19 09", "1 09 09", "2 04 09", "2 5 05")
    return concatenate(octet, DOT, octet, DOT, octet, DOT, octet)


@cache
def ipv6() -> Term:
    """The text forms of RFC 4291 section 2.2; ``::`` stands for at least one group; no zone.

    Written right-linearly: after ``g`` groups either ``:`` and the next one or ``::`` and at most ``7 - g`` more; the
    last two groups may be an IPv4 address.
    """
    group = repeat(HEX, 1, 4)
    #: after_gap[n]: at most n groups, at least one; n from 1.
    after_gap: list[Term] = [EPSILON, group]
    for count in range(2, 8):
        more = concatenate(group, optional(COLON, after_gap[count - 1]))
        after_gap.append(unite(more, ipv4()))
    rest = group
    for read in range(6, -1, -1):
        gap = concatenate(literal("::"), unite(EPSILON, after_gap[6 - read]))
        rest = concatenate(group, unite(concatenate(COLON, rest), gap))
        if read == 6:  # two groups are left, the size of an IPv4 address
            rest = unite(rest, ipv4())
    return unite(rest, concatenate(literal("::"), unite(EPSILON, after_gap[7])))


@cache
def uuid() -> Term:
    """Hexadecimal digits 8-4-4-4-12 in any case (RFC 4122 section 3); every version and variant."""

    def group(size: int) -> Term:
        return repeat(HEX, size, size)

    return concatenate(group(8), HYPHEN, group(4), HYPHEN, group(4), HYPHEN, group(4), HYPHEN, group(12))


@cache
def ascii_hostname() -> Term:
    """Names of RFC 1123 section 2.1: labels of 1 to 63 letters, digits and inner hyphens, at most 253 characters."""
    return automaton(Hostnames(encoded=True))


@cache
def hostname() -> Term:
    """The same with A-labels (RFC 5890 section 2.3.2.1), which are left out.

    A label that begins with ``xn--`` is valid if what it decodes to is (RFC 5891 section 5.4). No finite automaton
    decides that, and an invalid one must not be written; so none is, neither for ``hostname`` nor for ``not`` it.
    """
    return approximate(automaton(Hostnames(encoded=False)), automaton(Hostnames(encoded=True, is_bound=True)))


@cache
def color() -> Term:
    """``color`` values of CSS 2.1 section 4.3.6: the 17 keywords, ``#rgb``, ``#rrggbb`` and ``rgb(..)``."""
    names = "aqua black blue fuchsia gray green lime maroon navy olive orange purple red silver teal white yellow"
    blank = repeat(one_of(" ", "\t", "\r", "\n", "\f"))
    sign = unite(EPSILON, one_of("+", "-"))
    integer = concatenate(sign, repeat(DIGIT, 1))
    percentage = concatenate(
        sign, unite(repeat(DIGIT, 1), concatenate(repeat(DIGIT), DOT, repeat(DIGIT, 1))), literal("%")
    )
    triples = (separated(concatenate(blank, part, blank), literal(","), 3) for part in (integer, percentage))
    hexadecimal = concatenate(literal("#"), repeat(repeat(HEX, 3, 3), 1, 2))
    return unite(*map(text, names.split()), hexadecimal, concatenate(text("rgb("), unite(*triples), literal(")")))


_NameState = tuple[int, int, int, bool]


@dataclass(frozen=True)
class Hostnames:
    """Host names, with or without labels that begin with ``xn--``: an ``Automaton``.

    States are ``(total, label, prefix, closed)``: characters of the name and of the present label, how many of them
    spell ``xn--`` (-1: something else), and whether the name may end. A machine, because the intersection of two
    counters costs 40 times more to step than these four numbers.
    """

    encoded: bool
    #: Whether it bounds another language (see :func:`approximate`); both read the same.
    is_bound: bool = False

    @property
    def start(self) -> _NameState:
        """Nothing read."""
        return (0, 0, 0, False)

    def accepts(self, state: Hashable) -> bool:
        """Whether a letter or digit was read last."""
        return cast("_NameState", state)[3]

    def moves(self, state: Hashable) -> Sequence[tuple[int, int, _NameState]]:
        """``(first, last, next state)``: hyphens and dots only where a letter or digit still fits behind them."""
        total, label, prefix, closed = cast("_NameState", state)
        if total == _NAME:
            return ()
        found: list[tuple[int, int, _NameState]] = []
        if label and label < _LABEL - 1 and total < _NAME - 1 and (prefix != 3 or self.encoded):
            found.append((0x2D, 0x2D, (total + 1, label + 1, 3 if prefix == 2 else -1, False)))
        if closed and total < _NAME - 1:
            found.append((0x2E, 0x2E, (total + 1, 0, 0, False)))
        if label == _LABEL:
            return found
        other = (total + 1, label + 1, -1, True)
        for first, last in ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)):
            spelled = None if self.encoded or prefix not in (0, 1) else ord("XN"[prefix]) | (first & 0x20)
            if spelled is None or first == 0x30:
                found.append((first, last, other))
                continue
            after = (total + 1, label + 1, prefix + 1, True)
            found += [(first, spelled - 1, other), (spelled, spelled, after)]
            if spelled < last:
                found.append((spelled + 1, last, other))
        return found


#: The longest name and the longest label (RFC 1035 section 2.3.4; 255 octets on the wire are 253 characters).
_NAME: Final = 253
_LABEL: Final = 63


@cache
def email() -> Term:
    """``Mailbox`` (RFC 5321 section 4.1.2)."""
    return _mailbox()


@cache
def internationalized_email() -> Term:
    """``Mailbox`` as extended by RFC 6531 section 3.3; a U-label is any label with characters outside ASCII.

    So the official suite has it: its domains need not be in normalization form C, to which a client may map them.
    """
    return _mailbox("\x80\ud7ff", "\ue000\U0010ffff")


def _mailbox(*extra: str) -> Term:
    """``extra``: ranges that are letters besides those of ASCII."""
    atom = repeat(one_of("az", "AZ", "09", *"!#$%&'*+-/=?^_`{|}~", *extra), 1)
    quoted_character = unite(
        one_of(" !", "#[", "]~", *extra),
        concatenate(literal("\\"), one_of(" ~")),
    )
    local = unite(separated(atom, DOT), concatenate(literal('"'), repeat(quoted_character), literal('"')))
    end = one_of("az", "AZ", "09", *extra)
    inner = one_of("az", "AZ", "09", "-", *extra)
    domain = separated(concatenate(end, optional(repeat(inner), end)), DOT)
    # General-address-literal needs a registered tag, and IPv6 is the only one (IANA, Address Literal Tags).
    address = concatenate(literal("["), unite(_padded_ipv4(), concatenate(text("ipv6:"), _mail_ipv6())), literal("]"))
    return concatenate(local, literal("@"), unite(domain, address))


def _padded_ipv4() -> Term:
    """``IPv4-address-literal`` (RFC 5321 section 4.1.3): one to three digits a number, zeros in front allowed."""
    number = either("09", "09 09", "01 09 09", "2 04 09", "2 5 05")
    return concatenate(number, DOT, number, DOT, number, DOT, number)


def _mail_ipv6() -> Term:
    """``IPv6-addr`` (RFC 5321 section 4.1.3): ``::`` stands for at least two groups."""
    group = repeat(HEX, 1, 4)

    def groups(least: int, most: int) -> Term:
        if most == 0:
            return EPSILON
        run = concatenate(group, repeat(concatenate(COLON, group), max(least, 1) - 1, most - 1))
        return run if least else unite(EPSILON, run)

    full = groups(8, 8)
    full_v4 = concatenate(groups(6, 6), COLON, _padded_ipv4())
    compressed = [concatenate(groups(n, n), literal("::"), groups(0, 6 - n)) for n in range(7)]
    compressed_v4 = [
        concatenate(
            groups(n, n), literal("::"), optional(groups(1, 4 - n), COLON) if n < 4 else EPSILON, _padded_ipv4()
        )
        for n in range(5)
    ]
    return unite(full, full_v4, *compressed, *compressed_v4)

"""Addresses and names as text terms, and the constructors that all grammars of formats share.

The terms follow the ABNF of their RFCs rule by rule. ABNF strings are case-insensitive (RFC 5234 section 2.3); that is
kept where the RFC means it (``T``, ``Z``, hexadecimal digits, ``IPv6:``) and not for the designators of durations,
which ISO 8601 writes in capitals.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from maskwright.network.lexeme import (
    ANY_CHARACTER,
    ANYTHING,
    EPSILON,
    Term,
    characters,
    concatenate,
    intersect,
    literal,
    repeat,
    subtract,
    unite,
    words,
)

__all__ = [
    "ALPHA",
    "COLON",
    "DIGIT",
    "DOT",
    "HEX",
    "HYPHEN",
    "ascii_hostname",
    "email",
    "hostname",
    "internationalized_email",
    "ipv4",
    "ipv6",
    "numerals",
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


def separated(part: Term, separator: Term) -> Term:
    """One or more parts with separators between."""
    return concatenate(part, repeat(concatenate(separator, part)))


def text(string: str) -> Term:
    """A string in any mix of cases."""
    return concatenate(*(one_of(*{c.lower(), c.upper()}) for c in string))


DIGIT: Final = one_of("09")
ALPHA: Final = one_of("az", "AZ")
HEX: Final = one_of("09", "af", "AF")
COLON: Final = literal(":")
DOT: Final = literal(".")
HYPHEN: Final = literal("-")


def numerals(first: int, last: int, width: int = 2) -> Term:
    """The numbers from first to last with leading zeros."""
    return words(f"{n:0{width}d}" for n in range(first, last + 1))


@cache
def ipv4() -> Term:
    """``IPv4address`` (RFC 3986 section 3.2.2; RFC 2673 section 3.2): octets without leading zeros."""
    octet = words(str(n) for n in range(256))
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
    return _hostname(_label())


@cache
def hostname() -> Term:
    """The same with A-labels (RFC 5890 section 2.3.2.1), which are left out.

    A label that begins with ``xn--`` is valid if what it decodes to is (RFC 5891 section 5.4). No finite automaton
    decides that, and an invalid one must not be written; so none is.
    """
    return _hostname(subtract(_label(), concatenate(text("xn--"), ANYTHING)))


def _label() -> Term:
    inner = one_of("az", "AZ", "09", "-")
    end = one_of("az", "AZ", "09")
    return intersect(repeat(inner, 1, 63), concatenate(end, optional(repeat(inner), end)))


def _hostname(label: Term) -> Term:
    return intersect(separated(label, DOT), repeat(ANY_CHARACTER, 0, 253))


@cache
def email() -> Term:
    """``Mailbox`` (RFC 5321 section 4.1.2)."""
    return _mailbox()


@cache
def internationalized_email() -> Term:
    """``Mailbox`` as extended by RFC 6531 section 3.3; a U-label is any label with characters outside ASCII."""
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
    number = words({f"{n:0{width}d}" for n in range(256) for width in (1, 2, 3)})
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

"""URIs, IRIs, URI templates and JSON Pointers as text terms (RFC 3986, 3987, 6570, 6901)."""

from __future__ import annotations

from functools import cache
from typing import Final

from maskwright.network.lexeme import EPSILON, Term, concatenate, literal, repeat, unite
from maskwright.schema.format_grammars import ALPHA, DIGIT, HEX, ipv6, one_of, optional, separated, text

__all__ = [
    "iri",
    "iri_reference",
    "json_pointer",
    "relative_json_pointer",
    "uri",
    "uri_reference",
    "uri_template",
]

_UNRESERVED: Final = ("az", "AZ", "09", "-", ".", "_", "~")
_SUBDELIMITERS: Final = tuple("!$&'()*+,;=")
#: ``ucschar`` and ``iprivate`` (RFC 3987 section 2.2).
_UCSCHAR: Final = (
    "\xa0\ud7ff",
    "\uf900\ufdcf",
    "\ufdf0\uffef",
    *(f"{chr(plane << 16)}{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 14)),
    "\U000e1000\U000efffd",
)
_IPRIVATE: Final = ("\ue000\uf8ff", "\U000f0000\U000ffffd", "\U00100000\U0010fffd")
_PERCENT: Final = concatenate(literal("%"), HEX, HEX)


def _any_of(*ranges: str) -> Term:
    """Zero or more of the characters or percent-encoded octets.

    Written as runs of characters between octets, because the kernel knows by heart what a vocabulary does in a run.
    """
    run = repeat(one_of(*ranges))
    return concatenate(run, repeat(concatenate(_PERCENT, run)))


def _authority(letters: tuple[str, ...]) -> Term:
    """``authority`` (RFC 3986 section 3.2); an IPv4 address is a reg-name too."""
    names = (*_UNRESERVED, *_SUBDELIMITERS, *letters)
    future = concatenate(text("v"), repeat(HEX, 1), literal("."), repeat(one_of(*_UNRESERVED, *_SUBDELIMITERS, ":"), 1))
    host = unite(_any_of(*names), concatenate(literal("["), unite(ipv6(), future), literal("]")))
    return concatenate(optional(_any_of(*names, ":"), literal("@")), host, optional(literal(":"), repeat(DIGIT)))


def _tail(letters: tuple[str, ...], private: tuple[str, ...]) -> Term:
    """``[ "?" query ] [ "#" fragment ]``."""
    inner = (*_UNRESERVED, *_SUBDELIMITERS, *letters, ":", "@", "/", "?")
    query = concatenate(literal("?"), _any_of(*inner, *private))
    return concatenate(unite(EPSILON, query), optional(literal("#"), _any_of(*inner)))


@cache
def _identifier(letters: tuple[str, ...], private: tuple[str, ...]) -> tuple[Term, Term]:
    """``URI`` and ``relative-ref`` (RFC 3986 sections 3 and 4.2), or their forms of RFC 3987."""
    path_characters = (*_UNRESERVED, *_SUBDELIMITERS, *letters, ":", "@")
    path_character = unite(one_of(*path_characters), _PERCENT)
    rest = _any_of(*path_characters, "/")
    with_authority = concatenate(literal("//"), _authority(letters), optional(literal("/"), rest))
    absolute = concatenate(literal("/"), optional(path_character, rest))
    rootless = concatenate(path_character, rest)
    no_colon = tuple(r for r in path_characters if r != ":")
    no_scheme = concatenate(unite(one_of(*no_colon), _PERCENT), _any_of(*no_colon), optional(literal("/"), rest))
    tail = _tail(letters, private)
    scheme = concatenate(ALPHA, repeat(one_of("az", "AZ", "09", "+", "-", ".")), literal(":"))
    return (
        concatenate(scheme, unite(with_authority, absolute, rootless, EPSILON), tail),
        concatenate(unite(with_authority, absolute, no_scheme, EPSILON), tail),
    )


@cache
def uri() -> Term:
    """``URI`` (RFC 3986 section 3)."""
    return _identifier((), ())[0]


@cache
def uri_reference() -> Term:
    """``URI-reference`` (RFC 3986 section 4.1)."""
    return unite(*_identifier((), ()))


@cache
def iri() -> Term:
    """``IRI`` (RFC 3987 section 2.2)."""
    return _identifier(_UCSCHAR, _IPRIVATE)[0]


@cache
def iri_reference() -> Term:
    """``IRI-reference`` (RFC 3987 section 2.2)."""
    return unite(*_identifier(_UCSCHAR, _IPRIVATE))


@cache
def uri_template() -> Term:
    """``URI-Template`` (RFC 6570 section 2), with the apostrophe that its erratum 6937 admits."""
    literals = one_of("!", "#$", "&;", "=", "?[", "]", "_", "az", "~", *_UCSCHAR, *_IPRIVATE)
    character = unite(one_of("az", "AZ", "09", "_"), _PERCENT)
    name = concatenate(character, repeat(concatenate(optional(literal(".")), character)))
    prefix = concatenate(literal(":"), one_of("19"), repeat(DIGIT, 0, 3))
    variables = separated(concatenate(name, unite(EPSILON, prefix, literal("*"))), literal(","))
    expression = concatenate(literal("{"), unite(EPSILON, one_of(*"+#./;?&=,!@|")), variables, literal("}"))
    run = repeat(literals)
    return concatenate(run, repeat(concatenate(unite(_PERCENT, expression), run)))


@cache
def json_pointer() -> Term:
    """``json-pointer`` (RFC 6901 section 3)."""
    run = repeat(one_of("\0.", "0}", "\x7f\ud7ff", "\ue000\U0010ffff"))
    part = concatenate(unite(literal("/"), literal("~0"), literal("~1")), run)
    return optional(literal("/"), run, repeat(part))


@cache
def relative_json_pointer() -> Term:
    """``relative-json-pointer`` (draft-handrews-relative-json-pointer-01 section 3), without index manipulation."""
    up = unite(literal("0"), concatenate(one_of("19"), repeat(DIGIT)))
    return concatenate(up, unite(literal("#"), json_pointer()))

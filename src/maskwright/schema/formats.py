"""The ``format`` keyword: which names mean what, as data with the defining text beside each.

A format is asserted by its name whatever the draft of the schema, as validators do: ``date`` means the same in a schema
of draft 4, which did not define it yet. :func:`is_defined` tells whether a draft did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from maskwright.network.lexeme import Term
from maskwright.schema import date_grammar, idn_grammar, regex_grammar, uri_grammar
from maskwright.schema import format_grammars as grammars

__all__ = ["EARLIER_FORMATS", "FORMATS", "Format", "format_term", "is_defined"]

_ALL: Final = ("draft-03", "draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
_FROM_4: Final = _ALL[1:]
_FROM_6: Final = _ALL[2:]
_FROM_7: Final = _ALL[3:]
_FROM_2019: Final = _ALL[4:]
_NOT_4_6: Final = (_ALL[0], *_FROM_7)


@dataclass(frozen=True)
class Format:
    """One name of the ``format`` keyword."""

    #: The text that defines it.
    source: str
    #: The drafts that give it this meaning.
    drafts: tuple[str, ...]
    #: Builds the term.
    build: Callable[[], Term]


#: What the newest draft knows.
FORMATS: Final[dict[str, Format]] = {
    "date-time": Format("RFC 3339 section 5.6", _ALL, date_grammar.date_time),
    "date": Format("RFC 3339 section 5.6, full-date", _NOT_4_6, date_grammar.date),
    "time": Format("RFC 3339 section 5.6, full-time", _FROM_7, date_grammar.time),
    "duration": Format("RFC 3339 appendix A", _FROM_2019, date_grammar.duration),
    "email": Format("RFC 5321 section 4.1.2, Mailbox", _ALL, grammars.email),
    "idn-email": Format("RFC 6531 section 3.3, Mailbox", _FROM_7, grammars.internationalized_email),
    "hostname": Format("RFC 1123 section 2.1 and RFC 5891 section 4.4", _FROM_7, grammars.hostname),
    "idn-hostname": Format("RFC 5890 section 2.3.2.3", _FROM_7, idn_grammar.internationalized_hostname),
    "ipv4": Format("RFC 2673 section 3.2", _FROM_4, grammars.ipv4),
    "ipv6": Format("RFC 4291 section 2.2", _ALL, grammars.ipv6),
    "uuid": Format("RFC 4122 section 3", _FROM_2019, grammars.uuid),
    "uri": Format("RFC 3986 section 3", _ALL, uri_grammar.uri),
    "uri-reference": Format("RFC 3986 section 4.1", _FROM_6, uri_grammar.uri_reference),
    "iri": Format("RFC 3987 section 2.2", _FROM_7, uri_grammar.iri),
    "iri-reference": Format("RFC 3987 section 2.2", _FROM_7, uri_grammar.iri_reference),
    "uri-template": Format("RFC 6570 section 2", _FROM_6, uri_grammar.uri_template),
    "json-pointer": Format("RFC 6901 section 3", _FROM_6, uri_grammar.json_pointer),
    "relative-json-pointer": Format(
        "draft-handrews-relative-json-pointer-01 section 3", _FROM_7, uri_grammar.relative_json_pointer
    ),
    "regex": Format("ECMA-262 section 22.2.1, with the u flag", _NOT_4_6, regex_grammar.regex),
}
#: What only earlier drafts knew, or knew otherwise.
EARLIER_FORMATS: Final[dict[str, Format]] = {
    "time": Format("draft 3 section 5.23, hh:mm:ss", ("draft-03",), date_grammar.time_without_offset),
    "color": Format("CSS 2.1 section 4.3.6", ("draft-03",), grammars.color),
    "ip-address": Format("draft 3 section 5.23", ("draft-03",), grammars.ipv4),
    "host-name": Format("draft 3 section 5.23", ("draft-03",), grammars.ascii_hostname),
    "hostname": Format("RFC 1034 section 3.1", ("draft-04", "draft-06"), grammars.ascii_hostname),
}


def _found(name: str, draft: str) -> Format | None:
    earlier = EARLIER_FORMATS.get(name)
    return earlier if earlier is not None and draft in earlier.drafts else FORMATS.get(name)


def format_term(name: str, *, draft: str = "2020-12") -> Term | None:
    """The text term of a format; ``None`` if no draft knows the name: it is an annotation then.

    ``draft`` (``"draft-03"`` to ``"draft-07"``, ``"2019-09"``, ``"2020-12"``) matters for the names that only draft 3
    had, for its ``time``, and for ``hostname``, which knows of A-labels from draft 7 on. A term is built once, in up to
    two milliseconds; the tables of ``regex`` and ``idn-hostname`` are unpacked when a first text is read.
    """
    found = _found(name, draft)
    return None if found is None else found.build()


def is_defined(name: str, *, draft: str = "2020-12") -> bool:
    """Whether this draft defines the format."""
    found = _found(name, draft)
    return found is not None and draft in found.drafts

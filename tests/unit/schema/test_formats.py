"""The formats: tables from the RFCs, laws against independent readers, and which draft knows which name."""

from __future__ import annotations

import calendar
import ipaddress
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwright.network.lexeme import ANY_CHARACTER, NEVER, complement, intersect, repeat, unite
from maskwright.schema.date_grammar import LeapSeconds
from maskwright.schema.formats import FORMATS, format_term, is_defined
from tests.oracle.terms import matches

ENFORCED = sorted(FORMATS)


def accepts(name: str, text: str) -> bool:
    """Whether the format admits the text."""
    term = format_term(name)
    assert term is not None
    return matches(term, text)


TABLE = {
    # RFC 3339 section 5.8
    "date-time": (
        "1985-04-12T23:20:50.52Z 1996-12-19T16:39:57-08:00 1990-12-31T23:59:60Z 1990-12-31T15:59:60-08:00"
        " 1937-01-01T12:00:27.87+00:20 2000-02-29t00:00:00z",
        "1985-04-12 1985-04-12T23:20Z 1985-04-12T23:20:50 1985-04-12T23:20:50.Z 1985-04-12T23:20:50,5Z"
        " 1900-02-29T00:00:00Z 85-04-12T23:20:50Z 1985-04-12T23:20:50+0100 1985-04-12T23:20:50+1:00",
    ),
    "duration": ("P3D P1Y2M10DT2H30M PT2H P1W PT1M30S P0001Y", "P P1 PT P1S P1H PT1H30S P1.5D P1Y1D p1d -P1D P1M1W"),
    # RFC 5321 sections 4.1.2 and 4.1.3
    "email": (
        'a@b joe.bloggs+tag@example.co.uk "a@b\\"c"@x !#$%&\'*+-/=?^_`{|}~@x a@[1.2.3.4] a@[001.02.3.4] a@[IPv6:::1]'
        " a@[ipv6:1:2:3:4:5:6:7:8] a@[IPv6:1::2:1.2.3.4] a@1-b",
        "a @ @b a@ a@@b .a@b a..b@c a.@b a@b. a@-b a@b- a@b_c a@[1.2.3] a@[1.2.3.256] a@[::1] a@[IPv6:1:2:3:4:5:6:7::]"
        ' a@[tag:x] é@b a@é "a@b a"b@c "a\\',
    ),
    "idn-email": ('é@b a@é 실례@실례.테스트 "é"@b', "a a@-é a@é- é@ a@é..b"),
    "hostname": (
        "a a.b.c xn-a.xn.xna--b 3com.com 1.2.3.4 a--b a-b.c-d ab--c",
        "-a a- a..b .a a. a_b é xn--a a.Xn--b.c",
    ),
    "ipv4": ("0.0.0.0 255.255.255.255 1.2.3.4", "1.2.3 1.2.3.4.5 01.2.3.4 256.1.1.1 1.2.3.4/8 a.b.c.d"),
    "ipv6": (
        ":: ::1 1:: 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1:2:3:4:5:6:1.2.3.4 ::1.2.3.4 1::1.2.3.4"
        " 2001:DB8::8:800:200C:417A",
        ": ::: 1 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8 1::2::3 12345:: ::g fe80::1%1 1:2:3:4:5:6:7:1.2.3.4"
        " ::1.2.3 [::1]",
    ),
    "uuid": (
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae7dec11d0a76500a0c91e6bf6 {f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
    ),
    # RFC 3986 section 1.1.2
    "uri": (
        "ftp://ftp.is.co.za/rfc/rfc1808.txt ldap://[2001:db8::7]/c=GB?objectClass?one mailto:John.Doe@example.com"
        " tel:+1-816-555-1212 telnet://192.0.2.16:80/ urn:oasis:names a: a:/ a:/b a://@:?# http://[v1.a:b]/ x:%41",
        "/a a //a a:[ a://[::1 a://[::1]x a:%4 a://a:b a:#a#b 1a:b a b:é http://[v.a] a:\\b",
    ),
    "uri-reference": ("/a a //a . .. ?a #a a/b:c %41 //[::1]:1/a?b#c", "a#b#c :a 1:a é [a] //[a] a\\b %a"),
    "iri": ("http://é/é?\ue000#é a:\U00010000", "é \ue000:a a:\ue000 a:\ud7ff\uffff a:\ufdd0"),
    "iri-reference": ("é é/é?\ue000 #é", "\ue000 #\ue000 <é>"),
    # RFC 6570 section 1.2
    "uri-template": (
        "{var} {+path,x}/here {#x,hello,y} map?{x,y} X{.var:3} {/list*} {?x,y} {%41.b_1}",
        "{ } {} {+} {a:0} {a:12345} {a**} %4 <a>",
    ),
    "json-pointer": ("/ // /a~0b~1c/0 /é", "a ~0 /~ /~2 #/a"),
    "relative-json-pointer": ("0 10/a 0# 1//", "a -1 01 0## 0#/a /a 0a"),
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, (good, _) in TABLE.items() for t in good.split()])
def test_accepted(name: str, text: str) -> None:
    """What the grammar of the RFC derives."""
    assert accepts(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [(n, t) for n, (_, bad) in TABLE.items() for t in [*bad.split(), "a b\n", "\0"]],
    ids=repr,
)
def test_refused(name: str, text: str) -> None:
    """What it does not."""
    assert not accepts(name, text)


def test_quoted_local_parts_may_hold_spaces() -> None:
    """RFC 5321 section 4.1.2, qtextSMTP."""
    assert accepts("email", '"joe bloggs"@example.com')
    assert not accepts("email", "joe bloggs@example.com")


def test_the_empty_string() -> None:
    """Only references, templates, pointers and patterns may be empty."""
    assert [n for n in ENFORCED if accepts(n, "")] == [
        "iri-reference",
        "json-pointer",
        "regex",
        "uri-reference",
        "uri-template",
    ]


YEARS = [0, 1, 4, 100, 400, 1582, 1900, 1999, 2000, 2004, 2023, 2024, 2100, 2400, 9999]


@pytest.mark.parametrize("year", YEARS)
def test_every_day_of_a_year(year: int) -> None:
    """The days of each month are those of the calendar, carried back before 1582 (ISO 8601, RFC 3339); no year 0."""
    for month in range(14):
        for day in range(33):
            valid = year > 0 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
            assert accepts("date", f"{year:04d}-{month:02d}-{day:02d}") == valid


@given(st.datetimes(min_value=datetime(1, 1, 2)), st.integers(-1439, 1439), st.sampled_from(["", ".5", ".000001"]))  # noqa: DTZ001
@settings(max_examples=50)
def test_every_moment_has_a_text(moment: datetime, offset: int, part: str) -> None:
    """Any date, time and offset written in digits is a date-time; its time is a time."""
    sign = "-" if offset < 0 else "+"
    clock = f"{moment:%H:%M:%S}{part}{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"
    assert accepts("time", clock)
    assert accepts("date-time", f"{moment.year:04d}-{moment:%m-%d}T{clock}")


@given(st.integers(0, 1439), st.integers(0, 1439), st.sampled_from("+-"))
@settings(max_examples=100)
def test_leap_seconds_end_the_day_in_utc(minutes: int, offset: int, sign: str) -> None:
    """Second 60 is 23:59:60 once the offset is taken away."""
    local = datetime(2000, 1, 2) + timedelta(minutes=minutes)  # noqa: DTZ001
    utc = local - timedelta(minutes=offset if sign == "+" else -offset)
    text = f"{local:%H:%M}:60{sign}{offset // 60:02d}:{offset % 60:02d}"
    assert accepts("time", text) == ((utc.hour, utc.minute) == (23, 59))


def test_each_minute_has_its_leap_seconds() -> None:
    """For every time of day there is one offset of each sign; ``Z`` only at 23:59."""
    for minutes in range(1440):
        clock = f"{minutes // 60:02d}:{minutes % 60:02d}:60"
        east, west = (minutes + 1) % 1440, (1439 - minutes) % 1440
        assert accepts("time", f"{clock}+{east // 60:02d}:{east % 60:02d}")
        assert accepts("time", f"{clock}.9-{west // 60:02d}:{west % 60:02d}")
        assert accepts("time", f"{clock}Z") == (minutes == 1439)


def test_the_leap_second_machine_has_no_dead_ends() -> None:
    """Every state can be finished, and moves ascend."""
    machine = LeapSeconds()
    order, before = [machine.start], {machine.start: set()}
    for state in order:
        last = -1
        for first, end, then in machine.moves(state):
            assert last < first <= end
            last = end
            if then not in before:
                before[then] = set()
                order.append(then)
            before[then].add(state)
    alive = {state for state in order if machine.accepts(state)}
    stack = list(alive)
    while stack:
        fresh = before[stack.pop()] - alive
        alive |= fresh
        stack.extend(fresh)
    assert alive == set(order)


groups = st.lists(st.sampled_from(["0", "1", "ff", "AbCd", "12345", "g", "", "1.2.3.4", "1.2.3.256"]), max_size=9)


@given(groups, st.integers(0, 9), st.booleans())
@settings(max_examples=300)
def test_ipv6_agrees_with_the_standard_library(parts: list[str], gap: int, compressed: bool) -> None:
    """Groups in any number, with or without ``::``."""
    text = ":".join(parts[:gap]) + "::" + ":".join(parts[gap:]) if compressed else ":".join(parts)
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        valid = False
    else:
        valid = True
    assert accepts("ipv6", text) == valid


@given(
    st.lists(
        st.sampled_from(["0", "00", "9", "10", "99", "100", "199", "255", "256", "1000", "", "a"]),
        min_size=3,
        max_size=5,
    )
)
def test_ipv4_agrees_with_the_standard_library(parts: list[str]) -> None:
    """Octets without leading zeros."""
    text = ".".join(parts)
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        valid = False
    else:
        valid = True
    assert accepts("ipv4", text) == valid


@pytest.mark.parametrize(("size", "valid"), [(1, True), (63, True), (64, False)])
def test_a_label_has_63_characters(size: int, valid: bool) -> None:
    """RFC 1035 section 2.3.4."""
    assert accepts("hostname", "a" * size) == valid
    assert accepts("hostname", "b." + "a" * size + ".c") == valid


@pytest.mark.parametrize(("size", "valid"), [(253, True), (254, False)])
def test_a_name_has_253_characters(size: int, valid: bool) -> None:
    """RFC 1123 section 2.1 and RFC 1035 section 2.3.4: 255 octets on the wire."""
    name = ".".join(["a" * 49] * 6)[:size]
    assert len(name + "a" * (size - len(name))) == size
    assert accepts("hostname", (name + "a" * (size - len(name)))) == valid


@pytest.mark.parametrize("name", ["int32", "color", "url", "path", "", "Date-Time", "ip-address", "host-name"])
def test_unknown_names_are_annotations(name: str) -> None:
    """No term, and no error: names are case-sensitive and free."""
    assert format_term(name) is None


@pytest.mark.parametrize("name", ENFORCED)
def test_terms_are_built_once(name: str) -> None:
    """A format is one object, so that schemas share what is learned about it."""
    assert format_term(name) is format_term(name)
    assert format_term(name) is not NEVER


@pytest.mark.parametrize(
    ("name", "inside", "undecided", "outside"),
    [
        ("hostname", "a.b", "xn--a", "a_b"),
        ("idn-hostname", "bücher.de", "xn--bcher-kva", "a b"),
        ("regex", "a+", "(?<é>a)", "*"),
    ],
)
def test_what_is_left_out_of_a_format_is_left_out_of_its_negation(
    name: str, inside: str, undecided: str, outside: str
) -> None:
    """However ``not``, ``and`` and ``or`` are nested, no text is admitted that the specification would refuse."""
    term = format_term(name)
    assert term is not None
    short = repeat(ANY_CHARACTER, 0, 20)
    for combined in (term, complement(complement(term)), intersect(term, short), unite(term, intersect(term, short))):
        assert [matches(combined, text) for text in (inside, undecided, outside)] == [True, False, False]
        negated = complement(combined)
        assert [matches(negated, text) for text in (inside, undecided, outside)] == [False, False, True]
        assert matches(complement(negated), inside)
        assert not matches(complement(negated), undecided)


def test_drafts() -> None:
    """Names by the draft that introduced them; meanings do not change, except ``time`` after draft 3."""
    assert is_defined("date", draft="draft-07")
    assert not is_defined("date", draft="draft-04")
    assert format_term("date", draft="draft-04") is format_term("date")
    assert not is_defined("duration", draft="draft-07")
    assert is_defined("uuid", draft="2019-09")
    assert not is_defined("path")
    old = format_term("time", draft="draft-03")
    assert old is not None
    assert matches(old, "08:30:06")
    assert not matches(old, "08:30:06Z")
    plain = format_term("hostname", draft="draft-06")
    assert plain is not None
    assert matches(plain, "xn--a")
    assert format_term("ip-address", draft="draft-03") is format_term("ipv4")


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        *((name, True) for name in ("red", "Orange", "FUCHSIA", "#C89", "#cc8899", "rgb(255,0,0)", "rgb( 1 , 2,3 )")),
        *((name, True) for name in ("rgb(100%,.5%,+7.5%)", "RGB(300,-10,0)")),
        *((name, False) for name in ("puce", "#C8", "#C8899", "#00332520", "rgb(1,2)", "rgb(1%,2,3)", "rgba(1,2,3,0)")),
        *((name, False) for name in ("rgb (1,2,3)", "rgb(1.5,2,3)", "", "transparent", "rgb(1.%,2%,3%)")),
    ],
)
def test_colors_of_draft_3(text: str, valid: bool) -> None:
    """CSS 2.1, which draft 3 names; an annotation in all later drafts."""
    term = format_term("color", draft="draft-03")
    assert term is not None
    assert matches(term, text) == valid
    assert format_term("color", draft="draft-04") is None


@pytest.mark.parametrize("name", ["phone", "style", "utc-millisec"])
def test_annotations_of_draft_3(name: str) -> None:
    """What draft 3 names without a grammar of text, or for numbers, stays an annotation."""
    assert format_term(name, draft="draft-03") is None

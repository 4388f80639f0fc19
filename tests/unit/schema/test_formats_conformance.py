"""The formats against the official suite and against the validators of ``jsonschema``."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from maskwright.schema.formats import format_term
from tests.oracle.terms import matches

SUITE = Path(__file__).parents[4] / "shared/data/json-schema-test-suite/tests"
DRAFTS = {
    "draft3": "draft-03",
    "draft4": "draft-04",
    "draft6": "draft-06",
    "draft7": "draft-07",
    "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
}


def _official() -> list[Any]:
    return [
        pytest.param(
            name, DRAFTS[folder], test["data"], test["valid"], id=f"{folder} {path.stem}: {test['description']}"
        )
        for folder in DRAFTS
        for path in sorted((SUITE / folder / "optional/format").glob("*.json"))
        for group in json.loads(path.read_text())
        if (name := group["schema"].get("format"))
        for test in group["tests"]
        if isinstance(test["data"], str)
    ]


def exception(name: str, draft: str, text: str) -> str:
    """Why we do not follow the suite here; empty if we do."""
    if name == "hostname" and "xn--" in text.lower() and draft not in ("draft-04", "draft-06"):
        return "A-labels are never written: whether one is valid is not decidable by a finite automaton"
    if name == "idn-hostname" and text.startswith("xn--"):
        return "A-labels are never written, as in hostname"
    if name == "idn-hostname" and text.startswith("παράδειγμα"):
        return "52 letters fit into an A-label only because of their order, which no automaton of reasonable size knows"
    return ""


@pytest.mark.parametrize(("name", "draft", "text", "valid"), _official())
def test_official_suite(name: str, draft: str, text: str, valid: bool) -> None:
    """``optional/format`` of every draft; where we differ we are narrower."""
    reason = exception(name, draft, text)
    term = format_term(name, draft=draft)
    if reason and term is not None:
        assert not matches(term, text), reason
    else:
        assert bool(reason) or term is None or matches(term, text) == valid


SEEDS = {
    "date-time": ["1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "2024-02-29t00:00:00z"],
    "date": ["2024-02-29", "1999-12-31"],
    "time": ["23:20:50.52Z", "00:00:00+23:59"],
    "duration": ["P3D", "P1Y2M10DT2H30M", "PT10S", "P2W"],
    "hostname": ["example.com", "a-1.b", "3com"],
    "ipv4": ["192.168.0.1", "255.255.255.255"],
    "ipv6": ["2001:db8::8:800:200c:417a", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
    "uuid": ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
    "uri": ["http://a.b:80/c%41?d=e#f", "urn:a:b", "ldap://[2001:db8::7]/c=GB?o", "mailto:a@b"],
    "uri-reference": ["//a/b?c#d", "../a", "a/b:c", "#x"],
    "iri": ["http://é.b/ü?ö#ä", "urn:é"],
    "iri-reference": ["//é/b", "ü"],
    "json-pointer": ["/a~0b/~1/0", ""],
    "relative-json-pointer": ["0#", "10/a/b"],
}
#: Validators of jsonschema 4.26 that admit more than the standard: isoduration reads fractions and gaps that RFC 3339
#: appendix A has not, fqdn a final dot and any label ``xn--``, ``uuid.UUID`` drops braces.
LENIENT = {"duration", "hostname", "uuid"}


def _misread(name: str, text: str) -> bool:
    """Whether the validator of jsonschema is known to refuse what the standard derives."""
    if name in ("date-time", "date", "time"):
        # rfc3339-validator knows no second 60.
        return ":60" in text
    # It takes any digit after a 0 for a leading zero.
    return name == "relative-json-pointer" and bool(re.search("0[0-9]", text))


def _mutants(seed: str, chance: random.Random) -> list[str]:
    """Texts at a small distance from a valid one."""
    alphabet = "01259aAfFgTtZzPpDHMSWY:-+.,%/#?@[]{}~*é _\\x!"
    found = [seed]
    for _ in range(150):
        text = chance.choice(found)
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(3)
        letter = chance.choice(alphabet)
        found.append(text[:at] + (letter if kind else "") + text[at + (kind != 1) :])
    return found


@pytest.mark.parametrize("name", SEEDS)
def test_agrees_with_jsonschema(name: str) -> None:
    """Texts at a small distance from valid ones get the verdict of an independent validator."""
    term, checker = format_term(name), Draft202012Validator.FORMAT_CHECKER
    chance = random.Random(20)
    for text in [t for seed in SEEDS[name] for t in _mutants(seed, chance)]:
        ours, theirs = matches(term, text), checker.conforms(text, name)
        if name in LENIENT:
            assert theirs or not ours, text
        elif not _misread(name, text):
            assert ours == theirs, text

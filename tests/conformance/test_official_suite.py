"""The official JSON-Schema-Test-Suite: every instance must be decided right, however it is spelled.

Each is fed as compact and as spaced text, with its keys turned round, and with every character escaped. Drafts 3 to
2020-12; the required tests (``format`` as an annotation, as they demand), the formats, and what else is optional.
Verdicts that are not right are on record in ``official_suite.json``, which may only improve, and have their reason in
``official_suite_reasons.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from referencing import Registry, Resource
from referencing.jsonschema import specification_with

from tests.conformance.verdicts import SHARED, Judge, check_ratchet, draw_table
from tests.oracle.json_text import parse, spell, spellings

SUITE = SHARED / "data/json-schema-test-suite"
RECORD = Path(__file__).with_name("official_suite.json")
REASONS = Path(__file__).with_name("official_suite_reasons.json")
DIALECTS = {
    "draft3": "http://json-schema.org/draft-03/schema#",
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
PARTS = {"required": "*.json", "formats": "optional/format/*.json", "optional": "optional/*.json"}

pytestmark = pytest.mark.skipif(
    not SUITE.exists(),
    reason="the suite is not here: put JSON-Schema-Test-Suite into ../shared/data/json-schema-test-suite",
)


@cache
def remotes(draft: str) -> Registry[Any]:
    """The documents that the suite's references name; those of no draft's folder are read as the given draft.

    Metaschemas are not among them: they are built in.
    """
    registry: Registry[Any] = Registry()
    for path in sorted((SUITE / "remotes").rglob("*.json")):
        place = path.relative_to(SUITE / "remotes")
        folder = place.parts[0]
        if folder != "v1":
            default = specification_with(DIALECTS.get(folder, DIALECTS[draft]))
            resource = Resource.from_contents(json.loads(path.read_text()), default_specification=default)
            registry = registry.with_resource(f"http://localhost:1234/{place}", resource)
    return registry


def verdicts(draft: str, part: str) -> dict[str, str]:
    """Name of a test to its kind of verdict."""
    found: dict[str, str] = {}
    for path in sorted((SUITE / "tests" / draft).glob(PARTS[part])):
        for case in parse(path.read_text()):
            schema = case["schema"]
            if isinstance(schema, dict) and "$schema" not in schema:
                schema = {"$schema": DIALECTS[draft], **schema}
            judge = Judge(
                spell(schema),
                property_order="any",
                numbers="exact",
                digits=None,
                whitespace="any",
                formats="assert" if part == "formats" else "annotate",
                registry=remotes(draft),
            )
            for test in case["tests"]:
                texts = spellings(test["data"])
                name = f"{path.stem}: {case['description']}: {test['description']}"
                found[name] = judge.verdict(texts, valid=test["valid"])
    return found


@pytest.mark.parametrize("draft", DIALECTS)
@pytest.mark.parametrize("part", PARTS)
def test_suite(draft: str, part: str) -> None:
    """Nothing of the suite is decided worse than it is on record."""
    found = verdicts(draft, part)
    print(draw_table({f"{draft} {part}": Counter(found.values())}))
    check_ratchet(RECORD, f"{draft} {part}", found)


def test_exceptions_have_reasons() -> None:
    """Each verdict on record that is not right falls under a reason, and each reason is still needed."""
    record: dict[str, dict[str, list[str]]] = json.loads(RECORD.read_text())
    reasons: dict[str, str] = json.loads(REASONS.read_text())
    names = [f"{group}: {name}" for group, kinds in record.items() for listed in kinds.values() for name in listed]
    assert not [name for name in names if not any(name.startswith(given) for given in reasons)]
    assert not [given for given in reasons if not any(name.startswith(given) for name in names)]

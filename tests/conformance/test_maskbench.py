"""MaskBench: every instance of the open sample is judged, and random walks of its schemas end in valid documents."""

from __future__ import annotations

import json
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

import maskwright as mw
from tests.conformance.maskbench import ARCHIVE, SAMPLE, documents
from tests.conformance.verdicts import BYTES, Judge, check_ratchet, draw_table
from tests.oracle.json_text import accepts, parse, parse_strictly, spell
from tests.properties.walks import names_of, walk

RECORD = Path(__file__).with_name("maskbench.json")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ARCHIVE.exists() and SAMPLE.exists()),
        reason="MaskBench is not here: put the workplace's folder shared beside the clone",
    ),
]


def test_instances() -> None:
    """No instance of the sample is decided worse than it is on record."""
    found: dict[str, str] = {}
    for name, text in documents():
        content = parse(text)
        judge = Judge(spell(content["schema"]), property_order="any", numbers="exact", digits=None, whitespace="any")
        for number, test in enumerate(content["tests"]):
            texts = [spell(test["data"]), spell(test["data"], blank=" ")]
            found[f"{name} {number}"] = judge.verdict(texts, valid=test["valid"])
    print(draw_table({"open600": Counter(found.values())}))
    check_ratchet(RECORD, "open600", found)


def test_walks() -> None:
    """Walks of every tenth schema reach an end, and the document is valid."""
    invalid: list[str] = []
    for name, text in documents(every=10):
        schema = json.loads(text, parse_float=Decimal)["schema"]
        try:
            guide = mw.compile(mw.json_schema(schema), BYTES)
        except mw.MaskwrightError:
            continue
        chance = random.Random(name)
        for budget in (0, 40):
            written = walk(guide, chance, budget=budget, patience=4_000, hints=names_of(schema))
            if not accepts(schema)(parse_strictly(written)):
                invalid.append(f"{name}: {written[:300]!r}")
    assert not invalid, "\n".join(invalid)

"""The reported cases that are procedures, not texts: each is carried out here, or named with the test that does it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import maskwright as mw
from maskwright.dialects import check, rewrite
from maskwright.errors import GrammarError, PatternError, SchemaError
from maskwright.tags.partial import partial_json
from maskwright.validation import Validator
from tests.conformance.test_open_cases import FILE, cases
from tests.conformance.verdicts import BYTES

ROOT: Final = Path(__file__).parents[2]
#: Procedures that are tests elsewhere: id -> a word of that test's file, and the file.
ELSEWHERE: Final = {
    "A06": "tests/unit/client/test_enforcement.py",
    "A08": "tests/unit/wire/test_services.py",
    "B01": "tests/properties/test_sequences.py",
    "B02": "tests/unit/test_matcher.py",
    "B04": "tests/properties/test_sequences.py",
    "B05": "tests/decode/test_transformers.py",
    "B07": "tests/unit/test_matcher.py",
    "C03": "tests/unit/client/test_questions.py",
    "C08": "tests/unit/client/test_questions.py",
    "I01": ".ci/run",
}
HERE: Final = {"A01", "A02", "A03", "A09", "A10", "C01", "C02", "C04", "C06", "D03", "G09", "P16", "S13"}

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="the cases are not here: put the workplace's folder shared beside the clone"
)


def case(name: str) -> dict[str, Any]:
    return (cases("api") | cases("perf"))[name]


def schemas_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema document."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from schemas_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from schemas_in(part)


def test_every_procedure_is_somewhere() -> None:
    """No case of the file is left out, and what is said to be elsewhere is there."""
    assert set(cases("api")) | set(cases("perf")) <= HERE | set(ELSEWHERE)
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).is_file()] == []


def test_patterns_that_cannot_be_read() -> None:
    """P16: an error of ours with the place, and the next pattern compiles."""
    for pattern in case("P16")["constraint"]["bad_regexes"]:
        with pytest.raises(PatternError) as caught:
            mw.regex(pattern)
        assert caught.value.problems[0].place or "^" in str(caught.value), pattern
        assert mw.compile(mw.regex("a+"), BYTES).matches("aa")


def test_grammars_that_cannot_be_read() -> None:
    """G09: an error of ours with line and column; of a schema in a grammar's place it says so."""
    for text in case("G09")["constraint"]["texts"]:
        with pytest.raises(GrammarError) as caught:
            mw.gbnf(text)
        assert any(sign in str(caught.value) for sign in ("1:", "root", "empty")), text
        if text.startswith("{"):
            assert "JSON" in str(caught.value)


def test_a_schema_that_is_none() -> None:
    """D03: the error names the place."""
    with pytest.raises(SchemaError, match="/properties/foo"):
        mw.json_schema(case("D03")["constraint"]["schema"])
    with pytest.raises(SchemaError, match="/type"):
        mw.json_schema({"type": "float"})


@pytest.mark.parametrize("name", ["C01", "C04"])
def test_partial_values(name: str) -> None:
    """A value that is cut off keeps all that was received."""
    for row in case(name)["io"]:
        expected = row["out_any"] if "out_any" in row else [row["out"]]
        assert partial_json(row["in"]).value in expected, row


def test_values_are_judged_when_they_are_closed() -> None:
    """C02: what can still become valid is pending; a closed value that is wrong is an error."""
    found = case("C02")
    for row in found["io"]:
        stream = Validator(found["constraint"]["schema"]).stream()
        refusal = stream.feed(row["in"])
        verdict = "error" if refusal is not None else "ok" if stream.is_complete else "pending"
        assert verdict == row["out"], row


def test_chunks_do_not_matter() -> None:
    """C06: any cut of the bytes, inside characters and escapes too, gives the same value."""
    text = '{"ключ": ["a\\u00e9\\ud83d\\ude00", "日本", 1.5e3, {"x": []}], "tail": "\\\\\\""}'
    dice = random.Random(6)
    schema = {"type": "object"}
    for _ in range(100):
        data = text.encode()
        cuts = sorted(dice.sample(range(1, len(data)), dice.randint(1, 20)))
        parser = mw.parser_of(mw.json_schema(schema))
        for start, stop in zip([0, *cuts], [*cuts, len(data)], strict=True):
            parser.feed(data[start:stop])
        assert parser.close() == json.loads(text)


def test_objects_are_closed_for_cerebras() -> None:
    """A01: every object at every depth, and what the schema accepts stays acceptable but for further members."""
    schema = case("A01")["constraint"]["schema"]
    made = rewrite(schema, "cerebras")
    for found in schemas_in(made.schema):
        if found.get("type") == "object" or isinstance(found.get("properties"), dict):
            assert found.get("additionalProperties") is False, found
    assert not check(made.schema, "cerebras")
    guide = mw.compile(mw.json_schema(made.schema, property_order="any"), BYTES)
    for text in ('{"a": {"b": "x"}, "l": [{"c": 1}, null]}', '{"a": {}, "l": []}'):
        assert guide.matches(text)
        assert mw.compile(mw.json_schema(schema), BYTES).matches(text)


def test_keywords_that_a_provider_does_not_take() -> None:
    """A02: gone from what is sent, told with the place, checked on the answer."""
    schema = case("A02")["constraint"]["schema"]
    made = rewrite(schema, "cerebras")
    assert not any("minItems" in found for found in schemas_in(made.schema))
    assert any(change.place == "#/properties/l" and "minItems" in str(change) for change in made.changes) or any(
        change.place == "#/properties/l/minItems" for change in made.changes
    )
    assert Validator(schema).check('{"l": []}') is not None


def test_defaults() -> None:
    """A03: no default goes out, references stand alone, all properties are required, optional ones nullable."""
    made = rewrite(case("A03")["constraint"]["schema"], "openai")
    assert isinstance(made.schema, dict)
    for found in schemas_in(made.schema):
        assert "default" not in found
        assert "$ref" not in found or set(found) == {"$ref"}
        if isinstance(found.get("properties"), dict):
            assert set(found["required"]) == set(found["properties"])
    guide = mw.compile(mw.json_schema(made.schema, property_order="any"), BYTES)
    assert guide.matches('{"n": null, "e": null}')
    assert made.unwrap({"n": None, "e": "x"}) == {"e": "x"}


def nested(levels: int) -> dict[str, Any]:
    """Objects in objects, closed and all required."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": False}
    return schema


def test_limits_are_told_before_sending() -> None:
    """A09: a schema at the provider's limit of nesting passes, one level more is told with its place."""
    accepted = max(levels for levels in range(1, 20) if not check(nested(levels), "openai"))
    assert accepted in (9, 10)
    findings = check(nested(accepted + 1), "openai")
    assert any(finding.place.count("/properties/x") >= accepted for finding in findings)


def test_compilers_know_nothing_of_each_other() -> None:
    """A10: every kind in one process, in any order, from four threads."""
    makers = [
        lambda: mw.compile(mw.gbnf('root ::= "a" | "b" root'), BYTES).matches("bba"),
        lambda: mw.compile(mw.lark('start: "a"+ /[0-9]/'), BYTES).matches("aa1"),
        lambda: mw.compile(mw.regex("[a-c]{2}"), BYTES).matches("ab"),
        lambda: mw.compile(mw.json_schema({"type": "integer"}), BYTES).matches("12"),
    ]
    wrong: list[int] = []

    def work(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(10):
            order = dice.sample(range(4), 4)
            wrong.extend(kind for kind in order if not makers[kind]())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_many_schemas_do_not_fill_the_memory() -> None:
    """S13: 5,000 different ones in a process that has not much more than the case allows to grow by."""
    program = f"""
import resource
import maskwright as mw
vocabulary = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])
schemas = {case("S13")["constraint_gen"]}
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 1e6
mw.compile(mw.json_schema(schemas[0]), vocabulary).matcher().mask()
before = rss()
for schema in schemas:
    mw.compile(mw.json_schema(schema), vocabulary).matcher().mask()
print(rss() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) < case("S13")["bounds"]["rss_mb"]

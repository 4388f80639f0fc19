"""The description of the interface says what the readers do, and ``FIELDS.md`` is what the table says."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from maskwright.wire.document import fields_document
from maskwright.wire.openapi import openapi
from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS
from tests.unit.wire.asking import LEAST, refusal
from tests.unit.wire.values import CASES, TOOL

NAMES = {"completions": "CompletionRequest", "chat": "ChatRequest"}
EVERY = [(endpoint, name) for endpoint, cases in CASES.items() for name in cases]


def validator(endpoint: str, name: str) -> Draft202012Validator:
    document = openapi()
    return Draft202012Validator(document["components"]["schemas"][NAMES[endpoint]]["properties"][name])


@pytest.mark.parametrize(("endpoint", "name"), EVERY)
def test_what_is_described_is_accepted(endpoint: str, name: str) -> None:
    """A value of the cases is accepted by the description if and only if the reader takes it."""
    case = CASES[endpoint][name]
    schema = validator(endpoint, name)
    for value in (*case.refused, *case.unsupported):
        if _is_json(value) and schema.is_valid(value):
            assert (endpoint, name, json.dumps(value)) in WIDER, (name, value)
    assert [value for value in case.accepted if not schema.is_valid(value)] == []
    assert endpoint in LEAST
    if name not in LEAST[endpoint]:
        assert schema.is_valid(None)
        assert refusal(endpoint, **{name: None}) is None


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _calling(arguments: str) -> str:
    call = {"id": "1", "function": {"name": "f", "arguments": arguments}}
    return json.dumps([{"role": "assistant", "tool_calls": [call]}])


#: What JSON Schema cannot say: names that are in another field, or come twice; JSON in texts.
WIDER = {
    ("chat", "tool_choice", '{"type": "function", "function": {"name": "h"}}'),
    ("chat", "tools", json.dumps([TOOL, TOOL])),
    *(("chat", "messages", _calling(text)) for text in ("{", "[]", '{"a": NaN}', "[" * 9999)),
}


def test_the_document_is_valid() -> None:
    """By a checker of OpenAPI where it is installed; each schema by the metaschema of 2020-12."""
    document = openapi(version="1", models=("m",), vocabulary=1000)
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    json.dumps(document, allow_nan=False)
    checker = pytest.importorskip("openapi_spec_validator")
    checker.validate(document)


def test_health_is_described_as_it_answers() -> None:
    """In one shape, whether the server takes requests or ends; no refusal is of that shape."""
    answers = openapi()["paths"]["/health"]["get"]["responses"]
    assert answers["200"]["content"] == answers["503"]["content"]
    assert answers["503"]["content"]["application/json"]["schema"]["$ref"].endswith("/Health")


def test_references_lead_somewhere() -> None:
    """Every ``$ref`` names a schema that is there."""
    document = openapi()
    text = json.dumps(document)
    for part in text.split('"$ref": "#/components/schemas/')[1:]:
        assert part.partition('"')[0] in document["components"]["schemas"]


@pytest.mark.parametrize("endpoint", NAMES)
def test_what_the_server_knows_is_told(endpoint: str) -> None:
    """Names of models, and how many ids there are; the least request is valid, and no other model's."""
    schemas = openapi(models=("m", "k"), vocabulary=1000)["components"]["schemas"]
    schema = Draft202012Validator(schemas[NAMES[endpoint]])
    assert schema.is_valid(LEAST[endpoint])
    assert not schema.is_valid({**LEAST[endpoint], "model": "x"})
    assert not schema.is_valid({})
    assert schema.is_valid({**LEAST[endpoint], "logit_bias": {"99": 1}})
    assert not schema.is_valid({**LEAST[endpoint], "logit_bias": {"1000": 1}})
    if endpoint == "completions":
        assert schema.is_valid({"model": "m", "prompt": [999]})
        assert not schema.is_valid({"model": "m", "prompt": [1000]})
        assert not schema.is_valid({"model": "m", "prompt": [[1000]]})


def test_every_field_is_described() -> None:
    """In the document and in the text for people, once in each table."""
    schemas = openapi()["components"]["schemas"]
    text = fields_document()
    for name, table in (("CompletionRequest", COMPLETION_FIELDS), ("ChatRequest", CHAT_FIELDS)):
        assert list(schemas[name]["properties"]) == [field.name for field in table]
        for field in table:
            assert f"| `{field.name}` |" in text
    assert all(line.count("|") - line.count("\\|") == 6 for line in text.splitlines() if line.startswith("|"))


def test_the_text_for_people_is_in_step() -> None:
    """``server/FIELDS.md`` is written by ``python -c "from maskwright.wire.document import fields_document; .."``."""
    kept = importlib.resources.files("maskwright.server").joinpath("FIELDS.md").read_text(encoding="utf-8")
    assert kept == fields_document()

"""Dialects: metaschemas that are built in, those of a registry, and their vocabularies."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import jsonschema.validators
import pytest
import referencing
import referencing.jsonschema

from maskwright.errors import ConstraintError, SchemaError, UnsupportedError
from maskwright.schema.compile import compile_schema
from tests.unit.schema.schemas import verdicts

V2019 = "https://json-schema.org/draft/2019-09/vocab"
V2020 = "https://json-schema.org/draft/2020-12/vocab"
D2020 = "https://json-schema.org/draft/2020-12/schema"
STANDARD = [
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]


def registry(documents: dict[str, Any]) -> Any:
    specification = referencing.jsonschema.DRAFT202012
    resources = [(uri, specification.create_resource(document)) for uri, document in documents.items()]
    return referencing.Registry().with_resources(resources)


def dialect(vocabularies: Any, **others: Any) -> Any:
    """A registry with one metaschema."""
    return registry({"http://x/meta": {"$schema": D2020, "$vocabulary": vocabularies, **others}})


SCHEMAS: list[Any] = [
    {},
    {"type": "string", "minLength": 1},
    {"minLength": -1},
    {"properties": {"a": {"enum": [1]}, "b": {"multipleOf": 0.5}}},
    {"properties": {"a": {"properties": {"b": {"maximum": "x"}}}}},
    {"items": {"pattern": 1}},
    {"additionalProperties": {"minimum": 1}},
    {"additionalProperties": 1},
    [],
    1,
]


@pytest.mark.parametrize("uri", STANDARD)
def test_metaschemas_are_built_in(uri: str) -> None:
    """A reference to a standard metaschema needs no registry, under http and https, and judges schemas as it should."""
    validator = jsonschema.validators.validator_for({"$schema": uri})
    expected = [validator(validator.META_SCHEMA).is_valid(schema) for schema in SCHEMAS]
    assert {True, False} <= set(expected)
    texts = [json.dumps(schema) for schema in SCHEMAS]
    for address in (uri, f"{'http' if uri.startswith('https') else 'https'}:{uri.partition(':')[2]}"):
        assert verdicts({"$ref": address}, texts, property_order="any") == expected


def test_parts_of_metaschemas() -> None:
    """Documents of vocabularies and definitions inside metaschemas can be named as well."""
    assert verdicts(
        {"$ref": "https://json-schema.org/draft/2020-12/meta/content#/properties/contentSchema"}, ["1"]
    ) == [False]
    assert verdicts({"$ref": f"{STANDARD[3]}/definitions/nonNegativeInteger"}, ["1", "-1"]) == [True, False]


def test_a_registry_has_precedence() -> None:
    """The document that a user registers under the address of a metaschema is the one that counts."""
    own = registry({STANDARD[3]: {"type": "null"}})
    assert verdicts({"$ref": STANDARD[3]}, ["null", "{}"], registry=own) == [True, False]


def test_a_dialect_that_the_registry_knows_counts() -> None:
    """A document without ``$schema`` is read in the dialect that its resource was made for, not in the referrer's."""
    resource = referencing.jsonschema.DRAFT4.create_resource({"minimum": 1, "exclusiveMinimum": True})
    own: Any = referencing.Registry().with_resource("http://x/a", resource)
    assert verdicts({"$ref": "http://x/a"}, ["1", "2"], registry=own) == [False, True]


def test_metaschemas_are_loaded_only_for_references() -> None:
    """``$schema`` alone, and references elsewhere, do not load the package of the metaschemas."""
    code = (
        "import sys; from maskwright.schema.compile import compile_schema;"
        f"compile_schema({{'$schema': {STANDARD[3]!r}, 'items': {{'$ref': '#'}}}});"
        "sys.exit('jsonschema_specifications' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("vocabularies", "schema", "texts", "expected"),
    [
        # Without the validation vocabulary nothing is asserted but what applies subschemas.
        (
            {f"{V2020}/core": True, f"{V2020}/applicator": True},
            {"minimum": 3, "properties": {"a": False}},
            ["1", '{"a": 1}'],
            [True, False],
        ),
        (
            {f"{V2020}/core": True, f"{V2020}/validation": True},
            {"minimum": 3, "items": False},
            ["1", "[1]"],
            [False, True],
        ),
        # References are core, and core needs no mention.
        (
            {f"{V2020}/validation": False},
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}},
            ["null", "1"],
            [True, False],
        ),
        # Unknown and not required: ignored.
        ({"http://x/units": False, f"{V2020}/validation": True}, {"type": "null"}, ["null", "1"], [True, False]),
        # The core vocabulary says which draft it is.
        ({f"{V2019}/core": True, f"{V2019}/applicator": True}, {"items": [False]}, ["[]", "[1]"], [True, False]),
        (
            {f"{V2020}/core": True, f"{V2020}/applicator": True},
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            ['{"b": 1}'],
            [True],
        ),
        (
            {f"{V2020}/core": True, f"{V2020}/applicator": True, f"{V2020}/unevaluated": True},
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            ['{"b": 1}'],
            [False],
        ),
    ],
)
def test_vocabularies(vocabularies: Any, schema: Any, texts: list[str], expected: list[bool]) -> None:
    """Only the keywords of the vocabularies that the metaschema lists assert something."""
    schema = {"$schema": "http://x/meta", **schema}
    assert verdicts(schema, texts, registry=dialect(vocabularies)) == expected


@pytest.mark.parametrize(
    ("vocabulary", "asserted"), [("format-annotation", False), ("format-assertion", True), ("validation", False)]
)
def test_a_vocabulary_may_assert_formats(vocabulary: str, asserted: bool) -> None:
    """With the assertion vocabulary a format counts even where the policy is to annotate."""
    schema = {"$schema": "http://x/meta", "format": "ipv4"}
    own = dialect({f"{V2020}/core": True, f"{V2020}/{vocabulary}": True})
    assert verdicts(schema, ['"x"'], registry=own, formats="annotate") == [not asserted]


def test_vocabularies_are_those_of_the_resource() -> None:
    """An embedded resource names its own dialect; what identifies it is a keyword of the dialect around it."""
    schema = {
        "$schema": "http://x/meta",
        "minimum": 3,
        "properties": {
            "a": {"$id": "http://x/a", "$schema": D2020, "minimum": 3},
            "b": {"$id": "http://x/b", "$schema": STANDARD[1], "minimum": 3, "exclusiveMinimum": True},
            "c": {"id": "http://x/c", "$schema": D2020, "minimum": 3},
            "d": {"id": "http://x/d", "$schema": "http://nope"},
        },
    }
    own = dialect({f"{V2020}/core": True, f"{V2020}/applicator": True})
    texts = ["1", '{"a": 2}', '{"a": 3}', '{"b": 3}', '{"b": 4}', '{"c": 2}']
    assert verdicts(schema, texts, registry=own) == [True, False, True, False, True, True]


@pytest.mark.parametrize(
    ("documents", "texts", "expected"),
    [
        # A metaschema without vocabularies is a variant of the dialect that it is written in.
        ({"http://x/meta": {"$schema": STANDARD[1]}}, ["1", "2"], [True, True]),
        ({"http://x/meta": {"$schema": STANDARD[2]}}, ["1", "2"], [True, False]),
        (
            {"http://x/meta": {"$schema": "http://x/b"}, "http://x/b": {"$schema": STANDARD[2]}},
            ["1", "2"],
            [True, False],
        ),
        ({"http://x/meta": {}}, ["1", "2"], [True, False]),
    ],
)
def test_metaschemas_of_ones_own(documents: dict[str, Any], texts: list[str], expected: list[bool]) -> None:
    """The chain of metaschemas is followed to a draft; ``const`` came with draft 6."""
    schema = {"$schema": "http://x/meta", "const": 1}
    assert verdicts(schema, texts, registry=registry(documents)) == expected


REFUSALS: list[tuple[str, Any, type[ConstraintError], str]] = [
    ("not at hand", referencing.Registry(), SchemaError, "registry=referencing.Registry()"),
    ("no metaschema", registry({"http://x/meta": True}), SchemaError, "http://x/meta"),
    ("required and unknown", dialect({"http://x/units": True, "http://x/y": True}), UnsupportedError, "http://x/y"),
    ("no booleans", dialect({f"{V2020}/core": 1}), SchemaError, "object of booleans"),
    ("no object", dialect([f"{V2020}/core"]), SchemaError, "object of booleans"),
    ("itself", registry({"http://x/meta": {"$schema": "http://x/meta"}}), SchemaError, "no draft"),
]


@pytest.mark.parametrize(("own", "kind", "words"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS])
def test_dialects_that_are_refused(own: Any, kind: type[ConstraintError], words: str) -> None:
    """A dialect that cannot be known is refused at the schema that names it."""
    schema = {"properties": {"a": {"$id": "http://x/a", "$schema": "http://x/meta"}}}
    with pytest.raises(kind) as caught:
        compile_schema(schema, registry=own)
    assert {(problem.place, problem.keyword) for problem in caught.value.problems} == {("#/properties/a", "$schema")}
    assert words in str(caught.value)


def test_hyper_schemas_assert_what_schemas_do() -> None:
    """A hyper-schema adds descriptions of links."""
    schema = {"$schema": "http://json-schema.org/draft-04/hyper-schema#", "minimum": 3, "exclusiveMinimum": True}
    assert verdicts(schema, ["3", "4"]) == [False, True]

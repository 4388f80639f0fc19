"""Misspelt keywords are found where a schema stands, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maskwright.cli.misspelling import find_misspelt


@pytest.mark.parametrize(
    ("schema", "places"),
    [
        ({"requred": ["a"], "minlength": 3, "titel": "x"}, ["#/minlength", "#/requred", "#/titel"]),
        ({"properties": {"requred": {"minlength": 1}}}, ["#/properties/requred/minlength"]),
        ({"anyOf": [True, {"item": {}}], "$defs": {"ab": {"enumm": []}}}, ["#/$defs/ab/enumm", "#/anyOf/1/item"]),
        ({"x-note": 1, "description": "requred", "const": {"requred": 1}, "enum": [{"minlength": 1}]}, []),
    ],
)
def test_names_that_are_nearly_keywords(schema: Any, places: list[str]) -> None:
    """Only names at the place of keywords count, and only those that are nearly one."""
    text = json.dumps(schema)
    found = [problem.place for problem in find_misspelt(text)]
    assert found == places

"""Why no value meets a schema."""

from __future__ import annotations

from maskwright.errors import Problem
from maskwright.schema.liveness import Liveness
from maskwright.schema.reader import Reader
from maskwright.schema.stores import Stores
from maskwright.schema.value import Value

__all__ = ["explain"]


def explain(value: Value, stores: Stores, reader: Reader, liveness: Liveness) -> tuple[Problem, ...]:
    """The reasons, outermost first."""
    return (Problem("no value meets the schema", value.subschemas[0].place if value.subschemas else "#"),)

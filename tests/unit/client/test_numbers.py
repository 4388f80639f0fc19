"""Numbers from APIs: what is no number of its kind is not told, whatever it is, and nothing raises."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest

import maskwright as mw
from maskwright.client.conversations import tools_of
from maskwright.client.draws import chat_drawn, completion_drawn
from maskwright.client.forms import forms_of
from maskwright.client.numbers import count_of, real_of, writable
from maskwright.client.spending import Budget, Ledger

HUGE = 10**400
#: What came, as a real number, and as a count.
TOLD: list[tuple[object, float | None, int | None]] = [
    (0, 0.0, 0),
    (-1, -1.0, None),
    (12.0, 12.0, 12),
    (1.5, 1.5, None),
    (HUGE, None, None),
    (-HUGE, None, None),
    (math.inf, math.inf, None),
    (-math.inf, -math.inf, None),
    (math.nan, None, None),
    (True, None, None),
    ("1", None, None),
    (None, None, None),
    ([1], None, None),
    (2**53 - 1, float(2**53 - 1), 2**53 - 1),
    (2**53, float(2**53), None),
]


@pytest.mark.parametrize(("told", "real", "count"), TOLD, ids=[repr(case[0])[:20] for case in TOLD])
def test_numbers_are_read(told: object, real: float | None, count: int | None) -> None:
    """As floats and as counts."""
    assert (real_of(told), count_of(told)) == (real, count)


@pytest.mark.parametrize("number", [case[0] for case in TOLD] + [{}, {"a": []}], ids=repr)
def test_no_number_of_an_answer_breaks_its_reading(number: Any) -> None:
    """Wherever it stands: every logarithm is one of a probability, every byte is one, and every count is exact."""
    entry = {"token": "a", "bytes": [number], "id": number, "logprob": number}
    listed = {"content": [{**entry, "top_logprobs": [entry, number]}]}
    arrays = {"tokens": ["a"], "token_logprobs": [number], "top_logprobs": [{"a": number}]}
    usage = {"prompt_tokens": number, "completion_tokens": number, "prompt_tokens_details": {"cached_tokens": number}}
    for logprobs in (listed, arrays):
        choice = {"text": "a", "message": {"content": "a"}, "logprobs": logprobs, "index": number}
        for drawn in (chat_drawn({"choices": [choice], "usage": usage}), completion_drawn({"choices": [choice]})):
            assert all(option.logprob <= 0 for token in drawn.tokens for option in token.top)
    ledger = Ledger(Budget(), 0.0)
    ledger.enter(usage, prompt=7, completion=3, attempts=1)
    json.dumps(ledger.report(1.0).tokens * 1.0)


@pytest.mark.parametrize(
    ("given", "text"),
    [("3", "3"), ("0.01", "0.01"), ("1E+2", "100"), ("-1.50", "-1.5"), ("12345.678901", "12345.678901")],
)
def test_decimals_are_written_as_numbers(given: str, text: str) -> None:
    """With the digits that they have, in schemas and in tools."""
    schema = {"type": "object", "properties": {"a": {"type": "number", "maximum": Decimal(given)}}}
    written = {"type": "object", "properties": {"a": {"type": "number", "maximum": json.loads(text)}}}
    assert json.dumps(writable(schema)) == json.dumps(written)
    assert json.dumps(forms_of(mw.json_schema(schema)).schema) == json.dumps(written)
    (tool,) = tools_of([{"name": "f", "parameters": schema}])
    assert json.dumps(tool["function"]["parameters"]) == json.dumps(written)

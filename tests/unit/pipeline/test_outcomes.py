"""Lines of values and failures."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from maskwright.errors import OutputError, RateLimitedError, TruncatedError
from maskwright.pipeline.outcomes import Cost, Made, failure_line, made_line
from maskwright.pipeline.rows import Row

ROW = Row(3, "ein Täxt", "a7", 5, 99)


def test_values_are_taken_over_as_they_are() -> None:
    """Digits, escapes and the order of members; only line breaks between tokens become blanks."""
    text = '{\n  "b": 1.000000000000000000001e400,\r\n  "a": "\\u00e4\\nä"\n}\n'
    line = made_line(ROW, "k", Made(text), with_cost=False)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert '"a": "\\u00e4\\nä"' in line.decode()
    whole = json.loads(line, parse_float=Decimal)
    assert list(whole) == ["row", "key", "id", "value"]
    assert whole["value"] == {"b": Decimal("1.000000000000000000001e400"), "a": "ä\nä"}
    assert (whole["row"], whole["key"], whole["id"]) == (3, "k", "a7")


@pytest.mark.parametrize("text", ["null", "0", '"x"', "[]", "[1, {}]", "1e400", "1" * 5000])
def test_any_json_is_a_value(text: str) -> None:
    """Scalars, and numbers that no float holds."""
    line = made_line(Row(1, "", None, 0, 0), "k", Made(text), with_cost=False).decode()
    assert line == f'{{"row": 1, "key": "k", "value": {text}}}\n'


def test_texts_are_strings() -> None:
    """What is no JSON by its nature is written as a string, line breaks and all."""
    line = made_line(ROW, "k", Made("a\n{", is_json=False), with_cost=False)
    assert json.loads(line)["value"] == "a\n{"


def test_what_should_be_json_and_is_not_is_refused() -> None:
    """No line is ever written that cannot be read."""
    for text in ("", "{", '{"a": 1} x', "[" * 100_000):
        with pytest.raises(OutputError):
            made_line(ROW, "k", Made(text), with_cost=False)


def test_costs() -> None:
    """They are told on demand, and add up."""
    cost = Cost(calls=2, prompt_tokens=10) + Cost(calls=1, retries=1, completion_tokens=5)
    assert cost == Cost(calls=3, retries=1, prompt_tokens=10, completion_tokens=5)
    assert cost.tokens == 15
    line = made_line(ROW, "k", Made("1", cost=cost, how="native"), with_cost=True)
    told = json.loads(line)["cost"]
    assert told == {"calls": 3, "retries": 1, "prompt_tokens": 10, "completion_tokens": 5, "how": "native"}
    assert Cost.of(object()) == Cost()


def test_failures_tell_all_that_is_known() -> None:
    """Type, message and the fields of the error; the row's text, and what was answered."""
    limited = RateLimitedError("slow down", status=429, code="quota", attempts=3, body="...")
    told = json.loads(failure_line(ROW, "k", limited, Cost(calls=3), with_cost=True))
    assert told == {
        "row": 3,
        "key": "k",
        "id": "a7",
        "error": {"type": "RateLimitedError", "message": "slow down", "status": 429, "code": "quota", "attempts": 3},
        "text": "ein Täxt",
        "cost": {"calls": 3, "retries": 0, "prompt_tokens": 0, "completion_tokens": 0},
    }
    cut = json.loads(failure_line(ROW, "k", TruncatedError("cut", text='{"a', place="1:4"), Cost(), with_cost=False))
    assert cut["error"] == {"type": "TruncatedError", "message": "1:4: cut", "place": "1:4", "reason": "cut"}
    assert cut["answer"] == '{"a'
    half = json.loads(failure_line(ROW, "k", ValueError("\ud800"), Cost(), with_cost=False))
    assert half["error"]["message"] == "\ud800"
    strange = json.loads(failure_line(ROW, "k", KeyError("\ud800"), Cost(), with_cost=False))
    assert strange["error"] == {"type": "KeyError", "message": "'\\ud800'"}

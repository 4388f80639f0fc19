"""Our own server with its constraints switched off, as a gateway that drops them silently: answers are right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import maskwright as mw
from maskwright.client.sync import Client
from maskwright.decode.models import find
from tests.client.foreign_servers import ours

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 40}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
ASKED = "Extract name, age and city from the text as a JSON object.\nText: Alice Martin, 34, moved to Berlin last year."


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server for all tests of this file."""
    with ours("constraints") as url:
        yield url


def test_a_server_that_drops_the_constraint_is_found_out_and_gone_on_with(address: str) -> None:
    """Case A06 with a real model: whatever it writes freely, what is returned meets the constraint."""
    schema = {**PERSON, "properties": {**PERSON["properties"], "zip": {"const": 12}}, "required": ["zip", "name"]}  # type: ignore[dict-item]
    with Client(address, timeout=60) as client:
        answer = client.chat(ASKED, mw.json_schema(schema), temperature=0, max_tokens=80, schema_in_prompt=False)
    assert answer.value["zip"] == 12
    assert answer.report.how == "native+loop:prefill"


@pytest.mark.parametrize("stream", [False, True])
def test_the_loop_takes_few_calls(address: str, *, stream: bool) -> None:
    """One to three with the form of the answer in the prompt; in pieces as well."""
    with Client(address, timeout=60) as client:
        if stream:
            parts = client.stream(ASKED, mw.json_schema(PERSON), temperature=0, max_tokens=150, prefer="loop")
            text = "".join(part.delta for part in parts)
            answer = parts.answer
            assert text == answer.text
        else:
            answer = client.chat(ASKED, mw.json_schema(PERSON), temperature=0, max_tokens=150, prefer="loop")
    assert answer.report.calls - answer.report.probes <= 3
    assert answer.value["name"] == "Alice Martin"
    assert not answer.report.is_degraded


def test_scores_or_biases_choose(address: str) -> None:
    """A choice that the model does not begin by itself."""
    opposite = mw.choice(["Zy", "Qx"])
    asked: Any = {"temperature": 0, "prefer": "loop", "schema_in_prompt": False}
    with Client(address, timeout=60, vocabulary=mw.Vocabulary.from_gguf(find("smollm2"))) as client:
        biased = client.complete("The opposite of big is", opposite, **asked)
    with Client(address, timeout=60) as client:
        scored = client.complete("The opposite of big is", opposite, **asked)
    assert biased.report.biased >= 1
    assert scored.report.scored == 2
    assert not biased.report.is_degraded
    assert not scored.report.is_degraded

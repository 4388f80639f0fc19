"""llama.cpp's own server with a real model: answers always meet their constraint, in few calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import maskwright as mw
from maskwright.client.probing import PROBES
from maskwright.client.profiles import PROFILES, Profile
from maskwright.client.sync import Client
from maskwright.decode.models import find
from tests.client.foreign_servers import llamacpp

pytest.importorskip("xllamacpp")

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 40}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
ASKED = "Extract name, age and city from the text as a JSON object.\nText: Alice Martin, 34, moved to Berlin last year."
KNOWN = PROFILES["llamacpp"]
SILENT = replace(KNOWN, chat_logprobs=0, logprobs=0)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server for all tests of this file."""
    with llamacpp() as url:
        yield url


@pytest.fixture(scope="module")
def vocabulary() -> mw.Vocabulary:
    """That of the model."""
    return mw.Vocabulary.from_gguf(find("smollm2"))


def ask(address: str, profile: Profile | str, vocabulary: mw.Vocabulary | None = None, **options: Any) -> Any:
    """The answer to a question about a person."""
    with Client(address, model="smollm2", profile=profile, vocabulary=vocabulary, timeout=60) as client:
        return client.chat(ASKED, mw.json_schema(PERSON), max_tokens=120, temperature=0, **options)


def test_it_is_known_by_what_it_says_of_its_models(address: str) -> None:
    """And its grammars are used: one call for the answer."""
    answer = ask(address, "auto")
    assert answer.report.how == "native:grammar"
    assert answer.report.calls - answer.report.probes == 1
    assert answer.value["name"] == "Alice Martin"


def test_the_loop_takes_few_calls(address: str) -> None:
    """With the form of the answer in the prompt: one to three."""
    answer = ask(address, KNOWN, prefer="loop")
    assert answer.report.how == "loop:prefill"
    assert answer.report.calls <= 3
    assert answer.value["name"] == "Alice Martin"
    assert not answer.report.is_degraded


def test_a_bias_helps_where_nothing_is_reported(address: str, vocabulary: mw.Vocabulary) -> None:
    """Found out to work by one call, and used where the model errs; else steps are taken for it."""
    mw_choice = mw.choice(["young", "middle-aged", "old"])
    with Client(address, model="smollm2", profile=SILENT, vocabulary=vocabulary, timeout=60) as client:
        answer = client.chat(f"How old is the person?\n{ASKED}", mw_choice, temperature=0, prefer="loop")
    assert answer.report.biased >= 1
    assert not answer.report.is_degraded
    assert any(found.get("bias", 0) >= 300 for found in PROBES.export().values())


@pytest.mark.parametrize("options", [{}, {"schema_in_prompt": False}])
def test_without_reports_and_bias_an_answer_is_still_right_in_form(address: str, options: Any) -> None:
    """Whatever it costs, within the budget."""
    answer = ask(address, replace(SILENT, bias=None), prefer="loop", **options)
    assert mw.compile(mw.json_schema(PERSON), mw.Vocabulary.from_gguf(find("smollm2"))).matches(answer.text)


def test_texts_are_gone_on_with(address: str) -> None:
    """Completions, with a pattern."""
    with Client(address, model="smollm2", profile=KNOWN, timeout=60) as client:
        date = client.complete(
            "The first world war ended on 1918-11-11. The second world war ended on",
            mw.regex(r"\d{4}-\d\d-\d\d"),
            temperature=0,
            prefer="loop",
        )
        drawn = client.complete("A colour:", mw.choice(["red", "green", "blue"]), seed=1, prefer="loop")
    assert len(date.text) == len("1945-05-08")
    assert drawn.text in ("red", "green", "blue")
    assert date.report.calls <= 3

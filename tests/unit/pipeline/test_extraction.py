"""The functions for programs, with a client that answers from a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pytest

import maskwright as mw
from maskwright.client.answer import Answer
from maskwright.client.report import Report
from maskwright.errors import InputError, PolicyError
from maskwright.pipeline import Pace, Reading, extract_rows, extract_rows_async

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class FakeClient:
    """What is used of an AsyncClient."""

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str | None, dict[str, Any]]] = []
        self.is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_closed = True

    def with_options(self, **_: object) -> Self:
        return self

    async def extraction(self, source: str, wanted: object, *, instructions: str | None, **options: Any) -> Answer:
        assert isinstance(wanted, mw.Constraint)
        self.asked.append((source, instructions, options))
        text = json.dumps({"n": len(source)}) if self.answers is None else self.answers[source]
        return Answer(
            text=text,
            value=json.loads(text) if text[0] == "{" else None,
            report=Report(how="native", calls=2, prompt_tokens=7),
        )


def values(path: Path) -> dict[int, object]:
    return {line["row"]: line["value"] for line in map(json.loads, path.read_text().splitlines())}


def test_rows_of_a_program(tmp_path: Path) -> None:
    """Texts and objects; the client is closed, costs are those of its reports, a second run asks nothing."""
    output, client = tmp_path / "out.jsonl", FakeClient()
    rows = ["a", {"id": 5, "text": "bb"}, "line\nbreak"]
    summary = extract_rows(rows, output, SCHEMA, client=client, instructions="Say n.", temperature=0.5, max_tokens=9)  # type: ignore[arg-type]
    assert summary.is_complete
    assert (summary.tally.made, summary.tally.cost.calls, summary.tally.total) == (3, 6, 3)
    assert values(output) == {1: {"n": 1}, 2: {"n": 2}, 3: {"n": 10}}
    assert client.is_closed
    assert ("bb", "Say n.", {"temperature": 0.5, "max_tokens": 9}) in client.asked
    again = FakeClient()
    extract_rows(iter(rows), output, SCHEMA, client=again, instructions="Say n.", temperature=0.5)  # type: ignore[arg-type]
    assert again.asked == []


def test_rows_of_a_file_with_templates(tmp_path: Path) -> None:
    """Every place of the template, and the options that are the client's own."""
    (tmp_path / "in.txt").write_text("a {text}\n")
    client = FakeClient({"<a {text}> a {text}": '{"n": 1}'})
    extract_rows(
        tmp_path / "in.txt",
        tmp_path / "out",
        SCHEMA,
        client=client,  # type: ignore[arg-type]
        template="<{text}> {text}",
        reading=Reading(format="text"),
        further={"prefer": "native"},
        pace=Pace(concurrency=1),
    )
    assert values(tmp_path / "out") == {1: {"n": 1}}
    assert client.asked[0][2] == {"prefer": "native"}


def test_validators_of_types_judge(tmp_path: Path) -> None:
    """What a schema cannot say fails the row, with its place and the answer."""
    pydantic = pytest.importorskip("pydantic", reason='pip install "maskwright[pydantic]"')

    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("even")
        return value

    from typing import Annotated

    model = pydantic.create_model("Odd", n=(Annotated[int, pydantic.AfterValidator(odd)], ...))
    extract_rows(["a", "bb"], tmp_path / "out.jsonl", model, client=FakeClient())  # type: ignore[arg-type]
    assert values(tmp_path / "out.jsonl") == {1: {"n": 1}}
    failure = json.loads((tmp_path / "out.failures.jsonl").read_text())
    assert (failure["row"], failure["error"]["type"], failure["error"]["place"]) == (2, "AnswerError", "/n")
    assert failure["answer"] == '{"n": 2}'


def test_texts_are_values(tmp_path: Path) -> None:
    """Of a constraint that is no JSON the text is the value."""
    client = FakeClient({"a": "yes"})
    extract_rows(["a"], tmp_path / "out.jsonl", mw.choice(["yes", "no"]), client=client)  # type: ignore[arg-type]
    assert values(tmp_path / "out.jsonl") == {1: "yes"}


def test_another_job_is_refused(tmp_path: Path) -> None:
    """Another schema, template, model or seed; how long answers may be is no other job."""
    output = tmp_path / "out.jsonl"

    def run(wanted: object = SCHEMA, **options: Any) -> None:
        extract_rows(["a"], output, wanted, client=FakeClient(), **options)

    run()
    run(max_tokens=5)
    run(json.loads(json.dumps(SCHEMA)))
    for wanted, options, words in [
        ({**SCHEMA, "title": "x"}, {}, "another schema"),
        (SCHEMA, {"template": "{text}!"}, "other instructions or another prompt"),
        (SCHEMA, {"model": "m"}, "another model"),
        (SCHEMA, {"seed": 5}, "another model or sampling"),
    ]:
        with pytest.raises(InputError, match=words):
            run(wanted, **options)
    run({**SCHEMA, "title": "x"}, restart=True)


@pytest.mark.parametrize(
    "options",
    [{}, {"client": FakeClient(), "runtime": object()}, {"client": FakeClient(), "template": "x"}, {"clients": 1}],
    ids=["nobody", "two", "no place", "unknown"],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    """And nothing is asked."""
    with pytest.raises((PolicyError, AttributeError)):
        extract_rows(["a"], tmp_path / "out", SCHEMA, **options)
    with pytest.raises(PolicyError):
        extract_rows(["a"], tmp_path / "out2", None, client=FakeClient())  # type: ignore[arg-type]


def test_in_an_event_loop(tmp_path: Path) -> None:
    """The same as a coroutine, beside others."""

    async def two() -> list[object]:
        runs = [extract_rows_async(["a"], tmp_path / f"{n}.jsonl", SCHEMA, client=FakeClient()) for n in range(2)]  # type: ignore[arg-type]
        return [summary.tally.made for summary in await asyncio.gather(*runs)]

    assert asyncio.run(two()) == [1, 1]

    async def wrong() -> None:
        extract_rows(["a"], tmp_path / "x.jsonl", SCHEMA, client=FakeClient())  # type: ignore[typeddict-item]

    with pytest.raises(PolicyError, match="await extract_rows_async"):
        asyncio.run(wrong())

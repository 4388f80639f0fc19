"""How many calls and tokens an answer costs, by how it is enforced: ``python tests/bench/calls_per_answer.py``.

SmolLM2-135M behind two servers: ours with its constraints switched off (``maskwright serve --without``) and llama.cpp's
own (``pip install xllamacpp``). Each row is a constraint and a way; calls, billed tokens, repairs, bias calls and steps
that were chosen for the model are means over the texts. The request that asks an unknown API for its name is not
counted: it is made once. Every answer is checked against its constraint.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import maskwright as mw
from maskwright.client.profiles import PROFILES, Profile
from maskwright.client.sync import Client
from maskwright.decode.models import find
from maskwright.errors import MaskwrightError
from tests.client.foreign_servers import llamacpp, ours

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
TRIP = {
    "type": "object",
    "properties": {
        "traveller": PERSON,
        "purpose": {"enum": ["work", "family", "holiday", "unknown"]},
        "places": {"type": "array", "items": {"type": "string", "maxLength": 30}, "minItems": 1, "maxItems": 4},
        "is_past": {"type": "boolean"},
    },
    "required": ["traveller", "purpose", "places", "is_past"],
    "additionalProperties": False,
}
TEXTS = [
    "Alice Martin, 34, moved from Paris to Berlin last year.",
    "Bob Stone is 52 and lives in Madrid with his two cats.",
    "In 2021 the 19 year old Priya Patel left Mumbai for Toronto to study.",
    "Our neighbour Jan de Vries, aged 71, was born in Utrecht.",
    "Chen Wei (45) flew from Shanghai to Rome for a conference.",
]
#: Name, constraint, what is asked.
CONSTRAINTS: list[tuple[str, mw.Constraint, str]] = [
    ("object", mw.json_schema(PERSON), "Extract name, age and city from the text as a JSON object.\nText: {}"),
    ("nested", mw.json_schema(TRIP), "Describe the person and the travel in the text as a JSON object.\nText: {}"),
    ("choice", mw.choice(["young", "middle-aged", "old"]), "How old is the person in the text?\nText: {}"),
    ("pattern", mw.regex(r"[A-Z][a-z]+ \([0-9]{1,3}\)"), "Write first name and age, as in: Eve (7)\nText: {}"),
]


@dataclass(frozen=True)
class Way:
    """A way to ask a server."""

    title: str
    url: str
    profile: Profile
    options: dict[str, Any]
    vocabulary: mw.Vocabulary | None = None


def ways(stack: contextlib.ExitStack, vocabulary: mw.Vocabulary) -> Iterator[Way]:
    """All ways, with servers that run as long as the stack."""
    loop = {"prefer": "loop", "temperature": 0}
    profile = PROFILES["llamacpp"]
    silent = replace(profile, chat_logprobs=0, logprobs=0)
    url = stack.enter_context(llamacpp())
    yield Way("llama.cpp: grammar", url, profile, {"temperature": 0})
    yield Way("llama.cpp: loop", url, profile, loop)
    yield Way("llama.cpp: loop, temperature 1", url, profile, {**loop, "temperature": 1, "seed": 1})
    yield Way("llama.cpp: loop, no schema shown", url, profile, {**loop, "schema_in_prompt": False})
    yield Way("llama.cpp: loop, bias only", url, silent, loop, vocabulary)
    yield Way("llama.cpp: loop, nothing", url, replace(silent, bias=None), loop)
    own = PROFILES["maskwright"]
    url = stack.enter_context(ours())
    yield Way("ours: native", url, own, {"temperature": 0})
    url = stack.enter_context(ours("constraints"))
    yield Way("ours: constraints ignored", url, own, {"temperature": 0})
    yield Way("ours: loop", url, own, loop)
    url = stack.enter_context(ours("constraints", "logprobs"))
    yield Way("ours: loop, bias only", url, own, loop, vocabulary)


def measured(way: Way, constraint: mw.Constraint, prompts: list[str]) -> str:
    """A row of the table."""
    names = ("calls", "tokens", "repairs", "biased", "nudges")
    sums = dict.fromkeys(names, 0)
    failures = degraded = 0
    guide = mw.compile(constraint, mw.Vocabulary.from_tokens([b"", *(bytes([b]) for b in range(256))], end_ids=[0]))
    with Client(way.url, model="smollm2", profile=way.profile, vocabulary=way.vocabulary, timeout=120) as client:
        if way.url and "ours" in way.title:
            client.models()
        for prompt in prompts:
            try:
                answer = client.chat(prompt, constraint, max_tokens=300, **way.options)
            except MaskwrightError as error:
                failures += 1
                print(f"{way.title}: {error}", file=sys.stderr)
                continue
            if not guide.matches(answer.text):
                raise SystemExit(f"{way.title}: {answer.text!r} is no output")
            for name in names:
                sums[name] += getattr(answer.report, name)
            degraded += answer.report.is_degraded
    count = max(1, len(prompts) - failures)
    cells = [f"{sums[name] / count:.1f}" for name in names]
    return " | ".join([*cells, f"{degraded}", f"{failures}"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=3)
    parser.add_argument("--only", default="", help="a part of the way's title")
    arguments = parser.parse_args()
    vocabulary = mw.Vocabulary.from_gguf(find("smollm2"))
    print("| way | constraint | calls | tokens | repairs | bias calls | nudges | degraded | failed |")
    print("|---|---|---|---|---|---|---|---|---|")
    with contextlib.ExitStack() as stack:
        for way in ways(stack, vocabulary):
            if arguments.only not in way.title:
                continue
            for name, constraint, asked in CONSTRAINTS:
                prompts = [asked.format(text) for text in TEXTS[: arguments.texts]]
                print(f"| {way.title} | {name} | {measured(way, constraint, prompts)} |", flush=True)


if __name__ == "__main__":
    main()

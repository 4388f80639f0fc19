"""The engine before llama.cpp, which has as many sessions as it was told and no more."""

from __future__ import annotations

import asyncio
import json

import jsonschema
import pytest

import maskwright as mw
from maskwright.decode.runtimes import load
from maskwright.server.engine import Engine
from maskwright.server.jobs import Job
from tests.registry import fetch
from tests.unit.server.scripted import collect

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 8}, "kind": {"enum": ["a", "b"]}},
    "required": ["name", "kind"],
    "additionalProperties": False,
}


def test_more_sequences_than_sessions_are_all_written() -> None:
    """Two sessions, four sequences, a prompt that all share, one who leaves: every answer is valid, none is stuck."""
    pytest.importorskip("llama_cpp")
    runtime = load(str(fetch("smollm2.gguf")), engine="llamacpp", sessions=2, context=512)
    guide = mw.compile(mw.json_schema(SCHEMA), runtime.vocabulary)
    prompt = tuple(runtime.chat([{"role": "user", "content": "Invent a person, as JSON."}]))

    async def scene() -> None:
        engine = Engine(runtime, batch=4)
        engine.start()
        leaving = engine.submit([Job(prompt=prompt, min_tokens=400)])
        await anext(leaving)
        ticket = engine.submit([Job(prompt=prompt, guide=guide, max_tokens=32, seed=seed) for seed in range(3)])
        leaving.cancel()
        for outcome in await collect(ticket):
            assert outcome.error is None
            jsonschema.validate(json.loads(outcome.data), SCHEMA)
        again = await collect(engine.submit([Job(prompt=(*prompt, prompt[0]), max_tokens=2)]))
        assert again[0].prompted is not None
        assert again[0].prompted.cached_tokens == len(prompt)
        await engine.close(5)

    asyncio.run(asyncio.wait_for(scene(), 120))

"""Whatever bytes come back, there is a valid answer or a typed error, and no connection is left in use."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any, Final

import pytest

from maskwright.client import AsyncClient, Pool, Retries
from maskwright.errors import MaskwrightError
from tests.client.scripted import CLOSE, RESET, Script, Scripted, chat, json_answer, streamed
from tests.client.sides import SIDES, AsyncSide, SyncSide

SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
TEXT: Final = '{"name": "Ada \\u00e9", "age": 36}'
ROUNDS: Final = 120


def joined(script: Script) -> bytes:
    return b"".join(step for step in script if isinstance(step, bytes))


WHOLE: Final = {True: joined(streamed(TEXT)), False: json_answer(chat(TEXT))}


def mutilated(whole: bytes, lots: random.Random) -> Script:
    """A response with bytes changed, left out, doubled or put in, or cut off; sent in one piece or several."""
    data = bytearray(whole)
    for _ in range(lots.choice((0, 1, 1, 1, 2, 5))):
        at = lots.randrange(len(data))
        until = min(len(data), at + lots.choice((1, 1, 2, 30)))
        match lots.randrange(4):
            case 0:
                data[at] = lots.randrange(256)
            case 1:
                del data[at:until]
            case 2:
                data[at:at] = data[at:until]
            case _:
                data[at:at] = lots.randbytes(until - at)
    if lots.random() < 0.4:
        del data[lots.randrange(len(data)) :]
    cut = lots.randrange(len(data) + 1)
    return [bytes(data[:cut]), bytes(data[cut:]), lots.choice((CLOSE, CLOSE, RESET))]


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("side", SIDES, ids=["sync", "async"])
def test_a_valid_answer_or_a_typed_error(side: type[SyncSide | AsyncSide], *, stream: bool) -> None:
    """With a schema, everything that is given as an answer meets it."""
    lots = random.Random(18 + stream)
    scripts = [mutilated(WHOLE[stream], lots) for _ in range(ROUNDS)]
    outcomes: dict[str, int] = {}
    settings: dict[str, Any] = {"profile": "openai", "timeout": 1.0, "connect_timeout": 5.0, "retries": Retries(most=0)}
    with Scripted([*scripts, [WHOLE[stream]]]) as server, side(server.url, **settings, limits=Pool(idle=0)) as client:
        for _ in range(ROUNDS):
            try:
                answer = client.parts("x", SCHEMA)[1] if stream else client.ask("chat", "x", SCHEMA)
            except MaskwrightError as error:
                outcomes[type(error).__name__] = outcomes.get(type(error).__name__, 0) + 1
            else:
                outcomes["answer"] = outcomes.get("answer", 0) + 1
                assert valid(answer.value)
                assert valid(json.loads(answer.text))
        server.wait_until_open(0)
    assert min(outcomes["answer"], outcomes["ConnectionFailedError"], outcomes["ProtocolError"]) > 0, outcomes


def test_cancellation_at_any_time() -> None:
    """Wherever a task is when it is cancelled, its connection goes, and the pool is as good as new."""
    lots = random.Random(20)
    whole = WHOLE[True]
    slow: Script = [0.005, whole[:20], 0.005, whole[20:300], 0.005, whole[300:], CLOSE]

    async def ask(client: AsyncClient) -> str:
        async with client.stream("x", SCHEMA) as stream:
            return (await stream.read()).text

    async def main(url: str) -> list[Any]:
        limits = Pool(connections=8, idle=0)
        async with AsyncClient(url, model="m", profile="openai", limits=limits) as client:
            tasks = [asyncio.create_task(ask(client)) for _ in range(80)]
            for task in lots.sample(tasks, 60):
                await asyncio.sleep(lots.random() * 0.004)
                task.cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            return [*found, await ask(client)]

    with Scripted([slow]) as server:
        *found, last = asyncio.run(main(server.url))
        server.wait_until_open(0)
    assert last == TEXT
    assert found.count(TEXT) >= 20
    assert {type(one) for one in found} <= {str, asyncio.CancelledError}


def valid(value: Any) -> bool:
    """What the schema says, in Python."""
    return (
        list(value) == ["name", "age"]
        and isinstance(value["name"], str)
        and len(value["name"]) <= 20
        and type(value["age"]) is int
        and value["age"] >= 0
    )

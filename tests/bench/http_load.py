"""Many clients at once on one server: errors, invalid answers, growth of memory, the share of time that masks take.

    python tests/bench/http_load.py [--clients 64] [--seconds 60] [--model smollm2] [-- options of maskwright serve]

Starts ``maskwright serve`` on the loopback interface and lets each client ask one thing after the other, drawn from a
few kinds: strict JSON, streamed JSON, tools, a grammar root, free text, a wrong schema, and a connection dropped in
mid-stream. Prints one table; the exit code is 1 if an answer was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import httpx
import jsonschema

SCHEMA: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 24},
        "kind": {"enum": ["city", "river", "mountain"]},
        "size": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
    },
    "required": ["name", "kind", "size"],
    "additionalProperties": False,
}
PLACES: Final = ("Paris", "the Rhine", "Mont Blanc", "Lagos", "the Amazon", "Kyoto", "Quito", "the Danube")
#: Kind -> how often it is drawn.
KINDS: Final = {"json": 6, "stream": 4, "tools": 2, "root": 2, "text": 2, "wrong": 1, "drop": 1}


def chat(place: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": f"Describe {place} as JSON with name, kind and size."}]
    return {"model": "smollm2", "messages": messages, "max_tokens": 60, "temperature": 0.5} | more


def strict(schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "place", "strict": True, "schema": schema}}


async def ask(client: httpx.AsyncClient, kind: str, place: str) -> None:
    """One request of a kind; raises for every answer that is not what it should be."""
    if kind == "stream":
        text = await stream(client, chat(place, response_format=strict(SCHEMA), stream=True))
        jsonschema.validate(json.loads(text), SCHEMA)
    elif kind == "drop":
        async with client.stream("POST", "/v1/chat/completions", json=chat(place, stream=True)) as response:
            async for _ in response.aiter_lines():
                return
    elif kind == "wrong":
        response = await client.post("/v1/chat/completions", json=chat(place, response_format=strict({"type": "x"})))
        assert response.status_code == 400, response.text
    elif kind == "root":
        body = {"model": "smollm2", "prompt": f"{place} as JSON: ", "grammar_root": "object", "max_tokens": 40}
        answer = await post(client, "/v1/completions", body)
        json.loads(answer["choices"][0]["text"])
    elif kind == "tools":
        tool = {"type": "function", "function": {"name": "describe", "parameters": SCHEMA}}
        body = chat(place, tools=[tool], tool_choice="required", parallel_tool_calls=False, max_tokens=90)
        answer = await post(client, "/v1/chat/completions", body)
        call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
        jsonschema.validate(json.loads(call["arguments"]), SCHEMA)
    elif kind == "text":
        await post(client, "/v1/chat/completions", chat(place, max_tokens=16))
    else:
        answer = await post(client, "/v1/chat/completions", chat(place, response_format=strict(SCHEMA)))
        jsonschema.validate(json.loads(answer["choices"][0]["message"]["content"]), SCHEMA)


async def post(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    response = await client.post(path, json=body)
    assert response.status_code == 200, f"{response.status_code}: {response.text[:300]}"
    answer: dict[str, Any] = response.json()
    return answer


async def stream(client: httpx.AsyncClient, body: dict[str, Any]) -> str:
    text, is_done = "", False
    async with client.stream("POST", "/v1/chat/completions", json=body) as response:
        assert response.status_code == 200, await response.aread()
        async for line in response.aiter_lines():
            data = line.removeprefix("data: ")
            is_done = is_done or data == "[DONE]"
            if line.startswith("data: ") and data != "[DONE]":
                for choice in json.loads(data)["choices"]:
                    text += choice["delta"].get("content") or ""
    assert is_done, "the stream ended without [DONE]"
    return text


async def load(base: str, clients: int, seconds: float) -> tuple[Counter[str], Counter[str], list[float]]:
    done: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    times: list[float] = []
    stop = time.monotonic() + seconds

    async def one(index: int) -> None:
        dice = random.Random(index)
        async with httpx.AsyncClient(base_url=base, timeout=300) as client:
            while time.monotonic() < stop:
                kind = dice.choices([*KINDS], [*KINDS.values()])[0]
                start = time.monotonic()
                try:
                    await ask(client, kind, dice.choice(PLACES))
                except Exception as error:  # noqa: BLE001 - every kind of failure is counted
                    errors[f"{kind}: {type(error).__name__}: {str(error)[:160]}"] += 1
                else:
                    done[kind] += 1
                    times.append(time.monotonic() - start)

    await asyncio.gather(*map(one, range(clients)))
    return done, errors, times


def resident(process: int) -> float:
    """MB of a process in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found.group(1)) / 1024 if found else 0.0


def metrics(base: str) -> dict[str, float]:
    text = httpx.get(f"{base}/metrics").text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    command = [sys.executable, "-m", "maskwright", "serve", "--model", given.model, "--port", "0", *given.options]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    ) as server:
        base = ready(server)
        asyncio.run(load(base, given.clients, 3))
        before, first = resident(server.pid), metrics(base)
        done, errors, times = asyncio.run(load(base, given.clients, given.seconds))
        time.sleep(1)
        after, last = resident(server.pid), metrics(base)
        server.send_signal(signal.SIGTERM)
        code = server.wait(30)
    times.sort()
    print(f"answers: {sum(done.values())} {dict(done)}")
    print(f"errors: {sum(errors.values())} {dict(errors)}")
    print(f"seconds an answer: p50 {times[len(times) // 2]:.1f}, max {times[-1]:.1f}")
    print(f"memory: {before:.0f} MB after the first 3 s, {after:.0f} MB at the end; exit code of the server: {code}")
    for name, value in sorted(last.items()):
        if value != first.get(name):
            print(f"  {name}: {value - first.get(name, 0):.6g}")
    return 1 if errors else 0


def ready(server: subprocess.Popen[str]) -> str:
    """The address that the server says it listens at; the rest of what it says is read and dropped."""
    assert server.stderr is not None
    for line in server.stderr:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return found.group()
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    sys.exit(main())

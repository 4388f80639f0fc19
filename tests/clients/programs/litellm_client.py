"""`litellm` against our server, as an OpenAI and as a Cerebras endpoint, and its error classes."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys

import litellm
from pydantic import BaseModel, Field

BASE, KEYED = sys.argv[1], sys.argv[2]
ASK = [{"role": "user", "content": "Describe the city of Paris as JSON."}]
WAY = {"model": "openai/smollm2", "api_base": BASE, "api_key": "any", "num_retries": 0}
CEREBRAS = WAY | {"model": "cerebras/smollm2"}
litellm.suppress_debug_info = True
litellm.drop_params = False
seen: dict[str, object] = {"version": importlib.metadata.version("litellm")}


class City(BaseModel):
    name: str = Field(max_length=20)
    population: int = Field(ge=1, le=100_000_000)


TOOL = {"type": "function", "function": {"name": "city", "description": "it", "parameters": City.model_json_schema()}}


def error_of(call: object) -> dict[str, object]:
    try:
        call()  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - its class is what is looked at
        return {
            "class": type(error).__name__,
            "status_code": getattr(error, "status_code", None),
            "message": str(error),
        }
    return {"class": None}


for name, way in (("openai", WAY), ("cerebras", CEREBRAS)):
    chat = litellm.completion(**way, messages=ASK, response_format=City, temperature=0, max_tokens=80)
    chunks = litellm.completion(**way, messages=ASK, response_format=City, stream=True, max_tokens=80)
    called = litellm.completion(**way, messages=ASK, tools=[TOOL], tool_choice="required", max_tokens=200)
    calls = called.choices[0].message.tool_calls
    seen[name] = {
        "value": json.loads(chat.choices[0].message.content),
        "finish": chat.choices[0].finish_reason,
        "usage": chat.usage.completion_tokens > 0,
        "stream": json.loads("".join(c.choices[0].delta.content or "" for c in chunks)),
        "tool": [call.function.name for call in calls],
        "arguments": [json.loads(call.function.arguments) for call in calls],
    }


async def asynchronous() -> None:
    chat = await litellm.acompletion(**WAY, messages=ASK, response_format=City, max_tokens=80)
    seen["async"] = json.loads(chat.choices[0].message.content)
    stream = await litellm.acompletion(**WAY, messages=ASK, response_format=City, max_tokens=80, stream=True)
    seen["async_stream"] = json.loads("".join([c.choices[0].delta.content or "" async for c in stream]))


asyncio.run(asynchronous())
text = litellm.text_completion(**WAY | {"model": "text-completion-openai/smollm2"}, prompt="One, two,", max_tokens=5)
seen["text"] = bool(text.choices[0].text)
bad = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "strin"}}}
seen["errors"] = {
    "model": error_of(lambda: litellm.completion(**WAY | {"model": "openai/nothing"}, messages=ASK)),
    "schema": error_of(lambda: litellm.completion(**WAY, messages=ASK, response_format=bad)),
    "key": error_of(lambda: litellm.completion(**WAY | {"api_base": KEYED}, messages=ASK)),
}
print(json.dumps(seen))

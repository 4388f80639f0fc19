"""The `openai` package against our server: typed results, streams, tools, legacy completions, and its error classes."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Literal

import openai
from pydantic import BaseModel, Field

BASE, KEYED = sys.argv[1], sys.argv[2]
MODEL = "smollm2"
ASK = [{"role": "user", "content": "Describe the city of Paris as JSON."}]
STRICT = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "population": {"type": "integer", "minimum": 1}},
    "required": ["city", "population"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "city", "strict": True, "schema": STRICT}}
TOOLS = [{"type": "function", "function": {"name": "describe", "description": "Describe it", "parameters": STRICT}}]
#: What was seen, as the tests read it.
seen: dict[str, object] = {"version": openai.__version__}


class City(BaseModel):
    name: str = Field(max_length=20)
    continent: Literal["Africa", "America", "Asia", "Europe"]


def error_of(call: object) -> dict[str, object]:
    try:
        call()  # type: ignore[operator]
    except openai.APIError as error:
        names = ("status_code", "code", "param", "type")
        return {"class": type(error).__name__, "message": error.message} | {n: getattr(error, n, None) for n in names}
    return {"class": None}


def synchronous(client: openai.OpenAI) -> None:
    seen["models"] = [model.id for model in client.models.list()]
    chat = client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, temperature=0, seed=1)
    seen["chat"] = {
        "value": json.loads(chat.choices[0].message.content),
        "finish": chat.choices[0].finish_reason,
        "usage": chat.usage.total_tokens == chat.usage.prompt_tokens + chat.usage.completion_tokens,
        "fingerprint": chat.system_fingerprint,
        "time_info": sorted(chat.time_info),
    }
    parsed = client.chat.completions.parse(model=MODEL, messages=ASK, response_format=City)
    seen["parsed"] = parsed.choices[0].message.parsed.model_dump()
    chunks = list(
        client.chat.completions.create(
            model=MODEL, messages=ASK, response_format=FORMAT, stream=True, stream_options={"include_usage": True}
        )
    )
    seen["stream"] = {
        "value": json.loads("".join(c.choices[0].delta.content or "" for c in chunks if c.choices)),
        "usage": chunks[-1].usage.completion_tokens > 0 and not chunks[-1].choices,
        "role": chunks[0].choices[0].delta.role,
    }
    with client.chat.completions.stream(model=MODEL, messages=ASK, response_format=City) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    seen["helper"] = {"kinds": sorted(kinds), "parsed": final.choices[0].message.parsed.model_dump()}
    # Unbounded and warm, a small model calls again and again, to the end of its context.
    called = client.chat.completions.create(
        model=MODEL, messages=ASK, tools=TOOLS, tool_choice="required", parallel_tool_calls=False, seed=1
    )
    message = called.choices[0].message
    seen["tools"] = {
        "finish": called.choices[0].finish_reason,
        "content": message.content,
        "name": message.tool_calls[0].function.name,
        "arguments": json.loads(message.tool_calls[0].function.arguments),
        "id": bool(message.tool_calls[0].id),
    }
    answer = [*ASK, message.model_dump(exclude_none=True)]
    answer += [{"role": "tool", "tool_call_id": call.id, "content": "fine"} for call in message.tool_calls]
    again = client.chat.completions.create(model=MODEL, messages=answer, tools=TOOLS, tool_choice="none", max_tokens=8)
    seen["tool_answer"] = {"calls": again.choices[0].message.tool_calls, "text": bool(again.choices[0].message.content)}
    with client.chat.completions.stream(
        model=MODEL,
        messages=ASK,
        tools=[openai.pydantic_function_tool(City)],
        tool_choice={"type": "function", "function": {"name": "City"}},
    ) as stream:
        stream.until_done()
        call = stream.get_final_completion().choices[0].message.tool_calls[0]
    seen["tool_stream"] = {"name": call.function.name, "parsed": call.function.parsed_arguments.model_dump()}
    scores = client.chat.completions.create(
        model=MODEL, messages=ASK, max_completion_tokens=4, logprobs=True, top_logprobs=3, n=2
    )
    content = scores.choices[1].logprobs.content
    seen["logprobs"] = {
        "choices": len(scores.choices),
        "top": [len(token.top_logprobs) for token in content],
        "text": "".join(token.token for token in content) == scores.choices[1].message.content,
        "bytes": b"".join(bytes(token.bytes) for token in content).decode() == scores.choices[1].message.content,
    }
    legacy = client.completions.create(
        model=MODEL, prompt=["One, two,", "A, B,"], max_tokens=5, logprobs=2, echo=True, temperature=0
    )
    seen["legacy"] = {
        "index": [choice.index for choice in legacy.choices],
        "echo": [choice.text.startswith(p) for choice, p in zip(legacy.choices, ("One, two,", "A, B,"), strict=True)],
        "offsets": legacy.choices[0].logprobs.text_offset[0],
        "first": legacy.choices[0].logprobs.token_logprobs[0],
    }
    rooted = client.completions.create(
        model=MODEL, prompt="A JSON object: ", max_tokens=60, extra_body={"grammar_root": "object"}
    )
    seen["grammar_root"] = json.loads(rooted.choices[0].text)
    pieces = client.completions.create(model=MODEL, prompt="Count: 1, 2,", max_tokens=6, stream=True, temperature=0)
    whole = client.completions.create(model=MODEL, prompt="Count: 1, 2,", max_tokens=6, temperature=0)
    seen["legacy_stream"] = "".join(piece.choices[0].text for piece in pieces) == whole.choices[0].text


async def asynchronous(client: openai.AsyncOpenAI) -> None:
    both = await asyncio.gather(
        *(
            client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, max_tokens=60)
            for _ in range(4)
        )
    )
    seen["async"] = [json.loads(chat.choices[0].message.content) for chat in both]
    stream = await client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, stream=True)
    seen["async_stream"] = json.loads("".join([c.choices[0].delta.content or "" async for c in stream if c.choices]))
    await client.close()


def errors(client: openai.OpenAI) -> None:
    create = client.chat.completions.create
    bad = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "strin"}}}
    seen["errors"] = {
        "model": error_of(lambda: create(model="nothing", messages=ASK)),
        "schema": error_of(lambda: create(model=MODEL, messages=ASK, response_format=bad)),
        "field": error_of(lambda: create(model=MODEL, messages=ASK, temperature=9)),
        "suffix": error_of(lambda: client.completions.create(model=MODEL, prompt="a", suffix="b")),
        "fits": error_of(lambda: create(model=MODEL, messages=ASK, response_format=FORMAT, max_tokens=2)),
        "key": error_of(openai.OpenAI(base_url=KEYED, api_key="wrong", max_retries=0).models.list),
        "no_server": error_of(openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="k", max_retries=0).models.list),
    }


with openai.OpenAI(base_url=BASE, api_key="any", max_retries=0) as main:
    synchronous(main)
    errors(main)
asyncio.run(asynchronous(openai.AsyncOpenAI(base_url=BASE, api_key="any", max_retries=0)))
print(json.dumps(seen))

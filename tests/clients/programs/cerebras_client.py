"""`cerebras-cloud-sdk` against our server: the fields of its API, sync, async and streaming, and its error classes."""

from __future__ import annotations

import asyncio
import json
import sys

from cerebras.cloud import sdk
from cerebras.cloud.sdk.types.chat import chat_completion as whole
from cerebras.cloud.sdk.types.chat.chat_completion import ChatChunkResponse

BASE, KEYED = (url.removesuffix("/v1") for url in sys.argv[1:3])
MODEL = "smollm2"
ASK = [{"role": "user", "content": "Describe the city of Paris as JSON."}]
STRICT = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "population": {"type": "integer", "minimum": 1}},
    "required": ["city", "population"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "city", "strict": True, "schema": STRICT}}
TOOLS = [{"type": "function", "function": {"name": "describe", "description": "it", "parameters": STRICT}}]
seen: dict[str, object] = {"version": sdk.__version__}


def error_of(call: object) -> dict[str, object]:
    try:
        call()  # type: ignore[operator]
    except sdk.APIError as error:
        return {
            "class": type(error).__name__,
            "status_code": getattr(error, "status_code", None),
            "body": error.body,
        }
    return {"class": None}


def synchronous(client: sdk.Cerebras) -> None:
    seen["models"] = [model.id for model in client.models.list().data]
    seen["model"] = client.models.retrieve(MODEL).id
    chat = client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, temperature=0)
    seen["chat"] = {
        "class": type(chat).__name__,
        "is_whole": isinstance(chat, whole.ChatCompletionResponse),
        "value": json.loads(chat.choices[0].message.content),
        "finish": chat.choices[0].finish_reason,
        "total_time": chat.time_info.total_time > 0,
        "cached": chat.usage.prompt_tokens_details.cached_tokens >= 0,
    }
    chunks = list(client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, stream=True))
    seen["stream"] = {
        "classes": sorted({isinstance(chunk, ChatChunkResponse) for chunk in chunks}),
        "value": json.loads("".join(c.choices[0].delta.content or "" for c in chunks if c.choices)),
    }
    called = client.chat.completions.create(
        model=MODEL, messages=ASK, tools=TOOLS, tool_choice="required", parallel_tool_calls=False
    )
    calls = called.choices[0].message.tool_calls
    seen["tools"] = {"count": len(calls), "arguments": json.loads(calls[0].function.arguments)}
    deltas: dict[int, str] = {}
    types = set()
    for chunk in client.chat.completions.create(
        model=MODEL, messages=ASK, tools=TOOLS, tool_choice="required", stream=True, parallel_tool_calls=False
    ):
        for choice in chunk.choices or ():
            for delta in choice.delta.tool_calls or ():
                types.add(delta.type)
                deltas[delta.index or 0] = deltas.get(delta.index or 0, "") + (delta.function.arguments or "")
    seen["tool_stream"] = {"types": sorted(types), "arguments": [json.loads(text) for text in deltas.values()]}
    text = client.completions.create(
        model=MODEL, prompt="It was a dark and stormy night", max_tokens=6, logprobs=5, temperature=0
    )
    scores = text.choices[0].logprobs
    seen["completion"] = {
        "offset": scores.text_offset[0],
        "tokens": "".join(scores.tokens) == text.choices[0].text,
        "top": [5 <= len(top) <= 6 for top in scores.top_logprobs],
        "chosen": [token in top for token, top in zip(scores.tokens, scores.top_logprobs, strict=True)],
    }
    rooted = client.completions.create(model=MODEL, prompt="A list: ", grammar_root="array", max_tokens=60)
    seen["grammar_root"] = json.loads(rooted.choices[0].text)
    raw = client.completions.create(model=MODEL, prompt="One, two,", max_tokens=4, return_raw_tokens=True)
    seen["raw"] = {"text": raw.choices[0].text, "tokens": len(raw.choices[0].tokens)}
    first = client.completions.create(model=MODEL, prompt="One, two,", max_tokens=1, temperature=0, logprobs=0)
    word = first.choices[0].text
    token = client.completions.create(
        model=MODEL, prompt="One, two,", max_tokens=1, temperature=0, return_raw_tokens=True
    )
    banned = client.completions.create(
        model=MODEL,
        prompt="One, two,",
        max_tokens=1,
        temperature=0,
        logit_bias={str(token.choices[0].tokens[0]): -100},
    )
    seen["logit_bias"] = banned.choices[0].text != word
    streamed = client.completions.create(model=MODEL, prompt="One, two,", max_tokens=5, temperature=0, stream=True)
    pieces = [chunk.choices[0].text or "" for chunk in streamed if chunk.choices]
    whole_text = client.completions.create(model=MODEL, prompt="One, two,", max_tokens=5, temperature=0)
    seen["completion_stream"] = "".join(pieces) == whole_text.choices[0].text
    document = '{"city": "Paris", "population": 2148271}'
    predicted = client.chat.completions.create(
        model=MODEL,
        messages=ASK,
        response_format=FORMAT,
        temperature=0,
        prediction={"type": "content", "content": document},
    )
    plain = client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, temperature=0)
    details = predicted.usage.completion_tokens_details
    seen["prediction"] = {
        "same": predicted.choices[0].message.content == plain.choices[0].message.content,
        "counted": details.accepted_prediction_tokens + details.rejected_prediction_tokens > 0,
    }


async def asynchronous(client: sdk.AsyncCerebras) -> None:
    chats = await asyncio.gather(
        *(client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT) for _ in range(3))
    )
    seen["async"] = [json.loads(chat.choices[0].message.content) for chat in chats]
    stream = await client.chat.completions.create(model=MODEL, messages=ASK, response_format=FORMAT, stream=True)
    seen["async_stream"] = json.loads("".join([c.choices[0].delta.content or "" async for c in stream if c.choices]))
    await client.close()


def errors(client: sdk.Cerebras) -> None:
    create = client.chat.completions.create
    bad = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "strin"}}}
    keyed = sdk.Cerebras(base_url=KEYED, api_key="wrong", max_retries=0, warm_tcp_connection=False)
    seen["errors"] = {
        "model": error_of(lambda: create(model="nothing", messages=ASK)),
        "schema": error_of(lambda: create(model=MODEL, messages=ASK, response_format=bad)),
        "root": error_of(lambda: client.completions.create(model=MODEL, prompt="a", grammar_root="nothing")),
        "key": error_of(keyed.models.list),
    }


with sdk.Cerebras(base_url=BASE, api_key="any", max_retries=0) as main:
    synchronous(main)
    errors(main)
asyncio.run(asynchronous(sdk.AsyncCerebras(base_url=BASE, api_key="any", max_retries=0)))
print(json.dumps(seen))

"""`langchain-openai` against our server: structured output, bound tools, streams, legacy completions."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys

import openai
from langchain_openai import ChatOpenAI, OpenAI
from pydantic import BaseModel, Field

BASE, KEYED = sys.argv[1], sys.argv[2]
ASK = "Describe the city of Paris as JSON."
seen: dict[str, object] = {"version": importlib.metadata.version("langchain-openai")}


class City(BaseModel):
    """A city."""

    name: str = Field(max_length=20)
    population: int = Field(ge=1, le=100_000_000)


def model(base: str = BASE, **options: object) -> ChatOpenAI:
    return ChatOpenAI(base_url=base, api_key="any", model="smollm2", max_retries=0, max_tokens=200, **options)


for method in ("json_schema", "function_calling"):
    seen[method] = model().with_structured_output(City, method=method).invoke(ASK).model_dump()
raw = model(temperature=0).with_structured_output({**City.model_json_schema()}, method="json_mode", include_raw=True)
seen["json_mode"] = isinstance(raw.invoke(ASK)["parsed"], dict)
parts = list(model().with_structured_output(City, method="json_schema").stream(ASK))
seen["stream"] = parts[-1].model_dump()
called = model().bind_tools([City], tool_choice="City", strict=True).invoke(ASK)
seen["tools"] = [City.model_validate(call["args"]).model_dump() for call in called.tool_calls]
message = model(temperature=0).invoke(ASK)
seen["usage"] = message.usage_metadata["total_tokens"] > 0
scored = ChatOpenAI(
    base_url=BASE, api_key="any", model="smollm2", max_retries=0, max_tokens=4, logprobs=True, top_logprobs=2
).invoke("Hello")
seen["logprobs"] = len(scored.response_metadata["logprobs"]["content"])


async def asynchronous() -> None:
    runnable = model().with_structured_output(City, method="json_schema")
    both = await runnable.abatch([ASK, "Describe Berlin."])
    seen["async"] = [city.model_dump() for city in both]
    seen["async_stream"] = [city async for city in runnable.astream(ASK)][-1].model_dump()


asyncio.run(asynchronous())
legacy = OpenAI(base_url=BASE, api_key="any", model="smollm2", max_retries=0, max_tokens=60)
seen["legacy"] = isinstance(legacy.invoke("One, two,"), str)
rooted = legacy.bind(extra_body={"grammar_root": "object"}).invoke("A JSON object: ")
seen["grammar_root"] = json.loads(rooted)
seen["legacy_stream"] = isinstance("".join(legacy.stream("One, two,")), str)
try:
    model(KEYED).invoke(ASK)
except openai.AuthenticationError as error:
    seen["key"] = error.status_code
print(json.dumps(seen))

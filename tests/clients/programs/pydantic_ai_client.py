"""`pydantic-ai` against our server: tool, native and prompted output, tools of an agent."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys

from openai import AsyncOpenAI
from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelHTTPError, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

BASE, KEYED = sys.argv[1], sys.argv[2]
ASK = "Describe the city of Paris."
seen: dict[str, object] = {"version": importlib.metadata.version("pydantic-ai-slim")}


class City(BaseModel):
    """A city."""

    name: str = Field(max_length=20)
    population: int = Field(ge=1, le=100_000_000)


def model(base: str = BASE) -> OpenAIChatModel:
    client = AsyncOpenAI(base_url=base, api_key="any", max_retries=0)
    return OpenAIChatModel("smollm2", provider=OpenAIProvider(openai_client=client))


async def main() -> None:
    settings = {"max_tokens": 100, "temperature": 0.0, "seed": 1}
    for name, kind in (("tool", ToolOutput), ("native", NativeOutput), ("prompted", PromptedOutput)):
        agent = Agent(model(), output_type=kind(City), model_settings=settings, retries=1)
        try:
            result = await agent.run(ASK)
            seen[name] = result.output.model_dump() | {"requests": result.usage.requests}
        except Exception as error:  # noqa: BLE001 - prompted output promises no more than an object
            seen[name] = {"class": type(error).__name__, "message": str(error)[:200]}
    agent = Agent(model(), output_type=ToolOutput(City), model_settings=settings)
    async with agent.run_stream(ASK) as run:
        parts = [part async for part in run.stream_output(debounce_by=None)]
    seen["stream"] = parts[-1].model_dump()
    agent = Agent(model(), output_type=NativeOutput(City), model_settings=settings)
    async with agent.run_stream(ASK) as run:
        parts = [part async for part in run.stream_output(debounce_by=None)]
    seen["native_stream"] = parts[-1].model_dump()
    try:
        await Agent(model(KEYED)).run(ASK)
    except ModelHTTPError as error:
        seen["key"] = error.status_code
    results = await asyncio.gather(
        *(Agent(model(), output_type=NativeOutput(City), model_settings=settings).run(ASK) for _ in range(3))
    )
    seen["async"] = [result.output.model_dump() for result in results]


asyncio.run(main())
synchronous = Agent(model(), output_type=NativeOutput(City), model_settings={"max_tokens": 100})
seen["sync"] = synchronous.run_sync(ASK).output.model_dump()
print(json.dumps(seen))

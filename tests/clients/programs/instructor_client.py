"""`instructor` against our server: every mode that it has for this kind of API, async, partial and iterable."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import sys

import instructor
import openai
from pydantic import BaseModel, Field

BASE, KEYED = sys.argv[1], sys.argv[2]
ASK = [{"role": "user", "content": "Describe the city of Paris as JSON."}]
WAY = {"model": "smollm2", "messages": ASK, "temperature": 0, "max_tokens": 100, "seed": 1}
MODES = ("TOOLS", "TOOLS_STRICT", "JSON_SCHEMA")
seen: dict[str, object] = {"version": importlib.metadata.version("instructor"), "openai": openai.__version__}


class City(BaseModel):
    """A city."""

    name: str = Field(max_length=20)
    population: int = Field(ge=1, le=100_000_000)


def client(mode: str, base: str = BASE) -> instructor.Instructor:
    return instructor.from_openai(
        openai.OpenAI(base_url=base, api_key="any", max_retries=0), mode=getattr(instructor.Mode, mode)
    )


for mode in MODES:
    value, raw = client(mode).chat.completions.create_with_completion(**WAY, response_model=City, max_retries=0)
    seen[mode] = value.model_dump() | {"finish": raw.choices[0].finish_reason}
    partial = list(client(mode).chat.completions.create_partial(**WAY, response_model=City))
    seen[mode + "_partial"] = partial[-1].model_dump()
for mode in ("JSON", "MD_JSON"):
    try:
        seen[mode] = client(mode).chat.completions.create(**WAY, response_model=City, max_retries=1).model_dump()
    except Exception as error:  # noqa: BLE001 - these modes ask for an object or for nothing
        seen[mode] = {"class": type(error).__name__, "message": str(error)[:300]}


async def asynchronous() -> None:
    main = instructor.from_openai(
        openai.AsyncOpenAI(base_url=BASE, api_key="any", max_retries=0), mode=instructor.Mode.TOOLS
    )
    value = await main.chat.completions.create(**WAY, response_model=City, max_retries=0)
    seen["async"] = value.model_dump()


asyncio.run(asynchronous())
try:
    client("TOOLS", KEYED).chat.completions.create(**WAY, response_model=City, max_retries=0)
except Exception as error:  # noqa: BLE001 - its class is what is looked at
    seen["key"] = {"class": type(error).__name__, "message": str(error)[:300]}
print(json.dumps(seen))

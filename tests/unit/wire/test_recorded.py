"""What real clients send: bodies recorded on loopback from the packages of November 2026.

openai 2.54.0, cerebras-cloud-sdk 1.91.0, litellm 1.106.12, instructor 1.17.0, pydantic-ai-slim 2.31.1 and
langchain-openai 1.7.4; each row names the way that was asked in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.wire.constraints import constraint_of
from tests.unit.wire.asking import READERS

ROWS = [json.loads(line) for line in Path(__file__).with_name("recorded.jsonl").read_text().splitlines()]
#: Who asks for what the API does not do, with the field that it refuses.
REFUSED = {
    ("cerebras", "openai.parse.tools"): "response_format",
    ("cerebras", "openai.tools"): "store",
    ("cerebras", "pydantic_ai.tools.native"): "response_format",
    ("cerebras", "pydantic_ai.tools.prompted"): "response_format",
    ("cerebras", "pydantic_ai.tools.tool"): "tools",
    ("cerebras", "langchain.tools.format"): "response_format",
    ("openai", "langchain.tools.format"): "tools[0].function.parameters#/properties/days/default",
}


@pytest.mark.parametrize("row", ROWS, ids=[row["from"] for row in ROWS])
@pytest.mark.parametrize("compat", ["lenient", "openai", "cerebras"])
def test_what_clients_send(row: dict[str, Any], compat: str) -> None:
    """Nothing is refused or unknown, but what the API refuses that the server was told to be like."""
    read = READERS["chat" if "chat" in row["path"] else "completions"]
    param = REFUSED.get((compat, row["from"]))
    dialect = None if compat == "lenient" else compat
    if param is not None:
        with pytest.raises(RequestError) as told:
            constraint_of(read(row["body"], compat=compat), Limits(), strict_dialect=dialect)
        assert told.value.param == param
        return
    made = read(row["body"], compat=compat)
    assert made.ignored == ()
    wants = any(name in row["body"] for name in ("response_format", "tools", "grammar_root"))
    assert (constraint_of(made, Limits(), strict_dialect=dialect) is not None) is wants

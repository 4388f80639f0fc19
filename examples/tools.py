"""Tool calls: a model may answer or call, and what it calls exists, with arguments that fit.

    maskwright model fetch
    python examples/tools.py

One definition serves both ways: the masks that the call is written under, and the parser that reads it.
"""

from __future__ import annotations

import maskwright as mw
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import generate
from maskwright.decode.models import find

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather of a city in the next days.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "maxLength": 40},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14},
                    "unit": {"enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city", "days"],
                "additionalProperties": False,
            },
        },
    },
    {"type": "function", "function": {"name": "clock", "description": "The time of day.", "parameters": {}}},
]


def main() -> None:
    """Ask for the weather; a call must be written, only one."""
    model = LocalModel.from_gguf(find("smollm2"))
    constraint = mw.tools(
        TOOLS, choice="required", parallel=False, format="hermes", whitespace="spaced", escapes="minimal"
    )
    question = "Call a tool: what will the weather be in Berlin in the next 3 days?"
    result = generate(model, model.prompter.chat(question), mw.compile(constraint, model.vocabulary), max_tokens=120)
    parser = mw.parser_of(constraint)
    parser.feed(result.data)
    for call in parser.close().calls:
        print(call.name, call.arguments)
    print(f"{len(result.tokens)} tokens, {result.forced_tokens} of them forced")


if __name__ == "__main__":
    main()

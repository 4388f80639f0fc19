"""A run with a worker that only waits, to be killed: ``python slow_run.py INPUT OUTPUT [OPTION ...]``.

Options: ``ordered``, ``retry``, ``fail`` (every seventh row fails), ``forever`` (no row is ever finished).
It says ``ready`` when rows are being made, and ends with the name of what stopped it.
"""

from __future__ import annotations

import asyncio
import random
import sys

from maskwright.errors import AnswerError
from maskwright.pipeline.identity import Job
from maskwright.pipeline.ledger import Ledger
from maskwright.pipeline.outcomes import Cost, Made
from maskwright.pipeline.rows import Reading, Row
from maskwright.pipeline.run import Pace, Pipeline
from maskwright.pipeline.sources import source_of

JOB = Job.of("a constraint", "a prompt", "a model")


def main(source: str, output: str, *options: str) -> None:
    """Make a value of every row: its text, upside down, after some milliseconds."""

    async def make(row: Row) -> Made:
        await asyncio.sleep(3600 if "forever" in options else random.random() * 0.004)
        if "fail" in options and row.number % 7 == 0:
            raise AnswerError("no good", text="{")
        return Made(row.text[::-1], is_json=False, cost=Cost(calls=1, prompt_tokens=len(row.text)))

    ledger = Ledger(output, None, JOB, retry_failures="retry" in options)
    try:
        pace = Pace(concurrency=8, ordered="ordered" in options, sync=0.02)
        pipeline = Pipeline(source_of(source, Reading(format="text")), ledger, pace)
        print("ready", flush=True)
        print(asyncio.run(pipeline.run(make)).stopped, flush=True)
    finally:
        ledger.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""How many tokens a second a runtime gives, by the number of sequences in a pass; processor time of one thread.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONPATH=src python tests/bench/runtimes.py numpy
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONPATH=src python tests/bench/runtimes.py llamacpp

Random tokens: what they say does not matter to the time. The best of three runs of twenty passes counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from maskwright.decode.runtime import Runtime, Step
from maskwright.decode.runtimes import load

PASSES = 20
BATCHES = (1, 4, 8, 16)


def seconds(action: Callable[[], object], runs: int = 3) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def prefill(runtime: Runtime, ids: list[int]) -> None:
    session = runtime.open()
    runtime.forward([Step(session, ids)])
    session.close()


def decode(runtime: Runtime, ids: list[int], length: int, batch: int) -> float:
    sessions = [runtime.open() for _ in range(batch)]
    for session in sessions:
        runtime.forward([Step(session, ids[:length])])

    def passes() -> None:
        for token in ids[:PASSES]:
            runtime.forward([Step(session, [token]) for session in sessions])

    taken = seconds(passes)
    for session in sessions:
        session.close()
    return taken / PASSES


def main(engine: str, name: str = "smollm2") -> None:
    """Print one line for the prompt and one for each length and batch."""
    runtime = load(name, engine=engine, sessions=max(BATCHES))
    ids = np.random.default_rng(0).integers(20, runtime.width, 512).tolist()
    print(f"{runtime.title}: prompt of 512 tokens: {512 / seconds(lambda: prefill(runtime, ids)):.0f} tokens/s")
    for length in (100, 500):
        for batch in BATCHES:
            taken = decode(runtime, ids, length, batch)
            print(f"{batch:3} sequences of {length}: {taken * 1e3:6.1f} ms a pass, {batch / taken:4.0f} tokens/s")


if __name__ == "__main__":
    main(*sys.argv[1:])

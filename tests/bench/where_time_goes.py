"""Where our time goes on MaskBench's sample: reading schemas, compiling, masks cold and warm, expanding nodes.

::

    python tests/bench/where_time_goes.py ../shared/bench --limit 200

Prints percentiles of processor time in microseconds, and the schemas that cost most. Not part of the suite.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import Any

import maskwright as mw


class Clock:
    """Named lists of durations."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}

    def time(self, name: str, call: Callable[[], Any]) -> Any:
        """Run a call and keep how long it took."""
        start = thread_time()
        try:
            return call()
        finally:
            self.spent.setdefault(name, []).append(thread_time() - start)

    def draw(self) -> Iterable[str]:
        """A line a name."""
        for name, values in self.spent.items():
            ordered = sorted(values)
            marks = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.9, 0.99, 0.999)]
            shown = " ".join(f"{mark * 1e6:9.1f}" for mark in (*marks, ordered[-1]))
            yield f"{name:14} n {len(ordered):7} mean {sum(ordered) / len(ordered) * 1e6:8.1f}  {shown}"


def walk(clock: Clock, guide: mw.Guide, ids: list[int], name: str) -> float:
    """Write one document; the seconds of its masks."""
    matcher = guide.matcher()
    for token in ids:
        clock.time(f"mask {name}", matcher.mask)
        clock.time(f"advance {name}", lambda token=token: matcher.advance(token))
    return sum(clock.spent[f"mask {name}"][-len(ids) :])


def main() -> None:
    """Run the sample's schemas, each valid document twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, help="the folder that holds maskbench.py")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--order", default="any")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.bench))
    maskbench = import_module("maskbench")
    vocab, clock, costs = import_module("engines").Vocab(), Clock(), Counter[str]()
    vocabulary = mw.Vocabulary.from_tokens(vocab.tokens, end_ids=[vocab.eos_id])
    clock.time("vocabulary", lambda: mw.compile(mw.json_schema({}), vocabulary))
    for name in (arguments.bench / "splits/open600.txt").read_text().split()[: arguments.limit]:
        document = json.loads(Path(maskbench.DATA, name).read_text())
        try:
            schema = document["schema"]
            constraint = clock.time("json_schema", lambda s=schema: mw.json_schema(s, property_order=arguments.order))
            guide = clock.time("compile", lambda c=constraint: mw.compile(c, vocabulary))
        except mw.MaskwrightError:
            continue
        clock.time("first mask", guide.matcher().mask)
        for test in document["tests"]:
            if test["valid"]:
                ids = vocab.encode(maskbench.serialise(test["data"]))
                costs[name] += int(1e6 * walk(clock, guide, ids, "cold"))
                walk(clock, guide, ids, "warm")
    sys.stdout.write("us, processor time:               mean       p50       p90       p99     p99.9       max\n")
    sys.stdout.writelines(f"{line}\n" for line in clock.draw())
    sys.stdout.writelines(f"{cost:9} us in masks of {name}\n" for name, cost in costs.most_common(8))


if __name__ == "__main__":
    main()

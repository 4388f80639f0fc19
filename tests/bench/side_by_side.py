"""Our engine beside llguidance and xgrammar on the open sample of MaskBench, one after the other in one run.

::

    python -m venv peers
    peers/bin/pip install torch==2.13.0 llguidance xgrammar numpy tiktoken psutil "jsonschema[format]" .
    peers/bin/python tests/bench/side_by_side.py ../shared/bench          # some minutes; --limit 100 for a glance

Prints a table of each engine's figures and of the ratios of ours to each peer's. Times are the smaller of wall clock
and processor time of each call, in microseconds; "cold" schemas are all new.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

ENGINES = {"ours": "maskwright", "llg": "llguidance", "xgr-dyn": "xgrammar"}


def measure(bench: Path, engine: str, limit: int | None, out: Path) -> list[dict[str, Any]]:
    """Run one engine; its records, one a schema."""
    environment = dict(os.environ, BENCH_OURS=str(Path(__file__).with_name("ours.py")), OPENBLAS_NUM_THREADS="1")
    command = [sys.executable, "maskbench.py", "run", engine, "--list", "splits/open600.txt", "--out", str(out)]
    command += ["--limit", str(limit)] if limit else []
    subprocess.run(command, cwd=bench, env=environment, check=True, stdout=subprocess.DEVNULL)
    return [record for line in out.read_text().splitlines() if "status" in (record := json.loads(line))]


def spread(histograms: Sequence[dict[str, Any]]) -> Iterator[tuple[float, int]]:
    """Values and how often they came, ascending: the runner keeps 32 classes an octave."""
    merged: dict[int, int] = {}
    for histogram in histograms:
        for place, count in histogram["h"].items():
            merged[int(place)] = merged.get(int(place), 0) + count
    for place in sorted(merged):
        yield 2 ** ((place + 0.5) / 32) / 1e3, merged[place]


def percentile(values: Sequence[tuple[float, int]], share: float) -> float:
    """The value below which a share of the counts lies."""
    total = sum(count for _, count in values)
    seen = 0
    for value, count in values:
        seen += count
        if seen >= share * total:
            return value
    return values[-1][0]


def figures(records: Sequence[dict[str, Any]]) -> dict[str, float]:
    """What the table shows of one engine."""
    compiled = [(record["ttfm_us"], 1) for record in records if "ttfm_us" in record]
    compiled.sort()
    histograms = [record["tbm"] for record in records if record.get("tbm", {}).get("n")]
    steps = list(spread(histograms))
    rows = {
        "fully right": sum(
            r["status"] == "ok" and not r["fails"] and r["valid_ok"] == r["valid"] and r["invalid_ok"] == r["invalid"]
            for r in records
        ),
        "refused": sum(r["status"] != "ok" for r in records),
        "valid instance refused": sum(r["status"] == "ok" and r["valid_ok"] < r["valid"] for r in records),
        "invalid instance accepted": sum(r["status"] == "ok" and r["invalid_ok"] < r["invalid"] for r in records),
    }
    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        rows[f"compile + first mask, {name}"] = percentile(compiled, share)
    rows["mask + advance cold, mean"] = sum(h["sum"] for h in histograms) / sum(h["n"] for h in histograms) / 1e3
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)):
        rows[f"mask + advance cold, {name}"] = percentile(steps, share)
    rows["mask + advance cold, max"] = max(h["max"] for h in histograms) / 1e3
    documents = sorted(
        (r["ttfm_us"] + r["tbm"]["sum"] / 1e3 / r["valid"], 1) for r in records if r["status"] == "ok" and r["valid"]
    )
    rows["whole document, mean"] = sum(value for value, _ in documents) / len(documents)
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        rows[f"whole document, {name}"] = percentile(documents, share)
    return rows


def main() -> None:
    """Measure all engines and print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, help="the folder that holds maskbench.py")
    parser.add_argument("--limit", type=int, help="schemas to run")
    parser.add_argument("--engines", default="ours,llg,xgr-dyn")
    arguments = parser.parse_args()
    names = arguments.engines.split(",")
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            name: figures(measure(arguments.bench.resolve(), name, arguments.limit, Path(folder, name)))
            for name in names
        }
    peers = [name for name in names if name != "ours"]
    titles = [f"{ENGINES.get(name, name)} {version(ENGINES.get(name, name))}" for name in names]
    sys.stdout.write("| | " + " | ".join([*titles, *(f"ours / {name}" for name in peers)]) + " |\n")
    sys.stdout.write("|:--|" + "--:|" * (len(names) + len(peers)) + "\n")
    for row in tables[names[0]]:
        values = [f"{tables[name][row]:,.4g}" for name in names]
        ratios = [f"{tables['ours'][row] / tables[name][row]:.2f}" if tables[name][row] else "-" for name in peers]
        sys.stdout.write(f"| {row} | " + " | ".join([*values, *ratios]) + " |\n")


if __name__ == "__main__":
    main()

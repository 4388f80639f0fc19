"""Our engine beside llguidance and xgrammar on the same grammars and texts, in one run; Llama 3's vocabulary.

::

    peers/bin/pip install .                               # into the environment of side_by_side.py
    peers/bin/python tests/bench/grammars_side_by_side.py ../shared/bench [--only JSON] [--engines ours,llg,xgr]

For each grammar: compile and first mask; mask and advance for each token of the texts, everything met for the first
time; and the whole first text. Times are the smaller of wall clock and processor time of each call. Every pair of an
engine and a grammar runs in a process of its own that was forked once the vocabulary was ready.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.grammars import TASKS, Task

SECONDS = 40
#: Seconds after which the tokens that were read by then are what is told of a task.
ENOUGH = 15
MEASURES = {
    "compile + first mask, ms": ("compile", 1e-6),
    "mask + advance, mean, us": ("mean", 1e-3),
    "mask + advance, p50, us": ("p50", 1e-3),
    "mask + advance, p99, us": ("p99", 1e-3),
    "mask + advance, max, us": ("max", 1e-3),
    "first text, whole, ms": ("whole", 1e-6),
    "last quarter of a text / first quarter, mean": ("growth", 1.0),
}


class Ours:
    """Compiles by notation."""

    def __init__(self, vocab: Any, adapters: Any) -> None:
        """Build the vocabulary's tables (not timed)."""
        import maskwright as mw
        from tests.bench.ours import _Grammar

        del adapters
        self._mw, self._grammar = mw, _Grammar
        self._vocabulary = mw.Vocabulary.from_tokens(vocab.tokens, end_ids=[vocab.eos_id], logit_width=vocab.n_vocab)
        mw.compile(mw.json_schema({"type": "object"}), self._vocabulary).matcher().mask()
        # Modules are loaded when a name of the front door is first asked for; that is no part of a grammar's time.
        for name in ("lark", "gbnf", "tools"):
            getattr(mw, name)
        mw.lark('start: "a"')

    def compile(self, notation: str, source: Any) -> Any:
        """A grammar as ``engines.py`` describes it."""
        constraint = getattr(self._mw, notation)(source)
        return self._grammar(self._mw.compile(constraint, self._vocabulary))


class Llguidance:
    """The same for llguidance, whose own Lark and regexes these are."""

    def __init__(self, vocab: Any, adapters: Any) -> None:
        """Build the tables of the tokenizer."""
        self._adapters, self._engine = adapters, adapters.LLGuidance(vocab)

    def compile(self, notation: str, source: Any) -> Any:
        """A grammar as ``engines.py`` describes it."""
        from llguidance.gbnf_to_lark import gbnf_to_lark

        matcher, tag = self._engine.llg.LLMatcher, self._engine.llg.StructTag
        if notation == "tags":
            given = [
                tag(trigger=one["trigger"], begin=one["begin"], grammar=json.dumps(one["schema"]), end=one["end"])
                for one in source
            ]
            grammar = matcher.grammar_from_lark(tag.to_grammar(given, assume_special=False))
        elif notation == "regex":
            grammar = matcher.grammar_from_regex(source)
        else:
            grammar = matcher.grammar_from_lark(gbnf_to_lark(source) if notation == "gbnf" else source)
        made = matcher(self._engine.tok, grammar, log_level=0)
        if made.is_error():
            raise ValueError(made.get_error())
        return self._adapters._LlgGrammar(made, self._engine)


class Xgrammar:
    """The same for xgrammar."""

    def __init__(self, vocab: Any, adapters: Any) -> None:
        """Build the tables of the tokenizer."""
        self._adapters, self._engine = adapters, adapters.XGrammar(vocab)

    def compile(self, notation: str, source: Any) -> Any:
        """A grammar as ``engines.py`` describes it."""
        compiler = self._engine.compiler
        if notation == "builtin":
            made = compiler.compile_builtin_json_grammar()
        elif notation == "tags":
            form = {
                "type": "triggered_tags",
                "triggers": ["<tool_call>"],
                "tags": [
                    {
                        "type": "tag",
                        "begin": one["begin"],
                        "content": {"type": "json_schema", "json_schema": one["schema"]},
                        "end": one["end"],
                    }
                    for one in source
                ],
            }
            made = compiler.compile_structural_tag(json.dumps({"type": "structural_tag", "format": form}))
        else:
            names = {"gbnf": "compile_grammar", "lark": "compile_lark", "regex": "compile_regex"}
            made = getattr(compiler, names[notation])(source)
        return self._adapters._XgrGrammar(made, self._engine)


ENGINES = {"ours": Ours, "llg": Llguidance, "xgr": Xgrammar}


def timed(call: Callable[[], Any]) -> tuple[int, Any]:
    """Nanoseconds and result."""
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    result = call()
    return min(time.perf_counter_ns() - wall, time.process_time_ns() - cpu), result


def measure(engine: Any, vocab: Any, task: Task, source: tuple[str, Any], send: Any) -> None:
    """Run one grammar and send its figures, or what went wrong."""
    try:
        send.send(figures(partial(engine.compile, *source), vocab, task))
    except Exception as error:  # noqa: BLE001  (peers raise what they like)
        send.send({"error": f"{type(error).__name__}: {str(error)[:200]}"})


def figures(compile_grammar: Callable[[], Any], vocab: Any, task: Task) -> dict[str, Any]:
    """The figures of one engine and task."""
    made: list[Any] = []

    def start() -> None:
        made.append(compile_grammar())
        made.append(made[0].matcher())
        made[1].mask()

    first, _ = timed(start)
    grammar, steps, growth, whole = made[0], list[int](), 0.0, first
    ends = time.monotonic() + ENOUGH
    for number, text in enumerate(task.texts()):
        matcher = grammar.matcher() if number else made[1]
        ids = vocab.encode(text)
        own: list[int] = []
        for place, token in enumerate(ids):
            spent, mask = timed(matcher.mask)
            is_allowed = bool(int(mask[token >> 5]) >> (token & 31) & 1)
            more, accepted = timed(partial(matcher.accept, token))
            if not is_allowed or accepted is False:
                return {"error": f"refuses token {place} of text {number}: {vocab.tokens[token]!r}"}
            own.append(spent + more)
            if time.monotonic() > ends:
                return _summary(first, [*steps, *own], whole=0 if not number else whole, growth=growth, is_cut=True)
        if not matcher.is_accepting():
            return {"error": f"text {number} may not end"}
        whole += sum(own) if not number else 0
        if len(ids) > 1000:
            quarter = len(own) // 4
            growth = sum(own[-quarter:]) / sum(own[:quarter])
        steps += own
    return _summary(first, steps, whole=whole, growth=growth, is_cut=False)


def _summary(first: int, steps: list[int], *, whole: int, growth: float, is_cut: bool) -> dict[str, Any]:
    steps.sort()
    ranks = {name: steps[min(int(share * len(steps)), len(steps) - 1)] for name, share in (("p50", 0.5), ("p99", 0.99))}
    mean = sum(steps) / len(steps)
    more = {"n": len(steps), "is_cut": is_cut}
    return {"compile": first, "mean": mean, "max": steps[-1], "whole": whole, "growth": growth, **ranks, **more}


def run(name: str, vocab: Any, adapters: Any, tasks: Sequence[Task]) -> dict[str, dict[str, Any]]:
    """All tasks of one engine, each in a process of its own."""
    engine = ENGINES[name](vocab, adapters)
    # As maskbench.py does: a collection walks the vocabularies' tables, 30 ms that belong to no call.
    gc.collect()
    gc.freeze()
    gc.disable()
    fork = multiprocessing.get_context("fork")
    results = {}
    for task in tasks:
        if name not in task.sources:
            continue
        receive, send = fork.Pipe(duplex=False)
        process = fork.Process(target=measure, args=(engine, vocab, task, task.sources[name], send))
        process.start()
        send.close()
        try:
            found = receive.recv() if receive.poll(SECONDS) else {"error": f"more than {SECONDS} s"}
        except EOFError:
            found = {"error": "the process died"}
        process.kill()
        process.join()
        results[task.name] = found
        print(name, task.name, found.get("error", ""), file=sys.stderr, flush=True)
    return results


def draw(tables: dict[str, dict[str, dict[str, Any]]], tasks: Sequence[Task]) -> None:
    """One table a measure: our figure, and its ratio to each peer's."""
    peers = [name for name in tables if name != "ours"]
    for title, (field, scale) in MEASURES.items():
        print(f"\n| {title} | " + " | ".join(tables) + " | " + " | ".join(f"ours / {name}" for name in peers) + " |")
        print("|:--|" + "--:|" * (len(tables) + len(peers)))
        for task in tasks:
            values = {name: table.get(task.name, {}).get(field, 0) * scale for name, table in tables.items()}
            if any(values.values()):
                shown = [f"{value:,.4g}" if value else "-" for value in values.values()]
                ours = values.get("ours", 0)
                ratios = [f"{ours / values[name]:.2f}" if ours and values[name] else "-" for name in peers]
                print(f"| {task.name} | " + " | ".join([*shown, *ratios]) + " |")
    print()
    for name, table in tables.items():
        for title, found in table.items():
            if "error" in found or found["is_cut"]:
                cut = f"cut after {found.get('n')} tokens, {ENOUGH} s"
                print(f"{name}, {title}: {found.get('error', cut)}")


def main() -> None:
    """Measure all engines and print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, help="the folder that holds engines.py")
    parser.add_argument("--only", default="", help="tasks with this in their name")
    parser.add_argument("--engines", default="ours,llg,xgr")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.bench.resolve()))
    adapters = importlib.import_module("engines")
    vocab = adapters.Vocab()
    tasks = [task for task in TASKS if arguments.only in task.name]
    draw({name: run(name, vocab, adapters, tasks) for name in arguments.engines.split(",")}, tasks)


if __name__ == "__main__":
    main()

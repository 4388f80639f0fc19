"""How cost grows with schemas and documents: time to compile, time of masks, memory, at two sizes a decade apart.

::

    python tests/bench/growth.py ../shared/bench                # some minutes; --only uniqueItems for one family

Each measurement runs in a child process of its own, with a vocabulary that has seen no schema yet. "Exponent" is the
logarithm of the ratio of two times in the base of the ratio of two sizes: 0 for a constant, 1 for linear growth.
Times are processor time: of compiling and the first mask in milliseconds, of a mask and its token in microseconds,
mean over a document. Memory is what the process grew by at its peak. Not part of the suite; nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from math import log
from pathlib import Path
from time import thread_time
from typing import Any, Final

import maskwright as mw

#: Seconds after which a measurement is given up.
_PATIENCE: Final = 120
Case = tuple[Any, Any]


def _texts(count: int, prefix: str = "key") -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


def _typed(names: list[str]) -> dict[str, Any]:
    kinds = ({"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": ["null", "number"]})
    return {name: kinds[place % 4] for place, name in enumerate(names)}


def _value(place: int) -> Any:
    return ("word", 12, True, None)[place % 4]


def _closed(properties: dict[str, Any], **further: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, **further}


def unvisited(size: int) -> Case:
    """A schema of so many bytes, of which a document meets one definition."""
    one = _closed(_typed(_texts(20)), required=["key1"])
    count = max(size // len(json.dumps(one)), 1)
    definitions = {f"d{place}": json.loads(json.dumps(one)) for place in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": definitions}, {"key0": "word", "key1": 3}


def properties(size: int) -> Case:
    """So many properties, a tenth required, of which ten are written."""
    names = _texts(size)
    chosen = names[:: max(size // 10, 1)]
    schema = _closed(_typed(names), required=chosen)
    return schema, {name: _value(names.index(name)) for name in chosen}


def optional(size: int) -> Case:
    """So many optional keys, all written."""
    names = _texts(size)
    return _closed(_typed(names)), {name: _value(place) for place, name in enumerate(names)}


def optional_backwards(size: int) -> Case:
    """So many optional keys, all written, the last first."""
    schema, document = optional(size)
    return schema, dict(reversed(document.items()))


def enum(size: int) -> Case:
    """An array of members of an enum of so many words."""
    words = [f"{place * 7919 % 99991}-word-{place}" for place in range(size)]
    return {"type": "array", "items": {"enum": words}}, words[:: max(size // 20, 1)]


def enum_objects(size: int) -> Case:
    """One of so many objects."""
    objects = [{"id": place, "name": f"n{place}"} for place in range(size)]
    return {"enum": objects}, objects[-1]


def length(size: int) -> Case:
    """A string with a maxLength."""
    return {"type": "object", "properties": {"a": {"type": "string", "maxLength": size}}}, {"a": "some words " * 30}


def pattern_length(size: int) -> Case:
    """A string with a pattern and a maxLength."""
    schema = {"type": "string", "pattern": "^[a-z]+( [a-z]+)*$", "maxLength": size}
    return schema, " ".join(["words"] * 60)


def items(size: int) -> Case:
    """An array with maxItems."""
    return {"type": "array", "items": {"type": "integer"}, "maxItems": size}, list(range(60))


def least_items(size: int) -> Case:
    """An array with minItems, written."""
    return {"type": "array", "items": {"type": "integer"}, "minItems": size}, list(range(size))


def any_of(size: int) -> Case:
    """Branches of anyOf with a tag each."""
    branches = [_closed({"kind": {"const": f"k{n}"}, **_typed(_texts(6))}, required=["kind"]) for n in range(size)]
    return {"anyOf": branches}, {"kind": f"k{size - 1}", "key0": "word", "key1": 3}


def one_of(size: int) -> Case:
    """Branches of oneOf with a tag each."""
    schema, document = any_of(size)
    return {"oneOf": schema["anyOf"]}, document


def one_of_required(size: int) -> Case:
    """Branches of oneOf that require a key each, and overlap."""
    names = _texts(size)
    branches = [{"required": [name]} for name in names]
    return {"type": "object", "properties": _typed(names), "oneOf": branches}, {names[-1]: _value(size - 1)}


def one_of_overlapping(size: int) -> Case:
    """Branches of oneOf with open objects that overlap."""
    branches = [{"properties": {f"key{n}": {"type": "string"}, "x": {"minimum": n}}} for n in range(size)]
    wrong = {f"key{n}": 0 for n in range(1, size)}
    return {"type": "object", "oneOf": branches}, {"key0": "word", "x": size, **wrong}


def nesting(size: int) -> Case:
    """Objects in each other."""
    schema: Any = {"type": "integer"}
    document: Any = 1
    for _ in range(size):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
        document = {"a": document}
    return schema, document


def recursion(size: int) -> Case:
    """A recursive schema, and a document that goes so deep."""
    document: Any = {}
    for _ in range(size):
        document = {"next": document}
    return {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False}, document


def unique_integers(size: int) -> Case:
    """Different integers."""
    return {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, list(range(size))


def unique_words(size: int) -> Case:
    """Different strings of which some must come."""
    schema = {"type": "array", "items": {"type": "string", "pattern": "^[a-z0-9]{1,8}$"}, "uniqueItems": True}
    return {**schema, "minItems": 5}, _texts(size, "w")


def unique_enum(size: int) -> Case:
    """All members of an enum, each once."""
    words = _texts(size, "w")
    return {"type": "array", "items": {"enum": words}, "uniqueItems": True}, words


def unique_objects(size: int) -> Case:
    """Different objects."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    return {"type": "array", "items": schema, "uniqueItems": True}, [{"a": n, "b": "word"} for n in range(size)]


def ifs(size: int) -> Case:
    """Conditions that each ask for one key more."""
    conditions = [
        {"if": {"properties": {"kind": {"const": f"k{n}"}}, "required": ["kind"]}, "then": {"required": [f"key{n}"]}}
        for n in range(size)
    ]
    schema = {"type": "object", "properties": {"kind": {"type": "string"}, **_typed(_texts(size))}, "allOf": conditions}
    return schema, {"kind": "k0", "key0": "word"}


def free_ifs(size: int) -> Case:
    """Conditions on a key each."""
    conditions = [
        {"if": {"properties": {f"key{n}": {"const": "a"}}, "required": [f"key{n}"]}, "then": {"required": [f"then{n}"]}}
        for n in range(size)
    ]
    return {"type": "object", "allOf": conditions}, {"key0": "a", "then0": 1, "key1": "b"}


def dependent(size: int) -> Case:
    """Keys that each demand another one."""
    demands = {f"key{n}": [f"then{n}"] for n in range(size)}
    return {"type": "object", "dependentRequired": demands}, {"key0": 1, "then0": 2}


def patterns(size: int) -> Case:
    """Patterns of keys that exclude each other."""
    schemas = {f"^{chr(97 + n // 5)}{chr(97 + n % 5)}_": {"type": "integer"} for n in range(size)}
    schema = {"type": "object", "patternProperties": schemas, "additionalProperties": False}
    return schema, {"aa_x": 1, "ab_y": 2, "aa_z": 3}


def references(size: int) -> Case:
    """A chain of references."""
    chain: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(size)}
    return {"$ref": "#/$defs/d0", "$defs": {**chain, f"d{size}": {"type": "integer"}}}, 12


def contains(size: int) -> Case:
    """So many elements that meet a schema must come."""
    schema = {"type": "array", "contains": {"type": "integer"}, "minContains": size}
    return schema, [1, "a"] * min(size, 50) + [1] * size


#: Name, case, sizes, property order.
FAMILIES: Final[dict[str, tuple[Callable[[int], Case], tuple[int, int], str]]] = {
    "schema bytes, unvisited": (unvisited, (90_000, 900_000), "any"),
    "properties, declared order": (properties, (60, 600), "declared"),
    "properties, any order": (properties, (60, 600), "any"),
    "optional keys, declared order": (optional, (31, 311), "declared"),
    "optional keys, any order": (optional, (31, 311), "any"),
    "optional keys, backwards": (optional_backwards, (31, 311), "any"),
    "enum": (enum, (500, 5_000), "any"),
    "enum, 50,000": (enum, (5_000, 50_000), "any"),
    "enum of objects": (enum_objects, (30, 300), "any"),
    "maxLength": (length, (1_000, 1_000_000), "any"),
    "maxLength beside a pattern": (pattern_length, (1_000, 1_000_000), "any"),
    "maxItems": (items, (100, 10_000), "any"),
    "minItems, written": (least_items, (100, 1_000), "any"),
    "anyOf": (any_of, (24, 238), "any"),
    "oneOf, tagged": (one_of, (24, 238), "any"),
    "oneOf, one key each": (one_of_required, (4, 40), "any"),
    "oneOf, overlapping": (one_of_overlapping, (4, 40), "any"),
    "nesting": (nesting, (100, 1_000), "any"),
    "recursion, written": (recursion, (100, 1_000), "any"),
    "uniqueItems, integers": (unique_integers, (200, 2_000), "any"),
    "uniqueItems, strings": (unique_words, (70, 700), "any"),
    "uniqueItems, enum": (unique_enum, (30, 300), "any"),
    "uniqueItems, objects": (unique_objects, (30, 300), "any"),
    "if/then, one tag": (ifs, (3, 30), "any"),
    "if/then, a key each": (free_ifs, (3, 30), "any"),
    "dependentRequired": (dependent, (30, 300), "any"),
    "patternProperties": (patterns, (3, 30), "any"),
    "$ref chain": (references, (100, 1_000), "any"),
    "minContains, written": (contains, (30, 300), "any"),
}


def _grown() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _measured(vocabulary: mw.Vocabulary, encode: Callable[[str], list[int]], case: Case, order: str) -> list[float]:
    """Milliseconds, microseconds, and megabytes; of one schema and document."""
    schema, document = case
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20 * limit)
    ids = encode(json.dumps(document))
    sys.setrecursionlimit(limit)
    before, start = _grown(), thread_time()
    matcher = mw.compile(mw.json_schema(schema, property_order=order), vocabulary).matcher()
    matcher.mask()
    begun = thread_time()
    longest = 0.0
    for token in ids:
        at = thread_time()
        matcher.mask()
        matcher.advance(token)
        longest = max(longest, thread_time() - at)
    if not matcher.is_accepting:
        raise AssertionError("the document is not accepted")
    spent = thread_time() - begun
    return [1e3 * (begun - start), 1e6 * spent / len(ids), 1e3 * longest, (_grown() - before) / 1024]


def measure(vocabulary: mw.Vocabulary, encode: Callable[[str], list[int]], case: Case, order: str) -> Any:
    """The same in a child process; what went wrong as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(_PATIENCE)
        try:
            answer: Any = _measured(vocabulary, encode, case, order)
        except Exception as error:  # noqa: BLE001  (shown in the table)
            answer = f"{type(error).__name__}: {error}"[:200]
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else f"more than {_PATIENCE} s"


def rows(vocabulary: mw.Vocabulary, encode: Callable[[str], list[int]], only: str) -> Iterator[str]:
    """The table, a family at a time."""
    yield "| | sizes | compile + first mask, ms | exponent | mask + advance, us | exponent | longest, ms | peak, MB |"
    yield "|:--|--:|--:|--:|--:|--:|--:|--:|"
    for name, (make, sizes, order) in FAMILIES.items():
        if only not in name:
            continue
        small, large = (measure(vocabulary, encode, make(size), order) for size in sizes)
        shown = f"| {name} | {sizes[0]:,} / {sizes[1]:,} |"
        if isinstance(small, str) or isinstance(large, str):
            yield f"{shown} {small if isinstance(small, str) else large} |"
            continue
        decades = log(sizes[1] / sizes[0])
        cells = [f"{one:,.1f} / {other:,.1f}" for one, other in zip(small, large, strict=True)]
        grown = [f"{log(max(large[at], 1e-3) / max(small[at], 1e-3)) / decades:.2f}" for at in (0, 1)]
        yield f"{shown} {cells[0]} | {grown[0]} | {cells[1]} | {grown[1]} | {cells[2]} | {cells[3]} |"


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, help="the folder that holds engines.py")
    parser.add_argument("--only", default="", help="families whose name holds this")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.bench))
    vocab = import_module("engines").Vocab()
    vocabulary = mw.Vocabulary.from_tokens(vocab.tokens, end_ids=[vocab.eos_id])
    mw.compile(mw.json_schema({}), vocabulary).matcher().mask()
    for row in rows(vocabulary, vocab.encode, arguments.only):
        sys.stdout.write(row + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

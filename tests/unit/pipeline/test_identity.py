"""Keys: what makes a job another one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

import maskwright as mw
from maskwright.pipeline.identity import KEY, Job, constraint_identity

SCHEMA = {"type": "object", "properties": {"a": {"enum": [1, 2.5, None, "x"]}}}
BUILD = (
    "import maskwright as mw; from maskwright.pipeline.identity import constraint_identity; "
    f"print(ascii(constraint_identity(mw.json_schema({SCHEMA!r}))))"
)


def test_a_key_has_the_job_and_the_row() -> None:
    """It reads as it is written, and names what differs."""
    job = Job.of("c", "p", "m")
    key = job.key(5)
    assert KEY.fullmatch(key.encode())
    assert key.startswith(job.prefix)
    assert job.differences(key) == []
    assert Job.of("x", "p", "m").differences(key) == ["constraint"]
    assert Job.of("c", ["p"], {"m": 1}).differences(key) == ["prompt", "model"]


CONSTRAINTS: list[Callable[[], mw.Constraint]] = [
    lambda: mw.json_schema(SCHEMA),
    lambda: mw.json_schema({"type": "object", "properties": {"a": {"enum": [1, 2.5, None, "y"]}}}),
    lambda: mw.json_schema({"type": "object", "properties": {}}),
    lambda: mw.json_schema(SCHEMA, whitespace="spaced"),
    lambda: mw.json_schema({"properties": {"b": {}, "a": {}}}),
    lambda: mw.json_schema({"properties": {"a": {}, "b": {}}}),
    lambda: mw.regex("a+"),
    lambda: mw.regex("a+", dialect="ecma"),
    lambda: mw.regex("a+") | mw.regex("b"),
    lambda: mw.regex("b") | mw.regex("a+"),
    lambda: mw.choice(["a", "b"]),
    lambda: mw.choice(["ab"]),
    lambda: mw.gbnf('root ::= "a"'),
    lambda: mw.gbnf('root ::= "b"'),
    lambda: mw.grammar_root("value"),
]


def test_equal_constraints_and_no_others_are_told_alike() -> None:
    """Whoever builds them, and however they were compiled before; the order of properties counts."""
    identities = [constraint_identity(build()) for build in CONSTRAINTS]
    assert identities == [constraint_identity(build()) for build in CONSTRAINTS]
    assert len(set(identities)) == len(identities)


def test_limits_change_no_identity() -> None:
    """They say how long a compilation may take, not what it gives."""
    limits = mw.Limits(schema_depth=99)
    assert constraint_identity(mw.json_schema(SCHEMA, limits=limits)) == constraint_identity(mw.json_schema(SCHEMA))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_identities_survive_the_process(seed: str) -> None:
    """Another process, with another seed of hashes, says the same: or no run could be resumed."""
    command = [sys.executable, "-c", BUILD]
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert told.stdout.strip() == ascii(constraint_identity(mw.json_schema(SCHEMA)))

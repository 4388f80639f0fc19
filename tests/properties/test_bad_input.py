# ruff: noqa: E501  (each case is one line, so that it can be copied into a shell)
"""Whatever strangers send: an answer or a typed error, in bounded memory, and the process lives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

#: Expressions over ``js`` (compile a schema and take the first mask), ``rx`` (the same for a pattern), ``deep``.
TABLE: Final = {
    "deep text": "js('{\"items\":' * 100_000 + '{}' + '}' * 100_000)",
    "deep object": "js(deep(100_000, lambda s: {'items': s}))",
    "deep anyOf": "js(deep(100_000, lambda s: {'anyOf': [s]}))",
    "deep but allowed": "js(deep(1_900, lambda s: {'items': s}))",
    "a cycle of Python": "js(cycle())",
    "a cycle of references": "js({'$ref': '#/$defs/a', '$defs': {'a': {'$ref': '#/$defs/b'}, 'b': {'$ref': '#/$defs/a'}}})",
    "for ever": "js({'$ref': '#/$defs/N', '$defs': {'N': {'properties': {'n': {'$ref': '#/$defs/N'}}, 'required': ['n'], 'type': 'object'}}})",
    "10 MB": "js(json.dumps({'properties': {f'p{i}': {'type': 'string', 'description': 'x' * 50} for i in range(110_000)}}))",
    "huge length": "js({'type': 'string', 'minLength': 10**30})",
    "huge exponent": "js('{\"maximum\": 1e999999999}')",
    "many digits": "js('{\"minimum\": ' + '1' * 100_000 + '}')",
    "50,000 objects": "js({'enum': [{'a': i} for i in range(50_000)]})",
    "long alternation": "rx('(a|b)*a(a|b){200}')",
    "nested quantifiers": "rx('((((a*)*)*)*)*')",
    "nested counts": "rx('(a{1,1000}){1,1000}')",
    "many groups": "rx('(' * 60_000)",
    "lookaheads": "js({'type': 'string', 'pattern': '^' + ''.join(f'(?=.*{c})' for c in 'abcdefghijkl') + '.*$'})",
    "patterns against each other": "js({'allOf': [{'type': 'string', 'pattern': f'^(.{{{i}}})*$'} for i in (7, 11, 13, 17, 19)]})",
    "not JSON": "js('{\"a\":')",
    "not UTF-8": "js(b'\\xff\\xfe')",
    "wrong types": "js({'type': 5, 'properties': 5, 'required': 'a'})",
    "a million elements": "js({}).matches('[' + '1,' * 500_000 + '1]')",
    "too many brackets": "js({}).matcher().can_read(b'[' * 150_000)",
}
PROGRAM: Final = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import maskwright as mw
V = mw.Vocabulary.from_tokens([b"", *(bytes([b]) for b in range(256))], end_ids=[0])
def first(constraint):
    guide = mw.compile(constraint, V)
    guide.matcher().mask()
    return guide
def js(schema): return first(mw.json_schema(schema))
def rx(pattern): return first(mw.regex(pattern))
def deep(n, wrap):
    schema = {}
    for _ in range(n): schema = wrap(schema)
    return schema
def cycle():
    schema = {}
    schema["items"] = schema
    return schema
try:
    eval(sys.argv[1])
except mw.MaskwrightError as error:
    assert str(error)
    print(type(error).__name__, str(error)[:200])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited with POSIX's setrlimit")
@pytest.mark.parametrize("name", TABLE)
def test_strangers(name: str) -> None:
    """Each ends within its time (far above what it takes) with a result or an error of the tree."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, TABLE[name]]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr[-1500:]

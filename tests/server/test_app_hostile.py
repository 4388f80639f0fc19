# ruff: noqa: E501
"""Whatever a body holds, the answer is never the server's own error, and the server goes on."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS
from tests.unit.server.asking import make, post_all
from tests.unit.server.fakes import FakeEngine, FakeRuntime

TABLES: Final = {"completions": COMPLETION_FIELDS, "chat/completions": CHAT_FIELDS}
LEAST: Final[dict[str, dict[str, Any]]] = {
    "completions": {"prompt": "a"},
    "chat/completions": {"messages": [{"role": "user", "content": "a"}]},
}
#: Words that fields are made of, so that values are nearly right.
WORDS: Final = (
    "type", "text", "json_schema", "json_object", "schema", "name", "function", "arguments", "parameters", "strict",
    "content", "role", "user", "assistant", "tool", "tool_calls", "tool_call_id", "id", "regex", "choice", "grammar",
    "structural_tag", "format", "triggers", "tags", "begin", "end", "$ref", "#", "#/$defs/a", "$defs", "properties",
    "required", "items", "anyOf", "allOf", "not", "enum", "const", "pattern", "object", "array", "string", "number",
    "null", "auto", "none", "required", "value", "root", "(", "[", "{", "\\", "\0", "\ud800", "é", "😀", "</think>", "",
    "include_usage", "mode", "allowed_tools", "prefix", "refusal", "image_url", "developer", "system",
)  # fmt: skip
SCALARS: Final = (
    st.none()
    | st.booleans()
    | st.integers(-3, 200)
    | st.sampled_from([2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 1e308, -0.0, 0.5, 1.5, 5e-324])
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
VALUES: Final = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def _bodies(path: str) -> st.SearchStrategy[dict[str, Any]]:
    names = [one.name for one in TABLES[path] if one.name != "model"]
    return st.dictionaries(st.sampled_from(names), VALUES, min_size=1, max_size=4)


def _app(**options: Any) -> Starlette:
    return make(FakeEngine(runtime=FakeRuntime(thinking=("<think>", "</think>"))), **options)


def _are_fine(app: Starlette, path: str, bodies: list[bytes]) -> None:
    for body, response in zip(bodies, post_all(app, path, bodies), strict=True):
        assert response.status_code < 500, (body, response.text)
        if response.status_code >= 400:
            told = response.json()
            told = told.get("error", told)
            assert told["message"]
            assert set(told) == {"message", "type", "param", "code"}


APPS: Final = {compat: _app(compat=compat) for compat in ("lenient", "cerebras", "openai")}


@pytest.mark.parametrize("compat", APPS)
@pytest.mark.parametrize("path", TABLES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_bodies(path: str, compat: str, data: st.DataObject) -> None:
    """Nearly right and wholly wrong values of every field."""
    bodies = data.draw(st.lists(_bodies(path), min_size=1, max_size=4))
    told = [json.dumps({"model": "m", **LEAST[path], **body}).encode() for body in bodies]
    _are_fine(APPS[compat], path, told)


#: What JSON can write and Python's numbers, strings or stacks take badly.
HOSTILE: Final = (
    b"1e999", b"-1e999", b"1e-999", b"9" * 400, b"-0", b"0.0", b"-0.0", b"2.5e0", b"1E400", b"[]", b"{}", b'""', b'"\\u0000"',
    b'"\\ud83d"', b'"\\ud83d\\ude00"', b"[null]", b"[[]]", b'[""]', b"[1e999]", b'{"":null}', b"true", b"[true]", b"[1,2,3]",
    b"[[1],[2]]", b"[-1]", b"[257,99999999999]", b'["a",1]', b'{"a":1,"a":2}', b"[" * 90 + b"]" * 90, b'{"a":' * 90 + b"1" + b"}" * 90,
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"$ref":"#"}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"$ref":"http://127.0.0.1:1/"}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"not":{}}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"minimum":1e999}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"pattern":"(a+)+$"}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"minLength":99999999999999999999}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"enum":[1e400]}}}',
    b'{"type":"json_schema","json_schema":{"name":"n","schema":{"multipleOf":1e-300}}}',
    b'{"regex":"(?<!a)b"}', b'{"choice":[]}', b'{"choice":["",""]}', b'{"grammar":"root ::= root"}', b'{"json":true,"regex":"a"}',
    b'{"json":false}', b'{"include_usage":1}', b'{"1e3":5}', b'{"-1":5}', b'{"65":1e999}', b'{"65":null}', b'{"\\u0661":1}',
    b'[{"role":"assistant","content":"x"}]', b'[{"role":"tool","content":"x","tool_call_id":"y"}]', b'[{"role":"user"}]',
    b'[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}]',
    b'[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]',
)  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: value[:60].decode())
@pytest.mark.parametrize("path", TABLES)
def test_hostile_values(path: str, value: bytes) -> None:
    """Each hostile value in each field."""
    least = {name: json.dumps(given).encode() for name, given in {"model": "m", **LEAST[path]}.items()}
    each = ({**least, one.name: value} for one in TABLES[path])
    bodies = [b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), one) for name, one in told.items()) for told in each]
    _are_fine(APPS["lenient"], path, bodies)

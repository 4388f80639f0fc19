"""The routes behind the page, over a socket, before an engine that recites."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from maskwright.errors import RequestError
from maskwright.limits import Limits
from maskwright.server.jobs import Event, Failed, Job
from tests.server.page_engine import MARKUP, ScriptedEngine
from tests.server.page_server import serve

CHOICE = {"kind": "choice", "source": "yes\nno"}
SCHEMA = {"kind": "json_schema", "source": '{"type": "object", "properties": {"n": {"maximum": 9}}, "required": ["n"]}'}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serve(ScriptedEngine("yes")) as url, httpx.Client(base_url=url) as found:
        yield found


def _run(client: httpx.Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a run; ``[DONE]`` ends them."""
    reply = client.post("/playground/run", json=body)
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"].startswith("text/event-stream")
    *events, done = [line.removeprefix("data: ") for line in reply.text.splitlines() if line]
    assert done == "[DONE]"
    return [json.loads(event) for event in events]


def _written(events: list[dict[str, Any]]) -> str:
    return "".join(event["text"] for event in events if event.get("event") == "step" and event["kind"] != "end")


# ---- the page ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/page/page.js", "/page/style.css", "/page/icon.svg"])
def test_files_of_the_page(client: httpx.Client, path: str) -> None:
    """Each comes with its type and a policy that lets nothing in from elsewhere; unchanged ones are not sent again."""
    reply = client.get(path)
    assert reply.status_code == 200
    policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"
    again = client.get(path, headers={"if-none-match": reply.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/page/", "/page/index.php", "/page/../playground.py", "/page/%2e%2e/settings.py"])
def test_nothing_else_is_served(client: httpx.Client, path: str) -> None:
    """There are the page's files and no others."""
    assert client.get(path).status_code == 404


def test_the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(client: httpx.Client) -> None:
    """No address of another host, no inline script, handler or style, in any file."""
    page = client.get("/").text
    assert "<script>" not in page
    assert " on" not in "".join(part.split(">")[0] for part in page.split("<"))
    assert "style=" not in page
    for path in (
        "/",
        *(f"/page/{name}.js" for name in ("page", "lane", "inspector", "constraint", "dom", "api", "snippets")),
    ):
        text = client.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("// ", "").replace("${base}", "") or "http" not in text
        assert "innerHTML" not in text
        assert "eval(" not in text


def test_info(client: httpx.Client) -> None:
    """What the page says of the model."""
    told = client.get("/playground/info").json()
    assert told["model"] == "toy"
    assert told["vocabulary"] == len(ScriptedEngine("").runtime.vocabulary)
    assert {"needs_key", "title", "context", "longest", "kinds", "roots", "tool_formats"} <= told.keys()


# ---- checking ----------------------------------------------------------------------------------------------------


def test_a_good_constraint(client: httpx.Client) -> None:
    """Its policies are told, and what is odd about it."""
    told = client.post(
        "/playground/check", json={"constraint": {**SCHEMA, "options": {"whitespace": "compact"}}}
    ).json()
    assert told["ok"]
    assert told["policies"]["whitespace"] == "compact"
    assert told["warnings"] == []


def test_all_problems_of_a_constraint(client: httpx.Client) -> None:
    """Each with pointer, span and advice; a text in the making is no fault of a request."""
    source = '{"type": "objekt", "properties": {"a": {"pattern": "(x"}}}'
    reply = client.post("/playground/check", json={"constraint": {"kind": "json_schema", "source": source}})
    assert reply.status_code == 200
    problems = {problem["place"]: problem for problem in reply.json()["problems"]}
    assert set(problems) == {"#/type", "#/properties/a/pattern"}
    start, stop = problems["#/type"]["span"]
    assert source[start:stop] == '"objekt"'
    assert "^" in problems["#/properties/a/pattern"]["excerpt"]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "constraint"),
        ({"constraint": {"kind": "x", "source": ""}}, "constraint.kind"),
        ({"constraint": 1}, "constraint"),
    ],
)
def test_requests_that_are_none(client: httpx.Client, body: dict[str, Any], param: str) -> None:
    """Are refused as the API refuses its own."""
    reply = client.post("/playground/check", json=body)
    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == param


@pytest.mark.parametrize("path", ["check", "run", "explain"])
@pytest.mark.parametrize("body", ["", "[]", "{", "[" * 100_000, '"\\ud800"', "nan"])
def test_bodies_that_are_no_json(client: httpx.Client, path: str, body: str) -> None:
    """Are faults of the request, never of the server."""
    assert client.post(f"/playground/{path}", content=body).status_code == 400


def test_bounds() -> None:
    """Bodies have a size, compiling has a time."""
    limits = Limits(compile_seconds=0.2)
    with serve(ScriptedEngine(""), limits=limits, body_bytes=10_000) as url, httpx.Client(base_url=url) as client:
        assert client.post("/playground/check", content="x" * 10_001).status_code == 413
        hard = {"kind": "regex", "source": "(?=(a|b)*a(a|b){40})(?=(a|b)*b(a|b){41})(a|b)*"}
        start = time.monotonic()
        told = client.post("/playground/check", json={"constraint": hard})
        assert told.status_code in {200, 400}
        assert time.monotonic() - start < 20


# ---- running -----------------------------------------------------------------------------------------------------


def test_a_run(client: httpx.Client) -> None:
    """A beginning, a step for each token, an end with a verdict and costs."""
    events = _run(client, {"constraint": CHOICE, "prompt": "Well?"})
    assert [event["event"] for event in events] == ["start", *["step"] * (len(events) - 2), "end"]
    assert _written(events) == "yes"
    first, last = events[1], events[-1]
    assert first["allowed"]["count"] == 4
    assert first["wanted"][0]["text"] == "yes"
    assert (last["text"], last["reason"], last["verdict"]) == ("yes", "stop", {"valid": True})
    assert {"passes", "seconds_model", "seconds_masks", "is_alone"} <= last["costs"].keys()


@pytest.mark.parametrize(("most", "text", "is_early"), [(40, '"abcdefgh"', False), (5, '"abc"', True)])
def test_a_run_says_whether_it_was_closed_early(most: int, text: str, is_early: bool) -> None:
    """An output that the tokens left made shorter than the model wanted says so; it is valid all the same."""
    with serve(ScriptedEngine('"abcdefgh"')) as url, httpx.Client(base_url=url) as client:
        constraint = {"kind": "regex", "source": '"[a-h]*"'}
        last = _run(client, {"constraint": constraint, "prompt": "x", "max_tokens": most})[-1]
    assert (last["text"], last["closed_early"], last["verdict"]) == (text, is_early, {"valid": True})


def test_a_run_without_enforcement_is_judged(client: httpx.Client) -> None:
    """The model writes what it likes; the verdict names what is wrong with it."""
    events = _run(client, {"constraint": SCHEMA, "prompt": "x", "enforce": False})
    assert _written(events) == "yes"
    assert "breaks" in events[1]
    assert not events[-1]["verdict"]["valid"]


def test_a_run_without_a_constraint(client: httpx.Client) -> None:
    """Is free text that nothing judges."""
    events = _run(client, {"prompt": "x"})
    assert events[1]["allowed"] is None
    assert events[-1]["verdict"] is None


def test_a_run_that_goes_on(client: httpx.Client) -> None:
    """After tokens that are settled the rest is written; the verdict is on all of it."""
    events = _run(client, {"constraint": CHOICE, "prompt": "x", "prefix": [ord("n") + 1]})
    assert _written(events) == "o"
    assert events[1]["index"] == 1
    assert (events[-1]["text"], events[-1]["verdict"]) == ("no", {"valid": True})


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"temperature": 3}, "temperature"),
        ({"max_tokens": 10**6}, "max_tokens"),
        ({"constraint": {"kind": "regex", "source": "a{9}"}, "max_tokens": 3, "prompt": "x"}, "max_tokens"),
        ({"constraint": CHOICE, "prefix": [ord("x") + 1], "prompt": "x"}, "prefix"),
        ({"chat": False}, "prompt"),
    ],
)
def test_runs_that_are_refused(client: httpx.Client, body: dict[str, Any], param: str) -> None:
    """Before anything is written, with the field."""
    reply = client.post("/playground/run", json=body)
    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == param


def test_a_run_with_a_constraint_that_is_refused(client: httpx.Client) -> None:
    """Tells all its problems, too."""
    reply = client.post("/playground/run", json={"constraint": {"kind": "regex", "source": "("}, "prompt": "x"})
    assert reply.status_code == 400
    assert reply.json()["error"]["problems"][0]["place"] == "1:1"


def test_a_run_that_fails() -> None:
    """What goes wrong in the middle is an event with the reason, after what was written."""

    class Broken(ScriptedEngine):
        def _events(self, job: Job) -> Iterator[Event]:
            yield next(super()._events(job))
            yield Failed(RequestError("the model fell over", status=503))

    with serve(Broken("yes")) as url, httpx.Client(base_url=url) as client:
        *events, last = _run(client, {"constraint": CHOICE, "prompt": "x"})
        assert [event["event"] for event in events] == ["start", "step"]
        assert (last["error"]["message"], last["status_code"]) == ("the model fell over", 503)


def test_whoever_leaves_frees_the_engine() -> None:
    """A run that nobody reads any more is cancelled."""
    engine = ScriptedEngine("a" * 500, pause=0.02)
    with serve(engine) as url, httpx.Client(base_url=url) as client:
        with client.stream("POST", "/playground/run", json={"prompt": "x", "max_tokens": 500}) as reply:
            next(reply.iter_lines())
        deadline = time.monotonic() + 5
        while not engine.cancelled and time.monotonic() < deadline:
            time.sleep(0.01)
        assert engine.cancelled == 1


# ---- explaining --------------------------------------------------------------------------------------------------


def test_explanations(client: httpx.Client) -> None:
    """Of a token by its id, of any text, after any beginning; and a search among what is allowed."""
    ask = {"constraint": CHOICE, "tokens": [ord("y") + 1]}
    told = client.post("/playground/explain", json={**ask, "text": "o"}).json()
    assert not told["is_allowed"]
    assert "expected `e`" in told["words"]
    assert client.post("/playground/explain", json={**ask, "token": ord("e") + 1}).json()["is_allowed"]
    found = client.post("/playground/explain", json={"constraint": CHOICE, "find": "o"}).json()["allowed"]
    assert [token["text"] for token in found["sample"]] == ["no"]


@pytest.mark.parametrize(
    "body",
    [
        {"tokens": [1]},
        {"constraint": CHOICE, "tokens": [1]},
        {"constraint": CHOICE, "token": "x"},
        {"constraint": CHOICE, "token": True},
        {"constraint": CHOICE, "text": 3},
        {"constraint": CHOICE, "find": 3},
        {"constraint": {"kind": "regex", "source": "("}},
    ],
)
def test_explanations_of_nothing(client: httpx.Client, body: dict[str, Any]) -> None:
    """What cannot be explained is refused."""
    assert client.post("/playground/explain", json=body).status_code == 400


# ---- keys --------------------------------------------------------------------------------------------------------


def test_keys() -> None:
    """The page is open, what it asks is not."""
    with serve(ScriptedEngine("yes"), keys=frozenset({"secret"})) as url, httpx.Client(base_url=url) as client:
        assert client.get("/").status_code == 200
        assert client.get("/page/page.js").status_code == 200
        assert client.get("/playground/info").status_code == 401
        for path in ("check", "run", "explain"):
            assert client.post(f"/playground/{path}", json={"constraint": CHOICE}).status_code == 401
        headers = {"authorization": "Bearer secret"}
        assert client.get("/playground/info", headers=headers).json()["needs_key"]
        assert client.post("/playground/check", json={"constraint": CHOICE}, headers=headers).json()["ok"]


def test_pages_of_other_sites_may_not_ask(client: httpx.Client) -> None:
    """A browser tells whose page asks."""
    reply = client.post("/playground/check", json={"constraint": CHOICE}, headers={"origin": "https://example.org"})
    assert reply.status_code == 403


def test_markup_is_data(client: httpx.Client) -> None:
    """It comes back as JSON strings, never as a page."""
    reply = client.post("/playground/check", json={"constraint": {"kind": "regex", "source": f"({MARKUP}"}})
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"

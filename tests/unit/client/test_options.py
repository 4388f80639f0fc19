"""Options of a question, and arguments of a client: what has no meaning is told before anything is sent."""

from __future__ import annotations

import math
from typing import Any

import pytest

from maskwright.client import AsyncClient, Budget, Client, Pool, Profile, Retries
from maskwright.client.connection import Connection, Counts, Tally
from maskwright.client.endpoint import Endpoint
from maskwright.client.options import checked_options
from maskwright.errors import PolicyError

URL = "http://127.0.0.1:1"


def test_what_is_not_said_is_left_out() -> None:
    """None is not said; texts that end an answer are a tuple."""
    found = checked_options({"max_tokens": 5, "seed": None, "stop": "a", "temperature": 0, "may_degrade": None})
    assert found == {"max_tokens": 5, "stop": ("a",), "temperature": 0}
    assert checked_options({"stop": ["a", "b"]}) == {"stop": ("a", "b")}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_token", 5),
        *(("max_tokens", value) for value in (0, -1, 1.5, True, "5")),
        *(("attempts", value) for value in (0, True, 1.0)),
        *(("temperature", value) for value in (-0.1, 2.1, math.nan, "0", True)),
        *(("top_p", value) for value in (-0.1, 1.1, math.inf)),
        ("seed", 1.0),
        *(("stop", value) for value in ("", [""], [1], 5, ["a", None])),
        *(("timeout", value) for value in (0, -1, math.inf, "1")),
        ("budget", 5),
        *(("prefer", value) for value in ("nothing", 1)),
        *(("schema_in_prompt", value) for value in ("yes", 1, 0)),
        ("system", 1),
        ("model", 1),
        *(("extra", value) for value in ([], {1: 2}, "x")),
    ],
)
def test_options_without_meaning(name: str, value: Any) -> None:
    """The message names the option."""
    with pytest.raises(PolicyError, match=name):
        checked_options({name: value})


@pytest.mark.parametrize(
    "arguments",
    [
        {"api_key": ""},
        {"api_key": "a\nb"},
        {"api_key": "a\n"},
        {"api_key": " a"},
        {"api_key": "ü"},
        {"api_key": 1},
        {"model": 1},
        {"vocabulary": {}},
        {"profile": "nobody"},
        {"timeout": 0},
        {"connect_timeout": -1},
        {"retries": -1},
        {"retries": "2"},
        {"budget": 5},
        {"headers": {"a b": "c"}},
        {"headers": {"a": "b\r\nc: d"}},
        {"headers": {"a": 1}},
        {"headers": {"a": "b "}},
        {"limits": 5},
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_arguments_without_meaning(kind: Any, arguments: dict[str, Any]) -> None:
    """Of both clients, also when they are changed."""
    with pytest.raises(PolicyError):
        kind(URL, **arguments)
    if "limits" not in arguments:
        with Client(URL) as client, pytest.raises(PolicyError):
            client.with_options(**arguments)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_the_key_is_never_shown(kind: Any) -> None:
    """Not by the client, nor by what it is made of, nor by a changed one."""
    client = kind(URL, "sk-secret", "m", headers={"x-token": "sk-secret"})
    other = client.with_options(api_key="sk-secret-2")
    shown = [repr(client), str(client), repr(other), repr(client._configuration), repr(client._driver)]
    assert not [text for text in shown if "secret" in text]
    assert repr(client) == f"{kind.__name__}('{URL}/v1', model='m')"
    assert "secret" not in repr(Connection(endpoint=Endpoint.of(URL), api_key="sk-secret", headers={"a": "secret"}))


def test_options_of_a_client_are_changed_in_a_copy() -> None:
    """Everything else stays, and so do the counts and the connections."""
    with Client(URL, "k", "m", timeout=7.0, retries=Retries(most=5), budget=Budget(calls=3)) as client:
        other = client.with_options(model="n", headers={"a": "b"}, profile="vllm", retries=1)
        before, after = client._configuration, other._configuration
        assert (before.settings.model, after.settings.model) == ("m", "n")
        assert (after.connection.timeout, after.connection.api_key) == (7.0, "k")
        assert (before.settings.retries.most, after.settings.retries.most) == (5, 1)
        assert after.settings.budget == Budget(calls=3)
        assert isinstance(after.settings.profile, Profile)
        assert before.settings.profile is None
        assert other._driver._http is client._driver._http
        assert other._tally is client._tally
        with pytest.raises(PolicyError, match="base_url"):
            client.with_options(base_url=URL)


def test_headers_of_ones_own_win() -> None:
    """Whatever their case."""
    connection = Connection(endpoint=Endpoint.of(URL), api_key="k", headers={"Authorization": "Basic x"})
    assert connection.all_headers()["authorization"] == "Basic x"


@pytest.mark.parametrize(
    "numbers",
    [{"connections": 0}, {"idle": -1}, {"most_bytes": 0}, {"connections": 1.5}, {"idle_seconds": 0}, {"idle": True}],
)
def test_numbers_of_a_pool(numbers: dict[str, Any]) -> None:
    """Whole numbers; an idle connection need not be kept."""
    with pytest.raises(PolicyError):
        Pool(**numbers)
    assert Pool(idle=0).idle == 0


def test_counts_add_up() -> None:
    """What is not counted is 0."""
    tally = Tally()
    tally.add(calls=1, prompt_tokens=5)
    tally.add(calls=2)
    assert tally.counts == Counts(calls=3, prompt_tokens=5)


def test_how_a_model_writes_calls_can_be_told() -> None:
    """By the name of a format, for a client and for one made of it."""
    with Client(URL, tool_format="hermes") as client:
        assert client._configuration.settings.tool_format == "hermes"
        assert client.with_options(model="m")._configuration.settings.tool_format == "hermes"
        assert client.with_options(tool_format=None)._configuration.settings.tool_format is None
    for wrong in ("nothing", 1):
        with pytest.raises(PolicyError, match="tool_format is one of"):
            Client(URL, tool_format=wrong)  # type: ignore[arg-type]

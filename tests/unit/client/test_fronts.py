"""The two clients as people meet them: the same methods, light to import, and clear about what is missing."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, assert_type

import pytest

import maskwright.client as front
from maskwright.client import AsyncClient, AsyncStream, Client, Stream
from maskwright.errors import PolicyError

SAME = sorted(name for name in vars(Client) if not name.startswith("__") and name != "_take")


@pytest.mark.parametrize("name", SAME)
def test_both_clients_have_the_same_methods(name: str) -> None:
    """With the same arguments and defaults; what waits is awaited."""
    one, other = getattr(Client, name), getattr(AsyncClient, name)
    if callable(one):
        first, second = inspect.signature(one), inspect.signature(other)
        assert first.parameters == second.parameters
        assert inspect.getdoc(other) is not None
        waits = name not in {"stream", "stream_completion", "with_options"}
        assert inspect.iscoroutinefunction(other) is waits


def test_both_clients_are_made_alike() -> None:
    """Arguments and defaults of the constructors."""
    assert inspect.signature(Client.__init__).parameters == inspect.signature(AsyncClient.__init__).parameters
    plain = {name for name in vars(Stream) if not name.startswith("_")}
    assert plain == {name for name in vars(AsyncStream) if not name.startswith("_")}


def test_every_name_of_the_front_exists() -> None:
    """And nothing else is found there."""
    for name in front.__all__:
        assert getattr(front, name) is not None
    assert set(front.__all__) == set(front._MODULES)
    with pytest.raises(AttributeError, match="Clint"):
        _ = front.Clint


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_front_loads_no_httpx() -> None:
    """Neither ``import maskwright`` nor ``import maskwright.client`` does; what needs it loads it."""
    program = (
        "import sys, maskwright.client; from maskwright.client import Budget, PROFILES; print('httpx' in sys.modules)"
    )
    assert run(program) == "False"


def test_without_httpx() -> None:
    """The error says what to install."""
    program = (
        "import sys; sys.modules['httpx'] = None\n"
        "from maskwright.client import Budget, Retries\n"
        "for name in ('Client', 'AsyncClient'):\n"
        "    try: getattr(__import__('maskwright.client', fromlist=[name]), name)\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
    )
    expected = 'PolicyError the client needs httpx: pip install "maskwright[client]"'
    assert run(program).splitlines() == [expected, expected]


def typed(client: Client, stream: Stream) -> None:
    """Never run: what mypy makes of the methods."""
    assert_type(client.extract("x", int), int)
    assert_type(client.extract("x", {"type": "object"}), Any)
    assert_type(client.models(), tuple[str, ...])
    assert_type(stream.read(), front.Answer)
    client.chat("x", temperature=0.5, stop=["a"], budget=front.Budget(calls=3))


def test_with_closes_and_closed_says_so() -> None:
    """Without any request before."""
    with Client("http://127.0.0.1:1", model="m") as client:
        pass
    with pytest.raises(PolicyError, match="closed"):
        client.models()


def test_a_stream_that_was_never_read() -> None:
    """Has no answer, and can be closed."""
    with Client("http://127.0.0.1:1", model="m") as client:
        stream = client.stream("x")
        with pytest.raises(PolicyError, match="all parts"):
            _ = stream.answer
        stream.close()
        assert list(stream) == []


def test_a_name_in_punycode_that_is_none() -> None:
    """Only httpx knows; it is told as an argument without meaning."""
    with Client("http://xn--a.invalid", model="m") as client, pytest.raises(PolicyError, match="base_url"):
        client.models()


def test_an_asynchronous_client_needs_asyncio() -> None:
    """What other libraries run is told so."""
    waiting = AsyncClient("http://127.0.0.1:1", model="m").models()
    with pytest.raises(PolicyError, match="asyncio"):
        waiting.send(None)

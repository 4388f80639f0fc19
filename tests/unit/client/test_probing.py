"""What was found out about an API: asked once, shared, taken along."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from maskwright.client.discovery import known_profile
from maskwright.client.flow import Call, Now, Pause, Reply
from maskwright.client.probing import Finding, Probes
from maskwright.client.profiles import PROFILES, find_profile, owned_profile, profile_at
from maskwright.client.spending import Budget, Ledger
from maskwright.client.task import Settings
from maskwright.dialects import DIALECTS
from maskwright.errors import PolicyError

MODELS = Reply(200, {}, b'{"data": [{"id": "x", "owned_by": "vllm"}]}')


def test_findings_go_from_process_to_process() -> None:
    """An export is JSON, and loading it knows the same."""
    probes = Probes()
    probes.learn("http://a", "m", bias=100, prefill="")
    probes.refuse("http://a", "m", "field:seed")
    probes.learn("http://a", None, profile="vllm")
    other = Probes()
    other.load(probes.export())
    assert other.known("http://a", "m") == Finding(bias=100, prefill="", refused=frozenset({"field:seed"}))
    assert other.known("http://a", None).profile == "vllm"
    assert other.known("http://b", "m") == Finding()


@pytest.mark.parametrize("wrong", [{"a": 1}, {"a m": {"colour": 1}}, {1: {}}])
def test_what_is_no_export_is_refused(wrong: Any) -> None:
    """Before anything of it is believed."""
    with pytest.raises(PolicyError):
        Probes().load(wrong)


def test_two_who_need_the_same_probe_make_it_once() -> None:
    """The second waits until the first knows."""
    probes = Probes()
    settings = Settings(base_url="http://a", probes=probes)
    flows = [known_profile(settings, Ledger(Budget(), 0.0)) for _ in range(2)]
    assert isinstance(next(flows[0]), Now)
    assert isinstance(flows[0].send(1.0), Call)
    assert isinstance(next(flows[1]), Now)
    assert isinstance(flows[1].send(1.0), Pause)
    with pytest.raises(StopIteration) as first:
        flows[0].send(MODELS)
    with pytest.raises(StopIteration) as second:
        flows[1].send(None)
    assert first.value.value is second.value.value is PROFILES["vllm"]


def test_one_who_gives_up_leaves_the_probe_to_others() -> None:
    """A closed flow, and one that nobody drives any more."""
    probes = Probes()
    settings = Settings(base_url="http://a", probes=probes)
    flow = known_profile(settings, Ledger(Budget(), 0.0))
    next(flow)
    flow.send(1.0)
    flow.close()
    assert probes.begin("http://a", None, "profile", 2.0)
    assert not probes.begin("http://a", None, "profile", 3.0)
    assert probes.begin("http://a", None, "profile", 300.0)


def test_threads_may_share_them() -> None:
    """Nothing that one of them refuses is lost."""
    probes = Probes()

    def refuse(number: int) -> None:
        for step in range(50):
            probes.refuse("http://a", "m", f"{number}:{step}")

    threads = [threading.Thread(target=refuse, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(probes.known("http://a", "m").refused) == 200


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://me.openai.azure.com/openai", "openai"),
        ("https://api.cerebras.ai", "cerebras"),
        ("https://api.fireworks.ai/inference/v1", "fireworks"),
        ("https://api.together.xyz/v1", "together"),
        ("https://api.mistral.ai", "mistral"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://openai.com.example.org/", None),
        ("http://127.0.0.1:8000/api.openai.com", None),
        ("http://user:api.openai.com@127.0.0.1/", None),
        ("nothing", None),
    ],
)
def test_apis_are_known_by_their_address(url: str, name: str | None) -> None:
    """By host and port only: a path or a user name means nothing."""
    found = profile_at(url)
    assert (found.name if found else None) == name


@pytest.mark.parametrize("told", [None, [], {}, {"data": 1}, {"data": [1, {}]}, {"data": [{"owned_by": "me"}]}])
def test_strange_lists_of_models_are_no_api_that_is_known(told: object) -> None:
    """Whatever the answer is."""
    assert owned_profile(told) is None


def test_profiles_are_consistent() -> None:
    """Each is found by its name, names a dialect that exists, and its native ways stand at endpoints that it has."""
    for name, profile in PROFILES.items():
        assert find_profile(name) is profile
        assert profile.dialect is None or profile.dialect in [getattr(one, "name", one) for one in DIALECTS]
        for native in profile.natives:
            assert native.endpoints & profile.endpoints
    assert find_profile("auto") is None
    with pytest.raises(PolicyError):
        find_profile("nobody")


def test_models_that_refuse_fields_are_known() -> None:
    """gpt-5 rejects logit_bias; gpt-4o takes it."""
    openai = PROFILES["openai"]
    assert "logit_bias" in openai.drops("gpt-5-mini")
    assert not openai.drops("gpt-4o")


def test_the_list_of_models_is_not_held_against_a_budget() -> None:
    """It bills nothing: with one call the answer can still be got."""
    ledger = Ledger(Budget(calls=1), 0.0)
    flow = known_profile(Settings(base_url="http://a", probes=Probes()), ledger)
    next(flow)
    flow.send(1.0)
    with pytest.raises(StopIteration):
        flow.send(MODELS)
    ledger.allow(1.0, 10, "")
    assert ledger.report(1.0).calls == ledger.report(1.0).probes == 0

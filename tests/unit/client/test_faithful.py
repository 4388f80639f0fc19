"""Repairs are faithful: answers are distributed as under a mask, token by token, and greedy answers are the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

import maskwright as mw
from maskwright.client.enforcement import enforce
from maskwright.client.probing import Probes
from maskwright.client.profiles import GENERIC
from maskwright.client.task import Settings, Task
from tests.unit.client.scripted_model import Distribution, Scripted, drive

#: Reports all tokens, and can be told not to end at once.
EVERYTHING = replace(GENERIC, logprobs=20, no_end=("min_tokens", 1))
TOKENS = [b"a", b"b", b"c", b"ab", b"ca", b"x", b"1", b"2", b"12"]
VOCABULARY = mw.Vocabulary.from_tokens([*TOKENS, b""], end_ids=[len(TOKENS)])
DRAWS = 600


def scattered(seed: int, *, end: float) -> Distribution:
    """Any distribution that depends on all that is written."""

    def distribution(text: bytes) -> dict[bytes, float]:
        numbers = random.Random(f"{seed} {text!r}")
        weights = {token: numbers.random() ** 3 + 0.01 for token in TOKENS}
        total = sum(weights.values())
        return {**{token: (1 - end) * weight / total for token, weight in weights.items()}, b"": end}

    return distribution


def exact(
    constraint: mw.Constraint, distribution: Distribution, temperature: float, longest: int
) -> dict[bytes, float]:
    """Probabilities of answers when each token is drawn from the allowed ones; by enumeration."""
    guide = mw.compile(constraint, VOCABULARY)
    found: dict[bytes, float] = {}
    todo: list[tuple[tuple[int, ...], bytes, float]] = [((), b"", 1.0)]
    while todo:
        path, text, mass = todo.pop()
        assert len(path) <= longest
        matcher = guide.matcher()
        for token in path:
            matcher.advance(token)
        if matcher.must_end:
            found[text] = found.get(text, 0.0) + mass
            continue
        allowed = {token: p for token, p in _by_id(distribution(text)).items() if matcher.allows(token)}
        powers = {token: p ** (1 / temperature) for token, p in allowed.items()}
        total = sum(powers.values())
        for token, power in powers.items():
            after = mass * power / total
            if token == len(TOKENS):
                found[text] = found.get(text, 0.0) + after
            else:
                todo.append(((*path, token), text + TOKENS[token], after))
    return found


def _by_id(named: dict[bytes, float]) -> dict[int, float]:
    return {len(TOKENS) if not data else TOKENS.index(data): p for data, p in named.items()}


@pytest.mark.parametrize(
    ("seed", "constraint", "end", "temperature", "tells_end"),
    [
        (1, mw.regex("[ab]{2}"), 0.05, 1.0, False),
        (1, mw.regex("[ab]{2}"), 0.05, 0.6, True),
        (2, mw.choice(["ab", "abc", "ca", "1"]), 0.3, 1.0, True),
        (2, mw.choice(["ab", "abc", "ca", "1"]), 0.3, 0.6, False),
        (3, mw.regex("c?[a-c][12]{1,2}"), 0.1, 1.0, False),
    ],
)
def test_answers_are_distributed_as_under_a_mask(
    seed: int, constraint: mw.Constraint, *, end: float, temperature: float, tells_end: bool
) -> None:
    """Total variation from the exact conditional distribution is within what so many draws scatter."""
    distribution = scattered(seed, end=end)
    expected = exact(constraint, distribution, temperature, longest=8)
    server = Scripted(distribution, [*TOKENS, b""], random=random.Random(seed), objects=tells_end, tells_end=tells_end)
    settings = Settings(base_url="http://toy", model="m", profile=EVERYTHING, probes=Probes())
    seen: Counter[bytes] = Counter()
    for draw in range(DRAWS):
        task = Task(prompt="Answer:", constraint=constraint, temperature=temperature, seed=draw, prefer="loop")
        answer = drive(enforce(task, settings), server)
        assert answer.report.unseen == 0
        assert not answer.report.is_degraded
        seen[answer.text.encode()] += 1
    assert set(seen) <= set(expected)
    distance = sum(abs(seen[text] / DRAWS - p) for text, p in expected.items()) / 2
    # The mean distance is at most sum(sqrt(p (1 - p) / n)) / sqrt(2 pi); twice that is many deviations away.
    scatter = sum((p * (1 - p) / DRAWS) ** 0.5 for p in expected.values()) / (2 * 3.14159) ** 0.5
    assert distance < 2 * scatter + 0.002


@pytest.mark.parametrize("seed", range(20))
def test_greedy_answers_are_those_of_masked_greedy_decoding(seed: int) -> None:
    """At temperature 0 the best allowed token is taken at every place."""
    distribution = scattered(seed, end=0.02)
    guide = mw.compile(mw.regex("c?[a-c]{2,3}[12]{2}"), VOCABULARY)
    matcher, text = guide.matcher(), b""
    while not matcher.must_end:
        allowed = {token: p for token, p in _by_id(distribution(text)).items() if matcher.allows(token)}
        best = max(allowed, key=allowed.__getitem__)
        if best == len(TOKENS):
            break
        matcher.advance(best)
        text += TOKENS[best]
    server = Scripted(distribution, [*TOKENS, b""], minimum=False)
    settings = Settings(base_url="http://toy", model="m", profile=EVERYTHING, probes=Probes())
    task = Task(prompt="Answer:", constraint=guide.constraint, temperature=0)
    assert drive(enforce(task, settings), server).text.encode() == text

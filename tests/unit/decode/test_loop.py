"""The loop: its outputs are in the language, and what is skipped changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maskwright.decode.bpe import Encoder
from maskwright.decode.cache import Cache
from maskwright.decode.llama import Llama
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import generate
from maskwright.decode.masks import allowed_ids
from maskwright.decode.prompt import Prompter
from maskwright.errors import ModelError, PolicyError
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary

WORDS = [b'{"a": "xyz"}', b'{"a": "xyyyy"}', b'{"a": "q"}', b'{"a": "qq"}']


@pytest.fixture
def model(toy_gguf: Path, vocabulary: Vocabulary) -> LocalModel:
    gguf = read_gguf(toy_gguf)
    return LocalModel(Llama(gguf), vocabulary, Prompter(gguf, Encoder(gguf), vocabulary.special_names))


def naive(model: LocalModel, prompt: list[int], matcher: Any) -> bytes:
    """Greedy decoding as the books have it: every token chosen by a whole new pass, nothing forced."""
    ids = list(prompt)
    while not matcher.is_finished:
        hidden = model.network.forward(ids, Cache(model.network.dimensions))
        scores = model.network.logits(hidden)[-1]
        options = allowed_ids(matcher.mask(), len(scores))
        token = int(options[scores[options].argmax()])
        matcher.advance(token)
        ids.append(token)
    return bytes(matcher.text)


@pytest.mark.parametrize("seed", range(20))
def test_sampled_outputs_are_in_the_language(model: LocalModel, language: Callable[..., Any], seed: int) -> None:
    """Whatever is drawn, a finished output is one of the words, and equal seeds draw equal ones."""
    once, again = (generate(model, "abc", language(*WORDS), temperature=2, seed=seed) for _ in range(2))
    assert once.data in WORDS
    assert once.finish_reason == "stop"
    assert once.tokens == again.tokens
    assert b"".join(model.vocabulary.tokens[i] for i in once.tokens) == once.data


def test_without_forced_text_greedy_is_the_naive_loop(
    gguf_writer: Callable[..., Path], language: Callable[..., Any]
) -> None:
    """Where every mask is a choice, skipping and the cache change nothing."""
    words = [first + second + third for first in (b"a", b"b") for second in (b"c", b"d") for third in (b"e", b"f")]
    for seed in range(5):
        gguf = read_gguf(gguf_writer(seed=seed))
        guide = language(*words, *(word + b"!" for word in words))
        model = LocalModel(Llama(gguf), guide.vocabulary, Prompter(gguf, Encoder(gguf), {}))
        prompt = model.prompter.plain("hello")
        assert generate(model, "hello", guide).data == naive(model, prompt, guide.matcher())


def test_forced_text_needs_no_pass(model: LocalModel, language: Callable[..., Any]) -> None:
    """One word only: no pass at all. Two that differ in one place: one pass."""
    alone = generate(model, "abc", language(b'{"a": "xyz"}'))
    assert (alone.data, alone.passes, alone.forced_tokens) == (b'{"a": "xyz"}', 0, len(alone.tokens))
    two = generate(model, "abc", language(b"hello Xworld", b"hello Yworld"))
    assert (two.passes, two.forced_tokens) == (1, len(two.tokens) - 1)


def test_the_model_reads_forced_text(
    model: LocalModel, language: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passes together read the prompt and every token but those after the last choice, each once and in order."""
    read: list[int] = []
    forward = Llama.forward

    def spy(self: Llama, tokens: list[int], cache: Cache) -> np.ndarray:
        read.extend(tokens)
        return forward(self, tokens, cache)

    monkeypatch.setattr(Llama, "forward", spy)
    result = generate(model, "abc", language(*WORDS), seed=1, temperature=1)
    written = [*model.prompter.plain("abc"), *result.tokens]
    assert read == written[: len(read)]


def test_on_token_sees_every_token(model: LocalModel, language: Callable[..., Any]) -> None:
    """The callback gets each id once, in order, with whether it was forced."""
    seen: list[tuple[int, bool]] = []
    result = generate(model, "abc", language(*WORDS), on_token=lambda token, forced: seen.append((token, forced)))
    assert tuple(token for token, _ in seen) == result.tokens
    assert sum(forced for _, forced in seen) == result.forced_tokens


@pytest.mark.parametrize("budget", range(1, 12))
def test_the_budget_is_kept(model: LocalModel, language: Callable[..., Any], budget: int) -> None:
    """Never more than ``max_tokens``; an output cut off says so, and is a prefix of a word."""
    result = generate(model, "abc", language(*WORDS), max_tokens=budget)
    assert len(result.tokens) <= budget
    assert (result.finish_reason == "stop") == (result.data in WORDS)
    assert any(word.startswith(result.data) for word in WORDS)


def test_the_context_bounds_the_output(model: LocalModel, language: Callable[..., Any]) -> None:
    """With 5 places left, 5 tokens are written; with none, the prompt is refused."""
    assert len(generate(model, [5] * 595, language(b"x" * 50, b"y" * 50)).tokens) == 5
    with pytest.raises(ModelError, match="600 tokens"):
        generate(model, [5] * 600, language(b"x"))


def test_bad_arguments_are_refused(model: LocalModel, language: Callable[..., Any]) -> None:
    """No budget, or nothing to read before the first choice."""
    with pytest.raises(PolicyError, match="max_tokens"):
        generate(model, "a", language(b"x"), max_tokens=0)
    with pytest.raises(ModelError, match="prompt is empty"):
        generate(model, "", language(b"x", b"y"))

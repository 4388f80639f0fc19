"""The transformers adapter under every strategy of ``generate``, against a processor without memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maskwright as mw
from maskwright.decode.masks import allowed_ids
from maskwright.decode.transformers import MaskLogitsProcessor
from maskwright.errors import PolicyError, VocabularyError

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

PAD, END, OTHER_END = 0, 1, 2
TOKENS = [
    b"",
    b"",
    b"",
    *(bytes([c]) for c in range(32, 127)),
    b'{"',
    b'": ',
    b'"a"',
    b"1",
    b"12",
    b"true",
    b'"}',
    b"ye",
    b"es",
]
#: More logits than tokens, as in padded models.
WIDTH = 128
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"enum": ["yes", "no", "maybe", None]},
        "b": {"type": "integer", "minimum": 0, "maximum": 99},
        "c": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}


class Memoryless:
    """The same masks from scratch: a new matcher reads the whole suffix of every row at every call."""

    def __init__(self, guide: mw.Guide, prompt_length: int) -> None:
        self.guide, self.prompt_length = guide, prompt_length

    def mask(self, suffix: list[int]) -> np.ndarray:
        matcher = self.guide.matcher()
        ends = np.zeros_like(matcher.mask())
        for token in self.guide.vocabulary.end_ids:
            ends[token // 32] |= np.uint32(1 << token % 32)
        for token in suffix:
            if matcher.is_finished or not matcher.allows(token):
                return ends
            matcher.advance(token)
        return ends if matcher.is_finished else matcher.mask()

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        out = torch.full_like(scores, -float("inf"))
        for row, ids in enumerate(input_ids.tolist()):
            kept = allowed_ids(self.mask(ids[self.prompt_length :]), scores.shape[-1])
            out[row, kept] = scores[row, kept]
        return out


def tiny(seed: int, width: int = 32) -> Any:
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=WIDTH,
        hidden_size=width,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        initializer_range=0.6,
        bos_token_id=None,
        eos_token_id=[END, OTHER_END],
        pad_token_id=PAD,
    )
    return transformers.LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def model() -> Any:
    return tiny(0)


@pytest.fixture(scope="module")
def guide() -> mw.Guide:
    vocabulary = mw.Vocabulary.from_tokens(TOKENS, end_ids=[END, OTHER_END])
    return mw.compile(mw.json_schema(SCHEMA, whitespace="spaced"), vocabulary)


def batch(*prompts: str) -> dict[str, Any]:
    """Prompts by characters, padded on the left."""
    rows = [[TOKENS.index(c.encode()) for c in prompt] for prompt in prompts]
    length = max(map(len, rows))
    ids = torch.tensor([[PAD] * (length - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (length - len(row)) + [1] * len(row) for row in rows])
    return {"input_ids": ids, "attention_mask": mask}


def answers(output: Any, prompt_length: int) -> list[bytes]:
    """The text of each row up to its end token; a row without one fails."""
    texts = []
    for row in output[:, prompt_length:].tolist():
        end = next(place for place, token in enumerate(row) if token in (END, OTHER_END))
        texts.append(b"".join(TOKENS[token] for token in row[:end]))
    return texts


def is_valid(text: bytes) -> bool:
    value = json.loads(text)
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(value)


STRATEGIES: dict[str, dict[str, Any]] = {
    "greedy": {"do_sample": False},
    "sampled": {"do_sample": True, "temperature": 1.5, "top_k": 0},
    "several answers": {"do_sample": True, "num_return_sequences": 5, "top_k": 0},
    "beams": {"num_beams": 4, "num_return_sequences": 2, "do_sample": False},
    "beams that stop early": {"num_beams": 3, "early_stopping": True, "do_sample": False},
    "sampled beams": {"num_beams": 3, "do_sample": True, "top_k": 0},
}
ASSISTED: dict[str, dict[str, Any]] = {
    "draft model": {"do_sample": False},
    "sampled draft model": {"do_sample": True, "temperature": 1.5, "top_k": 0},
    "prompt lookup": {"do_sample": False, "prompt_lookup_num_tokens": 4, "max_matching_ngram_size": 2},
    "sampled prompt lookup": {
        "do_sample": True,
        "top_k": 0,
        "prompt_lookup_num_tokens": 4,
        "max_matching_ngram_size": 2,
    },
}


def run(model: Any, processor: Any, inputs: dict[str, Any], options: dict[str, Any], seed: int) -> Any:
    torch.manual_seed(seed)
    return model.generate(**inputs, logits_processor=[processor], max_new_tokens=60, **options)


@pytest.mark.parametrize("options", STRATEGIES.values(), ids=STRATEGIES)
def test_every_strategy_equals_the_memoryless_processor(model: Any, guide: mw.Guide, options: dict[str, Any]) -> None:
    """Batches with left padding, several answers, beams: the tokens of a processor without memory, valid documents.

    One processor serves all runs, so each run also shows that it left nothing behind for the next.
    """
    processor = MaskLogitsProcessor(guide)
    for seed, prompts in enumerate([("abc",), ("x", "a longer prompt", "mid len"), ("x", "y"), ("abc",)]):
        inputs = batch(*prompts)
        length = inputs["input_ids"].shape[1]
        ours = run(model, processor, inputs, options, seed)
        wanted = run(model, Memoryless(guide, length), inputs, options, seed)
        assert ours.tolist() == wanted.tolist()
        assert all(map(is_valid, answers(ours, length)))


@pytest.mark.parametrize("options", ASSISTED.values(), ids=ASSISTED)
def test_assisted_decoding_equals_the_memoryless_processor(
    model: Any, guide: mw.Guide, options: dict[str, Any]
) -> None:
    """Histories that grow, shrink and repeat: the tokens of a processor without memory, valid documents."""
    processor = MaskLogitsProcessor(guide)
    draft = {} if "prompt_lookup_num_tokens" in options else {"assistant_model": tiny(1, 16)}
    for seed, prompt in enumerate(['yes {"a": "yes", "b": 12} {"a": "yes"', "abc", "abcd", '{"a": "no", "b": 7}']):
        inputs = batch(prompt)
        length = inputs["input_ids"].shape[1]
        ours = run(model, processor, inputs, {**options, **draft}, seed)
        wanted = run(model, Memoryless(guide, length), inputs, {**options, **draft}, seed)
        assert ours.tolist() == wanted.tolist()
        assert all(map(is_valid, answers(ours, length)))


def test_greedy_with_a_draft_is_greedy_without(model: Any, guide: mw.Guide) -> None:
    """A draft changes the speed, never the tokens."""
    inputs = batch("hello")
    alone = run(model, MaskLogitsProcessor(guide), inputs, {"do_sample": False}, 0)
    assisted = run(model, MaskLogitsProcessor(guide), inputs, {"do_sample": False, "assistant_model": tiny(1, 16)}, 0)
    assert alone.tolist() == assisted.tolist()


def test_rows_of_a_batch_do_not_mix(model: Any, guide: mw.Guide) -> None:
    """Each row of a padded batch is what it is alone."""
    processor = MaskLogitsProcessor(guide)
    prompts = ["x", "a longer prompt", "mid len"]
    together = answers(run(model, processor, batch(*prompts), {"do_sample": False}, 0), len(prompts[1]))
    alone = [answers(run(model, processor, batch(p), {"do_sample": False}, 0), len(p))[0] for p in prompts]
    assert together == alone


def test_more_beams_than_outputs(model: Any) -> None:
    """A language of two words and five beams: both words come first, and nothing else has a finite score."""
    vocabulary = mw.Vocabulary.from_tokens(TOKENS, end_ids=[END])
    processor = MaskLogitsProcessor(mw.compile(mw.choice(["yes", "no"]), vocabulary))
    inputs = batch("hello")
    output = model.generate(
        **inputs,
        logits_processor=[processor],
        num_beams=5,
        num_return_sequences=5,
        max_new_tokens=8,
        output_scores=True,
        return_dict_in_generate=True,
        eos_token_id=processor.end_ids,
    )
    finite = torch.isfinite(output.sequences_scores) & (output.sequences_scores > -1e8)
    assert set(answers(output.sequences[finite], 5)) == {b"yes", b"no"}


def test_an_answer_that_was_cut_off_goes_on(model: Any, guide: mw.Guide) -> None:
    """What an earlier call wrote as the next prompt: the answer goes on; after ``reset`` a new one begins."""
    processor = MaskLogitsProcessor(guide)
    inputs = batch("hello")
    whole = run(model, processor, inputs, {"do_sample": False}, 0)
    part = model.generate(**inputs, logits_processor=[processor], max_new_tokens=4, do_sample=False)
    rest = model.generate(part, logits_processor=[processor], max_new_tokens=60, do_sample=False)
    assert rest.tolist() == whole.tolist()
    processor.reset()
    again = model.generate(part, logits_processor=[processor], max_new_tokens=60, do_sample=False)
    assert is_valid(answers(again, part.shape[1])[0])


def test_a_chat_goes_on_with_a_longer_prompt(model: Any, guide: mw.Guide) -> None:
    """The earlier answer inside the next prompt is prompt, not output."""
    processor = MaskLogitsProcessor(guide)
    inputs = batch("hello")["input_ids"]
    for more in ([40], [41, 42, 43], [3]):
        output = model.generate(inputs, logits_processor=[processor], max_new_tokens=60, do_sample=False)
        assert is_valid(answers(output, inputs.shape[1])[0])
        inputs = torch.cat([output, torch.tensor([more])], dim=1)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_padded_logits_are_closed_in_every_type(guide: mw.Guide, dtype: str) -> None:
    """At the beginning only tokens that begin an object have a score; ids beyond the vocabulary never do."""
    scores = torch.zeros(2, WIDTH, dtype=getattr(torch, dtype))
    out = MaskLogitsProcessor(guide)(torch.tensor([[5, 6], [7, 8]]), scores)
    assert out.dtype == scores.dtype
    assert not scores.isinf().any()
    for row in out:
        assert {TOKENS[i] for i in torch.isfinite(row).nonzero().flatten().tolist()} == {b"{", b'{"'}


def test_after_the_end_only_end_tokens(guide: mw.Guide) -> None:
    """A finished row, filled up with padding, keeps exactly the end tokens open."""
    processor = MaskLogitsProcessor(guide)
    document = b'{"a": null, "b": 7}'
    history = [50]
    for token in [*(TOKENS.index(bytes([c])) for c in document), END, PAD, PAD]:
        processor(torch.tensor([history]), torch.zeros(1, WIDTH))
        history.append(token)
    out = processor(torch.tensor([history]), torch.zeros(1, WIDTH))
    assert torch.isfinite(out[0]).nonzero().flatten().tolist() == processor.end_ids == [END, OTHER_END]


def test_what_cannot_be_served_is_refused(guide: mw.Guide) -> None:
    """Fewer logits than ids, or last tokens without their histories: typed errors."""
    processor = MaskLogitsProcessor(guide)
    with pytest.raises(VocabularyError, match="tokenizer of this model"):
        processor(torch.tensor([[1]]), torch.zeros(1, 50))
    with pytest.raises(PolicyError, match="continuous batching"):
        processor(torch.tensor([1, 2]), torch.zeros(2, WIDTH))
    assert processor.supports_continuous_batching is False


def test_smollm2_writes_the_tokens_of_our_own_decoder(smollm2: Path) -> None:
    """Torch with the processor and NumPy with bare masks choose the same tokens on the real model."""
    from maskwright.decode.cache import Cache
    from maskwright.decode.checkpoint import configuration, state_dict
    from maskwright.decode.local import LocalModel
    from maskwright.gguf import read_gguf

    local = LocalModel.from_gguf(smollm2)
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
    }
    guide = mw.compile(mw.json_schema(schema, whitespace="spaced", objects="closed"), local.vocabulary)
    prompt = local.prompter.chat("Extract name and age as JSON: Alice Martin, 34, moved to Berlin.")
    matcher, cache, pending = guide.matcher(), Cache(local.network.dimensions), list(prompt)
    while not matcher.must_end:
        hidden = local.network.forward(pending, cache)[-1]
        ids = allowed_ids(matcher.mask(), local.network.vocabulary_size)
        pending = [int(ids[local.network.logits(hidden, ids).argmax()])]
        matcher.advance(pending[0])
    gguf = read_gguf(smollm2)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**configuration(gguf)))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in state_dict(gguf).items()}, strict=False)
    model.tie_weights()
    processor = MaskLogitsProcessor(guide)
    output = model.eval().generate(
        torch.tensor([prompt]),
        logits_processor=[processor],
        do_sample=False,
        max_new_tokens=60,
        eos_token_id=processor.end_ids,
        pad_token_id=0,
    )
    written = output[0, len(prompt) :].tolist()
    assert tuple(written[:-1]) == matcher.tokens
    assert written[-1] in local.vocabulary.end_ids
    assert json.loads(matcher.text) == {"name": "Alice Martin", "age": 34}

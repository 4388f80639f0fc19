"""The runtime of transformers on a folder: a tiny random Llama with a real tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maskwright.decode.runtime import Step
from maskwright.decode.runtimes import load
from maskwright.errors import ModelError

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TALK = [{"role": "user", "content": "Hello there"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny")
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    specials = ["<s>", "<|im_start|>", "<|im_end|>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=specials, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()
    )
    model.train_from_iterator(["hello there general", "user assistant"] * 5, trainer)
    model.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model,
        bos_token=specials[0],
        eos_token=specials[2],
        additional_special_tokens=["<|im_start|>"],
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=320,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1200,
        initializer_range=0.5,
        bos_token_id=0,
        eos_token_id=2,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def runtime(folder: Path) -> Any:
    return load(str(folder), engine="transformers")


def reference(folder: Path, ids: list[int]) -> np.ndarray:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].numpy()


def test_scores_are_those_of_the_model(runtime: Any, folder: Path) -> None:
    """Any cut into passes and chunks, any number of outputs: the scores of one pass without a cache."""
    ids = [3 + i * 7 % 250 for i in range(1100)]
    wanted = reference(folder, ids)
    for cuts in ([1100], [1, 600, 499], [513, 587]):
        session, at = runtime.open(), 0
        for count in cuts:
            outputs = min(count, 520)
            (rows,) = runtime.forward([Step(session, ids[at : at + count], outputs)])
            at += count
            np.testing.assert_allclose(rows, wanted[at - outputs : at], atol=1e-3)
    assert runtime.forward([Step(runtime.open(), ids[:9], 0)])[0].shape == (0, 320)


def test_plain_conversations_are_those_of_transformers(runtime: Any, folder: Path) -> None:
    """The ids that ``apply_chat_template`` gives where no text looks like a token, with tools and without."""
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    for tools in ([], [tool]):
        wanted = theirs.apply_chat_template(TALK, tools=tools or None, add_generation_prompt=True, return_dict=False)
        assert runtime.chat(TALK, tools) == wanted
    whole = [*TALK, {"role": "assistant", "content": "Hel"}]
    wanted = theirs.apply_chat_template(whole, continue_final_message=True, return_dict=False)
    assert runtime.chat(whole, continue_final=True) == wanted
    assert runtime.encode("hello <x>") == theirs.encode("hello <x>", add_special_tokens=False)
    assert runtime.opening == (0,)


def test_control_tokens_in_texts_stay_text(runtime: Any) -> None:
    """Where ``apply_chat_template`` would end the message."""
    ids = runtime.chat([{"role": "user", "content": "a<|im_end|>b"}])
    assert ids.count(2) == 1
    assert not {0, 1, 2} & set(runtime.encode("<s><|im_start|><|im_end|>"))
    assert b"".join(runtime.vocabulary.tokens[i] for i in runtime.encode("<s>x")) == b"<s>x"


def test_the_vocabulary_is_as_wide_as_the_scores(runtime: Any) -> None:
    """Ids beyond the tokenizer have scores and are never text."""
    assert len(runtime.vocabulary) == runtime.width == 320
    assert runtime.vocabulary.end_ids == {2}


def test_a_folder_without_a_model_is_a_typed_error(tmp_path: Path) -> None:
    """An empty folder, and one with a damaged configuration."""
    with pytest.raises(ModelError, match="cannot load"):
        load(str(tmp_path), engine="transformers")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match="cannot load"):
        load(str(tmp_path), engine="transformers")

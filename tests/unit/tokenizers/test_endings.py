"""Which control tokens end an output."""

from __future__ import annotations

import pytest

from maskwright.tokenizers.endings import named_ends

MODELS = [
    # model; some of its control tokens; those that end an output, from its generation_config.json
    ("SmolLM2", ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<reponame>"], ["<|endoftext|>", "<|im_end|>"]),
    ("Llama 2", ["<unk>", "<s>", "</s>"], ["</s>"]),
    (
        "Llama 3.1",
        ["<|begin_of_text|>", "<|end_of_text|>", "<|eom_id|>", "<|eot_id|>", "<|start_header_id|>", "<|python_tag|>"],
        ["<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"],
    ),
    ("Gemma 3", ["<pad>", "<eos>", "<bos>", "<start_of_turn>", "<end_of_turn>"], ["<eos>", "<end_of_turn>"]),
    ("Phi 3", ["<|endoftext|>", "<|assistant|>", "<|end|>", "<|user|>"], ["<|endoftext|>", "<|end|>"]),
    (
        "gpt-oss",
        ["<|endoftext|>", "<|start|>", "<|end|>", "<|message|>", "<|return|>", "<|call|>"],
        ["<|endoftext|>", "<|return|>", "<|call|>"],
    ),
    ("DeepSeek", ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"], ["<｜end▁of▁sentence｜>"]),
    ("none", ["[CLS]", "[SEP]"], []),
]


@pytest.mark.parametrize(("names", "ends"), [model[1:] for model in MODELS], ids=[model[0] for model in MODELS])
def test_the_ends_of_known_models(names: list[str], ends: list[str]) -> None:
    """The names give the end ids that the models' own configurations list; a message end of harmony is none."""
    ids = {name: 10 + i for i, name in enumerate(names)}
    assert named_ends(ids) == {ids[name] for name in ends}

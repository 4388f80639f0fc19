"""Masks in ``model.generate`` of transformers: three prompts in one batch, sampled, then one with beams.

maskwright model fetch
pip install torch transformers
python examples/transformers_generate.py
"""

from __future__ import annotations

import json

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import maskwright as mw
from maskwright.decode.bpe import Encoder
from maskwright.decode.checkpoint import configuration, state_dict
from maskwright.decode.models import find
from maskwright.decode.prompt import Prompter
from maskwright.decode.transformers import MaskLogitsProcessor
from maskwright.gguf import read_gguf

SCHEMA = {
    "type": "object",
    "properties": {"animal": {"type": "string", "maxLength": 20}, "legs": {"enum": [0, 2, 4, 6, 8]}},
    "required": ["animal", "legs"],
    "additionalProperties": False,
}
QUESTIONS = ["a bird", "an insect that makes honey", "a snake"]


def main() -> None:
    """Print one document a prompt; any model and tokenizer of transformers work alike."""
    torch.set_num_threads(1)  # on cores that others use, more threads are ten times slower
    path = find("smollm2")
    gguf = read_gguf(path)
    model = LlamaForCausalLM(LlamaConfig(**configuration(gguf)))
    model.load_state_dict({name: torch.from_numpy(x) for name, x in state_dict(gguf).items()}, strict=False)
    model.tie_weights()
    vocabulary = mw.Vocabulary.from_gguf(path)  # with a tokenizer: mw.Vocabulary.from_huggingface(tokenizer)
    guide = mw.compile(mw.json_schema(SCHEMA, whitespace="spaced"), vocabulary)

    prompter = Prompter(gguf, Encoder(gguf), vocabulary.special_names)
    rows = [prompter.chat(f"Describe {question} as JSON.") for question in QUESTIONS]
    length = max(map(len, rows))
    ids = torch.tensor([[0] * (length - len(row)) + row for row in rows])
    processor = MaskLogitsProcessor(guide, max_new_tokens=120)  # every document is closed within them
    options = {"logits_processor": [processor], "eos_token_id": processor.end_ids, "pad_token_id": 0}
    options["max_new_tokens"] = 120
    sampled = model.generate(ids, attention_mask=(ids != 0).long(), do_sample=True, **options)
    beams = model.generate(ids[:1], attention_mask=(ids[:1] != 0).long(), num_beams=3, **options)
    for row in [*sampled[:, length:].tolist(), *beams[:, length:].tolist()]:
        print(json.loads(b"".join(vocabulary.tokens[token] for token in row)))


if __name__ == "__main__":
    main()

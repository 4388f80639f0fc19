"""A GGUF file as a checkpoint of ``transformers``: names, layout and configuration of ``LlamaForCausalLM``.

    model = LlamaForCausalLM(LlamaConfig(**configuration(gguf)))
    model.load_state_dict({name: torch.from_numpy(x) for name, x in state_dict(gguf).items()}, strict=False)

The only numbers that move are the rows of queries and keys: GGUF stores the two halves of a rotation side by side,
``transformers`` half a head apart. This replaces loading through the ``gguf`` and ``accelerate`` packages, which takes
15 s for 135 million weights.
"""

from __future__ import annotations

import re
from typing import Final

from maskwright.decode.dimensions import Dimensions
from maskwright.decode.weights import Weights, dequantise
from maskwright.errors import ModelError
from maskwright.gguf import Gguf

__all__ = ["configuration", "state_dict"]

_NAMES: Final = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_NAME: Final = re.compile(r"(?:blk\.(?P<layer>\d+)\.)?(?P<part>\w+)\.weight")


def configuration(gguf: Gguf) -> dict[str, object]:
    """Return the arguments of ``LlamaConfig``.

    Raises:
        ModelError: another architecture.

    """
    size = Dimensions.from_gguf(gguf)
    return {
        "vocab_size": gguf.tensors["token_embd.weight"].shape[0],
        "hidden_size": size.width,
        "intermediate_size": size.hidden,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "num_key_value_heads": size.kv_heads,
        "head_dim": size.head,
        "max_position_embeddings": size.context,
        "rms_norm_eps": size.epsilon,
        "rope_parameters": {"rope_type": "default", "rope_theta": size.base},
        "rope_theta": size.base,
        "tie_word_embeddings": "output.weight" not in gguf.tensors,
    }


def state_dict(gguf: Gguf) -> dict[str, Weights]:
    """Return every tensor as float32 under its name in ``LlamaForCausalLM``.

    A shared output matrix is not repeated: load with ``strict=False`` where ``tie_word_embeddings`` is set.

    Raises:
        ModelError: a tensor is not part of this architecture, or its number format is not known.

    """
    size = Dimensions.from_gguf(gguf)
    heads = {"attn_q": size.heads, "attn_k": size.kv_heads}
    state = {}
    for name, tensor in gguf.tensors.items():
        match = _NAME.fullmatch(name)
        if match is None or match["part"] not in _NAMES:
            raise ModelError(f"{gguf.path}: the tensor {name!r} has no place in LlamaForCausalLM")
        prefix = f"model.layers.{match['layer']}." if match["layer"] else ""
        weights = dequantise(tensor)
        if match["part"] in heads:
            weights = _halves_apart(weights, heads[match["part"]])
        state[f"{prefix}{_NAMES[match['part']]}.weight"] = weights
    return state


def _halves_apart(weights: Weights, heads: int) -> Weights:
    """Rows ``0 h 1 h+1 ...`` of each head as ``0 1 ... h h+1 ...``."""
    rows, width = weights.shape
    return weights.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)

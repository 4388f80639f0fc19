"""Which control tokens end an output.

A model has several: one ends a document, another a turn of a chat, a third a tool call. Configurations often name only
one of them, so the rest is known by name. A name counts for control tokens only: ``</s>`` is the end of a text for
Llama 2, but the HTML tag for Qwen (id 128247) and Gemma (id 212), where it is an ordinary token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["named_ends"]

_NAMES: Final = frozenset(
    {
        # The end of a text or document.
        "</s>",
        "<eos>",
        "<EOS>",
        "[EOS]",
        "<|eos|>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|end_of_sentence|>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "<seed:eos>",
        # The end of a turn.
        "<|im_end|>",
        "<|eot_id|>",
        "<|eot|>",
        "<|EOT|>",
        "<end_of_turn>",
        "<turn|>",
        "<|end_of_turn|>",
        "<|END_OF_TURN_TOKEN|>",
        "<|endofturn|>",
        "[|endofturn|]",
        "<end_of_utterance>",
        "<|role_end|>",
        # The end of a message that calls a tool.
        "<|eom_id|>",
        "<|eom|>",
        "<|call|>",
        "<|return|>",
    }
)

#: The end of a turn for Phi; in the harmony format, known by ``<|return|>`` and ``<|call|>``, only of one message.
_MESSAGE_END: Final = "<|end|>"
_HARMONY: Final = ("<|return|>", "<|call|>")


def named_ends(special_names: Mapping[str, int]) -> set[int]:
    """Return the ids of the control tokens that are known to end an output."""
    ends = {special_names[name] for name in _NAMES & special_names.keys()}
    if _MESSAGE_END in special_names and not all(name in special_names for name in _HARMONY):
        ends.add(special_names[_MESSAGE_END])
    return ends

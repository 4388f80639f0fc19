"""Prompts: only the markers are special."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maskwright.decode.bpe import Encoder
from maskwright.decode.prompt import Prompter
from maskwright.errors import ModelError
from maskwright.gguf import read_gguf

NAMES = {"<|im_start|>": 0, "<|im_end|>": 1}


def prompter(path: Path, names: dict[str, int] = NAMES) -> tuple[Prompter, Encoder]:
    gguf = read_gguf(path)
    encoder = Encoder(gguf)
    return Prompter(gguf, encoder, names), encoder


def test_a_conversation_is_written_as_the_template_does(toy_gguf: Path) -> None:
    """System message of the template, question, open answer; the markers are ids, newlines are missing bytes here."""
    prompts, encoder = prompter(toy_gguf)
    wanted = [
        0,
        *encoder.encode("systemBe brief."),
        1,
        0,
        *encoder.encode("userHi"),
        1,
        0,
        *encoder.encode("assistant"),
    ]
    assert prompts.chat("Hi") == wanted


def test_the_system_message_can_be_replaced_or_left_out(toy_gguf: Path) -> None:
    """A given message takes the place of the template's own; an empty one removes the turn."""
    prompts, encoder = prompter(toy_gguf)
    assert prompts.chat("Hi", system="X")[1:8] == encoder.encode("systemX")
    assert prompts.chat("Hi", system="")[1:7] == encoder.encode("userHi")


def test_markers_inside_a_message_stay_text(toy_gguf: Path) -> None:
    """A message cannot end its own turn."""
    prompts, _ = prompter(toy_gguf)
    assert prompts.chat("<|im_end|><|im_start|>system").count(1) == 2
    assert 1 not in prompts.plain("<|im_end|>")


@pytest.mark.parametrize(
    ("changes", "names"),
    [({"tokenizer__chat_template": None}, NAMES), ({"tokenizer__chat_template": "[INST]"}, NAMES), ({}, {})],
)
def test_without_a_known_format_there_is_no_chat(
    gguf_writer: Callable[..., Path], changes: dict[str, object], names: dict[str, int]
) -> None:
    """No ChatML template or no markers: plain prompts only, and the error says so."""
    prompts, _ = prompter(gguf_writer(**changes), names)
    assert not prompts.has_chat
    assert prompts.plain("ab")
    with pytest.raises(ModelError, match="--no-chat"):
        prompts.chat("Hi")


def test_a_first_token_is_put_where_the_file_asks_for_it(gguf_writer: Callable[..., Path]) -> None:
    """``add_bos_token`` puts the first id before plain prompts and conversations."""
    path = gguf_writer(tokenizer__ggml__add_bos_token=True, tokenizer__ggml__bos_token_id=7)
    prompts, encoder = prompter(path)
    assert prompts.plain("ab") == [7, *encoder.encode("ab")]
    assert prompts.chat("ab")[:2] == [7, 0]

"""What a model's chat template and tokens tell about how it writes tool calls and thoughts.

Sources: the marks of :data:`maskwright.tags.formats.FORMATS`, and the chat templates of the families.
"""
# ruff: noqa: RUF001  (the wide bars are what the tokens of DeepSeek are spelled with)

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskwright.vocabulary import Vocabulary

__all__ = ["thinking_of", "tool_format_of"]

#: Marks that must all occur, and the format they tell; the first line that fits counts.
_FORMATS: Final = (
    (("<|channel|>", "<|message|>"), "harmony"),
    (("<tool_call>", "<function="), "qwen3_coder"),
    (("<tool_call>", "<arg_key>"), "glm"),
    (("<tool_call>",), "hermes"),
    (("[TOOL_CALLS]", "[ARGS]"), "mistral"),
    (("[TOOL_CALLS]",), "mistral_old"),
    (("<｜tool▁calls▁begin｜>", "```json"), "deepseek_r1"),
    (("<｜tool▁calls▁begin｜>",), "deepseek"),
    (("<|tool_calls_section_begin|>",), "kimi"),
    (("<|tool_call|>",), "phi4"),
    (("<|python_tag|>",), "llama3"),
    (("<function=", "</function>"), "functionary_v3.1"),
)
#: Of models that are told about tools in our own words.
_DEFAULT: Final = "hermes"
_THINKING: Final = (("<think>", "</think>"), ("[THINK]", "[/THINK]"))


def tool_format_of(template: str, vocabulary: Vocabulary) -> str:
    """Return the name of the format that a template writes calls in, else the one whose tokens the model has."""
    for marks, name in _FORMATS:
        if all(mark in template for mark in marks):
            return name
    known = _known(vocabulary, [mark for marks, _ in _FORMATS for mark in marks])
    return next((name for marks, name in _FORMATS if known.issuperset(marks)), _DEFAULT)


def thinking_of(template: str, vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return what begins and ends a model's thinking, ``None`` if nothing tells that it thinks."""
    known = _known(vocabulary, [mark for marks in _THINKING for mark in marks])
    return next((marks for marks in _THINKING if marks[1] in template or known.issuperset(marks)), None)


def _known(vocabulary: Vocabulary, marks: Iterable[str]) -> frozenset[str]:
    """Those of the marks that are tokens, control tokens or text."""
    texts = frozenset(vocabulary.tokens)
    return frozenset(mark for mark in marks if mark in vocabulary.special_names or mark.encode() in texts)

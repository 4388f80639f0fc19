# ruff: noqa: RUF001  (the wide bars are what the tokens of DeepSeek are spelled with)
"""How model families write tool calls, as data: one table from which masks are made and what was written is read.

A turn of a model consists of text and calls. Where text may stand is ``text``; what a call looks like is ``body``:

* ``"object"``: one JSON object, ``{"name": "f", "arguments": {..}}``, between ``call_begin`` and ``call_end``;
* ``"named"``: ``call_begin``, the name as it is, ``name_end``, the arguments as a JSON object, ``call_end``;
* ``"harmony"``: messages in channels, see :mod:`maskwright.tags.harmony`;
* ``"parameters"``: as ``"named"``, but every argument is an element of its own: ``parameter_begin``, the name of the
  parameter, ``parameter_middle``, the value, ``parameter_end``. Strings are written without quotes.

Sources: the chat templates of the models as vLLM's and SGLang's parsers, xgrammar's built-in tags, llama.cpp's chat
formats and llguidance's notes on tool calls read them (autumn 2026); ``wire.md`` section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.tags.freetext import check_mark

__all__ = ["FORMATS", "Reading", "ToolFormat", "format_of", "split_markers"]


@dataclass(frozen=True)
class ToolFormat:
    """How one family writes a turn with tool calls. All strings are literal text unless something else is said."""

    name: str
    #: ``"object"``, ``"named"``, ``"harmony"`` or ``"parameters"``.
    body: str
    #: Where free text may stand: ``"around"`` the calls, in any number of places; only ``"before"`` the first of them;
    #: ``"instead"`` of them (the first character that is no blank decides); or in a ``"block"`` of its own, first.
    text: str
    #: What stands before the first call and after the last one.
    section_begin: str = ""
    section_end: str = ""
    #: What stands before and after every call, and between two of them.
    call_begin: str = ""
    call_end: str = ""
    separator: str = ""
    #: The calls are the elements of one JSON array, which one blank may precede; its comma separates them.
    is_array: bool = False
    #: With ``text="instead"``: the calls may also be such an array.
    may_be_array: bool = False
    #: The name's key, and the keys that may name the arguments, of a call that is an object.
    name_key: str = "name"
    arguments_keys: tuple[str, ...] = ("arguments",)
    #: Between the name and the arguments of a call that is no object.
    name_end: str = ""
    #: Between the name (or object's arguments) and ``name_end`` stands an id: what begins it (a key, in an object), a
    #: regular expression, and whether it may be missing. No id if the expression is empty.
    id_begin: str = ""
    id_pattern: str = ""
    is_id_optional: bool = False
    #: What may stand before the calls, once, or be missing.
    optional_begin: str = ""
    #: With ``text="block"``: what begins the block of text. ``separator`` then ends it.
    text_begin: str = ""
    #: Names that no tool may have in this format.
    reserved: frozenset[str] = field(default_factory=frozenset)
    #: The parts of all these strings that are control tokens of the models. In a vocabulary that has the token only the
    #: token is read, in another one its text.
    markers: tuple[str, ...] = ()
    #: Of ``body="parameters"``.
    parameter_begin: str = ""
    parameter_middle: str = ""
    parameter_end: str = ""
    #: What ends the model's thinking before a turn.
    thinking_end: str = "</think>"

    @property
    def trigger(self) -> str:
        """What text may not contain because a call begins there; ``""`` if the beginning of a turn decides.

        It is the first marker of what stands before a call, or all of it where there is none.
        """
        if self.text not in ("around", "before", "block"):
            return self.optional_begin
        before = self.separator if self.text == "block" else self.section_begin or self.call_begin
        return next((part for part, is_marker in split_markers(before, self.markers) if is_marker), before)


@dataclass(frozen=True)
class Reading:
    """What ``tools`` was asked for, for whoever reads the output again."""

    #: ``None``: there are no calls, all is text.
    format: ToolFormat | None
    #: The names of the tools that may be called.
    tools: tuple[str, ...] = ()
    #: What ends the thinking before the turn, and what begins it (``""`` if the prompt did); ``None`` if there is none.
    thinking: tuple[str, str] | None = None
    #: Of formats that write parameters one by one: tool to parameter to what it may be (``string``, ``number``,
    #: ``array``, ``object``, ``null``, ``true``, ``false``).
    parameters: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict, hash=False)


def split_markers(text: str, markers: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The parts of a literal, in order, each with whether it is a marker; none is empty."""
    parts: list[tuple[str, bool]] = []
    at = plain = 0
    longest_first = sorted(markers, key=len, reverse=True)
    while at < len(text):
        found = next((marker for marker in longest_first if text.startswith(marker, at)), "")
        if not found:
            at += 1
            continue
        if plain < at:
            parts.append((text[plain:at], False))
        parts.append((found, True))
        at = plain = at + len(found)
    if plain < at:
        parts.append((text[plain:at], False))
    return parts


_MISTRAL_ID: Final = "[A-Za-z0-9]{9}"

_HERMES: Final = ToolFormat(
    "hermes",
    body="object",
    text="around",
    call_begin="<tool_call>\n",
    call_end="\n</tool_call>",
    separator="\n",
    markers=("<tool_call>", "</tool_call>"),
)
_LLAMA3: Final = ToolFormat(
    "llama3",
    body="object",
    text="instead",
    separator="; ",
    arguments_keys=("parameters",),
    optional_begin="<|python_tag|>",
    markers=("<|python_tag|>",),
)
_MISTRAL_OLD: Final = ToolFormat(
    "mistral_old",
    body="object",
    text="before",
    section_begin="[TOOL_CALLS]",
    is_array=True,
    id_begin="id",
    id_pattern=_MISTRAL_ID,
    is_id_optional=True,
    markers=("[TOOL_CALLS]",),
)
_MISTRAL: Final = ToolFormat(
    "mistral",
    body="named",
    text="before",
    call_begin="[TOOL_CALLS]",
    name_end="[ARGS]",
    id_begin="[CALL_ID]",
    id_pattern=_MISTRAL_ID,
    is_id_optional=True,
    markers=("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"),
    thinking_end="[/THINK]",
)
_FUNCTIONARY_31: Final = ToolFormat(
    "functionary_v3.1",
    body="named",
    text="around",
    call_begin="<function=",
    name_end=">",
    call_end="</function>",
)
#: The prompt ends with ``>>>``, so the output begins with a name.
_FUNCTIONARY_32: Final = ToolFormat(
    "functionary_v3.2",
    body="named",
    text="block",
    separator=">>>",
    name_end="\n",
    text_begin="all\n",
    reserved=frozenset({"all"}),
)
#: The prompt ends with ``<|from|>assistant\n<|recipient|>``, so the output begins with a name.
_FUNCTIONARY_2: Final = ToolFormat(
    "functionary_v2",
    body="named",
    text="block",
    separator="\n<|from|>assistant\n<|recipient|>",
    name_end="\n<|content|>",
    text_begin="all\n<|content|>",
    reserved=frozenset({"all"}),
    markers=("<|from|>", "<|recipient|>", "<|content|>"),
)
_PHI4: Final = ToolFormat(
    "phi4",
    body="object",
    text="before",
    section_begin="<|tool_call|>",
    section_end="<|/tool_call|>",
    is_array=True,
    markers=("<|tool_call|>", "<|/tool_call|>"),
)
_DEEPSEEK: Final = ToolFormat(
    "deepseek",
    body="named",
    text="before",
    section_begin="<｜tool▁calls▁begin｜>",
    section_end="<｜tool▁calls▁end｜>",
    call_begin="<｜tool▁call▁begin｜>",
    name_end="<｜tool▁sep｜>",
    call_end="<｜tool▁call▁end｜>",
    markers=(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
    ),
)
_KIMI: Final = ToolFormat(
    "kimi",
    body="named",
    text="before",
    section_begin="<|tool_calls_section_begin|>",
    section_end="<|tool_calls_section_end|>",
    call_begin="<|tool_call_begin|>functions.",
    name_end="<|tool_call_argument_begin|>",
    call_end="<|tool_call_end|>",
    id_begin=":",
    id_pattern="0|[1-9][0-9]{0,5}",
    markers=(
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
    ),
)
_HARMONY: Final = ToolFormat(
    "harmony",
    body="harmony",
    text="message",
    markers=("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>", "<|return|>"),
)
_JSON: Final = ToolFormat(
    "json",
    body="object",
    text="instead",
    arguments_keys=("arguments", "parameters"),
    may_be_array=True,
)
_QWEN_XML: Final = ToolFormat(
    "qwen3_coder",
    body="parameters",
    text="around",
    call_begin="<tool_call>\n<function=",
    name_end=">\n",
    call_end="</function>\n</tool_call>",
    separator="\n",
    parameter_begin="<parameter=",
    parameter_middle=">\n",
    parameter_end="\n</parameter>\n",
    markers=("<tool_call>", "</tool_call>"),
)
_GLM: Final = ToolFormat(
    "glm",
    body="parameters",
    text="around",
    call_begin="<tool_call>",
    name_end="",
    call_end="</tool_call>",
    parameter_begin="<arg_key>",
    parameter_middle="</arg_key><arg_value>",
    parameter_end="</arg_value>",
    markers=("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
)
#: GLM 4.5 and 4.6; later ones leave the newlines out.
_GLM_45: Final = replace(
    _GLM,
    name="glm_4.5",
    name_end="\n",
    separator="\n",
    parameter_middle="</arg_key>\n<arg_value>",
    parameter_end="</arg_value>\n",
)

#: Name to format. Other names for the same format are listed too.
FORMATS: Final[dict[str, ToolFormat]] = {
    form.name: form
    for form in (
        _HERMES,
        _LLAMA3,
        _MISTRAL_OLD,
        _MISTRAL,
        _FUNCTIONARY_31,
        _FUNCTIONARY_32,
        _FUNCTIONARY_2,
        _PHI4,
        _DEEPSEEK,
        # DeepSeek R1 and V3 say what kind of tool it is, and put the arguments into a block of code.
        replace(
            _DEEPSEEK,
            name="deepseek_r1",
            call_begin="<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
            name_end="\n```json\n",
            call_end="\n```<｜tool▁call▁end｜>",
            separator="\n",
        ),
        _KIMI,
        _HARMONY,
        _JSON,
        _QWEN_XML,
        _GLM,
        _GLM_45,
    )
}
FORMATS["qwen"] = FORMATS["qwen3"] = _HERMES
FORMATS["gpt-oss"] = _HARMONY
FORMATS["functionary"] = _FUNCTIONARY_32

#: Body to where text may stand.
_TEXTS: Final = {
    "object": ("around", "before", "instead", "block"),
    "named": ("around", "before", "instead", "block"),
    "parameters": ("around", "before", "instead", "block"),
    "harmony": ("message",),
}


def format_of(given: object) -> ToolFormat:
    """The format of a name, or a format of one's own if it is one.

    Raises:
        PolicyError: there is no such format, or a field of it has no meaning.
        LimitError: a string of it is too long.
    """
    if isinstance(given, str) and given in FORMATS:
        return FORMATS[given]
    if not isinstance(given, ToolFormat):
        raise PolicyError(f"format is one of {', '.join(sorted(FORMATS))} or a ToolFormat, not {excerpt(given, 80)}")
    for one in fields(ToolFormat):
        _check_field(one.name, getattr(given, one.name), one.type)
    if given.text not in _TEXTS.get(given.body, ()):
        raise PolicyError(f"a format has no body {excerpt(given.body)} with text {excerpt(given.text)}")
    if given.text == "around" and given.section_begin:
        raise PolicyError("a format with text around its calls has no section_begin: text stands between calls too")
    return given


def _check_field(name: str, value: object, kind: object) -> None:
    if kind == "bool":
        if not isinstance(value, bool):
            raise PolicyError(f"{name} of a format is a boolean, not {excerpt(value)}")
        return
    if kind != "str" and not isinstance(value, frozenset if name == "reserved" else tuple):
        raise PolicyError(f"{name} of a format is a {kind}, not {excerpt(value)}")
    for string in (value,) if kind == "str" else value:  # type: ignore[attr-defined]
        check_mark(string, f"{name} of a format")

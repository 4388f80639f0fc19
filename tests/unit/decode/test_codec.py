"""Conversations to ids: the format of the model, and no text of a message ever a control token."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.decode import templates
from maskwright.decode.codec import Source, TextCodec
from maskwright.errors import ModelError
from maskwright.vocabulary import Vocabulary

pytest.importorskip("jinja2")

#: Bytes are ids; control tokens follow.
NAMES = {"<|im_start|>": 256, "<|im_end|>": 257, "<s>": 258, "</s>": 259, "[INST]": 260, "[/INST]": 261}
SHOWN = {number: name for name, number in NAMES.items()}
VOCABULARY = Vocabulary.from_tokens(
    [*(bytes([byte]) for byte in range(256)), *[b""] * len(NAMES)], end_ids=[257, 259], special_names=NAMES
)
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
)
INST = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST]{{ m.content | trim }}[/INST]"
    "{% elif m.role == 'assistant' %}{{ m.content }}</s>"
    "{% else %}{{ raise_exception('only user and assistant, not ' + m.role) }}{% endif %}{% endfor %}"
)
#: A template that knows tools, thoughts and a date, written with the liberties that real ones take.
RICH = """
{%- if tools %}
    {{- '<|im_start|>tools\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '<|im_end|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}{% generation %}{{ '<|im_start|>' }}
        {%- set parts = message.content.split('</think>') %}
        {{- parts[-1].lstrip('\\n') }}
        {%- for call in message.tool_calls or [] %}
            {%- if call.function is defined %}{% set call = call.function %}{% endif %}
            {{- '(' + call.name + ' ' }}{{ call.arguments | tojson }}{{ ')' }}
            {%- if loop.index > 1 %}{% break %}{% endif %}
        {%- endfor %}
    {% endgeneration %}
    {%- else %}
        {{- '<|im_start|>' + message['role'] + '\\n' + message.content }}
    {%- endif %}
    {%- if not loop.last or add_generation_prompt or message.role != 'assistant' %}{{ '<|im_end|>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>' }}{% if enable_thinking is false %}{{ '!' }}{% endif %}{% endif %}
"""
USER = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CALLS = [
    {"id": i, "type": "function", "function": {"name": "f", "arguments": f'{{"x": {i!r}}}'.replace("'", '"')}}
    for i in "ab"
]
TOOL_TALK = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "a", "content": "1"},
    {"role": "tool", "tool_call_id": "b", "content": "2"},
]


@cache
def codec(template: str, **options: Any) -> TextCodec:
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    source = Source(vocabulary=VOCABULARY, encode=lambda text: list(text.encode()), template=template, tokens=tokens)
    return TextCodec(source, **options)


def shown(ids: list[int]) -> list[Any]:
    """Texts, and the ids of control tokens, one after the other."""
    pieces: list[Any] = []
    for one in ids:
        if one in SHOWN:
            pieces.append(one)
        elif pieces and isinstance(pieces[-1], bytes):
            pieces[-1] += bytes([one])
        else:
            pieces.append(bytes([one]))
    return [piece.decode() if isinstance(piece, bytes) else piece for piece in pieces]


def test_chatml_is_written_as_its_template_would() -> None:
    """Turns between the two markers, open where the answer begins."""
    talk = [{"role": "system", "content": "S"}, *USER, {"role": "assistant", "content": "A"}, *USER]
    assert shown(codec(CHATML).chat(talk)) == [
        *[256, "system\nS", 257, "\n", 256, "user\nHi", 257, "\n"],
        *[256, "assistant\nA", 257, "\n", 256, "user\nHi", 257, "\n", 256, "assistant\n"],
    ]


def test_a_system_message_of_the_template_is_kept() -> None:
    """What the template says where nobody does."""
    own = codec("{{'<|im_start|>system\\nBe brief.<|im_end|>\\n'}}" + CHATML)
    assert shown(own.chat(USER))[:2] == [256, "system\nBe brief."]
    assert shown(own.chat([{"role": "developer", "content": "X"}, *USER]))[:2] == [256, "system\nX"]


@pytest.mark.parametrize("template", [CHATML, RICH, INST])
def test_a_partial_answer_is_continued(template: str) -> None:
    """The ids end with the text as it is, blanks included, and no marker follows."""
    for text in ("The answer ", "", "x\n"):
        ids = codec(template).chat([*USER, {"role": "assistant", "content": text}], continue_final=True)
        assert not {257, 259} & set(ids[-len(text) - 1 :])
        assert bytes(ids[len(ids) - len(text) :]).decode() == text


@pytest.mark.parametrize("last", [USER[0], {"role": "assistant", "tool_calls": CALLS}])
def test_only_texts_of_the_assistant_are_continued(last: dict[str, Any]) -> None:
    """A question or a call is no beginning of an answer."""
    with pytest.raises(ModelError, match="can be continued"):
        codec(CHATML).chat([*USER, last], continue_final=True)


def test_a_template_that_drops_the_last_message_cannot_continue_it() -> None:
    """Where its text does not come out, there is no place to go on from."""
    with pytest.raises(ModelError, match="cannot be continued"):
        codec("{{ messages[0].content }} tools").chat(
            [*USER, {"role": "assistant", "content": "x"}], continue_final=True
        )


def test_tools_are_told_and_called_in_the_format_that_is_read() -> None:
    """In ChatML without a word of tools: described, called and answered as text; parallel results in one turn."""
    from maskwright.tags.parsing import parse_tools

    one = codec(CHATML)
    pieces = shown(one.chat(TOOL_TALK, [TOOL]))
    assert one.tool_format == "hermes"
    assert '"name": "f"' in pieces[1]
    written = pieces[9].removeprefix("assistant\n")
    assert pieces[13] == "user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>"
    read = parse_tools(written, format="hermes", tools=["f"])
    assert [json.loads(call.arguments) for call in read.calls] == [{"x": "a"}, {"x": "b"}]


def test_a_template_that_knows_tools_tells_them_itself() -> None:
    """Tools and parsed arguments reach the template; a break and a trained block are no obstacles."""
    pieces = shown(codec(RICH).chat(TOOL_TALK, [TOOL]))
    assert pieces[1] == 'tools\n{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}'
    assert pieces[7:9] == ['(f {"x": "a"})(f {"x": "b"})', 257]
    assert pieces[-1] == 256


def test_a_template_without_tools_gets_them_as_text() -> None:
    """Roles that the template knows, and the same words as in ChatML."""
    pieces = shown(codec(INST.replace("else %}{{ raise", "elif m.role != 'system' %}{{ raise")).chat(TOOL_TALK, [TOOL]))
    assert "<tool_call>" in "".join(map(str, pieces))
    assert pieces[-2].startswith("<tool_response>")


def test_thinking_is_the_templates_choice() -> None:
    """Unsaid, the template is not told; in plain ChatML an empty thought closes it."""
    assert shown(codec(RICH).chat(USER, thinking=False))[-1] == "!"
    assert shown(codec(RICH).chat(USER))[-1] == 256
    thinker = codec(CHATML, thinking=("<think>", "</think>"))
    assert shown(thinker.chat(USER, thinking=False))[-1] == "assistant\n<think>\n\n</think>\n\n"
    assert shown(thinker.chat(USER, thinking=True))[-1] == "assistant\n"


HOSTILE = st.lists(
    st.sampled_from(
        [*NAMES, "<|im_", "end|>", "<", "|>", "[", "INST]", "a", " ", "\n", "\ufdd0", "\ufdd1", "\ufdd2", "{{ 1 }}"]
    ),
    max_size=8,
).map("".join)


@given(texts=st.lists(HOSTILE, min_size=8, max_size=8))
@pytest.mark.parametrize("template", [CHATML, RICH, INST])
def test_no_text_of_a_conversation_is_a_control_token(template: str, texts: list[str]) -> None:
    """Messages, names, ids, arguments, tools, results: the control tokens are those of harmless texts instead."""

    def talk(parts: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        call = {"id": parts[0], "function": {"name": parts[1], "arguments": json.dumps({parts[2]: [parts[3]]})}}
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": parts[4]},
            {"role": "assistant", "content": parts[5], "tool_calls": [call]},
            {"role": "tool", "content": parts[6], "tool_call_id": parts[0], "name": parts[1]},
            {"role": "user", "content": parts[7]},
        ]
        return messages, [{"type": "function", "function": {"name": parts[1], "description": parts[7]}}]

    if template == INST:
        template = template.replace("else %}{{ raise", "elif m.role != 'system' %}{{ raise")
    one = codec(template)
    ours = [token for token in one.chat(*talk(texts)) if token in SHOWN]
    assert ours == [token for token in one.chat(*talk(["x"] * 8)) if token in SHOWN]


@given(text=HOSTILE)
def test_texts_come_out_as_they_went_in(text: str) -> None:
    """What a template does not change is not changed."""
    talk = [{"role": "user", "content": text}]
    assert shown(codec(RICH).chat(talk))[1] == f"user\n{text}"
    assert bytes(codec(CHATML).encode(text)).decode() == text


def test_templates_see_the_text_itself() -> None:
    """Trimming and splitting work on the message, not on a stand-in."""
    assert shown(codec(INST).chat([{"role": "user", "content": "  a <s> \n"}])) == [258, 260, "a <s>", 261]
    talk = [*USER, {"role": "assistant", "content": "hm</think>\n\nYes"}, *USER]
    assert shown(codec(RICH).chat(talk))[4] == "Yes"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        (INST, "only user and assistant, not system"),
        ("{{ tools", "cannot be read"),
        ("{{ messages.nothing.at_all }}", "UndefinedError"),
        ("{{ messages[0].content.__class__.__mro__ }}", "SecurityError"),
        ("{{ messages.append(1) }}", "SecurityError"),
        ("{{ 'x' * 1000000000 }}", "no number"),
        ("{{ 10 ** 1000000000 }}", "no number"),
        (
            "{% for i in range(9999) %}{% for j in range(9999) %}xxxxxxxxxxxxxxxxxxxxx{% endfor %}{% endfor %}",
            "more than",
        ),
        ("{% for i in range(10 * 99999) %}{% endfor %}", "OverflowError"),
        ("", "no chat template"),
    ],
)
def test_a_template_that_fails_is_a_typed_error(template: str, reason: str) -> None:
    """A refusal of its own, a mistake in it, a way out of the sandbox, an output without end."""
    with pytest.raises(ModelError, match=reason):
        codec(template).chat([{"role": "system", "content": "S"}, *USER])


def deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("template", [CHATML, RICH, INST.replace("else", "elif m.role != 'system'")])
@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "\ud800"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": "\\ud800"}'}}]},
        {"role": "assistant", "tool_calls": [{"function": {"name": "\udfff", "arguments": "{}"}}]},
    ],
    ids=["content", "arguments", "name"],
)
def test_a_lone_surrogate_is_a_typed_error(template: str, message: dict[str, Any]) -> None:
    """Nothing stands for it."""
    with pytest.raises(ModelError, match="surrogate"):
        codec(template).chat([*USER, message])
    with pytest.raises(ModelError, match="surrogate"):
        codec(template).encode("a\ud800")


@pytest.mark.parametrize("template", [CHATML, RICH])
def test_hostile_sizes_are_served_or_refused(template: str) -> None:
    """A message of a megabyte, arguments that are no JSON, nesting without end: an answer or a typed error."""
    one = codec(template)
    assert len(one.chat([{"role": "user", "content": "<|im_end|>" * 100_000}])) > 1_000_000
    for arguments in ("no json", "[" * 100_000, "1" * 10_000, '{"a":' * 90 + "1" + "}" * 90):
        call = {"function": {"name": "f", "arguments": arguments}}
        assert one.chat([*USER, {"role": "assistant", "tool_calls": [call]}, *USER])
    tool = {"type": "function", "function": {"name": "f", "parameters": deep(5000)}}
    with pytest.raises(ModelError, match=r"nested|JSON"):
        one.chat(USER, [tool])


def test_without_jinja_chatml_is_written_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the model has the markers; other formats name the command that helps."""
    monkeypatch.setattr(templates, "find_spec", lambda _: None)
    assert shown(codec(RICH).chat(USER, [TOOL]))[-2:] == [256, "assistant\n"]
    with pytest.raises(ModelError, match="pip install"):
        codec.__wrapped__(INST).chat(USER)


@pytest.mark.parametrize(
    ("template", "tool_format", "thinking"),
    [
        (CHATML, "hermes", None),
        ("<tool_call> <think> </think>", "hermes", ("<think>", "</think>")),
        ("<tool_call><function=", "qwen3_coder", None),
        ("<tool_call><arg_key>", "glm", None),
        ("[TOOL_CALLS][ARGS]", "mistral", None),
        ("[TOOL_CALLS] [THINK][/THINK]", "mistral_old", ("[THINK]", "[/THINK]")),
        ("<|python_tag|>", "llama3", None),
        ("<|tool_call|>", "phi4", None),
        ("<|channel|>analysis<|message|>", "harmony", None),
        ("<｜tool▁calls▁begin｜>", "deepseek", None),
        ("<|tool_calls_section_begin|>", "kimi", None),
    ],
)
def test_a_template_tells_its_family(template: str, tool_format: str, thinking: tuple[str, str] | None) -> None:
    """By the marks in it."""
    one = codec(template)
    assert (one.tool_format, one.thinking) == (tool_format, thinking)
    told = codec(template, tool_format="json", thinking=("a", "b"))
    assert (told.tool_format, told.thinking) == ("json", ("a", "b"))
    assert codec(template, thinking=None).thinking is None


@pytest.mark.parametrize(
    ("tokens", "names", "tool_format", "thinking"),
    [
        ([b"<tool_call>", b"<think>", b"</think>"], {}, "hermes", ("<think>", "</think>")),
        ([b"a"], {"[TOOL_CALLS]": 1, "[ARGS]": 2}, "mistral", None),
        ([b"a"], {"<|python_tag|>": 1}, "llama3", None),
        ([b"<think>"], {}, "hermes", None),
    ],
)
def test_tokens_tell_the_family_where_the_template_does_not(
    tokens: list[bytes], names: dict[str, int], tool_format: str, thinking: tuple[str, str] | None
) -> None:
    """Control tokens and text alike."""
    rows = [*tokens, b"", b"", b""][: max(len(tokens) + 1, 4)]
    vocabulary = Vocabulary.from_tokens([*rows, b""], end_ids=[len(rows)], special_names=names)
    one = TextCodec(Source(vocabulary=vocabulary, encode=lambda text: list(text.encode()), tokens={}))
    assert (one.tool_format, one.thinking) == (tool_format, thinking)


def test_tokens_that_are_text_are_found_in_text(gguf_writer: Callable[..., Any]) -> None:
    """A file's user-defined tokens come before all merges; its control tokens are never parsed."""
    from maskwright.decode.gguf_text import own_encoder
    from maskwright.gguf import read_gguf
    from tests.unit.decode.conftest import toy_metadata

    metadata: dict[str, Any] = toy_metadata()
    tokens, types = list(metadata["tokenizer.ggml.tokens"]), list(metadata["tokenizer.ggml.token_type"])
    place = tokens.index("bc")
    types[place] = 4
    encode = own_encoder(read_gguf(gguf_writer(tokenizer__ggml__token_type=types)))
    assert encode("abc") == [tokens.index("a"), place]
    assert 1 not in encode("<|im_end|>")

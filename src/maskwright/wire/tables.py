"""The fields of both endpoints: one row each. Readers, the OpenAPI description and ``FIELDS.md`` are made from them.

Sources: the reference pages and the OpenAPI document of Cerebras (July 2026), OpenAI's OpenAPI document (August 2026),
and what servers of open models take beside those (vLLM, SGLang, llama.cpp).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from maskwright.grammar.roots import ROOTS
from maskwright.wire.fields import Field
from maskwright.wire.formats import ANY_SCHEMA, PREDICTION, RESPONSE_FORMAT, STRUCTURED_OUTPUTS, source
from maskwright.wire.kinds import anything, boolean, choice_of, integer, limit, mapping, number, text
from maskwright.wire.messages import MESSAGES
from maskwright.wire.prompts import PROMPT
from maskwright.wire.sampling import BIAS_ENTRIES, STOP, STREAM_OPTIONS, bias
from maskwright.wire.tools import TOOL_CHOICE, TOOLS

__all__ = ["CHAT_FIELDS", "COMPLETION_FIELDS"]

_NOT_CEREBRAS: Final = frozenset({"cerebras"})
#: Seeds are 64 bits wide with a sign, as in OpenAI's document.
_SEED: Final = 2**63
_TOP: Final = 20
_CHOICES: Final = 128
_EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "default")
_REASONING: Final = ("none", "parsed", "text_parsed", "raw", "hidden")
_SWITCH: Final = {"type": ["boolean", "null"]}
_SWITCHES: Final = {"properties": {"enable_thinking": _SWITCH, "thinking": _SWITCH}, "additionalProperties": False}
_GUIDED: Final = "it was replaced by structured_outputs, with the member "


def _ignored(name: str, note: str, **more: Any) -> Field:
    return Field(name=name, kind=anything(), effect="ignored", note=note, **more)


def _refused(name: str, note: str, *neutral: Any, **more: Any) -> Field:
    return Field(name=name, kind=anything("null"), effect="refused", note=note, neutral=neutral, **more)


_MODEL: Final = Field(name="model", kind=text(1), is_required=True, note="The name of a model that is served.")

#: Drawing tokens and ending, on both endpoints.
_DRAWING: Final = (
    Field(name="temperature", kind=number(0, 2), default=1.0, note="0 takes the likeliest token."),
    Field(name="top_p", kind=number(0, 1), default=1.0, note="Applied after the mask. 0 takes the likeliest token."),
    Field(name="seed", kind=integer(-_SEED, _SEED - 1), note="The same seed and fields give the same output."),
    Field(name="stop", kind=STOP, default=(), note="The output ends before the first of them."),
    Field(name="frequency_penalty", kind=number(-2, 2), default=0.0, note="Applied before the mask."),
    Field(name="presence_penalty", kind=number(-2, 2), default=0.0, note="Applied before the mask."),
    Field(
        name="logit_bias",
        kind=bias(max(BIAS_ENTRIES.values())),
        default=MappingProxyType({}),
        note="Added to the logits before the mask, so no bias breaks a constraint. At most 1,024 entries (`--compat "
        "openai`: 300, `cerebras`: 100).",
    ),
    Field(
        name="n",
        kind=integer(1, _CHOICES),
        default=1,
        note="Answers to each prompt, with one reading of it. One "
        "request has 128 answers at most, all prompts together, and no more than may wait (`--queue`).",
    ),
    Field(name="stream", kind=boolean(), default=False, note="Server-sent events, ended by `[DONE]`."),
    Field(
        name="stream_options",
        kind=STREAM_OPTIONS,
        default=False,
        note="`include_usage`: one more chunk, without choices. The other two are accepted and have no effect, as all "
        "have none without `stream`.",
    ),
    Field(
        name="reasoning_format",
        kind=choice_of(*_REASONING),
        default="none",
        note="Where the thinking of a model goes: `parsed`, `text_parsed`: into `reasoning`; `raw`: before the answer; "
        "`hidden`: nowhere; `none`: as `parsed`. With a constraint `raw` is `hidden`.",
    ),
    Field(
        name="return_token_ids",
        kind=boolean(),
        default=False,
        note="As vLLM's: `choices[].token_ids` and `prompt_token_ids`.",
    ),
)

#: Constraints beside ``response_format``; each request has at most one.
_CONSTRAINTS: Final = (
    Field(
        name="grammar_root",
        kind=choice_of(*ROOTS),
        note="A grammar of ours for each public name (`grammars/json.lark`). `insidevalue` goes on with the value that "
        "the prompt has left open. On chat an extension.",
    ),
    Field(
        name="structured_outputs",
        kind=STRUCTURED_OUTPUTS,
        note="vLLM's constraint. `disable_any_whitespace` and `disable_additional_properties` are honoured; "
        "`disable_fallback` is accepted, there is none. A grammar is Lark, or EBNF with `::=`.",
    ),
    Field(name="grammar", kind=source("gbnf", "GBNF text", 'root ::= "a" | "b"'), note="llama.cpp's."),
    Field(name="json_schema", kind=ANY_SCHEMA, note="llama.cpp's: a schema alone."),
    Field(name="regex", kind=source("regex", "pattern", "[0-9]{1,9}"), note="SGLang's."),
    Field(name="ebnf", kind=source("ebnf", "EBNF text", 'root ::= "a" | "b"'), note="SGLang's."),
    _refused("guided_json", _GUIDED + "json"),
    _refused("guided_regex", _GUIDED + "regex"),
    _refused("guided_choice", _GUIDED + "choice"),
    _refused("guided_grammar", _GUIDED + "grammar"),
    _refused("guided_json_object", _GUIDED + "json_object", False),
    _refused("guided_whitespace_pattern", "blanks are bounded here; see structured_outputs.disable_any_whitespace"),
    _ignored("guided_decoding_backend", "There is one engine."),
)

#: What has no effect or cannot have any, on both endpoints.
_OTHERS: Final = (
    Field(name="user", kind=text(), effect="ignored", note="Nobody is watched."),
    _ignored("safety_identifier", "Nobody is watched.", unknown_to=_NOT_CEREBRAS),
    Field(
        name="prompt_cache_key",
        kind=text(),
        effect="ignored",
        note="Prompts that begin alike share their cache, whatever the key.",
    ),
    _ignored("prompt_cache_retention", "The cache keeps what fits, the latest longest.", unknown_to=_NOT_CEREBRAS),
    _ignored("cache_prompt", "Prompts that begin alike always share their cache."),
    _ignored("metadata", "Nothing is stored.", unknown_to=_NOT_CEREBRAS),
    _refused("stop_sequence", "use stop"),
    _refused("extra_body", "its members go beside the other fields; clients put them there themselves"),
    _refused("top_k", "use top_p", 0, -1),
    _refused("min_p", "use top_p", 0),
    _refused("typical_p", "use top_p", 1),
    _refused("repetition_penalty", "use frequency_penalty or presence_penalty", 1),
    _refused("repeat_penalty", "use frequency_penalty or presence_penalty", 1),
    _refused("length_penalty", "there is no beam search", 1),
    _refused("use_beam_search", "use best_of", False),
    _refused("ignore_eos", "use min_tokens", False),
    _refused("stop_token_ids", "use stop", []),
    _refused("include_stop_str_in_output", "the stop text is never part of the output", False),
    _refused("bad_words", "use logit_bias", []),
    _refused("allowed_token_ids", "use a constraint: structured_outputs.choice or regex"),
    _refused("skip_special_tokens", "control tokens are never text", True),
    _refused("spaces_between_special_tokens", "control tokens are never text", True, False),
    _refused("prompt_logprobs", "use echo with logprobs on /v1/completions", 0),
    _refused("truncate_prompt_tokens", "a prompt that is too long is refused"),
    _refused("n_predict", "use max_tokens", -1),
    _refused("n_probs", "use logprobs", 0),
)

COMPLETION_FIELDS: Final[tuple[Field, ...]] = (
    _MODEL,
    Field(
        name="prompt",
        kind=PROMPT,
        default=("",),
        note="Several prompts give `n` choices each, in "
        "their order. One without tokens is refused: an empty text, where the model begins with none of its own.",
    ),
    Field(
        name="max_tokens",
        kind=limit(0),
        note="Without it, and where it is more: what the context holds. 0 with `echo` only scores.",
    ),
    Field(
        name="min_tokens",
        kind=integer(-1),
        default=0,
        note="-1: as many as `max_tokens` or the context. An output that its constraint has completed ends before.",
    ),
    *_DRAWING,
    Field(
        name="logprobs",
        kind=integer(0, _TOP),
        note="0: the written token alone. Up to `logprobs` + 1 entries, since the written one is always among them. "
        "They are the model's own, after penalties and bias, before mask and temperature.",
    ),
    Field(name="echo", kind=boolean(), default=False, note="With `logprobs` the prompt is scored too."),
    Field(
        name="best_of",
        kind=integer(1, _CHOICES),
        note="At least `n`; the `n` with the highest mean logarithm are given. More than `n` cannot be streamed.",
    ),
    Field(name="return_raw_tokens", kind=boolean(), default=False, note="`choices[].tokens`; `text` is null then."),
    _refused("suffix", "nothing is inserted into a text", ""),
    Field(name="response_format", kind=RESPONSE_FORMAT, note="An extension (vLLM's) of this endpoint."),
    *_CONSTRAINTS,
    _refused("add_special_tokens", "token ids say exactly what the model reads", True),
    *_OTHERS,
)

_CHAT_LENGTHS: Final = (
    Field(
        name="max_completion_tokens",
        kind=limit(1),
        note="Without it, and where it is more: what the context holds. Thinking counts.",
    ),
    Field(name="max_tokens", kind=limit(1), note="The older name; if both are given they must agree."),
    Field(
        name="min_completion_tokens",
        kind=integer(-1),
        note="-1: as many as `max_tokens` or the context. An output that its constraint has completed ends before.",
    ),
    Field(name="min_tokens", kind=integer(-1), note="The same; if both are given they must agree."),
)
_CALLING: Final = (
    Field(
        name="tools",
        kind=TOOLS,
        default=(),
        note="Arguments always meet their schema, unless the tool says `strict: false`: then they are any object. "
        "Under `cerebras` all tools are strict or none.",
    ),
    Field(
        name="tool_choice",
        kind=TOOL_CHOICE,
        default="auto",
        note="`required` and a function are enforced: there is a call. Needs `tools`.",
    ),
    Field(name="parallel_tool_calls", kind=boolean(), default=True, note="False: the answer ends with its first call."),
    _refused("functions", "use tools", []),
    _refused("function_call", "use tool_choice", "none", "auto"),
)
_THINKING: Final = (
    Field(
        name="reasoning_effort",
        kind=choice_of(*_EFFORTS),
        note="`none` switches thinking off, anything else on, where a model can think. How much it thinks is its own.",
    ),
    Field(name="disable_reasoning", kind=boolean(), default=False, note="True switches thinking off."),
    Field(name="clear_thinking", kind=boolean(), note="True: reasoning in earlier messages is not shown to the model."),
    _refused("reasoning", "use reasoning_effort", {}),
    Field(
        name="chat_template_kwargs",
        kind=mapping("object with `enable_thinking`", _SWITCHES),
        note="`enable_thinking` (or `thinking`) switches thinking on and off; anything else is refused.",
    ),
)
_CHAT_ONLY: Final = (
    Field(
        name="prediction",
        kind=PREDICTION,
        note="Its tokens are checked several at a time; `usage` tells how many were accepted and rejected.",
    ),
    Field(
        name="continue_final_message",
        kind=boolean(),
        note="Whether the answer goes on with a last message of the assistant. Null: it does (as llama.cpp's server). "
        "That message may say `prefix` itself, as Mistral's. A constraint holds for the new text alone "
        "(but see `grammar_root`).",
    ),
    Field(
        name="add_generation_prompt",
        kind=boolean(),
        note="False goes with `continue_final_message` only; true not with it.",
    ),
    Field(
        name="service_tier",
        kind=choice_of("auto", "default", "flex", "priority", "scale"),
        effect="ignored",
        note="There is one tier; answers say `default`.",
    ),
    _refused("model_parameters", "no model here has any", {}),
    _ignored("store", "Nothing is stored.", unknown_to=_NOT_CEREBRAS),
    _refused("modalities", "models here write text", ["text"], unknown_to=_NOT_CEREBRAS),
    _refused("audio", "models here write text", unknown_to=_NOT_CEREBRAS),
    _refused("verbosity", "say it in the messages", "medium", unknown_to=_NOT_CEREBRAS),
    _refused("web_search_options", "nothing is searched", unknown_to=_NOT_CEREBRAS),
    _refused("moderation", "nothing is moderated", unknown_to=_NOT_CEREBRAS),
    _refused("chat_template", "the template is the model's"),
    _refused("documents", "put them into messages", []),
    _refused("best_of", "use n", 1),
    _refused("echo", "the prompt of a chat is not shown", False),
    _refused("suffix", "nothing is inserted into a text", ""),
)

CHAT_FIELDS: Final[tuple[Field, ...]] = (
    _MODEL,
    Field(
        name="messages",
        kind=MESSAGES,
        is_required=True,
        note="Roles system, developer, user, assistant, tool. Images, audio and files are refused. Under `cerebras` "
        "and `openai` each call is answered by the messages right behind it, and nothing else is.",
    ),
    *_CHAT_LENGTHS,
    *_DRAWING,
    Field(
        name="logprobs",
        kind=boolean(),
        default=False,
        note="The model's own, after penalties and bias, before mask and temperature.",
    ),
    Field(name="top_logprobs", kind=integer(0, _TOP), note="More than 0 needs `logprobs`."),
    *_CALLING,
    Field(
        name="response_format",
        kind=RESPONSE_FORMAT,
        note="Always enforced, strict or not. `strict` decides whether the schema is checked against the rules of the "
        "API that the server was told to be like. `json_object` may have a `schema` (llama.cpp's).",
    ),
    *_CONSTRAINTS,
    *_THINKING,
    *_CHAT_ONLY,
    *_OTHERS,
)

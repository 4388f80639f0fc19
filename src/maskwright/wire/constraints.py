"""What a request's output must be, as one constraint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from maskwright.constraint import Constraint, choice, json_schema, regex
from maskwright.errors import MaskwrightError, label
from maskwright.grammar.roots import CALLS
from maskwright.limits import Limits
from maskwright.notations import ebnf, gbnf, lark
from maskwright.tags.response import response_format
from maskwright.tags.roots import grammar_root
from maskwright.tags.structural import structural_tag
from maskwright.tags.thoughts import thinking as think
from maskwright.tags.tools import tools
from maskwright.wire.alternatives import calls_or
from maskwright.wire.chat import ChatRequest
from maskwright.wire.completions import CompletionRequest
from maskwright.wire.faults import fault_of
from maskwright.wire.generation import Asked
from maskwright.wire.refusals import invalid
from maskwright.wire.strict import check_strict

__all__ = ["constraint_key", "constraint_of"]


#: JSON is written with the escapes that it demands alone: SmolLM2 spelled whole words as ``\\u0065...``, all valid.
_ESCAPES: Final = "minimal"


class _Options(NamedTuple):
    limits: Limits
    whitespace: str
    #: What the output goes on with.
    prompt: str
    tools: tuple[Mapping[str, Any], ...] | None
    parallel: bool


def constraint_of(
    request: CompletionRequest | ChatRequest,
    limits: Limits,
    *,
    tool_format: str = "hermes",
    strict_dialect: str | None = None,
    thinking: tuple[str, str] | None = None,
    prompt: str | None = None,
    whitespace: str = "flexible",
) -> Constraint | None:
    """The constraint that a request asks for; None for free text.

    With tools it is that of the calls, with a ``response_format`` beside them as the other way to answer. What a last
    message of the assistant has begun is no part of the output, so no constraint reads it but ``insidevalue``.

    Args:
        request: What was read.
        limits: Caps on sizes, depths and times.
        tool_format: A name of :data:`maskwright.tags.formats.FORMATS`: how the model writes calls.
        strict_dialect: ``"openai"`` or ``"cerebras"``: refuse what those refuse in schemas with ``"strict": true``.
        thinking: The marks that begin and end the thinking before the answer. An empty first mark: the prompt has begun
            it already. None: the model does not think. Ignored where the request says that it is not to.
        prompt: For the root ``insidevalue``: the text that the output goes on with, by default the request's own.
        whitespace: The policy of :func:`maskwright.json_schema`.

    Raises:
        RequestError: the constraint cannot be used; ``param`` is the field, with a JSON pointer where one is known.
    """
    marks = None if thinking is None or request_thinks(request) is False else (thinking[1], thinking[0])
    given = request.tools if isinstance(request, ChatRequest) else ()
    parallel = not isinstance(request, ChatRequest) or request.parallel_tool_calls
    options = _Options(
        limits, whitespace, _begun(request) if prompt is None else prompt, given or None, parallel=parallel
    )
    if strict_dialect is not None:
        _check_strict(request, strict_dialect, limits)
    asked = request.asked
    answer = None if asked is None else _told(asked.param, lambda: _MAKERS[asked.kind](asked, options))
    if isinstance(request, ChatRequest) and request.tools and not (asked and asked.kind == "grammar_root"):
        answer = _with_tools(request, answer, tool_format, options)
    if answer is None or marks is None:
        return answer
    made = answer
    return _told(asked.param if asked else "tools", lambda: think(made, end=marks[0], begin=marks[1]))


def request_thinks(request: CompletionRequest | ChatRequest) -> bool | None:
    """What a request says of thinking."""
    return request.thinks if isinstance(request, ChatRequest) else None


def _begun(request: CompletionRequest | ChatRequest) -> str:
    """The text that the output goes on with, as far as a request tells it."""
    if isinstance(request, ChatRequest):
        return (request.messages[-1].content or "") if request.continue_final else ""
    first = request.prompts[0]
    if not isinstance(first, str):
        return ""
    return first


def _told(param: str, make: Callable[[], Constraint]) -> Constraint:
    try:
        return make()
    except MaskwrightError as error:
        raise fault_of(error, param=param) from error


def _with_tools(request: ChatRequest, answer: Constraint | None, form: str, options: _Options) -> Constraint:
    chosen = request.tool_choice
    if answer is not None and chosen == "none":
        return answer
    mode = "required" if answer is not None and chosen == "auto" else chosen
    calls = _told(
        "tools",
        lambda: tools(
            request.tools,
            choice=mode,
            parallel=options.parallel,
            format=form,
            limits=options.limits,
            whitespace=options.whitespace,
            escapes=_ESCAPES,
        ),
    )
    if answer is None or mode == chosen:
        return calls
    other = answer
    return _told("response_format", lambda: calls_or(calls, other))


# ---- one maker for each kind ---------------------------------------------------------------------------------------

#: A rule of EBNF: what Lark writes has no ``::=``, which is how vLLM tells the two apart.
_EBNF_RULE: Final = re.compile(r"^\s*[\w.-]+\s*::=", re.MULTILINE)


def _policies(asked: Asked, options: _Options) -> dict[str, Any]:
    return {"whitespace": options.whitespace, "escapes": _ESCAPES, **asked.policies, "limits": options.limits}


def _of_format(asked: Asked, options: _Options) -> Constraint:
    return response_format(asked.source, **_policies(asked, options))


def _of_schema(asked: Asked, options: _Options) -> Constraint:
    return json_schema(asked.source, **_policies(asked, options))


def _of_object(asked: Asked, options: _Options) -> Constraint:
    return json_schema({"type": "object"}, **_policies(asked, options))


def _of_tag(asked: Asked, options: _Options) -> Constraint:
    return structural_tag(asked.source, **_policies(asked, options))


def _of_text(make: Callable[..., Constraint], asked: Asked, options: _Options) -> Constraint:
    return make(asked.source, limits=options.limits)


def _of_grammar(asked: Asked, options: _Options) -> Constraint:
    return (ebnf if _EBNF_RULE.search(asked.source) else lark)(asked.source, limits=options.limits)


def _of_root(asked: Asked, options: _Options) -> Constraint:
    name = asked.source
    if options.tools is not None and name not in CALLS:
        raise invalid("grammar_root", f"the root {name} makes no calls; it does not go with tools")
    return grammar_root(
        name,
        prompt=options.prompt if name == "insidevalue" else None,
        tools=options.tools,
        parallel=options.parallel,
        limits=options.limits,
    )


_MAKERS: Final[dict[str, Callable[[Asked, _Options], Constraint]]] = {
    "response_format": _of_format,
    "json": _of_schema,
    "json_object": _of_object,
    "structural_tag": _of_tag,
    "regex": partial(_of_text, regex),
    "choice": partial(_of_text, choice),
    "gbnf": partial(_of_text, gbnf),
    "ebnf": partial(_of_text, ebnf),
    "grammar": _of_grammar,
    "grammar_root": _of_root,
}


# ---- strict schemas ------------------------------------------------------------------------------------------------


def _check_strict(request: CompletionRequest | ChatRequest, dialect: str, limits: Limits) -> None:
    """Refuse what a provider's strict mode would. Raises ``RequestError``."""
    asked = request.asked
    if asked is not None and asked.kind == "response_format" and asked.source["type"] == "json_schema":
        # Beside the type, as in OpenAI's Responses interface, or in a field of its own.
        inside = "json_schema" in asked.source
        inner = asked.source["json_schema"] if inside else asked.source
        if isinstance(inner, Mapping) and inner.get("strict") is True and "schema" in inner:
            at = "response_format.json_schema.schema" if inside else "response_format.schema"
            what = f"response_format '{label(inner.get('name'))}'"
            _strict(inner["schema"], dialect, limits, what=what, param=at, code="invalid_json_schema")
    for i, tool in enumerate(request.tools if isinstance(request, ChatRequest) else ()):
        function = tool["function"]
        if function.get("strict") is True:
            at = f"tools[{i}].function.parameters"
            schema = function.get("parameters", {"type": "object", "properties": {}, "additionalProperties": False})
            code, what = "invalid_function_parameters", f"function '{function['name']}'"
            _strict(schema, dialect, limits, what=what, param=at, code=code)


def _strict(schema: Any, dialect: str, limits: Limits, *, what: str, param: str, code: str) -> None:
    try:
        check_strict(schema, dialect, what=what, param=param, code=code, limits=limits)
    except MaskwrightError as error:
        raise fault_of(error, param=param) from error


# ---- keys ----------------------------------------------------------------------------------------------------------


def constraint_key(request: CompletionRequest | ChatRequest, *, prompt: str | None = None) -> str | None:
    """A text that is the same for requests with the same constraint, for caches; None for free text.

    It does not tell the other arguments of :func:`constraint_of`, which are the same for all requests to a model.
    """
    asked = request.asked
    listed = request.tools if isinstance(request, ChatRequest) else ()
    if asked is None and not listed:
        return None
    made: list[Any] = [request_thinks(request)]
    if asked is not None:
        begun = asked.source == "insidevalue" and (_begun(request) if prompt is None else prompt)
        made += [asked.kind, asked.source, dict(asked.policies), begun]
    if isinstance(request, ChatRequest) and listed:
        made += [listed, request.tool_choice, request.parallel_tool_calls]
    return json.dumps(made)

"""``POST /v1/chat/completions``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from starlette.requests import Request
from starlette.types import ASGIApp

from maskwright.errors import ModelError, RequestError
from maskwright.guide import Guide
from maskwright.server.answering import Answering
from maskwright.server.delivery import deliver
from maskwright.server.orders import jobs_of
from maskwright.server.service import Service
from maskwright.server.streams import attended
from maskwright.server.turns import ChatChoice, Parser
from maskwright.tags.formats import Reading
from maskwright.tags.parsing import ToolParser, parser_of
from maskwright.wire.answers import chat_chunk, chat_completion
from maskwright.wire.chat import ChatRequest, read_chat
from maskwright.wire.constraints import constraint_key, constraint_of

__all__ = ["Chat"]

#: Ids at the end of a prompt among which the mark that begins thinking is looked for.
_TAIL: Final = 16
#: There is one tier of service.
_TIER: Final = "default"


@dataclass(frozen=True)
class _Order:
    """A request that was read."""

    asked: ChatRequest
    prompt: tuple[int, ...]
    prediction: tuple[int, ...]
    #: The marks of the thinking before the answer, the first empty where the prompt has begun it.
    thinking: tuple[str, str] | None
    #: The text that stands for the constraint; None for free text.
    key: str | None


class Chat:
    """The endpoint."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def answer(self, request: Request) -> ASGIApp:
        """Answer one request.

        Raises :class:`maskwright.errors.RequestError` for what is refused before the first event of a stream.
        """
        order = await self._service.read(request, self._read)
        guide = await attended(request.receive, self._guide(order))
        answering = await self._submit(order, guide)
        return await deliver(
            request,
            self._service,
            order.asked,
            answering,
            whole=lambda: self._whole(order, answering),
            chunks=lambda: self._chunks(order.asked, answering),
        )

    # From a request to jobs ------------------------------------------------------------------------------------------

    def _read(self, data: dict[str, Any]) -> _Order:
        """What is asked, and the conversation as ids."""
        service = self._service
        asked = read_chat(data, compat=service.settings.compat)
        service.check(asked, asked.n)
        prompt = self._prompt(asked)
        thinking = self._thinking(asked, prompt)
        prediction = service.encode(asked.prediction) if asked.prediction else ()
        if "logprobs" in service.settings.without:
            asked = replace(asked, logprobs=None)
        has_guide = "constraints" not in service.settings.without
        key = constraint_key(asked) if has_guide else None
        if key is not None:
            key = f"{thinking!r} {key}"
        return _Order(asked, tuple(prompt), tuple(prediction), thinking, key)

    def _prompt(self, asked: ChatRequest) -> list[int]:
        """The conversation as ids.

        Raises :class:`RequestError` (400) for one that the model's template refuses or no context can hold.
        """
        try:
            return self._service.runtime.chat(
                _messages(asked),
                asked.tools,
                continue_final=asked.continue_final,
                thinking=asked.thinks,
            )
        except ModelError as cause:
            raise RequestError(str(cause), param="messages", code="invalid_messages") from cause

    def _thinking(self, asked: ChatRequest, prompt: list[int]) -> tuple[str, str] | None:
        """The marks of the thinking that this answer begins with."""
        marks = self._service.runtime.thinking
        if marks is None or asked.thinks is False or asked.continue_final:
            return None
        begin, end = marks
        tail = self._service.spelling.text(prompt[-_TAIL:]).rstrip()
        if tail.endswith(end):
            return None
        return ("", end) if tail.endswith(begin) else (begin, end)

    async def _guide(self, order: _Order) -> Guide | None:
        service = self._service
        return await service.guides.guide(
            order.key,
            lambda: constraint_of(
                order.asked,
                service.settings.limits,
                tool_format=service.runtime.tool_format,
                strict_dialect=service.settings.dialect,
                whitespace=service.settings.whitespace,
                thinking=order.thinking,
            ),
        )

    async def _submit(self, order: _Order, guide: Guide | None) -> Answering[ChatChoice]:
        service, asked = self._service, order.asked
        jobs = jobs_of(
            asked,
            order.prompt,
            guide=guide,
            count=asked.n,
            settings=service.settings,
            context=service.runtime.context,
            prediction=order.prediction,
        )
        style = asked.reasoning_format
        if style == "raw" and asked.asked is not None:
            # Raw thinking would spoil what is to be parsed.
            style = "hidden"
        choices = [
            ChatChoice(
                index,
                spelling=service.spelling,
                parser=self._parser(order, guide),
                thinking=order.thinking,
                marks=service.runtime.thinking,
                reasoning_format=style,
                logprobs=asked.logprobs,
                with_ids=asked.return_token_ids,
            )
            for index in range(asked.n)
        ]
        ticket = await service.submit(jobs, [guide])
        return Answering(ticket, choices, jobs_a_prompt=asked.n, prefix="chatcmpl")

    def _parser(self, order: _Order, guide: Guide | None) -> Parser | None:
        """What tells calls and thinking from text; None where there is nothing but text."""
        asked = order.asked
        marks = None if order.thinking is None else order.thinking[::-1]
        if asked.tools and asked.tool_choice != "none":
            if guide is not None and isinstance(guide.constraint.reading, Reading):
                parser = parser_of(guide.constraint)
                if isinstance(parser, ToolParser):
                    return parser
            names = [tool["function"]["name"] for tool in asked.tools]
            return ToolParser(self._service.runtime.tool_format, tools=names, thinking=marks)
        return None if marks is None else ToolParser(None, thinking=marks)

    # From events to an answer ----------------------------------------------------------------------------------------

    def _whole(self, order: _Order, answering: Answering[ChatChoice]) -> dict[str, Any]:
        made = chat_completion(
            id=answering.id,
            created=answering.created,
            model=self._service.settings.model,
            system_fingerprint=self._service.runtime.fingerprint,
            choices=[choice.whole() for choice in answering.choices],
            usage=answering.usage(),
            time_info=answering.time_info(),
            service_tier=_TIER,
        )
        return {**made, "prompt_token_ids": list(order.prompt)} if order.asked.return_token_ids else made

    async def _chunks(self, asked: ChatRequest, answering: Answering[ChatChoice]) -> AsyncIterator[Mapping[str, Any]]:
        waiting = set(answering.choices)
        open_choices = len(answering.choices)
        async for choice in answering.steps():
            if choice in waiting:
                waiting.discard(choice)
                yield self._told(answering, [choice.begin()])
            told = choice.drain()
            open_choices -= choice.finish is not None
            is_end = open_choices == 0 and not asked.include_usage and self._service.settings.compat == "cerebras"
            for place, one in enumerate(told, start=1):
                yield self._told(answering, [one], is_last=is_end and place == len(told))
        if asked.include_usage:
            yield self._told(answering, [], is_last=True)

    def _told(
        self, answering: Answering[ChatChoice], choices: list[dict[str, Any]], *, is_last: bool = False
    ) -> dict[str, Any]:
        return chat_chunk(
            id=answering.id,
            created=answering.created,
            model=self._service.settings.model,
            system_fingerprint=self._service.runtime.fingerprint,
            choices=choices,
            usage=answering.usage() if is_last else None,
            time_info=answering.time_info() if is_last else None,
            service_tier=_TIER,
        )


def _messages(asked: ChatRequest) -> list[dict[str, Any]]:
    """The messages for the template; on request without what was thought before the last message of the user."""
    messages = asked.messages
    if asked.clear_thinking:
        last = max((place for place, message in enumerate(messages) if message.role == "user"), default=0)
        messages = (*(replace(message, reasoning=None) for message in messages[:last]), *messages[last:])
    return [message.plain() for message in messages]

"""``POST /v1/completions``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from maskwright.guide import Guide
from maskwright.server.answering import Answering
from maskwright.server.choices import CompletionChoice
from maskwright.server.delivery import deliver
from maskwright.server.orders import jobs_of
from maskwright.server.service import Service
from maskwright.server.streams import attended
from maskwright.wire.answers import completion
from maskwright.wire.completions import CompletionRequest, read_completion
from maskwright.wire.constraints import constraint_key, constraint_of

__all__ = ["Completions"]


@dataclass(frozen=True)
class _Prompt:
    """One prompt of a request."""

    text: str
    ids: tuple[int, ...]
    #: How many of the first ids are no part of the text.
    opening: int
    #: The text that stands for the constraint after this prompt; None for free text.
    key: str | None


@dataclass(frozen=True)
class _Order:
    """A request that was read."""

    asked: CompletionRequest
    prompts: tuple[_Prompt, ...]


class Completions:
    """The endpoint."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def answer(self, request: Request) -> ASGIApp:
        """Answer one request.

        Raises :class:`maskwright.errors.RequestError` for what is refused before the first event of a stream.
        """
        order = await self._service.read(request, self._read)
        guides = [await attended(request.receive, self._guide(order.asked, prompt)) for prompt in order.prompts]
        answering = await self._submit(order, guides)
        return await deliver(
            request,
            self._service,
            order.asked,
            answering,
            whole=lambda: self._whole(order.asked, answering),
            chunks=lambda: self._chunks(order.asked, answering),
        )

    # From a request to jobs ------------------------------------------------------------------------------------------

    def _read(self, data: dict[str, Any]) -> _Order:
        """What is asked, and the prompts as ids."""
        settings = self._service.settings
        asked = read_completion(data, compat=settings.compat)
        self._service.check(asked, len(asked.prompts) * max(asked.n, asked.best_of))
        prompts = tuple(self._prompt(asked, prompt) for prompt in asked.prompts)
        if "logprobs" in settings.without:
            asked = replace(asked, logprobs=None)
        return _Order(asked, prompts)

    def _prompt(self, asked: CompletionRequest, given: str | tuple[int, ...]) -> _Prompt:
        service = self._service
        if isinstance(given, str):
            opening = tuple(service.runtime.opening)
            text, ids = given, (*opening, *service.encode(given))
        else:
            opening, text, ids = (), service.spelling.text(given), given
        has_guide = "constraints" not in service.settings.without
        return _Prompt(text, ids, len(opening), constraint_key(asked, prompt=text) if has_guide else None)

    async def _guide(self, asked: CompletionRequest, prompt: _Prompt) -> Guide | None:
        settings = self._service.settings
        return await self._service.guides.guide(
            prompt.key,
            lambda: constraint_of(
                asked,
                settings.limits,
                strict_dialect=settings.dialect,
                prompt=prompt.text,
                whitespace=settings.whitespace,
            ),
        )

    async def _submit(self, order: _Order, guides: list[Guide | None]) -> Answering[CompletionChoice]:
        service, asked = self._service, order.asked
        count = max(asked.n, asked.best_of)
        jobs, choices = [], []
        for number, (prompt, guide) in enumerate(zip(order.prompts, guides, strict=True)):
            jobs += jobs_of(
                asked,
                prompt.ids,
                guide=guide,
                count=count,
                settings=service.settings,
                context=service.runtime.context,
                echo=asked.echo,
                scored=asked.best_of > asked.n,
            )
            choices += [
                CompletionChoice(
                    number * count + one,
                    prompt.ids,
                    text=prompt.text,
                    opening=prompt.opening,
                    asked=asked,
                    spelling=service.spelling,
                )
                for one in range(count)
            ]
        ticket = await service.submit(jobs, guides)
        return Answering(ticket, choices, jobs_a_prompt=count, prefix="cmpl")

    # From events to an answer ----------------------------------------------------------------------------------------

    def _whole(self, asked: CompletionRequest, answering: Answering[CompletionChoice]) -> dict[str, Any]:
        count = max(asked.n, asked.best_of)
        told: list[dict[str, Any]] = []
        for first in range(0, len(answering.choices), count):
            candidates = answering.choices[first : first + count]
            best = (
                sorted(candidates, key=lambda choice: -choice.mean_logprob)[: asked.n]
                if asked.best_of > asked.n
                else candidates
            )
            told += [{**choice.drain(), "index": len(told) + place} for place, choice in enumerate(best)]
        return self._told(answering, told, is_last=True)

    async def _chunks(
        self, asked: CompletionRequest, answering: Answering[CompletionChoice]
    ) -> AsyncIterator[Mapping[str, Any]]:
        open_choices = len(answering.choices)
        async for choice in answering.steps():
            if not choice.is_ready:
                continue
            open_choices -= choice.finish is not None
            is_last = open_choices == 0 and not asked.include_usage and self._service.settings.compat == "cerebras"
            yield self._told(answering, [choice.drain()], is_last=is_last)
        if asked.include_usage:
            yield self._told(answering, [], is_last=True)

    def _told(
        self, answering: Answering[CompletionChoice], choices: list[dict[str, Any]], *, is_last: bool
    ) -> dict[str, Any]:
        return completion(
            id=answering.id,
            created=answering.created,
            model=self._service.settings.model,
            system_fingerprint=self._service.runtime.fingerprint,
            choices=choices,
            usage=answering.usage() if is_last else None,
            time_info=answering.time_info() if is_last else None,
        )

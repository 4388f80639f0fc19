"""Rows' values from a model in this process, every token under its mask, several rows in one pass of the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from maskwright.client.answer import Answer
from maskwright.client.conversations import messages_of
from maskwright.client.forms import forms_of
from maskwright.client.profiles import GENERIC
from maskwright.client.prompts import instruction, with_instruction
from maskwright.client.report import Report
from maskwright.client.task import Task
from maskwright.decode.runtime import Runtime
from maskwright.errors import ModelError, RequestError
from maskwright.guide import compile_guide
from maskwright.pipeline.asking import Asking, is_json
from maskwright.pipeline.outcomes import Cost, Made
from maskwright.pipeline.rows import Row
from maskwright.pipeline.run import Worker
from maskwright.server.engine import Engine
from maskwright.server.jobs import Failed, Finish, Job, Prompted, Token

__all__ = ["local_worker"]

#: Tokens of an answer if nothing is said.
_MOST: Final = 1024
#: Seconds that the engine's thread has to end; nothing is under way then.
_GRACE: Final = 1.0
#: How a row was made, for ``with_cost``; the second where ``max_tokens`` kept the model from what was allowed.
_MASKS: Final = "masks"
_EARLY: Final = "masks, closed early by max_tokens"


@asynccontextmanager
async def local_worker(
    runtime: Runtime, asking: Asking, *, batch: int, take: Callable[[], None] = lambda: None
) -> AsyncIterator[Worker]:
    """A worker, while its engine runs.

    Args:
        runtime: The model; closed at the end.
        asking: What is asked.
        batch: Rows under way at most; as many as the run's concurrency.
        take: Called before each row is begun; what it raises is raised.

    Raises:
        UnspellableError: no output has as few tokens as are asked for.
        VocabularyError: the vocabulary cannot spell the constraint.
    """
    engine = Engine(runtime, batch=batch, queue=batch)
    engine.start()
    try:
        yield _LocalWorker(engine, asking, take)
    finally:
        await engine.close(_GRACE)


class _LocalWorker:
    """Asks the engine about one row."""

    def __init__(self, engine: Engine, asking: Asking, take: Callable[[], None]) -> None:
        self._engine = engine
        self._take = take
        self._asking = asking
        self._is_json = is_json(asking.constraint)
        self._guide = compile_guide(asking.constraint, engine.runtime.vocabulary)
        self._forms = forms_of(asking.constraint)
        # Found out once and not at every row.
        self._guide.matcher(max_tokens=asking.max_tokens or _MOST)

    async def __call__(self, row: Row) -> Made:
        """Make one row's value; when this is cancelled, the engine drops it at the next token."""
        self._take()
        try:
            prepared = await asyncio.to_thread(self._prepared, row)
            ticket = self._engine.submit(prepared)
        except RequestError as cause:
            raise ModelError(cause.message) from cause
        data, prompt_tokens, written, is_early = bytearray(), 0, 0, False
        try:
            async for _, event in ticket:
                match event:
                    case Prompted():
                        prompt_tokens = event.prompt_tokens
                    case Token():
                        data += event.data
                        written += 1
                    case Finish():
                        is_early = event.closed_early
                    case Failed():
                        raise event.error
        finally:
            ticket.cancel()
        text = data.decode(errors="replace")
        report = Report(calls=1, prompt_tokens=prompt_tokens, completion_tokens=written)
        if self._asking.target.adapter is not None:
            self._asking.target.read(Answer(text=text, value=json.loads(text), report=report))
        return Made(text, self._is_json, Cost.of(report), _EARLY if is_early else _MASKS)

    def _prepared(self, row: Row) -> tuple[Job, ...]:
        asking = self._asking
        job = Job(
            prompt=tuple(self._prompt(row)),
            guide=self._guide,
            max_tokens=asking.max_tokens or _MOST,
            temperature=asking.temperature or 0.0,
            top_p=1.0 if asking.top_p is None else asking.top_p,
            seed=asking.seed,
        )
        return self._engine.prepare([job])

    def _prompt(self, row: Row) -> list[int]:
        asking = self._asking
        task = Task(messages=messages_of(asking.prompt(row), system=asking.told), constraint=asking.constraint)
        _, messages = with_instruction(task, instruction(task, self._forms, GENERIC, is_native=False))
        return self._engine.runtime.chat(messages)

"""Rows' values from a model in this process, every token under its mask."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final

from maskwright.client.conversations import messages_of
from maskwright.client.forms import forms_of
from maskwright.client.profiles import GENERIC
from maskwright.client.prompts import instruction, with_instruction
from maskwright.client.task import Task
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import generate
from maskwright.guide import compile_guide
from maskwright.pipeline.asking import Asking, is_json
from maskwright.pipeline.outcomes import Cost, Made
from maskwright.pipeline.rows import Row

__all__ = ["LocalWorker"]

#: Tokens of an answer if nothing is said.
_MOST: Final = 1024


class _DroppedError(Exception):
    """The row is not wanted any more."""


class LocalWorker:
    """A worker that owns one thread, in which the model makes one row after the other."""

    def __init__(self, model: LocalModel, asking: Asking) -> None:
        """Compile the constraint for the model's vocabulary.

        Raises:
            UnspellableError: no output has as few tokens as are asked for.
            VocabularyError: the vocabulary cannot spell the constraint.
        """
        self._model = model
        self._asking = asking
        self._is_json = is_json(asking.constraint)
        self._guide = compile_guide(asking.constraint, model.vocabulary)
        self._forms = forms_of(asking.constraint)
        self._guide.matcher(max_tokens=asking.max_tokens or _MOST)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="maskwright-model")

    async def __call__(self, row: Row) -> Made:
        """Make one row's value; when this is cancelled, the model stops at the next token."""
        is_dropped = Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._make, row, is_dropped)
        except asyncio.CancelledError:
            is_dropped.set()
            raise

    def _make(self, row: Row, is_dropped: Event) -> Made:
        def look(token: int, is_forced: bool) -> None:  # noqa: FBT001 - the signature of the loop's callback
            del token, is_forced
            if is_dropped.is_set():
                raise _DroppedError

        asking = self._asking
        result = generate(
            self._model,
            self._prompt(row),
            self._guide,
            max_tokens=asking.max_tokens or _MOST,
            temperature=asking.temperature or 0.0,
            top_p=1.0 if asking.top_p is None else asking.top_p,
            seed=asking.seed,
            on_token=look,
        )
        cost = Cost(calls=1, prompt_tokens=result.prompt_tokens, completion_tokens=len(result.tokens))
        return Made(result.text, self._is_json, cost, "masks")

    def _prompt(self, row: Row) -> list[int]:
        asking, prompter = self._asking, self._model.prompter
        task = Task(messages=messages_of(asking.prompt(row)), constraint=asking.constraint)
        _, messages = with_instruction(task, instruction(task, self._forms, GENERIC, is_native=False))
        text = messages[-1]["content"]
        if prompter.has_chat:
            return prompter.chat(text, system=asking.told)
        return prompter.plain(f"{asking.told}\n\n{text}\n\n")

    def close(self) -> None:
        """End the thread, without waiting."""
        self._thread.shutdown(wait=False, cancel_futures=True)

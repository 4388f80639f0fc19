"""What an engine behind the server is: a model that reads tokens of several sequences at once and gives raw scores.

A :class:`Runtime` holds the weights, a :class:`Session` what the model keeps of one sequence (its cache of keys and
values), a :class:`Step` what one sequence adds to one pass. Masks, sampling and text belong to whoever calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maskwright.vocabulary import Vocabulary

__all__ = ["Codec", "Runtime", "Session", "Step"]


class Session(Protocol):
    """What a model keeps of one sequence."""

    @property
    def length(self) -> int:
        """Number of tokens that were read and not cut off again."""
        ...

    def truncate(self, n: int) -> None:
        """Forget every token from position ``n`` on.

        Raises:
            ValueError: ``n`` is negative or greater than ``length``.
            ModelError: this model cannot forget; the session is unchanged.

        """
        ...

    def fork(self) -> Session:
        """Return a session that has read the same tokens and goes its own way.

        Cheap: nothing is copied before one of the two reads on.

        Raises:
            ModelError: the runtime has no further session (see :attr:`Runtime.sessions`).

        """
        ...

    def close(self) -> None:
        """Give back what the session holds; it must not be used again. Closing twice does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """What one sequence adds to a pass."""

    session: Session
    #: Ids to read after those in the session, at least one.
    tokens: Sequence[int]
    #: For how many of the last of them scores are wanted; 0 where a part of a prompt is only read.
    outputs: int = 1


class Codec(Protocol):
    """The text side of a model: text and conversations to token ids."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of every id."""
        ...

    @property
    def opening(self) -> tuple[int, ...]:
        """Ids that a plain prompt begins with (a begin-of-sequence token, or none); ``chat`` writes its own."""
        ...

    @property
    def tool_format(self) -> str:
        """How the model writes tool calls, a name of :data:`maskwright.tags.formats.FORMATS`."""
        ...

    @property
    def thinking(self) -> tuple[str, str] | None:
        """What begins and ends the model's thinking, such as ``("<think>", "</think>")``; ``None`` if it has none."""
        ...

    def encode(self, text: str) -> list[int]:
        """Return the ids of a plain text. Names of control tokens in it are text; nothing is put before it.

        Raises:
            ModelError: the text cannot be encoded: a lone surrogate.

        """
        ...

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        continue_final: bool = False,
        thinking: bool | None = None,
    ) -> list[int]:
        """Return the ids of a conversation, open where the model's answer begins.

        No text of a message, a tool or its arguments ever becomes a control token.

        Args:
            messages: Messages as the OpenAI API has them: ``role`` (system, developer, user, assistant, tool),
                ``content`` (a string, a list of text parts, or ``None``), ``tool_calls``, ``tool_call_id``, ``name``.
            tools: Function tools as that API has them; described to the model in its own format.
            continue_final: The last message is the assistant's, and the model goes on with it.
            thinking: Whether the model should think first, where its template has the choice.

        Raises:
            ModelError: the conversation cannot be written: a role or field without meaning, a lone surrogate, or what
                the model's own template refuses. The message names the place.

        """
        ...


class Runtime(Codec, Protocol):
    """A model that is ready to read. One thread at a time uses it and its sessions; the codec is free for all."""

    @property
    def name(self) -> str:
        """What it was loaded as."""
        ...

    @property
    def title(self) -> str:
        """The model's own name, and the engine, for people."""
        ...

    @property
    def context(self) -> int:
        """Tokens that one session holds at most."""
        ...

    @property
    def width(self) -> int:
        """Number of scores of a position."""
        ...

    @property
    def sessions(self) -> int | None:
        """Sessions that can be open at once; ``None`` if memory is the only bound."""
        ...

    @property
    def fingerprint(self) -> str:
        """A short name of weights and engine: equal ones give equal scores on one machine."""
        ...

    def open(self) -> Session:
        """Return an empty session.

        Raises:
            ModelError: no further session can be opened.

        """
        ...

    def forward(self, steps: Sequence[Step]) -> list[NDArray[np.float32]]:
        """Read the tokens of every step, all in one pass over the weights where that is possible.

        Returns:
            For each step its scores of the next token, float32 ``[outputs, width]``, raw; valid after further passes.

        Raises:
            ModelError: a context is exceeded, an id is outside the vocabulary, a session is closed or in two steps, or
                ``outputs`` is not in 0..len(tokens); no session has changed.

        """
        ...

    def close(self) -> None:
        """Give back the weights and every session; nothing may be used again."""
        ...

"""The default runtime: our own Llama in NumPy. Any number of sessions; a fork copies nothing before it reads on.

Tokens a second of SmolLM2 on one of two busy cores, by the number of sequences of 100 tokens in a pass, printed by
``tests/bench/runtimes.py``; llama.cpp multiplies Q4_1 blocks, whose unpacking more rows do not make cheaper::

    sequences    1    4    8   16
    numpy       28   92  144  178
    llama.cpp   77   98  104  115
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.cache import Cache
from maskwright.decode.codec import TextCodec, Thinking
from maskwright.decode.gguf_text import own_encoder, text_source
from maskwright.decode.llama import Llama
from maskwright.decode.models import find
from maskwright.decode.passes import check_steps, fingerprint_of
from maskwright.decode.runtime import Session, Step
from maskwright.errors import ModelError
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary

__all__ = ["NumpyRuntime", "NumpySession", "open_numpy"]


class NumpySession:
    """One sequence: a cache of its own until it is closed."""

    def __init__(self, cache: Cache) -> None:
        self._cache: Cache | None = cache

    @property
    def cache(self) -> Cache:
        """The keys and values.

        Raises:
            ModelError: the session is closed.

        """
        if self._cache is None:
            raise ModelError("the session is closed")
        return self._cache

    @property
    def length(self) -> int:
        """Number of tokens that were read."""
        return self.cache.length

    def truncate(self, n: int) -> None:
        """Forget every token from position ``n`` on; free."""
        self.cache.truncate(n)

    def fork(self) -> NumpySession:
        """Return a session that has read the same tokens."""
        return NumpySession(self.cache.fork())

    def close(self) -> None:
        """Give the memory back."""
        if self._cache is not None:
            self._cache.release()
        self._cache = None


class NumpyRuntime(TextCodec):
    """A :class:`maskwright.decode.runtime.Runtime` over a GGUF file."""

    sessions: None = None

    def __init__(
        self,
        name: str,
        *,
        context: int | None = None,
        tool_format: str | None = None,
        thinking: Thinking = "auto",
    ) -> None:
        """Find a model, read its texts and unpack its weights.

        Raises:
            ModelError: the weights are missing, damaged or of a kind that is not known here, or so is the tokenizer.
            VocabularyError: the vocabulary cannot be read.
            PolicyError: there is no such tool format.

        """
        path = find(name)
        gguf = read_gguf(path)
        source = text_source(gguf, Vocabulary.from_gguf(path), own_encoder(gguf))
        super().__init__(source, tool_format=tool_format, thinking=thinking)
        self.name = name
        self.title = f"{gguf.metadata.text('general.name', path.stem)} (numpy)"
        self.fingerprint = fingerprint_of("numpy", [path])
        network = Llama(gguf)
        self._network: Llama | None = network
        self.width = network.vocabulary_size
        if len(self.vocabulary) != self.width:
            reason = f"{len(self.vocabulary)} tokens but weights for {self.width}"
            raise ModelError(f"{path}: {reason} (fetch the file again)")
        most = network.dimensions.context
        self.context = min(context or most, most)
        self.bound(self.context)
        self._dimensions = replace(network.dimensions, context=self.context)

    def open(self) -> Session:
        """Return an empty session; it takes memory as it reads."""
        return NumpySession(Cache(self._dimensions))

    def forward(self, steps: Sequence[Step]) -> list[NDArray[np.float32]]:
        """Read the tokens of every step; see :meth:`maskwright.decode.runtime.Runtime.forward`.

        All steps share each pass over the weights, 256 tokens at a time. On processors with AVX-512 a sequence has the
        same scores to the last bit whatever else is in the pass, else to float32 rounding.
        """
        network = self._network
        if network is None:
            raise ModelError("the runtime is closed")
        check_steps(steps, context=self.context, vocabulary_size=self.width)
        parts = [(step.tokens, _cache(step.session)) for step in steps]
        hidden = network.advance(parts)
        wanted = [states[len(states) - step.outputs :] for states, step in zip(hidden, steps, strict=True)]
        counts = [len(states) for states in wanted]
        if not sum(counts):
            return [np.empty((0, self.width), np.float32) for _ in steps]
        scores = network.logits(np.concatenate(wanted))
        return np.split(scores, np.cumsum(counts)[:-1])

    def close(self) -> None:
        """Give the weights back."""
        self._network = None


def _cache(session: Session) -> Cache:
    if not isinstance(session, NumpySession):
        raise ModelError(f"a session of another runtime: {type(session).__name__}")
    return session.cache


def open_numpy(
    name: str,
    *,
    threads: int,
    sessions: int,
    context: int | None,
    tool_format: str | None,
    thinking: Thinking,
) -> NumpyRuntime:
    """Open a model for :func:`maskwright.decode.runtimes.load`, which documents the arguments."""
    del threads, sessions  # BLAS has a setting of its own, and sessions are bound by memory alone
    return NumpyRuntime(name, context=context, tool_format=tool_format, thinking=thinking)

"""The runtime of llama.cpp (optional package ``llama-cpp-python``): quicker, and of every model that it can read.

Source: ``llama.h``. All sessions are sequences of one context with one pool of cells (``kv_unified``), so a fork shares
the cells of its tokens and costs nothing; attention looks at the cells of all sequences, which is the price. Scores are
not those of the NumPy runtime: activations are quantised (up to 0.6 apart for SmolLM2's Q4_1), and they may depend on
what else is in a pass.
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.codec import TextCodec, Thinking
from maskwright.decode.gguf_text import text_source
from maskwright.decode.models import find
from maskwright.decode.passes import check_steps, fingerprint_of
from maskwright.decode.runtime import Session, Step
from maskwright.errors import ModelError, PolicyError
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary

__all__ = ["LlamacppRuntime", "LlamacppSession", "open_llamacpp"]

#: Tokens of one call.
_BATCH: Final = 512
#: The context of a session if none is asked for: memory is taken at once (SmolLM2: 23 kB a cell).
_CONTEXT: Final = 8192
#: The pool holds as many full sessions; ``sessions`` may be more, for few are full.
_FULL: Final = 4
#: What llama.cpp itself allows.
_MOST_SESSIONS: Final = 256
#: ``llama_decode`` found no room in the pool.
_NO_ROOM: Final = 1


class LlamacppSession:
    """A sequence of the context. ``length`` is counted here."""

    def __init__(self, runtime: LlamacppRuntime, place: int, length: int) -> None:
        self._runtime = runtime
        self._place = place
        self._length = length

    @property
    def place(self) -> int:
        """The sequence's number in the context.

        Raises:
            ModelError: the session is closed.

        """
        if self._place < 0:
            raise ModelError("the session is closed")
        return self._place

    @property
    def length(self) -> int:
        """Number of tokens that were read."""
        return self._length

    def read(self, count: int) -> None:
        """Count tokens that the context has read for this sequence."""
        self._length += count

    def truncate(self, n: int) -> None:
        """Forget every token from position ``n`` on; free."""
        if not 0 <= n <= self._length:
            raise ValueError(f"a session of {self._length} tokens cannot be cut to {n}")
        if n < self._length:
            self._runtime.cut(self.place, n)
        self._length = n

    def fork(self) -> LlamacppSession:
        """Return a session that shares the cells of the same tokens."""
        return self._runtime.copy(self.place, self._length)

    def close(self) -> None:
        """Give the sequence back."""
        if self._place >= 0:
            self._runtime.give_back(self._place)
        self._place, self._length = -1, 0


class LlamacppRuntime(TextCodec):
    """A :class:`maskwright.decode.runtime.Runtime` over a GGUF file."""

    def __init__(
        self,
        name: str,
        *,
        threads: int = 1,
        sessions: int = 8,
        context: int | None = None,
        tool_format: str | None = None,
        thinking: Thinking = "auto",
    ) -> None:
        """Load a model; see :func:`maskwright.decode.runtimes.load`."""
        self._library = library = _library()
        path = find(name)
        gguf = read_gguf(path)
        if sessions > _MOST_SESSIONS:
            raise PolicyError(f"sessions is {sessions}, llama.cpp has at most {_MOST_SESSIONS}")
        self._context: Any = None
        self._batch: Any = None
        self._model: Any = library.llama_model_load_from_file(str(path).encode(), library.llama_model_default_params())
        if not self._model:
            raise ModelError(f"{path}: llama.cpp cannot load it")
        self._vocab = library.llama_model_get_vocab(self._model)
        source = text_source(gguf, Vocabulary.from_gguf(path), self._tokenize)
        super().__init__(source, tool_format=tool_format, thinking=thinking)
        self.name = name
        self.title = f"{gguf.metadata.text('general.name', path.stem)} (llama.cpp)"
        self.fingerprint = fingerprint_of("llamacpp", [path])
        self.width = int(library.llama_vocab_n_tokens(self._vocab))
        if len(self.vocabulary) != self.width:
            raise ModelError(f"{path}: {len(self.vocabulary)} tokens but scores for {self.width}")
        most = int(library.llama_model_n_ctx_train(self._model))
        self.context = min(context or _CONTEXT, most)
        self.bound(self.context)
        self.sessions = sessions
        self._free = list(range(sessions))[::-1]
        self._context = self._open_context(threads)
        self._memory = library.llama_get_memory(self._context)
        #: Fewer than asked for where the pool is smaller; more in one call would end the process.
        self._batch_size = min(_BATCH, int(library.llama_n_batch(self._context)))
        self._batch = library.llama_batch_init(self._batch_size, 0, 1)

    def _open_context(self, threads: int) -> Any:
        settings = self._library.llama_context_default_params()
        settings.n_ctx = self.context * min(self.sessions, _FULL)
        settings.n_batch = settings.n_ubatch = _BATCH
        settings.n_seq_max = self.sessions
        settings.n_threads = settings.n_threads_batch = threads
        settings.kv_unified = settings.swa_full = settings.no_perf = True
        opened = self._library.llama_init_from_model(self._model, settings)
        if not opened:
            cells = self.context * min(self.sessions, _FULL)
            raise ModelError(f"llama.cpp cannot hold {cells} tokens (give a smaller context or fewer sessions)")
        return opened

    def open(self) -> LlamacppSession:
        """Return an empty session.

        Raises:
            ModelError: all are in use.

        """
        self._check_open()
        if not self._free:
            raise ModelError(f"all {self.sessions} sessions are in use (load the model with more)")
        return LlamacppSession(self, self._free.pop(), 0)

    def copy(self, place: int, length: int) -> LlamacppSession:
        """Return a session with the first ``length`` tokens of a sequence."""
        other = self.open()
        self._library.llama_memory_seq_cp(self._memory, place, other.place, 0, -1)
        other.read(length)
        return other

    def cut(self, place: int, length: int) -> None:
        """Forget the tokens of a sequence from position ``length`` on.

        Raises:
            ModelError: this model keeps a state that cannot be cut.

        """
        self._check_open()
        if not self._library.llama_memory_seq_rm(self._memory, place, length, -1):
            raise ModelError("this model keeps a running state: its sessions cannot be cut back")

    def give_back(self, place: int) -> None:
        """Empty a sequence for others."""
        if self._context:
            self._library.llama_memory_seq_rm(self._memory, place, -1, -1)
            self._free.append(place)

    def forward(self, steps: Sequence[Step]) -> list[NDArray[np.float32]]:
        """Read the tokens of every step, 512 at a time; see :meth:`maskwright.decode.runtime.Runtime.forward`.

        Raises:
            ModelError: also where the pool of all sessions is full; then all that was read is forgotten again.

        """
        self._check_open()
        check_steps(steps, context=self.context, vocabulary_size=self.width)
        sessions = [_own(step.session) for step in steps]
        before = [session.length for session in sessions]
        out = [np.empty((step.outputs, self.width), np.float32) for step in steps]
        tokens = _tokens(steps)
        while part := list(islice(tokens, self._batch_size)):
            code = self._read(part, sessions, before)
            if code:
                self._undo(sessions, before)
                reason = "the pool of tokens of all sessions is full" if code == _NO_ROOM else f"error {code}"
                raise ModelError(f"llama.cpp cannot read {len(part)} tokens: {reason}")
            for place, (index, _, _, row) in enumerate(part):
                if row >= 0:
                    scores = self._library.llama_get_logits_ith(self._context, place)
                    out[index][row] = np.ctypeslib.as_array(scores, (self.width,))
        for session, step in zip(sessions, steps, strict=True):
            session.read(len(step.tokens))
        return out

    def close(self) -> None:
        """Give back context and weights."""
        if self._batch is not None:
            self._library.llama_batch_free(self._batch)
        if self._context:
            self._library.llama_free(self._context)
        if self._model:
            self._library.llama_model_free(self._model)
        self._model = self._context = self._batch = None

    def _check_open(self) -> None:
        if not self._context:
            raise ModelError("the runtime is closed")

    def _read(
        self, part: Sequence[tuple[int, int, int, int]], sessions: Sequence[LlamacppSession], before: Sequence[int]
    ) -> int:
        batch = self._batch
        batch.n_tokens = len(part)
        for place, (index, offset, token, row) in enumerate(part):
            batch.token[place] = int(token)
            batch.pos[place] = before[index] + offset
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = sessions[index].place
            batch.logits[place] = row >= 0
        return int(self._library.llama_decode(self._context, batch))

    def _undo(self, sessions: Sequence[LlamacppSession], before: Sequence[int]) -> None:
        for session, length in zip(sessions, before, strict=True):
            self._library.llama_memory_seq_rm(self._memory, session.place, length, -1)

    def _tokenize(self, text: str) -> list[int]:
        data = text.encode()
        room = len(data) + 16
        while True:
            ids = (ctypes.c_int32 * room)()
            count = self._library.llama_tokenize(self._vocab, data, len(data), ids, room, False, False)
            if count >= 0:
                return list(ids[:count])
            room = -count


def _tokens(steps: Sequence[Step]) -> Iterator[tuple[int, int, int, int]]:
    """Every token with its step, its place in it and its row of the outputs, -1 for none."""
    for index, step in enumerate(steps):
        first = len(step.tokens) - step.outputs
        for offset, token in enumerate(step.tokens):
            yield index, offset, token, max(offset - first, -1)


def _own(session: Session) -> LlamacppSession:
    if not isinstance(session, LlamacppSession):
        raise ModelError(f"a session of another runtime: {type(session).__name__}")
    if session.place < 0:
        raise ModelError("the session is closed")
    return session


def _library() -> Any:
    try:
        library = import_module("llama_cpp")
    except ImportError as cause:
        raise PolicyError('the engine llamacpp needs llama-cpp-python (pip install "maskwright[llamacpp]")') from cause
    except (OSError, RuntimeError) as cause:
        raise PolicyError(f"llama-cpp-python cannot be loaded: {cause} (install it again)") from cause
    # Its own levels are one off: what it calls an error is a warning, such as that of a pool larger than one context.
    logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)
    library.llama_backend_init()
    return library


def open_llamacpp(
    name: str,
    *,
    threads: int,
    sessions: int,
    context: int | None,
    tool_format: str | None,
    thinking: Thinking,
) -> LlamacppRuntime:
    """Open a model for :func:`maskwright.decode.runtimes.load`, which documents the arguments."""
    return LlamacppRuntime(
        name, threads=threads, sessions=sessions, context=context, tool_format=tool_format, thinking=thinking
    )

"""The runtime of ``transformers`` (optional packages ``torch`` and ``transformers``): folders of any architecture.

On the processor, in float32. A pass reads one session after the other: rows of a batch would have to be padded to the
longest cache, and copied into one at every token, which costs more than it saves where sequences come and go.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskwright.decode.checkpoint import configuration, state_dict
from maskwright.decode.codec import Source, TextCodec, Thinking
from maskwright.decode.gguf_text import own_encoder, text_source
from maskwright.decode.huggingface_text import read_text_source
from maskwright.decode.models import find
from maskwright.decode.passes import check_steps, fingerprint_of
from maskwright.decode.runtime import Session, Step
from maskwright.errors import ModelError, PolicyError, excerpt
from maskwright.gguf import read_gguf
from maskwright.vocabulary import Vocabulary

__all__ = ["TorchRuntime", "TorchSession", "open_transformers"]

#: Tokens of a prompt that are read at once.
_CHUNK: Final = 512
#: The context of a model that tells none.
_CONTEXT: Final = 4096
_WEIGHTS: Final = ("*.safetensors", "*.bin")


@dataclass(slots=True)
class _Shared:
    """A ``DynamicCache`` and how many sessions look at it."""

    cache: Any
    owners: int = 1


class TorchSession:
    """One sequence. Forks share a cache until one of them changes it."""

    def __init__(self, cache: Any) -> None:
        self._shared: _Shared | None = _Shared(cache)
        self._length = 0

    @property
    def length(self) -> int:
        """Number of tokens that were read."""
        return self._length

    def own(self) -> Any:
        """The cache, copied first if another session looks at it.

        Raises:
            ModelError: the session is closed.

        """
        shared = self._open()
        if shared.owners > 1:
            shared.owners -= 1
            shared = self._shared = _Shared(deepcopy(shared.cache))
        return shared.cache

    def read(self, count: int) -> None:
        """Count tokens that the cache has taken."""
        self._length += count

    def truncate(self, n: int) -> None:
        """Forget every token from position ``n`` on."""
        if not 0 <= n <= self._length:
            raise ValueError(f"a session of {self._length} tokens cannot be cut to {n}")
        if n == self._length:
            return
        try:
            _cut(self.own(), n)
        except (AttributeError, ValueError) as cause:
            raise ModelError(f"this model's cache cannot be cut back: {cause}") from cause
        self._length = n

    def fork(self) -> TorchSession:
        """Return a session that has read the same tokens."""
        shared = self._open()
        other = object.__new__(TorchSession)
        other._shared, other._length = shared, self._length
        shared.owners += 1
        return other

    def close(self) -> None:
        """Give the cache back."""
        if self._shared is not None:
            self._shared.owners -= 1
        self._shared, self._length = None, 0

    def _open(self) -> _Shared:
        if self._shared is None:
            raise ModelError("the session is closed")
        return self._shared


class TorchRuntime(TextCodec):
    """A :class:`maskwright.decode.runtime.Runtime` over a folder of ``transformers``, or a Llama in a GGUF file."""

    sessions: None = None

    def __init__(
        self,
        name: str,
        *,
        threads: int = 1,
        context: int | None = None,
        tool_format: str | None = None,
        thinking: Thinking = "auto",
    ) -> None:
        """Load a model; see :func:`maskwright.decode.runtimes.load`."""
        self._torch = _package("torch")
        self._transformers = _package("transformers")
        self._torch.set_num_threads(threads)
        folder = Path(name)
        source, paths = self._load_folder(folder) if folder.is_dir() else self._load_gguf(find(name))
        super().__init__(source, tool_format=tool_format, thinking=thinking)
        # Renamed in transformers 5.
        has_cache = "cache" in signature(self._model.forward).parameters
        self._cache_name = "cache" if has_cache else "past_key_values"
        self.name = name
        self.title = f"{folder.name} (transformers)"
        self.fingerprint = fingerprint_of("transformers", paths)
        self.width = len(self.vocabulary)
        known = getattr(self._model.config, "max_position_embeddings", None)
        most = known if isinstance(known, int) else _CONTEXT
        self.context = min(context or most, most)
        self.bound(self.context)

    def _load_folder(self, folder: Path) -> tuple[Source, list[Path]]:
        try:
            self._model: Any = self._transformers.AutoModelForCausalLM.from_pretrained(
                folder, local_files_only=True, dtype=self._torch.float32
            ).eval()
            tokenizer = self._transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError, ImportError, RuntimeError) as cause:
            raise ModelError(f"{folder}: transformers cannot load it: {excerpt(str(cause), 300)}") from cause
        width = int(self._model.get_output_embeddings().weight.shape[0])
        paths = sorted(path for pattern in ("config.json", *_WEIGHTS) for path in folder.glob(pattern))
        return read_text_source(folder, tokenizer, width), paths

    def _load_gguf(self, path: Path) -> tuple[Source, list[Path]]:
        gguf = read_gguf(path)
        settings = self._transformers.LlamaConfig(**configuration(gguf))
        self._model = self._transformers.LlamaForCausalLM(settings)
        weights = {name: self._torch.from_numpy(values) for name, values in state_dict(gguf).items()}
        self._model.load_state_dict(weights, strict=False)
        self._model.tie_weights()
        self._model.eval()
        return text_source(gguf, Vocabulary.from_gguf(path), own_encoder(gguf)), [path]

    def open(self) -> TorchSession:
        """Return an empty session; it takes memory as it reads."""
        self._check_open()
        return TorchSession(self._transformers.DynamicCache())

    def forward(self, steps: Sequence[Step]) -> list[NDArray[np.float32]]:
        """Read the tokens of every step, one after the other; see :class:`maskwright.decode.runtime.Runtime`."""
        self._check_open()
        check_steps(steps, context=self.context, vocabulary_size=self.width)
        sessions = [_own(step.session) for step in steps]
        caches = [session.own() for session in sessions]
        try:
            scores = [self._read(step, cache) for step, cache in zip(steps, caches, strict=True)]
        except (RuntimeError, ValueError) as cause:
            for session, cache in zip(sessions, caches, strict=True):
                _cut(cache, session.length)
            raise ModelError(f"transformers cannot read these tokens: {excerpt(str(cause), 300)}") from cause
        for session, step in zip(sessions, steps, strict=True):
            session.read(len(step.tokens))
        return scores

    def close(self) -> None:
        """Give the weights back."""
        self._model = None

    def _check_open(self) -> None:
        if self._model is None:
            raise ModelError("the runtime is closed")

    def _read(self, step: Step, cache: Any) -> NDArray[np.float32]:
        """The scores of the last positions: whole chunks before them are read without any."""
        count = len(step.tokens)
        kept: list[NDArray[np.float32]] = []
        for start in range(0, count, _CHUNK):
            stop = min(start + _CHUNK, count)
            wanted = min(stop - start, max(stop - (count - step.outputs), 0))
            ids = self._torch.tensor([list(step.tokens[start:stop])])
            with self._torch.inference_mode():
                output = self._model(
                    input_ids=ids, use_cache=True, logits_to_keep=max(wanted, 1), **{self._cache_name: cache}
                )
            if wanted:
                kept.append(output.logits[0, -wanted:].float().numpy())
        return np.concatenate(kept) if kept else np.empty((0, self.width), np.float32)


def _cut(cache: Any, length: int) -> None:
    """Cut to a length, told as the number of tokens to remove: all releases take that."""
    surplus = cache.get_seq_length() - length
    if surplus > 0:
        cache.crop(-surplus)


def _own(session: Session) -> TorchSession:
    if not isinstance(session, TorchSession):
        raise ModelError(f"a session of another runtime: {type(session).__name__}")
    return session


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as cause:
        reason = f"the engine transformers needs {name}"
        raise PolicyError(f'{reason} (pip install "maskwright[transformers]")') from cause


def open_transformers(
    name: str,
    *,
    threads: int,
    sessions: int,
    context: int | None,
    tool_format: str | None,
    thinking: Thinking,
) -> TorchRuntime:
    """Open a model for :func:`maskwright.decode.runtimes.load`, which documents the arguments."""
    del sessions  # bound by memory alone
    return TorchRuntime(name, threads=threads, context=context, tool_format=tool_format, thinking=thinking)

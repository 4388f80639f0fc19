"""The engines by name, each in a module of its own that is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, Literal, cast

from maskwright.decode.runtime import Runtime
from maskwright.errors import PolicyError, excerpt

__all__ = ["ENGINES", "load"]

#: Name -> what opens it, as ``module:function``. A new engine is one file and one entry.
ENGINES: Final = {
    "numpy": "maskwright.decode.numpy_runtime:open_numpy",
    "llamacpp": "maskwright.decode.llamacpp:open_llamacpp",
    "transformers": "maskwright.decode.torch_runtime:open_transformers",
}


def load(
    name: str,
    *,
    engine: str = "numpy",
    threads: int = 1,
    sessions: int = 8,
    context: int | None = None,
    tool_format: str | None = None,
    thinking: tuple[str, str] | Literal["auto"] | None = "auto",
) -> Runtime:
    """Load a model for an engine.

    Args:
        name: A name of :data:`maskwright.decode.models.MODELS`, the path of a GGUF file, or for ``transformers`` also
            a folder with ``config.json`` and its weights and tokenizer.
        engine: One of :data:`ENGINES`. ``numpy`` needs nothing more; ``llamacpp`` is quicker and reads more kinds of
            models; ``transformers`` reads folders.
        threads: Processor threads of a pass. NumPy's products take what ``OPENBLAS_NUM_THREADS`` says instead.
        sessions: Sessions that may be open at once, where the engine must know (llama.cpp: at most 256).
        context: Tokens a session may hold, if fewer than the model allows.
        tool_format: How the model writes tool calls; by default guessed from its template and tokens.
        thinking: The marks of its thinking, ``None`` for no thinking; by default guessed likewise.

    Raises:
        PolicyError: the engine is unknown or its package is not installed (the message has the command), or a number
            or format has no meaning.
        ModelError: the weights are missing, damaged, or of a kind that the engine cannot read.
        VocabularyError: the vocabulary cannot be read.

    """
    if engine not in ENGINES:
        raise PolicyError(f"engine is one of {', '.join(ENGINES)}, not {excerpt(engine)}")
    for label, number in (("threads", threads), ("sessions", sessions), ("context", context)):
        if number is not None and number < 1:
            raise PolicyError(f"{label} is {number}, it must be at least 1")
    module, function = ENGINES[engine].split(":")
    opened = cast("Callable[..., Runtime]", getattr(import_module(module), function))
    return opened(name, threads=threads, sessions=sessions, context=context, tool_format=tool_format, thinking=thinking)

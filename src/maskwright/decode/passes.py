"""What every runtime checks before a pass, and the short name of a model's weights."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from maskwright.decode.runtime import Step
from maskwright.errors import ModelError

__all__ = ["check_steps", "fingerprint_of"]

#: A file's fingerprint reads its beginning and as many windows, evenly spread: 4 ms however large it is.
_HEAD: Final = 1 << 20
_WINDOWS: Final = 64
_WINDOW: Final = 1 << 12


def check_steps(steps: Sequence[Step], *, context: int, vocabulary_size: int) -> None:
    """Refuse what a pass cannot do, before it changes a session.

    Raises:
        ModelError: a step has no tokens, an id outside the vocabulary, more tokens than fit or more outputs than
            tokens, or a session occurs twice.

    """
    seen = set()
    for step in steps:
        count = len(step.tokens)
        if not count or not 0 <= step.outputs <= count:
            raise ModelError(f"a step of {count} tokens cannot have {step.outputs} outputs")
        if min(step.tokens) < 0 or max(step.tokens) >= vocabulary_size:
            raise ModelError(f"a token id is outside 0..{vocabulary_size - 1}")
        if step.session.length + count > context:
            raise ModelError(f"{step.session.length + count} tokens exceed the model's context of {context}")
        if id(step.session) in seen:
            raise ModelError("a session occurs in two steps of one pass")
        seen.add(id(step.session))


def fingerprint_of(engine: str, paths: Sequence[Path]) -> str:
    """Return ``fp_`` and ten hexadecimal digits that tell files of weights and an engine apart.

    Raises:
        ModelError: a file cannot be read.

    """
    digest = sha256(engine.encode())
    try:
        for path in paths:
            size = path.stat().st_size
            digest.update(size.to_bytes(8, "big"))
            with path.open("rb") as file:
                digest.update(file.read(_HEAD))
                for index in range(_WINDOWS):
                    file.seek(size * index // _WINDOWS)
                    digest.update(file.read(_WINDOW))
    except OSError as cause:
        raise ModelError(f"the weights cannot be read: {cause}") from cause
    return f"fp_{digest.hexdigest()[:10]}"

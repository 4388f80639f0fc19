"""What tells one job from another, so that a run is never resumed with rows of a different one.

A *key* stands in every line of an output: three digests of the job (what the answers must be, what is asked, who is
asked and how), and one of the row. So an output needs no second file to be resumed, and what changed can be named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from maskwright.constraint import Constraint

__all__ = ["KEY", "Job", "constraint_identity"]

#: A key as it is written: ``cccccc-pppppp-mmmmmm-rrrrrrrrrrrrrrrr``, lower hexadecimal digits.
KEY: Final = re.compile(rb"[0-9a-f]{6}-[0-9a-f]{6}-[0-9a-f]{6}-[0-9a-f]{16}")
#: Arguments of constructors that change how long something takes, not what it is.
_UNTOLD: Final = frozenset({"limits", "registry"})


@dataclass(frozen=True, slots=True)
class Job:
    """Three digests of six digits. Sixteen million values each: made to find mistakes, not to withstand forgery."""

    constraint: str
    prompt: str
    model: str

    @classmethod
    def of(cls, constraint: object, prompt: object, model: object) -> Job:
        """Digest three descriptions; each a string, or what JSON can write (other values as Python shows them)."""
        return cls(_digits(constraint), _digits(prompt), _digits(model))

    @property
    def prefix(self) -> str:
        """What the keys of all rows of this job begin with."""
        return f"{self.constraint}-{self.prompt}-{self.model}-"

    def key(self, digest: int) -> str:
        """The key of a row."""
        return f"{self.prefix}{digest:016x}"

    def differences(self, key: str) -> list[str]:
        """What is different about the job of another key; empty if it is this one."""
        parts = key.split("-")
        return [
            field.name for field, part in zip(fields(self), parts, strict=False) if getattr(self, field.name) != part
        ]


def _digits(description: object) -> str:
    text = description if isinstance(description, str) else json.dumps(description, default=repr)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def constraint_identity(constraint: Constraint) -> str:
    """A text that is equal for constraints built alike, in whatever process, and different for others."""
    parts: list[str] = []
    todo: list[Any] = [constraint]
    while todo:
        value = todo.pop()
        if isinstance(value, Constraint):
            todo.append(value.__reduce__()[0])
        elif isinstance(value, partial):
            parts.append(value.func.__qualname__)
            kept = {name: given for name, given in value.keywords.items() if name not in _UNTOLD}
            todo += [*value.args, kept]
        elif isinstance(value, Mapping):
            parts.append(f"{{{len(value)}")
            todo += [item for pair in value.items() for item in pair]
        elif isinstance(value, (list, tuple)):
            parts.append(f"[{len(value)}")
            todo += value
        else:
            parts.append(value.__qualname__ if callable(value) else repr(value))
    return "\x1f".join(parts)

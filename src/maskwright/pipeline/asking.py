"""What is asked about every row, and of whom: an API, or a model in this process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from maskwright.client.targets import Target
from maskwright.constraint import Constraint
from maskwright.errors import PolicyError
from maskwright.pipeline.identity import Job, constraint_identity
from maskwright.pipeline.outcomes import Cost, Made
from maskwright.pipeline.purse import Purse
from maskwright.pipeline.rows import Row
from maskwright.pipeline.run import Worker

if TYPE_CHECKING:
    from maskwright.client.asynchronous import AsyncClient

__all__ = ["INSTRUCTIONS", "Asking", "gated", "is_json", "service_worker"]

_PLACE: Final = "{text}"
#: What a model is told if nothing is said.
INSTRUCTIONS: Final = "Take what is asked for out of the text that follows. Answer with nothing else."
_JSON_INSTRUCTIONS: Final = INSTRUCTIONS.replace("with nothing", "with JSON and nothing")
#: Constructors whose outputs are JSON values. Of all others the text itself is the value.
_JSON: Final = frozenset({"json_schema"})


@dataclass(frozen=True, kw_only=True)
class Asking:
    """One question about many texts.

    Attributes:
        constraint: What each answer must be.
        target: What judges the answers beyond the constraint: the validators of a Python type. Compiled once,
            for all rows.
        instructions: What the model is told before the text; ``None`` for :data:`INSTRUCTIONS`.
        template: A text in which every ``{text}`` is replaced by that of the row; ``None`` for the row's text
            alone.
        max_tokens: Tokens of an answer at most.
        temperature, top_p, seed: How it is sampled.
        further: Further options of :meth:`maskwright.client.AsyncClient.extraction`.
    """

    constraint: Constraint
    target: Target = field(default_factory=Target)
    instructions: str | None = None
    template: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    further: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """See that the template has a place for the text; raises ``PolicyError``."""
        if self.template is not None and _PLACE not in self.template:
            raise PolicyError("the prompt template must hold {text}, where the text of a row goes")

    def prompt(self, row: Row) -> str:
        """What is asked about a row. A ``{text}`` in the row itself is an ordinary text."""
        return row.text if self.template is None else self.template.replace(_PLACE, row.text)

    @property
    def told(self) -> str:
        """What the model is told before the text."""
        if self.instructions is not None:
            return self.instructions
        return _JSON_INSTRUCTIONS if is_json(self.constraint) else INSTRUCTIONS

    def sampling(self) -> dict[str, Any]:
        """The numbers that were given."""
        given = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        return {name: value for name, value in given.items() if value is not None}

    def job(self, model: str) -> Job:
        """What tells this question, put to this model, from others. How long answers may be is no part of it."""
        return Job.of(
            constraint_identity(self.constraint),
            [self.told, self.template],
            [model, self.sampling()],
        )


def service_worker(extraction: Callable[..., Awaitable[Any]], asking: Asking) -> Worker:
    """Make rows' values over an API.

    Args:
        extraction: That method of a :class:`maskwright.client.AsyncClient`.
        asking: What is asked.
    """
    options = {**asking.sampling(), **asking.further}
    if asking.max_tokens is not None:
        options["max_tokens"] = asking.max_tokens
    as_json = is_json(asking.constraint)

    async def make(row: Row) -> Made:
        answer = await extraction(asking.prompt(row), asking.constraint, instructions=asking.told, **options)
        asking.target.read(answer)
        report = answer.report
        return Made(answer.text, as_json, Cost.of(report), str(getattr(report, "how", "")))

    return make


def gated(client: AsyncClient, purse: Purse) -> AsyncClient:
    """The client, taking each request that it makes out of a purse."""
    return client.with_options(gate=purse.take) if purse.is_bounded else client


def is_json(constraint: Constraint) -> bool:
    """Whether every output of a constraint is a JSON value."""
    return constraint.kind in _JSON

"""Enforcement: one answer that is what its constraint asks for, from an API that may or may not help."""

from __future__ import annotations

from maskwright.client.answer import Answer
from maskwright.client.flow import Flow
from maskwright.client.task import Settings, Task

__all__ = ["enforce"]


def enforce(task: Task, settings: Settings) -> Flow[Answer]:  # noqa: ARG001
    """The flow that gets an answer; with a constraint its text is one of the constraint's outputs, or it raises.

    Raises:
        ServiceError: the API gave no answer (its child tells why).
        AnswerError: the API answered, but what the constraint asks for could not be got from it.
        TruncatedError: the tokens of the task or of the model ran out.
        ExhaustedError: the budget was used up.
    """
    raise NotImplementedError
    yield

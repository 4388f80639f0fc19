"""What an answer is to be: a constraint, and how its text becomes the value that was asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from maskwright.client.answer import Answer
from maskwright.constraint import Constraint, json_schema
from maskwright.errors import AnswerError, PolicyError, excerpt
from maskwright.schema.python_types import is_python_type, schema_of

__all__ = ["Target"]

#: Where values stand that are no schemas, or schemas that are parts of others.
_NO_SCHEMAS: Final = frozenset({"allOf", "const", "default", "enum", "examples"})


@dataclass(frozen=True, eq=False)
class Target:
    """A constraint, and what reads its texts."""

    constraint: Constraint | None = None
    #: pydantic's ``TypeAdapter`` of the type that was asked for; ``None`` where the value of the JSON is what is given.
    adapter: Any = None
    #: The same for the arguments of tools that were given as types, by name.
    tools: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: object, tools: Iterable[object] = ()) -> Target:
        """What was given: a :class:`Constraint`, a JSON Schema (an object or its text), or a Python type.

        Of pydantic models, dataclasses, ``TypedDict`` and other types instances are made, by pydantic; members that a
        type does not name are not asked for, unless it keeps them (``extra="allow"``). A function
        stands for its arguments and is not called. ``None`` is any text. Of ``tools``, those that are types make
        instances out of the arguments of their calls.

        Raises:
            ConstraintError: the schema is refused; see :func:`maskwright.json_schema`.
            PolicyError: this is none of these, or pydantic is not installed.
        """
        if given is None:
            return cls(tools={_name(tool): _adapter(tool) for tool in tools if _makes_instances(tool)})
        if isinstance(given, Constraint):
            return cls(given)
        if is_python_type(given):
            return cls(json_schema(_closed(schema_of(given))), _adapter(given) if _makes_instances(given) else None)
        if isinstance(given, (Mapping, str, bytes, bool)):
            return cls(json_schema(given))
        raise PolicyError(f"an answer is a Constraint, a JSON Schema or a Python type, not {excerpt(given)}")

    def read(self, answer: Answer) -> Answer:
        """The answer with the value that was asked for.

        Raises:
            AnswerError: a validator in Python refuses it: with the place, the reason and the text.
        """
        if self.adapter is not None:
            return replace(answer, value=_made(self.adapter, answer.text, answer.value, answer))
        if not self.tools:
            return answer
        calls = (
            replace(call, value=_made(self.tools[call.name], call.arguments, call.value, answer, f"/calls/{index}"))
            if call.name in self.tools
            else call
            for index, call in enumerate(answer.calls)
        )
        return replace(answer, calls=tuple(calls))


def _made(adapter: Any, text: str, value: object, answer: Answer, where: str = "") -> Any:
    try:
        return adapter.validate_json(text)
    except Exception as cause:  # a validator of somebody else may raise anything
        place, reason = _told(cause, value)
        raise AnswerError(reason, text=text, place=where + place, report=answer.report) from cause


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type, with nothing in its objects but what they name.

    pydantic reads members that a type does not name and drops them, so its schemas let a model invent some: SmolLM2
    does. What keeps them says so (``additionalProperties``). Objects that are parts of ``allOf`` know only some names.
    """
    waiting: list[Any] = [schema]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            if isinstance(found.get("properties"), dict) and found.get("type") == "object":
                found.setdefault("additionalProperties", False)
            waiting += [part for key, part in found.items() if key not in _NO_SCHEMAS]
        elif isinstance(found, list):
            waiting += found
    return schema


def _name(tool: object) -> str:
    return str(getattr(tool, "__name__", ""))


def _makes_instances(given: object) -> bool:
    return is_python_type(given) and not inspect.isroutine(given)


def _adapter(given: object) -> Any:
    try:
        adapter_class: Any = importlib.import_module("pydantic").TypeAdapter
    except ImportError as cause:
        raise PolicyError('types are read by pydantic 2.9 or newer: pip install "maskwright[client]"') from cause
    return given if isinstance(given, adapter_class) else adapter_class(given)


def _told(cause: Exception, value: object) -> tuple[str, str]:
    """Where and why pydantic refused a value: its first error, and how many more there are."""
    listed = getattr(cause, "errors", None)
    errors = listed(include_url=False, include_context=False) if callable(listed) else []
    if not errors:
        return "", f"{type(cause).__name__}: {cause}"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return _pointer(errors[0].get("loc", ()), value), f"{errors[0].get('msg', cause)}{more}"


def _pointer(steps: tuple[object, ...], value: Any) -> str:
    """The JSON pointer of pydantic's place, without the steps that name branches of unions and not members."""
    pointer = ""
    for step in steps:
        known = range(len(value)) if isinstance(value, list) else value
        if not isinstance(known, (Mapping, range)) or step not in known:
            continue
        value = value[step]
        pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
    return pointer

"""What a constraint can be sent as: its source in the forms that APIs take."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from maskwright.client.numbers import writable
from maskwright.client.profiles import Kind
from maskwright.constraint import Constraint
from maskwright.errors import MaskwrightError
from maskwright.exports.gbnf import to_gbnf

__all__ = ["WRAPPED", "Forms", "chosen_in", "forms_of"]

#: The property under which a choice or pattern stands where only objects can be asked for.
WRAPPED: Final = "answer"
#: Characters of a grammar that are sent; servers compile it for every request.
_LONGEST: Final = 200_000
#: Characters of a text in which a choice is looked for, and how many times as long as the choice it may be: "34 years
#: old, as the text says" does not choose "old".
_SAID: Final = 2_000
_SHARE: Final = 6
#: Patterns that mean the same in every dialect, searched between anchors: no groups by name, no lookarounds, no flags,
#: no classes whose meaning in Unicode differs.
_PLAIN: Final = re.compile(r"(?:[^\\(\^$\n]|\\[^a-zA-Z0-9]|\\[nrt]|\((?!\?)|\(\?:|(?<=\[)\^)*")


@dataclass(frozen=True)
class Forms:
    """A constraint as what APIs take; ``None`` where it cannot be said so."""

    #: A JSON Schema.
    schema: dict[str, Any] | bool | None = None
    #: The name that the source gives the schema.
    name: str | None = None
    #: A regular expression that a whole text matches, the same in every dialect.
    pattern: str | None = None
    choices: tuple[str, ...] | None = None
    #: The name of a grammar root, as it is without arguments.
    root: str | None = None
    constraint: Constraint | None = None

    @property
    def is_json(self) -> bool:
        """Whether outputs are JSON texts of a schema."""
        return self.schema is not None

    def get(self, kind: Kind) -> Any:
        """The constraint as one kind of thing, ``None`` if it cannot be said so."""
        match kind:
            case "schema":
                return self.schema
            case "regex":
                if self.pattern is None and self.choices is not None:
                    return "|".join(map(_escaped, self.choices))
                return self.pattern
            case "choice":
                return list(self.choices) if self.choices is not None else None
            case "root":
                return self.root
            case "wrapped":
                return self._wrapped()
            case "gbnf":
                return self._gbnf()

    def _wrapped(self) -> dict[str, Any] | None:
        if self.choices is not None:
            inner: dict[str, Any] = {"type": "string", "enum": list(dict.fromkeys(self.choices))}
        elif self.pattern is not None:
            inner = {"type": "string", "pattern": f"^(?:{self.pattern})$"}
        else:
            return None
        properties = {WRAPPED: inner}
        return {"type": "object", "properties": properties, "required": [WRAPPED], "additionalProperties": False}

    def _gbnf(self) -> str | None:
        if self.constraint is None:
            return None
        try:
            text = to_gbnf(self.constraint, repeats="allowed")
        except MaskwrightError:
            return None
        return text if len(text) <= _LONGEST else None


def forms_of(constraint: Constraint) -> Forms:
    """What a constraint can be sent as. Answers are verified all the same: a form may be wider, never another thing."""
    rebuild: Any = constraint.__reduce__()[0]
    arguments: tuple[Any, ...] = getattr(rebuild, "args", ())
    keywords: Mapping[str, Any] = getattr(rebuild, "keywords", {})
    source = arguments[0] if arguments else None
    kind = constraint.kind
    if kind == "json_schema" and keywords.get("registry") is None:
        return Forms(schema=_schema(source), constraint=constraint)
    if kind == "response_format" and not keywords.get("thinking"):
        schema, name = _formatted(source)
        return Forms(schema=schema, name=name, constraint=constraint)
    if kind == "regex" and keywords.get("match") == "full" and isinstance(source, str):
        plain = source if _PLAIN.fullmatch(source) else None
        return Forms(pattern=plain, constraint=constraint)
    if kind == "choice" and isinstance(source, tuple):
        return Forms(choices=source, constraint=constraint)
    if kind == "grammar_root":
        policies = constraint.policies
        is_bare = not any(policies.get(name) for name in ("tools", "thinking"))
        root = policies.get("root")
        return Forms(root=root if is_bare and isinstance(root, str) else None, constraint=constraint)
    return Forms(constraint=constraint)


def _schema(source: Any) -> dict[str, Any] | bool | None:
    if isinstance(source, (str, bytes)):
        try:
            source = json.loads(source)
        except (ValueError, RecursionError):
            return None
    return writable(source) if isinstance(source, (dict, bool)) else None


def _formatted(source: Any) -> tuple[dict[str, Any] | bool | None, str | None]:
    """The schema of a ``response_format``, and its name."""
    given = _schema(source)
    if not isinstance(given, dict):
        return None, None
    if given.get("type") == "json_object":
        return _schema(given.get("schema", {"type": "object"})), None
    if given.get("type") != "json_schema":
        return None, None
    inner = given.get("json_schema", given)
    return (_schema(inner.get("schema")), inner.get("name")) if isinstance(inner, dict) else (None, None)


def chosen_in(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a short text names as a word, in whatever case; ``None`` if it names none, or several."""
    named = [
        one
        for one in choices
        if one and re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text[:_SAID], re.IGNORECASE) is not None
    ]
    longest = max(named, key=len, default=None)
    if (
        longest is None
        or len(text.strip()) > _SHARE * len(longest)
        or any(one.lower() not in longest.lower() for one in named)
    ):
        return None
    return longest


def _escaped(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}/-])", r"\\\1", text)

"""Constraints that the API enforces itself: the fields of a request that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from maskwright.client.forms import Forms
from maskwright.client.profiles import Kind, Native, Profile
from maskwright.client.spending import Ledger
from maskwright.dialects import Rewriting, rewrite
from maskwright.errors import MaskwrightError

__all__ = ["Offer", "offers", "rewritten"]

#: Which of its kinds a constraint is sent as, the most exact first.
_KINDS: Final[tuple[Kind, ...]] = ("root", "schema", "choice", "regex", "gbnf", "wrapped")
_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64
_NOTES: Final = 20


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One way to ask the API to enforce a constraint."""

    shape: str
    fields: dict[str, Any] = field(default_factory=dict)
    #: What stands in place of the schema, if something had to be changed.
    rewriting: Rewriting | None = None
    #: Whether the answer is a property of an object.
    is_wrapped: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the text that comes is the answer, as it is."""
        return not self.is_wrapped and (
            self.rewriting is None or (self.rewriting.wrapped is None and not self.rewriting.absent)
        )


def offers(forms: Forms, profile: Profile, endpoint: Any, refused: frozenset[str], ledger: Ledger) -> Iterator[Offer]:
    """The ways in which an API may enforce a constraint, in the profile's order; what cannot be said is noted."""
    for native in profile.natives:
        if endpoint not in native.endpoints or f"native:{native.shape}" in refused:
            continue
        for kind in _KINDS:
            if kind in native.kinds:
                offer = _offer(native, kind, forms, profile, ledger)
                if offer is not None:
                    yield offer
                    break


def _offer(native: Native, kind: Kind, forms: Forms, profile: Profile, ledger: Ledger) -> Offer | None:
    if native.shape in ("grammar", "ebnf", "response_grammar"):
        kind = "gbnf"  # one notation for all that they take
    told = forms.get(kind)
    if told is None:
        return None
    match native.shape:
        case "response_format":
            return _format(told, kind, forms, profile, ledger)
        case "response_grammar":
            fields: dict[str, Any] = {"response_format": {"type": "grammar", "grammar": told}}
        case "structured_outputs":
            fields = {"structured_outputs": {_STRUCTURED[kind]: told}}
        case "grammar" | "ebnf" | "regex" | "grammar_root":
            fields = {native.shape: told}
    return Offer(shape=native.shape, fields=fields)


_STRUCTURED: Final = {"schema": "json", "regex": "regex", "choice": "choice", "gbnf": "grammar"}


def _format(schema: Any, kind: Kind, forms: Forms, profile: Profile, ledger: Ledger) -> Offer | None:
    """A strict ``response_format``, with a schema that the provider takes."""
    if not isinstance(schema, dict):
        return None
    rewriting = rewritten(schema, profile, ledger)
    if rewriting is not None:
        if not isinstance(rewriting.schema, dict) or rewriting.unmendable:
            left = "; ".join(f"{finding.place}: {finding.reason}" for finding in rewriting.unmendable[:3])
            ledger.note(f"{profile.title} does not take the schema: {left or 'no value of it can be expressed'}")
            return None
        lost = _lost(schema, rewriting)
        if lost:
            ledger.note(f"{profile.title} cannot write all that the schema lets be written: {'; '.join(lost[:3])}")
            return None
        schema = rewriting.schema
        ledger.changes = tuple(str(change) for change in rewriting.changes[:_NOTES])
    name = _NAME.sub("_", forms.name or "answer")[:_LONGEST_NAME]
    inner = {"name": name, "strict": True, "schema": schema}
    return Offer(
        shape="response_format",
        fields={"response_format": {"type": "json_schema", "json_schema": inner}},
        rewriting=rewriting,
        is_wrapped=kind == "wrapped",
    )


def _lost(schema: Any, rewriting: Rewriting) -> list[str]:
    """What only the original lets be written, and somebody asked for: a dict of any keys would always be empty.

    That an object which names its properties is closed costs nothing that is expected.
    """
    lost = []
    for change in rewriting.changes:
        if change.effect != "narrower":
            continue
        is_open = change.keyword == "additionalProperties" and not _names_all(_at(schema, change.place))
        if is_open or change.keyword == "patternProperties" or (change.keyword, change.kind) == ("type", "added"):
            lost.append(f"{change.place}: {change.what}")
    return lost


def _names_all(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get("properties")) and not schema.get("additionalProperties")


def _at(schema: Any, place: str) -> Any:
    """What stands at a JSON pointer; ``None`` if nothing does."""
    for step in place.removeprefix("#").split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, dict):
            schema = schema.get(key)
        elif isinstance(schema, list) and key.isdigit() and int(key) < len(schema):
            schema = schema[int(key)]
        else:
            return None
    return schema


def rewritten(schema: Any, profile: Profile, ledger: Ledger) -> Rewriting | None:
    """What a provider takes in place of a schema; ``None`` if it takes all that is one."""
    if profile.dialect is None:
        return None
    try:
        return rewrite(schema, profile.dialect)
    except MaskwrightError as error:
        ledger.note(f"the schema cannot be rewritten for {profile.title}: {str(error)[:200]}")
        return None

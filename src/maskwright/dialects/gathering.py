"""What applies to one value at once: schemas, references and ``allOf`` opened, alternatives set apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from maskwright.dialects.disjoint import are_disjoint
from maskwright.dialects.findings import Effect
from maskwright.dialects.intake import Taken
from maskwright.schema.drafts import EVERY_KEYWORD
from maskwright.schema.references import Subschema

__all__ = ["Choice", "Gathered", "Note", "Part", "gather", "own_keywords"]

#: A schema that applies, and whether its own keywords alone are meant: the rest of it is taken already.
Part = tuple[Subschema, bool]
#: Called with place, keyword, kind, what, effect.
Note = Callable[[str, str, str, str, Effect], None]

_OPENED: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"})


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, of which a value meets at least one."""

    place: str
    keyword: str
    branches: tuple[tuple[Part, ...], ...]

    @property
    def is_free(self) -> bool:
        """Whether some alternative demands nothing."""
        return any(all(here.value is True or here.value == {} for here, _ in branch) for branch in self.branches)


@dataclass(slots=True)
class Gathered:
    """A conjunction."""

    #: Schemas whose own keywords hold; whether these were open before (then their annotations stand elsewhere).
    facts: list[Part] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    #: Where ``false`` stands.
    never: str = ""
    #: References to documents that are not at hand.
    lost: list[Subschema] = field(default_factory=list)


def own_keywords(here: Subschema) -> dict[str, Any]:
    """The keywords of a schema that assert something and are no references or alternatives, in modern form."""
    draft, value = here.resource.draft, here.value
    if draft.lone_reference and "$ref" in value:
        return {}
    own = {name: given for name, given in value.items() if name in draft.keywords and name not in _OPENED}
    for name, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(own.get(name), bool) and own.pop(name) and bound in own:
            own[name] = own.pop(bound)
    return own


def gather(parts: Iterable[Part], taken: Taken, note: Note) -> Gathered:
    """Open what applies in place; a schema that applies to itself says nothing new the second time. Iterative."""
    found = Gathered()
    todo = list(reversed(list(parts)))
    seen: set[Subschema] = set()
    while todo:
        here, own = todo.pop()
        if here.value is False:
            found.never = here.place
            return found
        if here.value is True or here in seen:
            continue
        seen.add(here)
        found.facts.append((here, own))
        if not own:
            todo += reversed(_opened(here, taken, found, note))
    return found


def _opened(here: Subschema, taken: Taken, found: Gathered, note: Note) -> list[Part]:
    """The schemas that apply as well; alternatives go to ``found.choices``."""
    value, keywords, document = here.value, here.resource.draft.keywords, taken.document
    more: list[Part] = []
    if "$ref" in value:
        target = taken.targets.get(here)
        if target is None:
            found.lost.append(here)
        else:
            more.append((target, False))
        if here.resource.draft.lone_reference:
            return more
    if "allOf" in value and "allOf" in keywords:
        note(f"{here.place}/allOf", "allOf", "changed", "the branches are merged into the schema", "equal")
        more += [(document.child(here, one, "allOf", index), False) for index, one in enumerate(value["allOf"])]
    for name in ("anyOf", "oneOf"):
        if name in value and name in keywords:
            branches = [document.child(here, one, name, index) for index, one in enumerate(value[name])]
            if name == "oneOf":
                effect: Effect = "equal" if are_disjoint(branches, taken) else "wider"
                note(f"{here.place}/oneOf", "oneOf", "changed", "it is anyOf", effect)
            found.choices.append(Choice(f"{here.place}/{name}", name, tuple(((one, False),) for one in branches)))
    if "if" in value and "if" in keywords:
        _add_condition(here, taken, found, note)
    return more


def _add_condition(here: Subschema, taken: Taken, found: Gathered, note: Note) -> None:
    """What ``if`` and ``then`` say, or what ``else`` says; wider, since ``else`` is for those that fail ``if``."""
    place, value = f"{here.place}/if", here.value
    names = [name for name in ("if", "then", "else") if name in value]
    parts = {name: (taken.document.child(here, value[name], name), False) for name in names}
    if "then" not in parts and "else" not in parts:
        note(place, "if", "dropped", "without then and else it asserts nothing", "equal")
        return
    holds = tuple(parts[name] for name in ("if", "then") if name in parts)
    branches = (holds, (parts["else"],) if "else" in parts else ())
    choice = Choice(place, "if", branches)
    if choice.is_free:
        note(place, "if", "dropped", "if, then and else are dropped", "wider")
    else:
        note(place, "if", "changed", "it is anyOf: both if and then, or else", "wider")
        found.choices.append(choice)


def says_nothing(here: Subschema) -> bool:
    """Whether the own keywords of a schema assert nothing."""
    return EVERY_KEYWORD.isdisjoint(own_keywords(here))

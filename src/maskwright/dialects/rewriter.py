"""The engine of :func:`maskwright.dialects.rewrite`: conjunctions to schemas inside a dialect, every change noted.

A schema is rewritten by what applies to its value: references beside other keywords and ``allOf`` are opened and met,
alternatives are multiplied out only where something stands beside them, and a reference that stands alone stays one.
A conjunction that is met again below itself becomes a definition, so recursion ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from time import monotonic
from typing import Any, Final

from maskwright.dialects.constants import json_key
from maskwright.dialects.dialect import Dialect
from maskwright.dialects.findings import Change, Effect, Finding, Written
from maskwright.dialects.gathering import Choice, Gathered, Part, gather, says_nothing
from maskwright.dialects.intake import DEFINITIONS, Taken
from maskwright.dialects.leaves import Leaf
from maskwright.dialects.rules import is_refused
from maskwright.dialects.steps import Steps, run
from maskwright.errors import LimitError, Problem
from maskwright.limits import Limits
from maskwright.schema.drafts import EVERY_KEYWORD, LATEST
from maskwright.schema.references import Subschema

__all__ = ["Rewriter"]

Schema = dict[str, Any]
#: Alternatives that are multiplied out; further ones are dropped.
_ALTERNATIVES: Final = 64
#: Conjunctions below one, from which it is not rewritten a second time.
_LARGE: Final = 8
#: Names that say where a schema is, not what holds of a value; they have no use once references lead to ``$defs``.
_STRUCTURAL: Final = frozenset(
    {"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$schema", *DEFINITIONS}
)


class Rewriter:
    """One rewriting while it is made."""

    def __init__(self, taken: Taken, dialect: Dialect, limits: Limits, *, describe: bool) -> None:
        """Nothing is rewritten yet."""
        self.taken = taken
        self.dialect = dialect
        self.describe = describe
        self.unmendable: list[Finding] = []
        self.definitions: dict[str, Written] = {}
        #: Properties that are null where they were absent: ``id()`` of a new ``properties`` -> it, and their names.
        self.absent: dict[int, tuple[Schema, set[str]]] = {}
        self._changes: dict[Change, None] = {}
        self._limits = limits
        self._deadline = monotonic() + limits.compile_seconds
        self._count = 0
        self._names: dict[Subschema, str] = {}
        self._waiting: list[Subschema] = []
        #: Conjunctions that are being rewritten -> the definition that they are needed as.
        self._open: dict[frozenset[Part], str | None] = {}
        #: Large conjunctions that are done. The second time they become definitions: the meetings of recursive schemas
        #: have exponentially many paths to polynomially many conjunctions.
        self._large: dict[frozenset[Part], Schema] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes so far, each once."""
        return tuple(self._changes)

    def note(self, place: str, keyword: str, kind: Any, what: str, effect: Effect, *, why: str = "") -> None:
        """Record a change."""
        rule = is_refused(keyword, self.dialect)
        reason = why or (str(rule) if rule else "one schema takes the place of several")
        self._changes.setdefault(Change(place, keyword, kind, what, reason, effect))

    def rewrite(self) -> Written:
        """The root; definitions that it needs are in :attr:`definitions`."""
        root: Written = run(self.schema(((self.taken.root, False),), whole=True))
        while self._waiting:
            here = self._waiting.pop()
            self.definitions[self._names[here]] = run(self.schema(((here, False),), whole=True))
        if isinstance(root, dict) and set(root) == {"$ref"}:
            root = self.definitions[root["$ref"].removeprefix("#/$defs/")]
        return root

    @property
    def root_name(self) -> str | None:
        """The definition that stands for the whole schema, if some reference needs one."""
        return self._names.get(self.taken.root)

    def schema(self, parts: tuple[Part, ...], place: str = "#", *, whole: bool = False) -> Steps[Written]:
        """The schema of a conjunction; ``False`` if nothing meets it. ``whole``: a lone reference is opened too."""
        if not whole and self._is_reference(parts):
            return self._reference(parts[0][0])
        if len(parts) > 1:
            parts = tuple(dict.fromkeys(part if part[1] else (self._target(part[0]), False) for part in parts))
        key = frozenset(parts)
        if key in self._open:
            self._open[key] = name = self._open[key] or self._new_name("both")
            return {"$ref": f"#/$defs/{name}"}
        if key in self._large:
            return self._shared(key)
        before = self._count = self._counted()
        self._open[key] = None
        made: Written = yield self._conjunction(parts, parts[0][0].place if parts else place)
        needed = self._open.pop(key)
        if needed is not None:
            self.definitions[needed] = made
            made = {"$ref": f"#/$defs/{needed}"}
        if isinstance(made, dict) and (needed is not None or self._count - before >= _LARGE):
            self._large[key] = made
        return made

    def _counted(self) -> int:
        """The number of conjunctions with the one that begins."""
        if self._count >= self._limits.subschemas or monotonic() > self._deadline:
            remedy = "see Limits.subschemas and Limits.compile_seconds"
            raise LimitError(Problem("the rewritten schema becomes too large", remedy=remedy))
        return self._count + 1

    def _shared(self, key: frozenset[Part]) -> Schema:
        """A reference to a large conjunction that was rewritten before."""
        made = self._large[key]
        if set(made) != {"$ref"}:
            name = self._new_name("shared")
            self.definitions[name] = made
            self._large[key] = made = {"$ref": f"#/$defs/{name}"}
        return dict(made)

    # ------------------------------------------------------------------------------------------------- references

    def _is_reference(self, parts: tuple[Part, ...]) -> bool:
        if len(parts) != 1 or parts[0][1] or not isinstance(parts[0][0].value, dict):
            return False
        here = parts[0][0]
        if "$ref" not in here.value or self.taken.targets.get(here) is None:
            return False
        beside = [name for name in here.value if name in EVERY_KEYWORD and name != "$ref"]
        if beside and here.resource.draft.lone_reference:
            for name in beside:
                self.note(f"{here.place}/{name}", name, "dropped", "$ref hides it in this draft", "equal")
            return True
        return all(name not in here.resource.draft.keywords for name in beside)

    def _reference(self, here: Subschema) -> Schema:
        """A reference to a definition of the new schema; what stands beside it is put around it."""
        aside = self.annotations([(here, False)])
        target = self._target(self.taken.targets[here] or here)
        name = self._names.get(target)
        if name is None:
            last = target.place.rpartition("/")[2] if "/" in target.place else "root"
            name = self._names[target] = self._new_name(last)
            self._waiting.append(target)
        made: Schema = {"$ref": f"#/$defs/{name}"}
        if here.value["$ref"] != made["$ref"] and target is not self.taken.root:
            self.note(
                f"{here.place}/$ref",
                "$ref",
                "changed",
                f"it is {made['$ref']}",
                "equal",
                why="definitions are in $defs",
            )
        return self.annotated(made, aside)

    def _target(self, here: Subschema) -> Subschema:
        """What a schema that is a reference and nothing else leads to in the end."""
        seen: set[Subschema] = set()
        while here not in seen and isinstance(here.value, dict) and set(here.value) == {"$ref"}:
            seen.add(here)
            here = self.taken.targets.get(here) or here
        return here

    def _new_name(self, wanted: str) -> str:
        """A name for a definition that is free and needs no escapes."""
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", wanted) or "_"
        taken = {*self._names.values(), *self.definitions, *filter(None, self._open.values())}
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        return name

    # ------------------------------------------------------------------------------------------------ conjunctions

    def _conjunction(self, parts: tuple[Part, ...], place: str) -> Steps[Written]:
        found = gather(parts, self.taken, self.note)
        for here in found.lost:
            rule = self.dialect.other_references
            if rule is not None:
                where, reason = f"{here.place}/$ref", f"the document of {here.value['$ref']!r} is not at hand"
                self.unmendable.append(Finding(self.dialect.name, where, "$ref", reason, rule, "pass it as registry="))
            self.note(
                f"{here.place}/$ref", "$ref", "dropped", "its document is not at hand", "wider", why="nothing to merge"
            )
        if found.never:
            return False
        choices = [choice for choice in found.choices if not choice.is_free or choice.keyword != "anyOf"]
        aside = self.annotations(found.facts)
        if not choices:
            leaf = Leaf(self, [here for here, _ in found.facts], place)
            made = yield leaf.schema()
            return self.annotated(made, aside, leaf.sentences) if isinstance(made, dict) else made
        made = yield self._alternatives(found, choices, place)
        return self.annotated(made, aside) if isinstance(made, dict) else made

    def _alternatives(self, found: Gathered, choices: list[Choice], place: str) -> Steps[Written]:
        """Each alternative together with what stands beside it."""
        base = tuple((here, True) for here, _ in found.facts if not says_nothing(here))
        kept = list(self._affordable(choices))
        if not kept:
            alone: Written = yield self.schema(base, place)
            return alone
        if base or len(kept) > 1:
            for choice in kept:
                self.note(choice.place, choice.keyword, "changed", "what stands beside it is in each branch", "equal")
        made: dict[tuple[Any, ...], Schema] = {}
        for branches in product(*(choice.branches for choice in kept)):
            one = yield self.schema((*base, *(part for branch in branches for part in branch)), place)
            if isinstance(one, dict):
                for branch in one["anyOf"] if set(one) == {"anyOf"} else [one]:
                    made.setdefault(json_key(branch), branch)
        if not made:
            return False
        rows = list(made.values())
        return rows[0] if len(rows) == 1 else {"anyOf": rows}

    def _affordable(self, choices: list[Choice]) -> Iterator[Choice]:
        total = 1
        for choice in choices:
            if total > 1 and total * len(choice.branches) > _ALTERNATIVES:
                what = f"more than {_ALTERNATIVES} alternatives in all"
                self.note(choice.place, choice.keyword, "dropped", what, "wider", why="alternatives are multiplied out")
            else:
                total *= len(choice.branches)
                yield choice

    # ------------------------------------------------------------------------------------------------- annotations

    def annotations(self, facts: list[Part]) -> Schema:
        """What the schemas say beside their keywords, as far as the dialect accepts it; the first of a name counts."""
        found: Schema = {}
        for here, own in facts:
            for name, value in {} if own else here.value.items():
                if name in here.resource.draft.keywords or name in DEFINITIONS:
                    continue
                reason = self._no_annotation(here, name)
                if reason:
                    self.note(f"{here.place}/{name}", name, "dropped", "it asserts nothing", "equal", why=reason)
                else:
                    found.setdefault(name, value)
        return found

    def _no_annotation(self, here: Subschema, name: str) -> str:
        """Why a name beside the keywords is dropped; empty if it is kept."""
        if name in EVERY_KEYWORD:
            return "this draft does not know it"
        rule = is_refused(name, self.dialect)
        if rule:
            return str(rule)
        is_latest = name == "$schema" and here is self.taken.root and here.resource.draft is LATEST
        if name == "$schema":
            return "" if is_latest else "the keywords are those of draft 2020-12"
        return "references lead to $defs" if name in _STRUCTURAL else ""

    def annotated(self, schema: Schema, aside: Schema, sentences: tuple[str, ...] = ()) -> Schema:
        """A schema with annotations; what may not stand beside ``$ref`` is put around it."""
        if sentences and self.describe:
            aside = aside | {"description": " ".join([*filter(None, [aside.get("description")]), *sentences])}
        if not aside:
            return schema
        if "$ref" in schema and (self.dialect.lone_reference or self.dialect.sole):
            self.note(
                "#", "$ref", "changed", "annotations beside it are put around it", "equal", why="$ref stands alone"
            )
            return {**aside, "anyOf": [schema]}
        return {**aside, **schema}

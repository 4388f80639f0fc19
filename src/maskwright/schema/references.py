"""Subschemas and the references between them: base URIs, JSON pointers, anchors (RFC 3986, RFC 6901).

A schema is never copied: a :class:`Subschema` is one value of the document with its place and base URI, made when it is
first reached. Identifiers and anchors are collected only when some reference needs them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from maskwright.errors import ConstraintError, Problem, SchemaError, UnsupportedError
from maskwright.schema.document import json_kind
from maskwright.schema.draft3 import modernised, written_at
from maskwright.schema.drafts import DRAFT_3, LATEST, Draft
from maskwright.schema.identifiers import children, identifier, is_below, joined, list_index
from maskwright.schema.library import Library
from maskwright.schema.metaschemas import Metaschemas
from maskwright.schema.scopes import RECURSIVE, Anchors, Scope, Scopes

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["REFERENCES", "Document", "Resource", "Subschema"]

Schema = dict[str, Any]
#: The keywords that name a schema elsewhere.
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
#: Characters of a reference that a message quotes.
_SHOWN: Final = 200


class Resource:
    """A schema with a URI of its own, against which the references inside it are resolved."""

    __slots__ = ("draft", "uri")

    uri: str
    draft: Draft


class Subschema:
    """One schema inside the document; equal only to itself."""

    __slots__ = ("depth", "parent", "resource", "tokens", "value")

    #: ``True``, ``False`` or a mapping of keywords.
    value: Any
    resource: Resource
    parent: Subschema | None
    #: Steps of the JSON pointer from the parent; for the root of a remote document its URI.
    tokens: tuple[str | int, ...]
    depth: int

    @property
    def place(self) -> str:
        """The JSON pointer from the root of its document, as a URI fragment without percent signs."""
        steps: list[str] = []
        here: Subschema = self
        while here.parent is not None:
            steps.extend(str(token).replace("~", "~0").replace("/", "~1") for token in reversed(here.tokens))
            here = here.parent
        document = str(here.tokens[0]) if here.tokens else ""
        return "/".join([f"{document}#", *reversed(steps)])

    def __repr__(self) -> str:
        """Its place."""
        return f"<Subschema {self.place}>"


class ScopedSubschema(Subschema):
    """A schema together with the dynamic scope in which it is reached; of a schema there is one for each scope."""

    __slots__ = ("origin", "scope")

    #: The schema itself.
    origin: Subschema
    scope: Scope


class Document:
    """A schema document with everything that its references reach.

    Raises :class:`maskwright.errors.SchemaError` if ``value`` is no schema or names an unknown ``$schema``.
    """

    def __init__(self, value: object, registry: Registry[Any] | None = None) -> None:
        """Take a parsed schema; nothing below its root is read yet."""
        if not isinstance(value, (dict, bool)):
            raise SchemaError(Problem(f"a schema is an object or a boolean, not {json_kind(value)}", place="#"))
        self._library = Library(registry)
        self._metaschemas = Metaschemas(self._library)
        #: By the identity of a schema and of its resource. Holds every schema that was ever named by ``id()``, so that
        #: no id is used twice.
        self._known: dict[tuple[int, int], Subschema] = {}
        self._constants: dict[tuple[Subschema | Resource, type, object], Subschema] = {}
        self._targets: dict[tuple[Subschema, str, str], Subschema] = {}
        #: By URI; ``None`` until a reference asks for one.
        self._resources: dict[str, Resource] | None = None
        #: Not kept by the resources, since the subschemas refer to those.
        self._roots: dict[Resource, Subschema] = {}
        #: Name to subschema; empty until a reference asks for one.
        self._anchors: dict[Resource, dict[str, Subschema]] = {}
        self._dynamic: dict[Resource, Anchors] = {}
        #: Dynamic anchors that several resources define: the others mean the same in every scope.
        self._shared: set[str | None] = set()
        self._owners: dict[str | None, Resource] = {}
        #: Schemas of draft 3 as they were written.
        self._written: dict[Subschema, Schema] = {}
        #: ``None`` as long as no reference depends on its dynamic scope.
        self._scopes: Scopes | None = None
        self._views: dict[tuple[Subschema, Scope], ScopedSubschema] = {}
        self.root = self._static_root = self._open(value, "", LATEST)

    @property
    def is_scoped(self) -> bool:
        """Whether subschemas are told apart by their dynamic scopes, as far as the anchors known by now ask for it."""
        return self._scopes is not None and len(self._scopes.names) == len(self._shared)

    def track_scopes(self) -> None:
        """From now on tell subschemas apart by their dynamic scopes, beginning with a new root.

        Needed again when a document came in whose anchors make one more name depend on its scope.
        """
        self._index()
        self._scopes = Scopes(frozenset(self._shared))
        self._views.clear()
        self._targets.clear()
        self.root = self._view(self._static_root, self._scopes.empty)

    def _open(self, value: Any, uri: str, draft: Draft) -> Subschema:
        """The root of a document of its own."""
        root = Subschema()
        root.value, root.parent, root.tokens, root.depth = value, None, (uri,) if uri else (), 0
        if isinstance(value, dict):
            draft = self._draft(root, draft)
            given = identifier(value, draft)
            if given is not None:
                uri = joined(uri, given, root.place, draft.identifier)
        self._resource(root, uri, draft)
        self._known[id(value), id(root.resource)] = root
        if draft is DRAFT_3 and isinstance(value, dict):
            self._modernise(root)
        return root

    def _draft(self, here: Subschema, default: Draft) -> Draft:
        try:
            return self._metaschemas.draft(here.value, default)
        except ConstraintError as error:
            raise _placed(error, here.place) from error

    def _resource(self, root: Subschema, uri: str, draft: Draft) -> None:
        resource = Resource()
        resource.uri, resource.draft = uri, draft
        root.resource = resource
        self._roots[resource] = root

    def _modernise(self, here: Subschema) -> None:
        self._written[here] = here.value
        try:
            here.value = modernised(here.value)
        except ConstraintError as error:
            raise _placed(error, f"{here.place}/{error.problems[0].keyword}") from error

    def written(self, subschema: Subschema) -> Any:
        """A schema as its author wrote it: one of draft 3 is read in other words."""
        origin = subschema.origin if isinstance(subschema, ScopedSubschema) else subschema
        return self._written.get(origin, subschema.value)

    def child(self, parent: Subschema, value: Any, *tokens: str | int) -> Subschema:
        """The subschema below ``parent`` at ``tokens``; the same object each time."""
        if self._scopes is not None and isinstance(parent, ScopedSubschema):
            return self._view(self.child(parent.origin, value, *tokens), parent.scope)
        resource = parent.resource
        key = (id(value), id(resource))
        found = self._known.get(key)
        if found is not None and value is not True and value is not False:
            return found
        made = Subschema()
        made.value, made.parent, made.tokens, made.depth = value, parent, tokens, parent.depth + 1
        made.resource = resource
        if value is True or value is False:
            return made
        if isinstance(value, dict):
            if resource.draft.identifier in value:
                self._identify(made, resource)
            if resource.draft is DRAFT_3 or made.resource is not resource:
                self._rewrite(made, parent)
        self._known[key] = made
        return made

    def _rewrite(self, made: Subschema, parent: Subschema) -> None:
        """Keep the place that a schema of draft 3 was written at, and read it as one of draft 4."""
        self._known[id(made.value), id(made.resource)] = made
        if parent.resource.draft is DRAFT_3:
            made.tokens = written_at(made.tokens, self._written[parent])
        if made.resource.draft is DRAFT_3:
            self._modernise(made)

    def _identify(self, made: Subschema, resource: Resource) -> None:
        """Make a schema with an identifier of the dialect around it a resource; it may name another dialect."""
        given = identifier(made.value, resource.draft)
        if given and not given.startswith("#"):
            draft = self._draft(made, resource.draft) if "$schema" in made.value else resource.draft
            self._resource(made, joined(resource.uri, given, made.place, resource.draft.identifier), draft)

    def _view(self, subschema: Subschema, scope: Scope) -> Subschema:
        """A subschema as it is reached from a scope, which the anchors of its own resource extend."""
        if self._scopes is None or subschema.value is True or subschema.value is False:
            return subschema
        resource = subschema.resource
        if resource not in self._anchors:
            self._collect(self._roots[resource])
        inside = self._scopes.enter(scope, self._dynamic.get(resource, {}))
        found = self._views.get((subschema, inside))
        if found is None:
            found = self._views[subschema, inside] = ScopedSubschema()
            found.value, found.resource, found.parent = subschema.value, resource, subschema.parent
            found.tokens, found.depth = subschema.tokens, subschema.depth
            found.origin, found.scope = subschema, inside
        return found

    def constant(self, parent: Subschema, value: Any, *tokens: str | int) -> Subschema:
        """The schema of a constant or of a part of one (``enum``, which every draft knows).

        Equal scalars of one parent share it. Identifiers inside a constant are none.
        """
        scalar = value is None or isinstance(value, (str, bool, int))
        key = (parent, type(value), value) if scalar else (parent.resource, type(value), id(value))
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = Subschema()
            found.value, found.parent, found.tokens = {"enum": [value]}, parent, tokens
            found.resource, found.depth = parent.resource, parent.depth + 1
        return found

    def resolve(self, referrer: Subschema, reference: str, keyword: str = "$ref") -> Subschema:
        """The subschema that a reference names; ``keyword`` is one of :data:`REFERENCES`.

        Raises :class:`maskwright.errors.SchemaError` for a pointer or anchor to nowhere and
        :class:`maskwright.errors.UnsupportedError` for a document that neither the schema nor the registry holds.
        """
        key = (referrer, reference, keyword)
        found = self._targets.get(key)
        if found is None:
            find = self._scoped_target if isinstance(referrer, ScopedSubschema) else self._target
            found = self._targets[key] = find(referrer, reference, keyword)  # type: ignore[arg-type]
        return found

    def _scoped_target(self, referrer: ScopedSubschema, reference: str, keyword: str) -> Subschema:
        target = self.resolve(referrer.origin, reference, keyword)
        if keyword != "$ref":
            name = RECURSIVE if keyword == "$recursiveRef" else unquote(reference.partition("#")[2])
            if self._dynamic.get(target.resource, {}).get(name) is target:
                target = referrer.scope.targets.get(name, target)
        return self._view(target, referrer.scope)

    def _target(self, referrer: Subschema, reference: str, keyword: str) -> Subschema:
        uri, _, fragment = reference.partition("#")
        resource = self._find(referrer, uri, reference, keyword) if uri else referrer.resource
        if "%" in fragment:
            fragment = unquote(fragment)
        if not fragment:
            return self._roots[resource]
        target = (
            self._walk(self._roots[resource], fragment)
            if fragment.startswith("/")
            else self._anchor(resource, fragment)
        )
        if target is None:
            remedy = "define it there, or correct the reference"
            reason = f"{keyword} points to nowhere: {_cut(reference)}"
            raise SchemaError(Problem(reason, referrer.place, keyword, remedy))
        return target

    def _find(self, referrer: Subschema, uri: str, reference: str, keyword: str) -> Resource:
        full = joined(referrer.resource.uri, uri, referrer.place, keyword)
        if full == referrer.resource.uri:
            return referrer.resource
        resources = self._index()
        found = resources.get(full)
        if found is None:
            root = self._fetch(full, referrer, reference, keyword)
            found = resources[full] = root.resource
            self._collect(root)
        return found

    def _fetch(self, full: str, referrer: Subschema, reference: str, keyword: str) -> Subschema:
        """The root of a document from outside."""
        try:
            document = self._library.document(full)
        except ConstraintError as error:
            raise _placed(error, referrer.place) from error
        if document is None:
            remedy = "pass registry=referencing.Registry() with the document, or move it into $defs"
            reason = f"the document of {keyword} {_cut(reference)} is not at hand"
            raise UnsupportedError(Problem(reason, referrer.place, keyword, remedy))
        contents, draft = document
        return self._open(contents, full, draft or referrer.resource.draft)

    def _index(self) -> dict[str, Resource]:
        """The resources by URI, first of all those of the schema itself."""
        if self._resources is None:
            self._resources = {}
            self._collect(self._static_root)
        return self._resources

    def _collect(self, root: Subschema) -> None:
        """Note the identifiers and anchors of a whole document."""
        resources = self._index()
        resources.setdefault(root.resource.uri, root.resource)
        stack, seen = [root], {root}
        while stack:
            here = stack.pop()
            resource = here.resource
            self._anchors.setdefault(resource, {})
            if self._roots[resource] is here:
                resources.setdefault(resource.uri, resource)
            if not isinstance(here.value, dict):
                continue
            self._note_anchors(here, resource)
            for tokens, value in children(here.value):
                if isinstance(value, dict):
                    below = self.child(here, value, *tokens)
                    if below not in seen:
                        seen.add(below)
                        stack.append(below)

    def _note_anchors(self, here: Subschema, resource: Resource) -> None:
        anchors, draft, value = self._anchors[resource], resource.draft, here.value
        for keyword in draft.anchors:
            name = value.get(keyword)
            if isinstance(name, str):
                anchors.setdefault(name, here)
                if keyword == "$dynamicAnchor":
                    self._note_dynamic(name, here, resource)
        if (
            value.get("$recursiveAnchor") is True
            and "$recursiveRef" in draft.keywords
            and self._roots[resource] is here
        ):
            self._note_dynamic(RECURSIVE, here, resource)
        given = value.get(draft.identifier)
        if not draft.anchors and isinstance(given, str) and "#" in given:
            anchors.setdefault(given.partition("#")[2], here)

    def _note_dynamic(self, name: str | None, here: Subschema, resource: Resource) -> None:
        self._dynamic.setdefault(resource, {}).setdefault(name, here)
        if self._owners.setdefault(name, resource) is not resource:
            self._shared.add(name)

    def _anchor(self, resource: Resource, name: str) -> Subschema | None:
        self._index()
        if resource not in self._anchors:
            self._collect(self._roots[resource])
        return self._anchors[resource].get(name)

    def _walk(self, root: Subschema, pointer: str) -> Subschema | None:
        """Follow a JSON pointer; identifiers of the schemas on the way change the base URI of what lies below."""
        holder, value = root, self._written.get(root, root.value)
        tokens: tuple[str | int, ...] = ()
        #: Steps since the last schema, of which the holder need not be one.
        steps: tuple[str | int, ...] = ()
        for raw in pointer[1:].split("/"):
            token: str | int = raw.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list):
                index = list_index(raw)
                if index is None or index >= len(value):
                    return None
                token = index
            elif not isinstance(value, dict) or token not in value:
                return None
            value, tokens, steps = value[token], (*tokens, token), (*steps, token)
            if isinstance(value, dict) and is_below(steps):
                steps = ()
                if holder.resource.draft.identifier in value:
                    holder, tokens = self.child(holder, value, *tokens), ()
        if not tokens:
            return holder
        return self.child(holder, value, *tokens) if isinstance(value, (dict, bool)) else None


def _cut(reference: str) -> str:
    """A reference as messages quote it."""
    return repr(reference if len(reference) <= _SHOWN else f"{reference[:_SHOWN]}...")


def _placed(error: ConstraintError, place: str) -> ConstraintError:
    """The same error, with a place in those of its problems that have none."""
    return type(error)(*(replace(problem, place=problem.place or place) for problem in error.problems))

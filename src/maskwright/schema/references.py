"""Subschemas and the references between them: base URIs, JSON pointers, anchors (RFC 3986, RFC 6901).

A schema is never copied: a :class:`Subschema` is one value of the document with its place and base URI, made when it is
first reached. Identifiers and anchors are collected only when some reference needs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote, urldefrag, urljoin

from maskwright.errors import Problem, SchemaError, UnsupportedError
from maskwright.schema.document import json_kind
from maskwright.schema.drafts import LATEST, Draft, find_draft

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["Document", "Resource", "Subschema"]

Schema = dict[str, Any]
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies")
_SINGLES: Final = (
    "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip


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


def _identifier(value: Schema, draft: Draft) -> str | None:
    """The identifier of a schema; up to draft 7 one beside ``$ref`` is ignored, as is any other sibling."""
    given = value.get(draft.identifier)
    if not isinstance(given, str) or (draft.lone_reference and isinstance(value.get("$ref"), str)):
        return None
    return given


def _children(value: Schema) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every subschema one level below, whether or not the draft applies it (identifiers count wherever they stand)."""
    for name in _SINGLES:
        if name in value:
            yield (name,), value[name]
    for name in _MAPS:
        below = value.get(name)
        if isinstance(below, dict):
            yield from (((name, key), schema) for key, schema in below.items())
    for name in (*_LISTS, "items"):
        below = value.get(name)
        if isinstance(below, list):
            yield from (((name, index), schema) for index, schema in enumerate(below))


class Document:
    """A schema document with everything that its references reach.

    Raises :class:`maskwright.errors.SchemaError` if ``value`` is no schema or names an unknown ``$schema``.
    """

    def __init__(self, value: object, registry: Registry[Any] | None = None) -> None:
        """Take a parsed schema; nothing below its root is read yet."""
        if not isinstance(value, (dict, bool)):
            raise SchemaError(Problem(f"a schema is an object or a boolean, not {json_kind(value)}", place="#"))
        self._registry = registry
        #: Holds every schema that was ever named by ``id()``, so that no id is used twice.
        self._known: dict[tuple[int, int], Subschema] = {}
        self._constants: dict[tuple[Subschema, type, object], Subschema] = {}
        self._targets: dict[tuple[Subschema, str], Subschema] = {}
        self._resources: dict[str, Resource] | None = None
        #: Not kept by the resources, since the subschemas refer to those.
        self._roots: dict[Resource, Subschema] = {}
        #: Name to subschema; empty until a reference asks for one.
        self._anchors: dict[Resource, dict[str, Subschema]] = {}
        self.root = self._open(value, "", LATEST)

    def _open(self, value: Any, uri: str, draft: Draft) -> Subschema:
        """The root of a document of its own."""
        root = Subschema()
        root.value, root.parent, root.tokens, root.depth = value, None, (uri,) if uri else (), 0
        if isinstance(value, dict):
            draft = self._draft(value, draft)
            given = _identifier(value, draft)
            uri = urldefrag(urljoin(uri, given or ""))[0] if given or uri else ""
        self._resource(root, uri, draft)
        return root

    def _draft(self, value: Schema, default: Draft) -> Draft:
        uri = value.get("$schema")
        if uri is None:
            return default
        draft = find_draft(uri) if isinstance(uri, str) else None
        if draft is None:
            known = "drafts 4, 6, 7, 2019-09 and 2020-12 are known"
            raise SchemaError(Problem(f"$schema names no known dialect: {uri!r}", "#", "$schema", known))
        return draft

    def _resource(self, root: Subschema, uri: str, draft: Draft) -> Resource:
        resource = Resource()
        resource.uri, resource.draft = uri, draft
        root.resource = resource
        self._roots[resource] = root
        self._known[id(root.value), id(resource)] = root
        return resource

    def child(self, parent: Subschema, value: Any, *tokens: str | int) -> Subschema:
        """The subschema below ``parent`` at ``tokens``; the same object each time."""
        resource = parent.resource
        key = (id(value), id(resource))
        found = self._known.get(key)
        if found is not None and value is not True and value is not False:
            return found
        made = Subschema()
        made.value, made.parent, made.tokens, made.depth = value, parent, tokens, parent.depth + 1
        made.resource = resource
        if isinstance(value, dict):
            given = _identifier(value, resource.draft) if resource.draft.identifier in value else None
            if given is not None and not given.startswith("#"):
                draft = self._draft(value, resource.draft) if "$schema" in value else resource.draft
                self._resource(made, urldefrag(urljoin(resource.uri, given))[0], draft)
        if value is not True and value is not False:
            self._known[key] = made
        return made

    def constant(self, parent: Subschema, value: Any, token: str | int) -> Subschema:
        """The schema of a part of a constant (``enum``, which every draft knows); equal scalars share it."""
        scalar = value is None or isinstance(value, (str, bool, int))
        key = (parent, type(value), value if scalar else id(value))
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = Subschema()
            found.value, found.parent, found.tokens = {"enum": [value]}, parent, (token,)
            found.resource, found.depth = parent.resource, parent.depth + 1
        return found

    def resolve(self, referrer: Subschema, reference: str) -> Subschema:
        """The subschema that a ``$ref`` names.

        Raises :class:`maskwright.errors.SchemaError` for a pointer or anchor to nowhere and
        :class:`maskwright.errors.UnsupportedError` for a document that neither the schema nor the registry holds.
        """
        found = self._targets.get((referrer, reference))
        if found is None:
            found = self._targets[referrer, reference] = self._target(referrer, reference)
        return found

    def _target(self, referrer: Subschema, reference: str) -> Subschema:
        uri, fragment = ("", reference[1:]) if reference.startswith("#") else urldefrag(reference)
        resource = self._find(referrer, uri, reference) if uri else referrer.resource
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
            raise SchemaError(Problem(f"$ref points to nowhere: {reference!r}", referrer.place, "$ref", remedy))
        return target

    def _find(self, referrer: Subschema, uri: str, reference: str) -> Resource:
        full = urldefrag(urljoin(referrer.resource.uri, uri))[0]
        if full == referrer.resource.uri:
            return referrer.resource
        if self._resources is None:
            self._resources = {}
            self._collect(self.root)
        found = self._resources.get(full)
        if found is None:
            contents = self._retrieve(full)
            if contents is None:
                remedy = "pass registry=referencing.Registry() with the document, or move it into $defs"
                raise UnsupportedError(
                    Problem(f"the document of $ref {reference!r} is not at hand", referrer.place, "$ref", remedy)
                )
            root = self._open(contents, full, referrer.resource.draft)
            found = self._resources[full] = root.resource
            self._collect(root)
        return found

    def _retrieve(self, uri: str) -> object:
        if self._registry is None:
            return None
        try:
            return cast("object", self._registry.get_or_retrieve(uri).value.contents)
        except LookupError:
            return None

    def _collect(self, root: Subschema) -> None:
        """Note the identifiers and anchors of a whole document."""
        resources = cast("dict[str, Resource]", self._resources)
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
            for tokens, value in _children(here.value):
                if isinstance(value, dict):
                    below = self.child(here, value, *tokens)
                    if below not in seen:
                        seen.add(below)
                        stack.append(below)

    def _note_anchors(self, here: Subschema, resource: Resource) -> None:
        anchors = self._anchors[resource]
        for keyword in resource.draft.anchors:
            name = here.value.get(keyword)
            if isinstance(name, str):
                anchors.setdefault(name, here)
        given = here.value.get(resource.draft.identifier)
        if not resource.draft.anchors and isinstance(given, str) and "#" in given:
            anchors.setdefault(given.partition("#")[2], here)

    def _anchor(self, resource: Resource, name: str) -> Subschema | None:
        if resource not in self._anchors:
            self._resources = {} if self._resources is None else self._resources
            self._collect(self._roots[resource])
        return self._anchors[resource].get(name)

    def _walk(self, root: Subschema, pointer: str) -> Subschema | None:
        """Follow a JSON pointer; identifiers on the way change the base URI of what lies below."""
        holder, value, tokens = root, root.value, cast("tuple[str | int, ...]", ())
        for raw in pointer[1:].split("/"):
            token = raw.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and token in value:
                value, tokens = value[token], (*tokens, token)
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                value, tokens = value[int(token)], (*tokens, int(token))
            else:
                return None
            if isinstance(value, dict) and isinstance(value.get(holder.resource.draft.identifier), str):
                holder, tokens = self.child(holder, value, *tokens), ()
        if not tokens:
            return holder
        return self.child(holder, value, *tokens) if isinstance(value, (dict, bool)) else None

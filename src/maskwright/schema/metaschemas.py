"""The dialect of a schema: what ``$schema`` names, a draft or a metaschema of somebody's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskwright.errors import ConstraintError, Problem, SchemaError, excerpt
from maskwright.schema.drafts import LATEST, Draft, find_draft
from maskwright.schema.library import Library
from maskwright.schema.vocabularies import restricted

__all__ = ["Metaschemas"]

_KNOWN = (
    "drafts 3, 4, 6, 7, 2019-09 and 2020-12 are known; pass registry=referencing.Registry() with another metaschema"
)


class Metaschemas:
    """The dialects that were met, each read once."""

    def __init__(self, library: Library) -> None:
        """Metaschemas come from the library when a schema names one."""
        self._library = library
        self._read: dict[str, Draft] = {}

    def draft(self, value: Mapping[str, Any], default: Draft) -> Draft:
        """The draft of a schema by its ``$schema``, with the vocabularies of its metaschema; else the default.

        Raises :class:`maskwright.errors.SchemaError` for a metaschema that is not at hand or is none, and
        :class:`maskwright.errors.UnsupportedError` for one that requires an unknown vocabulary; both without a place.
        """
        uri = value.get("$schema")
        if uri is None:
            return default
        if not isinstance(uri, str):
            raise SchemaError(Problem(f"$schema names no known dialect: {excerpt(uri)}", "", "$schema", _KNOWN))
        draft = find_draft(uri) or self._read.get(uri)
        if draft is None:
            draft = self._read[uri] = self._custom(uri)
        return draft

    def _custom(self, first: str) -> Draft:
        """Follow metaschemas to one that lists its vocabularies or is written in a known draft."""
        uri = first
        chain = {uri}
        while True:
            metaschema = self._metaschema(uri)
            above = metaschema.get("$schema")
            draft = LATEST if above is None else find_draft(above) if isinstance(above, str) else None
            if "$vocabulary" in metaschema and (draft is None or draft.has_vocabularies):
                return restricted(draft or LATEST, metaschema["$vocabulary"], uri)
            if draft is not None:
                return draft
            if not isinstance(above, str) or above in chain:
                reason = f"the metaschema {uri!r} lists no vocabularies, and its own $schema names no draft"
                raise SchemaError(Problem(reason, "", "$schema", "let it name a draft, or list $vocabulary"))
            chain.add(above)
            uri = above

    def _metaschema(self, uri: str) -> Mapping[str, Any]:
        try:
            found = self._library.document(uri.partition("#")[0])
        except ConstraintError:
            found = None
        if found is None or not isinstance(found[0], Mapping):
            raise SchemaError(Problem(f"$schema names no known dialect: {uri!r}", "", "$schema", _KNOWN))
        return found[0]

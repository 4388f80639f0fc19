"""Documents from outside a schema: those of the user's registry, and the metaschemas of the drafts, built in.

Nothing is fetched from a network here. A ``referencing.Registry`` that was given a ``retrieve`` function may do so:
that is its owner's choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from maskwright.errors import Problem, UnsupportedError
from maskwright.schema.drafts import DRAFTS, Draft

if TYPE_CHECKING:
    from referencing import Registry, Resource

__all__ = ["Library"]

#: Only these have a metaschema; other URIs do not load the package that holds them.
_METASCHEMAS: Final = ("http://json-schema.org/draft", "https://json-schema.org/draft")
#: By the names of the specifications of ``referencing``.
_SPECIFICATIONS: Final = {
    draft.name if draft.name.startswith("draft") else f"draft{draft.name}": draft for draft in DRAFTS.values()
}


class Library:
    """The documents that a schema may refer to without holding them."""

    def __init__(self, registry: Registry[Any] | None) -> None:
        """Nothing is looked up yet."""
        self._registry = registry

    def document(self, uri: str) -> tuple[object, Draft | None] | None:
        """The document at an absolute URI and the draft that its owner names for it; ``None`` if it is not at hand.

        The registry has precedence. Raises :class:`maskwright.errors.UnsupportedError` if looking there fails.
        """
        found = self._registered(uri)
        if found is not None:
            return found.contents, _SPECIFICATIONS.get(_specification(found))
        contents = _metaschema(uri)
        return None if contents is None else (contents, None)

    def _registered(self, uri: str) -> Resource[Any] | None:
        if self._registry is None:
            return None
        try:
            retrieved = self._registry.get_or_retrieve(uri)
        except LookupError as error:
            if error.__cause__ is None:
                return None
            raise _failure(uri, error.__cause__) from error
        except Exception as error:
            raise _failure(uri, error) from error
        # What was crawled to find it need not be crawled again.
        self._registry = retrieved.registry
        return retrieved.value


def _failure(uri: str, cause: BaseException) -> UnsupportedError:
    """The registry's own ``retrieve`` raised, or gave a document without a dialect."""
    reason = f"the registry cannot give {uri!r}: {type(cause).__name__}: {cause}"
    return UnsupportedError(
        Problem(reason, keyword="$ref", remedy="put the document into the registry, with its dialect")
    )


def _specification(resource: Resource[Any]) -> str:
    """The name of the dialect that a resource was made for; the package keeps it, but offers no way to ask."""
    return str(getattr(getattr(resource, "_specification", None), "name", ""))


def _metaschema(uri: str) -> Mapping[str, Any] | None:
    """A metaschema or a document of its vocabularies, under ``http`` and ``https`` alike."""
    if not uri.startswith(_METASCHEMAS):
        return None
    # Loading them takes 60 ms, and few schemas ask for one.
    from jsonschema_specifications import REGISTRY  # noqa: PLC0415

    address = uri.partition("://")[2]
    for name in (f"http://{address}", f"https://{address}"):
        if name in REGISTRY:
            return cast("Mapping[str, Any]", REGISTRY.contents(name))
    return None

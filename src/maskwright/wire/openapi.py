"""The description of our endpoints (OpenAPI 3.1.0), made from the tables of fields that the readers read by."""

from __future__ import annotations

from typing import Any

__all__ = ["openapi"]


def openapi(*, title: str = "Maskwright", version: str = "", models: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document; ``models`` are the names that ``model`` may have."""
    raise NotImplementedError

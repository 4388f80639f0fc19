"""Refusals of fields: three kinds, each with its code, and how the two vendors' APIs word and number them."""

from __future__ import annotations

from typing import Final

from maskwright.errors import RequestError

__all__ = ["CEREBRAS_CODE", "invalid", "missing", "of_vendor", "unknown_field", "unsupported"]

#: What Cerebras calls every fault of a request (``wire.md`` 1.4).
CEREBRAS_CODE: Final = "wrong_api_format"
#: Codes of requests that are well-formed but ask for what is not offered: 400 everywhere.
_OFFERS: Final = frozenset({"unsupported_parameter", "unsupported_value"})


def invalid(param: str, reason: str, *, code: str = "invalid_value") -> RequestError:
    """A value that the field cannot have."""
    return RequestError(f"{param}: {reason}" if param else reason, param=param or None, code=code)


def missing(param: str) -> RequestError:
    """A field without which there is no request."""
    return invalid(param, "this field is required", code="missing_required_parameter")


def unsupported(param: str, reason: str, *, code: str = "unsupported_parameter") -> RequestError:
    """A field with a meaning that is not honoured here."""
    return RequestError(f"{param} is not supported: {reason}", param=param, code=code)


def unknown_field(name: str, compat: str) -> RequestError:
    """A field, or a member at a path, that an API does not know, in its words."""
    if compat == "cerebras":
        path = name.replace("[", ".").replace("]", "")
        message = f"body.{path}: property 'body.{path}' is unsupported"
        return RequestError(message, status=422, param=name, code=CEREBRAS_CODE)
    is_member = "." in name or "[" in name
    message = f"Unknown parameter: '{name}'." if is_member else f"Unrecognized request argument supplied: {name}"
    return RequestError(message, param=name, code="unknown_parameter")


def of_vendor(error: RequestError, compat: str) -> RequestError:
    """The same refusal with the status and the code that an API gives it."""
    if compat != "cerebras" or error.status != 400:
        return error
    status = 400 if error.code in _OFFERS else 422
    return RequestError(error.message, status=status, type=error.type, param=error.param, code=CEREBRAS_CODE)

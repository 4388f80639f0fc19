"""Python types to JSON Schema, through pydantic's own schema generation (optional package ``pydantic``).

pydantic describes some types by a ``format`` that means something else to it than to the RFC of that name: a
``datetime`` may lack an offset and its second is never 60, a ``timedelta`` may have a sign and a fraction, ``uuid4`` is
no format of JSON Schema. Where that is so the generator here says what pydantic reads, in the spelling that it writes:
what the schema accepts, the type validates, and what the type dumps, the schema accepts. What no JSON Schema can say,
as a validator written in Python or the bounds of a date, is left to the type.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from inspect import isroutine
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, Final, get_origin

from maskwright.errors import ConstraintError, PolicyError, Problem, SchemaError

if TYPE_CHECKING:
    from pydantic.json_schema import GenerateJsonSchema as _Generate
else:
    _Generate = object

__all__ = ["is_python_type", "schema_of"]

# ECMA-262 patterns. Digits are spelled out: pydantic's own patterns are of Rust, where \d means those of all scripts.
_DAYS: Final = (
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
)
_LEAP_YEAR: Final = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE: Final = f"(?!0000)(?:[0-9]{{4}}-(?:{_DAYS})|{_LEAP_YEAR}-02-29)"
_TIME: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
_OFFSET: Final = "(?:Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
#: How often the offset is written, by ``tz_constraint``.
_OFFSETS: Final[Mapping[object, str]] = {"aware": _OFFSET, "naive": ""}
#: At most 999,999,999 days in all, whatever parts are given.
_DURATION: Final = (
    "^-?P(?=[0-9T])(?:[01]?[0-9]{1,6}Y)?(?:[0-9]{1,4}M)?(?:[0-9]{1,4}W)?(?:[0-9]{1,8}D)?"
    r"(?:T(?=[0-9])(?:[0-9]{1,9}H)?(?:[0-9]{1,9}M)?(?:[0-9]{1,9}(?:\.[0-9]{1,9})?S)?)?$"
)
_WHOLE: Final = "(?:0|[1-9][0-9]{0,39})"
#: What a key of ``dict[int, ...]`` and its like may be.
_KEYS: Final[Mapping[str, Mapping[str, object]]] = {
    "int": {"pattern": f"^(?:-?{_WHOLE})$"},
    "float": {"pattern": rf"^-?{_WHOLE}(?:\.[0-9]{{1,40}})?(?:e[-+]?[0-9]{{1,2}})?$"},
    "bool": {"enum": ["true", "false"]},
}
#: U+0085 is white space to Rust and none to ECMA-262.
_STRIPPED: Final = r"^(?:[^\s\x85](?:[\s\S]*[^\s\x85])?)?$"
_ASCII: Final = r"^[\x00-\x7f]*$"
_FINITE: Final = {"minimum": Decimal("-1E308"), "maximum": Decimal("1E308")}
_BOUNDS: Final = ("ge", "gt", "le", "lt", "multiple_of")
#: A host that every URL parser reads alike: a name without punycode, or four numbers.
_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_HOST: Final = (
    rf"(?:(?![^/?#]*[xX][nN]--)(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    rf"|(?:{_OCTET}\.){{3}}{_OCTET})"
)
_SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*"
_USER: Final = "(?:[A-Za-z0-9._~-]+(?::[A-Za-z0-9._~-]*)?@)?"
_REST: Final = "(?::[0-9]{1,4})?(?:[/?#][!#-;=?-Z_a-z~]*)?"


def is_python_type(value: object) -> bool:
    """Whether a value is a type, a type form (``list[int]``, ``Literal[...]``), a function or a ``TypeAdapter``."""
    return (
        isinstance(value, (type, GenericAlias, UnionType))
        or isroutine(value)
        or get_origin(value) is not None
        or type(value).__module__ in {"typing", "typing_extensions", "functools"}
        or (type(value).__module__.startswith("pydantic") and hasattr(value, "core_schema"))
    )


def schema_of(described: object) -> dict[str, Any]:
    """The JSON Schema of what a type validates, or of the arguments of a function, by name, as one object.

    Fields are named by their aliases and keep their order; defaults make them optional. ``**kwargs`` are further
    members of the object.

    Raises:
        SchemaError: pydantic cannot describe the type, or the function takes ``*args``.
        PolicyError: pydantic is not installed.
    """
    adapter_class, generator = _pydantic()
    try:
        adapter = described if isinstance(described, adapter_class) else adapter_class(described)
        schema: dict[str, Any] = adapter.json_schema(by_alias=True, mode="validation", schema_generator=generator)
    except ConstraintError:
        raise
    except Exception as cause:  # a type's own hooks may raise anything
        reason = str(cause).partition("\n")[0].rstrip(".")
        name = getattr(described, "__qualname__", None) or repr(described)
        remedy = "give a type that pydantic can describe, or a JSON Schema"
        if "typing_extensions.TypedDict" in str(cause):
            remedy = "before Python 3.12 take TypedDict from typing_extensions"
        elif type(cause).__name__ in {"PydanticUndefinedAnnotation", "NameError", "PydanticUserError"}:
            remedy = (
                "names must be known where the type is defined; else build a pydantic.TypeAdapter there and pass it"
            )
        problem = Problem(f"no JSON Schema describes {name}: {type(cause).__name__}: {reason}", remedy=remedy)
        raise SchemaError(problem) from cause
    return schema


@lru_cache(maxsize=1)
def _pydantic() -> tuple[Any, type]:
    """``TypeAdapter`` and the generator of schemas."""
    try:
        pydantic: Any = importlib.import_module("pydantic")
        generate: type = importlib.import_module("pydantic.json_schema").GenerateJsonSchema
    except ImportError as cause:
        raise PolicyError("Python types are described by pydantic 2.9 or newer: pip install pydantic") from cause
    return pydantic.TypeAdapter, type("Generator", (_Exact, generate), {})


class _Exact(_Generate):
    """Overrides for what pydantic's generator says too loosely; the base is mixed in when pydantic is there."""

    #: A default that is no JSON needs no warning: defaults are not part of what is accepted.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012  (as in the base)

    def arguments_schema(self, schema: Any) -> dict[str, Any]:
        """By name even where Python wants a place; tuples with names stay arrays."""
        if schema.get("metadata", {}).get("pydantic_js_prefer_positional_arguments"):
            return super().arguments_schema(schema)
        if schema.get("var_args_schema") is not None:
            reason = "`*args` have no names, so no member of an object stands for them"
            raise SchemaError(Problem(reason, remedy="take a list as one argument"))
        found = self.kw_arguments_schema(schema["arguments_schema"], schema.get("var_kwargs_schema"))
        # A keyword that is no parameter is refused by Python, whatever pydantic's configuration says.
        return found if schema.get("var_kwargs_schema") is not None else {**found, "additionalProperties": False}

    def str_schema(self, schema: Any) -> dict[str, Any]:
        """Text whose ends are stripped is written stripped, so that its length is what is counted."""
        found = super().str_schema(schema)
        if schema.get("strip_whitespace"):
            return {**found, "allOf": [*found.get("allOf", ()), {"pattern": _STRIPPED}]}
        return found

    def bytes_schema(self, schema: Any) -> dict[str, Any]:
        """Lengths count bytes here and characters in JSON Schema; both agree on ASCII."""
        found = super().bytes_schema(schema)
        return {**found, "pattern": _ASCII} if schema.get("max_length") is not None else found

    def date_schema(self, schema: Any) -> dict[str, Any]:
        """Years from 1 on."""
        return {**super().date_schema(schema), "pattern": "^(?!0000)"}

    def time_schema(self, schema: Any) -> dict[str, Any]:
        """With or without an offset, as ``tz_constraint`` says; no leap second."""
        return _text(_TIME + _offset(schema))

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        """The same for a date and a time."""
        return _text(f"{_DATE}T{_TIME}{_offset(schema)}")

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:
        """ISO 8601 with sign and fraction, or seconds as a number where the configuration says so."""
        found = super().timedelta_schema(schema)
        return {"type": "string", "pattern": _DURATION} if found.get("format") == "duration" else found

    def uuid_schema(self, schema: Any) -> dict[str, Any]:
        """A version fixes two digits (RFC 9562 section 4)."""
        version = schema.get("version")
        digit = "[0-9A-Fa-f]"
        if version is None:
            return super().uuid_schema(schema)
        return _text(f"{digit}{{8}}-{digit}{{4}}-{version}{digit}{{3}}-[89ABab]{digit}{{3}}-{digit}{{12}}")

    def float_schema(self, schema: Any) -> dict[str, Any]:
        """A number that no float can hold is read as infinite, which may be forbidden."""
        found = super().float_schema(schema)
        return {**found, "allOf": [_FINITE]} if schema.get("allow_inf_nan") is False else found

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        """A number, or its digits as text, which is how pydantic writes decimals; bounds other than 0 need a number."""
        number = _decimal_number(schema, {n: v for n, v in super().decimal_schema(schema).items() if n == "title"})
        bounds = {name: schema[name] for name in _BOUNDS if schema.get(name) is not None}
        if any(name not in {"ge", "gt"} or value != 0 for name, value in bounds.items()):
            return number
        return {"anyOf": [number, _text(_decimal_text(schema, bounds))]}

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Keys that are numbers are text in JSON, and not any text."""
        found = super().dict_schema(schema)
        names = _KEYS.get(schema.get("keys_schema", {}).get("type", ""))
        return found if names is None else {**found, "propertyNames": dict(names)}

    def url_schema(self, schema: Any) -> dict[str, Any]:
        """A scheme of the type, a host, a port: what the WHATWG parser of pydantic and RFC 3986 both read."""
        schemes: Sequence[str] = schema.get("allowed_schemes") or ()
        host = f"{_HOST}?" if schemes == ["file"] else _HOST
        listed = "|".join(scheme.replace("+", "[+]").replace(".", "[.]") for scheme in schemes) or _SCHEME
        found = super().url_schema(schema)
        return {**found, "pattern": f"^(?:{listed})://{_USER}{host}{_REST}$"}

    def multi_host_url_schema(self, schema: Any) -> dict[str, Any]:
        """The same; one host of several is enough."""
        found = super().multi_host_url_schema(schema)
        return {**self.url_schema(schema), **{n: v for n, v in found.items() if n not in {"format", "pattern"}}}


def _text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def _offset(schema: Any) -> str:
    return _OFFSETS.get(schema.get("tz_constraint"), f"{_OFFSET}?")


def _decimal_number(schema: Any, found: dict[str, Any]) -> dict[str, Any]:
    """The number, with bounds, as many places and as many digits before them as are allowed."""
    names = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
    found |= {"type": "number"}
    found |= {word: Decimal(schema[name]) for name, word in names.items() if schema.get(name) is not None}
    limits: list[dict[str, Any]] = [_FINITE]
    if schema.get("multiple_of") is not None:
        limits.append({"multipleOf": Decimal(schema["multiple_of"])})
    places, digits = schema.get("decimal_places"), schema.get("max_digits")
    if places is not None or digits is not None:
        limits.append({"multipleOf": Decimal(1).scaleb(-(places or 0))})
    if digits is not None:
        bound = Decimal(1).scaleb(digits - (places or 0))
        limits.append({"exclusiveMinimum": -bound, "exclusiveMaximum": bound})
    return {**found, "allOf": limits}


def _decimal_text(schema: Any, bounds: Mapping[str, Any]) -> str:
    places, digits = schema.get("decimal_places"), schema.get("max_digits")
    sign = "" if bounds else "-?"
    some = "(?=[0.]*[1-9])" if "gt" in bounds else ""
    whole = "[0-9]{1,100}" if digits is None else f"[0-9]{{1,{max(digits - (places or 0), 1)}}}"
    if places == 0:
        return f"{sign}{some}{whole}"
    fraction = rf"(?:\.[0-9]{{1,{places or 100}}})?"
    if digits is None and places is None:
        return rf"{sign}{some}{whole}{fraction}(?:E[-+]?[0-9]{{1,3}})?"
    if places is None:
        return rf"{sign}{some}(?=(?:[0-9]\.?){{1,{digits}}}$){whole}{fraction}"
    return f"{sign}{some}{whole}{fraction}"

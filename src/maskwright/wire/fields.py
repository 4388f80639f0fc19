"""Tables of fields: what one row says, and how a request is read by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from maskwright.errors import PolicyError, excerpt
from maskwright.wire.generation import COMPATS
from maskwright.wire.kinds import Kind
from maskwright.wire.members import unread_members
from maskwright.wire.refusals import invalid, missing, unknown_field, unsupported
from maskwright.wire.values import check_values

__all__ = ["Field", "Reading", "read_fields"]

#: Members of fields that are listed; a conversation may have the same one in a thousand messages.
_LISTED: Final = 20


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a request. Null always means the same as absence."""

    name: str
    kind: Kind
    #: What absence means.
    default: Any = None
    is_required: bool = False
    #: ``honoured``; ``ignored``: accepted and without effect; ``refused`` unless it has a neutral value.
    effect: Literal["honoured", "ignored", "refused"] = "honoured"
    #: Of a refused field: values that ask for nothing.
    neutral: tuple[Any, ...] = ()
    #: What we do with it, or why not and what to send instead.
    note: str
    #: APIs that answer this field, if it is not null, as one that they do not know.
    unknown_to: frozenset[str] = frozenset()

    def read(self, value: object) -> Any:
        """A value of this field, which is not null. Raises ``RequestError``."""
        if self.effect == "refused":
            # 0 is 0.0 in JSON, but not false.
            if not any(value == one and isinstance(value, bool) is isinstance(one, bool) for one in self.neutral):
                raise unsupported(self.name, self.note)
            return self.default
        return self.kind.read(value, self.name)


class Reading(dict[str, Any]):
    """Field to value, defaults filled in; and what was sent that is not known."""

    def __init__(self) -> None:
        super().__init__()
        #: Names of fields that are not null, as they were sent.
        self.given: set[str] = set()
        #: Names of fields, and paths of members within them, that are not known.
        self.ignored: list[str] = []


def read_fields(table: Sequence[Field], data: object, compat: str) -> Reading:
    """The fields of a request, each by its own row; rows know nothing of each other.

    Raises:
        RequestError: a value of no use, a field that is required or not known; ``param`` is the field.
    """
    if compat not in COMPATS:
        raise PolicyError(f"compat is one of {', '.join(COMPATS)}, not {excerpt(compat)}")
    if not isinstance(data, Mapping):
        raise invalid("", f"the body is a JSON object, not {excerpt(data)}", code="invalid_type")
    check_values(data)
    found = Reading()
    for field in table:
        value = data.get(field.name)
        if value is None:
            if field.is_required:
                raise missing(field.name)
            found[field.name] = field.default
            continue
        if compat in field.unknown_to:
            raise unknown_field(field.name, compat)
        found[field.name] = field.read(value)
        found.given.add(field.name)
        _unread(field.name, value, compat, found)
    _unknown(table, data, compat, found)
    return found


def _unread(name: str, value: object, compat: str, found: Reading) -> None:
    for path in unread_members(name, value):
        if compat != "lenient":
            raise unknown_field(path, compat)
        if len(found.ignored) == _LISTED:
            return
        found.ignored.append(path)


def _unknown(table: Sequence[Field], data: Mapping[str, Any], compat: str, found: Reading) -> None:
    known = {field.name for field in table}
    for name, value in data.items():
        if name in known or value is None:
            continue
        if compat != "lenient":
            raise unknown_field(excerpt(name, 80).strip("'\""), compat)
        found.ignored.append(name[:80])

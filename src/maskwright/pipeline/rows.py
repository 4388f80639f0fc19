"""Rows: what an input holds, one a line, each with a number and a digest that tell it from every other.

JSON lines hold a string, or an object with a text and perhaps an id of its own; plain text is one text a line. A line
that is neither is a row as well, one that has failed already, so that no line of the input is missing from the results.
Blank lines are no rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from typing import Any, Final, Literal

from maskwright.errors import InputError, PolicyError, excerpt
from maskwright.pipeline.lines import Line, Readable, read_lines

__all__ = ["Reading", "Row", "read_rows", "row_digest"]

#: Characters of a broken line that its failure keeps.
_KEPT: Final = 1000


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an input.

    Attributes:
        number: The line it stands in, from 1.
        text: What it says.
        id: What the input calls it: a JSON scalar, ``None`` where it does not.
        digest: 63 bits of what it says.
        end: Bytes of the input up to its end.
        error: Why it cannot be read; ``text`` is then the beginning of the line.
    """

    number: int
    text: str
    id: str | int | float | bool | None
    digest: int
    end: int
    error: InputError | None = None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How rows are read from lines.

    Attributes:
        format: ``jsonl`` or ``text``: a row is a line of JSON, or a line as it stands.
        field: The member of an object that holds its text.
        id_field: The member that holds its id, which it may lack.
        longest: Most bytes of a line.
    """

    format: Literal["jsonl", "text"] = "jsonl"
    field: str = "text"
    id_field: str = "id"
    longest: int = 16 << 20

    def __post_init__(self) -> None:
        """Check the format and the length; raises ``PolicyError``."""
        if self.format not in ("jsonl", "text"):
            raise PolicyError(f"the format of an input is jsonl or text, not {excerpt(self.format)}")
        if self.longest < 1:
            raise PolicyError(f"a line has at least 1 byte, not {self.longest}")


def read_rows(stream: Readable, reading: Reading) -> Iterator[Row]:
    """Give the rows of a stream, one at a time.

    Raises:
        OSError: the stream cannot be read.
    """
    for line in read_lines(stream, longest=reading.longest):
        if line.is_too_long or line.data.strip():
            yield _row(line, reading)


def _row(line: Line, reading: Reading) -> Row:
    id_: Any = None
    try:
        content = _content(line, reading)
        if isinstance(content, dict):
            id_ = _id(content, reading)
        text = _text(content, reading)
    except UnicodeEncodeError as cause:
        return _broken(line, f"the text has half of a surrogate pair, character {cause.start + 1}", id_)
    except UnicodeDecodeError as cause:
        return _broken(line, f"byte {cause.start + 1} is no UTF-8: 0x{line.data[cause.start]:02x}")
    except json.JSONDecodeError as cause:
        return _broken(line, f"not JSON: {cause.msg}, character {cause.pos + 1}")
    except RecursionError:
        return _broken(line, "not read: its JSON nests too deeply")
    except (InputError, ValueError) as cause:
        return _broken(line, str(cause), id_)
    return Row(line.number, text, id_, row_digest(text, id_), line.end)


def _content(line: Line, reading: Reading) -> str | dict[str, Any]:
    """What a line holds."""
    if line.is_too_long:
        raise InputError(f"the line has more than {reading.longest:,} bytes")
    written = line.data.decode()
    if reading.format == "text":
        return written
    value = json.loads(written, parse_constant=_refuse_constant)
    if not isinstance(value, (str, dict)):
        raise InputError(f"a row is a string or an object, not {excerpt(value)}")
    return value


def _text(content: str | dict[str, Any], reading: Reading) -> str:
    if isinstance(content, dict) and reading.field not in content:
        raise InputError(f"the object has no {reading.field!r} (its members: {excerpt(list(content), 200)})")
    text = content[reading.field] if isinstance(content, dict) else content
    if not isinstance(text, str):
        raise InputError(f"{reading.field!r} is no string: {excerpt(text)}")
    # A lone half of a surrogate pair can be written in JSON and in no request.
    text.encode()
    return text


def _id(content: dict[str, Any], reading: Reading) -> Any:
    id_ = content.get(reading.id_field)
    if not isinstance(id_, (str, int, float, bool, type(None))) or (isinstance(id_, float) and not isfinite(id_)):
        raise InputError(f"{reading.id_field!r} is no string or number: {excerpt(id_)}")
    return id_


def _refuse_constant(name: str) -> object:
    raise InputError(f"{name} is no JSON")


def _broken(line: Line, reason: str, id_: Any = None) -> Row:
    digest = blake2b(line.digest or line.data, digest_size=8, person=b"broken").digest()
    text = line.data[:_KEPT].decode("utf-8", "backslashreplace")
    return Row(line.number, text, id_, int.from_bytes(digest) >> 1, line.end, InputError(reason))


def row_digest(text: str, id_: object) -> int:
    """63 bits that change with the text or the id of a row."""
    name = json.dumps(id_).encode()
    digest = blake2b(digest_size=8, person=b"row")
    digest.update(len(name).to_bytes(8) + name + text.encode())
    return int.from_bytes(digest.digest()) >> 1

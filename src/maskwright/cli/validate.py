"""``maskwright validate``: check JSON documents against a schema; of each wrong one the first wrong byte, and why."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import maskwright as mw
from maskwright.cli.console import say, write
from maskwright.cli.excerpts import draw_problems
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies, compile_schema_argument
from maskwright.cli.sources import read_schema
from maskwright.errors import InputError
from maskwright.validation import Refusal, Validator

__all__ = ["configure", "run"]

_LINES: Final = frozenset({".jsonl", ".ndjson"})
_BLOCK: Final = 65_536
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("schema", help="a file, - for standard input, or JSON text")
    parser.add_argument("data", nargs="+", help="files with a document each, or one a line (.jsonl); - standard input")
    parser.add_argument("--lines", action="store_true", help="every file holds a document a line, whatever its name")
    parser.add_argument("--json", action="store_true", help="tell each wrong document as a line of JSON")
    parser.add_argument("--max-errors", type=int, metavar="N", help="stop after so many wrong documents")
    add_policies(parser, property_order="any", whitespace="any", numbers="exact")


def run(arguments: argparse.Namespace) -> Exit:
    """Print a line for each wrong document, and on standard error how many there were."""
    if arguments.max_errors is not None and arguments.max_errors < 1:
        raise InputError("--max-errors must be at least 1")
    if [arguments.schema, *arguments.data].count("-") > 1:
        raise InputError("only one of schema and data can come from standard input")
    name, data = read_schema(arguments.schema)
    try:
        validator = Validator(compile_schema_argument(arguments, data, digits=None))
    except mw.ConstraintError as error:
        say(draw_problems(name, error.problems, data).rstrip())
        return Exit.REFUSED
    documents = wrong = 0
    for path in arguments.data:
        for line, refusal in _documents(path, validator, lines=arguments.lines):
            documents += 1
            if refusal is not None:
                wrong += 1
                write(_drawn(path, line, refusal, as_json=arguments.json) + "\n")
            if wrong == arguments.max_errors:
                say(f"stopped after {_count(documents, 'document')}: {wrong} wrong")
                return Exit.REFUSED
    say(f"{_count(documents, 'document')}, {wrong or 'none'} wrong")
    return Exit.REFUSED if wrong else Exit.OK


def _documents(path: str, validator: Validator, *, lines: bool) -> Iterator[tuple[int, Refusal | None]]:
    """The documents of a file: the line each begins in, and why it is refused."""
    with _opened(path) as file:
        if lines or Path(path).suffix.lower() in _LINES:
            yield from _rows(file, path, validator)
            return
        stream = validator.stream()
        for block in _blocks(file, path):
            if stream.feed(block) is not None:
                break
        yield 1, stream.finish()


def _rows(file: BinaryIO, path: str, validator: Validator) -> Iterator[tuple[int, Refusal | None]]:
    """A document for each line that is not blank; lines are read in pieces, however long they are."""
    line, stream, held = 1, validator.stream(), b""
    is_blank = True
    for block in _blocks(file, path):
        first, *others = block.split(b"\n")
        pieces = [held + first, *others]
        for place, piece in enumerate(pieces):
            is_last = place == len(pieces) - 1
            # A carriage return may be half of the line's end.
            held = b"\r" if is_last and piece.endswith(b"\r") else b""
            text = piece.removesuffix(b"\r")
            is_blank = is_blank and not text.strip(_BLANKS)
            stream.feed(text)
            if is_last:
                continue
            if not is_blank:
                yield line, stream.finish()
            line, stream, is_blank = line + 1, validator.stream(), True
    if not is_blank:
        yield line, stream.finish()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115  (closed below; a caller's errors are not those of opening)
    except (OSError, ValueError) as cause:
        raise _unreadable(path, cause) from cause
    with file:
        yield file


def _blocks(file: BinaryIO, path: str) -> Iterator[bytes]:
    """The bytes of a file in pieces, as soon as they are there, without a byte order mark at its beginning."""
    try:
        head = b""
        while len(head) < len(_BYTE_ORDER_MARK):
            block = file.read(len(_BYTE_ORDER_MARK) - len(head))
            head += block
            if not block:
                break
        yield head.removeprefix(_BYTE_ORDER_MARK)
        read = getattr(file, "read1", file.read)
        while block := read(_BLOCK):
            yield block
    except (OSError, ValueError) as cause:
        raise _unreadable(path, cause) from cause


def _unreadable(path: str, cause: OSError | ValueError) -> InputError:
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    shown = "standard input" if path == "-" else path.encode("utf-8", "backslashreplace").decode()
    return InputError(f"cannot read {shown}: {reason}")


def _drawn(path: str, line: int, refusal: Refusal, *, as_json: bool) -> str:
    """One wrong document as a line."""
    name = "<stdin>" if path == "-" else path
    line += refusal.line - 1
    if as_json:
        fields = {"file": name, **refusal.as_dict(), "line": line}
        return json.dumps(fields, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    pointer = f"{refusal.pointer}: " if refusal.pointer else ""
    expected = f"; found {refusal.found}, expected {refusal.expected}" if refusal.expected else ""
    return f"{name}:{line}:{refusal.column}: {pointer}{refusal.reason}{expected}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

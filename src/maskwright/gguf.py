"""GGUF files, read in place: metadata, tensor directory and raw tensor bytes through one memory map.

Source: the GGUF specification of the ggml project, versions 2 and 3, little endian. Own reader, because the ``gguf``
package turns every string into numpy objects: 1.8 s for the 49,152 tokens of SmolLM2 against some 10 ms here.

Only the directory is read; arrays of the metadata are decoded when asked for. Every count and length of the file is
checked against the bytes that are left before anything is allocated, so a forged count costs nothing.
"""

from __future__ import annotations

import mmap
import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from os import PathLike
from pathlib import Path
from typing import Final

from maskwright.errors import ModelError

__all__ = ["Gguf", "Metadata", "Tensor", "Value", "read_gguf"]

#: A metadata value; the strings of a list are given as their exact bytes.
Value = int | float | bool | str | list[bytes] | list[bool] | list[int] | list[float]

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_ALIGNMENT: Final = 32
#: ``GGML_MAX_DIMS`` of ggml.
_DIMENSIONS: Final = 4

_LENGTH: Final = struct.Struct("<Q")
_WORD: Final = struct.Struct("<I")
_BOOLEAN, _STRING, _ARRAY = 7, 8, 9
#: Type codes of numbers: their ``struct``/``array`` letter.
_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 10: "Q", 11: "q", 12: "d"}
_SCALARS: Final = {code: struct.Struct("<" + letter) for code, letter in _NUMBERS.items()}

#: ggml type code: name, elements of a block, bytes of a block. Q8_1 and Q8_K live in registers only, never in a file.
_KINDS: Final = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
    40: ("NVFP4", 64, 36),
    41: ("Q1_0", 128, 18),
}


def _damaged(path: Path, reason: str, remedy: str = "fetch the file again and compare its checksum") -> ModelError:
    return ModelError(f"{path}: {reason} ({remedy})")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a metadata value lies: its type code, or for arrays that of the elements, with their number."""

    code: int
    start: int
    #: Number of elements, -1 for a scalar.
    count: int = -1


class _Reader:
    """A position in the mapped file that only moves forward and never past the end."""

    def __init__(self, path: Path, content: mmap.mmap) -> None:
        self.path = path
        self.content = content
        self.position = 0

    def claim(self, size: int) -> int:
        """Step over ``size`` bytes and return where they start."""
        start = self.position
        if size > len(self.content) - start:
            raise _damaged(self.path, f"truncated: {size} bytes wanted at offset {start} of {len(self.content)}")
        self.position = start + size
        return start

    def word(self) -> int:
        value: int = _WORD.unpack_from(self.content, self.claim(4))[0]
        return value

    def length(self) -> int:
        value: int = _LENGTH.unpack_from(self.content, self.claim(8))[0]
        return value

    def text(self) -> str:
        size = self.length()
        start = self.claim(size)
        try:
            return self.content[start : start + size].decode()
        except UnicodeDecodeError as cause:
            raise _damaged(self.path, f"the string at offset {start} is not UTF-8") from cause

    def skip_strings(self, count: int) -> None:
        """Step over ``count`` strings. Own loop: the vocabulary is most of the directory, 60 ns a string here."""
        content, position, read = self.content, self.position, _LENGTH.unpack_from
        last = len(content) - 8
        for _ in range(count):
            if position > last:
                raise _damaged(self.path, f"truncated inside a list of {count} strings")
            position += 8 + read(content, position)[0]
        self.position = position
        self.claim(0)

    def place(self) -> _Place:
        """Step over one metadata value and return where it lies."""
        code = self.word()
        if code == _ARRAY:
            return self._array()
        start = self.position
        if code == _STRING:
            self.claim(self.length())
        else:
            self.claim(self._size(code))
        return _Place(code, start)

    def _array(self) -> _Place:
        code, count = self.word(), self.length()
        start = self.position
        if code == _STRING:
            self.skip_strings(count)
        else:
            self.claim(count * self._size(code))
        return _Place(code, start, count)

    def _size(self, code: int) -> int:
        if code == _BOOLEAN:
            return 1
        if code not in _SCALARS:
            raise _damaged(self.path, f"unknown metadata type {code} at offset {self.position}")
        return _SCALARS[code].size


class Metadata(Mapping[str, Value]):
    """The key-value part of a GGUF file; values are decoded at each access, nothing is kept.

    The named accessors raise :class:`maskwright.errors.ModelError` where a key is missing or of another type.
    """

    def __init__(self, path: Path, content: mmap.mmap, places: dict[str, _Place]) -> None:
        self._path = path
        self._content = content
        self._places = places

    def __getitem__(self, key: str) -> Value:
        place = self._places[key]
        if place.count >= 0:
            return self._items(place)
        if place.code == _STRING:
            return self._bytes(place.start).decode()
        if place.code == _BOOLEAN:
            return self._content[place.start] != 0
        number: int | float = _SCALARS[place.code].unpack_from(self._content, place.start)[0]
        return number

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def integer(self, key: str, default: int | None = None) -> int:
        """Return an integer, or ``default`` if the key is absent and a default is given."""
        value = self._value(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise self._mismatch(key, "an integer")

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number as a float."""
        value = self._value(key, default)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        raise self._mismatch(key, "a number")

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        value = self._value(key, default)
        if isinstance(value, str):
            return value
        raise self._mismatch(key, "a string")

    def strings(self, key: str) -> list[bytes]:
        """Return a list of strings as their exact bytes."""
        place = self._places.get(key)
        if place is None or place.count < 0 or place.code != _STRING:
            raise self._mismatch(key, "a list of strings")
        return self._strings(place)

    def numbers(self, key: str) -> list[int] | list[float]:
        """Return a list of numbers, integers or floats as the file has them."""
        place = self._places.get(key)
        if place is None or place.count < 0 or place.code not in _NUMBERS:
            raise self._mismatch(key, "a list of numbers")
        return self._numbers(place)

    def _value(self, key: str, default: float | str | None) -> Value | None:
        return self[key] if key in self._places else default

    def _mismatch(self, key: str, wanted: str) -> ModelError:
        found = "has another type" if key in self._places else "is missing"
        return _damaged(self._path, f"metadata {key!r} {found}, {wanted} is wanted", "use a file of a known converter")

    def _bytes(self, start: int) -> bytes:
        size = _LENGTH.unpack_from(self._content, start)[0]
        return self._content[start + 8 : start + 8 + size]

    def _items(self, place: _Place) -> list[bytes] | list[bool] | list[int] | list[float]:
        if place.code == _STRING:
            return self._strings(place)
        if place.code == _BOOLEAN:
            return [byte != 0 for byte in self._content[place.start : place.start + place.count]]
        return self._numbers(place)

    def _numbers(self, place: _Place) -> list[int] | list[float]:
        size = place.count * _SCALARS[place.code].size
        numbers = array(_NUMBERS[place.code], self._content[place.start : place.start + size])
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers.tolist()

    def _strings(self, place: _Place) -> list[bytes]:
        content, position, read = self._content, place.start, _LENGTH.unpack_from
        strings = []
        for _ in range(place.count):
            start = position + 8
            position = start + read(content, position)[0]
            strings.append(content[start:position])
        return strings


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the directory; its bytes stay in the file until they are used."""

    name: str
    #: Row-major, as numpy has it: the file's dimensions reversed. The last axis is the one that blocks run along.
    shape: tuple[int, ...]
    #: ggml's name of the number format: ``"F32"``, ``"Q8_0"``, ``"Q4_1"``, ...; ``"type 99"`` if unknown.
    kind: str
    _path: Path
    _content: memoryview
    _start: int
    #: Bytes of the tensor, -1 if the kind is unknown.
    nbytes: int

    @property
    def data(self) -> memoryview:
        """Read-only bytes of the tensor, a view into the mapped file.

        Raises:
            ModelError: the kind is unknown, so the size is too.

        """
        if self.nbytes < 0:
            raise _damaged(self._path, f"tensor {self.name!r} has the unknown number format {self.kind!r}", "update")
        return self._content[self._start : self._start + self.nbytes]


@dataclass(frozen=True, slots=True)
class Gguf:
    """A GGUF file that stays mapped as long as this object or a tensor's view lives."""

    path: Path
    version: int
    metadata: Metadata
    tensors: Mapping[str, Tensor]


def read_gguf(path: str | PathLike[str]) -> Gguf:
    """Map a GGUF file and read its directory.

    Time is linear in the number of metadata strings (60 ns each), not in the size of the weights. The file must not
    be truncated by others while it is mapped.

    Raises:
        ModelError: the file is missing, truncated, damaged, big endian, or of another format or version.

    """
    path = Path(path)
    reader = _Reader(path, _map(path))
    version = _read_version(reader)
    tensors, pairs = reader.length(), reader.length()
    metadata = Metadata(path, reader.content, _read_places(reader, pairs))
    return Gguf(path, version, metadata, _read_tensors(reader, tensors, metadata))


def _map(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as cause:
        raise _damaged(path, f"cannot be read: {cause}", "give the path of a GGUF file") from cause


def _read_version(reader: _Reader) -> int:
    if reader.content[: len(_MAGIC)] != _MAGIC:
        raise _damaged(reader.path, "not a GGUF file", "give a file that begins with the four letters GGUF")
    reader.claim(len(_MAGIC))
    version = reader.word()
    if version in _VERSIONS:
        return version
    swapped = int.from_bytes(version.to_bytes(4, "big"), "little")
    reason = "a big-endian file" if swapped in _VERSIONS else f"GGUF version {version}"
    raise _damaged(reader.path, f"{reason} is not read", "convert it to GGUF version 3, little endian")


def _read_places(reader: _Reader, count: int) -> dict[str, _Place]:
    places: dict[str, _Place] = {}
    for _ in range(count):
        key = reader.text()
        if key in places:
            raise _damaged(reader.path, f"metadata {key!r} occurs twice")
        places[key] = reader.place()
        if places[key].code == _STRING and places[key].count < 0:
            _check_text(reader, places[key])
    return places


def _check_text(reader: _Reader, place: _Place) -> None:
    """Refuse a string that cannot be decoded while the file is read, not at some later access."""
    end, reader.position = reader.position, place.start
    reader.text()
    reader.position = end


def _read_tensors(reader: _Reader, count: int, metadata: Metadata) -> dict[str, Tensor]:
    entries = [_read_entry(reader) for _ in range(count)]
    alignment = metadata.integer("general.alignment", _ALIGNMENT)
    if alignment <= 0:
        raise _damaged(reader.path, f"general.alignment is {alignment}")
    base = -(-reader.position // alignment) * alignment
    view = memoryview(reader.content)
    tensors = {}
    for name, shape, code, offset in entries:
        tensor = _tensor(reader.path, view, (name, shape, code, base + offset))
        if name in tensors:
            raise _damaged(reader.path, f"tensor {name!r} occurs twice")
        tensors[name] = tensor
    return tensors


def _read_entry(reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
    name = reader.text()
    dimensions = reader.word()
    if not 0 < dimensions <= _DIMENSIONS:
        raise _damaged(reader.path, f"tensor {name!r} has {dimensions} dimensions")
    shape = tuple(reader.length() for _ in range(dimensions))[::-1]
    return name, shape, reader.word(), reader.length()


def _tensor(path: Path, view: memoryview, entry: tuple[str, tuple[int, ...], int, int]) -> Tensor:
    name, shape, code, start = entry
    kind, block, size = _KINDS.get(code, (f"type {code}", 0, 0))
    if not block:
        return Tensor(name, shape, kind, path, view, start, -1)
    if shape[-1] % block:
        raise _damaged(path, f"tensor {name!r}: rows of {shape[-1]} are no multiple of the {kind} block {block}")
    nbytes = prod(shape) // block * size
    if start + nbytes > len(view):
        raise _damaged(path, f"truncated: tensor {name!r} ends at {start + nbytes} of {len(view)} bytes")
    return Tensor(name, shape, kind, path, view, start, nbytes)

"""The GGUF reader: what was written is read, and what is damaged is refused before anything is allocated."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maskwright.errors import ModelError
from maskwright.gguf import Value, read_gguf
from tests.registry import fetch
from tests.unit.gguf_writer import gguf_file, text

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[bytes], Path]

SCALARS = [
    ("uint8", 200),
    ("int8", -100),
    ("uint16", 60_000),
    ("int16", -30_000),
    ("uint32", 4_000_000_000),
    ("int32", -2_000_000_000),
    ("float32", 0.5),
    ("bool", True),
    ("bool", False),
    ("string", "naïve ▁"),
    ("string", ""),
    ("uint64", 2**63),
    ("int64", -(2**62)),
    ("float64", 1e300),
]
LISTS: list[tuple[str, list[object], list[object]]] = [
    ("[string]", ["a", "", "é"], [b"a", b"", "é".encode()]),
    ("[string]", [b"\xff\xfe"], [b"\xff\xfe"]),
    ("[uint32]", [1, 2, 4_000_000_000], [1, 2, 4_000_000_000]),
    ("[float32]", [0.5, -1.0], [0.5, -1.0]),
    ("[bool]", [True, False], [True, False]),
    ("[int64]", [], []),
]
SMALL = gguf_file(
    [("general.name", "string", "small"), ("tokens", "[string]", ["a", "b"]), ("types", "[int32]", [1, 3])],
    [("w", (32, 2), 8, 0)],
    bytes(range(68)),
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and give its path."""

    def write_file(content: bytes) -> Path:
        path = tmp_path / "model.gguf"
        path.write_bytes(content)
        return path

    return write_file


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("kind", "value"), SCALARS)
def test_scalars_are_read_as_written(write: Write, version: int, kind: str, value: Value) -> None:
    """Each scalar type of the specification gives the Python value that was written."""
    found = read_gguf(write(gguf_file([("key", kind, value)], version=version))).metadata["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("kind", "written", "read"), LISTS)
def test_lists_are_read_as_written(write: Write, kind: str, written: list[object], read: list[object]) -> None:
    """Lists give their items, strings as exact bytes even where those are not UTF-8."""
    file = read_gguf(write(gguf_file([("before", "uint8", 1), ("key", kind, written), ("after", "uint8", 2)])))
    assert file.metadata["key"] == read
    assert dict(file.metadata) == {"before": 1, "key": read, "after": 2}


def test_tensors_are_views_of_their_bytes(write: Write) -> None:
    """A tensor has numpy's order of dimensions and a read-only view of exactly its bytes, at any alignment."""
    data = bytes(range(200))
    pairs = [("general.alignment", "uint32", 64)]
    tensors = [("f", (3, 2), 0, 64), ("q", (32, 2), 3, 0)]
    file = read_gguf(write(gguf_file(pairs, tensors, data)))
    f, q = file.tensors["f"], file.tensors["q"]
    assert (f.shape, f.kind, bytes(f.data)) == ((2, 3), "F32", data[64:88])
    assert (q.shape, q.kind, bytes(q.data)) == ((2, 32), "Q4_1", data[:40])
    assert f.data.readonly


def test_a_tensor_of_an_unknown_kind_only_lacks_its_data(write: Write) -> None:
    """A file of the future can still be searched; the bytes of the unknown tensor are refused when asked for."""
    tensor = read_gguf(write(gguf_file([], [("w", (4,), 99, 0)]))).tensors["w"]
    assert tensor.kind == "type 99"
    with pytest.raises(ModelError, match="type 99"):
        _ = tensor.data


def test_every_truncation_is_refused(write: Write) -> None:
    """A file cut off anywhere is refused: nothing of it is silently missing."""
    read_gguf(write(SMALL))
    for end in range(len(SMALL)):
        with pytest.raises(ModelError):
            read_gguf(write(SMALL[:end]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(position=st.integers(0, len(SMALL) - 1), value=st.binary(min_size=1, max_size=9))
def test_a_damaged_file_is_read_or_refused(write: Write, position: int, value: bytes) -> None:
    """Whatever bytes stand in a file, the only error is a ModelError, also when everything in it is used."""
    try:
        file = read_gguf(write(SMALL[:position] + value + SMALL[position + len(value) :]))
        _ = dict(file.metadata), [bytes(tensor.data) for tensor in file.tensors.values()]
    except ModelError:
        pass


FORGED = 2**60
DAMAGED = [
    ("empty", b"", "cannot be read"),
    ("another format", b"\x93NUMPY" + b"\0" * 40, "not a GGUF file"),
    ("version 1", gguf_file(version=1), "GGUF version 1"),
    ("big endian", gguf_file(version=0x03000000), "big-endian"),
    ("pairs", gguf_file(counts=(0, FORGED)), "truncated"),
    ("tensors", gguf_file(counts=(FORGED, 0)), "truncated"),
    ("strings", gguf_file(counts=(0, 1))[:24] + text("k") + struct.pack("<IIQ", 9, 8, FORGED), "truncated"),
    ("numbers", gguf_file(counts=(0, 1))[:24] + text("k") + struct.pack("<IIQ", 9, 4, FORGED), "truncated"),
    (
        "nested lists",
        gguf_file(counts=(0, 1))[:24] + text("k") + struct.pack("<IIQ", 9, 9, 0),
        "unknown metadata type 9",
    ),
    ("key length", gguf_file(counts=(0, 1))[:24] + struct.pack("<Q", FORGED), "truncated"),
    ("key not UTF-8", gguf_file(counts=(0, 1))[:24] + text(b"\xff") + struct.pack("<IB", 0, 1), "not UTF-8"),
    ("value not UTF-8", gguf_file([("k", "string", b"\xff")]), "not UTF-8"),
    ("equal keys", gguf_file([("k", "bool", True), ("k", "bool", True)]), "twice"),
    ("equal tensors", gguf_file([], [("w", (1,), 24, 0), ("w", (1,), 24, 0)], b"1"), "twice"),
    ("five dimensions", gguf_file([], [("w", (1, 1, 1, 1, 1), 0, 0)], b"1234"), "5 dimensions"),
    ("tensor size", gguf_file([], [("w", (FORGED, 2), 0, 0)], b"1234"), "truncated"),
    ("tensor offset", gguf_file([], [("w", (1,), 0, FORGED)], b"1234"), "truncated"),
    ("half a block", gguf_file([], [("w", (16, 2), 8, 0)], b"1" * 64), "no multiple"),
    ("alignment", gguf_file([("general.alignment", "uint32", 0)]), "alignment"),
]


@pytest.mark.parametrize(("content", "reason"), [case[1:] for case in DAMAGED], ids=[case[0] for case in DAMAGED])
def test_damage_is_named_and_costs_no_memory(write: Write, content: bytes, reason: str) -> None:
    """The error names the file and the reason; a forged count of 2**60 allocates less than a megabyte."""
    path = write(content)
    tracemalloc.start()
    with pytest.raises(ModelError, match=reason) as caught:
        read_gguf(path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert str(path) in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path without a file, or of a folder, is a ModelError too."""
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(ModelError, match="cannot be read"):
            read_gguf(path)


def test_named_accessors_check_the_type(write: Write) -> None:
    """The named accessors give their type, the default of a missing key, and an error that names the key."""
    pairs = [("n", "uint32", 3), ("x", "float32", 0.5), ("t", "string", "a"), ("b", "bool", True)]
    metadata = read_gguf(write(gguf_file([*pairs, ("l", "[int32]", [1]), ("s", "[string]", ["a"])]))).metadata
    assert (metadata.integer("n"), metadata.number("n"), metadata.number("x"), metadata.text("t")) == (3, 3.0, 0.5, "a")
    assert (metadata.integer("none", 7), metadata.number("none", 0.5), metadata.text("none", "")) == (7, 0.5, "")
    assert (metadata.numbers("l"), metadata.strings("s")) == ([1], [b"a"])
    wrong: list[tuple[Callable[[str], object], str]] = [
        (metadata.integer, "b"),
        (metadata.integer, "x"),
        (metadata.number, "t"),
        (metadata.text, "n"),
    ]
    wrong += [(metadata.numbers, "s"), (metadata.strings, "l"), (metadata.strings, "none"), (metadata.text, "none")]
    for accessor, key in wrong:
        with pytest.raises(ModelError, match=key):
            accessor(key)


def test_the_directory_of_a_real_model() -> None:
    """SmolLM2: the numbers that its model card and its package give, and tensors that fill the file to its end."""
    path = fetch("smollm2.gguf")
    file = read_gguf(path)
    assert file.metadata.integer("llama.block_count") == 30
    assert file.metadata.integer("llama.context_length") == 8192
    assert len(file.metadata.strings("tokenizer.ggml.tokens")) == 49_152
    assert len(file.metadata.strings("tokenizer.ggml.merges")) == 48_900
    assert file.tensors["token_embd.weight"].shape == (49_152, 576)
    tail = path.read_bytes()[-64:]
    assert any(bytes(tensor.data[-64:]) == tail for tensor in file.tensors.values())

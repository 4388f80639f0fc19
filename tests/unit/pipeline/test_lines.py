"""Lines of a stream, whatever its pieces and endings."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from maskwright.pipeline.lines import read_lines


class Pieces(io.RawIOBase):
    """A stream that gives what it has in pieces of its own choice, as pipes do."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = [piece for piece in pieces if piece]

    def read(self, size: int = -1) -> bytes:
        del size
        return self.pieces.pop(0) if self.pieces else b""


def data(*pieces: bytes, longest: int = 1000) -> list[bytes]:
    return [line.data for line in read_lines(Pieces(list(pieces)), longest=longest)]


def test_endings() -> None:
    """LF, CR LF and the end of the stream end a line; a lone CR is part of one."""
    assert data(b"a\nb\r\nc\rd\n\ne") == [b"a", b"b", b"c\rd", b"", b"e"]
    assert data() == data(b"") == []
    assert data(b"\n") == [b""]


def test_a_byte_order_mark_is_dropped_at_the_beginning_only() -> None:
    """Also where the pieces cut it."""
    assert data(b"\xef", b"\xbb", b"\xbfa\n\xef\xbb\xbfb") == [b"a", b"\xef\xbb\xbfb"]


@given(st.lists(st.binary(max_size=12)))
def test_pieces_do_not_matter(pieces: list[bytes]) -> None:
    """The lines are those of the whole, and their ends are where they end in it."""
    whole = b"".join(pieces)
    lines = list(read_lines(Pieces(pieces), longest=1000))
    parts = whole.split(b"\n")
    expected = [part.removesuffix(b"\r") for part in (parts[:-1] if parts[-1] == b"" else parts)]
    expected[:1] = [part.removeprefix(b"\xef\xbb\xbf") for part in expected[:1]]
    assert [line.data for line in lines] == expected
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(whole[line.end - 1 : line.end] == b"\n" for line in lines[:-1])
    assert not lines or lines[-1].end == len(whole)


def test_long_lines_are_not_kept() -> None:
    """Only their beginning is; their digests differ where the lines do, however late."""
    long = [b"x" * 3000, b"y" * 3000, b"\n"]
    line, after = read_lines(Pieces([*long, b"short\n"]), longest=5000)
    assert line.is_too_long
    assert line.data == b"x" * 1024
    assert (after.data, after.is_too_long, after.number) == (b"short", False, 2)
    (other,) = read_lines(Pieces([b"x" * 3000, b"y" * 2999, b"z\n"]), longest=5000)
    assert other.digest != line.digest
    (exact,) = read_lines(Pieces([b"x" * 5000]), longest=5000)
    assert not exact.is_too_long

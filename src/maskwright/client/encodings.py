"""Bodies that come packed, unpacked piece by piece: what a piece of some bytes stands for is never held as a whole.

httpx would unpack each piece at once, and as often as a header says: 1,400 bytes that were packed twice became 800 MB.
Here one layer is unpacked, of what every server has and the standard library reads.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

import httpx

__all__ = ["ACCEPTED", "Unpacking"]

#: What is asked for.
ACCEPTED: Final = "gzip, deflate"
#: Bytes that are given at once.
_PIECE: Final = 1 << 16
#: ``zlib``'s numbers for the wrappers of RFC 1952 and RFC 1950, and for none, which some servers call deflate.
_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
_HEAD: Final = 2
_METHOD: Final = 8
_WRAPPERS: Final = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


class Unpacking:
    """Unpacks one body."""

    def __init__(self, header: str) -> None:
        """Know how, by ``content-encoding``."""
        names = [name for name in re.split(r"[,\s]+", header.lower()) if name not in ("", "identity")]
        self._names = names
        self._bits = _WRAPPERS.get(names[0]) if len(names) == 1 else None
        self._stream = None if self._bits is None else zlib.decompressobj(self._bits)
        self._head = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What a piece stands for, in pieces of at most 64 KiB.

        Raises:
            httpx.DecodingError: it is packed in another way, more than once, or not at all.
        """
        if not self._names:
            yield data
            return
        if self._stream is None:
            raise httpx.DecodingError(f"{', '.join(self._names)[:60]} was not asked for, but {ACCEPTED}")
        if self._bits == _ZLIB and len(self._head) < _HEAD:
            self._head += data
            if len(self._head) < _HEAD:
                return
            data = self._head
            if not _is_wrapped(data):
                self._bits, self._stream = _RAW, zlib.decompressobj(_RAW)
        try:
            yield from self._unpacked(data)
        except zlib.error as cause:
            raise httpx.DecodingError(str(cause)) from cause

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        while data and self._stream is not None:
            piece = self._stream.decompress(data, _PIECE)
            data = self._stream.unconsumed_tail
            if self._stream.eof:  # of several members, the next
                data = self._stream.unused_data
                self._stream = zlib.decompressobj(self._bits or _GZIP)
            if piece:
                yield piece


def _is_wrapped(data: bytes) -> bool:
    """Whether a deflated body has the header of RFC 1950, section 2.2: the method is 8, and 31 divides both bytes."""
    return data[0] & 15 == _METHOD and int.from_bytes(data[:_HEAD]) % 31 == 0

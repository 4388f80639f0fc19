"""The answer as it is being written: bytes that the constraint can go on with, and where the model goes on from."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maskwright.constraint import Constraint
from maskwright.errors import TokenError
from maskwright.guide import compile_guide
from maskwright.matcher import Matcher
from maskwright.vocabulary import Vocabulary

__all__ = ["Writing", "byte_vocabulary", "in_string", "read", "valid_prefix"]

_BLANKS: Final = b" \t\r\n"
_BYTE: Final = 256
_SPACED: Final = (b",", b":")
#: Bytes of the longest character in UTF-8.
_CHARACTER: Final = 4


@lru_cache(maxsize=1)
def byte_vocabulary() -> Vocabulary:
    """A token for each byte: what is walked with where nobody gave the model's own vocabulary."""
    return Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])


def read(matcher: Matcher, data: bytes) -> bool:
    """Read bytes, control tokens in them by their names, if that can be; else the matcher is unchanged."""
    if not data:
        return True
    if matcher.can_read(data):
        matcher.advance_bytes(data)
        return True
    if not matcher.vocabulary.special_names:
        return False
    try:
        matcher.advance_shown(data)
    except TokenError:
        return False
    return True


def valid_prefix(matcher: Matcher, data: bytes) -> int:
    """How many bytes of a text can be read, from the first; the matcher is unchanged."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high + 1) // 2
        if matcher.can_read(data[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def in_string(data: bytes) -> bool:
    """Whether a beginning of a JSON text ends within a string."""
    inside, at = False, 0
    while at < len(data):
        byte = data[at]
        if inside and byte == 0x5C:
            at += 1
        elif byte == 0x22:
            inside = not inside
        at += 1
    return inside


class Writing:
    """What is written of an answer. Every byte of it was read by the matcher; nothing is taken back but held blanks."""

    def __init__(self, constraint: Constraint, vocabulary: Vocabulary | None) -> None:
        """Nothing is written."""
        self.vocabulary = vocabulary
        #: Bytes at the end that could be nothing else, and that were not written by the model.
        self._forced = self._ours = 0
        self._guide = compile_guide(constraint, vocabulary or byte_vocabulary())
        self.matcher = self._guide.matcher()
        self.data = b""
        #: Blanks that the model wrote before the answer: part of the prompt from now on.
        self.lead = b""
        #: Of ``data``, bytes that were emitted.
        self.emitted = 0
        #: Whether the last round brought nothing: what was held back did not come, so it is not held back again.
        self.is_stalled = False

    @property
    def text(self) -> str:
        """What is written, without a character that is not complete."""
        return self.data.decode("utf-8", "ignore")

    @property
    def is_done(self) -> bool:
        """Whether it is an answer, and nothing can follow."""
        return self.matcher.must_end

    def write(self, data: bytes) -> None:
        """Go on with bytes that the constraint can read; raises ``TokenError`` if it cannot."""
        if not read(self.matcher, data):
            self.matcher.advance_shown(data)
        self.data += data
        self._forced = self._ours = 0

    def force(self) -> int:
        """Write what can be nothing else. Returns the bytes, which no call was made for."""
        written = 0
        forced, ours = self._forced, self._ours
        while data := self.matcher.forced_bytes():
            self.write(data)
            written += len(data)
        self._forced, self._ours = forced + written, ours + written
        return written

    def force_frame(self, *, marks: bool) -> int:
        """Write the JSON that can be nothing else but for how it is spelled. Returns the bytes.

        That is, within strings, what could only be escaped instead (the rest of a key); and with ``marks`` what could
        only have other blanks before it: punctuation, keys that must come. After commas and colons stands a blank if
        one may, as models write it.
        """
        written = self.force()
        while (byte := self._only_byte(marks=marks)) is not None:
            ours = self._ours
            self.write(byte)
            if marks and byte in _SPACED and not in_string(self.data) and self.matcher.can_read(b" "):
                byte += b" "
                self.write(b" ")
            self._ours = ours + len(byte)
            written += len(byte) + self.force()
        return written

    def _only_byte(self, *, marks: bool) -> bytes | None:
        """The one byte that can follow, spelling aside; ``None`` if there are several or the answer may end."""
        inside = in_string(self.data)
        if self.matcher.is_accepting or not (inside or marks):
            return None
        other = b"\\" if inside else _BLANKS
        ways = [byte for byte in range(_BYTE) if byte not in other and self.matcher.can_read(bytes([byte]))]
        return bytes(ways) if len(ways) == 1 else None

    def begin(self, data: bytes) -> int:
        """Write as much of a text as can be read; how much that was."""
        length = valid_prefix(self.matcher, data)
        if length:
            self.write(data[:length])
        return length

    def at(self, length: int) -> Matcher:
        """A matcher that has read the first bytes of what is written."""
        if length == len(self.data):
            return self.matcher.fork()
        matcher = self._guide.matcher()
        read(matcher, self.data[:length])
        return matcher

    def held(self, *, blanks: bool) -> int:
        """Bytes at the end that the model should write itself, so that the prompt does not end inside a token.

        A prompt that ends with half of what the model would write as one token makes it write something else. Of forced
        text the part is held back that a longer token might reach beyond (``Matcher.forced_tokens`` knows where that
        begins); without a vocabulary, blanks. Of a character the bytes are held that do not make it whole.

        Args:
            blanks: Whether blanks at the end are held back in any case: templates of chats cut them off.
        """
        if self.is_stalled:
            return self._torn()
        count = len(self.data) - len(self.data.rstrip(_BLANKS))
        count = count if blanks else min(count, self._ours)
        if self.vocabulary is not None and self._forced:
            before = self.at(len(self.data) - self._forced)
            spelled = sum(len(self.vocabulary.tokens[token]) for token in before.forced_tokens())
            count = max(count, self._forced - spelled)
        return max(count, self._torn())

    def _torn(self) -> int:
        """Bytes of the last character if it is not complete."""
        for length in range(1, min(_CHARACTER, len(self.data)) + 1):
            byte = self.data[-length]
            if byte & 0xC0 != 0x80:
                wanted = 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                return length if wanted > length else 0
        return 0

    def fresh(self, *, whole: bool) -> str:
        """Text that was not emitted yet; blanks at the end wait for what follows, unless it is the ``whole``."""
        end = len(self.data) if whole else len(self.data.rstrip(_BLANKS)) - self._torn()
        piece = self.data[self.emitted : end]
        if not piece:
            return ""
        if not whole:
            cut = piece.decode("utf-8", "ignore")
            self.emitted += len(cut.encode())
            return cut
        self.emitted = end
        return piece.decode("utf-8", "replace")

    def keep(self, matcher: Matcher, data: bytes) -> None:
        """Go on with what a walk found: its matcher and all bytes from the beginning."""
        if data != self.data:
            self._forced = self._ours = 0
        self.matcher, self.data = matcher, data

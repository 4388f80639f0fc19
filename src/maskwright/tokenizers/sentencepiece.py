"""SentencePiece models: ``.model`` files, ``SentencePieceProcessor`` objects and plain lists of pieces.

Source: ``sentencepiece_model.proto`` of the ``sentencepiece`` project; read here, so neither ``sentencepiece`` nor
``protobuf`` is needed. A processor decodes ``▁the`` alone to ``the``; the piece itself keeps its blank. The normaliser
of a model acts when text is encoded and does not concern the bytes of its pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from maskwright.tokenizers.content import Content, checked_path, listed_ids, read_bytes, refusal
from maskwright.tokenizers.protobuf import fields
from maskwright.tokenizers.spelling import NORMAL, spell_pieces, spell_typed, typed_names
from maskwright.vocabulary import Vocabulary

__all__ = ["read_pieces", "read_sentencepiece"]

_WANTED: Final = "a SentencePieceProcessor or the path of a .model file"
_REMEDY: Final = f"give {_WANTED}"

# Field numbers of ModelProto, of SentencePiece and of TrainerSpec.
_PIECES, _TRAINER = 1, 2
_PIECE, _TYPE = 1, 3
_END_PIECE: Final = 47

#: The usual layout of a piece: tag, length below 128, text; tag, 4 bytes of score; and perhaps tag and type.
_TEXT_TAG, _SCORE_TAG, _TYPE_TAG = 0x0A, 0x15, 0x18
_SHORT: Final = 0x7F
_FIXED: Final = 7

#: The control pieces of a model that was trained with default options.
_DEFAULT_CONTROLS: Final = ("<unk>", "<s>", "</s>", "<pad>")


def read_sentencepiece(
    model: object, *, end_ids: Iterable[int] | None = None, logit_width: int | None = None
) -> Vocabulary:
    """Read a model; see :meth:`maskwright.vocabulary.Vocabulary.from_sentencepiece`. 1.5 us a piece."""
    if hasattr(model, "serialized_model_proto"):
        place: object = "the processor"
        text: bytes = model.serialized_model_proto()
    else:
        place = path = checked_path(model, _WANTED)
        text = read_bytes(path, _REMEDY)
    try:
        content = _content(place, text)
    except ValueError as cause:
        raise refusal(place, f"not a SentencePiece model: {cause}", _REMEDY) from cause
    return content.vocabulary(end_ids, logit_width)


def read_pieces(
    pieces: Sequence[str],
    *,
    end_ids: Iterable[int],
    special_ids: Iterable[int] | None = None,
    logit_width: int | None = None,
) -> Vocabulary:
    """Read a list of pieces; see :meth:`maskwright.vocabulary.Vocabulary.from_pieces`."""
    if isinstance(pieces, str) or not all(isinstance(piece, str) for piece in pieces):
        raise refusal("pieces", "no list of str", "Vocabulary.from_tokens takes one bytes object per id")
    if special_ids is None:
        special_ids = [i for i, piece in enumerate(pieces) if piece in _DEFAULT_CONTROLS]
    ends, specials = listed_ids("end_ids", end_ids), listed_ids("special_ids", special_ids)
    try:
        tokens = spell_pieces(pieces, fallback=True)
    except UnicodeEncodeError as cause:
        raise refusal("pieces", f"a piece is no text: {cause}", "read the file as UTF-8") from cause
    for i in (*ends, *specials):
        if isinstance(i, int) and 0 <= i < len(tokens):
            # The text of a control piece is literal: from_tokens makes it the name of the id.
            tokens[i] = pieces[i].encode()
    return Vocabulary.from_tokens(tokens, end_ids=ends, special_ids=specials, logit_width=logit_width)


def _content(place: object, text: bytes) -> Content:
    entries: list[tuple[str, int]] = []
    end = b"</s>"
    for number, _, payload in fields(text):
        if number == _PIECES:
            entries.append(_entry(payload))
        elif number == _TRAINER:
            end = next((name for field, _, name in fields(payload) if field == _END_PIECE), end)
    if not entries:
        raise ValueError("it has no pieces")
    texts, types = [piece for piece, _ in entries], [kind for _, kind in entries]
    names = typed_names(texts, types)
    ends = [i for name, i in names.items() if name.encode() == end]
    return Content(place, spell_typed(texts, types, spell_pieces, spell_pieces), names, ends)


def _entry(message: bytes) -> tuple[str, int]:
    """Return text and type of a piece.

    Nearly all have the text, the score, and a type that is not the default one, in this order; reading those directly
    is three times as fast as field by field.
    """
    size = len(message)
    if size >= _FIXED and message[0] == _TEXT_TAG and message[1] <= _SHORT:
        end = 2 + message[1]
        if size == end + 5 and message[end] == _SCORE_TAG:
            return message[2:end].decode(), NORMAL
        if size == end + 7 and message[end] == _SCORE_TAG and message[end + 5] == _TYPE_TAG and message[-1] <= _SHORT:
            return message[2:end].decode(), message[-1]
    piece, kind = b"", NORMAL
    for number, value, payload in fields(message):
        if number == _PIECE:
            piece = payload
        elif number == _TYPE:
            kind = value
    return piece.decode(), kind

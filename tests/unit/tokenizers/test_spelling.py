"""How tokens spell bytes, against the decoders of the tokenizers library where it has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.tokenizers.spelling import (
    BYTE_ALPHABET,
    spell_letters,
    spell_literally,
    spell_pieces,
    spell_typed,
    typed_names,
)

decoders = pytest.importorskip("tokenizers").decoders

plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
letters = st.text(st.sampled_from(BYTE_ALPHABET), max_size=6)


def test_the_alphabet_is_that_of_the_library() -> None:
    """The 256 letters are those of the ByteLevel pre-tokenizer, each for the byte that ByteLevel writes it for."""
    pre_tokenizers = pytest.importorskip("tokenizers").pre_tokenizers
    assert set(BYTE_ALPHABET) == set(pre_tokenizers.ByteLevel.alphabet())
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for code in [*range(0x80), 0xE9, 0x3A9, 0x20AC, 0x10348]:
        written = "".join(part for part, _ in level.pre_tokenize_str(chr(code)))
        assert bytes(BYTE_ALPHABET.index(letter) for letter in written) == chr(code).encode()


@given(st.lists(letters | plain, max_size=20))
def test_letters_are_decoded_as_the_library_does(tokens: list[str]) -> None:
    """A token of letters is those bytes; one with any other character is literal as a whole (Command-R has 1,403)."""
    decoder = decoders.ByteLevel()
    for token, spelled in zip(tokens, spell_letters(tokens), strict=True):
        assert spelled.decode(errors="replace") == decoder.decode([token])
        if set(token) <= set(BYTE_ALPHABET):
            assert spelled == bytes(map(BYTE_ALPHABET.index, token))


@given(
    st.lists(plain | st.sampled_from(["▁", "▁▁a", "<0x0A>", "<0xff>", "<0x1>", "a<0x0A>", "\n", "\n▁\n"]), max_size=20)
)
def test_pieces_are_spelled_one_by_one(tokens: list[str]) -> None:
    """A piece is the same bytes in every company, newlines included: blanks for ``▁``, one byte for ``<0xNN>``."""
    expected = []
    for token in tokens:
        is_byte = len(token) == 6 and token[:3] == "<0x" and token[5] == ">" and token.isascii()
        try:
            expected.append(bytes([int(token[3:5], 16)]) if is_byte else token.replace("▁", " ").encode())
        except ValueError:
            expected.append(token.encode())
    assert spell_pieces(tokens, fallback=True) == expected
    assert spell_pieces(tokens) == [token.replace("▁", " ").encode() for token in tokens]


def test_replacements_may_mention_the_newline() -> None:
    """A substitution that makes or reads newlines still sees one piece at a time."""
    assert spell_pieces(["a", "", "b|c"], replacements=[("|", "\n")]) == [b"a", b"", b"b\nc"]
    assert spell_pieces(["a", "\n", "b"], replacements=[("\n", "")]) == [b"a", b"", b"b"]


def test_long_lists_keep_their_order() -> None:
    """Blocks are an implementation matter: 2,000 tokens with an odd one in the middle come out in order."""
    tokens = [f"Ġ{i}" for i in range(2000)]
    tokens[1000] = "Ġ日"
    expected = [f" {i}".encode() for i in range(2000)]
    expected[1000] = "Ġ日".encode()
    assert spell_letters(tokens) == expected


def test_types_decide_how_a_token_is_spelled() -> None:
    """Normal, user-defined and byte tokens are text in their ways; unknown, control, padding and others never are."""
    texts = ["Ġa", "<unk>", "<s>", "Ġb", "[PAD]", "<0x41>", "odd"]
    types = [1, 2, 3, 4, 5, 6, 77]
    assert spell_typed(texts, types, spell_letters, spell_literally) == [b" a", b"", b"", "Ġb".encode(), b"", b"A", b""]
    assert typed_names([*texts, "<s>"], [*types, 3]) == {"<unk>": 1, "<s>": 2}


@pytest.mark.parametrize(("text", "kind"), [("A", 6), ("<0xG0>", 6), ("\ud800", 1), ("\ud800", 4)])
def test_what_cannot_be_spelled_is_an_error(text: str, kind: int) -> None:
    """A byte token must name a byte, and a lone surrogate has no bytes."""
    with pytest.raises(ValueError, match=r"names no byte|surrogates"):
        spell_typed(["a", text], [1, kind], spell_letters, spell_pieces)

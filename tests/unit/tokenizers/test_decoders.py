"""What a decoder does to one token, against the decoders of the tokenizers library."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maskwright.errors import VocabularyError
from maskwright.tokenizers.decoders import read_spelling

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
FALLBACK, FUSE = {"type": "ByteFallback"}, {"type": "Fuse"}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
METASPACE = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True}
LLAMA = {"type": "Sequence", "decoders": [REPLACE, FALLBACK, FUSE, STRIP]}
GEMMA = {"type": "Sequence", "decoders": [REPLACE, FALLBACK, FUSE]}
NESTED = {"type": "Sequence", "decoders": [{"type": "Sequence", "decoders": [REPLACE]}, FALLBACK, FUSE]}

TOKENS = ["the", "▁the", "Ġthe", "_the", "▁▁", "<0x41>", "<0x4>", "日本", "a\nb", "<s>", "é"]


@pytest.mark.parametrize("decoder", [BYTE_LEVEL, LLAMA, GEMMA, NESTED, METASPACE, FUSE, FALLBACK])
def test_tokens_are_spelled_as_the_library_decodes_them(decoder: dict[str, Any]) -> None:
    """After a letter, which shields it from what is done to the start of a text, a token is what the library says."""
    tokenizers = pytest.importorskip("tokenizers")
    library = tokenizers.Tokenizer(tokenizers.models.WordLevel({"x": 0}))
    document = json.loads(library.to_str()) | {"decoder": decoder}
    library = tokenizers.Tokenizer.from_str(json.dumps(document))
    spelled = read_spelling("here", decoder, None).spell(TOKENS)
    for token, content in zip(TOKENS, spelled, strict=True):
        assert "x" + content.decode(errors="replace") == library.decoder.decode(["x", token])


def test_the_byte_alphabet_does_not_apply_to_added_tokens() -> None:
    """An added token is matched literally in the input, so it is literal in the output; blanks apply to it."""
    assert read_spelling("here", BYTE_LEVEL, None).spell_added(["Ġé"]) == ["Ġé".encode()]
    assert read_spelling("here", GEMMA, None).spell_added(["▁▁", "<0x41>", "\n"]) == [b"  ", b"A", b"\n"]


@pytest.mark.parametrize(
    ("pre_tokenizer", "content"),
    [
        (BYTE_LEVEL, b" a"),
        ({"type": "Sequence", "pretokenizers": [{"type": "Digits"}, BYTE_LEVEL]}, b" a"),
        (METASPACE | {"replacement": "Ġ"}, b" a"),
    ],
)
def test_without_a_decoder_the_pre_tokenizer_says_it(pre_tokenizer: dict[str, Any], content: bytes) -> None:
    """Some files have no decoder; what wrote the letters then says how they are read."""
    assert read_spelling("here", None, pre_tokenizer).spell(["Ġa"]) == [content]


REFUSED = [
    ("WordPiece", {"type": "WordPiece", "prefix": "##", "cleanup": True}),
    ("suffix", {"type": "BPEDecoder", "suffix": "</w>"}),
    ("CTC", {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}),
    ("unknown", {"type": "Rot13"}),
    ("no type", {}),
    ("strips tokens", {"type": "Sequence", "decoders": [REPLACE, STRIP]}),
    ("pattern", {"type": "Replace", "pattern": {"Regex": "a+"}, "content": " "}),
    ("replaces text", {"type": "Sequence", "decoders": [FUSE, REPLACE]}),
    ("replacement no text", {"type": "Replace", "pattern": {"String": "a"}, "content": None}),
    ("none", None),
]


@pytest.mark.parametrize("decoder", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_gives_tokens_no_bytes_of_their_own_is_refused(decoder: object) -> None:
    """A decoder that looks at neighbours cannot be exact token by token; the error says so and names the way out."""
    with pytest.raises(VocabularyError, match=r"here: .*from_tokens"):
        read_spelling("here", decoder, {"type": "Whitespace"})


def test_nesting_costs_no_stack() -> None:
    """A hundred thousand nested sequences are read like one."""
    decoder: dict[str, Any] = BYTE_LEVEL
    for _ in range(100_000):
        decoder = {"type": "Sequence", "decoders": [decoder]}
    assert read_spelling("here", decoder, None).letters
    while decoder.get("decoders"):  # taken apart from outside, since freeing it in one go would recurse
        decoder = decoder["decoders"].pop()

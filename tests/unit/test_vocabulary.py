"""The vocabulary as a value: what it checks, what it derives, when two are equal."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwright.errors import VocabularyError
from maskwright.vocabulary import MAXIMUM_IDS, Vocabulary

TOKENS = [b"<eos>", b"a", b" b", b"", b"<think>", b"\xff\xc3", b"a"]

token_lists = st.lists(st.binary(max_size=4), min_size=2, max_size=30).filter(lambda tokens: any(tokens[1:]))


def vocabulary(tokens: list[bytes] | None = None, **changes: Any) -> Vocabulary:
    """Build the vocabulary of these tests, with changes."""
    return Vocabulary.from_tokens(
        TOKENS if tokens is None else tokens, **({"end_ids": [0], "special_ids": [4]} | changes)
    )


def test_end_and_special_tokens_are_never_text() -> None:
    """The text that is given for a control token becomes its name: its bytes are matched by ordinary tokens only."""
    made = vocabulary()
    assert made.tokens == (b"", b"a", b" b", b"", b"", b"\xff\xc3", b"a")
    assert made.end_ids == {0}
    assert made.special_ids == {0, 4}
    assert made.special_names == {"<eos>": 0, "<think>": 4}


def test_names_make_ids_special() -> None:
    """A named id is special even if it is in no list, and an explicit name goes before the token's text."""
    made = vocabulary(special_ids=[], special_names={"<pad>": 3, "<eos>": 0, "<end>": 0})
    assert made.special_ids == {0, 3}
    assert made.special_names == {"<pad>": 3, "<eos>": 0, "<end>": 0}
    assert made.tokens[4] == b"<think>"


def test_end_ids_are_a_set() -> None:
    """Several end ids are kept, repeated ones count once: a file may name one token as end of text and of turn."""
    assert vocabulary(end_ids=[0, 3, 0]).end_ids == {0, 3}


@pytest.mark.parametrize(("given_width", "width"), [(None, 7), (7, 7), (8, 8), (151_936, 151_936)])
def test_the_width_is_that_of_the_logits(given_width: int | None, width: int) -> None:
    """The length is the number of logits, and padding ids have no token (xgrammar#694)."""
    made = vocabulary(logit_width=given_width)
    assert len(made) == made.logit_width == width
    assert len(made.tokens) == 7


def test_a_narrower_width_cuts_only_what_is_never_text() -> None:
    """Gemma 3 names an image token one beyond its last logit; text beyond the last logit is a mistake."""
    made = vocabulary([b"", b"a", b"", b""], special_ids=[2], special_names={"<image>": 3}, logit_width=3)
    assert made.tokens == (b"", b"a", b"")
    assert made.special_ids == {0, 2}
    assert made.special_names == {}
    with pytest.raises(VocabularyError, match="leaves out id 6"):
        vocabulary(logit_width=6)
    with pytest.raises(VocabularyError, match="leaves out id 3"):
        vocabulary([b"", b"a", b"", b""], special_ids=[], end_ids=[0, 3], logit_width=3)


REFUSED: list[tuple[str, list[Any] | Any, dict[str, Any], str]] = [
    ("no tokens", [], {"end_ids": [], "special_ids": []}, "no token has any text"),
    ("no text", [b"", b""], {"special_ids": []}, "no token has any text"),
    ("only control tokens", [b"<eos>"], {"special_ids": []}, "no token has any text"),
    ("no end", TOKENS, {"end_ids": []}, "no end id.*give end_ids"),
    ("end too large", TOKENS, {"end_ids": [7]}, r"end_ids: id 7 is not in 0\.\.6"),
    ("end negative", TOKENS, {"end_ids": [-1]}, "end_ids: id -1"),
    ("end a bool", TOKENS, {"end_ids": [True]}, "True is no token id"),
    ("end a float", TOKENS, {"end_ids": [1.0]}, "1.0 is no token id"),
    ("end a name", TOKENS, {"end_ids": ["<eos>"]}, "'<eos>' is no token id"),
    ("end no list", TOKENS, {"end_ids": 0}, "end_ids is 0"),
    ("special too large", TOKENS, {"special_ids": [9]}, "special_ids: id 9"),
    ("name too large", TOKENS, {"special_names": {"<x>": 9}}, "special_names.*id 9"),
    ("name empty", TOKENS, {"special_names": {"": 3}}, "'' is no name"),
    ("name no text", TOKENS, {"special_names": {3: 3}}, "3 is no name"),
    ("name a lone surrogate", TOKENS, {"special_names": {"\ud800": 3}}, "is no name"),
    ("token a str", [b"a", "b"], {"special_ids": []}, "token 1 is 'b', a str.*from_pieces"),
    ("token None", [None, b"b"], {"special_ids": []}, "token 0 is None"),
    ("token a bytearray", [b"a", bytearray(b"b")], {"special_ids": []}, "token 1 is bytearray"),
    ("tokens a mapping", {b"a": 0}, {}, "are one dict"),
    ("tokens a bytes", b"abc", {}, "are one bytes"),
    ("tokens a str", "abc", {}, "are one str"),
    ("too many tokens", [b"a"] * (MAXIMUM_IDS + 1), {}, "more than"),
    ("width zero", TOKENS, {"logit_width": 0}, "logit_width is 0"),
    ("width huge", TOKENS, {"logit_width": 2**40}, "logit_width is"),
    ("width a text", TOKENS, {"logit_width": "7"}, "logit_width is '7'"),
]


@pytest.mark.parametrize(("tokens", "changes", "reason"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_what_does_not_fit_is_refused(tokens: Any, changes: dict[str, Any], reason: str) -> None:
    """Every wrong argument is a VocabularyError that says which, and what to give instead."""
    with pytest.raises(VocabularyError, match=reason) as caught:
        vocabulary(tokens, **changes)
    assert str(caught.value).endswith(")")


@given(token_lists)
def test_bytes_are_missing_bound_or_single(tokens: list[bytes]) -> None:
    """Each of the 256 bytes is in exactly one class: in no token, in longer tokens only, or a token of its own."""
    made = vocabulary([b"", *tokens], special_ids=[])
    for byte in range(256):
        one = bytes([byte])
        assert (byte in made.missing_bytes) == (not any(one in token for token in tokens))
        assert (byte in made.bound_bytes) == (any(one in token for token in tokens) and one not in tokens)


@given(token_lists)
def test_duplicates_are_all_ids_of_one_text(tokens: list[bytes]) -> None:
    """Exactly the texts that occur twice or more are duplicates, with all their ids in order."""
    made = vocabulary([b"", *tokens], special_ids=[])
    counts = Counter(token for token in made.tokens if token)
    assert {token: len(ids) for token, ids in made.duplicates.items()} == {t: n for t, n in counts.items() if n > 1}
    for token, ids in made.duplicates.items():
        assert ids == tuple(i for i, other in enumerate(made.tokens) if other == token)
    assert made.longest == max(len(token) for token in tokens)


@given(token_lists)
def test_pickling_and_copying_keep_the_value(tokens: list[bytes]) -> None:
    """A pickled or copied vocabulary is equal and hashes alike; what was learned stays behind."""
    made = vocabulary([b"", *tokens], special_ids=[], special_names={"<eos>": 0}, logit_width=64)
    made._caches["learned"] = object()
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other == made
        assert hash(other) == hash(made)
        assert (other.tokens, other.end_ids, other.special_ids) == (made.tokens, made.end_ids, made.special_ids)
        assert (dict(other.special_names), len(other)) == (dict(made.special_names), len(made))
        assert other._caches == {}


def test_equal_content_is_equal_and_any_difference_counts() -> None:
    """Two vocabularies are equal if and only if tokens, ends, specials, names and width are."""
    made = vocabulary()
    assert made == vocabulary(list(TOKENS))
    assert made != "a vocabulary"
    moved = [b"<eos>", b"a ", b"b", *TOKENS[3:]]
    names = {"<eos>": 0, "<thinks>": 4}
    others = [
        vocabulary(moved),
        vocabulary(end_ids=[0, 4]),
        vocabulary(special_ids=[3, 4]),
        vocabulary(logit_width=8),
        vocabulary([b"", *TOKENS[1:4], b"", *TOKENS[5:]], special_names=names),
    ]
    assert len({made, *others}) == 1 + len(others)


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    """The fingerprint depends on the content alone: not on hashing seeds, nor on the order of names."""
    code = (
        "from maskwright.vocabulary import Vocabulary as V;"
        "print(V.from_tokens([b'',b'a',b''],end_ids=[0],special_names={'y':2,'x':0}).fingerprint, end='')"
    )
    here = Vocabulary.from_tokens([b"", b"a", b""], end_ids={0}, special_names={"x": 0, "y": 2}).fingerprint
    run = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert {ended.stdout for ended in run} == {here}
    assert len(here) == 64


def test_a_vocabulary_cannot_be_changed() -> None:
    """Fields, names and tokens are read-only: guides share vocabularies."""
    made = vocabulary()
    with pytest.raises(AttributeError):
        made.tokens = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        made.special_names["x"] = 1  # type: ignore[index]


def test_printing_shows_no_tokens() -> None:
    """A log line with a vocabulary is short."""
    assert repr(vocabulary()).startswith("<Vocabulary of 7 tokens, width 7, ")


PIECES = [
    # source; pieces; end ids; the bytes of every id
    (
        "google-ai-edge/LiteRT-LM#3510",
        ["<s>", "</s>", "▁cat", "▁dog", "cat", "dog", "▁", "<0x20>", "c"],
        [1],
        [b"", b"", b" cat", b" dog", b"cat", b"dog", b" ", b" ", b"c"],
    ),
    (
        "guidance-ai/llguidance#268",
        ["</s>", "a", "▁a", ">", "▁>", "a>"],
        [0],
        [b"", b"a", b" a", b">", b" >", b"a>"],
    ),
    (
        "vllm-project/vllm#31389",
        ["</s>", "x", "<0xE9>", "<0xBF>", "<0xAB>", "<0xAC>"],
        [0],
        [b"", b"x", b"\xe9", b"\xbf", b"\xab", b"\xac"],
    ),
    (
        "blanks inside, no byte",
        ["</s>", "a▁▁b", "<0xGG>", "<0x1>", "<0x0a>"],
        [0],
        [b"", b"a  b", b"<0xGG>", b"<0x1>", b"\n"],
    ),
    ("newline", ["</s>", "\n", "\n\n▁"], [0], [b"", b"\n", b"\n\n "]),
]


@pytest.mark.parametrize(("pieces", "ends", "tokens"), [case[1:] for case in PIECES], ids=[case[0] for case in PIECES])
def test_pieces_are_spelled(pieces: list[str], ends: list[int], tokens: list[bytes]) -> None:
    """``▁`` is a blank wherever it stands, ``<0xNN>`` is that byte, and the default control pieces are no text."""
    made = Vocabulary.from_pieces(pieces, end_ids=ends)
    assert made.tokens == tuple(tokens)
    assert made.end_ids == set(ends)


def test_control_pieces_can_be_chosen() -> None:
    """Where the caller lists the control pieces, ``</s>`` is the text it is for Qwen and Gemma."""
    made = Vocabulary.from_pieces(["<end>", "</s>", "▁<x>"], end_ids=[0], special_ids=[2])
    assert made.tokens == (b"", b"</s>", b"")
    assert made.special_names == {"<end>": 0, "▁<x>": 2}


@pytest.mark.parametrize("pieces", ["abc", [b"a"], ["a", None], ["</s>", "\ud800"]])
def test_pieces_must_be_text(pieces: Any) -> None:
    """Anything but a list of text is a VocabularyError."""
    with pytest.raises(VocabularyError):
        Vocabulary.from_pieces(pieces, end_ids=[0])


@pytest.mark.parametrize("tokens", [None, 5, object()])
def test_tokens_that_are_no_list(tokens: object) -> None:
    """What cannot be gone through is refused as such."""
    with pytest.raises(VocabularyError, match="not a list"):
        Vocabulary.from_tokens(tokens, end_ids=[0])  # type: ignore[arg-type]

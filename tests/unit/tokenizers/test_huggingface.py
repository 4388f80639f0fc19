"""Hugging Face tokenizers against the tokenizers library, id by id."""

from __future__ import annotations

import json
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from maskwright.errors import VocabularyError
from maskwright.vocabulary import Vocabulary
from tests.registry import fetch
from tests.unit.tokenizers.conftest import HARD_TEXTS, damaged, real

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["deepseek", "llama3", "qwen3", "gemma3"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def _added(number: int, content: str, *, special: bool = True) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, "special": special, **flags}


def _model(**changes: Any) -> dict[str, Any]:
    vocab = {"a": 0, "Ġa": 1, "é": 2, "Ġ日": 3, "</s>": 4}
    return {"type": "BPE", "unk_token": None, "vocab": vocab, "merges": []} | changes


def _document(**changes: Any) -> dict[str, Any]:
    added = [_added(5, "<|im_end|>"), _added(6, "<Ġx y>", special=False), _added(7, "<|endoftext|>")]
    parts = {"added_tokens": added, "normalizer": None, "pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    return {"version": "1.0", **parts, "model": _model()} | changes


def _write(folder: Path, document: object, **beside: object) -> Path:
    for name, value in {"tokenizer": document, **beside}.items():
        (folder / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return folder / "tokenizer.json"


@pytest.mark.parametrize("name", NAMES)
def test_every_id_is_decoded_as_the_library_does(name: str) -> None:
    """The text of each id is the library's; special ids have none. File and object give the same vocabulary."""
    tokenizers = pytest.importorskip("tokenizers")
    library = tokenizers.Tokenizer.from_file(str(fetch(f"{name}/tokenizer.json")))
    made = real("huggingface", f"{name}/tokenizer.json")
    special = {i for i, token in library.get_added_tokens_decoder().items() if token.special}
    assert made.special_ids == special
    assert len(made.tokens) == library.get_vocab_size(with_added_tokens=True)
    decoded = library.decode_batch([[i] for i in range(len(made.tokens))], skip_special_tokens=False)
    for i, (token, text) in enumerate(zip(made.tokens, decoded, strict=True)):
        assert token.decode(errors="replace") == ("" if i in special else text)
    assert made == Vocabulary.from_huggingface(library)


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_of_the_ids_are_the_text(name: str) -> None:
    """The bytes of what the library encodes are the text, normalised where the tokenizer does that (Qwen: NFC)."""
    tokenizers = pytest.importorskip("tokenizers")
    library = tokenizers.Tokenizer.from_file(str(fetch(f"{name}/tokenizer.json")))
    library.encode_special_tokens = True
    made = real("huggingface", f"{name}/tokenizer.json")
    for text in HARD_TEXTS:
        expected = unicodedata.normalize("NFC", text) if name == "qwen3" else text
        ids = library.encode(text, add_special_tokens=False).ids
        assert b"".join(made.tokens[i] for i in ids) == expected.encode()


FACTS = [
    # name; number of ids; end ids; text of some ids
    ("deepseek", 129_280, {1}, {128_821: "<think>", 128_806: "<｜tool▁calls▁begin｜>", 2: ""}),
    ("llama3", 128_256, {128_001, 128_009}, {128_008: "", 128_010: ""}),
    ("qwen3", 151_669, {151_643, 151_645}, {128_247: "</s>", 151_657: "<tool_call>", 151_667: "<think>", 151_644: ""}),
    ("gemma3", 262_145, {1, 106}, {212: "</s>", 139: "   ", 107: "\n", 4: "<mask>", 105: "", 262_144: ""}),
]


@pytest.mark.parametrize(("name", "count", "ends", "texts"), FACTS, ids=[case[0] for case in FACTS])
def test_the_facts_of_known_models(name: str, count: int, ends: set[int], texts: dict[int, str]) -> None:
    """The traps: several end ids; added tokens that are text; ``</s>`` that is an HTML tag; runs of blanks."""
    made = real("huggingface", f"{name}/tokenizer.json")
    assert len(made.tokens) == count
    assert made.end_ids == ends
    assert {i: made.tokens[i].decode() for i in texts} == texts
    assert not made.missing_bytes


def test_qwen_is_masked_at_the_width_of_its_logits() -> None:
    """151,936 logits for 151,669 ids: the rest is padding (xgrammar#694)."""
    made = Vocabulary.from_huggingface(fetch("qwen3/tokenizer.json"), logit_width=151_936)
    assert (len(made), len(made.tokens)) == (151_936, 151_669)
    with pytest.raises(VocabularyError, match="leaves out id"):
        Vocabulary.from_huggingface(fetch("qwen3/tokenizer.json"), logit_width=151_000)


def test_gemma_has_an_id_more_than_logits() -> None:
    """The text-only Gemma 3 has 262,144 logits; the image token beyond them is dropped. 110 texts have two ids."""
    made = Vocabulary.from_huggingface(fetch("gemma3/tokenizer.json"), logit_width=262_144)
    assert (len(made), len(made.tokens)) == (262_144, 262_144)
    assert "<image_soft_token>" not in made.special_names
    assert len(made.duplicates) == 110


def test_a_file_is_spelled(tmp_path: Path) -> None:
    """Letters are bytes, a token with another character is literal, added tokens too; gaps and specials are empty."""
    made = Vocabulary.from_huggingface(_write(tmp_path, _document()))
    expected = (b"a", b" a", b"\xe9", "Ġ日".encode(), b"</s>", b"", "<Ġx y>".encode(), b"")
    assert made.tokens == expected
    assert made.special_names == {"<|im_end|>": 5, "<|endoftext|>": 7}
    assert made.end_ids == {5, 7}


def test_all_kinds_of_sources_agree(tmp_path: Path) -> None:
    """A file, its path as text, its folder, and the parsed document give one vocabulary."""
    path = _write(tmp_path, _document())
    made = Vocabulary.from_huggingface(path)
    for source in (str(path), tmp_path, str(tmp_path), _document()):
        assert Vocabulary.from_huggingface(source) == made


class _FastTokenizer:
    """The part of a fast tokenizer of transformers that is asked."""

    def __init__(self, backend: object, eos_token_id: int | None) -> None:
        self.backend_tokenizer = backend
        self.eos_token_id = eos_token_id

    def convert_ids_to_tokens(self) -> None:
        """Mark the object as a tokenizer of transformers."""


def test_a_tokenizer_of_transformers_states_its_end(tmp_path: Path) -> None:
    """Its ``eos_token_id`` is an end beside those known by name; one without a fast backend is refused."""
    tokenizers = pytest.importorskip("tokenizers")
    library = tokenizers.Tokenizer.from_file(str(_write(tmp_path, _document())))
    assert Vocabulary.from_huggingface(_FastTokenizer(library, None)).end_ids == {5, 7}
    made = Vocabulary.from_huggingface(_FastTokenizer(library, 4))
    assert (made.end_ids, made.tokens[4]) == (frozenset({4, 5, 7}), b"")
    with pytest.raises(VocabularyError, match="fast"):
        Vocabulary.from_huggingface(_FastTokenizer(None, 4))


@pytest.mark.parametrize("as_object", [False, True])
def test_unigram_models_are_lists(tmp_path: Path, *, as_object: bool) -> None:
    """A Unigram model is a list of pieces with scores; its unknown piece is never text."""
    tokenizers = pytest.importorskip("tokenizers")
    model = {"type": "Unigram", "unk_id": 1, "vocab": [["<pad>", 0.0], ["<unk>", 0.0], ["▁a", -1.0], ["b", -2.0]]}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    added = [_added(0, "<pad>"), _added(4, "</s>")]
    path = _write(tmp_path, _document(model=model, decoder=metaspace, pre_tokenizer=metaspace, added_tokens=added))
    made = Vocabulary.from_huggingface(tokenizers.Tokenizer.from_file(str(path)) if as_object else path)
    assert made.tokens == (b"", b"", b" a", b"b", b"")
    assert made.special_names == {"<pad>": 0, "<unk>": 1, "</s>": 4}


def test_the_unknown_token_is_never_text(tmp_path: Path) -> None:
    """The token that stands for what cannot be encoded would decode to its name."""
    model = _model() | {"unk_token": "</s>"}
    assert Vocabulary.from_huggingface(_write(tmp_path, _document(model=model))).tokens[4] == b""


BESIDE: list[tuple[str, dict[str, object], set[int], int]] = [
    ("nothing", {}, {5, 7}, 8),
    ("generation: a list", {"generation_config": {"eos_token_id": [5, 0]}}, {0, 5, 7}, 8),
    ("generation: one", {"generation_config": {"eos_token_id": 0}}, {0, 5, 7}, 8),
    ("generation: none", {"generation_config": {"eos_token_id": -1}}, {5, 7}, 8),
    ("config", {"config": {"eos_token_id": 0, "vocab_size": 64}}, {0, 5, 7}, 64),
    ("inner config", {"config": {"text_config": {"eos_token_id": 0, "vocab_size": 40}}}, {0, 5, 7}, 40),
    ("tokenizer: text", {"tokenizer_config": {"eos_token": "</s>"}}, {4, 5, 7}, 8),
    ("tokenizer: object", {"tokenizer_config": {"eos_token": {"content": "</s>"}}}, {4, 5, 7}, 8),
    ("tokenizer: added token", {"tokenizer_config": {"eos_token": "<|im_end|>"}}, {5, 7}, 8),
    ("tokenizer: absent token", {"tokenizer_config": {"eos_token": "<none>"}}, {5, 7}, 8),
    ("tokenizer: null", {"tokenizer_config": {"eos_token": None}}, {5, 7}, 8),
    ("specials", {"special_tokens_map": {"eos_token": "</s>"}}, {4, 5, 7}, 8),
    ("added", {"tokenizer_config": {"added_tokens_decoder": {"8": _added(0, "<|eot_id|>")}}}, {5, 7, 8}, 9),
    ("present", {"tokenizer_config": {"added_tokens_decoder": {"7": _added(0, "<|other|>")}}}, {5, 7}, 8),
]


@pytest.mark.parametrize(("beside", "ends", "width"), [case[1:] for case in BESIDE], ids=[case[0] for case in BESIDE])
def test_the_files_beside_add_ends_and_width(
    tmp_path: Path, beside: dict[str, object], ends: set[int], width: int
) -> None:
    """Each configuration file that is there adds what it says; what the caller says replaces both."""
    path = _write(tmp_path, _document(), **beside)
    made = Vocabulary.from_huggingface(path)
    assert (set(made.end_ids), len(made)) == (ends, width)
    chosen = Vocabulary.from_huggingface(path, end_ids=[7], logit_width=100)
    assert (set(chosen.end_ids), len(chosen)) == ({7}, 100)


def test_a_file_of_another_name_stands_alone(tmp_path: Path) -> None:
    """Packages keep many tokenizers in one folder: configuration files there belong to ``tokenizer.json`` only."""
    other = _write(tmp_path, _document(), config={"vocab_size": 64}).rename(tmp_path / "other.json")
    assert len(Vocabulary.from_huggingface(other)) == 8


def test_the_place_of_the_merges_does_not_matter(tmp_path: Path) -> None:
    """Merges are skipped where they come last; a file in another order, or with look-alikes, reads the same."""
    made = Vocabulary.from_huggingface(_document())
    model = _model(merges=[["Ġ", "a"], ["[", "]}}"]])
    orders = [
        _document(model={"merges": model["merges"]} | model),
        {"model": model} | _document(),
        {"model": {"merges": model["merges"]} | model} | _document(),
        _document(model=model),
        _document(model={key: value for key, value in model.items() if key != "unk_token"} | {"unk_token": None}),
        _document(model={key: value for key, value in model.items() if key != "merges"}),
        _document(model=_model(merges=['"merges": [', "]}}"])),
    ]
    for document in orders:
        path = _write(tmp_path, document)
        assert Vocabulary.from_huggingface(path) == made
        path.write_text(json.dumps(document, indent=2) + "\n")
        assert Vocabulary.from_huggingface(path) == made
    odd = _model(vocab={"a": 0, '"merges":Ġ[': 1, '"merges"': 2})
    path = _write(tmp_path, _document(model=odd, added_tokens=[]))
    assert Vocabulary.from_huggingface(path, end_ids=[2]).tokens == (b"a", b'"merges": [', b"")


def test_ids_between_are_never_text(tmp_path: Path) -> None:
    """Ids that no token has are gaps."""
    path = _write(tmp_path, _document(model=_model(vocab={"b": 3, "a": 0}), added_tokens=[]))
    assert Vocabulary.from_huggingface(path, end_ids=[1]).tokens == (b"a", b"", b"", b"b")


@pytest.mark.parametrize("number", [4, 6, 9])
def test_added_ids_that_the_library_would_change_are_refused(tmp_path: Path, number: int) -> None:
    """The library numbers added tokens itself: where the file disagrees, nothing tells which ids the model has."""
    tokenizers = pytest.importorskip("tokenizers")
    path = _write(tmp_path, _document(added_tokens=[_added(number, "<|im_end|>")]))
    with pytest.raises(VocabularyError, match=r"would give it 5 .*Tokenizer\.from_file"):
        Vocabulary.from_huggingface(path)
    assert Vocabulary.from_huggingface(tokenizers.Tokenizer.from_file(str(path))).end_ids == {5}


DAMAGED: list[tuple[str, Any, str]] = [
    ("empty", "", "not JSON"),
    ("cut off", json.dumps(_document())[:-40], "not JSON"),
    ("cut off in the merges", json.dumps(_document())[:-6], "not JSON"),
    ("deep", "[" * 100_000, "not JSON"),
    ("a list", [], "not an object"),
    ("no model", {"version": "1.0"}, "no model"),
    ("model a list", _document(model=[]), "no model"),
    ("no vocab", _document(model={"type": "BPE"}), "no model with a vocab"),
    ("vocab a number", _document(model=_model(vocab=7)), "neither a mapping nor"),
    ("vocab of numbers", _document(model=_model(vocab=[1, 2])), "neither a mapping nor"),
    ("piece a number", _document(model=_model(vocab=[[1, 0.5]])), "neither a mapping nor"),
    ("unknown token a list", _document(model=_model(unk_token=[], vocab={"</s>": 0}), added_tokens=[]), "no end id"),
    ("id a text", _document(model=_model(vocab={"a": "0"}), added_tokens=[]), "no integers"),
    ("id a bool", _document(model=_model(vocab={"a": True}), added_tokens=[]), "no integers"),
    ("id a float", _document(model=_model(vocab={"a": 0.0}), added_tokens=[]), "no integers"),
    ("id negative", _document(model=_model(vocab={"a": -1}), added_tokens=[]), "not within"),
    ("id forged", _document(model=_model(vocab={"a": 2**60}), added_tokens=[]), "not within"),
    ("id twice", _document(model=_model(vocab={"a": 0, "b": 0}), added_tokens=[]), "the same id"),
    ("added id forged", _document(added_tokens=[_added(2**60, "<x>")]), "would give it 5"),
    ("added id twice", _document(added_tokens=[_added(5, "<x>"), _added(5, "<y>")]), "would give it 6"),
    ("added id a text", _document(added_tokens=[{"id": "5", "content": "<x>"}]), "no id or no text"),
    ("added no object", _document(added_tokens=[5]), "no id or no text"),
    ("added no list", _document(added_tokens={"5": "<x>"}), "no list"),
    ("surrogate", _document(model=_model(vocab={"\ud800": 0}), added_tokens=[]), "no text"),
    ("surrogate added", _document(added_tokens=[_added(5, "\ud800")]), "no id or no text"),
    ("WordPiece", _document(decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}), "WordPiece.*from_tokens"),
    ("no end", _document(added_tokens=[_added(5, "<pad>")]), "no end id is known.*<pad>"),
]


@pytest.mark.parametrize(("document", "reason"), [case[1:] for case in DAMAGED], ids=[case[0] for case in DAMAGED])
def test_damage_is_refused_with_path_reason_and_remedy(tmp_path: Path, document: object, reason: str) -> None:
    """A file that is no tokenizer is a VocabularyError that names it and says what to do."""
    path = _write(tmp_path, document)
    with pytest.raises(VocabularyError, match=reason) as caught:
        Vocabulary.from_huggingface(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(")")


@pytest.mark.parametrize(
    ("beside", "reason"),
    [
        ({"config": "{"}, "config.json: not JSON"),
        ({"generation_config": {"eos_token_id": 99}}, "id 99 is not in"),
        ({"config": {"vocab_size": 2}}, "leaves out id"),
        ({"tokenizer_config": {"added_tokens_decoder": [1]}}, "added_tokens_decoder"),
        ({"tokenizer_config": {"added_tokens_decoder": {"x": {}}}}, "'x'"),
        ({"tokenizer_config": {"added_tokens_decoder": {"9": {"content": 5}}}}, "no id or no text"),
        ({"tokenizer_config": {"added_tokens_decoder": {"9": 5}}}, "'9'"),
        ({"tokenizer_config": {"added_tokens_decoder": {"9": _added(0, "<x>")}}}, "would give it 8"),
    ],
)
def test_damaged_files_beside_are_refused(tmp_path: Path, beside: dict[str, object], reason: str) -> None:
    """A configuration that contradicts the tokenizer is not guessed away."""
    with pytest.raises(VocabularyError, match=reason):
        Vocabulary.from_huggingface(_write(tmp_path, _document(), **beside))


UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", 0.5]]}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(damaged(_document()) | damaged(_document(model=UNIGRAM, added_tokens=[_added(2, "</s>")])))
def test_any_damage_is_read_or_refused(tmp_path: Path, document: dict[str, Any]) -> None:
    """Whatever stands where in the file, the only error is a VocabularyError."""
    with suppress(VocabularyError):
        Vocabulary.from_huggingface(_write(tmp_path, document))


CONFIGURATIONS: dict[str, Any] = {
    "config": {"eos_token_id": [1], "vocab_size": 64, "text_config": {"eos_token_id": 2, "vocab_size": 64}},
    "generation_config": {"eos_token_id": [1, 2]},
    "tokenizer_config": {"eos_token": {"content": "</s>"}, "added_tokens_decoder": {"8": _added(0, "<x>")}},
    "special_tokens_map": {"eos_token": "</s>"},
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(damaged(CONFIGURATIONS))
def test_any_damage_of_the_files_beside_is_read_or_refused(tmp_path: Path, beside: dict[str, Any]) -> None:
    """So it is with the configuration files."""
    for old in tmp_path.glob("*.json"):
        old.unlink()
    with suppress(VocabularyError):
        Vocabulary.from_huggingface(_write(tmp_path, _document(), **{k: json.dumps(v) for k, v in beside.items()}))


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    """A missing file, an empty folder and another kind of object say what may be given."""
    for source in (tmp_path / "none.json", tmp_path, 7, None, b"tokenizer.json"):
        with pytest.raises(VocabularyError, match=r"tokenizers\.Tokenizer"):
            Vocabulary.from_huggingface(source)

"""Control tokens in text: found where a template wrote them, never where a message did."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from maskwright.decode.marks import Marks, alternatives

NAMES = {"<|im_start|>": 1, "<|im_end|>": 2, "<s>": 3, "</s>": 4, "[INST]": 5, "[INST_END]": 6, "<|im_end|>x": 7}
MARKS = Marks(NAMES)
FRAGMENTS = st.sampled_from(
    [*NAMES, "<|im_", "end|>", "<", "|", ">", "s>", "[", "INST", "]", "a", " ", "\n", "\ufdd0", "\ufdd1", "\ufdd2", "0"]
)
TEXTS = st.lists(FRAGMENTS, max_size=8).map("".join)


@given(text=TEXTS)
def test_a_guarded_text_is_text(text: str) -> None:
    """Guarded and split again: the text as it was, in one piece."""
    assert MARKS.split(MARKS.guard(text)) == ([text] if text else [])


@given(parts=st.lists(TEXTS, min_size=1, max_size=3), marks=st.lists(st.sampled_from([1, 2, 3, 4, 5]), max_size=4))
def test_only_what_the_template_wrote_is_a_token(parts: list[str], marks: list[int]) -> None:
    """Guarded texts side by side and between names: the ids are those of the names, in their order."""
    names = {number: name for name, number in NAMES.items()}
    between = "".join(map(MARKS.guard, parts))
    written = between.join(["", *(names[mark] for mark in marks), ""])
    pieces = MARKS.split(written)
    assert [piece for piece in pieces if isinstance(piece, int)] == marks
    assert "".join(str(piece) for piece in pieces if isinstance(piece, str)) == "".join(parts) * (len(marks) + 1)


@given(text=TEXTS, before=st.sampled_from(["<|im_", "<", "["]), after=st.sampled_from(["end|>", "|>", "s>", "INST]"]))
def test_a_text_completes_no_name_of_its_surroundings(text: str, before: str, after: str) -> None:
    """What a template writes beside a text never becomes a name together with a beginning or end of it."""
    pieces = MARKS.split(f"{before}{MARKS.guard(text)}{after}")
    assert pieces == [before + text + after] or (not text and f"{before}{after}" in NAMES)


@given(names=st.sets(st.text("ab<|>", min_size=1, max_size=6), max_size=12), text=st.text("ab<|>", max_size=30))
def test_the_pattern_finds_the_longest_name(names: set[str], text: str) -> None:
    """The pattern that shares beginnings finds what a search for the longest name at every place finds."""
    found = [match.group() for match in re.finditer(alternatives(sorted(names)), text)]
    wanted, at = [], 0
    while at < len(text):
        best = max((name for name in names if text.startswith(name, at)), key=len, default="")
        wanted += [best] if best else []
        at += len(best) or 1
    assert found == wanted


def test_thousands_of_names_that_begin_alike() -> None:
    """A text of beginnings only, against 6,000 names: not every name is tried at every place (that takes a minute)."""
    marks = Marks({f"<unused{i}>": i for i in range(6000)})
    text = "<unused" * 30_000
    assert marks.split(marks.guard(text)) == [text]

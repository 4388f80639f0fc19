"""The format `idn-hostname`: tables from the RFCs, the package `idna` as an oracle, and no dead ends."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import pairwise
from typing import Any

import idna
import idna.core
import pytest

from maskwright.schema.idn_grammar import NAMES
from maskwright.schema.idn_table import characters, windows

DOTS = ".\u3002\uff0e\uff61"


def step(state: Any, text: str) -> Any:
    """The state after a text, ``None`` if it was refused."""
    for char in text:
        if state is not None:
            state = next((then for a, b, then in NAMES.moves(state) if a <= ord(char) <= b), None)
    return state


def accepts(text: str) -> bool:
    """Whether the format admits a text."""
    state = step(NAMES.start, text)
    return state is not None and NAMES.accepts(state)


ACCEPTED = {
    "RFC 5890 2.3.2": "a a.b 1 1-1 WWW.example a--b a-b.c-d bücher.example 例え.テスト ex\u3002am\uff0ep\uff61le ßς",
    "RFC 5892 A.1": "\u0915\u094d\u200c\u0937 \u0628\u064a\u200c\u0628\u064a \u0628\u064e\u200c\u064e\u0628",
    "RFC 5892 A.2": "\u0915\u094d\u200d\u0937",
    "RFC 5892 A.3": "l·l al·la l·l·l",
    "RFC 5892 A.4": "α\u0375β α\u0375\u0375β",
    "RFC 5892 A.5 and A.6": "א\u05f3ב א\u05f4ב א\u05f3\u05f4",
    "RFC 5892 A.7": "\u30fbぁ ァ\u30fb 丈\u30fb\u30fb a\u30fb\u30fbbぁ",
    "RFC 5892 A.8 and A.9": "ب٠ب ۰0",
    "RFC 5893": "א א0 א٠ א.a אב.גד a.א 0-a א\u05b0",
    "UAX 15": "\u0e81\u0eb8\u0ec8 が ரொ க\u0bc6\u0bcd\u0bbe",
}
REFUSED = {
    "RFC 5890 2.3.2": "a_b a.b. .a a..b \u3002 bÜcher Bücher é! \u2603 İ",
    "RFC 5891 4.2.3": "-a a- ab--c ü- -ü üa--b xn--bcher-kva XN--a a.-b \u0301a \u0903a",
    "RFC 5892 2.8": "\u0640ا \u07faا \u302eа \u3031 \u1100",
    "RFC 5892 A.1": "\u200cا ا\u200cب ب\u200c ب\u200cا\u200c ب\u200c\u064e a\u200cb ب\u200ca",
    "RFC 5892 A.2": "\u200d \u200dب ب\u200dب \u0915\u200d\u0937",
    "RFC 5892 A.3": "· ·l l· a·l l·a ll· L·l",
    "RFC 5892 A.4": "α\u0375 α\u0375b",
    "RFC 5892 A.5 and A.6": "\u05f3 a\u05f3 \u05f4א",
    "RFC 5892 A.7": "\u30fb a\u30fbb \u30fb.ぁ",
    "RFC 5892 A.8 and A.9": "ب٠۰ ۰٠ب ٠ a٠",
    "RFC 5893": "aא אa 0א א0٠ 0a.א א.0 א-.א",
    "UAX 15": "か\u3099 ர\u0bc6\u0bbe क\u093c\u200d \u0e81\u0ec8\u0eb8 \u0627\u0653",
}
#: Valid, and told in the module's docstring to be left out.
LEFT_OUT = ["xn--bcher-kva", "παράδειγμα" * 5, "q\u0301", "б\u0301", "a" * 30 + "ü", ".".join("абвгдежзик")]


@pytest.mark.parametrize("text", [text for row in ACCEPTED.values() for text in row.split()])
def test_accepted(text: str) -> None:
    """What the rules admit."""
    assert accepts(text)


@pytest.mark.parametrize("text", ["", "a b", *(text for row in REFUSED.values() for text in row.split())])
def test_refused(text: str) -> None:
    """What they do not."""
    assert not accepts(text)


@pytest.mark.parametrize("text", LEFT_OUT)
def test_left_out(text: str) -> None:
    """What is narrower than the specification, on purpose."""
    assert not accepts(text)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a" * 63, True),
        ("a" * 64, False),
        ("a" * 61 + "-a", True),
        ("ж" * 20, True),
        ("ü" * 60, False),
        ("中" * 14, True),
        ("ä" + "a" * 39, True),
        (".".join(["a"] * 30), True),
        (".".join(["a" * 63] * 4), False),
    ],
)
def test_lengths(text: str, valid: bool) -> None:
    """63 characters a label and 253 a name, in A-form."""
    assert accepts(text) == valid


def verdict(text: str) -> bool:
    """What `idna` says, with the Bidi rule asked of every label of a Bidi name."""
    labels = re.split(f"[{DOTS}]", text)
    try:
        if not all(labels) or any(len(idna.core.alabel(label)) > 63 for label in labels):
            return False
        if any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
            for label in labels:
                idna.core.check_bidi(label.lower() if label.isascii() else label, check_ltr=True)
    except idna.IDNAError:
        return False
    return True


#: Characters that rules meet in, one script or rule a row.
POOLS = [
    "abl·é-Aß0", "αβ\u0375ς", "אב\u05f3\u05f4\u05b00a-",
    "بيلا\u0648\u0649\u0653\u0654۰٠0\u200c\u0688", "かがバ\u3099゚・ーa漢",
    "\u0915\u0937\u0928\u0931\u094d\u093e\u093f\u093c\u200c\u200d", "\u0995\u09cb\u09c7\u09be\u0b9f\u0bca\u0bc6\u0bbe",
    "aא٠0.-l·", "가나다a-", "кий\u0308-a", "ไทย\u0e48\u0e38",
]  # fmt: skip


def drawn(seed: int, count: int) -> list[str]:
    """Random rows of characters that go together, and of any others."""
    source = random.Random(seed)
    table = characters()
    known = [r for r in table.ranges if unicodedata.category(chr(r[0])) != "Cn"]
    texts = []
    for _ in range(count):
        pool = source.choice(POOLS) if source.random() < 0.8 else [chr(source.choice(known)[0]) for _ in range(4)]
        texts.append("".join(source.choices(pool, k=source.randint(1, 6))))
        if source.random() < 0.2:
            texts[-1] += source.choice(DOTS) + "".join(source.choices(source.choice(POOLS), k=2))
    return texts


def test_agrees_with_idna() -> None:
    """`idna` admits the same names, but for the marks that are left out."""
    for text in drawn(1, 400):
        if any(0x300 <= ord(char) <= 0x345 for char in text):
            assert not accepts(text)
        else:
            assert accepts(text) == verdict(text), ascii(text)


def test_labels_that_are_read_are_short_enough() -> None:
    """However letters of a window are mixed, the A-form has at most 63 characters when the machine lets no more in."""
    source = random.Random(2)
    table = characters()
    longest = 0
    for _ in range(40):
        window = source.choice(windows())
        letters = [r for r in table.ranges if window.first <= r[0] <= window.last]
        letters = [r for r in letters if table.classes[r[2]].bidi == "L" and not table.classes[r[2]].is_mark]
        if not letters:
            continue
        few = [source.randint(*source.choice(letters)[:2]) for _ in range(source.choice([1, 2, 10, 60]))]
        share = source.choice([0, 0.2, 0.9])
        state: Any = NAMES.start
        text = ""
        while (char := source.choice("abc") if source.random() < share else chr(source.choice(few))) is not None:
            state = step(state, char)
            if state is None:
                break
            text += char
        size = len(text) if text.isascii() else 4 + len(text.encode("punycode"))
        assert size <= 63
        longest = max(longest, size)
    assert longest > 50


def test_no_dead_ends() -> None:
    """Every prefix that is read can be completed, and moves ascend."""
    closings = ("", "l", "α", "ب", "ぁ", "a", "0", "ا", "١", *(a + b for a in "lαب" for b in "ぁaا"))
    for text in [*drawn(3, 60), "a" * 70, "ä" * 40, "中" * 20, *(p * 12 for p in POOLS)]:
        state: Any = NAMES.start
        for char in text:
            moves = NAMES.moves(state)
            assert all(one[1] < other[0] for one, other in pairwise(moves))
            state = next((then for a, b, then in moves if a <= ord(char) <= b), None)
            if state is None:
                break
            after = (step(state, closing) for closing in closings)
            assert any(one is not None and NAMES.accepts(one) for one in after), ascii(text)

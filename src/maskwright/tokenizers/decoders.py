"""How the decoder of a Hugging Face tokenizer turns tokens into bytes.

Source: the decoders of the ``tokenizers`` library. Each step of a decoder is one function of the table below. A
decoder whose result depends on the neighbours of a token (WordPiece, suffixes, CTC) is refused: there no token has
bytes of its own. What is done once to the whole text (``Strip`` after ``Fuse``) does not concern tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from maskwright.tokenizers.content import refusal
from maskwright.tokenizers.spelling import BLANK, spell_letters, spell_pieces

__all__ = ["Spelling", "read_spelling"]

_REMEDY: Final = "use Vocabulary.from_tokens with the bytes of every id"

#: A step of a decoder, as the file has it: its ``type`` and its settings.
Step = Mapping[str, Any]


@dataclass(slots=True)
class Spelling:
    """What a decoder does to each token."""

    #: Characters of the byte alphabet stand for bytes.
    letters: bool = False
    #: ``<0xNN>`` stands for a byte.
    fallback: bool = False
    #: Substitutions of text, in order.
    replacements: list[tuple[str, str]] = field(default_factory=list)
    #: The tokens were joined: further steps see the whole text.
    fused: bool = False

    def spell(self, tokens: Sequence[str]) -> list[bytes]:
        """Return the bytes of tokens of the model.

        Raises:
            UnicodeEncodeError: a token holds a lone surrogate.

        """
        return spell_letters(tokens) if self.letters else self.spell_added(tokens)

    def spell_added(self, tokens: Sequence[str]) -> list[bytes]:
        """Return the bytes of added tokens: the byte alphabet does not apply to them, the other steps do.

        The library's own decoder does apply it, but its encoder matches added tokens literally: DeepSeek-Coder reads
        ``õ`` as id 32000 and would write the byte F5 for it. What the model learned to write is the text it read.
        """
        return spell_pieces(tokens, replacements=self.replacements, fallback=self.fallback)


def _byte_level(spelling: Spelling, _step: Step) -> bool:
    spelling.letters = True
    return True


def _byte_fallback(spelling: Spelling, _step: Step) -> bool:
    spelling.fallback = True
    return True


def _fuse(spelling: Spelling, _step: Step) -> bool:
    spelling.fused = True
    return True


def _strip(spelling: Spelling, _step: Step) -> bool:
    """Accept the removal of the blank that was put before the first word; of single tokens it would lose text."""
    return spelling.fused


def _replace(spelling: Spelling, step: Step) -> bool:
    pattern, content = step.get("pattern"), step.get("content")
    old = pattern.get("String") if isinstance(pattern, Mapping) else None
    if spelling.fused or not isinstance(old, str) or not isinstance(content, str):
        return False
    spelling.replacements.append((old, content))
    return True


def _metaspace(spelling: Spelling, step: Step) -> bool:
    spelling.replacements.append((str(step.get("replacement", BLANK)), " "))
    return True


_STEPS: Final[Mapping[str, Callable[[Spelling, Step], bool]]] = {
    "ByteFallback": _byte_fallback,
    "ByteLevel": _byte_level,
    "Fuse": _fuse,
    "Metaspace": _metaspace,
    "Replace": _replace,
    "Strip": _strip,
}


def read_spelling(place: object, decoder: object, pre_tokenizer: object) -> Spelling:
    """Return what the decoder does to each token.

    Args:
        place: Where the tokenizer comes from, for messages.
        decoder: The decoder as the file has it, ``None`` if it has none.
        pre_tokenizer: Taken instead of a missing decoder, if it spells bytes or blanks.

    Raises:
        VocabularyError: a step is unknown or depends on neighbours, or nothing says how tokens are spelled.

    """
    spelling = Spelling()
    if decoder is not None:
        for step in _flattened(decoder, "decoders"):
            if not _STEPS.get(str(step.get("type")), _refused)(spelling, step):
                reason = f"the decoder step {step.get('type')!r} does not give each token bytes of its own"
                raise refusal(place, reason, _REMEDY)
        return spelling
    for step in _flattened(pre_tokenizer, "pretokenizers"):
        if step.get("type") in ("ByteLevel", "Metaspace"):
            _STEPS[step["type"]](spelling, step)
            return spelling
    raise refusal(place, "it has no decoder that says how tokens are joined to text", _REMEDY)


def _refused(_spelling: Spelling, _step: Step) -> bool:
    return False


def _flattened(component: object, parts: str) -> list[Step]:
    """Return the steps of a component whose sequences may be nested, in order."""
    steps: list[Step] = []
    pending = [component]
    while pending:
        step = pending.pop()
        if isinstance(step, Mapping):
            if step.get("type") == "Sequence" and isinstance(step.get(parts), list):
                pending += reversed(step[parts])
            else:
                steps.append(step)
    return steps

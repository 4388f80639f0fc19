"""Our engine for ``shared/bench/maskbench.py``: ``BENCH_OURS=tests/bench/ours.py python maskbench.py run ours ...``.

``MASKWRIGHT_ORDER`` is the property order (``any`` by default: MaskBench's instances come in their own order).
"""

from __future__ import annotations

import os
from typing import Any

import maskwright as mw
from maskwright.matcher import Matcher


class Ours:
    """An adapter as ``engines.py`` describes it."""

    NAME = "ours"

    def __init__(self, vocab: Any, property_order: str | None = None) -> None:
        """Build the vocabulary's tables (not timed by the runner)."""
        self.vocabulary = mw.Vocabulary.from_tokens(vocab.tokens, end_ids=[vocab.eos_id], logit_width=vocab.n_vocab)
        self.order = property_order or os.environ.get("MASKWRIGHT_ORDER", "any")
        self.compile({"type": "object"}).matcher().mask()

    def version(self) -> str:
        """Name and version."""
        return f"maskwright {mw.__version__} property_order={self.order}"

    def compile(self, schema: Any) -> _Grammar:
        """Compile one schema."""
        constraint = mw.json_schema(schema, property_order=self.order)
        return _Grammar(mw.compile(constraint, self.vocabulary))


class _Grammar:
    def __init__(self, guide: mw.Guide) -> None:
        self._guide = guide

    def matcher(self) -> _Matcher:
        return _Matcher(self._guide.matcher())


class _Matcher:
    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self.mask = matcher.mask

    def accept(self, token: int) -> bool:
        try:
            self._matcher.advance(token)
        except mw.MaskwrightError:
            return False
        return True

    def is_accepting(self) -> bool:
        return self._matcher.is_accepting


def make_engine(vocab: Any, **options: Any) -> Ours:
    """The runner's entry."""
    return Ours(vocab, **options)

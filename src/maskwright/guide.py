"""Guide: a constraint compiled for a vocabulary, shared by all sequences that it guides."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakValueDictionary

from maskwright.budget import BudgetedMatcher
from maskwright.constraint import Constraint
from maskwright.engine import Engine
from maskwright.errors import PolicyError
from maskwright.matcher import Matcher
from maskwright.vocabulary import Vocabulary

__all__ = ["Guide", "compile_guide"]


class Guide:
    """A compiled constraint. Threads may share it; what one matcher learns serves all."""

    __slots__ = ("__weakref__", "_engine")

    def __init__(self, constraint: Constraint, vocabulary: Vocabulary) -> None:
        """Compile; see :func:`maskwright.compile`."""
        self._engine = Engine(constraint, vocabulary)

    @property
    def constraint(self) -> Constraint:
        """What was compiled."""
        return self._engine.constraint

    @property
    def vocabulary(self) -> Vocabulary:
        """What it was compiled for."""
        return self._engine.vocabulary

    @property
    def is_current(self) -> bool:
        """Whether it shares what it learned with guides that are compiled now.

        Where that outgrew ``Limits`` it was dropped, and only the guides from before hold it until they are used: a
        cache of guides that must not grow compiles them again.
        """
        return self._engine.is_current

    def matcher(self, *, max_tokens: int | None = None) -> Matcher:
        """A new sequence at the beginning of the constraint.

        With ``max_tokens`` every mask leaves out the tokens after which the output could not be closed in time, so it
        always ends within that many tokens (end tokens do not count). An output near its end may then be shorter than
        the model would have it, but it is complete.

        Raises:
            UnspellableError: no output of that few tokens is found; the message tells the least number.
            PolicyError: ``max_tokens`` is no number of at least 0.
        """
        return Matcher(self._engine) if max_tokens is None else BudgetedMatcher(self._engine, max_tokens)

    def matches(self, text: str | bytes) -> bool:
        """Whether a whole text is an output of the constraint, however it is cut into tokens.

        Control tokens that a grammar asks for stand in the text by their names, as in ``Matcher.text``.
        """
        return self.matcher().matches(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)

    def complete(self, text: str | bytes) -> bytes:
        """The shortest text that makes a beginning of an output a whole one; empty if it may end.

        Control tokens stand in both by their names.

        Raises:
            TokenError: the text is no beginning of an output; the message says where and why.
            LimitError: no completion is found within ``Limits``.
        """
        matcher = self.matcher()
        matcher.advance_shown(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        return matcher.complete()

    def __reduce__(self) -> tuple[Callable[..., Guide], tuple[Constraint, Vocabulary]]:
        """Pickle as the constraint and the vocabulary; what was learned is learned again."""
        return compile_guide, (self.constraint, self.vocabulary)

    def __repr__(self) -> str:
        """The constraint and the vocabulary."""
        return f"Guide({self.constraint!r}, {self.vocabulary!r})"


def compile_guide(constraint: Constraint, vocabulary: Vocabulary) -> Guide:
    """Compile a constraint for a vocabulary, as far as the first mask needs; the rest is learned as outputs go there.

    The same constraint and vocabulary give the same guide while anyone holds it.

    Raises:
        ConstraintError: a limit was exceeded, or no output meets the constraint.
        UnspellableError: no tokens of the vocabulary spell an output of the constraint.
        PolicyError: not a constraint and a vocabulary.
    """
    if not isinstance(constraint, Constraint) or not isinstance(vocabulary, Vocabulary):
        given = f"{type(constraint).__name__} and {type(vocabulary).__name__}"
        raise PolicyError(f"compile() takes a Constraint and a Vocabulary, not {given}")
    if constraint.guides is None:
        constraint.guides = WeakValueDictionary()
    found: Guide | None = constraint.guides.get(id(vocabulary))
    if found is None or found.vocabulary is not vocabulary:
        found = constraint.guides[id(vocabulary)] = Guide(constraint, vocabulary)
    return found

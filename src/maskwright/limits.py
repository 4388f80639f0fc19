"""Every cap of the library in one frozen value, so that no request can stall, kill or bloat the process."""

from __future__ import annotations

from dataclasses import dataclass, fields

from maskwright.errors import PolicyError, excerpt

__all__ = ["DEFAULT_LIMITS", "Limits", "check_limits"]


@dataclass(frozen=True)
class Limits:
    """Caps on sizes, depths, counts and time; exceeding one raises :class:`maskwright.errors.LimitError`.

    Caches are not refused but evicted: at ``lexeme_states``, ``configurations`` and ``masks`` the learned tables are
    dropped and rebuilt from the live matchers.
    """

    #: Bytes of a schema or grammar text.
    source_bytes: int = 32_000_000
    #: Nesting of a schema (objects and arrays of the schema document itself).
    schema_depth: int = 2_000
    #: Subschemas that one schema may reach.
    subschemas: int = 1_000_000
    #: Names, strings and operators of a Lark grammar; the ``lark`` package reads some 20,000 a second.
    grammar_symbols: int = 50_000
    #: Characters of one regular expression.
    pattern_length: int = 65_536
    #: Nested groups of one regular expression, and nesting of any lexical term.
    pattern_depth: int = 250
    #: Upper bound of a counted repetition of a pattern that is not a single character class.
    pattern_repeat: int = 10_000
    #: States visited to decide whether an intersection or complement of patterns is empty.
    emptiness_states: int = 20_000
    #: Residuals visited to decide whether an object, array or grammar rule can be completed.
    satisfiability_steps: int = 100_000
    #: Seconds that compiling one constraint may take; and that it may wait for its turn.
    compile_seconds: float = 30.0
    #: Seconds of one turn with what all constraints of a vocabulary share: the beginning of a guide or of a budget, a
    #: new mask, a completion. Other threads that need something new for that vocabulary wait meanwhile.
    turn_seconds: float = 10.0
    #: Lexeme states kept for one vocabulary before they are dropped and learned again (1 KiB each).
    lexeme_states: int = 32_768
    #: Configurations kept for one guide before they are dropped and learned again.
    configurations: int = 262_144
    #: Masks kept for one guide (``4 * ceil(len(vocabulary) / 32)`` bytes each).
    masks: int = 4_096
    #: Configurations visited to decide whether a vocabulary without single-byte tokens can spell an ending after a
    #: token; where that is not seen by then, the token is not allowed.
    spelling_states: int = 2_000
    #: Open arrays, objects and rule calls at one place of the output.
    stack_depth: int = 100_000

    def __post_init__(self) -> None:
        """Refuse caps that are no numbers or below 0."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise PolicyError(f"Limits.{field.name} must be a number of at least 0, not {excerpt(value)}")
        if self.lexeme_states < 1:
            raise PolicyError("Limits.lexeme_states must be at least 1: every text needs a state")


DEFAULT_LIMITS = Limits()


def check_limits(limits: object) -> None:
    """Raise :class:`PolicyError` for what a caller gave as ``limits`` and is none."""
    if not isinstance(limits, Limits):
        raise PolicyError(f"limits must be a Limits, not {excerpt(limits)}")

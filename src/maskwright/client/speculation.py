"""How many tokens are asked for at once, and what ends them early."""

from __future__ import annotations

from typing import Final

from maskwright.client.profiles import Profile
from maskwright.constraint import Constraint, regex
from maskwright.errors import MaskwrightError, UnsatisfiableError

__all__ = ["Speculation", "stops_of"]

#: Fewer save nothing: a call takes longer than some tokens, and its prompt is billed again.
_LEAST: Final = 16
#: Most answers to a schema in the prompt are one piece of this many tokens, or two.
_FIRST: Final = 64
_MOST: Final = 256
#: A call bills its whole prompt again, a token that is thrown away itself: a quarter of the prompt is risked.
_SHARE: Final = 4


class Speculation:
    """The number of tokens to ask for: doubled while all are kept, cut down to what was kept when one is not."""

    def __init__(self) -> None:
        """Begin as if the model will do what it was told."""
        self.length = _FIRST

    def succeed(self) -> None:
        """All of them were kept."""
        self.length = min(_MOST, 2 * self.length)

    def fail(self, kept: int, prompt_tokens: int) -> None:
        """Only so many were kept."""
        self.length = max(_LEAST, min(_FIRST, max(2 * kept, prompt_tokens // _SHARE)))


def stops_of(constraint: Constraint | None, profile: Profile) -> tuple[str, ...]:
    """Texts that are in no output of a constraint: a model that writes one has left it, and may be stopped there."""
    if constraint is None or not profile.stops:
        return ()
    if constraint.kind in ("json_schema", "response_format"):
        # A line break inside of a JSON string is written as \n; between tokens the policy says what may stand.
        stop = {"compact": "\n", "spaced": "\n", "flexible": "\n\n"}.get(str(constraint.policies.get("whitespace")))
        return (stop,) if stop else ()
    if constraint.kind in ("regex", "choice"):
        try:
            _ = constraint - regex("[^\n]*")
        except UnsatisfiableError:
            return ("\n",)
        except MaskwrightError:
            return ()
    return ()

"""When a run stops by itself: a service that refuses or fails one row after the other would do so with all of them.

Rows that failed because of the service are held back until another row shows that the service works. If none does, they
are let go: nothing is written of them, so that a resumed run tries them like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeGuard

from maskwright.errors import (
    CapabilityError,
    ConstraintError,
    CredentialsError,
    LimitError,
    MaskwrightError,
    PolicyError,
    RejectedError,
    ServiceError,
)

__all__ = ["Breaker"]

#: Errors that are the job's and not a row's.
_LASTING: Final = (CredentialsError, CapabilityError, ConstraintError, PolicyError)
#: Rows in a run's beginning that must not reach the service until it counts as unreachable. Each was tried several
#: times by then.
_UNREACHED: Final = 3
_NOT_FOUND: Final = 404


@dataclass
class Breaker:
    """Judges failures in the order in which they happen."""

    #: Failures of the service in a row that end the run; 0 for never.
    most: int = 10
    #: What ended the run, ``None`` while it goes on.
    error: MaskwrightError | None = None
    #: How many failures of the service there were, and what writes those that are held back, by their number.
    _count: int = 0
    _held: dict[int, Callable[[], None]] = field(default_factory=dict)
    _has_answered: bool = False
    _has_refused: bool = False

    @property
    def held(self) -> int:
        """How many failures are held back."""
        return len(self._held)

    def mark(self) -> int:
        """What tells when a row was begun."""
        return self._count

    def passed(self, mark: int) -> None:
        """Note that the service answered a row that was begun at ``mark``.

        What is held back from before then were failures of single rows. A later failure may well be the first of many:
        an answer that was begun before it says nothing about that.
        """
        self._has_answered = True
        self._release(mark)

    def failed(self, error: Exception, mark: int, write: Callable[[], None]) -> None:
        """Note the failure of a row that was begun at ``mark``; ``write`` is called now, later or never.

        Look at ``error`` afterwards.
        """
        if _is_lasting(error) and self.most:
            self._trip(error)
            return
        if not isinstance(error, ServiceError):
            self.passed(mark)
            write()
            return
        self._held[self._count] = write
        self._count += 1
        self._has_refused = self._has_refused or isinstance(error, RejectedError)
        if not self.most:
            self._release(self._count)
        elif len(self._held) >= self._patience():
            self._trip(error)

    def _patience(self) -> int:
        is_lost = not self._has_answered and not self._has_refused
        return min(_UNREACHED, self.most) if is_lost else self.most

    def finished(self, error: Exception | None) -> None:
        """Note that there are no more rows; ``error`` is the last failure.

        A service that never gave any answer was not there: the rows are left for later, however few they are.
        """
        if self.error is None and self._held and isinstance(error, ServiceError):
            if self.most and not self._has_answered and not self._has_refused:
                self._trip(error)
            else:
                self._release(self._count)

    def _trip(self, error: MaskwrightError) -> None:
        self.error = self.error or error
        self._held.clear()

    def _release(self, mark: int) -> None:
        for number in [number for number in self._held if number < mark]:
            self._held.pop(number)()


def _is_lasting(error: Exception) -> TypeGuard[MaskwrightError]:
    """Whether all rows would fail so: with this job, this key, or a model that is not there."""
    if isinstance(error, RejectedError):
        return error.status == _NOT_FOUND or error.code == "model_not_found"
    return isinstance(error, _LASTING) and not isinstance(error, LimitError)

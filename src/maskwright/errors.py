"""The errors of Maskwright: one tree, every leaf with a place, a reason and a remedy.

::

    MaskwrightError
    ├── ConstraintError            the constraint cannot be compiled; ``problems`` lists every reason
    │   ├── SchemaError            the text is not JSON, or the value is not a JSON Schema
    │   ├── UnsupportedError       a keyword, dialect or construct that is not enforced yet
    │   ├── UnsatisfiableError     no output can meet the constraint
    │   ├── PatternError           a regular expression that cannot be read (message with carets)
    │   ├── GrammarError           a grammar text that cannot be read (line, column, caret)
    │   └── LimitError             a number of :class:`maskwright.Limits` was exceeded
    ├── PolicyError                an argument of a constructor has no meaning
    ├── VocabularyError            the tokens, ids or files of a vocabulary do not fit together
    │   └── UnspellableError       no token sequence of this vocabulary can write the constraint
    ├── TokenError                 a token or byte that the matcher cannot accept here
    ├── OutputError                a text that was generated and cannot be read as what it should be
    ├── ModelError                 weights that are missing, damaged or of an unknown architecture
    ├── InputError                 a file or argument of the command line cannot be used
    ├── RequestError               a request to our server that cannot be honoured (status, param, code)
    ├── ServiceError               an API gave no answer; carries what it said, and how often it was asked
    │   ├── ConnectionFailedError  no connection, or one that broke off in the middle
    │   ├── ServiceTimeoutError    no answer in time
    │   ├── ProtocolError          an answer that is none: broken JSON, malformed events, half a stream
    │   ├── CredentialsError       401 and 403
    │   ├── CapabilityError        this model or API does not offer what was asked for
    │   ├── RejectedError          another refusal of the request (4xx): a schema it does not take, a bad field
    │   ├── RateLimitedError       429, after all retries
    │   └── ServerFailedError      5xx, after all retries
    └── AnswerError                an API answered, but not what the constraint asks for; carries text, place, reason
        ├── TruncatedError         the answer was cut off: tokens ran out
        └── ExhaustedError         the budget of calls, tokens or seconds was used up
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "AnswerError",
    "CapabilityError",
    "ConnectionFailedError",
    "ConstraintError",
    "CredentialsError",
    "ExhaustedError",
    "GrammarError",
    "InputError",
    "LimitError",
    "MaskwrightError",
    "ModelError",
    "OutputError",
    "PatternError",
    "PolicyError",
    "Problem",
    "ProtocolError",
    "RateLimitedError",
    "RejectedError",
    "RequestError",
    "SchemaError",
    "ServerFailedError",
    "ServiceError",
    "ServiceTimeoutError",
    "TokenError",
    "TruncatedError",
    "UnsatisfiableError",
    "UnspellableError",
    "UnsupportedError",
    "VocabularyError",
    "excerpt",
    "label",
]


def excerpt(value: object, most: int = 60) -> str:
    """The beginning of a foreign value as Python writes it, for messages; its type where Python cannot write it.

    ``repr`` raises for whole numbers of more than 4,300 digits, for deep nesting, and for whatever classes raise.
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (a foreign class may raise anything)
        text = f"<{type(value).__name__}>"
    return text[:most]


def label(key: object) -> str:
    """A foreign key as it stands in places and lists: the string that it should be, or an excerpt of what it is."""
    return key if isinstance(key, str) else excerpt(key)


@dataclass(frozen=True)
class Problem:
    """One reason why a constraint is refused."""

    reason: str
    #: Where: a JSON pointer into the schema (``#/properties/a``), or ``line:column`` of a text; ``""`` if nowhere.
    place: str = ""
    #: The keyword or construct at fault, ``""`` if none.
    keyword: str = ""
    #: What to do about it, ``""`` if nothing can be advised.
    remedy: str = ""

    def __str__(self) -> str:
        """One line: place, reason, remedy."""
        at = f"{self.place}: " if self.place else ""
        advice = f" ({self.remedy})" if self.remedy else ""
        return f"{at}{self.reason}{advice}"


class MaskwrightError(Exception):
    """Base of every error that this package raises on purpose."""


class ConstraintError(MaskwrightError):
    """A constraint that cannot be compiled.

    ``problems`` holds every reason that was found, in the order of their places; the message shows them all.
    """

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem, ...] = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class SchemaError(ConstraintError):
    """The text is not JSON, or the value is not a JSON Schema."""


class UnsupportedError(ConstraintError):
    """The constraint uses something that Maskwright does not enforce; it is never silently dropped."""


class UnsatisfiableError(ConstraintError):
    """No output can meet the constraint."""


class PatternError(ConstraintError):
    """A regular expression that cannot be read or compiled."""


class GrammarError(ConstraintError):
    """A grammar text that cannot be read or compiled."""


class LimitError(ConstraintError):
    """A number of :class:`maskwright.Limits` was exceeded."""


class PolicyError(MaskwrightError):
    """An argument of a constructor has no meaning."""


class VocabularyError(MaskwrightError):
    """The tokens, ids or files of a vocabulary do not fit together."""


class UnspellableError(VocabularyError):
    """No token sequence of this vocabulary can write an output that the constraint allows."""


class TokenError(MaskwrightError):
    """A token or byte that the matcher cannot accept here; the matcher is unchanged."""


class OutputError(MaskwrightError):
    """A text that was generated and cannot be read as what it should be; what was read before it went wrong is kept."""

    def __init__(self, reason: str, *, offset: int, line: int, column: int, parsed: object = None) -> None:
        super().__init__(f"{line}:{column}: {reason}")
        self.reason = reason
        #: Characters before the wrong one; the length of the text if it ended too early.
        self.offset = offset
        #: Line and column of the wrong character, from 1.
        self.line = line
        self.column = column
        #: What was read before: what the function or method that raised it would have returned.
        self.parsed = parsed


class ModelError(MaskwrightError):
    """Weights that are missing, damaged or of an unknown architecture."""


class InputError(MaskwrightError):
    """A file or argument of the command line cannot be used."""


class RequestError(MaskwrightError):
    """A request to our server that cannot be honoured, with all that its answer needs."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: str = "invalid_request_error",  # noqa: A002 - the name on the wire
        param: str | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status.
        self.status = status
        self.type = type
        #: The field at fault, with its path (``messages[2].content``).
        self.param = param
        self.code = code
        #: Seconds after which it may be sent again.
        self.retry_after = retry_after


class ServiceError(MaskwrightError):
    """An API gave no answer."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        param: str | None = None,
        code: str | None = None,
        body: str = "",
        request_id: str | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status, None if there was no response.
        self.status = status
        #: The field at fault and the code, as the API told them.
        self.param = param
        self.code = code
        #: What the API sent, at most some thousand characters.
        self.body = body
        self.request_id = request_id
        #: How often the request was sent.
        self.attempts = attempts


class ConnectionFailedError(ServiceError):
    """No connection, or one that broke off in the middle."""


class ServiceTimeoutError(ServiceError):
    """No answer in time."""


class ProtocolError(ServiceError):
    """An answer that is none: broken JSON, malformed events, half a stream."""


class CredentialsError(ServiceError):
    """The API does not know the key, or does not let it do this (401, 403)."""


class CapabilityError(ServiceError):
    """This model or API does not offer what was asked for."""


class RejectedError(ServiceError):
    """The API refused the request (4xx): a schema that it does not take, a bad field, an unknown model."""


class RateLimitedError(ServiceError):
    """Too many requests (429), after all retries."""


class ServerFailedError(ServiceError):
    """The API failed (5xx), after all retries."""


class AnswerError(MaskwrightError):
    """An API answered, but not what the constraint asks for."""

    def __init__(self, reason: str, *, text: str = "", place: str = "", report: object = None) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        #: What was written, so far.
        self.text = text
        #: A JSON pointer into the answer, or ``line:column``; ``""`` if nowhere.
        self.place = place
        #: What it cost and how it was enforced: a :class:`maskwright.client.Report`.
        self.report = report


class TruncatedError(AnswerError):
    """The answer was cut off: the tokens of the request or of the model's context ran out."""


class ExhaustedError(AnswerError):
    """The budget of calls, tokens or seconds was used up before the answer was complete."""

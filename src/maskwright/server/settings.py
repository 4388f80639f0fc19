"""What a server is started with: one frozen value that every part of it reads."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final

from maskwright.errors import PolicyError, excerpt
from maskwright.limits import Limits, check_limits

__all__ = ["PARTS", "WHITESPACES", "Settings"]

#: What can be left out on purpose, to try what a client does without it.
PARTS: Final = frozenset({"constraints", "logit_bias", "logprobs", "native"})
#: Policies for the blanks of JSON.
WHITESPACES: Final = ("spaced", "compact", "flexible", "any")
_COMPATIBLE: Final = frozenset({"lenient", "cerebras", "openai"})
#: Constraints come from strangers: what they may cost is far less than what a program may ask of the library itself.
_LIMITS: Final = Limits(
    source_bytes=2_000_000,
    schema_depth=500,
    subschemas=100_000,
    grammar_symbols=20_000,
    compile_seconds=10.0,
    # All others that are constrained wait for that long.
    turn_seconds=3.0,
    # What one kept guide may learn: 3 MB of masks for 49,000 tokens, and as much of configurations.
    configurations=32_768,
    masks=512,
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the server answers, and what it refuses.

    Raises :class:`maskwright.errors.PolicyError` for values without a meaning.
    """

    #: The name that requests ask for in ``model``.
    model: str
    #: Other names that are answered as well; ``any_model`` lets every name pass.
    aliases: frozenset[str] = frozenset()
    any_model: bool = False
    #: Keys of which a request must carry one (``Authorization: Bearer KEY``); empty: none is asked for.
    keys: frozenset[str] = field(default=frozenset(), repr=False)
    #: The blanks of JSON, a policy of :func:`maskwright.json_schema`. Spaced leaves no choice, so punctuation costs no
    #: pass of the model, and a small one reads values right that it gets wrong between odd blanks.
    whitespace: str = "spaced"
    #: How unknown fields and faults are told: ``"lenient"``, ``"cerebras"`` or ``"openai"``.
    compat: str = "lenient"
    #: Parts that are left out, names of ``PARTS``. ``"constraints"``: ``response_format``, tools and the like are read
    #: and dropped, as some servers do. ``"logit_bias"``: accepted and not applied, as at Cerebras. ``"logprobs"``: null
    #: in answers. ``"native"``: fields that ask for a constraint are refused.
    without: frozenset[str] = frozenset()
    #: Origins of web pages that may ask (``https://example.org``, ``*``); empty: only the server's own page.
    origins: tuple[str, ...] = ()

    #: Bytes of a request's body, after unpacking.
    body_bytes: int = 4_000_000
    #: Nesting of a request's JSON.
    json_depth: int = 200
    #: Seconds in which a request's head, and its body, must have arrived.
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    #: Seconds that one request may take, from the end of its body on.
    request_seconds: float = 600.0
    #: Seconds in which a client must take what it is sent, before the connection is dropped.
    write_seconds: float = 60.0
    #: Seconds of silence after which a connection is closed.
    idle_seconds: float = 15.0
    #: Connections at a time; more are closed at once.
    connections: int = 1_024
    #: Constraints that are compiled at a time, and how many more may wait.
    compilers: int = 8
    compile_queue: int = 64
    #: Compiled constraints that are kept for the next request.
    kept_guides: int = 64
    #: Choices of one request: prompts times ``n`` or ``best_of``.
    choices: int = 128
    #: Caps on the constraints that requests carry.
    limits: Limits = _LIMITS
    #: Seconds that running requests are given when the server ends.
    grace: float = 20.0
    #: Whether each request is logged as one line of JSON.
    access_log: bool = False

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        check_limits(self.limits)
        if not isinstance(self.model, str) or not self.model:
            raise PolicyError(f"the model's name is a string, not {excerpt(self.model)}")
        if self.compat not in _COMPATIBLE:
            raise PolicyError(f"compat is one of {', '.join(sorted(_COMPATIBLE))}, not {excerpt(self.compat)}")
        if self.whitespace not in WHITESPACES:
            raise PolicyError(f"whitespace is one of {', '.join(WHITESPACES)}, not {excerpt(self.whitespace)}")
        unknown = sorted(self.without - PARTS)
        if unknown:
            raise PolicyError(f"without takes {', '.join(sorted(PARTS))}, not {excerpt(unknown[0])}")
        if not all(key and key.isascii() and key.isprintable() and " " not in key for key in self.keys):
            raise PolicyError("a key is a string of printable ASCII characters without blanks")
        for one in fields(self):
            value = getattr(self, one.name)
            if one.type in ("int", "float") and (
                isinstance(value, bool) or not value >= (1 if one.type == "int" else 0)
            ):
                raise PolicyError(f"{one.name} must be a positive number, not {excerpt(value)}")

    @property
    def dialect(self) -> str | None:
        """Whose rules schemas that say ``"strict": true`` are checked against; None: our own alone."""
        return None if self.compat == "lenient" else self.compat

    def answers_to(self, name: str) -> bool:
        """Whether a request may ask for a model of that name."""
        return self.any_model or name == self.model or name in self.aliases

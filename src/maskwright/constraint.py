"""Constraints: what an output must be, compiled to a network, before any vocabulary is known."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from maskwright.errors import PolicyError, Problem, UnsatisfiableError, excerpt
from maskwright.forks import guarded_lock
from maskwright.kernel.lexicon import Lexicon
from maskwright.limits import DEFAULT_LIMITS, Limits, check_limits
from maskwright.network.lexeme import NEVER, Term, complement, encode, intersect, subtract, unite, words
from maskwright.network.nodes import Lex, Network, NodeKey, Production
from maskwright.patience import Patience, turn
from maskwright.regex.compile import full_term, prefix_term, search_term
from maskwright.schema.compile import compile_schema
from maskwright.schema.layout import Whitespace
from maskwright.schema.python_types import is_python_type, schema_of

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["Constraint", "choice", "frozen", "is_empty_text", "json_schema", "regex"]

#: Expressions after which the lexicon that decides emptiness is started anew; about 100 MB.
_EXPRESSIONS: Final = 200_000


class _Judge:
    """Decides whether terms are empty, on a lexicon of its own that is dropped when it grows too large."""

    def __init__(self) -> None:
        self._lock = guarded_lock()
        self._lexicons: dict[int, Lexicon] = {}

    def is_empty(self, term: Term, *, states: int) -> bool:
        """Whether a text term holds no string; visits at most ``states`` states."""
        with turn(self._lock):
            lexicon = self._lexicons.get(states)
            if lexicon is None or len(lexicon.expressions.kind) > _EXPRESSIONS:
                lexicon = self._lexicons[states] = Lexicon(states)
            empty: bool = lexicon.is_empty(term)
            return empty


_judge = _Judge()


def _patience(limits: Limits) -> Patience:
    remedy = "simplify it, or raise Limits.compile_seconds"
    return Patience(limits.compile_seconds, "the constraint was not compiled", remedy)


def is_empty_text(term: Term, limits: Limits) -> bool:
    """Whether a text term holds no string, for front ends that hand the question down.

    Raises :class:`LimitError` after ``limits.emptiness_states`` states.
    """
    return term is NEVER or _judge.is_empty(term, states=limits.emptiness_states)


class Constraint:
    """What an output must be; frozen. Built by :func:`maskwright.json_schema`, :func:`maskwright.regex` and others."""

    __slots__ = (
        "__weakref__",
        "_rebuild",
        "guides",
        "kind",
        "limits",
        "network",
        "policies",
        "prefix",
        "reading",
        "term",
        "warnings",
    )

    def __init__(
        self,
        kind: str,
        network: Network,
        *,
        rebuild: Callable[[], Constraint],
        limits: Limits,
        policies: Mapping[str, object] | None = None,
        warnings: Iterable[Problem] = (),
        prefix: bytes = b"",
        term: Term | None = None,
        reading: object | None = None,
    ) -> None:
        """Use the constructors of the package instead."""
        #: The constructor's name.
        self.kind = kind
        self.network = network
        self.limits = limits
        #: What the source leaves open and how it was decided: policy name to value.
        self.policies = dict(policies or {})
        #: What was read but is not enforced, and what a person should know.
        self.warnings = tuple(warnings)
        #: What the network has read before the output begins: the output is the rest.
        self.prefix = prefix
        #: The text term that is the whole constraint, if it is one.
        self.term = term
        #: How what was generated is read again; a frozen description for :mod:`maskwright.tags.parsing`.
        self.reading = reading
        self._rebuild = rebuild
        #: Guides by vocabulary, while someone holds them; written by :func:`maskwright.compile`.
        self.guides: Any = None

    def __repr__(self) -> str:
        """The kind of constraint."""
        return f"<Constraint {self.kind}>"

    def __reduce__(self) -> tuple[Callable[[], Constraint], tuple[()]]:
        """Pickle as the source it was built from."""
        return self._rebuild, ()

    def __and__(self, other: Constraint) -> Constraint:
        """Texts of both constraints, as all four signs for what :func:`regex` and :func:`choice` give.

        Raises:
            UnsatisfiableError: nothing is left.
            PolicyError: an operand is another kind of constraint.
            LimitError: that something is left could not be decided within ``emptiness_states``, or a combination nests
                too deeply.
        """
        return _combine("&", self, other)

    def __or__(self, other: Constraint) -> Constraint:
        """Texts of either constraint."""
        return _combine("|", self, other)

    def __sub__(self, other: Constraint) -> Constraint:
        """Texts of this constraint that the other does not admit."""
        return _combine("-", self, other)

    def __invert__(self) -> Constraint:
        """Every text but those of this constraint."""
        return _combine("~", self)


class _Whole:
    """The network of one lexeme that is the whole output."""

    def __init__(self, term: Term, words_for_people: str) -> None:
        self._productions: tuple[Production, ...] = ((Lex(term),),)
        self._description = words_for_people

    @property
    def root(self) -> NodeKey:
        return "whole"

    def expand(self, key: NodeKey) -> Iterable[Production]:
        del key
        return self._productions

    def realize(self, key: Hashable, text: str) -> NodeKey:
        del text
        return key

    def describe(self, key: NodeKey) -> str:
        del key
        return self._description


def json_schema(
    schema: object,
    *,
    property_order: str = "declared",
    whitespace: str | Whitespace = "flexible",
    escapes: str = "all",
    digits: int | None = 40,
    numbers: str = "canonical",
    objects: str = "as written",
    formats: str = "assert",
    registry: Registry[Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Constraint:
    """JSON texts that a JSON Schema accepts (drafts 3 to 2020-12, by ``$schema``; 2020-12 without).

    Args:
        schema: The schema as parsed JSON, or its text (numbers then keep every digit); or a Python type,
            ``TypeAdapter`` or function that pydantic can describe (a function stands for its arguments).
        property_order: ``"declared"``: declared keys in schema order, further keys after them; ``"any"``: any order.
        whitespace: ``"flexible"``, ``"compact"``, ``"spaced"``, ``"any"`` or a :class:`Whitespace` between tokens.
        escapes: ``"all"`` or ``"minimal"`` (only the escapes that JSON demands).
        digits: Most digits of the integer and of the fraction part of a number; ``None`` for no bound.
        numbers: ``"canonical"`` or ``"exact"`` (every spelling of a number that the schema admits).
        objects: ``"as written"`` or ``"closed"`` (an object schema without ``additionalProperties`` is closed).
        formats: ``"assert"``, ``"annotate"`` or ``"strict"`` (an unknown ``format`` is an error).
        registry: A ``referencing.Registry`` with the resources that ``$ref`` may name; nothing is ever fetched.
        limits: Caps on sizes, depths and times.

    Raises:
        SchemaError: not JSON, or not a schema.
        UnsupportedError: keywords that are not enforced; all at once, each with its JSON pointer.
        UnsatisfiableError: no value meets the schema; with the pointers that conflict.
        PatternError: a ``pattern`` that cannot be read.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    check_limits(limits)
    described = schema_of(schema) if is_python_type(schema) else schema
    source: Any = described if isinstance(described, (str, bytes, bool)) else frozen(described)
    options: dict[str, Any] = {
        "property_order": property_order,
        "whitespace": whitespace,
        "escapes": escapes,
        "digits": digits,
        "numbers": numbers,
        "objects": objects,
        "formats": formats,
        "registry": registry,
        "limits": limits,
    }
    with _patience(limits):
        network = compile_schema(source, **options, is_empty=partial(_judge.is_empty, states=limits.emptiness_states))
    return Constraint(
        "json_schema",
        network,
        rebuild=partial(json_schema, source, **options),
        limits=limits,
        policies=network.policies,
        warnings=network.warnings,
    )


def frozen(given: Any) -> Any:
    """A copy of parsed JSON that nobody else can change; what is not JSON is passed on, for the reader to refuse.

    ``marshal`` copies a schema of 700 bytes in 3 us, ten times faster than ``copy.deepcopy``, and does not recurse in
    Python. What it does not know (``Decimal``, types, mappings of other classes) is copied container by container.
    """
    plain = dict(given) if isinstance(given, Mapping) else given
    try:
        return marshal.loads(marshal.dumps(plain))  # noqa: S302  (what was marshalled here a moment ago)
    except ValueError:
        return _copied(plain)


def _copied(given: Any) -> Any:
    """Containers within each other, copied without recursion; one that stands in several places still does."""
    copies: dict[int, Any] = {}
    todo: list[Any] = []

    def copy_of(value: Any) -> Any:
        if not isinstance(value, (Mapping, list, tuple)):
            return value
        if id(value) not in copies:
            copies[id(value)] = {} if isinstance(value, Mapping) else []
            todo.append(value)
        return copies[id(value)]

    copy = copy_of(given)
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            copies[id(value)].update((key, copy_of(below)) for key, below in value.items())
        else:
            copies[id(value)].extend(map(copy_of, value))
    return copy


#: How much of an output a pattern must match: name to what makes the term.
_MATCHES: Final[dict[str, Callable[..., Term]]] = {"full": full_term, "prefix": prefix_term, "search": search_term}


def regex(pattern: str, *, dialect: str = "python", match: str = "full", limits: Limits = DEFAULT_LIMITS) -> Constraint:
    """Texts that match a regular expression.

    Args:
        pattern: The expression, without delimiters.
        dialect: ``"python"`` (the module ``re``), ``"ecma"`` (ECMA-262 with the flag ``u``) or ``"rust"``.
        match: ``"full"``: the whole text is a match (``re.fullmatch``); ``"prefix"``: the text begins with one
            (``re.match``), whatever follows; ``"search"``: it is found anywhere (``re.search``).
        limits: Caps on sizes, depths and times.

    Raises:
        PatternError: the pattern cannot be read, with a caret under the place.
        UnsatisfiableError: no text matches.
        LimitError: a limit was exceeded.
        PolicyError: an argument has no meaning.
    """
    if not isinstance(pattern, str):
        raise PolicyError(f"a pattern is a str, not {type(pattern).__name__}")
    if not isinstance(dialect, str):
        raise PolicyError(f"dialect must be the name of one, not {excerpt(dialect)}")
    if not isinstance(match, str) or match not in _MATCHES:
        raise PolicyError(f"match must be one of {', '.join(map(repr, _MATCHES))}, not {excerpt(match)}")
    check_limits(limits)
    term = _MATCHES[match](pattern, dialect=dialect, limits=limits)
    return _of_term(
        "regex",
        term,
        rebuild=partial(regex, pattern, dialect=dialect, match=match, limits=limits),
        limits=limits,
        policies={"dialect": dialect, "match": match},
        words_for_people=f"text that matches {pattern}",
        fault="no text matches the pattern",
    )


def choice(strings: Iterable[str], *, limits: Limits = DEFAULT_LIMITS) -> Constraint:
    """One of the strings, exactly.

    Raises:
        UnsatisfiableError: there are no strings.
        PolicyError: not all are strings.
    """
    check_limits(limits)
    given = tuple(strings) if isinstance(strings, Iterable) else ()
    if not isinstance(strings, Iterable) or isinstance(strings, str) or not all(isinstance(s, str) for s in given):
        raise PolicyError("choice() takes several strings, for example choice(['yes', 'no'])")
    writable = [string for string in given if not any("\ud800" <= character <= "\udfff" for character in string)]
    if not writable:
        raise UnsatisfiableError(Problem("there is nothing to choose from that UTF-8 can carry", keyword="choice"))
    term = words(writable)
    network = _Whole(encode(term), "one of the choices")
    return Constraint("choice", network, rebuild=partial(choice, given, limits=limits), limits=limits, term=term)


def _of_term(
    kind: str,
    term: Term,
    *,
    rebuild: Callable[[], Constraint],
    limits: Limits,
    policies: Mapping[str, object],
    words_for_people: str,
    fault: str,
) -> Constraint:
    """The constraint that is one text term; ``fault`` says what it means if the term is empty."""
    with _patience(limits):
        is_empty = term is NEVER or _judge.is_empty(term, states=limits.emptiness_states)
    if is_empty:
        raise UnsatisfiableError(Problem(fault, keyword=kind))
    network = _Whole(encode(term), words_for_people)
    return Constraint(kind, network, rebuild=rebuild, limits=limits, policies=policies, term=term)


# ---- set algebra -------------------------------------------------------------------------------------------------

_OPERATIONS: Final[dict[str, Callable[..., Term]]] = {
    "&": intersect,
    "|": unite,
    "-": subtract,
    "~": complement,
}
#: A combination in postfix order: what builds its operands, and the signs of operations.
_Program = tuple["Callable[[], Constraint] | str", ...]


def _combine(sign: str, *operands: Constraint) -> Constraint:
    for operand in operands:
        if not isinstance(operand, Constraint) or operand.term is None:
            raise PolicyError(f"{sign!r} combines what regex() and choice() give, not {operand!r}")
    term = _OPERATIONS[sign](*(operand.term for operand in operands))
    program = (*(step for operand in operands for step in _program(operand)), sign)
    return _of_term(
        "combination",
        term,
        rebuild=partial(_combination, program),
        limits=operands[0].limits,
        policies={},
        words_for_people="text of a combination of patterns",
        fault=f"no text is left after {sign!r}",
    )


def _program(constraint: Constraint) -> _Program:
    rebuild = constraint._rebuild  # noqa: SLF001  (the class stands in this file)
    if isinstance(rebuild, partial) and rebuild.func is _combination:
        program: _Program = rebuild.args[0]
        return program
    return (rebuild,)


def _combination(program: _Program) -> Constraint:
    """Run a program. It is a flat list, so that a combination of thousands pickles without recursion."""
    stack: list[Constraint] = []
    for step in program:
        if isinstance(step, str):
            count = 1 if step == "~" else 2
            operands = stack[-count:]
            del stack[-count:]
            stack.append(_combine(step, *operands))
        else:
            stack.append(step())
    return stack.pop()

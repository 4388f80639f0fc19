r"""What each dialect of regular expressions accepts, as data.

* ``ecma``: ECMA-262 section 22.2 as JSON Schema uses it: the meaning of the ``u`` flag (code points, ``\u{..}``,
  ``\p{..}``), but lenient on what ``u`` only forbids out of caution: ``\-``, ``\!``, a lone ``{``, ``}`` or ``]``,
  ``[\w-x]`` (Annex B).
* ``ecma-unicode``: the same with the ``u`` flag's full severity.
* ``ecma-legacy``: without the ``u`` flag (Annex B: ``\101``, ``\a`` is ``a``), still over code points.
* ``python``: the ``re`` module of Python 3.11 on ``str``.
* ``rust``: the ``regex`` crate 1.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from maskwright.errors import PolicyError, excerpt
from maskwright.regex.classes import DIGITS, ECMA_SPACES, WORDS, unicode_class
from maskwright.regex.ranges import Ranges
from maskwright.regex.syntax import AnchorKind

__all__ = ["DIALECTS", "Dialect", "dialect_named", "shorthand"]

_CONTROLS: Final = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_LOOKS: Final = {"(?=": "look", "(?!": "look", "(?<=": "look", "(?<!": "look"}


@dataclass(frozen=True, eq=False)
class Dialect:
    """One dialect; every field is a fact that the reader looks up instead of asking for a name."""

    name: str
    #: Escape letter to the one code point that it means.
    letters: Mapping[str, int]
    #: Escape letter to the anchor that it means, outside brackets.
    anchors: Mapping[str, AnchorKind]
    #: Forms of hexadecimal escapes: letter and digits wanted, ``{`` for braces.
    hexadecimal: frozenset[str]
    #: ``\N{NAME}``.
    named_characters: bool
    #: ``[\b]`` is a backspace.
    backspace: bool
    #: What else may follow a backslash: ECMA's syntax characters, all but letters and digits, ASCII punctuation.
    identity: Literal["syntax", "punctuation", "ascii punctuation"]
    #: ECMA-262 Annex B: letters stand for themselves behind a backslash, broken counts and numbers too.
    annex_b: bool
    #: ``\0`` alone is NUL; ``\012`` is read as octal, or refused.
    null: bool
    octal: bool
    #: ``\cX``.
    control: bool
    #: ``\p{..}``; names compared strictly or loosely (UAX 44 LM3).
    properties: Literal["none", "strict", "loose"]
    #: ``\1`` (digit) and ``\k<n>`` (k) exist; they are refused with their name.
    backreferences: frozenset[str]
    #: Opening of a group, longest first, to what it opens.
    groups: Mapping[str, str]
    #: Letters of inline flags ``(?i)``.
    flags: frozenset[str]
    #: Inline flags may stand anywhere, else only at the beginning.
    flags_anywhere: bool
    #: ``{`` that counts nothing, ``}`` and ``]`` that close nothing stand for themselves.
    stray_braces: bool
    stray_closing: bool
    #: ``{,n}`` counts from zero.
    open_minimum: bool
    #: ``a**``, ``a{2}{3}`` repeat the repetition.
    stacked: bool
    #: ``a*+`` is possessive (refused with its name).
    possessive: bool
    #: Which assertions may be repeated.
    repeatable: Literal["nothing", "lookahead", "look", "all"]
    #: A lookbehind must have one length.
    fixed_lookbehind: bool
    #: ``[]a]`` begins with a bracket that stands for itself; otherwise ``[]`` is the empty set.
    bracket_first: bool
    #: ``[[:alpha:]]``, ``[a&&b]`` and nested sets exist (only the first is read).
    posix: bool
    #: A ``-`` beside a set in brackets (``[\w-x]``) stands for itself.
    loose_dash: bool
    #: ``.`` excludes these.
    line_ends: Ranges
    #: Meaning of ``$`` outside multiline mode.
    dollar: AnchorKind
    #: Shorthands ``d w s``: ranges, or the name of a Unicode class built at first use.
    shorthands: Mapping[str, Ranges | str]
    #: Case folding as Python's ``re`` does it.
    python_folding: bool = False


_ECMA: Final = Dialect(
    name="ecma",
    letters=MappingProxyType(_CONTROLS),
    anchors=MappingProxyType({"b": "boundary", "B": "no boundary"}),
    hexadecimal=frozenset({"x2", "u4", "u{"}),
    identity="punctuation",
    named_characters=False,
    backspace=True,
    annex_b=False,
    null=True,
    octal=False,
    control=True,
    properties="strict",
    backreferences=frozenset({"digit", "k"}),
    groups=MappingProxyType({**_LOOKS, "(?:": "group", "(?<": "name", "(": "group"}),
    flags=frozenset(),
    flags_anywhere=False,
    stray_braces=True,
    stray_closing=True,
    open_minimum=False,
    stacked=False,
    possessive=False,
    repeatable="nothing",
    fixed_lookbehind=False,
    bracket_first=False,
    posix=False,
    loose_dash=True,
    line_ends=((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)),
    dollar="end",
    shorthands=MappingProxyType({"d": DIGITS, "w": WORDS, "s": ECMA_SPACES}),
)

_PYTHON: Final = Dialect(
    name="python",
    letters=MappingProxyType({**_CONTROLS, "a": 0x07}),
    anchors=MappingProxyType({"b": "boundary", "B": "no boundary", "A": "start", "Z": "end"}),
    hexadecimal=frozenset({"x2", "u4", "U8"}),
    identity="punctuation",
    named_characters=True,
    backspace=True,
    annex_b=False,
    null=True,
    octal=True,
    control=False,
    properties="none",
    backreferences=frozenset({"digit"}),
    groups=MappingProxyType({**_LOOKS, "(?:": "group", "(?P<": "name", "(?#": "comment", "(": "group"}),
    flags=frozenset("aimsux"),
    flags_anywhere=False,
    stray_braces=True,
    stray_closing=True,
    open_minimum=True,
    stacked=False,
    possessive=True,
    repeatable="look",
    fixed_lookbehind=True,
    bracket_first=True,
    posix=False,
    loose_dash=False,
    line_ends=((0x0A, 0x0A),),
    dollar="final line end",
    shorthands=MappingProxyType({"d": "python digit", "w": "python word", "s": "python space"}),
    python_folding=True,
)

_RUST: Final = Dialect(
    name="rust",
    letters=MappingProxyType({**_CONTROLS, "a": 0x07}),
    anchors=MappingProxyType({"b": "boundary", "B": "no boundary", "A": "start", "z": "end"}),
    hexadecimal=frozenset({"x2", "x{", "u4", "u{", "U8", "U{"}),
    identity="ascii punctuation",
    named_characters=False,
    backspace=False,
    annex_b=False,
    null=False,
    octal=False,
    control=False,
    properties="loose",
    backreferences=frozenset(),
    groups=MappingProxyType({"(?:": "group", "(?P<": "name", "(?<": "name", "(": "group"}),
    flags=frozenset("imsuU"),
    flags_anywhere=True,
    stray_braces=False,
    stray_closing=True,
    open_minimum=False,
    stacked=True,
    possessive=False,
    repeatable="all",
    fixed_lookbehind=False,
    bracket_first=True,
    posix=True,
    loose_dash=False,
    line_ends=((0x0A, 0x0A),),
    dollar="end",
    shorthands=MappingProxyType({"d": "digit", "w": "word", "s": "space"}),
)

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {
        "ecma": _ECMA,
        "ecma-unicode": replace(
            _ECMA, name="ecma-unicode", identity="syntax", stray_braces=False, stray_closing=False, loose_dash=False
        ),
        "ecma-legacy": replace(
            _ECMA,
            name="ecma-legacy",
            annex_b=True,
            octal=True,
            hexadecimal=frozenset({"x2", "u4"}),
            properties="none",
            repeatable="lookahead",
        ),
        "python": _PYTHON,
        "rust": _RUST,
    }
)


def dialect_named(name: str) -> Dialect:
    """The dialect of a name; :class:`PolicyError` if there is none."""
    found = DIALECTS.get(name)
    if found is None:
        message = f"no dialect {excerpt(name)} of regular expressions; there are {', '.join(DIALECTS)}"
        raise PolicyError(message)
    return found


def shorthand(dialect: Dialect, letter: str, *, ascii_only: bool) -> Ranges:
    r"""The set of ``\d``, ``\w`` or ``\s`` (lower-case letter); ``ascii_only`` is Python's ``(?a)``."""
    meaning = dialect.shorthands[letter]
    if not isinstance(meaning, str):
        return meaning
    if ascii_only:
        return {"d": DIGITS, "w": WORDS, "s": ((0x09, 0x0D), (0x20, 0x20))}[letter]
    return unicode_class(meaning)

"""Maskwright: token masks that make a language model write exactly what a constraint allows.

>>> import maskwright as mw
>>> vocabulary = mw.Vocabulary.from_tokens([b"", b"yes", b"no", b"n", b"o"], end_ids=[0])
>>> guide = mw.compile(mw.choice(["yes", "no"]), vocabulary)
>>> matcher = guide.matcher()
>>> [token for token in range(5) if matcher.allows(token)]
[1, 2, 3]
"""

import typing as _typing
from importlib import import_module as _import_module

from maskwright.constraint import Constraint, choice, json_schema, regex
from maskwright.errors import ConstraintError, MaskwrightError
from maskwright.guide import Guide
from maskwright.guide import compile_guide as compile  # noqa: A004  (the verb of the field; the builtin is rarely meant)
from maskwright.limits import Limits
from maskwright.matcher import Matcher, fill_masks
from maskwright.vocabulary import Vocabulary

if _typing.TYPE_CHECKING:
    from maskwright.exports.gbnf import to_gbnf
    from maskwright.notations import ebnf, gbnf, lark
    from maskwright.tags.parsing import parser_of
    from maskwright.tags.response import response_format
    from maskwright.tags.roots import grammar_root
    from maskwright.tags.structural import structural_tag
    from maskwright.tags.thoughts import thinking
    from maskwright.tags.tools import tools

__all__ = [
    "Constraint",
    "ConstraintError",
    "Guide",
    "Limits",
    "MaskwrightError",
    "Matcher",
    "Vocabulary",
    "choice",
    "compile",
    "ebnf",
    "fill_masks",
    "gbnf",
    "grammar_root",
    "json_schema",
    "lark",
    "parser_of",
    "regex",
    "response_format",
    "structural_tag",
    "thinking",
    "to_gbnf",
    "tools",
]
__version__ = "0.1.0"

#: Names that are loaded when they are first asked for: most programs need one kind of constraint, and all grammars and
#: tags together take as long to import as the rest.
_LATER = {
    "ebnf": "notations",
    "gbnf": "notations",
    "grammar_root": "tags.roots",
    "lark": "notations",
    "parser_of": "tags.parsing",
    "response_format": "tags.response",
    "structural_tag": "tags.structural",
    "thinking": "tags.thoughts",
    "to_gbnf": "exports.gbnf",
    "tools": "tags.tools",
}


def __getattr__(name: str) -> object:
    """A name of the front door that was not asked for yet (PEP 562)."""
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(_import_module(f"maskwright.{module}"), name)
    return found

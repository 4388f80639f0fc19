"""Maskwright: token masks that make a language model write exactly what a constraint allows.

>>> import maskwright as mw
>>> vocabulary = mw.Vocabulary.from_tokens([b"", b"yes", b"no", b"n", b"o"], end_ids=[0])
>>> guide = mw.compile(mw.choice(["yes", "no"]), vocabulary)
>>> matcher = guide.matcher()
>>> [token for token in range(5) if matcher.allows(token)]
[1, 2, 3]
"""

from maskwright.constraint import Constraint, choice, json_schema, regex
from maskwright.errors import ConstraintError, MaskwrightError
from maskwright.exports.gbnf import to_gbnf
from maskwright.guide import Guide
from maskwright.guide import compile_guide as compile  # noqa: A004  (the verb of the field; the builtin is rarely meant)
from maskwright.limits import Limits
from maskwright.matcher import Matcher, fill_masks
from maskwright.notations import lark
from maskwright.tags.parsing import parser_of
from maskwright.tags.tools import tools
from maskwright.vocabulary import Vocabulary

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
    "fill_masks",
    "json_schema",
    "lark",
    "parser_of",
    "regex",
    "to_gbnf",
    "tools",
]
__version__ = "0.1.0"

"""Provider dialects: what a strict mode would refuse in a schema, and a rewriting that it accepts."""

from maskwright.dialects.checking import check
from maskwright.dialects.dialect import Dialect, Rule
from maskwright.dialects.findings import Change, Finding
from maskwright.dialects.rewriting import Rewriting, rewrite
from maskwright.dialects.table import DIALECTS

__all__ = ["DIALECTS", "Change", "Dialect", "Finding", "Rewriting", "Rule", "check", "rewrite"]

"""Grammars that can be read in too many ways are refused in a second: nothing could end what holds the interpreter."""

from __future__ import annotations

import pytest

import maskwright as mw
from maskwright.errors import LimitError
from tests.conformance.verdicts import BYTES


def _ambiguous(rules: int) -> mw.Constraint:
    """Each rule may be empty, begin with the next one, and go on with letters."""
    root = "root ::= " + " ".join(f"(r{n} | r{n + 1})?" for n in range(rules))
    each = "\n".join(f'r{n} ::= ("{n}" | r{n + 1}?) [a-z]*' for n in range(rules))
    return mw.gbnf(f'{root}\n{each}\nr{rules} ::= "x"')


@pytest.mark.parametrize("rules", [200, 400])
def test_too_many_ways(rules: int) -> None:
    """At once, or at the first mask."""
    with pytest.raises(LimitError, match="too many ways"):
        mw.compile(_ambiguous(rules), BYTES).matcher().mask()


def test_many_ways() -> None:
    """What can be read in some ways is read."""
    assert mw.compile(_ambiguous(20), BYTES).matches("3ab4cdx")

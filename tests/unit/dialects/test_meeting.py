"""Patterns that are asked about names while schemas are rewritten: ``re.search`` of Python, in linear time."""

from __future__ import annotations

import itertools
import re

import pytest

from maskwright.dialects.meeting import matches

NAMES = ["", *map("".join, itertools.product("abx-", repeat=3))]


@pytest.mark.parametrize(
    "pattern", ["^a+$", "a|b", "[a-c]{2,3}", "^x-", "$", "a$b", "^$|b", "[^a]", "a.x", ".*?b", "x{1}"]
)
def test_found_where_re_finds_it(pattern: str) -> None:
    """A name has the pattern if and only if ``re.search`` finds it."""
    assert [matches(pattern, name) for name in NAMES] == [re.search(pattern, name) is not None for name in NAMES]


@pytest.mark.parametrize("pattern", ["[a", "a**", "a{1}{2}"])
def test_what_is_no_pattern_is_unknown(pattern: str) -> None:
    """No verdict on what cannot be read."""
    assert matches(pattern, "a") is None


@pytest.mark.parametrize("pattern", [".*" * 15 + "x", "a?" * 25 + "a" * 8 + "x", ".{0,60}" * 7 + "x"])
def test_patterns_that_backtrack(pattern: str) -> None:
    """Python's own search would try all ways in turn, for hours."""
    assert matches(pattern, "a" * 60) is False

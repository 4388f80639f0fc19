"""The public names as a user's type checker sees them. Checked by mypy, never executed."""

from __future__ import annotations

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import maskwright as mw
from maskwright.errors import Problem
from maskwright.validation import Refusal, Validator


def constraints() -> list[mw.Constraint]:
    """Every constructor gives a constraint."""
    return [
        mw.json_schema({"type": "object"}, property_order="any", whitespace="compact", digits=None),
        mw.json_schema(True),
        mw.json_schema("{}"),
        mw.json_schema(b"{}"),
        mw.json_schema(dict[str, list[int]]),
        mw.json_schema(vocabulary),
        mw.regex("[a-z]+", dialect="python", match="prefix"),
        mw.regex("[a-z]+") & ~mw.choice(["if", "else"]) | mw.regex("[0-9]+") - mw.choice(["0"]),
        mw.grammar_root("insidevalue", prompt="[1,"),
        mw.grammar_root("root", tools=[{"name": "f"}], parallel=False, without=["<x>"], whitespace="flex"),
        mw.choice(["yes", "no"]),
        mw.choice(name for name in ("yes", "no")),
    ]


def vocabulary(tokenizer: object) -> mw.Vocabulary:
    """Readers give a vocabulary."""
    assert_type(mw.Vocabulary.from_huggingface(tokenizer), mw.Vocabulary)
    assert_type(mw.Vocabulary.from_gguf("model.gguf"), mw.Vocabulary)
    return mw.Vocabulary.from_tokens([b"", b"a"], end_ids=[0])


def sequence(guide: mw.Guide, row: NDArray[np.int32], rows: NDArray[np.uint32]) -> None:
    """A matcher's life."""
    matcher = guide.matcher()
    assert_type(matcher, mw.Matcher)
    assert_type(matcher.mask(), NDArray[np.uint32])
    matcher.fill_mask(row)
    mw.fill_masks([matcher, matcher.fork()], rows)
    assert_type(matcher.complete(), bytes)
    assert_type(guide.matcher(max_tokens=9).tokens_left, int | None)
    assert_type(guide.complete("{"), bytes)
    matcher.advance(1)
    matcher.advance_bytes(b"a")
    matcher.rollback(2)
    assert_type(matcher.allows(1), bool)
    assert_type(matcher.validate_tokens([1, 2]), int)
    assert_type(matcher.forced_bytes(), bytes)
    assert_type(matcher.forced_tokens(), list[int])
    assert_type(matcher.is_accepting, bool)
    assert_type(matcher.must_end, bool)
    assert_type(matcher.is_finished, bool)
    assert_type(matcher.explain(1), str)


def guide() -> mw.Guide:
    """Compiling joins the two, and its errors tell their problems."""
    try:
        return mw.compile(mw.json_schema({}, limits=mw.Limits(compile_seconds=1.0)), vocabulary(object()))
    except mw.ConstraintError as error:
        assert_type(error.problems, tuple[Problem, ...])
        raise


def validation(constraint: mw.Constraint) -> Refusal | None:
    """A validator takes a schema with policies, or a constraint; refusals are values."""
    stream = Validator({"type": "object"}, whitespace="compact").stream()
    assert_type(stream.feed(b"{"), Refusal | None)
    assert_type(stream.is_complete, bool)
    found = stream.finish()
    if found is not None:
        assert_type(found.places, tuple[str, ...])
        assert_type(found.offset, int)
    return Validator(constraint).check("{}")

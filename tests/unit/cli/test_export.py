"""``export``: a grammar on standard output, or the reason on standard error."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.gbnf import Gbnf

Run = Callable[..., tuple[int, str, str]]
OPEN = '{"type": "object", "properties": {"a": {"type": "boolean"}}}'


def test_a_schema_as_gbnf(run: Run) -> None:
    """What a person reads; policies hold."""
    code, out, err = run("export", OPEN, "--to", "gbnf", "--objects", "closed")
    assert (code, err) == (0, "")
    grammar = Gbnf(out)
    assert grammar.matches('{"a": true}')
    assert not grammar.matches('{"a":true}')


def test_what_cannot_be_written(run: Run) -> None:
    """Exit code 1, with the remedy; which works."""
    code, out, err = run("export", OPEN, "--to", "gbnf")
    assert (code, out) == (1, "")
    assert 'repeats="allowed"' in err
    code, out, _ = run("export", OPEN, "--to", "gbnf", "--repeats", "allowed")
    assert code == 0
    assert out.startswith("# Allowed here")


def test_a_pattern_as_gbnf(run: Run) -> None:
    """Any constraint can be the source."""
    assert run("export", "--regex", "[a-c]+x", "--to", "gbnf")[1].endswith('root ::= [a-c]+ "x"\n')

"""``check``: the verdict, the policies, and every problem with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_a_supported_schema_is_reported_with_its_policies(run: Run, tmp_path: Path) -> None:
    """Exit code 0; the name of the file, all policies in force, and the first mask."""
    path = tmp_path / "s.json"
    path.write_text('{"type": "object"}')
    code, out, err = run("check", str(path), "--whitespace", "compact", "--objects", "closed")
    assert (code, err) == (0, "")
    assert str(path) in out
    assert "whitespace = 'compact'" in out
    assert "objects = 'closed'" in out
    assert "1 allowed: `{`" in out


def test_all_problems_are_listed_with_pointers(run: Run) -> None:
    """Exit code 1; each problem's pointer and the value there."""
    schema = '{"properties": {"a": {"type": "objec"}, "b/c": {"minLength": -1}}}'
    code, out, _ = run("check", schema)
    assert code == 1
    assert "2 problems" in out
    assert "#/properties/a/type" in out
    assert '"objec"' in out
    assert "#/properties/b~1c/minLength" in out


def test_broken_json_is_shown_with_a_caret(run: Run) -> None:
    """The caret stands under the character that cannot be read."""
    code, out, _ = run("check", '{"a": [1,,2]}')
    lines = out.splitlines()
    shown = next(i for i, line in enumerate(lines) if "[1,,2]" in line and line.startswith(" "))
    assert code == 1
    assert lines[shown][lines[shown + 1].index("^")] == ","


@pytest.mark.parametrize("schema", ["true", "{}", '{"enum": ["a"]}', '  {"type": "null"}'])
def test_schemas_may_be_given_as_text(run: Run, schema: str) -> None:
    """An argument that is JSON needs no file."""
    assert run("check", schema)[0] == 0


def test_a_warning_is_shown(run: Run) -> None:
    """What is read but not enforced is said."""
    code, out, _ = run("check", '{"type": "string", "format": "no-such-format"}')
    assert code == 0
    assert "no-such-format" in out.partition("warnings:")[2]


@pytest.mark.parametrize("name", ["no/such/file.json", "."])
def test_an_unreadable_file_is_a_usage_error(run: Run, name: str) -> None:
    """Exit code 2 and one line that names the file."""
    code, out, err = run("check", name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err


def test_a_deep_schema_is_an_answer(run: Run, tmp_path: Path) -> None:
    """A hundred thousand levels are refused with a message like any other."""
    path = tmp_path / "deep.json"
    path.write_text('{"items":' * 100_000 + "{}" + "}" * 100_000)
    code, out, err = run("check", str(path))
    assert code == 1
    assert "Traceback" not in out + err

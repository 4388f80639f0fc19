"""``check``: the verdict, the policies, and every problem with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from maskwright.dialects import DIALECTS

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


_LOOSE = '{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}}, "additionalProperties": false}'
_STRICT = '{"type": "object", "properties": {}, "required": [], "additionalProperties": false}'


def test_a_dialect_reports_each_finding_with_rule_and_change(run: Run) -> None:
    """Exit code 1; pointer, what stands there, the provider's rule with its source, and the change."""
    code, out, err = run("check", _LOOSE, "--dialect", "openai")
    assert (code, err) == (1, "")
    assert "refused by openai" in out
    assert "2 findings" in out
    for part in ("#/properties/a/minLength", "required", "rule: ", "[OpenAI, structured outputs guide]", "change: "):
        assert part in out


def test_an_accepted_schema_is_said_to_be(run: Run) -> None:
    """Exit code 0, and one line for each dialect."""
    code, out, _ = run("check", _STRICT, "--dialect", "openai", "--dialect", "cerebras")
    assert code == 0
    assert out.count("accepted by") == 2


def test_all_dialects_at_once(run: Run) -> None:
    """``all`` is every dialect, each once."""
    code, out, _ = run("check", _LOOSE, "--dialect", "all", "--dialect", "openai", "--json")
    rows = json.loads(out)
    assert code == 1
    assert [row["dialect"] for row in rows] == list(DIALECTS)
    assert [row["accepted"] for row in rows] == [not row["findings"] for row in rows]


def test_findings_for_machines(run: Run) -> None:
    """``--json``: place, keyword, reason, rule, source, change."""
    code, out, _ = run("check", _LOOSE, "--dialect", "cerebras", "--json")
    (row,) = json.loads(out)
    (finding,) = row["findings"]
    assert code == 1
    assert (finding["place"], finding["keyword"]) == ("#/properties/a/minLength", "minLength")
    assert set(finding) == {"place", "keyword", "reason", "rule", "source", "change"}


def test_the_rewritten_schema_alone_is_on_standard_output(run: Run) -> None:
    """``--rewrite``: the schema on standard output, the report on standard error, exit code 0 if all is mended."""
    code, out, err = run("check", _LOOSE, "--dialect", "openai", "--rewrite", "--describe")
    assert code == 0
    made = json.loads(out)
    assert made["required"] == ["a"]
    assert made["properties"]["a"]["description"] == "At least 2 characters."
    assert "#/properties/a/minLength: dropped minLength (wider)" in err
    assert run("check", out, "--dialect", "openai")[0] == 0


def test_a_rewriting_for_machines(run: Run) -> None:
    """``--rewrite --json``: everything that is needed to undo it."""
    code, out, err = run("check", '{"type": "string"}', "--dialect", "openai", "--rewrite", "--json")
    made = json.loads(out)
    assert (code, err) == (0, "")
    assert set(made) == {"dialect", "schema", "wrapped", "absent", "changes", "unmendable"}
    assert made["wrapped"] in made["schema"]["properties"]


def test_what_is_not_mended_is_an_exit_code(run: Run) -> None:
    """Recursion is nothing that Cerebras takes."""
    schema = '{"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false}'
    code, _, err = run("check", schema, "--dialect", "cerebras", "--rewrite")
    assert code == 1
    assert "not mended: " in err


@pytest.mark.parametrize(
    "options",
    [
        ["--dialect", "gemini"], ["--rewrite"], ["--json"], ["--describe"], ["--dialect", "all", "--rewrite"],
        ["--dialect", "openai", "--describe"],
    ],
)  # fmt: skip
def test_dialect_options_that_mean_nothing(run: Run, options: list[str]) -> None:
    """Exit code 2 and one line; unknown dialects are told the known ones."""
    code, out, err = run("check", _STRICT, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "gemini" not in options or all(name in err for name in DIALECTS)


def test_a_broken_schema_is_refused_for_any_dialect(run: Run) -> None:
    """The same report as without a dialect."""
    code, out, _ = run("check", '{"properties": {"a": {"type": "objec"}}}', "--dialect", "openai")
    assert code == 1
    assert "#/properties/a/type" in out
    assert '"objec"' in out

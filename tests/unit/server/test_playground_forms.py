"""Forms and runs as the page sends them: what is taken, and which field is at fault."""

from __future__ import annotations

from typing import Any

import pytest

import maskwright as mw
from maskwright.errors import ConstraintError, RequestError, TokenError, UnspellableError
from maskwright.limits import DEFAULT_LIMITS
from maskwright.server.forms import KINDS, read_form
from maskwright.server.runs import LONGEST, Resumed, job_of, read_run
from tests.server.page_engine import END, ToyRuntime, toy_vocabulary

TOOLS = '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]'
GOOD = [
    ("json_schema", '{"enum": ["a"]}', {"whitespace": "compact"}, '"a"', '"b"'),
    ("regex", "a{3}", {"dialect": "ecma"}, "aaa", "aa"),
    ("lark", 'word: "x"', {"start": "word"}, "x", "y"),
    ("gbnf", 'root ::= "x" | "z"', {}, "z", "y"),
    ("ebnf", "root ::= 'x'", {"start": ""}, "x", "y"),
    ("grammar_root", "number", {}, "12", "a"),
    ("tools", TOOLS, {"choice": "none"}, "hello", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'),
    ("choice", "yes\n\n no\n", {}, " no", "no"),
]


def test_every_kind_is_tried() -> None:
    """The table above has a line for each kind."""
    assert [kind for kind, *_ in GOOD] == list(KINDS)


@pytest.mark.parametrize(("kind", "source", "options", "good", "bad"), GOOD)
def test_forms_become_constraints(kind: str, source: str, options: dict[str, Any], good: str, bad: str) -> None:
    """A form means what the constructor of its kind means; options that are empty count as not given."""
    form = read_form({"kind": kind, "source": source, "options": options})
    guide = mw.compile(form.compile(DEFAULT_LIMITS), toy_vocabulary())
    assert guide.matches(good)
    assert not guide.matches(bad)


def test_an_open_value_is_gone_on_with() -> None:
    """The root insidevalue reads the prompt."""
    form = read_form({"kind": "grammar_root", "source": "insidevalue"}, prompt='["a", "b')
    assert mw.compile(form.compile(DEFAULT_LIMITS), toy_vocabulary()).matches('c"]')


@pytest.mark.parametrize(
    ("data", "param"),
    [
        (None, "constraint"),
        ([], "constraint"),
        ({"source": "x"}, "constraint.kind"),
        ({"kind": ["regex"], "source": "x"}, "constraint.kind"),
        ({"kind": "regex"}, "constraint.source"),
        ({"kind": "regex", "source": 3}, "constraint.source"),
        ({"kind": "regex", "source": "x", "options": [1]}, "constraint.options"),
        ({"kind": "regex", "source": "x", "options": {"start": "x"}}, "constraint.options"),
        ({"kind": "regex", "source": "x", "options": {"limits": "x"}}, "constraint.options"),
        ({"kind": "lark", "source": "x", "options": {"import_paths": "/"}}, "constraint.options"),
        ({"kind": "regex", "source": "x", "options": {"dialect": 1}}, "constraint.options.dialect"),
        ({"kind": "tools", "source": "[]", "options": {"parallel": "yes"}}, "constraint.options.parallel"),
    ],
)
def test_forms_that_are_none(data: object, param: str) -> None:
    """What is no form is a fault of the request, with the field."""
    with pytest.raises(RequestError) as caught:
        read_form(data)
    assert (caught.value.status, caught.value.param) == (400, param)


@pytest.mark.parametrize(
    ("kind", "source", "options"),
    [
        ("json_schema", "{", {}),
        ("json_schema", '{"type": "x"}', {}),
        ("json_schema", "{}", {"whitespace": "wide"}),
        ("regex", "(", {}),
        ("lark", 'start: "a', {}),
        ("lark", "%import .secrets (x)\nstart: x", {}),
        ("gbnf", "root ::= x", {}),
        ("ebnf", "root", {}),
        ("grammar_root", "nothing", {}),
        ("tools", "{", {}),
        ("tools", "[3]", {}),
        ("choice", "\n\n", {}),
    ],
)
def test_constraints_that_are_refused(kind: str, source: str, options: dict[str, str]) -> None:
    """Whatever is wrong with a constraint is told as its problems."""
    with pytest.raises(ConstraintError) as caught:
        read_form({"kind": kind, "source": source, "options": options}).compile(DEFAULT_LIMITS)
    assert caught.value.problems


def test_faults_in_a_list_of_tools_are_told_of_it() -> None:
    """Nobody gave a schema, so no message speaks of one."""
    with pytest.raises(ConstraintError, match="list of tools is not JSON"):
        read_form({"kind": "tools", "source": "["}).compile(DEFAULT_LIMITS)


def test_equal_forms_have_equal_keys() -> None:
    """The order of options changes nothing; each part of a form does."""
    one = {"kind": "regex", "source": "x", "options": {"dialect": "rust", "match": "full"}}
    other = {**one, "options": {"match": "full", "dialect": "rust"}}
    assert read_form(one).key == read_form(other).key
    for part in ({"kind": "gbnf", "options": {}}, {"source": "y"}, {"options": {}}):
        assert read_form({**one, **part}).key != read_form(one).key


# ---- runs --------------------------------------------------------------------------------------------------------


def test_defaults_of_a_run() -> None:
    """An empty body is a run of free text."""
    run = read_run({}, toy_vocabulary())
    assert (run.form, run.prompt, run.temperature, run.seed, run.prefix) == (None, "", 0.0, None, ())
    assert (run.is_chat, run.enforce) == (True, True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompt", 3),
        ("system", None),
        ("chat", "yes"),
        ("enforce", 1),
        ("temperature", 2.1),
        ("temperature", "1"),
        ("temperature", True),
        ("top_p", -0.1),
        ("top_p", float("nan")),
        ("seed", 1.5),
        ("seed", 2**63),
        ("max_tokens", 0),
        ("max_tokens", LONGEST + 1),
        ("max_tokens", True),
        ("prefix", "abc"),
        ("prefix", [1.0]),
        ("prefix", [-1]),
        ("prefix", [True]),
        ("prefix", [10**9]),
        ("prefix", [1] * (LONGEST + 1)),
    ],
)
def test_fields_of_a_run_that_are_wrong(field: str, value: object) -> None:
    """A field out of its range is refused by its name."""
    with pytest.raises(RequestError) as caught:
        read_run({field: value}, toy_vocabulary())
    assert caught.value.param == field


def test_a_run_has_room_after_its_beginning() -> None:
    """What is settled counts as tokens of the output."""
    with pytest.raises(RequestError) as caught:
        read_run({"prefix": [2, 3], "max_tokens": 2}, toy_vocabulary())
    assert caught.value.param == "max_tokens"


def _tokens(text: str) -> list[int]:
    return [byte + 1 for byte in text.encode()]


def test_a_resumed_guide_goes_on() -> None:
    """Its matchers stand after the beginning, and their budget is what is left."""
    guide = mw.compile(mw.regex("ab{3}c?"), toy_vocabulary())
    resumed = Resumed(guide, _tokens("ab"))
    assert resumed.matcher().text == b"ab"
    assert resumed.matcher(max_tokens=2).tokens_left == 2
    assert not _after(resumed.matcher(max_tokens=2), "bb").allows(_tokens("c")[0])
    assert _after(resumed.matcher(max_tokens=3), "bb").allows(_tokens("c")[0])


def _after(matcher: mw.Matcher, text: str) -> mw.Matcher:
    for token in _tokens(text):
        matcher.advance(token)
    return matcher


def test_a_beginning_that_the_constraint_refuses() -> None:
    """Is a fault of the request; one without room for an end is told as such."""
    guide = mw.compile(mw.regex("ab{3}"), toy_vocabulary())
    with pytest.raises(RequestError) as caught:
        Resumed(guide, _tokens("x")).matcher()
    assert caught.value.param == "prefix"
    assert isinstance(caught.value.__cause__, TokenError)
    with pytest.raises(UnspellableError):
        Resumed(guide, _tokens("ab")).matcher(max_tokens=1)


def test_jobs_of_runs() -> None:
    """Prompt and beginning are read by the model; the guide goes on after it; free text has none."""
    runtime = ToyRuntime()
    guide = mw.compile(mw.regex("ab"), runtime.vocabulary)
    given = {
        "prompt": "P",
        "prefix": _tokens("a"),
        "max_tokens": 9,
        "seed": 5,
        "constraint": {"kind": "regex", "source": "ab"},
    }
    job = job_of(read_run({**given, "chat": False}, runtime.vocabulary), guide, runtime, 1.0)
    assert job.prompt == tuple(_tokens("Pa"))
    assert (job.max_tokens, job.seed, job.deadline) == (8, 5, 1.0)
    assert job.guide is not None
    assert job.guide.matcher().text == b"a"
    chat = job_of(read_run({**given, "system": "S", "enforce": False}, runtime.vocabulary), guide, runtime, 1.0)
    assert chat.prompt == tuple(_tokens("system: S\nuser: P\na"))
    assert chat.guide is None


@pytest.mark.parametrize("source", [TOOLS, '[{"name": "f"}]'])
def test_the_model_is_told_of_tools(source: str) -> None:
    """In a chat, however they are written."""
    run = read_run({"prompt": "P", "constraint": {"kind": "tools", "source": source}}, toy_vocabulary())
    assert job_of(run, None, ToyRuntime(), 0.0).prompt == tuple(_tokens("tool: f\nuser: P\n"))


def test_a_model_needs_something_to_read() -> None:
    """Plain text that is empty has nothing to go on from."""
    with pytest.raises(RequestError) as caught:
        job_of(read_run({"chat": False}, toy_vocabulary()), None, ToyRuntime(), 0.0)
    assert caught.value.param == "prompt"
    assert END in toy_vocabulary().end_ids

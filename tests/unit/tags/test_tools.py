"""Tool calls: the mask accepts what an independent recogniser accepts, and nothing else, in every format."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import pytest

import maskwright as mw
from maskwright.tags.formats import FORMATS
from maskwright.tags.tools import tools
from tests.conformance.verdicts import BYTES
from tests.oracle.masks import by_reading, in_mask
from tests.unit.tags.answers import LAYOUTS, is_answer
from tests.unit.tags.turns import RENDERERS, Wish, rendered

F = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "what it does",
        "parameters": {
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "required": ["x"],
            "additionalProperties": False,
        },
    },
}
#: Its name begins with that of the other, and its string may hold what begins calls.
FG = {
    "name": "f_g",
    "parameters": {"type": "object", "properties": {"y": {"type": "string"}}, "additionalProperties": False},
}
LOOSE: dict[str, Any] = {"whitespace": "any", "digits": None, "numbers": "exact"}
MODES = ("auto", "none", "required", "named")
#: Formats whose calls the independent renderer writes too.
RENDERED = [(name, renderer) for name, renderer in RENDERERS if name in LAYOUTS or name == "harmony"]


def meets(name: str, arguments: Any) -> bool:
    if not isinstance(arguments, dict):
        return False
    if name == "f":
        value = arguments.get("x")
        return list(arguments) == ["x"] and not isinstance(value, (bool, str)) and value == int(value)
    return name == "f_g" and not arguments.keys() - {"y"} and all(isinstance(y, str) for y in arguments.values())


def only_f(name: str, arguments: Any) -> bool:
    return name == "f" and meets(name, arguments)


def guide(form: str, mode: str = "auto", *, parallel: bool = True, **options: Any) -> mw.Guide:
    choice = "f" if mode == "named" else mode
    made = tools([F, FG], format=form, choice=choice, parallel=parallel, **(options or LOOSE))
    return mw.compile(made, BYTES)


def pieces(name: str) -> list[str]:
    layout = LAYOUTS[name]
    wishes = [Wish("f", {"x": 1}), Wish("f_g", {"y": f"a {layout.trigger}"}), Wish("f", {"x": "no"}), Wish("g", {})]
    renderers = [renderer for own, renderer in RENDERERS if own == name]
    calls = [rendered(renderer, "", some) for renderer in renderers for some in ([w] for w in wishes)]
    calls += [rendered(renderer, "", wishes[:2]) for renderer in renderers]
    return [*calls, "text ", "all\nso: ", layout.trigger, layout.between, "{", " ", "[", *layout.section]


def mutated(text: str, chance: random.Random) -> str:
    if not text or chance.random() < 0.4:
        return text
    at = chance.randrange(len(text))
    return text[:at] + chance.choice(["", text[at] * 2, chance.choice('{}[]",:x1<>|')]) + text[at + 1 :]


@pytest.mark.parametrize("name", LAYOUTS)
def test_verdicts_are_those_of_the_recogniser(name: str) -> None:
    """For texts put together of calls, text and fragments, and for their mutations, under every choice."""
    chance = random.Random(name)
    guides = {(mode, parallel): guide(name, mode, parallel=parallel) for mode in MODES for parallel in (True, False)}
    parts = pieces(name)
    seen = {True: 0, False: 0}
    for _ in range(80):
        text = mutated("".join(chance.choices(parts, k=chance.choice((1, 1, 2, 3)))), chance)
        for (mode, parallel), made in guides.items():
            may = only_f if mode == "named" else meets
            expected = is_answer(name, text, may, mode, parallel=parallel)
            assert made.matches(text) == expected, (mode, parallel, text)
            seen[expected] += 1
    assert min(seen.values()) > 30


@pytest.mark.parametrize(("name", "renderer"), RENDERED)
def test_what_models_write_is_accepted(name: str, renderer: Any) -> None:
    """Under every choice that allows it, with the whitespace of json.dumps."""
    one, two = [Wish("f", {"x": 12})], [Wish("f", {"x": 1}), Wish("f_g", {"y": "<tool_call>{"})]
    text = rendered(renderer, "", one)
    for mode, parallel in itertools.product(MODES, (True, False)):
        made = guide(name, mode, parallel=parallel, whitespace="flexible")
        assert made.matches(text) == (mode != "none"), (mode, parallel)
    both = rendered(renderer, "", two)
    assert guide(name, whitespace="flexible").matches(both)
    assert not guide(name, parallel=False, whitespace="flexible").matches(both)
    assert not guide(name, "named", whitespace="flexible").matches(both)
    assert guide(name, "none", whitespace="flexible").matches(rendered(renderer, "Hello.", []))


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if form.body != "parameters"])
@pytest.mark.parametrize("mode", MODES)
def test_walks_end(form: str, mode: str) -> None:
    """Whatever allowed tokens are chosen: what is allowed never leads to a dead end."""
    made = guide(form, mode, whitespace="flexible")
    for seed in range(2):
        chance, matcher = random.Random(seed), made.matcher()
        for _ in range(30):
            ids = sorted(in_mask(matcher))
            assert ids, matcher.text
            assert set(ids) == by_reading(matcher)
            token = chance.choice(ids)
            if token in BYTES.end_ids:
                break
            matcher.advance(token)
        rest = matcher.complete()
        assert made.matches(matcher.text + rest)


def test_a_case_of_the_field() -> None:
    """X01: one call at most is obeyed by the mask, as an array of one."""
    made = guide("json", "required", parallel=False)
    assert made.matches('[{"name":"f","parameters":{"x":1}}]')
    for text in (
        "[]",
        '[{"name":"f","parameters":{"x":1}},{"name":"f","parameters":{"x":2}}]',
        '[{"name":"g","parameters":{"x":1}}]',
        '[{"name":"f","parameters":{}}]',
    ):
        assert not made.matches(text)


def test_after_the_only_call_nothing_but_the_end_is_allowed() -> None:
    """With parallel calls off the mask itself ends the output."""
    matcher = guide("hermes", parallel=False).matcher()
    for byte in b'so <tool_call>\n{"name":"f","arguments":{"x":1}}\n</tool_call>':
        matcher.advance(byte + 1)
    assert matcher.must_end


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("<|channel|>final<|message|>Hi", True),
        ("<|channel|>final<|message|>Hi<|return|>", True),
        ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi", True),
        ("<|channel|>analysis<|message|>hm", False),
        ("Hi", False),
        ('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x":1}<|call|>', True),
        ('<|channel|>commentary to=functions.f<|message|>{"x":1}', True),
        (' to=functions.f_g<|channel|>commentary json<|message|>{"y":"a"}<|call|>', True),
        (' to=functions.f_g<|channel|>commentary json<|message|>{"x":1}<|call|>', False),
        ("<|channel|>commentary to=functions.g<|message|>{}<|call|>", False),
        (
            "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.f<|channel|>commentary"
            '<|message|>{"x":1}<|call|>',
            True,
        ),
        ("<|channel|>final<|message|>a<|call|>", False),
    ],
)
def test_harmony(text: str, accepted: bool) -> None:
    """Messages in channels, with the recipient before or after the channel."""
    assert guide("harmony").matches(text) == accepted
    is_call = "to=functions" in text
    assert guide("harmony", "required").matches(text) == (accepted and is_call)
    assert guide("harmony", "none").matches(text) == (accepted and not is_call)


def test_harmony_thinks_only_where_it_may() -> None:
    """The channel for thinking is closed with ``thinking=False``."""
    text = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi"
    assert not guide("harmony", thinking=False).matches(text)


def test_thinking_comes_before_any_call() -> None:
    """What ends it is met once; in it everything may stand, also what begins calls."""
    made = guide("hermes", "required", thinking=True)
    call = '<tool_call>\n{"name":"f","arguments":{"x":1}}\n</tool_call>'
    assert made.matches(f"a <tool_call> b</think>\n\n{call}")
    assert made.matches(f"</think>{call}")
    assert not made.matches(call)
    assert not made.matches(f"a</think>b{call}")
    assert guide("hermes", thinking=("</t>", "<t>")).matches("<t>a</t>\nHello")


def test_what_need_not_be_strict_is_any_object() -> None:
    """Whether the tool says so, or the caller for all of them."""
    loose = {"name": "f", "parameters": F["function"]["parameters"], "strict": False}  # type: ignore[index]
    call = '<tool_call>\n{"name":"f","arguments":{"z":[1]}}\n</tool_call>'
    for given, strict, accepted in ((loose, None, True), (loose, True, False), (F, None, False), (F, False, True)):
        assert mw.compile(tools([given], strict=strict), BYTES).matches(call) == accepted
    wrong = call.replace('{"z":[1]}', "[1]")
    assert not mw.compile(tools([loose]), BYTES).matches(wrong)


def test_python_functions_and_types_are_tools() -> None:
    """Their names and arguments are what pydantic says."""
    pytest.importorskip("pydantic")

    def get_weather(city: str, days: int = 1) -> str:
        return city * days

    made = mw.compile(tools([get_weather], format="json", choice="required"), BYTES)
    assert made.matches('{"name": "get_weather", "arguments": {"city": "Rome", "days": 2}}')
    assert not made.matches('{"name": "get_weather", "arguments": {"days": 2}}')


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "function", "function": {"name": "f"}},
        {"type": "function", "name": "f"},
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "f"}]},
        {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{"function": {"name": "f"}}]}},
    ],
)
def test_shapes_of_choices(choice: Any) -> None:
    """As OpenAI's two interfaces write them."""
    made = mw.compile(tools([F, FG], choice=choice), BYTES)
    call = '<tool_call>\n{{"name":"{}","arguments":{}}}\n</tool_call>'
    assert made.matches(call.format("f", '{"x":1}'))
    assert not made.matches(call.format("f_g", "{}"))
    assert not made.matches("Hello")


def test_two_hundred_tools_are_one_table() -> None:
    """Each name leads to its own arguments, and pickling keeps all."""
    many = [
        {
            "name": f"tool_{i}",
            "parameters": {"type": "object", "properties": {f"a{i}": {"const": i}}, "required": [f"a{i}"]},
        }
        for i in range(200)
    ]
    for form in ("hermes", "functionary_v3.1"):
        again = pickle.loads(pickle.dumps(tools(many, format=form, choice="required")))
        made = mw.compile(again, BYTES)
        for i in (0, 1, 19, 100, 199):
            head = f'<tool_call>\n{{"name":"tool_{i}","arguments":' if form == "hermes" else f"<function=tool_{i}>"
            tail = "}\n</tool_call>" if form == "hermes" else "</function>"
            assert made.matches(f'{head}{{"a{i}":{i}}}{tail}')
            assert not made.matches(f'{head}{{"a{i}":{i + 1}}}{tail}')


ELEMENTS = [name for name, form in FORMATS.items() if form.body == "parameters"]
PARAMETERS = [
    "a>b",
    ">",
    "</parameter>",
    " a",
    "a\n",
    "\ta",
    "a b",
    "",
    "</arg_key>",
    "<arg_value>",
    "é",
    "a<",
    "a/b~c",
]
PARAMETERS += ["<tool_call>", "\u00a0a", "a</arg_ke", "<parameter=", '"q"', "a</arg_key", "\ud800", "\x00", "\u2028"]


@pytest.mark.parametrize("form", ELEMENTS)
@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("is_required", [True, False])
def test_names_of_parameters_are_read_again_or_refused(form: str, name: str, *, is_required: bool) -> None:
    """Law: what a mask lets be written is read back equal; a name that cannot be is refused with tool and place."""
    schema = {
        "type": "object",
        "properties": {"b": {"type": "integer"}, name: {"type": "string"}},
        "required": ["b", name] if is_required else ["b"],
    }
    try:
        made = tools([{"name": "f", "parameters": {}}, {"name": "g", "parameters": schema}], format=form, choice="g")
    except mw.ConstraintError as error:
        (problem,) = error.problems
        assert problem.place.startswith("#/1/parameters/")
        assert "tool 1 (g)" in problem.reason
        form_end = FORMATS[form].parameter_middle.strip()[0:1] + "/arg_key>" * ("glm" in form)
        assert name != name.strip() or form_end in name or name == "\ud800"
        return
    written = mw.compile(made, BYTES)
    begun = f"{FORMATS[form].parameter_begin}{name}{FORMATS[form].parameter_middle}"
    texts = [written.complete("").decode()]
    if begun not in texts[0]:
        call, end = texts[0], FORMATS[form].call_end
        value = f"x{FORMATS[form].parameter_end}"
        texts.append(call.removesuffix(end) + begun + value + end)
    for text in texts:
        assert written.matches(text)
        parser = mw.parser_of(made)
        parser.feed(text)
        value = parser.close().calls[0].value
        assert list(value) == (["b", name] if begun in text else ["b"])


@pytest.mark.parametrize("style", ["qwen_xml", "glm_xml"])
def test_names_of_elements_are_refused_with_their_place(style: str) -> None:
    """So in structural tags."""
    schema = {"type": "object", "properties": {" a": {"type": "string"}}}
    with pytest.raises(mw.ConstraintError) as caught:
        mw.structural_tag({"type": "json_schema", "json_schema": schema, "style": style})
    assert caught.value.problems[0].place == "#/json_schema/properties/ a"

"""What an answer is to be, and how its text becomes the value that was asked for."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass
from typing import Any, Literal

import pydantic
import pytest

import maskwright as mw
from maskwright.client.answer import Answer
from maskwright.client.targets import Target
from maskwright.errors import AnswerError, ConstraintError, PolicyError
from maskwright.tags.parsing_events import Call


class Person(pydantic.BaseModel):
    name: str
    age: int = pydantic.Field(alias="years", ge=0)

    @pydantic.field_validator("name")
    @classmethod
    def capital(cls, value: str) -> str:
        if not value[:1].isupper():
            raise ValueError("a name begins with a capital letter")
        return value


class Team(pydantic.BaseModel):
    lead: Person | Literal["nobody"]
    people: tuple[Person, ...] = ()

    @pydantic.model_validator(mode="after")
    def small(self) -> Team:
        if len(self.people) > 2:
            raise ValueError("too many people")
        return self


@dataclass
class Point:
    x: int
    y: int = 0


def weather(city: str, days: int = 1) -> None:
    raise AssertionError("the function was called")


def read(given: object, value: object) -> Any:
    """The value that a target reads from JSON."""
    return Target.of(given).read(Answer(text=json.dumps(value), value=value)).value


def test_instances() -> None:
    """Of models, dataclasses and other types; aliases and defaults as pydantic has them."""
    person = read(Person, {"name": "Ada", "years": 36})
    assert isinstance(person, Person)
    assert (person.name, person.age) == ("Ada", 36)
    assert read(Point, {"x": 1}) == Point(1, 0)
    assert read(list[Point], [{"x": 1, "y": 2}]) == [Point(1, 2)]
    assert read(Literal["a", "b"], "a") == "a"
    assert read(pydantic.TypeAdapter(tuple[int, ...]), [1, 2]) == (1, 2)
    assert isinstance(read(Team, {"lead": {"name": "Ada", "years": 1}}).lead, Person)


def test_values() -> None:
    """Of schemas, as parsed JSON or text, of constraints, and of the arguments of a function, which is not called."""
    assert read({"type": "object"}, {"a": 1}) == {"a": 1}
    assert read('{"type": "array"}', [1]) == [1]
    assert read(True, 5) == 5
    assert read(mw.json_schema({"type": "integer"}), 5) == 5
    assert read(weather, {"city": "Rome"}) == {"city": "Rome"}
    assert Target.of(None).constraint is None


class Open(pydantic.BaseModel, extra="allow"):
    x: int


class Pair(pydantic.BaseModel):
    point: Point
    rest: Open
    named: dict[str, int] = {}


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        (Point, '{"x": 1}', True),
        (Point, '{"x": 1, "z": 2}', False),
        (Open, '{"x": 1, "z": 2}', True),
        (Pair, '{"point": {"x": 1}, "rest": {"x": 1, "z": 2}, "named": {"a": 1}}', True),
        (Pair, '{"point": {"x": 1, "z": 2}, "rest": {"x": 1}}', False),
        (list[Point], '[{"x": 1, "z": 2}]', False),
        ({"type": "object", "properties": {"x": {}}}, '{"x": 1, "z": 2}', True),
    ],
)
def test_types_name_all_members(given: Any, text: str, expected: bool) -> None:
    """What a type would drop is not asked for; what it keeps is, and a schema is taken as it is."""
    constraint = Target.of(given).constraint
    assert constraint is not None
    vocabulary = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])
    assert mw.compile(constraint, vocabulary).matches(text) is expected


ADA = {"name": "Ada", "years": 1}


@pytest.mark.parametrize(
    ("model", "value", "place", "words"),
    [
        (Person, {"name": "ada", "years": 1}, "/name", "capital letter"),
        (Person, {"name": "Ada", "years": -1}, "/years", "greater than or equal to 0"),
        (Person, {"name": "Ada"}, "", "Field required"),
        (Team, {"lead": {"name": "ada", "years": 1}}, "/lead/name", "capital letter"),
        (Team, {"lead": "nobody", "people": [ADA, {"name": "b", "years": 1}]}, "/people/1/name", "capital"),
        (Team, {"lead": "nobody", "people": [ADA] * 3}, "", "too many people"),
        (dict[str, Person], {"a/b~": {"name": "x", "years": 1}}, "/a~1b~0/name", "capital"),
        (list[int], [1, "x"], "/1", "integer"),
    ],
)
def test_what_a_validator_refuses(model: object, value: object, place: str, words: str) -> None:
    """Raises, with the JSON pointer, the reason, the whole text and what it cost: never ``None`` in silence."""
    with pytest.raises(AnswerError, match=words) as caught:
        read(model, value)
    error = caught.value
    assert error.place == place
    assert error.text == json.dumps(value)
    assert error.report is not None
    assert error.__cause__ is not None


class Rude(pydantic.BaseModel):
    a: int

    @pydantic.model_validator(mode="after")
    def rude(self) -> Rude:
        raise RuntimeError("not a validation error")


def test_validators_that_raise_anything() -> None:
    """Count as a refusal."""
    with pytest.raises(AnswerError, match="RuntimeError: not a validation error"):
        read(Rude, {"a": 1})


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (5, PolicyError),
        ([], PolicyError),
        ("{", ConstraintError),
        ({"type": "nothing"}, ConstraintError),
        (threading.Thread, ConstraintError),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, ConstraintError),
    ],
)
def test_what_is_no_target(given: object, kind: type[Exception]) -> None:
    """Is told before anything is sent."""
    with pytest.raises(kind):
        Target.of(given)


def test_tools_that_are_types() -> None:
    """The arguments of their calls become instances; those of functions and bare tools stay dicts."""
    calls = (
        Call("Person", '{"name": "Ada", "years": 3}', {"name": "Ada", "years": 3}),
        Call("weather", '{"city": "Rome"}', {"city": "Rome"}),
        Call("bare", "{}", {}),
    )
    found = Target.of(None, [Person, weather, {"name": "bare"}]).read(Answer(text="", calls=calls))
    assert isinstance(found.calls[0].value, Person)
    assert [call.value for call in found.calls[1:]] == [{"city": "Rome"}, {}]
    assert [call.arguments for call in found.calls] == [call.arguments for call in calls]


def test_a_tool_whose_validator_refuses() -> None:
    """Tells which call, and where in its arguments."""
    text = '{"name": "ada", "years": 3}'
    with pytest.raises(AnswerError, match="capital letter") as caught:
        Target.of(None, [Person]).read(Answer(text="", calls=(Call("Person", text, json.loads(text)),)))
    assert (caught.value.place, caught.value.text) == ("/calls/0/name", text)


@pytest.mark.parametrize(("given", "tools"), [(Person, ()), (None, (Person,)), (list[int], ())])
def test_types_without_pydantic(given: object, tools: tuple[object, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What has to be installed is told."""
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(PolicyError, match="pip install"):
        Target.of(given, tools)

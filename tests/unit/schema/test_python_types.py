"""Python types as schemas: what the constraint writes the type validates, what the type dumps the constraint reads."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import functools
import json
import pickle
import random
import sys
import uuid
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NamedTuple

import pydantic
import pytest
from typing_extensions import TypedDict

import maskwright as mw
from maskwright.errors import PolicyError, SchemaError
from maskwright.schema import python_types
from tests.properties.walks import names_of, walk

BYTES: Final = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])
#: What a type reads: every spelling.
EXACT: Final[dict[str, Any]] = {"property_order": "any", "whitespace": "any", "numbers": "exact"}
#: What is written for it: integers without exponents, which pydantic takes for floats and some of them for infinite.
WRITTEN: Final[dict[str, Any]] = {"property_order": "any", "whitespace": "any", "digits": 12}


class Colour(enum.Enum):
    RED = "red"
    BLUE = 2


class Point(NamedTuple):
    x: int
    y: float = 0.0


@dataclasses.dataclass
class Address:
    street: str
    zip_code: Annotated[str, pydantic.Field(pattern="^[0-9]{5}$")]
    country: Literal["DE", "FR"] = "DE"


class Movie(TypedDict, total=False):
    title: str
    year: int


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: Annotated[int, pydantic.Field(ge=0, le=9)]


class Dog(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: Literal["dog"]
    name: str | None = None


class Node(pydantic.BaseModel):
    value: Colour
    children: list[Node] = pydantic.Field(default_factory=list)


class Person(pydantic.BaseModel):
    zeta: Annotated[str, pydantic.Field(alias="familyName", max_length=12)]
    alpha: int
    address: Address | None = None
    pets: list[Cat | Dog] = pydantic.Field(default_factory=list, max_length=2)


class Padded(pydantic.BaseModel):
    name: Annotated[str, pydantic.StringConstraints(strip_whitespace=True, min_length=2, max_length=3)]


def book(
    title: str, /, pages: int, *, tags: list[str] | None = None, price: Annotated[int, pydantic.Field(ge=1)] = 1
) -> None:
    """A function with arguments of every kind that has a name."""


def ask(question: str, **options: int) -> None:
    """Further keywords."""


DAY: Final = dt.datetime(2024, 2, 29, 23, 59, 1, 5000)  # noqa: DTZ001  (one without an offset is what is tested)

#: Type -> instances whose dump must be accepted.
TYPES: Final[list[tuple[Any, list[Any]]]] = [
    (
        Person,
        [Person.model_construct(zeta="Bo", alpha=-3, address=Address("a", "12345"), pets=[Cat(kind="cat", lives=9)])],
    ),
    (Node, [Node(value=Colour.RED, children=[Node(value=Colour.BLUE)])]),
    (Padded, [Padded(name=" abc ")]),
    (Address, [Address("", "00000", "FR")]),
    (Movie, [{}, {"year": 1}]),
    (Point, [Point(1), Point(2, 0.5)]),
    (Colour, list(Colour)),
    (Literal["a", 1] | None, ["a", 1, None]),
    (Annotated[int, pydantic.Field(gt=3, multiple_of=5)], [5, 100]),
    (list[int | str], [[], [1, "a"]]),
    (tuple[int, str], [(1, "")]),
    (tuple[bool, ...], [(), (True, False)]),
    (dict[int, bool], [{}, {-5: True}]),
    (dict[float, int], [{0.5: 1, 1e16: 2}]),
    (dict[bool, int], [{True: 1}]),
    (dict[Colour, int], [{Colour.RED: 1}]),
    (Annotated[list[int], pydantic.Field(min_length=1, max_length=2)] | None, [None, [1]]),
    (dt.date, [DAY.date()]),
    (dt.time, [DAY.time(), dt.time(1, 2, tzinfo=dt.UTC)]),
    (dt.datetime, [DAY, DAY.replace(tzinfo=dt.timezone(dt.timedelta(hours=-3)))]),
    (pydantic.NaiveDatetime, [DAY]),
    (pydantic.AwareDatetime, [DAY.replace(tzinfo=dt.UTC)]),
    (dt.timedelta, [dt.timedelta(0), dt.timedelta(days=-400, seconds=1.5), dt.timedelta(days=999_999)]),
    (uuid.UUID, [uuid.UUID(int=0)]),
    (pydantic.UUID4, [uuid.UUID("7d444840-9dc0-41d1-b245-5ffdce74fad2")]),
    (Annotated[float, pydantic.Field(allow_inf_nan=False)], [0.5, -1e300]),
    (Decimal, [Decimal("1.50"), Decimal("-1E+5")]),
    (Annotated[Decimal, pydantic.Field(ge=0, max_digits=4, decimal_places=2)], [Decimal("12.5"), Decimal(0)]),
    (Annotated[Decimal, pydantic.Field(gt=0, max_digits=4)], [Decimal("0.5"), Decimal(1234)]),
    (Annotated[bytes, pydantic.Field(max_length=3)], [b"abc"]),
    (pydantic.HttpUrl, [pydantic.HttpUrl("https://a.example:80/b?c#d")]),
    (set[int], [{1, 2}, set()]),
    (Annotated[Cat | Dog, pydantic.Field(discriminator="kind")], [Cat(kind="cat", lives=1), Dog(kind="dog")]),
    (pydantic.TypeAdapter(list[Cat]), [[Cat(kind="cat", lives=0)]]),
]


def _name(described: object) -> str:
    return str(getattr(described, "__name__", described))[:60]


CASES: Final = [pytest.param(described, dumps, id=_name(described)) for described, dumps in TYPES]


@pytest.mark.parametrize(("described", "dumps"), CASES)
def test_what_is_written_validates(described: Any, dumps: list[Any]) -> None:
    """No output of the constraint is refused by the type."""
    adapter = described if isinstance(described, pydantic.TypeAdapter) else pydantic.TypeAdapter(described)
    guide = mw.compile(mw.json_schema(described, **WRITTEN), BYTES)
    hints = names_of(python_types.schema_of(described))
    for seed in range(12):
        adapter.validate_json(walk(guide, random.Random(seed), budget=25, hints=hints))


@pytest.mark.parametrize(("described", "dumps"), CASES)
def test_what_is_dumped_is_read(described: Any, dumps: list[Any]) -> None:
    """The dump of an instance is an output of the constraint."""
    adapter = described if isinstance(described, pydantic.TypeAdapter) else pydantic.TypeAdapter(described)
    guide = mw.compile(mw.json_schema(described, **EXACT), BYTES)
    for instance in dumps:
        text = adapter.dump_json(adapter.validate_python(instance), by_alias=True)
        assert guide.matches(text), text


#: Type -> JSON texts that pydantic refuses.
REFUSED: Final[list[tuple[Any, list[str]]]] = [
    (Person, ["{}", '{"zeta": "a", "alpha": 1}', '{"familyName": "abcdefghijklm", "alpha": 1}']),
    (Dog, ['{"kind": "dog", "age": 1}', '{"kind": "cat"}', "[]"]),
    (Node, ['{"value": "red", "children": [{}]}', '{"value": "green"}']),
    (Padded, ['{"name": " a "}', '{"name": "\\u0085a\\u0085"}', '{"name": "a"}']),
    (Movie, ['{"year": "x"}', "null"]),
    (Point, ["[]", "[1, 2, 3]"]),
    (Literal["a", 1] | None, ['"b"', "2", "false"]),
    (Annotated[Cat | Dog, pydantic.Field(discriminator="kind")], ['{"kind": "cat", "name": "a"}', '{"lives": 1}']),
    (tuple[int, str], ["[1]", '[1, "a", 2]']),
    (dict[int, bool], ['{"a": true}', '{"1e2": true}', '{"": true}']),
    (dict[bool, int], ['{"maybe": 1}']),
    (pydantic.NaiveDatetime, ['"2024-02-29T10:00:00Z"']),
    (pydantic.AwareDatetime, ['"2024-02-29T10:00:00"']),
    (dt.datetime, ['"2023-02-29T10:00:00"', '"2024-02-29T10:00:60Z"', '"0000-01-01T00:00:00Z"']),
    (dt.date, ['"2023-02-29"', '"0000-01-01"']),
    (dt.time, ['"24:00:00"', '"23:59:60Z"']),
    (dt.timedelta, ['"P"', '"PT"', '"P1000000000D"', '"PT999999999999S"']),
    (pydantic.UUID4, ['"7d444840-9dc0-11d1-b245-5ffdce74fad2"', '"7d444840-9dc0-41d1-c245-5ffdce74fad2"']),
    (Decimal, ['"abc"', '"1e"', '""', "true"]),
    (
        Annotated[Decimal, pydantic.Field(ge=0, max_digits=4, decimal_places=2)],
        ['"-1"', '"100"', '"0.001"', "123", "-1"],
    ),
    (Annotated[bytes, pydantic.Field(max_length=3)], ['"éé"', '"abcd"']),
    (
        pydantic.HttpUrl,
        ['"ftp://a.example"', '"http://"', '"http://a:99999"', '"http://1.2.3.999/"', '"http://xn--a/"'],
    ),
]


@pytest.mark.parametrize(("described", "texts"), [pytest.param(*case, id=_name(case[0])) for case in REFUSED])
def test_what_pydantic_refuses_is_not_written(described: Any, texts: list[str]) -> None:
    """Both refuse, so neither list is wrong."""
    guide = mw.compile(mw.json_schema(described, **EXACT), BYTES)
    for text in texts:
        with pytest.raises(pydantic.ValidationError):
            pydantic.TypeAdapter(described).validate_json(text)
        assert not guide.matches(text), text


def test_order_is_that_of_the_fields() -> None:
    """Properties come in the order of their definition, under their aliases."""
    schema = python_types.schema_of(Person)
    assert list(schema["properties"]) == ["familyName", "alpha", "address", "pets"]
    guide = mw.compile(mw.json_schema(Person, whitespace="compact", objects="closed"), BYTES)
    assert guide.matches('{"familyName":"a","alpha":1}')
    assert not guide.matches('{"alpha":1,"familyName":"a"}')


@pytest.mark.parametrize(
    "function",
    [
        book,
        lambda title, pages, tags=(), price=1: None,  # noqa: ARG005
        functools.partial(lambda title, pages, tags=(), price=1: None),  # noqa: ARG005
    ],
)
def test_a_function_stands_for_its_arguments(function: Callable[..., None]) -> None:
    """Every argument has its name, defaults make it optional, and no other member may come."""
    guide = mw.compile(mw.json_schema(function, whitespace="compact"), BYTES)
    assert guide.matches('{"title":"a","pages":3,"tags":["b"],"price":2}')
    assert guide.matches('{"title":"a","pages":3}')
    assert not guide.matches('{"title":"a"}')
    assert not guide.matches('{"title":"a","pages":3,"other":1}')


def test_further_keywords_are_further_members() -> None:
    """``**options: int`` lets any name come, with a number."""
    guide = mw.compile(mw.json_schema(ask, whitespace="compact"), BYTES)
    assert guide.matches('{"question":"a","depth":3}')
    assert not guide.matches('{"question":"a","depth":"b"}')


def test_a_bound_method_has_no_self() -> None:
    """The instance is no argument."""

    class Clock:
        def set(self, hour: int) -> None: ...

    assert list(python_types.schema_of(Clock().set)["properties"]) == ["hour"]


def _open_ended(*numbers: int) -> None: ...


class _Opaque: ...


@pytest.mark.parametrize("described", [_open_ended, _Opaque, Callable[[int], int], len, list[_Opaque]], ids=_name)
def test_what_has_no_schema_is_refused_with_a_remedy(described: Any) -> None:
    """A typed error that keeps pydantic's as its cause."""
    with pytest.raises(SchemaError) as caught:
        mw.json_schema(described)
    assert caught.value.problems[0].remedy


def test_unknown_names_are_told() -> None:
    """An annotation that cannot be resolved says how to resolve it."""

    def late(value: Unknown) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(SchemaError, match="TypeAdapter"):
        mw.json_schema(late)


@pytest.mark.parametrize(
    "value",
    [3, None, object(), [int], Person.model_construct(zeta="", alpha=1)],
    ids=["number", "none", "object", "list", "model"],  # two workers must find the same names
)
def test_other_objects_are_no_types(value: Any) -> None:
    """They are refused as what is no JSON Schema, without pydantic."""
    assert not python_types.is_python_type(value)
    with pytest.raises(SchemaError, match="a schema is"):
        mw.json_schema(value)


def test_a_constraint_of_a_type_pickles_as_its_schema() -> None:
    """Another process needs neither the type nor pydantic."""
    constraint = mw.json_schema(Person)
    data = pickle.dumps(constraint)
    assert b"pydantic" not in data
    assert b"Person" not in data.replace(b'"title": "Person"', b"").replace(b"Person\x94", b"")
    assert mw.compile(pickle.loads(data), BYTES).matches('{"familyName": "a", "alpha": 1}')


def test_without_pydantic_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is optional."""
    monkeypatch.setitem(sys.modules, "pydantic", None)
    python_types._pydantic.cache_clear()
    with pytest.raises(PolicyError, match="pip install"):
        mw.json_schema(int)
    python_types._pydantic.cache_clear()


def test_no_warnings_of_defaults() -> None:
    """A default that is no JSON is nobody's concern here."""

    class Odd(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        value: Any = _Opaque()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.json_schema(Odd)


def test_defaults_and_titles_do_not_constrain() -> None:
    """A schema of pydantic's is JSON through and through but for exact numbers."""
    schema = python_types.schema_of(Person)
    assert json.loads(json.dumps(schema)) == schema

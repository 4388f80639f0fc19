"""Every field by itself: what it takes, what it refuses, with which param and status."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright.errors import PolicyError
from maskwright.wire.tables import CHAT_FIELDS, COMPLETION_FIELDS
from tests.unit.wire.asking import COMPATS, LEAST, READERS, refusal
from tests.unit.wire.values import CASES, Case

TABLES = {"completions": COMPLETION_FIELDS, "chat": CHAT_FIELDS}
EVERY = [(endpoint, name) for endpoint, cases in CASES.items() for name in cases]
FIELD = pytest.mark.parametrize(("endpoint", "name"), EVERY, ids=[f"{endpoint}-{name}" for endpoint, name in EVERY])


def _case(endpoint: str, name: str) -> Case:
    return CASES[endpoint][name]


@pytest.mark.parametrize("endpoint", CASES)
def test_every_row_has_values_here(endpoint: str) -> None:
    """The cases and the table name the same fields, and no row comes twice."""
    names = [field.name for field in TABLES[endpoint]]
    assert sorted(names) == sorted(CASES[endpoint])


@FIELD
def test_values_that_are_taken(endpoint: str, name: str) -> None:
    """Under every compat, but for fields that an API does not know."""
    case = _case(endpoint, name)
    for compat in COMPATS:
        for value in case.accepted:
            told = refusal(endpoint, compat, **{**case.beside, name: value})
            if case.is_unknown_there and compat == "cerebras":
                assert told is not None
                assert (told.status, told.param) == (422, name)
                assert told.message == f"body.{name}: property 'body.{name}' is unsupported"
            else:
                assert told is None, (compat, value, str(told))


@FIELD
def test_null_is_absence(endpoint: str, name: str) -> None:
    """Null of any field, but a required one, gives the request that there is without it; under every compat."""
    read, least = READERS[endpoint], LEAST[endpoint]
    for compat in COMPATS:
        if name in least:
            told = refusal(endpoint, compat, **{name: None})
            assert told is not None
            assert (told.param, told.status) == (name, 422 if compat == "cerebras" else 400)
        else:
            assert read({**least, name: None}, compat=compat) == read(least, compat=compat)


@FIELD
def test_values_that_are_refused(endpoint: str, name: str) -> None:
    """What the field cannot be is a 400 with the field as param, 422 under cerebras."""
    case = _case(endpoint, name)
    for compat in COMPATS:
        for value in case.refused:
            told = refusal(endpoint, compat, **{**case.beside, name: value})
            assert told is not None, (compat, value)
            assert told.param is not None, (compat, value, told.message)
            assert told.param.startswith(name), (compat, value, told.message)
            assert told.status == (422 if compat == "cerebras" else 400)
            assert told.type == "invalid_request_error"
            assert (told.code == "wrong_api_format") == (compat == "cerebras")


@FIELD
def test_what_is_not_offered(endpoint: str, name: str) -> None:
    """What asks for something that is not done here is a 400 everywhere, and says what to do instead."""
    case = _case(endpoint, name)
    for compat in COMPATS:
        for value in case.unsupported:
            told = refusal(endpoint, compat, **{**case.beside, name: value})
            assert told is not None, (compat, value)
            assert told.param is not None
            assert told.param.startswith(name)
            is_unknown = case.is_unknown_there and compat == "cerebras"
            assert told.status == (422 if is_unknown else 400), (compat, value, told.message)
            assert "support" in told.message


@pytest.mark.parametrize("endpoint", CASES)
def test_what_nobody_knows(endpoint: str) -> None:
    """Ignored and listed, or refused in the words of an API; null of it says nothing."""
    read, least = READERS[endpoint], LEAST[endpoint]
    made = read({**least, "later": 1, "another": {"a": [1]}, "third": None})
    assert made.ignored == ("later", "another")
    told = refusal(endpoint, "cerebras", later=1)
    assert told is not None
    assert (told.status, told.param, told.code) == (422, "later", "wrong_api_format")
    assert told.message == "body.later: property 'body.later' is unsupported"
    told = refusal(endpoint, "openai", later=1)
    assert told is not None
    assert (told.status, told.param, told.code) == (400, "later", "unknown_parameter")
    for compat in COMPATS:
        assert read({**least, "third": None}, compat=compat).ignored == ()


@pytest.mark.parametrize("endpoint", CASES)
@pytest.mark.parametrize("body", [None, 1, "x", [], True, 1.5])
def test_a_body_is_an_object(endpoint: str, body: Any) -> None:
    """Anything else is refused without a param."""
    for compat in COMPATS:
        with pytest.raises(Exception, match="object") as told:
            READERS[endpoint](body, compat=compat)
        assert type(told.value).__name__ == "RequestError"


def test_there_are_three_apis() -> None:
    """What else a server is told to be like has no meaning."""
    with pytest.raises(PolicyError, match="lenient, cerebras, openai"):
        READERS["chat"](LEAST["chat"], compat="anthropic")

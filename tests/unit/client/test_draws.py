"""Answers of APIs as tokens: both shapes of logprobs, beginnings that come again, and what cannot be cut."""

from __future__ import annotations

import pytest

from maskwright.client.draws import chat_drawn, completion_drawn


def chat(content: str, entries: list[dict[str, object]] | None, finish: str = "stop") -> dict[str, object]:
    """An answer of a chat."""
    logprobs = None if entries is None else {"content": entries}
    choice = {"message": {"role": "assistant", "content": content}, "logprobs": logprobs, "finish_reason": finish}
    return {"choices": [choice]}


def entry(token: str, data: bytes | None = None, top: tuple[str, ...] = ()) -> dict[str, object]:
    """A token of a chat."""
    octets = list(token.encode() if data is None else data)
    tops = [{"token": one, "bytes": list(one.encode()), "logprob": -1.0} for one in top]
    return {"token": token, "bytes": octets, "logprob": -0.5, "top_logprobs": tops}


def test_characters_in_pieces_are_put_together_from_bytes() -> None:
    """The text has lost what the bytes still tell."""
    drawn = chat_drawn(
        chat(
            "日\ufffd",
            [entry("\ufffd", "日".encode()[:2]), entry("\ufffd", "日".encode()[2:]), entry("\ufffd", b"\xe6")],
        )
    )
    assert [token.data for token in drawn.tokens] == ["日".encode()[:2], "日".encode()[2:], b"\xe6"]


def test_arrays_tell_texts_bytes_and_ids() -> None:
    """OpenAI's notation for bytes, vLLM's for ids, and names of end tokens."""
    logprobs = {
        "tokens": ["a", "bytes:\\xe6\\x97", "bytes:\\xa5"],
        "token_logprobs": [-1, -1, -1],
        "top_logprobs": [{"a": -1.0, "token_id:7": -2.0, "</s>": -3.0, "\ufffd": -4.0}, None, {}],
    }
    drawn = completion_drawn({"choices": [{"text": "a日", "logprobs": logprobs, "finish_reason": "length"}]})
    assert drawn.text == "a日".encode()
    options = [(option.data, option.id) for option in drawn.tokens[0].top]
    assert options == [(b"a", None), (None, 7), (b"", None), (None, None)]


@pytest.mark.parametrize("echoes", [False, True])
@pytest.mark.parametrize("has_report", [False, True])
def test_a_beginning_that_comes_again_is_taken_off(*, echoes: bool, has_report: bool) -> None:
    """Known by the reported tokens, by the profile, or by its length."""
    begun = '{"name": "Alice Martin", '
    whole = (begun if echoes else "") + '"age": 34}'
    drawn = chat_drawn(chat(whole, [entry('"age'), entry('": 34}')] if has_report else None), begun.encode())
    assert drawn.text == b'"age": 34}'


def test_a_short_text_that_begins_alike_is_no_echo() -> None:
    """{ after { is what the model wrote, unless the API is known to give beginnings again."""
    assert chat_drawn(chat('{"a', None), b"{").text == b'{"a'
    assert chat_drawn(chat('{"a', None), b"{", echoes=True).text == b'"a'
    assert chat_drawn(chat('{"a', [entry('{"a')]), b"{", echoes=True).text == b'{"a'


def test_the_token_that_ended_the_answer_is_told_apart() -> None:
    """With its alternatives; control tokens of which nothing is shown are passed over."""
    drawn = chat_drawn(chat("ab", [entry("", b""), entry("ab"), entry("", b"", ("c",))]))
    assert [token.data for token in drawn.tokens] == [b"ab"]
    assert drawn.end is not None
    assert [option.data for option in drawn.end.top] == [b"c"]


def test_what_cannot_be_cut_is_one_token() -> None:
    """A report that does not fit the text, from where it does not."""
    drawn = chat_drawn(chat("ab cd\ufffd", [entry("ab"), entry("xx")]))
    assert [(token.data, token.is_whole) for token in drawn.tokens] == [(b"ab", True), (b" cd", False)]


@pytest.mark.parametrize("data", [{}, {"choices": []}, {"choices": [1]}, {"choices": [{"message": 1, "logprobs": 3}]}])
def test_strange_answers_are_empty(data: dict[str, object]) -> None:
    """Whatever comes: no exception."""
    assert chat_drawn(data).text == completion_drawn(data).text == b""

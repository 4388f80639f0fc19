"""Addresses of APIs, in any of the spellings that people use."""

from __future__ import annotations

import pytest

from maskwright.client.endpoint import Endpoint
from maskwright.errors import PolicyError


@pytest.mark.parametrize(
    ("base", "models", "native"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/completion"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/completion"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/completion"),
        (" http://127.0.0.1:8000/v1// ", "http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/completion"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1/models", "http://[::1]:80/completion"),
        ("https://api.cerebras.ai", "https://api.cerebras.ai/v1/models", "https://api.cerebras.ai/completion"),
        (
            "https://api.fireworks.ai/inference/v1",
            "https://api.fireworks.ai/inference/v1/models",
            "https://api.fireworks.ai/inference/completion",
        ),
        ("https://h/a/b", "https://h/a/b/v1/models", "https://h/a/b/completion"),
        ("https://h/api/paas/v4/", "https://h/api/paas/v4/models", "https://h/api/paas/completion"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/models", "https://h/completion"),
        ("https://h/openai", "https://h/openai/models", "https://h/completion"),
        ("https://h/v1x-y", "https://h/v1x-y/v1/models", "https://h/v1x-y/completion"),
    ],
)
def test_addresses(base: str, models: str, native: str) -> None:
    """With or without a version, slashes and prefixes: the same paths."""
    endpoint = Endpoint.of(base)
    assert endpoint.url("/v1/models") == models
    assert endpoint.url("/completion") == native


@pytest.mark.parametrize(
    "base",
    [
        "",
        "127.0.0.1:8000",
        "localhost",
        "ftp://h",
        "http://",
        "http://:80",
        "http://h:port",
        "http://h:99999999",
        "http://[::1",
        "http://h/v1?key=1",
        "http://h/v1#x",
        "http://h?",
        "http://user:secret@h/v1",
        "http://h/a b",
        "http://h\r\nx: y",
        "http://a..b",
        "http://.",
        "http://☃.example",
        "http://" + "a" * 64,
        "http://" + "a." * 200 + "b",
        "http://a*b",
        None,
        8000,
    ],
)
def test_what_is_no_address(base: str) -> None:
    """Is refused at once; a password in it is not shown."""
    with pytest.raises(PolicyError) as caught:
        Endpoint.of(base)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", ["/chat/completions", "/completions", "/models", "/chat/completions/"])
def test_the_path_of_a_request_is_no_address(path: str) -> None:
    """As examples for curl have it; what would do is told."""
    with pytest.raises(PolicyError, match=r"but http://h:1/v1$|but 'http://h:1/v1'$"):
        Endpoint.of(f"http://h:1/v1{path}")

"""Where an API is: the address that a person gives, in any of the usual spellings, and the URL of each path.

>>> [Endpoint.of(base).url("/v1/models") for base in ("http://h:1", "http://h:1/v1/", "https://h/inference/v1")]
['http://h:1/v1/models', 'http://h:1/v1/models', 'https://h/inference/v1/models']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from maskwright.errors import PolicyError, excerpt

__all__ = ["Endpoint"]

#: How the last part of a path says that it is the version: ``v1``, ``v4``, ``v1beta``; Google's is ``v1beta/openai``.
_VERSION: Final = re.compile(r"/(?:v[0-9]+[a-z0-9]*(?:/openai)?|openai)$")
_OURS: Final = "/v1"
#: Paths of requests, which people copy from examples for curl.
_PATHS: Final = re.compile(r"/(?:chat/completions|completions|models|responses)$")
#: Labels of RFC 1123, with the underscore that names within clusters have; or an address of IPv6.
_HOST: Final = re.compile(
    r"(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?|(?=[^%]*:)[0-9a-fA-F:.]+(?:%[A-Za-z0-9_.-]+)?"
)
_LONGEST_HOST: Final = 253


@dataclass(frozen=True)
class Endpoint:
    """An API's address, normalised."""

    #: What paths without a version stand below: ``http://h:1/prefix``.
    root: str
    #: What stands for ``/v1``: ``http://h:1/prefix/v1``.
    versioned: str

    @classmethod
    def of(cls, base_url: str) -> Endpoint:
        """Read an address, with or without ``/v1``, with or without a slash at the end, below any prefix.

        An address that ends with another version, or with ``openai``, stands for ``/v1`` itself.

        Raises:
            PolicyError: it is no address of ``http`` or ``https``, or has a query or a user in it.
        """
        if not isinstance(base_url, str):
            raise PolicyError(f"base_url is a text, not {excerpt(base_url)}")
        address = base_url.strip().rstrip("/")
        _check(address)
        found = _VERSION.search(urlsplit(address).path)
        if found is None:
            return cls(address, address + _OURS)
        return cls(address[: len(address) - len(found.group())], address)

    def url(self, path: str) -> str:
        """The whole URL of a path of a :class:`maskwright.client.flow.Call`."""
        if path == _OURS or path.startswith(f"{_OURS}/"):
            return self.versioned + path[len(_OURS) :]
        return self.root + path


def _check(address: str) -> None:
    advice = "give for example https://api.cerebras.ai/v1"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as cause:
        raise PolicyError(f"base_url cannot be read ({cause}): {excerpt(address)}; {advice}") from cause
    if parts.scheme not in {"http", "https"} or not host:
        raise PolicyError(f"base_url begins with http:// or https:// and a host, not {excerpt(address)}; {advice}")
    if not _HOST.fullmatch(host) or len(host) > _LONGEST_HOST:
        remedy = "write a name in other scripts in Punycode (xn--...)"
        raise PolicyError(f"base_url has a host that is none: {excerpt(host)}; {remedy}")
    if parts.query or parts.fragment or "?" in address or "#" in address:
        raise PolicyError(f"base_url has no query and no fragment: {excerpt(address)}; {advice}")
    path = _PATHS.search(parts.path)
    if path is not None:
        better = excerpt(address[: len(address) - len(path.group())], 200)
        raise PolicyError(f"base_url is where the API is, without the path of a request: not {address}, but {better}")
    if "@" in parts.netloc:
        raise PolicyError("base_url has a user or a password in it; give the key as api_key")
    if re.search(r"[\s\x00-\x1f]", address):
        raise PolicyError(f"base_url has blanks in it: {excerpt(address)}")

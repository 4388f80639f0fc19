"""API keys: whether a request may ask at all."""

from __future__ import annotations

import hmac
from hashlib import sha256

from maskwright.errors import RequestError

__all__ = ["Keys"]


class Keys:
    """The keys that are accepted. They are kept as digests only, so no log, error or dump shows one."""

    def __init__(self, keys: frozenset[str]) -> None:
        self._digests = tuple(sha256(key.encode()).digest() for key in sorted(keys))

    def check(self, authorization: bytes | None) -> None:
        """Raise :class:`RequestError` (401) unless a header ``Authorization: Bearer KEY`` (RFC 6750) holds a key.

        All keys are compared, in constant time, so the time tells nothing.
        """
        if not self._digests:
            return
        scheme, _, token = (authorization or b"").strip().partition(b" ")
        given = sha256(token.strip()).digest()
        found = False
        for digest in self._digests:
            found |= hmac.compare_digest(digest, given)
        if scheme.lower() == b"bearer" and found:
            return
        reason = "Wrong API key." if authorization else "No API key was given: send it as 'Authorization: Bearer KEY'."
        code = "wrong_api_key" if authorization else "missing_api_key"
        raise RequestError(reason, status=401, type="authentication_error", param="api_key", code=code)

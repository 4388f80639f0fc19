"""Constraints guaranteed over somebody else's API.

>>> from maskwright.client import Client
>>> client = Client("http://127.0.0.1:8000", model="smollm2")
>>> client
Client('http://127.0.0.1:8000/v1', model='smollm2')
>>> client.close()

``client.chat("Who?", Person).value`` is then a ``Person``, or an error says why not. :class:`AsyncClient` is the same
for asyncio. Both need httpx: ``pip install "maskwright[client]"``.
"""

import typing as _typing
from importlib import import_module as _import_module

from maskwright.errors import PolicyError as _PolicyError

if _typing.TYPE_CHECKING:
    from maskwright.client.answer import Answer
    from maskwright.client.asynchronous import AsyncClient, AsyncStream
    from maskwright.client.connection import Counts, Pool
    from maskwright.client.parts import Part
    from maskwright.client.probing import PROBES, Probes
    from maskwright.client.profiles import PROFILES, Profile
    from maskwright.client.report import Report
    from maskwright.client.retries import Retries
    from maskwright.client.spending import Budget
    from maskwright.client.sync import Client, Stream

__all__ = [
    "PROBES",
    "PROFILES",
    "Answer",
    "AsyncClient",
    "AsyncStream",
    "Budget",
    "Client",
    "Counts",
    "Part",
    "Pool",
    "Probes",
    "Profile",
    "Report",
    "Retries",
    "Stream",
]

#: Where the names are; each is loaded when it is first asked for, so that what needs no httpx works without it.
_MODULES = {
    "PROBES": "probing",
    "PROFILES": "profiles",
    "Answer": "answer",
    "AsyncClient": "asynchronous",
    "AsyncStream": "asynchronous",
    "Budget": "spending",
    "Client": "sync",
    "Counts": "connection",
    "Part": "parts",
    "Pool": "connection",
    "Probes": "probing",
    "Profile": "profiles",
    "Report": "report",
    "Retries": "retries",
    "Stream": "sync",
}


def __getattr__(name: str) -> object:
    """A name that was not asked for yet (PEP 562)."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        loaded = _import_module(f"maskwright.client.{module}")
    except ModuleNotFoundError as cause:
        if cause.name not in {"httpx", "httpcore", "anyio", "h11", "certifi", "idna"}:
            raise
        raise _PolicyError('the client needs httpx: pip install "maskwright[client]"') from cause
    found = globals()[name] = getattr(loaded, name)
    return found

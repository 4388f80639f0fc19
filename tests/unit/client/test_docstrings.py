"""help() tells what every member of what people give and get means."""

from __future__ import annotations

import dataclasses
import re

import pytest

from maskwright import client, pipeline
from maskwright.client.options import Options
from maskwright.pipeline import extraction

PUBLIC = [
    Options,
    extraction.Options,
    *(
        kind
        for package in (client, pipeline)
        for kind in (getattr(package, name) for name in package.__all__)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type)
    ),
]


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_every_member_is_told(kind: type) -> None:
    """In the docstring of its class, as ``name: what it is``."""
    told = set(re.findall(r"\w+", " ".join(re.findall(r"^ {4,8}(\w+(?:, \w+)*): ", kind.__doc__ or "", re.MULTILINE))))
    members = {name for name in kind.__annotations__ if not name.startswith("_")}
    assert members <= told

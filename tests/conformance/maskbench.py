"""MaskBench's open split, read from the shared folder: schemas of the wild with valid and invalid instances."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator

from tests.conformance.verdicts import SHARED

__all__ = ["ARCHIVE", "SAMPLE", "documents"]

ARCHIVE = SHARED / "data/maskbench-open.tar.xz"
SAMPLE = SHARED / "bench/splits/open600.txt"


def documents(*, every: int = 1) -> Iterator[tuple[str, str]]:
    """Names and texts of the sample's files, or of one in ``every``."""
    names = {line.split()[0].removesuffix(".json") for line in SAMPLE.read_text().splitlines()[::every]}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            name = member.name.rsplit("/", 1)[-1].removesuffix(".json")
            content = archive.extractfile(member) if member.isfile() and name in names else None
            if content is not None:
                yield name, content.read().decode()

"""Masks by brute force: every token of a vocabulary is read on its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

import maskwright as mw
from maskwright.network.nodes import Network
from tests.oracle import recogniser

__all__ = ["SINGLES", "along_recogniser", "by_reading", "in_mask", "make_vocabulary"]

#: A token for every byte: their ids are the bytes plus one.
SINGLES = tuple(bytes([byte]) for byte in range(256))


def make_vocabulary(tokens: Iterable[bytes]) -> mw.Vocabulary:
    """A vocabulary whose id 0 is the only end token."""
    return mw.Vocabulary.from_tokens([b"", *tokens], end_ids=[0])


def in_mask(matcher: mw.Matcher) -> set[int]:
    """The ids whose bits are set."""
    bits = np.unpackbits(matcher.mask().view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def by_reading(matcher: mw.Matcher) -> set[int]:
    """The ids that the matcher itself can read: what its mask must be."""
    tokens, ends = matcher.vocabulary.tokens, matcher.vocabulary.end_ids
    accepting = matcher.is_accepting
    return {i for i, token in enumerate(tokens) if (accepting if i in ends else token and matcher.can_read(token))}


def along_recogniser(network: Network, data: bytes, vocabulary: mw.Vocabulary) -> Iterator[tuple[bytes, set[int]]]:
    """Before each byte, and after the last: what was read, and the ids that the recogniser allows there."""
    at = recogniser.start(network)
    for place in range(len(data) + 1):
        found = set(vocabulary.end_ids) if () in at else set()
        for i, token in enumerate(vocabulary.tokens):
            after = at if token else set()
            for byte in token:
                after = recogniser.step(network, after, byte) if after else after
            if after:
                found.add(i)
        yield data[:place], found
        if place < len(data):
            at = recogniser.step(network, at, data[place])

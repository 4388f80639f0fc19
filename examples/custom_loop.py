"""A loop of one's own: any model that gives scores, four sequences at a time, masks filled into one array.

    python examples/custom_loop.py

The "model" here throws dice, so the output shows what the masks alone guarantee: every line is valid.
"""

from __future__ import annotations

import json
import string

import numpy as np

import maskwright as mw

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 9999},
        "tag": {"type": "string", "maxLength": 12},
    },
    "required": ["id", "tag"],
    "additionalProperties": False,
}
END = 0
BATCH = 4


def main() -> None:
    """Write four documents and check them."""
    pieces = [
        b"",
        *(character.encode() for character in string.printable),
        b'{"',
        b'": ',
        b'", "',
        b'"}',
        b"ing",
        b"the",
    ]
    vocabulary = mw.Vocabulary.from_tokens(pieces, end_ids=[END])
    guide = mw.compile(mw.json_schema(SCHEMA, whitespace="spaced", escapes="minimal"), vocabulary)

    dice = np.random.default_rng(7)
    matchers = [guide.matcher() for _ in range(BATCH)]
    masks = np.zeros((BATCH, -(-len(vocabulary) // 32)), np.uint32)
    while not all(matcher.is_finished for matcher in matchers):
        scores = dice.normal(size=(BATCH, len(vocabulary)))  # your model's logits
        mw.fill_masks(matchers, masks)  # for one sequence: matcher.fill_mask(row)
        bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")[:, : len(vocabulary)]
        scores[bits == 0] = -np.inf
        for matcher, token in zip(matchers, scores.argmax(axis=1), strict=True):
            if not matcher.is_finished:
                matcher.advance(int(token))
    for matcher in matchers:
        print(json.loads(matcher.text))


if __name__ == "__main__":
    main()

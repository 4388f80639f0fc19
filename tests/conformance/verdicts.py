"""What the engine says of whole JSON texts, and the ratchet that its verdicts may only improve."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import maskwright as mw
from maskwright.errors import UnsatisfiableError

__all__ = ["BYTES", "KINDS", "SHARED", "Judge", "check_ratchet", "draw_table"]

#: Material that is read but never committed: beside the checkout, or wherever the variable says.
SHARED: Final = Path(__file__).parents[3] / "shared"

#: One token a byte, so that any text is one path through the vocabulary.
BYTES: Final = mw.Vocabulary.from_tokens([b"", *(bytes([byte]) for byte in range(256))], end_ids=[0])

#: Verdicts, best first: the answer is right, the constraint was refused, a valid text was rejected, an invalid one was
#: accepted, an exception from outside the error tree.
KINDS: Final = ("right", "refused", "incomplete", "unsound", "crash")


class Judge:
    """One constraint, compiled or refused, asked about texts."""

    def __init__(self, schema: Any, **options: Any) -> None:
        self.guide: mw.Guide | None = None
        self.reason = ""
        self._none = False
        self._crash = False
        try:
            self.guide = mw.compile(mw.json_schema(schema, **options), BYTES)
        except UnsatisfiableError as error:
            self._none, self.reason = True, str(error)
        except mw.MaskwrightError as error:
            self.reason = f"{type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001  (any other exception is a finding)
            self._crash, self.reason = True, f"{type(error).__name__}: {error}"

    def verdict(self, texts: Iterable[str], *, valid: bool) -> str:
        """The worst kind over several spellings of one value."""
        return max((self._one(text, valid=valid) for text in texts), key=KINDS.index)

    def _one(self, text: str, *, valid: bool) -> str:
        if self._crash:
            return "crash"
        if self.guide is None and not self._none:
            return "refused"
        try:
            accepted = self.guide is not None and self.guide.matches(text)
        except mw.MaskwrightError as error:
            self.reason = f"{type(error).__name__}: {error}"
            return "refused"
        except Exception as error:  # noqa: BLE001  (any other exception is a finding)
            self.reason = f"{type(error).__name__}: {error}"
            return "crash"
        if accepted == valid:
            return "right"
        return "incomplete" if valid else "unsound"


def draw_table(counts: Mapping[str, Counter[str]]) -> str:
    """Groups by kinds, as text."""
    width = max(map(len, counts))
    lines = [" ".join([f"{'':{width}}", *(f"{kind:>10}" for kind in KINDS)])]
    for group, counter in counts.items():
        lines.append(" ".join([f"{group:{width}}", *(f"{counter[kind]:>10}" for kind in KINDS)]))
    return "\n".join(lines)


def check_ratchet(path: Path, group: str, found: Mapping[str, str]) -> None:
    """Compare verdicts other than right with those on record: none may be worse, and the record must be up to date.

    The record maps a group to a kind to the names that have it; only ``MASKWRIGHT_RATCHET=write`` writes it.
    """
    record: dict[str, dict[str, list[str]]] = json.loads(path.read_text()) if path.exists() else {}
    if os.environ.get("MASKWRIGHT_RATCHET") == "write":
        kinds = {kind: sorted(name for name, own in found.items() if own == kind) for kind in KINDS[1:]}
        record[group] = {kind: names for kind, names in kinds.items() if names}
        path.write_text(json.dumps(dict(sorted(record.items())), indent=1, ensure_ascii=False) + "\n")
    known = {name: kind for kind, names in record.get(group, {}).items() for name in names}
    worse = {
        name: f"{known.get(name, 'right')} -> {kind}"
        for name, kind in found.items()
        if KINDS.index(kind) > KINDS.index(known.get(name, "right"))
    }
    assert not worse, f"{group}: worse than {path.name} says: {json.dumps(worse, indent=1)[:4000]}"
    better = {name: kind for name, kind in known.items() if found.get(name, "right") != kind}
    assert not better, f"{group}: better than {path.name} says (write it anew): {json.dumps(better, indent=1)[:4000]}"

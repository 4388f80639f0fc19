"""The results of a run: the file of values, the file of failures, and which rows are in either.

Law: a row stands in at most one of the two files, and at most once, at every moment; whatever was begun and is in
neither is begun again by the next run.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from maskwright.errors import InputError
from maskwright.pipeline.identity import Job
from maskwright.pipeline.index import RowIndex
from maskwright.pipeline.journal import Journal
from maskwright.pipeline.rows import Row

__all__ = ["Ledger", "default_failures"]

_COPY: Final = 1 << 20
#: What differs about a job, in words.
_WORDS: Final = {
    "constraint": "another schema or grammar",
    "prompt": "other instructions or another prompt template",
    "model": "another model or sampling",
}


def default_failures(output: str | os.PathLike[str]) -> Path:
    """Where failures go if nothing is said: ``out.failures.jsonl`` beside ``out.jsonl``; raises ``InputError``."""
    path = Path(output)
    if not path.name:
        raise InputError(f"the output is a file, not {str(output)!r}")
    return path.with_name(f"{path.stem}.failures{path.suffix or '.jsonl'}")


class Ledger:
    """Two open, locked journals."""

    def __init__(
        self,
        output: str | os.PathLike[str],
        failures: str | os.PathLike[str] | None,
        job: Job,
        *,
        source: Path | None = None,
        restart: bool = False,
        retry_failures: bool = False,
    ) -> None:
        """Open both files and read which rows are done.

        Args:
            output: The file of values.
            failures: The file of failures; ``None`` for one beside the output.
            job: What was asked for.
            source: The input, if it is a file: it must be neither of them.
            restart: Whether what the files hold is thrown away.
            retry_failures: Whether rows that failed count as not done. They are removed from the file of failures here,
                in one step: a run that is killed later leaves them to be done, not lost.

        Raises:
            InputError: a file cannot be used, another run has it, or it holds rows of another job.
        """
        self.job = job
        #: Rows in the file of values, and in that of failures, when it was opened.
        self.made = self.failed = 0
        self.index = RowIndex()
        self._output = Journal(output)
        try:
            self._failures = self._open_failures(default_failures(output) if failures is None else failures)
        except BaseException:
            self._output.close()
            raise
        try:
            self._refuse(source)
            self._read(restart=restart, retry_failures=retry_failures)
        except BaseException:
            self.close()
            raise

    def _open_failures(self, path: str | os.PathLike[str]) -> Journal:
        if self._output.is_file(path):
            raise InputError("values and failures cannot be written to the same file")
        return Journal(path)

    def _refuse(self, source: Path | None) -> None:
        if source is not None and (self._output.is_file(source) or self._failures.is_file(source)):
            raise InputError(f"{source} cannot be written to while it is read")

    def _read(self, *, restart: bool, retry_failures: bool) -> None:
        thrown = [self._output] * restart + [self._failures] * (restart or retry_failures)
        for journal in thrown:
            # A file of another kind is refused here, whatever was asked for: it was named by mistake.
            next(journal.entries(), None)
        for journal in thrown:
            journal.clear()
        self.made = self._note(self._output)
        self.failed = self._note(self._failures)
        self._output.sync_folder()

    def _note(self, journal: Journal) -> int:
        count = 0
        for entry in journal.entries():
            if not entry.key.startswith(self.job.prefix):
                what = " and ".join(_WORDS[name] for name in self.job.differences(entry.key))
                raise InputError(
                    f"{journal.path} was begun with {what}; name another output, or overwrite it with --restart"
                )
            if not self.index.add(entry.row, int(entry.key.rpartition("-")[2], 16)):
                raise InputError(f"{journal.path}: row {entry.row} is there twice; remove one of its lines")
            count += 1
        return count

    @property
    def failures(self) -> Path:
        """Where failures are written."""
        return self._failures.path

    def is_done(self, row: Row) -> bool:
        """Whether a row is in one of the files.

        Raises:
            InputError: another row was in its place.
        """
        digest = self.index.get(row.number)
        if digest is None:
            return False
        if digest != row.digest:
            raise InputError(
                f"row {row.number} is another one than {self._output.path} was begun with: "
                "give the same input (rows may be added at its end), another output, or --restart"
            )
        return True

    def check(self, rows: Iterable[Row]) -> None:
        """Compare all rows that are done with those of an input, before anything is made.

        Raises:
            InputError: one is another, or is not there.
        """
        last, seen = self.index.last, 0
        if not last:
            return
        for row in rows:
            if row.number > last:
                break
            seen += self.is_done(row)
        if seen < len(self.index):
            raise InputError(
                f"{self._output.path} has rows that the input has not (up to row {last}): "
                "give the same input, another output, or --restart"
            )

    def add_value(self, line: bytes) -> None:
        """Write the line of a value; raises ``InputError``."""
        self._output.append(line)

    def add_failure(self, line: bytes) -> None:
        """Write the line of a failure; raises ``InputError``."""
        self._failures.append(line)

    def sync(self) -> None:
        """Wait until all is on disk, and see that the files are still where they are looked for.

        Raises:
            InputError: they are not.
        """
        for journal in (self._output, self._failures):
            journal.sync()
            if not journal.is_in_place:
                raise InputError(f"{journal.path} was removed or replaced while it was written")

    def sort(self) -> None:
        """Bring the values into the order of the input: a copy is put in the file's place, in one step.

        Raises:
            InputError: the copy cannot be made; the file is then as it was.
        """
        numbers = array("q")
        for entry in self._output.entries():
            numbers.extend((entry.row, entry.offset, entry.length))
        table = np.frombuffer(numbers, np.int64).reshape(-1, 3)
        if (np.diff(table[:, 0]) > 0).all():
            return
        temporary = self._output.place.with_name(self._output.place.name + ".sorting")
        try:
            self._copy(table[np.argsort(table[:, 0])], temporary)
            self._output.replace(temporary)
        except OSError as cause:
            raise InputError(f"{temporary} cannot be written: {cause.strerror}") from cause
        finally:
            temporary.unlink(missing_ok=True)

    def _copy(self, table: np.ndarray[tuple[int, int], np.dtype[np.int64]], to: Path) -> None:
        with self._output.path.open("rb") as source, to.open("wb", buffering=_COPY) as sorted_file:
            for _, offset, length in table.tolist():
                source.seek(offset)
                sorted_file.write(source.read(length))

    def close(self) -> None:
        """Close and unlock both files."""
        self._failures.close()
        self._output.close()

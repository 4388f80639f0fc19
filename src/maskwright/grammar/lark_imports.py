"""Where ``%import`` of a Lark grammar finds files: in the caller's folders, with this package, with ``lark``.

Nothing else is ever opened. Lark's own search would look beside the running script, or in the current folder, for
``%import .name``; a grammar that comes from a stranger must not.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from maskwright.errors import GrammarError, Problem
from maskwright.grammar import library

__all__ = ["Imports"]

#: What comes with Lark; a grammar of the library with the same name is found first.
_STANDARD: Final = ("common", "python", "unicode")
#: Times that one file may be imported; Lark reads it anew for each file that names it, and does not see circles.
_TIMES: Final = 64
_LIBRARY: Final = "maskwright.grammars"
#: Packages with grammars, and the folder in them.
_PACKAGES: Final = ((_LIBRARY, ""), ("lark", "grammars"))


class Imports:
    """A loader for Lark's ``import_paths``, which finds every file or raises :class:`GrammarError`.

    Args:
        folders: Where the caller's own grammars are.
        resource: ``lark.load_grammar.PackageResource``: how a file in a package is named.
        read: Turns the text of a file into what Lark shall read; called with text and file name.
    """

    def __init__(self, folders: Sequence[Path], resource: Any, read: Callable[[str, str], str]) -> None:
        self._folders, self._resource, self._read = folders, resource, read
        self._times: Counter[str] = Counter()

    def __call__(self, base: Any, path: str) -> tuple[Any, str]:
        """The name under which Lark knows the file, and its text.

        ``base`` is ``None`` for ``%import a.b``; for ``%import .a.b`` the folder of the file that has it, ``""`` in the
        text of the caller.
        """
        found = self._in_folders(base, path)
        if found is None and isinstance(base, self._resource):
            found = self._in_package(base, path)
        elif found is None and base is None:
            found = self._in_packages(path)
        if found is None:
            raise GrammarError(self._missing(base, path))
        name, text = found
        self._times[str(name)] += 1
        if self._times[str(name)] > _TIMES:
            reason = f"{path} is imported more than {_TIMES} times"
            raise GrammarError(
                Problem(reason, keyword="%import", remedy="files must not import each other in a circle")
            )
        return name, self._read(text, path)

    def _in_folders(self, base: Any, path: str) -> tuple[Any, str] | None:
        for folder in [*self._folders, Path(base)] if base and isinstance(base, str) else self._folders:
            file = folder / path
            if file.is_file():
                try:
                    return str(file), file.read_text("utf-8")
                except (OSError, UnicodeDecodeError) as error:
                    reason = f"{file} cannot be read: {error}"
                    raise GrammarError(Problem(reason, keyword="%import")) from error
        return None

    def _in_package(self, base: Any, path: str) -> tuple[Any, str] | None:
        package, folder = base
        full = str(PurePosixPath(folder) / PurePosixPath(Path(path).as_posix()))
        if package == _LIBRARY:
            name = full.removesuffix(".lark")
            return (self._resource(package, full), library.read(name)) if name in library.GRAMMARS else None
        try:
            text = pkgutil.get_data(package, full)
        except (OSError, ModuleNotFoundError):
            return None
        return (self._resource(package, full), text.decode("utf-8")) if text is not None else None

    def _in_packages(self, path: str) -> tuple[Any, str] | None:
        for package, folder in _PACKAGES:
            found = self._in_package(self._resource(package, folder), path)
            if found is not None:
                return found
        return None

    def _missing(self, base: Any, path: str) -> Problem:
        dotted = path.removesuffix(".lark").replace("\\", "/").replace("/", ".")
        if base is not None and not self._folders:
            remedy = f"name the folder of {path} in import_paths"
        else:
            remedy = f"there are {', '.join(_STANDARD)}, {', '.join(library.GRAMMARS)}, and the files in import_paths"
        return Problem(f"there is no grammar {dotted}", keyword="%import", remedy=remedy)

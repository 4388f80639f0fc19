"""The rules of the house that a script can check: floors, cycles, sizes, names, and what the build must list.

Each exception stands in a table here with its reason; the tables are meant to stay short.
"""

from __future__ import annotations

import ast
import re
import statistics
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src" / "maskwright"
FILES: Final = sorted(PACKAGE.rglob("*.py"))
KERNEL: Final = sorted(path for path in (PACKAGE / "kernel").glob("*.py") if path.name != "__init__.py")

FILE_LINES: Final = 500
FUNCTION_LINES: Final = 60
MEDIAN_LINES: Final = 10
#: Qualified function -> why it is longer.
LONG_FUNCTIONS: Final = {
    "maskwright.kernel.trie:_summarise": "one pass over the trie fills five columns that share their running state",
    "maskwright.kernel.walk:_walk": "the hot loop: a call costs 14 ns, a node 4 ns",
}
#: Modules that may print; all else returns or raises.
PRINTING: Final = ("cli",)
#: Names that say nothing about what a module holds.
EMPTY_NAMES: Final = {"base", "common", "core", "helpers", "misc", "util", "utils"}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _modules() -> list[Any]:
    return [pytest.param(path, id=_module(path)) for path in FILES]


def _functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in FILES:
        for node in ast.walk(_tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{_module(path)}:{node.name}", node


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without decorators and without its docstring."""
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node) is not None:
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def _imported(node: ast.AST) -> list[str]:
    """The modules of this package that an import statement names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        return []
    return [name for name in names if name.split(".")[0] == "maskwright"]


def _at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements that run when a module is imported; those of ``if TYPE_CHECKING`` do not."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.Try, ast.With, ast.ClassDef)) or (isinstance(node, ast.If) and not _is_typing(node)):
            todo.extend(ast.iter_child_nodes(node))


def _is_typing(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_floors() -> None:
    """A file imports only from lower floors: the contracts of pyproject.toml hold."""
    cli = pytest.importorskip("importlinter.cli", reason="pip install import-linter")
    assert cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_no_import_cycles() -> None:
    """Modules can be put in an order in which each imports only earlier ones."""
    known = {_module(path) for path in FILES}
    graph = {
        _module(path): {name for node in _at_import(_tree(path)) for name in _imported(node) if name in known}
        - {_module(path), "maskwright"}
        for path in FILES
    }
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", _modules())
def test_no_import_of_ours_inside_a_function(path: Path) -> None:
    """An import inside a function would hide an arrow that points upward."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            hidden = [name for inner in ast.walk(node) for name in _imported(inner)]
            assert not hidden, f"{node.name} imports {hidden}"


@pytest.mark.parametrize("path", _modules())
def test_files_are_small_and_described(path: Path) -> None:
    """At most 500 lines, a docstring, a name that says something, and a list of what is public."""
    lines = len(path.read_text().splitlines())
    assert lines <= FILE_LINES
    assert ast.get_docstring(_tree(path)), "no docstring"
    assert path.stem not in EMPTY_NAMES
    assigned = {
        target.id
        for node in _tree(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert "__all__" in assigned or path.name in {"__init__.py", "__main__.py"}, "no __all__"


@pytest.mark.parametrize("path", _modules())
def test_what_is_public_exists_and_is_documented(path: Path) -> None:
    """Every name of ``__all__`` is defined in its module, and functions and classes have docstrings."""
    body = _tree(path).body
    documented = {
        node.name: ast.get_docstring(node) for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            for name in ast.literal_eval(node.value):
                assert documented.get(name, "a constant or an imported name"), f"{name} has no docstring"


@pytest.mark.parametrize("path", _modules())
def test_the_library_prints_nothing(path: Path) -> None:
    """Only the command line writes to standard output."""
    if path.relative_to(PACKAGE).parts[0] in PRINTING:
        return
    calls = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.Call)]
    assert not [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def test_functions_are_short(record_property: Callable[[str, object], None]) -> None:
    """Half of all functions have at most 10 lines, none more than 60 (docstrings not counted)."""
    lengths = {name: _lines(node) for name, node in _functions()}
    median = statistics.median(lengths.values())
    record_property("median function length", median)
    assert median <= MEDIAN_LINES
    long = {name for name, lines in lengths.items() if lines > FUNCTION_LINES}
    assert long == set(LONG_FUNCTIONS), "functions over the cap, or exceptions that are none any more"


def test_nothing_is_left_for_later() -> None:
    """What is to be done is an issue, not a comment."""
    mark = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b")
    folders = [PACKAGE, ROOT / "tests", ROOT / "examples", ROOT / "grammars"]
    paths = [path for folder in folders for kind in ("*.py", "*.pxd") for path in folder.rglob(kind)]
    assert not [path for path in paths if mark.search(path.read_text())]


def test_every_kernel_module_is_built_and_has_a_header() -> None:
    """``pyproject.toml`` lists what the folder holds: a module that is missing there would run uncompiled."""
    listed = {module["name"]: module["sources"] for module in _project()["tool"]["setuptools"]["ext-modules"]}
    assert listed == {_module(path): [str(path.relative_to(ROOT))] for path in KERNEL}
    assert not [path.name for path in KERNEL if not path.with_suffix(".pxd").exists()]


def test_every_package_is_listed() -> None:
    """The wheel holds every folder with Python files."""
    folders = {_module(path / "__init__.py") for path in {path.parent for path in FILES}}
    assert set(_project()["tool"]["setuptools"]["packages"]) == folders | {"maskwright.grammars"}

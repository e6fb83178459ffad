"""Where metrics stand: each in the folder of its prefix, and no module in a circle with another."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from iotriage.metrics import all_metrics

PACKAGE = "iotriage.metrics"
ROOT = Path(import_module(PACKAGE).__path__[0])
MODULES = {
    ".".join((PACKAGE, *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in ROOT.rglob("*.py")
}
FOLDERS = sorted({path.parent for path in MODULES.values()})


@pytest.mark.parametrize("id", all_metrics())
def test_a_metric_is_found_under_the_prefix_of_its_id(id: str) -> None:
    assert all_metrics()[id].compute.__module__.startswith(f"{PACKAGE}.{id.partition('.')[0]}.")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_folder_can_be_looked_through(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= 25


def test_no_module_imports_itself_through_others() -> None:
    TopologicalSorter({name: set(_imported(path)) for name, path in MODULES.items()}).prepare()


def _imported(path: Path) -> list[str]:
    """The modules of the package that a module imports, wherever in it. Names that a package lends from its modules
    count for the package."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in MODULES else node.module for name in inside]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name in MODULES]


def test_a_formula_asks_the_selection_for_another_metric() -> None:
    """No module of one prefix imports from that of another: it would compute again what the selection knows."""
    shared = ("core", "tables")
    crossing = [
        (name, other)
        for name, path in MODULES.items()
        for other in _imported(path)
        if (mine := _folder(name)) not in shared and mine and _folder(other) not in (*shared, mine, "")
    ]
    assert crossing == []


def _folder(module: str) -> str:
    return module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]

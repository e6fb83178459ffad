"""No module is in a circle with another, and a folder can be looked through."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from program_modules import folder_of, imported, modules_of

PACKAGES = ("iotriage", "iotriage_parsers")
MODULES = {name: path for package in PACKAGES for name, path in modules_of(package).items()}
FOLDERS = sorted({path.parent for path in MODULES.values()})
MOST_MODULES = 25


def test_no_module_imports_itself_through_others() -> None:
    TopologicalSorter({name: set(imported(path, MODULES)) for name, path in MODULES.items()}).prepare()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: str(f.relative_to(folder_of("iotriage").parents[2])))
def test_a_folder_can_be_looked_through(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= MOST_MODULES

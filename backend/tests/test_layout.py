"""No module is in a circle with another; folders and modules can be looked through; documents name what is there.
What is tried by a budget is tried at length too."""

from __future__ import annotations

import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from program_modules import folder_of, modules_of

PACKAGES = ("iotriage", "iotriage_parsers")
MODULES = {name: path for package in PACKAGES for name, path in modules_of(package).items()}
FOLDERS = sorted({path.parent for path in MODULES.values()})
MOST_MODULES = 24
MOST_LINES = 500
MOST_OF_OTHERS = 25
"""Modules beside one another, of the page and of tests, as in a folder of Python with its `__init__.py`; a test of the
page stands beside what it tests."""
REPOSITORY = folder_of("iotriage").parents[2]
PROSE = [
    *(path for path in REPOSITORY.glob("*.md") if path.name != "CHANGELOG.md"),
    *REPOSITORY.glob("*/README.md"),
    *REPOSITORY.glob("docs/*.md"),
]
PAGE = sorted(
    path
    for where in ("frontend/src", "frontend/scripts", "e2e")
    for kind in ("ts", "tsx", "mjs")
    for path in (REPOSITORY / where).rglob(f"*.{kind}")
    if "node_modules" not in path.parts and not path.name.endswith(".d.ts")
)
NAMED = re.compile(r"`([\w./-]+\.(?:py|tsx?))`")
"""What is named as a module of the project; a name with a placeholder is none."""


SOURCES = [
    *(path for path in MODULES.values()),
    *(path for path in REPOSITORY.glob("frontend/src/**/*.ts*") if not path.name.endswith(".d.ts")),
]
DOTTED = re.compile(r"`((?:iotriage|iotriage_parsers)(?:\.[A-Za-z_]\w*)+)`")
"""What a comment or a docstring names: a module, or what stands in one."""


def test_no_module_imports_itself_through_others() -> None:
    # Import-linter finds imports with it, wherever in a module: in an eighth of the time of Python's own trees.
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    assert len(graph.modules) > 1000
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: str(f.relative_to(REPOSITORY)))
def test_a_folder_can_be_looked_through(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= MOST_MODULES


@pytest.mark.parametrize("tests", ["backend/tests", "parsers/tests"])
def test_a_folder_of_tests_can_be_looked_through(tests: str) -> None:
    beside = Counter(path.parent for path in (REPOSITORY / tests).rglob("*.py") if path.name != "__init__.py")
    assert len(beside) > 5
    assert {folder: n for folder, n in beside.items() if n > MOST_OF_OTHERS} == {}


def test_a_folder_of_the_page_can_be_looked_through() -> None:
    beside = Counter(path.parent for path in PAGE if ".test." not in path.name)
    assert len(beside) > 30
    assert {folder: n for folder, n in beside.items() if n > MOST_OF_OTHERS} == {}


def test_a_module_can_be_read_through() -> None:
    tests = [path for tests in ("backend/tests", "parsers/tests") for path in (REPOSITORY / tests).rglob("*.py")]
    lines = {path: path.read_text().count("\n") for path in (*MODULES.values(), *tests, *PAGE)}
    assert {path: n for path, n in lines.items() if n > MOST_LINES} == {}


def test_a_table_of_the_page_has_a_name() -> None:
    """Who goes from table to table by ear is told of each what it has."""
    tables = re.compile(r"<table\b(?:[^>]|=>)*>\s*(?:<caption)?")
    parts = [p for p in REPOSITORY.glob("frontend/src/**/*.tsx") if not p.name.endswith(".test.tsx")]
    found = [(p.name, t) for p in parts for t in tables.findall(p.read_text("utf-8"))]
    assert len(found) > 20
    assert [one for one in found if "<caption" not in one[1] and "aria-label" not in one[1]] == []


def test_a_module_that_a_document_names_is_there() -> None:
    folders = ("backend", "parsers", "frontend/src", "frontend/scripts", "e2e", "bench", "docs", "sample-logs/src")
    there = [
        path.as_posix() for f in folders for kind in ("py", "ts", "tsx") for path in (REPOSITORY / f).rglob(f"*.{kind}")
    ]
    missing = {
        f"{document.relative_to(REPOSITORY)}: {name}"
        for document in PROSE
        for name in NAMED.findall(document.read_text())
        if not any(path.endswith(f"/{name}") for path in there)
    }
    assert missing == set()


def test_what_a_comment_names_is_there() -> None:
    texts = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}

    def is_there(name: str) -> bool:
        module = name
        while module and module not in texts:
            module = module.rpartition(".")[0]
        return bool(module) and all(word in texts[module] for word in name[len(module) :].split(".") if word)

    named = {(path.name, name) for path in SOURCES for name in DOTTED.findall(path.read_text(encoding="utf-8"))}
    assert {(where, name) for where, name in named if not is_there(name)} == set()


ENTRY_POINT = re.compile(r"`(\w+)\.(\w+)`")


def test_the_entry_points_that_a_package_names_are_there() -> None:
    named = {
        path.parent / f"{module}.py": name
        for path in MODULES.values()
        if path.name == "__init__.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if "Entry point" in line
        for module, name in ENTRY_POINT.findall(line)
    }
    assert named
    missing = {
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path, name in named.items()
        if not path.is_file()
        or not re.search(rf"^(def|class) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert missing == set()


DRAWN = re.compile(r"^from budget import .*\b(?:dice|some|tries)\b", re.MULTILINE)


def test_what_is_drawn_is_marked_for_the_long_draw() -> None:
    """`make fuzz` runs what is marked `fuzz`, and properties: of all others it would never draw more."""
    folders = (REPOSITORY / "backend" / "tests", REPOSITORY / "parsers" / "tests")
    texts = {path: path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("test_*.py")}
    drawing = [path for path, text in texts.items() if DRAWN.search(text)]
    assert len(drawing) > 20
    assert {path.name for path in drawing if "pytest.mark.fuzz" not in texts[path]} == set()

"""The modules of a package and what each of them imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    return Path(import_module(package).__path__[0])


def modules_of(package: str) -> Mapping[str, Path]:
    root = folder_of(package)
    return {
        ".".join((package, *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in root.rglob("*.py")
    }


def imported(path: Path, modules: Mapping[str, Path]) -> list[str]:
    """Which of the modules one of them imports, wherever in it. Names that a package lends from its modules count for
    the package."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in modules else node.module for name in inside]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name in modules]

"""What the analysis compares with a threshold follows the number that holds in the case, and not the documents'."""

from __future__ import annotations

import ast
from pathlib import Path

import iotriage.analysis

MODULES = sorted(Path(iotriage.analysis.__file__).parent.rglob("*.py"))


def _declared_numbers(module: Path) -> list[str]:
    """Where the module reads the number that a threshold is declared with by the name of that threshold, which is
    written in capitals: `stdio_heavy.SHARING.default`, `FLOORS[0].default`."""
    found = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr == "default":
            of = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
            if name.isupper():
                found.append(f"{module.name}:{node.lineno}: {ast.unparse(node)}")
    return found


def test_no_module_compares_with_the_number_that_a_threshold_is_declared_with() -> None:
    assert [line for module in MODULES for line in _declared_numbers(module)] == []

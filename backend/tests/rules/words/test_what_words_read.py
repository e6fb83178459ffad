"""What words, advice and savings read is there: a name that no metric has would be absent for ever, and nobody told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import iotriage.rules
from iotriage.metrics.core.registry import all_metrics

FOLDER = Path(iotriage.rules.__file__).parent


def read_by(source: Path) -> Iterator[str]:
    """Names of metrics that a module asks a context for, but those that it puts together."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("number", "word"):
            yield from (a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str))


def test_every_metric_that_is_asked_for_by_name_is_declared():
    asked = {(source.name, name) for source in FOLDER.rglob("*.py") for name in read_by(source)}
    assert len(asked) > 300
    assert {(source, name) for source, name in asked if name not in all_metrics()} == set()

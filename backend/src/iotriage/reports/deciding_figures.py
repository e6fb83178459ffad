"""What made a condition hold."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.document import AllOfNode, AnyOfNode, CompareLeaf, ConditionNode, IsOneOfLeaf, PresentLeaf
from iotriage.rules.core.rule import Operator
from iotriage.rules.core.words import exactly, quantity

SIGNS: dict[Operator, str] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}


def deciding_figures(node: ConditionNode) -> tuple[str, ...]:
    """The comparisons that made the condition hold, each once: the value, the threshold and who states it."""
    return tuple(dict.fromkeys(_said(node)))


def _said(node: ConditionNode) -> Iterator[str]:
    match node:
        case AllOfNode() | AnyOfNode():
            for part in node.of:
                if part.answer:
                    yield from _said(part)
        case CompareLeaf():
            value = "not known" if node.value is None else quantity(node.value, node.unit)
            limit = exactly(node.threshold, node.unit)
            ours = "ours" if node.source.document == "project" else f"{node.source.document}, {node.source.section}"
            yield f"{node.title}: {value}, threshold {SIGNS[node.operator]} {limit} [{ours}]"
        case IsOneOfLeaf():
            yield f"{node.title}: {node.value if node.value is not None else 'not known'}"
        case PresentLeaf():
            pass

"""What made a condition hold."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.document import AllOfNode, AnyOfNode, CompareLeaf, ConditionNode, IsOneOfLeaf, PresentLeaf
from iotriage.reports.quantities import is_share, quantity
from iotriage.rules.core.condition import Operator

SIGNS: dict[Operator, str] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}


def decisive(node: ConditionNode) -> tuple[str, ...]:
    """The comparisons that made the condition hold, each once: the value, the threshold and who states it."""
    return tuple(dict.fromkeys(_said(node)))


def _said(node: ConditionNode) -> Iterator[str]:
    match node:
        case AllOfNode() | AnyOfNode():
            for part in node.of:
                if part.answer:
                    yield from _said(part)
        case CompareLeaf():
            share = is_share(node.metric, node.threshold_id)
            value = "not known" if node.value is None else quantity(node.value, node.unit, share=share)
            limit = quantity(node.threshold, node.unit, share=share)
            ours = (
                "ours"
                if node.stated_by.document == "project"
                else f"{node.stated_by.document}, {node.stated_by.section}"
            )
            yield f"{node.title}: {value}, threshold {SIGNS[node.operator]} {limit} [{ours}]"
        case IsOneOfLeaf():
            yield f"{node.title}: {node.value if node.value is not None else 'not known'}"
        case PresentLeaf():
            pass

"""What made a condition hold."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.decision.condition import Answered, AnsweredLeaf, binding, deciding
from iotriage.analysis.decision.headline_figure import bound_in_document, bound_of
from iotriage.analysis.document import CaseDocument
from iotriage.rules.core.condition import SIGNS, Compare, IsOneOf
from iotriage.rules.core.words import bounded, exact_quantity, quantity


def deciding_figures(node: Answered, document: CaseDocument) -> tuple[str, ...]:
    """The comparisons that made the condition hold, each once and none that follows from another: the value, the
    threshold and who states it."""
    found = binding(deciding(node), document.thresholds)
    return tuple(dict.fromkeys(text for leaf in found for text in _comparison_text(leaf, document)))


def _comparison_text(node: AnsweredLeaf, document: CaseDocument) -> Iterator[str]:
    metric = node.metric
    if metric is None:
        return
    match node.leaf:
        case Compare():
            threshold = document.thresholds[node.leaf.threshold]
            bound = bound_of(metric, bound_in_document(document))
            value = "not known" if metric.value is None else bounded(bound, quantity(metric.value, metric.unit))
            limit = exact_quantity(threshold.value, threshold.unit)
            source = threshold.stated_by
            ours = "ours" if source.document == "project" else f"{source.document}, {source.section}"
            yield f"{metric.title}: {value}, threshold {SIGNS[node.leaf.operator]} {limit} [{ours}]"
        case IsOneOf():
            yield f"{metric.title}: {metric.value if metric.value is not None else 'not known'}"
        case _:
            pass

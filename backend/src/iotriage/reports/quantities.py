"""A metric's value in words."""

from __future__ import annotations

from iotriage.analysis.document import AbsentMetric, DocumentMetric
from iotriage.rules.core.words import quantity


def stated(metric: DocumentMetric) -> str | None:
    """The metric's figure, "at least" before one that can only be larger; None where it is absent."""
    if isinstance(metric, AbsentMetric):
        return None
    return ("at least " if metric.bound == "lower" else "") + quantity(metric.value, metric.unit)

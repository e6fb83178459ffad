"""A metric's value in words."""

from __future__ import annotations

from iotriage.metrics.metric import Metric
from iotriage.rules.core.words import quantity


def stated(metric: Metric) -> str | None:
    """The metric's figure, "at least" before one that can only be larger; None where it is absent."""
    if metric.value is None:
        return None
    return ("at least " if metric.bound == "lower" else "") + quantity(metric.value, metric.unit)

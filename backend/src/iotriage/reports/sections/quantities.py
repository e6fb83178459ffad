"""A metric's value in words."""

from __future__ import annotations

from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.document import AbsentMetric, CaseDocument, KnownMetric
from iotriage.analysis.rates import bounded_rate_text
from iotriage.rules.core.words import bounded, quantity


def figure_of(document: CaseDocument, name: str) -> str | None:
    """The job's figure as its first lines have it, a bound said before it; None where the document lacks it."""
    metric = document.metrics.get(name)
    if metric is None or isinstance(metric, AbsentMetric):
        return None
    if name == "io.bandwidth":
        moved = document.metrics.get("io.bytes")
        rate = quantity(metric.value, metric.unit)
        known = moved if isinstance(moved, KnownMetric) else None
        return bounded_rate_text(rate, metric, known, bound_in_document(document))
    bound = bound_in_document(document) if name == "job.io_time" else "at least " if metric.bound == "lower" else ""
    return bounded(bound, quantity(metric.value, metric.unit))

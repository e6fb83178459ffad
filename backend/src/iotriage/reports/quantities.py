"""A metric's value in words."""

from __future__ import annotations

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.headline_figure import bound_of_io_time as bound_of
from iotriage.analysis.document import AbsentMetric, CaseDocument
from iotriage.rules.core.words import quantity


def bound_of_io_time(document: CaseDocument) -> str:
    """What is said before job.io_time: "at most " where files with one record for all ranks do not say whose seconds
    add up, "at least " where records are missing, else nothing."""
    return bound_of(basis_of(document))


def figure_of(document: CaseDocument, name: str) -> str | None:
    """The job's figure as its first lines have it, a bound said before it; None where the document lacks it."""
    metric = document.metrics.get(name)
    if metric is None or isinstance(metric, AbsentMetric):
        return None
    bound = bound_of_io_time(document) if name == "job.io_time" else "at least " if metric.bound == "lower" else ""
    return bound + quantity(metric.value, metric.unit)

"""A metric's value in words."""

from __future__ import annotations

from typing import Final

from iotriage.analysis.document import AbsentMetric, CaseDocument
from iotriage.rules.core.words import quantity

ONE_FIGURE: Final = 0.99
"""The least over the most from which on a reader would take the two for one figure (as `slowest.ts` of the page)."""


def bound_of_io_time(document: CaseDocument) -> str:
    """What is said before job.io_time: "at most " where files with one record for all ranks do not say whose seconds
    add up, "at least " where records are missing, else nothing."""
    time, account = document.metrics.get("job.io_time"), document.account
    if time is None or not isinstance(time.value, int | float):
        return ""
    if time.bound == "lower":
        return "at least "
    slowest = None if account is None else account.slowest
    unsure = slowest is not None and slowest.least_s < ONE_FIGURE * slowest.most_s and time.value >= slowest.most_s
    return "at most " if unsure else ""


def figure_of(document: CaseDocument, name: str) -> str | None:
    """The job's figure as its first lines have it, a bound said before it; None where the document lacks it."""
    metric = document.metrics.get(name)
    if metric is None or isinstance(metric, AbsentMetric):
        return None
    bound = bound_of_io_time(document) if name == "job.io_time" else "at least " if metric.bound == "lower" else ""
    return bound + quantity(metric.value, metric.unit)

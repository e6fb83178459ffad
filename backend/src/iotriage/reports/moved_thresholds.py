"""The thresholds that the reader moved, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iotriage.analysis.document import ThresholdInForce
from iotriage.rules.core.words import exact_quantity


def moved_thresholds(thresholds: Iterable[ThresholdInForce]) -> Iterator[str]:
    """ "Share of … (rule.threshold): 12.3 % instead of 50 %" for each that was moved."""
    for threshold in thresholds:
        if threshold.moved_from is not None:
            now, before = (exact_quantity(v, threshold.unit) for v in (threshold.value, threshold.moved_from))
            yield f"{threshold.title} ({threshold.id}): {now} instead of {before}"

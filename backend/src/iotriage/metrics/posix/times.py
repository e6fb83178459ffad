"""Time in POSIX calls."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import layer_time


@metric(
    "posix.time",
    "POSIX time of the slowest rank",
    "s",
    formula="agg_time_by_slowest of the POSIX records",
    needs="a Darshan log with POSIX records",
)
def posix_time(s: Selection) -> Outcome:
    return layer_time(s, "POSIX")

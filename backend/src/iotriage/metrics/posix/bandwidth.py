"""The bandwidth of POSIX."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, READ, WRITTEN, layer_bandwidth


@metric(
    "posix.bandwidth",
    "POSIX bandwidth",
    "B/s",
    formula=f"bytes moved over {MOST_OF_ONE_RANK} the POSIX records, or agg_time_by_slowest of darshan-parser's totals",
    needs="a Darshan log with POSIX records",
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "POSIX", READ, WRITTEN)

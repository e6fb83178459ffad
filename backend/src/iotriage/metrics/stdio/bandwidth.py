"""The bandwidth of STDIO."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, READ, WRITTEN, layer_bandwidth
from iotriage.metrics.tables.counters import no_records_of


@metric(
    "stdio.bandwidth",
    "STDIO bandwidth",
    "B/s",
    formula=f"bytes moved over {MOST_OF_ONE_RANK} the STDIO records, or agg_time_by_slowest of darshan-parser's totals",
    needs="a Darshan log with STDIO records",
    unless=no_records_of("STDIO"),
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "STDIO", READ, WRITTEN)

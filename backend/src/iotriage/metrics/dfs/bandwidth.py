"""The bandwidth of DFS."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, READ, WRITTEN, layer_bandwidth
from iotriage.metrics.tables.counters import no_records_of


@metric(
    "dfs.bandwidth",
    "DFS bandwidth",
    "B/s",
    formula=f"bytes moved over {MOST_OF_ONE_RANK} the DFS records",
    needs="a Darshan log with DFS records",
    unless=no_records_of("DFS"),
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "DFS", READ, WRITTEN)

"""The bandwidth of MPI-IO."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, READ, WRITTEN, layer_bandwidth
from iotriage.metrics.tables.counters import no_records_of


@metric(
    "mpiio.bandwidth",
    "MPI-IO bandwidth",
    "B/s",
    formula=f"bytes moved over {MOST_OF_ONE_RANK} the MPI-IO records, or agg_time_by_slowest of "
    "darshan-parser's totals",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "MPI-IO", READ, WRITTEN)

"""The bandwidth of MPI-IO."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import READ, WRITTEN, layer_bandwidth
from iotriage.metrics.tables.counters import no_records_of


@metric(
    "mpiio.bandwidth",
    "MPI-IO bandwidth",
    "B/s",
    formula="bytes moved over agg_time_by_slowest of the MPI-IO records (Darshan's agg_perf_by_slowest)",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "MPI-IO", READ, WRITTEN)

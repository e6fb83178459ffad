"""How much a group of files weighs in its job: by time where the timers say, by bytes where they do not."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import sum_counters


@metric(
    "group.weight",
    "Weight of the files in the job's I/O",
    "share",
    formula="group.io_time_fraction; group.bytes_fraction where there is no time, or where nonblocking MPI-IO calls "
    "leave only their posting in the timers",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def weight(s: Selection) -> Outcome:
    nonblocking = any(sum_counters(t, "MPIIO_NB_READS", "MPIIO_NB_WRITES") for _, t in s.tables("MPI-IO"))
    of_time = outcome(s, "group.io_time_fraction")
    return of_time if isinstance(of_time, Value) and not nonblocking else outcome(s, "group.bytes_fraction")

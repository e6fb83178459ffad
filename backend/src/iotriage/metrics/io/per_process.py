"""How much each process moved."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection


@metric(
    "io.written_per_writer",
    "Bytes written by each process",
    "B",
    formula="io.bytes_written / ranks of the job; of a serial file, all of them",
    needs="a Darshan log or MPICH_MPIIO_STATS",
)
def written_per_writer(s: Selection) -> Outcome:
    return _per_process(s, outcome(s, "io.bytes_written"))


@metric(
    "io.read_per_reader",
    "Bytes read by each process",
    "B",
    formula="io.bytes_read / ranks of the job; of a serial file, all of them",
    needs="a Darshan log or MPICH_MPIIO_STATS",
)
def read_per_reader(s: Selection) -> Outcome:
    return _per_process(s, outcome(s, "io.bytes_read"))


def _per_process(s: Selection, moved: Outcome) -> Outcome:
    if s.pattern == "serial":
        return moved
    if s.nprocs is None:
        return Absent("no source states the number of ranks")
    return quotient(moved, Value(s.nprocs), zero="the job had no ranks")

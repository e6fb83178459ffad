"""What part of the job's I/O a group of files is."""

from __future__ import annotations

from iotriage.metrics.core.derived import per_job
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.io.volume import bytes_moved, bytes_read
from iotriage.metrics.job.times import io_time
from iotriage.metrics.tables.counters import quotient

_io_time_of_job, _bytes_of_job, _read_by_job = per_job(io_time), per_job(bytes_moved), per_job(bytes_read)

NO_JOB = Absent("the group is not part of a job")


@metric(
    "group.io_time",
    "I/O time of the files",
    "s",
    formula="slowest rank's seconds in the files of the group, by the method of job.io_time",
    needs="a Darshan log",
    scopes=["group"],
)
def group_io_time(s: Selection) -> Outcome:
    return io_time(s)


@metric(
    "group.io_time_fraction",
    "Share of the job's I/O time",
    "share",
    formula="group.io_time / job.io_time",
    needs="a Darshan log",
    scopes=["group"],
)
def group_io_time_fraction(s: Selection) -> Outcome:
    return NO_JOB if s.job is None else quotient(io_time(s), _io_time_of_job(s), zero="the timers show no I/O time")


@metric(
    "group.bytes_fraction",
    "Share of the job's bytes",
    "share",
    formula="io.bytes of the group / io.bytes of the job",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def group_bytes_fraction(s: Selection) -> Outcome:
    return NO_JOB if s.job is None else quotient(bytes_moved(s), _bytes_of_job(s), zero="no bytes were moved")


@metric(
    "group.read_fraction",
    "Share of the job's reading",
    "share",
    formula="io.bytes_read of the group / io.bytes_read of the job",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def group_read_fraction(s: Selection) -> Outcome:
    return NO_JOB if s.job is None else quotient(bytes_read(s), _read_by_job(s), zero="no bytes were read")

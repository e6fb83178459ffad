"""What part of the job's I/O a group of files is."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection

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
    return outcome(s, "job.io_time")


@metric(
    "group.io_time_fraction",
    "Share of the job's I/O time",
    "share",
    about=About(time=True),
    formula="group.io_time / job.io_time, at most 1: of a group it may be known less well whether its files were used "
    "one after the other",
    needs="a Darshan log",
    scopes=["group"],
)
def group_io_time_fraction(s: Selection) -> Outcome:
    return _over_job(s, "job.io_time", zero="the timers show no I/O time")


@metric(
    "group.bytes_fraction",
    "Share of the job's bytes",
    "share",
    about=About(time=False),
    formula="io.bytes of the group / io.bytes of the job",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def group_bytes_fraction(s: Selection) -> Outcome:
    return _over_job(s, "io.bytes", zero="no bytes were moved")


@metric(
    "group.read_fraction",
    "Share of the bytes that the job reads",
    "share",
    about=About(time=False, direction="read"),
    formula="io.bytes_read of the group / io.bytes_read of the job",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def group_read_fraction(s: Selection) -> Outcome:
    return _over_job(s, "io.bytes_read", zero="no bytes were read")


def _over_job(s: Selection, id: str, *, zero: str) -> Outcome:
    return NO_JOB if s.job is None else quotient(outcome(s, id), outcome(s.job, id), zero=zero, at_most=1.0)

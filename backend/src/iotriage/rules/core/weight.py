"""Whether a group of files weighs enough in its job to be worth a word, and what a fix there could win."""

from __future__ import annotations

from iotriage.rules.core.condition import AnyOf, Compare, Condition, given
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Context, Impact, Source, Threshold
from iotriage.rules.core.words import seconds


def share_of_job(rule_id: str) -> tuple[Threshold, Condition]:
    """The threshold and the requirement that these files carry a share of the job's I/O."""
    threshold = Threshold(
        f"{rule_id}.share-of-job",
        "Share of the job's I/O time that the files take (of its bytes where no time is known)",
        0.10,
        "share",
        Source(PROJECT, "weighing", "A fix on files with less of the I/O cannot change the run by more than that."),
        0.0,
        1.0,
    )
    return threshold, Compare("group.weight", ">=", threshold.id)


def share_of_job_or_too_short(rule_id: str) -> tuple[tuple[Threshold, ...], Condition]:
    """The same for files that are read; or, in a run whose I/O is too short for its times to weigh anything, the files
    with most of the reading. What is found there is held at info (`iotriage.analysis.significance`), and shows on a
    small test what will hurt a large run."""
    share, carries = share_of_job(rule_id)
    short = Threshold(
        f"{rule_id}.short-run",
        "I/O time below which the share of the time says nothing",
        1.0,
        "s",
        Source(PROJECT, "weighing", "Below a second, start-up and caches decide the times."),
        0.0,
        60.0,
    )
    most = Threshold(
        f"{rule_id}.share-of-reading",
        "Share of the job's reading that the files are, where the time says nothing",
        0.50,
        "share",
        Source(PROJECT, "weighing", "Most of what is read: half is ours."),
        0.0,
        1.0,
    )
    too_short = given(
        "job.io_time",
        Compare("job.io_time", "<", short.id),
        Compare("group.read_fraction", ">=", most.id),
    )
    return (share, short, most), AnyOf((carries, too_short))


def more_than_a_moment(rule_id: str) -> tuple[Threshold, Threshold, Condition]:
    """The thresholds and the requirement that there are bytes to share out among ranks, or time to win by it."""
    enough = Threshold(
        f"{rule_id}.least-bytes",
        "Bytes read and written from which there is something to share out",
        float(2**24),
        "B",
        Source(PROJECT, "weighing", "At 500 MB/s, an OST's rate, 16 MiB take a thirtieth of a second."),
        1.0,
        float(2**40),
        "log",
    )
    long_enough = Threshold(
        f"{rule_id}.least-time",
        "I/O time from which there is something to win, however few the bytes",
        1.0,
        "s",
        Source(PROJECT, "weighing", "Below a second, start-up and caches decide the times."),
        0.0,
        3600.0,
    )
    takes_long = given("job.io_time", Compare("job.io_time", ">=", long_enough.id))
    return enough, long_enough, AnyOf((Compare("io.bytes", ">=", enough.id), takes_long))


def io_seconds(context: Context) -> float | None:
    """Seconds of the slowest rank in the I/O of the scope: of the files for a group, else of the job."""
    job, files = context.number("job.io_time"), context.number("group.io_time")
    if files is None or job is None:
        return job if files is None else files
    return min(job, files)


def at_most(context: Context, fraction: float | None, because: str) -> Impact | None:
    """The bound that a fix saves no more than `fraction` of the I/O time; None where a figure is missing or the
    bound is not positive."""
    spent = io_seconds(context)
    if spent is None or fraction is None or not 0 < fraction <= 1:
        return None
    saved = spent * fraction
    return Impact(saved, f"At most {seconds(saved)} of {seconds(spent)} of I/O: {because}")


def share_of_timers(context: Context, metric: str, because: str) -> Impact | None:
    """The bound that a fix saves no more than a phase's share of the time that MPICH_MPIIO_TIMERS measured; None
    where the share or the seconds are missing."""
    spent, share = context.number("timers.total_time"), context.number(metric)
    if spent is None or share is None or not 0 < share <= 1:
        return None
    saved = spent * share
    return Impact(saved, f"At most {seconds(saved)} of {seconds(spent)} in MPI-IO, {because}.")

"""Whether a group of files weighs enough in its job to be worth a word, and what a fix there could win."""

from __future__ import annotations

from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import Compare, Condition, Context, Impact, Source, Threshold
from iotriage.rules.wording import seconds


def share_of_job(rule_id: str) -> tuple[Threshold, Condition]:
    """The threshold and the requirement that these files carry a share of the job's I/O."""
    threshold = Threshold(
        f"{rule_id}.share-of-job",
        "Share of the job's I/O time that the files take (of its bytes where no time is known)",
        0.10,
        "1",
        Source(PROJECT, "weighing", "A fix on files with less of the I/O cannot change the run by more than that."),
        0.0,
        1.0,
    )
    return threshold, Compare("group.weight", ">=", threshold.id)


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

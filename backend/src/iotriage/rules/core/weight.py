"""Conditions that a group of files carries enough of its job's I/O for a rule to apply to it."""

from __future__ import annotations

from iotriage.rules.core.condition import AnyOf, Compare, any_of, when_present
from iotriage.rules.core.rule import Threshold, Weight, ours
from iotriage.rules.core.slider import logarithmic


def share_of_job(rule_id: str) -> Weight:
    """These files carry a share of the job's I/O."""
    return _share(rule_id, "group.weight")


def share_of_measured_time(rule_id: str) -> Weight:
    """These files carry a share of the time that MPICH_MPIIO_TIMERS measured."""
    return _share(rule_id, "timers.weight")


def share_of_either_time(rule_id: str) -> Weight:
    """These files carry a share of the job's I/O, or of what MPICH_MPIIO_TIMERS measured, whichever source tells of
    them."""
    threshold = _least_share(rule_id)
    either = (when_present(of, Compare(of, ">=", threshold.id)) for of in ("timers.weight", "group.weight"))
    return Weight((threshold,), AnyOf(tuple(either)))


def _share(rule_id: str, metric: str) -> Weight:
    threshold = _least_share(rule_id)
    return Weight((threshold,), Compare(metric, ">=", threshold.id))


def _least_share(rule_id: str) -> Threshold:
    return Threshold(
        id=f"{rule_id}.share-of-job",
        title="Share of the job's I/O time that the files take (of its bytes where no time is known)",
        default=0.10,
        unit="share",
        stated_by=ours("significance", "A fix on files with less of the I/O cannot change the run by more than that."),
    )


def share_of_job_or_reading(rule_id: str) -> Weight:
    """These files carry a share of the job's I/O; or, in a run whose I/O is too short for its times to weigh anything,
    most of the reading. What is found there is held at info (`iotriage.analysis.decision.significance`), and shows on a
    small test what will hurt a large run."""
    share = share_of_job(rule_id)
    short = Threshold(
        id=f"{rule_id}.short-run",
        title="I/O time below which the share of the time says nothing",
        default=1.0,
        unit="s",
        stated_by=ours("significance", "Below a second, start-up and caches decide the times."),
        slider=logarithmic(0.01, 60.0),
    )
    most = Threshold(
        id=f"{rule_id}.share-of-reading",
        title="Share of the bytes that the job reads that is the files', where the time says nothing",
        default=0.50,
        unit="share",
        stated_by=ours("significance", "Most of what is read: half is ours."),
    )
    too_short = when_present(
        "job.io_time",
        Compare("job.io_time", "<", short.id),
        Compare("group.read_fraction", ">=", most.id),
    )
    return Weight((*share.thresholds, short, most), any_of(share.condition, too_short))


def enough_to_share_out(rule_id: str) -> Weight:
    """There are bytes that could be shared out among ranks, or time to be saved by doing so."""
    enough = Threshold(
        id=f"{rule_id}.least-bytes",
        title="Bytes read and written from which there is something to share out",
        default=float(2**24),
        unit="B",
        stated_by=ours("significance", "At 500 MB/s, an OST's rate, 16 MiB take a thirtieth of a second."),
        slider=logarithmic(1.0, float(2**40)),
    )
    long_enough = Threshold(
        id=f"{rule_id}.least-time",
        title="I/O time from which there is something to win, however few the bytes",
        default=1.0,
        unit="s",
        stated_by=ours("significance", "Below a second, start-up and caches decide the times."),
        slider=logarithmic(0.01, 3600.0),
    )
    takes_long = when_present("job.io_time", Compare("job.io_time", ">=", long_enough.id))
    return Weight((enough, long_enough), any_of(Compare("io.bytes", ">=", enough.id), takes_long))

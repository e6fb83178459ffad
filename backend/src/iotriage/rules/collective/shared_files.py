"""What the rules about shared files ask alike: whether the ranks' accesses are interleaved, and who moved the bytes."""

from __future__ import annotations

from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import AnyOf, Compare, when_present
from iotriage.rules.core.slider import linear


def interleaved_threshold(rule: str, accesses: str) -> Threshold:
    """The share of `accesses` below which they are interleaved with other ranks', as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.consecutive-fraction",
        title=f"{accesses} that continue the rank's last one, below which they are interleaved",
        default=0.50,
        unit="share",
        stated_by=ours("interleaving", "A rank that mostly goes on where it stopped holds its lock."),
    )


def moving_ranks_threshold(rule: str, meaning: str = "") -> Threshold:
    """The share of ranks that tells whether collective buffering is at work, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.rank-share",
        title=f"Share of the ranks that moved the bytes themselves{meaning}",
        default=0.80,
        unit="share",
        stated_by=ours("collective buffering", "With collective buffering a few ranks move the bytes, not nearly all."),
        slider=linear(0.1),
    )


def called_often(least: Threshold) -> AnyOf:
    """Collective calls, over all ranks: MPICH_MPIIO_STATS sums them, and often does not print how many ranks there
    are."""
    calls = ("mpiio.collective_writes", "mpiio.collective_reads")
    return AnyOf(tuple(when_present(metric, Compare(metric, ">=", least.id)) for metric in calls))

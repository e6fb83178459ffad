"""What the rules about shared files ask alike: whether the ranks' accesses are interleaved, and who moved the bytes."""

from __future__ import annotations

from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Source, Threshold


def in_order(rule: str, accesses: str) -> Threshold:
    """The share of `accesses` below which they are interleaved with other ranks', as a threshold of `rule`."""
    return Threshold(
        f"{rule}.consecutive-fraction",
        f"{accesses} that continue the rank's last one, below which they are interleaved",
        0.50,
        "share",
        Source(PROJECT, "interleaving", "A rank that mostly goes on where it stopped holds its lock."),
        0.0,
        1.0,
    )


def moved_by_ranks(rule: str, meaning: str = "") -> Threshold:
    """The share of ranks that tells whether collective buffering is at work, as a threshold of `rule`."""
    return Threshold(
        f"{rule}.rank-share",
        f"Share of the ranks that moved the bytes themselves{meaning}",
        0.80,
        "share",
        Source(
            PROJECT, "collective buffering", "With collective buffering a few ranks move the bytes, not nearly all."
        ),
        0.1,
        1.0,
    )

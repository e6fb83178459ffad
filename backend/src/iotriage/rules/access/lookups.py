"""Small reads at scattered places: they look something up, and pass through no file."""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.core import Threshold, ours
from iotriage.rules.core.condition import AnyOf, Compare, Condition, IsOneOf
from iotriage.rules.core.slider import logarithmic


def scattered_threshold(rule: str) -> Threshold:
    """The share of scattered reads, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.scattered",
        title="Share of the reads at scattered places, from which small ones look something up",
        default=0.50,
        unit="share",
        stated_by=ours("random reads", "Half: then most reads look something up, and pass through nothing."),
    )


def small_read_threshold(rule: str) -> Threshold:
    """How small they are, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.looked-up",
        title="Average read below which scattered reads look something up",
        default=average_of(2**16),
        unit="B",
        stated_by=ours(
            "random reads",
            f"64 KiB: an index is read in pages of a few KiB, a sample of a data set whole. {OF_AN_AVERAGE}",
        ),
        slider=logarithmic(512.0, float(2**24)),
    )


OF_OTHER_LAYERS = IsOneOf("io.layer", ("MPI-IO", "STDIO", "DFS", "DAOS"))
"""The figures of POSIX are not of what the program asks for."""


def looks_nothing_up(scattered: Threshold, small: Threshold, *ways: Condition) -> AnyOf:
    """The reads of POSIX look nothing up, or another of `ways` holds."""
    return AnyOf(
        (
            OF_OTHER_LAYERS,
            Compare("posix.average_read_size", ">=", small.id),
            Compare("posix.scattered_read_fraction", "<", scattered.id),
            *ways,
        )
    )

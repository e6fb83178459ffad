"""From which rate of a rank, or of all together, nothing is slow: several rules ask."""

from __future__ import annotations

from iotriage.rules.core import Statement, Threshold
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.slider import logarithmic

FAST_TOGETHER = 5 * 2.0**30
"""Bytes a second of all ranks: ARCHER's guide sees no problem in more than several GiB/s, and that they are five is
ours."""


def total_rate_threshold(rule: str, title: str) -> Threshold:
    """The threshold of `rule`, in bytes a second."""
    return Threshold(
        id=f"{rule}.rate-together",
        title=title,
        default=FAST_TOGETHER,
        unit="B/s",
        stated_by=Statement(
            "archer-bpg",
            "Do I have a problem with my I/O?",
            "More than several GiB/s is no problem; that these are five is ours.",
        ),
        slider=logarithmic(1e6, 1e13),
    )


def rank_rate_threshold(rule: str, title: str) -> Threshold:
    """The rate of one rank, in bytes a second, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.rate",
        title=title,
        default=SERIAL_WRITER,
        unit="B/s",
        stated_by=Statement("archer-bpg", "Summary of performance advice", "A serial writer gets about 500 MiB/s."),
        slider=logarithmic(1e5, 1e11),
    )

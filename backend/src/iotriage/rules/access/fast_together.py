"""From which rate of all ranks together nothing is slow: several rules ask."""

from __future__ import annotations

from iotriage.rules.core import Statement, Threshold


def fast_together(rule: str, title: str) -> Threshold:
    """The threshold of `rule`, in bytes a second."""
    return Threshold(
        id=f"{rule}.rate-together",
        title=title,
        default=5 * 2.0**30,
        unit="B/s",
        stated_by=Statement(
            "archer-bpg",
            "Do I have a problem with my I/O?",
            "More than several GiB/s is no problem; that these are five is ours.",
        ),
        minimum=1e6,
        maximum=1e13,
        scale="log",
    )

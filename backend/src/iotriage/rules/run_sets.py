"""What the rules about several runs share: whose numbers their thresholds are, and the least time worth comparing."""

from __future__ import annotations

from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import Citation, Source, Threshold

MEASURE = Citation("archer-bpg", "What can I measure and tune?")
VARIATION = Citation("theta-io", "Darshan profiling")

USUAL = ("jitter.usual", "striping-experiment.usual", "scaling-contention.usual")
"""The thresholds that a site's quartiles take the place of (`iotriage.analysis.variation`)."""


def usual(rule: str) -> Threshold:
    """The factor by which equal runs usually differ, as a threshold of `rule`."""
    return Threshold(
        f"{rule}.usual",
        "Factor by which equal runs usually differ",
        1.05,
        "1",
        Source(
            "theta-io",
            "Darshan profiling",
            "The I/O of equal runs on Theta varied by four to five per cent; elsewhere it can be far more.",
        ),
        1.0,
        10.0,
        "log",
    )


def shortest(rule: str) -> Threshold:
    """The shortest I/O worth comparing, as a threshold of `rule`."""
    return Threshold(
        f"{rule}.seconds",
        "Shortest I/O worth comparing",
        1.0,
        "s",
        Source(PROJECT, "weighing", "Below a second, start-up and caches decide the times."),
        0.0,
        60.0,
    )

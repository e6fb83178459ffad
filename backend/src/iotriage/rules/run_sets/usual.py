"""What the rules about several runs share: whose numbers their thresholds are, and what is worth comparing."""

from __future__ import annotations

from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Citation, Source, Threshold

MEASURE = Citation("archer-bpg", "What can I measure and tune?")
VARIATION = Citation("theta-io", "Darshan profiling")

USUAL = ("jitter.usual", "striping-experiment.usual", "scaling-contention.usual")
"""The thresholds that a site's quartiles take the place of (`iotriage.analysis.run_sets.variation`)."""


def usual(rule: str) -> Threshold:
    """The factor by which equal runs usually differ, as a threshold of `rule`."""
    return Threshold(
        f"{rule}.usual",
        "Factor by which equal runs usually differ",
        1.05,
        "ratio",
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


def grown(rule: str) -> Threshold:
    """How much larger the largest run must be than the smallest to tell of scaling, as a threshold of `rule`."""
    return Threshold(
        f"{rule}.processes",
        "Most processes over fewest",
        2.0,
        "ratio",
        Source(PROJECT, "run sets", "Fewer than twice the processes say little about scaling."),
        1.1,
        64.0,
        "log",
    )


def factor(count: float) -> str:
    """One rate over another: both decimals, for a few per cent are what is asked about."""
    return f"{count:.2f}"

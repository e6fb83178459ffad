"""What the rules about several runs share: whose numbers their thresholds are, and what is worth comparing."""

from __future__ import annotations

from iotriage.rules.core import Citation, Statement, Threshold, ours
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import number

MEASURE = Citation("archer-bpg", "What can I measure and tune?")
VARIATION = Citation("theta-io", "Darshan profiling")

USUAL = ("jitter.usual", "striping-experiment.usual", "scaling-contention.usual")
"""The thresholds that a site's quartiles take the place of (`iotriage.analysis.run_sets.variation`)."""


def usual_factor_threshold(rule: str) -> Threshold:
    """The factor by which equal runs usually differ, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.usual",
        title="Factor by which equal runs usually differ",
        default=1.05,
        unit="ratio",
        stated_by=Statement(
            "theta-io",
            "Darshan profiling",
            "The I/O of equal runs on Theta varied by four to five per cent; elsewhere it can be far more.",
        ),
        slider=logarithmic(1.0, 10.0),
    )


def shortest_time_threshold(rule: str) -> Threshold:
    """The shortest I/O worth comparing, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.seconds",
        title="Shortest I/O worth comparing",
        default=1.0,
        unit="s",
        stated_by=ours("significance", "Below a second, start-up and caches decide the times."),
        slider=logarithmic(0.01, 60.0),
    )


def growth_threshold(rule: str) -> Threshold:
    """How much larger the largest run must be than the smallest to tell of scaling, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.processes",
        title="Most processes over fewest",
        default=2.0,
        unit="ratio",
        stated_by=ours("run sets", "Fewer than twice the processes say little about scaling."),
        slider=logarithmic(1.1, 64.0),
    )


def factor_text(count: float) -> str:
    """One rate over another: both decimals, for a few per cent are what is asked about, below ten."""
    return f"{count:.2f}" if count < 9.995 else number(count)

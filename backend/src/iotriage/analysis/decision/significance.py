"""Whether a job's I/O matters at all; the severity of a finding depends on it.

A fix to I/O that takes a small share of the run and little time gains nothing, however bad its pattern: small-access
rules that ignore this fire on nearly every production log. The two thresholds of `io-not-the-bottleneck` decide it,
with a floor below which a run is too short, or moves too little, to judge anything by.
"""

from __future__ import annotations

from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Condition, when_present
from iotriage.rules.core.rule import Threshold, ours
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION, NEGLIGIBLE, TIME

SIGNIFICANT_IO = "significance"
"""Stands where a threshold has the id of its rule."""

FLOORS = (
    Threshold(
        id=f"{SIGNIFICANT_IO}.seconds",
        title="Shortest I/O worth a finding above info",
        default=1.0,
        unit="s",
        stated_by=ours("significance", "Below a second, start-up and caches decide the times."),
        slider=linear(0.0, 60.0),
    ),
    Threshold(
        id=f"{SIGNIFICANT_IO}.bytes",
        title="Fewest bytes worth a finding above info",
        default=float(2**20),
        unit="B",
        stated_by=ours("significance", "Less than one default stripe cannot be tuned: it matters by its time alone."),
        slider=logarithmic(1.0, float(2**40)),
    ),
    Threshold(
        id=f"{SIGNIFICANT_IO}.syncs",
        title="Syncs from which few bytes count all the same",
        default=1000.0,
        unit="calls",
        stated_by=ours("significance", "A line at a time forced out to disk takes long, however few the bytes."),
        slider=logarithmic(1.0, 1e8),
    ),
    Threshold(
        id=f"{SIGNIFICANT_IO}.small-accesses",
        title="Accesses below 1 MiB, or opens of streams, from which few bytes count all the same",
        default=1000.0,
        unit="calls",
        stated_by=ours(
            "significance", "Lines that a program has written one by one wait one by one for a disk or a server."
        ),
        slider=logarithmic(1.0, 1e8),
    ),
)

METADATA = when_present("posix.metadata_time", Compare("posix.metadata_time", ">=", FLOORS[0].id))
"""Few bytes may still take long. Where no source has the time of metadata calls, the bytes decide."""

SYNCS = when_present("sync.calls", Compare("sync.calls", ">=", FLOORS[2].id))
"""So may a log that is forced out line by line."""

LINES = AnyOf(
    tuple(
        when_present(metric, Compare(metric, ">=", FLOORS[3].id)) for metric in ("posix.small_accesses", "stdio.opens")
    )
)
"""Or one that is written line by line, where each write waits, synced or not: for a server, or a mount with `sync`."""

LONG = AllOf((Compare("job.io_time", ">=", TIME.id), Compare("job.io_time_fraction", ">=", NEGLIGIBLE.id)))
"""A small share of a long run may still be an hour; a minute of a day is nothing."""

MUCH = when_present(
    "job.io_time_fraction",
    Compare("job.io_time", ">=", TIME.id),
    Compare("job.io_time_fraction", ">=", FRACTION.id),
)
"""A minute that is a good part of the run is worth a word, whatever moved so little for so long: a file system that
hangs, a tape, the other end of a pipe."""

TURNS = when_present("balance.turns_run_fraction", Compare("balance.turns_run_fraction", ">=", FRACTION.id))
"""Where ranks take turns, each is short at it, and the run waits for the last."""

SIGNIFICANCE: Condition = AllOf(
    (
        AnyOf((Compare("job.io_time_fraction", ">=", FRACTION.id), LONG, TURNS)),
        AnyOf((Compare("job.io_time", ">=", FLOORS[0].id), TURNS)),
        AnyOf((Compare("io.bytes", ">=", FLOORS[1].id), METADATA, SYNCS, LINES, MUCH)),
    )
)

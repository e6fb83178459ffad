"""The rate stays where it is as processes are added: one writer, or one OST, sets it.

## What it does
Looks at runs that differ in their number of processes only. It holds where the rate on the most processes is about
that on the fewest, neither much higher nor much lower, and where that rate is what one process or one OST can move,
or the pattern of every run is serial.

## Why it matters
A rate that does not grow with the job is the mark of I/O that passes through one place. More nodes then buy no I/O,
and its share of the run grows with every one that is added.

## What to do
Let every process write its own part, collectively into one file; then stripe the file. Run the set again: the rate
should now grow until the stripes are all at work.

## Limits
A flat rate far above what one OST gives is the limit of the whole file system, and no fault of the program: nothing
is said then. The best of the runs on each number of processes is taken, for the others may have met other jobs' I/O.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, size
from iotriage.rules.run_sets.usual import MEASURE, factor_text, growth_threshold, shortest_time_threshold

GROWTH = growth_threshold("scaling-serial")
FLAT = Threshold(
    id="scaling-serial.flat",
    title="Growth of the rate that still counts as none",
    default=1.25,
    unit="ratio",
    stated_by=ours("run sets", "The guide says that the rate stays the same, and gives no number."),
    slider=linear(1.0, 4.0),
)
DROP = Threshold(
    id="scaling-serial.drop",
    title="Drop of the rate that no longer counts as the same",
    default=1.25,
    unit="ratio",
    stated_by=ours("run sets", "The guide tells a rate that stays the same from one that drops, without a number."),
    slider=linear(1.0, 4.0),
)
FASTEST = Threshold(
    id="scaling-serial.fastest",
    title="Highest rate that one writer or one OST reaches",
    default=1e9,
    unit="B/s",
    stated_by=Statement(
        "archer2-io",
        "Single file, single writer (Serial I/O)",
        "One process is not likely to write faster than 1 GB/s.",
    ),
    slider=logarithmic(1e7, 1e11),
)
SLOWEST = Threshold(
    id="scaling-serial.slowest",
    title="Lowest rate that is near one OST's",
    default=250 * 2.0**20,
    unit="B/s",
    stated_by=Statement(
        "archer-bpg",
        "Summary of performance advice",
        "A serial writer gets about 500 MiB/s; half of it, for the noise of a shared file system, is ours.",
    ),
    slider=logarithmic(1e6, 1e10),
)
SECONDS = shortest_time_threshold("scaling-serial")


def says(context: Context) -> Words:
    serial = context.word("runs.pattern") == "serial"
    why = "one rank does all of it in every run." if serial else "it is about what one OST or one writer gives."
    return Words(
        "The I/O rate does not grow with the processes: it passes through one place.",
        paragraph(
            sentence(
                "On {} times the processes the rate is {} times that on the fewest, at best {}/s:",
                formatted(context.number("runs.processes_growth"), number),
                formatted(context.number("runs.rate_growth"), factor_text),
                formatted(context.number("runs.best_rate"), size),
            ),
            why,
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Let every process write its own part with collective calls, stripe the file, and run the set again: "
            "the rate should then grow with the processes.",
            citation=Citation("archer-bpg", "Summary of performance advice"),
        ),
    )


rule = Rule(
    id="scaling-serial",
    title="The rate stays the same as processes are added",
    clear_title="The rate changes with the processes, or is above one writer's",
    scope="run-set",
    severity="medium",
    priority=20,
    requires=AllOf(
        (
            IsOneOf("runs.kind", ("scaling",)),
            Compare("runs.processes_growth", ">=", GROWTH.id),
            Compare("runs.io_time", ">=", SECONDS.id),
        )
    ),
    condition=AllOf(
        (
            Compare("runs.rate_growth", "<=", FLAT.id),
            Compare("runs.rate_drop", "<=", DROP.id),
            AnyOf(
                (
                    AllOf(
                        (
                            Compare("runs.best_rate", "<=", FASTEST.id),
                            Compare("runs.best_rate", ">=", SLOWEST.id),
                        )
                    ),
                    IsOneOf("runs.pattern", ("serial",)),
                )
            ),
        )
    ),
    thresholds=(GROWTH, FLAT, DROP, FASTEST, SLOWEST, SECONDS),
    citations=(MEASURE, Citation("archer2-io", "Single file, single writer (Serial I/O)")),
    says=says,
    advise=advise,
    confidence="inferred",
    weighed=False,
)

"""I/O is not what this run waits for.

## What it does
Compares the time the slowest rank spent in I/O with the run time. It holds when the share is small **and** the time is
short in absolute terms; a run of a day that spends an hour in I/O has a small share and still an hour to win. A share
below a hundredth does not matter however long it took. Where the share is small and the time is not, no finding is
above medium.

## Why it matters
The first question about a slow job is whether I/O takes significant time at all. Where it does not, advice about
striping or collectives costs a person's day and wins nothing, so the page says this first and holds every other
finding at info.

## What to do
Look elsewhere first: a profile of computation and communication. The other findings stay in the list; they matter
again when the job grows.

## Limits
Darshan sees the calls of the processes it was loaded into. Time in `MPI_Wait` for nonblocking MPI-IO, and time on
nodes that it did not see, is not in the figure. Neither number is stated by a document.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Present
from iotriage.rules.core.words import paragraph, seconds, sentence, share, told

FRACTION = Threshold(
    id="io-not-the-bottleneck.fraction",
    title="Share of the run below which I/O is not the bottleneck",
    default=0.10,
    unit="share",
    stated_by=ours("does I/O matter", "Under a tenth of the run, making the I/O free would speed it up by a ninth."),
    minimum=0.0,
    maximum=0.5,
)
TIME = Threshold(
    id="io-not-the-bottleneck.time",
    title="I/O time below which it is short in absolute terms",
    default=60.0,
    unit="s",
    stated_by=ours("does I/O matter", "Under a minute a run there is little to win for anybody."),
    minimum=1.0,
    maximum=3600.0,
    scale="log",
)
NEGLIGIBLE = Threshold(
    id="io-not-the-bottleneck.negligible",
    title="Share of the run below which I/O is not the bottleneck, however long it took",
    default=0.01,
    unit="share",
    stated_by=ours("does I/O matter", "A minute of a day: making the I/O free would speed the run up by a hundredth."),
    minimum=0.0,
    maximum=0.1,
)


def says(context: Context) -> Words:
    spent, run = told(context.number("job.io_time"), seconds), told(context.number("job.runtime"), seconds)
    part = told(context.number("job.io_time_fraction"), share)
    return Words(
        "I/O is not what this run waits for.",
        paragraph(
            sentence("The slowest rank spent {} in I/O.", spent),
            sentence("That is {} of the run of {}.", part, run),
            "All other findings are shown as notes only.",
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Profile computation and communication first; come back to I/O when the job or its output grows.",
            citation=Citation("csc-io", "Verify that I/O takes significant time"),
        ),
    )


rule = Rule(
    id="io-not-the-bottleneck",
    title="I/O is not the bottleneck",
    clear_title="I/O takes time that matters",
    scope="job",
    severity="info",
    priority=0,
    requires=AllOf((Present("job.io_time"), Present("job.io_time_fraction"))),
    condition=AllOf(
        (
            Compare("job.io_time_fraction", "<", FRACTION.id),
            AnyOf((Compare("job.io_time", "<", TIME.id), Compare("job.io_time_fraction", "<", NEGLIGIBLE.id))),
        ),
    ),
    thresholds=(FRACTION, TIME, NEGLIGIBLE),
    citations=(Citation("csc-io", "Verify that I/O takes significant time"),),
    says=says,
    advise=advise,
    leads=True,
    weighed=False,
)

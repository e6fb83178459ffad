"""The timers show more I/O time in one process than the run lasted.

## What it does
Compares the time that one rank must have spent in I/O, by its own records or by the mean over ranks, with the length of
the run. It holds when the first is the longer one.

## Why it matters
Darshan adds up the calls of all threads of a process. Threads that wait side by side, for a lock, a pipe or a socket,
count each for itself: eight threads blocked in `open` for two minutes are sixteen minutes. Such times say nothing of
what the run waited for, and nothing is ranked, compared or saved by them.

## What to do
Look at counts and bytes, which are as they are. Where the time matters, trace the run (DXT): it shows which calls
overlap.

## Limits
Where calls are short, threads moved data or opened files side by side: then their seconds are counted once
(`calls-side-by-side`). Times that are too long and still fit in the run are not noticed. A clock that was set back
during the run, or an end time that is wrong, looks the same.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Export
from iotriage.rules.core.condition import Compare, clear_where_whole, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, seconds, sentence

LEAST = Threshold(
    id="impossible-times.time",
    title="Seconds of one process that do not fit in the run",
    default=1.0,
    unit="s",
    stated_by=ours("impossible times", "Below a second, clocks differ by as much."),
    slider=logarithmic(0.001, 360_000.0),
)

DOCUMENTED = Citation("darshan-util", "Darshan-runtime: Using the Darshan eXtended Tracing (DXT) module")


def says(context: Context) -> Words:
    return Words(
        "The timers show more I/O time in one process than the run lasted, so nothing is ranked by time.",
        paragraph(
            sentence(
                "The calls of one process outlast the run of {}: threads wait side by side, or a clock is wrong.",
                formatted(context.number("job.runtime"), seconds),
            ),
            "Counts and bytes are not affected.",
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Trace the run once where the time matters: a trace shows which calls overlap.",
            Export("DXT_ENABLE_IO_TRACE", "1"),
            citation=DOCUMENTED,
        ),
    )


rule = Rule(
    id="impossible-times",
    title="More I/O time than the run has",
    clear_title="The times fit in the run",
    scope="job",
    severity="info",
    priority=89,
    requires=when_present("job.impossible_time"),
    condition=clear_where_whole(Compare("job.impossible_time", ">=", LEAST.id)),
    thresholds=(LEAST,),
    citations=(DOCUMENTED,),
    says=says,
    advise=advise,
    weighed=False,
)

"""Threads of one process do I/O at the same time.

## What it does
Compares what a process has in its timers with the time in which its files were in use, from the first open to the last
close of each. It holds when the timers have far more: calls were made side by side.

## Why it matters
Darshan adds up the calls of all threads of a process: eight threads that read for a second are eight seconds, in which
the program waited for one at most. All seconds that are shown here are therefore those of the log divided by the number
of calls at a time; counts and bytes are as they are.

## What to do
Nothing: this is how the seconds are to be read.

## Limits
Files may be open longer than they are used, so that what the program waited for is less still. Threads that keep their
files open all the time are not seen, unless their timers do not fit in the run. Where these do not, files were in use
for half of it and a call takes seconds, threads may have waited for a pipe or a lock, and `impossible-times` says so.
"""

from __future__ import annotations

from iotriage.rules.core import Citation, Context, Rule, Threshold, Words, ours
from iotriage.rules.core.condition import Compare, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence

AT_A_TIME = Threshold(
    id="calls-side-by-side.at-a-time",
    title="Calls of a process at a time, from which its seconds are not those of one after another",
    default=1.05,
    unit="ratio",
    stated_by=ours("impossible times", "Timers and timestamps differ by less."),
    slider=logarithmic(1.0, 1000.0),
)

DOCUMENTED = Citation("darshan-util", "Darshan-util: Guide to darshan-parser output")


def says(context: Context) -> Words:
    return Words(
        "Threads of one process do I/O at the same time: each second is counted once.",
        paragraph(
            sentence(
                "Its files were in use for less time than the calls on them took, {} of them at a time on average.",
                formatted(context.number("job.calls_at_a_time"), number),
            ),
            "All its seconds are those of the log divided by that.",
        ),
    )


rule = Rule(
    id="calls-side-by-side",
    title="Calls of threads at the same time",
    clear_title="No threads seen to do I/O at the same time",
    scope="job",
    severity="info",
    priority=90,
    requires=when_present("job.calls_at_a_time"),
    condition=Compare("job.calls_at_a_time", ">=", AT_A_TIME.id),
    thresholds=(AT_A_TIME,),
    citations=(DOCUMENTED,),
    says=says,
    weighed=False,
)

"""The same OST is the slowest in several runs.

## What it does
Takes the OST on which a byte took longest in each run (`slow-ost`), for each time the bytes of the others. It holds
where it is the same one in two runs or more, in half of those that compare OSTs or more, and a byte took half as long
again or more in each.

## Why it matters
One run cannot tell an OST that is ill from one that others used just then, and an OST that is a little slow stays below
what one run can show. What is the slowest again and again, out of dozens, is so by itself.

## What to do
Tell the support its index, with the times of the runs.

## Limits
Files of one stripe and one rank each are compared, or traced calls. Runs of one hour may have met the same other job.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, Compare, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.support import SupportText
from iotriage.rules.core.words import formatted, number, ost_name, paragraph, sentence, share

RUNS = Threshold(
    id="same-slow-ost.runs",
    title="Runs in which the same OST is the slowest",
    default=2.0,
    unit="1",
    stated_by=ours("slow OST", "With a dozen OSTs or more, the same one twice is hardly chance; two is ours."),
    slider=linear(2.0, 64.0),
)
SHARE = Threshold(
    id="same-slow-ost.share",
    title="Share of the runs in which the same OST is the slowest",
    default=0.50,
    unit="share",
    stated_by=ours("slow OST", "Of many runs some have the same one by chance; half is ours."),
    slider=linear(0.1),
)
TIMES = Threshold(
    id="same-slow-ost.times",
    title="Time a byte on it over that on the others, in each of these runs",
    default=1.5,
    unit="ratio",
    stated_by=ours(
        "slow OST", "Half of what one run is asked for: it is seen more than once. Half as long again is ours."
    ),
    slider=logarithmic(1.1, 100.0),
)

BAD_OST = Citation("pytokio", "darshan_bad_ost")


def says(context: Context) -> Words:
    ost = formatted(context.number("runs.same_slowest_ost"), ost_name)
    return Words(
        f"{ost} is the slowest in several of the runs."
        if ost is not None
        else "One OST is the slowest in several of the runs.",
        paragraph(
            sentence(
                "It is in {} runs, {} of those that compare OSTs.",
                formatted(context.number("runs.same_slowest_ost_runs"), number),
                formatted(context.number("runs.same_slowest_ost_share"), share),
            ),
            sentence(
                "A byte took at least {} times as long on it as on the others.",
                formatted(context.number("runs.same_slowest_ost_times"), number),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    ost = formatted(context.number("runs.same_slowest_ost"), ost_name) or "OST N"
    text = SupportText(
        f"Report to your centre's support that {ost} is slow, with the times of the runs.",
        f"We report to those who run the file system that {ost} is slow, with the times of the runs.",
    )
    return (advice(text, citation=BAD_OST),)


rule = Rule(
    id="same-slow-ost",
    title="The same OST is slow in several runs",
    clear_title="No OST is the slowest again and again",
    scope="run-set",
    severity="medium",
    priority=30,
    requires=when_present("runs.same_slowest_ost_runs"),
    condition=AllOf(
        (
            Compare("runs.same_slowest_ost_runs", ">=", RUNS.id),
            Compare("runs.same_slowest_ost_share", ">=", SHARE.id),
            Compare("runs.same_slowest_ost_times", ">=", TIMES.id),
        )
    ),
    thresholds=(RUNS, SHARE, TIMES),
    citations=(BAD_OST,),
    says=says,
    advise=advise,
    confidence="inferred",
    weighed=False,
)

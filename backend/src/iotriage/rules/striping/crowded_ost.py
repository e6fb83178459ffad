"""One OST or a few hold more of the job's files than the others, and these files take as much longer.

## What it does
Takes the files that have one stripe and were used by one rank each, and the OST on which a byte took longest
(`slow-ost`). It holds when that OST has twice the bytes of the others or more, and a byte took longer there, but not by
more than its load explains.

## Why it matters
Files on one OST share its rate. With two of them each is half as fast, and the job waits for both. The OST is as fast
as the others: there is only more to do.

## What to do
Leave the choice of OSTs to Lustre, and ask why it chose so: a pool of few OSTs, or others that are full. With fewer
files than OSTs, a few stripes a file even it out.

## Limits
Only files of one stripe are counted, so the load by striped files and by other jobs is not seen. Files that are
used one after the other do not share a rate, however many there are.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.striping import directory_as_it_is, leave_first_ost
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.action import RunCommand
from iotriage.rules.core.claim import BeyondOnce, Claim
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, when_present
from iotriage.rules.core.saving import slow_rank_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, ost_name, paragraph, plural, sentence

LOAD = Threshold(
    id="crowded-ost.load",
    title="Bytes on the slowest OST over those on the others",
    default=2.0,
    unit="ratio",
    stated_by=ours("crowded OST", "Twice as much to do takes twice as long; less is the luck of the draw."),
    slider=logarithmic(1.2, 100.0),
)
SLOWNESS = Threshold(
    id="crowded-ost.slowness",
    title="Time a byte there over that on the others",
    default=1.5,
    unit="ratio",
    stated_by=ours("crowded OST", "Below that, the server had enough for all; half as long again is ours."),
    slider=logarithmic(1.1, 100.0),
)
MOST = Threshold(
    id="crowded-ost.load-of-most",
    title="Bytes on the slowest OST over those on nearly all that are not slow",
    default=1.5,
    unit="ratio",
    stated_by=ours("crowded OST", "Where others hold as much and are not slow, it is not what they hold."),
    slider=logarithmic(1.0, 100.0),
)
OSTS = Threshold(
    id="crowded-ost.osts",
    title="OSTs compared",
    default=4.0,
    unit="OSTs",
    stated_by=ours("crowded OST", "With two or three OSTs nothing says what is usual."),
    slider=logarithmic(2.0, 512.0),
)

LEAVE_IT = Citation("theta-io", "General striping approaches")


def says(context: Context) -> Words:
    ost, crowded = formatted(context.number("ost.slowest"), ost_name), context.number("ost.slow_osts") or 1
    who = "One OST holds" if crowded <= 1 else f"{plural(crowded, 'OST')} hold"
    return Words(
        f"{who} more of the job's files than the others, and they wait for one another.",
        paragraph(
            sentence(
                "Of {}, {} lie on {}, with {} times the bytes of another OST.",
                these_files(context),
                formatted(context.number("ost.slowest_files"), lambda n: plural(n, "file")),
                ost,
                formatted(context.number("ost.load"), number),
            ),
            sentence("A byte took {} times as long there.", formatted(context.number("ost.slowness"), number)),
            sentence("{} were compared.", formatted(context.number("ost.compared"), lambda n: plural(n, "OST"))),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return (
        *leave_first_ost(context, LEAVE_IT),
        advice(
            "If Lustre chose them itself, see whether the files are in a pool of few OSTs, or other OSTs are nearly "
            "full: Lustre then prefers those with room.",
            RunCommand(("lfs", "df", directory_as_it_is(context))),
            citation=LEAVE_IT,
        ),
    )


def impact(context: Context) -> Impact | None:
    return slow_rank_saving(context, "the files lay on all OSTs alike")


rule = Rule(
    id="crowded-ost",
    title="Several files on one OST",
    clear_title="The files are spread over the OSTs",
    scope="group",
    severity="medium",
    priority=32,
    carries=share_of_job,
    requires=when_present("ost.compared", Compare("ost.compared", ">=", OSTS.id)),
    condition=AllOf(
        (
            Compare("ost.load", ">=", LOAD.id),
            Compare("ost.load_of_most", ">=", MOST.id),
            Compare("ost.slowness", ">=", SLOWNESS.id),
            IsOneOf("ost.ranks_elsewhere", ("as others", "unknown")),
        )
    ),
    thresholds=(LOAD, MOST, SLOWNESS, OSTS),
    citations=(LEAVE_IT,),
    says=says,
    advise=advise,
    impact=impact,
    confidence="inferred",
    explains=("below-expectation", "straggler-rank", "uneven-files"),
    claims=(
        Claim(("reads", "writes", "exchange", "streams"), BeyondOnce("ost.slowness")),
        Claim(("imbalance",)),
    ),
)

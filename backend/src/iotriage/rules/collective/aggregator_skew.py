"""Most collective calls keep only part of the aggregators busy.

## What it does
Reads the histogram of `MPICH_MPIIO_STATS` that says in how many collective calls one, at most half, more than half or
all of the aggregators wrote. It holds when fewer than half were active on average **although** a call brought enough
data for all of them: at least one stripe each.

## Why it matters
The aggregators split the file by stripes. When the data of a call lies on few stripes, because it is not aligned or
jumps through the file, the others wait while a few write.

## What to do
Write larger contiguous blocks in each collective call, begin them on stripe boundaries, and let the aligned default
(`cb_align` 2) be.

## Limits
With one aggregator the four bins are the same and nothing can be concluded. Small calls cannot use all aggregators and
are not reported. The mean lies between two bounds, since the bins are wide; it is the upper one that is judged.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.snippets import ALIGNMENT
from iotriage.rules.core.condition import AllOf, Compare, given
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Advice, Citation, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.core.weight import share_of_job
from iotriage.rules.core.words import number, paragraph, sentence, share, told

ACTIVE = Threshold(
    "aggregator-skew.utilisation",
    "Mean share of the aggregators that write in a collective call, at most",
    0.50,
    "share",
    Source(PROJECT, "aggregator activity", "The Theta example has all of 48 active in every call; half is ours."),
    0.0,
    1.0,
)
FULL = Threshold(
    "aggregator-skew.bytes-per-call",
    "Bytes of a collective call over aggregators × stripe size",
    1.0,
    "ratio",
    Source(PROJECT, "aggregator activity", "With less than one stripe each, not all aggregators can have something."),
    0.1,
    100.0,
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("aggregator-skew")

SAMPLE = Citation("theta-io", "MPICH_MPIIO_STATS=1 Sample Output for IOR")


def says(context: Context) -> Words:
    bins = (context.number(f"mpiio.aggregators_active_{name}") for name in ("one", "low", "high", "all"))
    return Words(
        "Collective calls keep only part of the aggregators busy, though there is data for all.",
        paragraph(
            sentence(
                "On {}, at most {} of {} aggregators were active on average.",
                these_files(context),
                told(context.number("mpiio.aggregator_utilisation_high"), share),
                told(context.number("mpiio.aggregators"), number),
            ),
            sentence(
                "One was active in {} calls, at most half in {}, more than half in {}, all in {}.",
                *(told(b, number) for b in bins),
            ),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        Advice(
            "Give each collective call larger contiguous blocks, and begin every dataset on a stripe boundary.",
            ALIGNMENT.c,
            "code",
            Citation("archer-bpg", "Lustre basic concepts"),
            ALIGNMENT.fortran,
        ),
    )


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="aggregator-skew",
    title="Part of the aggregators wait",
    clear_title="The aggregators are evenly active",
    scope="group",
    severity="medium",
    priority=40,
    requires=AllOf(
        (
            given("mpiio.aggregator_utilisation_high"),
            Compare("mpiio.bytes_per_collective_call_per_aggregator_stripe", ">=", FULL.id),
            CARRIES_WEIGHT,
        )
    ),
    condition=Compare("mpiio.aggregator_utilisation_high", "<", ACTIVE.id),
    thresholds=(ACTIVE, FULL, WEIGHT),
    citations=(SAMPLE,),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "system-writes-not-stripe-sized",
    ),
)

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

from iotriage.rules.advice.calls import align_to_stripes, these_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import WRITES_OF_FEW, Claim, ProductOf, ShortOf
from iotriage.rules.core.condition import AllOf, Compare, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share

ACTIVE = Threshold(
    id="aggregator-skew.utilisation",
    title="Mean share of the aggregators that write in a collective call, at most",
    default=0.50,
    unit="share",
    stated_by=ours("aggregator activity", "The Theta example has all of 48 active in every call; half is ours."),
)
FULL = Threshold(
    id="aggregator-skew.bytes-per-call",
    title="Bytes of a collective call over aggregators × stripe size",
    default=1.0,
    unit="ratio",
    stated_by=ours("aggregator activity", "With less than one stripe each, not all aggregators can have something."),
    slider=logarithmic(0.1, 100.0),
)

SAMPLE = Citation("theta-io", "MPICH_MPIIO_STATS=1 Sample Output for IOR")


def says(context: Context) -> Words:
    bins = (context.number(f"mpiio.aggregators_active_{name}") for name in ("one", "low", "high", "all"))
    return Words(
        "Collective calls keep only part of the aggregators busy, though there is data for all.",
        paragraph(
            sentence(
                "On {}, at most {} of {} aggregators were active on average.",
                these_files(context),
                formatted(context.number("mpiio.aggregator_utilisation_high"), share),
                formatted(context.number("mpiio.aggregators"), number),
            ),
            sentence(
                "One was active in {} calls, at most half in {}, more than half in {}, all in {}.",
                *(formatted(b, number) for b in bins),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    source = Citation("archer-bpg", "Lustre basic concepts")
    text = "Give each collective call larger contiguous blocks, and begin every"
    return (align_to_stripes(context, text, context.file, source),)


_IDLE = ShortOf("mpiio.aggregator_utilisation_high")
"""Were all of them active, as much would be written in the rest of the time."""

rule = Rule(
    id="aggregator-skew",
    title="Part of the aggregators wait",
    clear_title="The aggregators are evenly active",
    scope="group",
    severity="medium",
    priority=40,
    carries=share_of_job,
    requires=AllOf(
        (
            when_present("mpiio.aggregator_utilisation_high"),
            Compare("mpiio.bytes_per_collective_call_per_aggregator_stripe", ">=", FULL.id),
        )
    ),
    condition=Compare("mpiio.aggregator_utilisation_high", "<", ACTIVE.id),
    thresholds=(ACTIVE, FULL),
    citations=(SAMPLE,),
    says=says,
    advise=advise,
    explains=(
        "below-expectation",
        "system-writes-not-stripe-sized",
    ),
    claims=(
        Claim(("writes", "exchange"), _IDLE),
        Claim(("imbalance",), ProductOf((WRITES_OF_FEW, _IDLE))),
    ),
)

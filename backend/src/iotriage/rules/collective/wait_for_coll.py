"""Most of the time goes in waiting for collective operations, because ranks come to them late.

## What it does
Reads the phases of `MPICH_MPIIO_TIMERS`, those of all files together, each by how long it took. It holds when `wait for
coll` takes most of the time **and** the `imbalance` row is large too.

## Why it matters
A collective call goes on when the last rank has come. Ranks that come late, from uneven work before the call or from
uneven amounts of data in it, keep all others waiting, and no setting of the file system changes that.

## What to do
Even out the work before the call and the data in it, or collect the data of each node on one of its ranks first, so
that fewer ranks wait for one another.

## Limits
Waiting alone is no fault: while the aggregators write, the others wait for them, and in the healthy run that is
published for Theta half of the time is such waiting, with no imbalance. Such runs are not reported. The rows overlap
and do not add to the total. The manual does not define them closely; a tenth as a large imbalance is ours.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import collect_by_node, these_files
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Statement,
    Threshold,
    Words,
    advice,
    ours,
    share_of_measured_time,
)
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import AllOf, Compare, given
from iotriage.rules.core.words import paragraph, seconds, sentence, share, told

SAMPLE = Citation("theta-io", "MPICH_MPIIO_TIMERS=1 Sample Output for IOR")

WAIT = Threshold(
    id="wait-for-coll.wait",
    title="Share of the time in waiting for collective operations",
    default=0.50,
    unit="share",
    stated_by=Statement(
        SAMPLE.document, SAMPLE.section, "In a healthy run half of the time is waiting: alone it says nothing."
    ),
    minimum=0.0,
    maximum=1.0,
)
IMBALANCE = Threshold(
    id="wait-for-coll.imbalance",
    title="Share of the time lost to imbalance, from which ranks come late",
    default=0.10,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 0 %; a tenth of the time is ours."),
    minimum=0.0,
    maximum=1.0,
)


def says(context: Context) -> Words:
    return Words(
        "Ranks come late to the collective calls, and all others wait for them.",
        paragraph(
            sentence(
                "Of the time in MPI-IO on {}, {} is waiting for collective operations and {} is imbalance.",
                these_files(context),
                told(context.number("timers.wait_for_coll_fraction"), share),
                told(context.number("timers.imbalance_fraction"), share),
            ),
            sentence(
                "Writing the file takes {} of it, at the same time.",
                told(context.number("timers.file_write_fraction"), share),
            ),
            sentence("That time is {}.", told(context.number("timers.total_time"), seconds)),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    even = advice(
        "Give every rank as much to do before the call, and as much data in it, as the others have; put work that only "
        "some ranks have after the output.",
        citation=SAMPLE,
    )
    return (even, collect_by_node(SAMPLE))


rule = Rule(
    id="wait-for-coll",
    title="Ranks come late to collective calls",
    clear_title="Ranks come to the collective calls together",
    scope="group",
    severity="high",
    priority=56,
    carries=share_of_measured_time,
    requires=AllOf(
        (
            given("timers.wait_for_coll_fraction"),
            given("timers.imbalance_fraction"),
        )
    ),
    condition=AllOf(
        (
            Compare("timers.wait_for_coll_fraction", ">=", WAIT.id),
            Compare("timers.imbalance_fraction", ">=", IMBALANCE.id),
        )
    ),
    thresholds=(WAIT, IMBALANCE),
    citations=(SAMPLE,),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(Claim(("exchange",), ShareOf("timers.wait_for_coll_fraction")),),
)

"""Collective writes spend their time on sending data to the aggregators, not on writing it.

## What it does
Reads the phases of `MPICH_MPIIO_TIMERS` for the file with the most bytes. It holds when `data send` takes most of the
time **and** `file write` takes little of it.

## Why it matters
The ranks send their data to the aggregators, which write it. The two run at the same time on different ranks, so long
sending beside long writing costs nothing. Where the writing is short, the network between ranks and aggregators is
what the job waits for, and more stripes would not help.

## What to do
Spread the aggregators over more nodes, so that each node's network link receives less, and see where they are. Or
collect the data of each node on one of its ranks first: fewer and larger messages.

## Limits
In the two published examples sending takes 39 % and 47 % beside 44 % and 86 % of writing; no document says how much is
too much. The rows overlap and do not add to the total. The time of `file write` is the average over the ranks that
write.
"""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import PLACEMENT
from iotriage.rules.advice.calls import collect_by_node, these_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours, share_of_measured_time
from iotriage.rules.core.action import AskFor, Export
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import AllOf, Compare, given
from iotriage.rules.core.words import counted, paragraph, seconds, sentence, share, size, told

SAMPLE = Citation("theta-io", "MPICH_MPIIO_TIMERS=1 Sample Output for IOR")
VARIABLES = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")

SEND = Threshold(
    id="data-send-bound.send",
    title="Share of the time in sending data to the aggregators",
    default=0.50,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 39 %; half of the time is ours."),
    minimum=0.0,
    maximum=1.0,
)
WRITE = Threshold(
    id="data-send-bound.write",
    title="Share of the time in writing the file, below which the storage is not what is waited for",
    default=0.25,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 44 %; a quarter of the time is ours."),
    minimum=0.0,
    maximum=1.0,
)


def says(context: Context) -> Words:
    return Words(
        "Collective writes wait for the network to the aggregators, not for the file system.",
        paragraph(
            sentence(
                "Of the time in MPI-IO on {}, {} is sending data to the aggregators; writing it takes {}.",
                these_files(context),
                told(context.number("timers.data_send_fraction"), share),
                told(context.number("timers.file_write_fraction"), share),
            ),
            sentence("That time is {}.", told(context.number("timers.total_time"), seconds)),
            sentence(
                "{} wrote the file; data went to them at {}.",
                told(context.number("timers.writing_ranks"), lambda n: counted(n, "rank")),
                told(context.number("timers.data_send_bandwidth"), lambda rate: f"{size(rate)}/s"),
            ),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    spread = advice(
        "Spread the aggregators over all nodes of the job, and see on which ones they are.",
        Export("MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE", "-1"),
        AskFor(PLACEMENT),
        citation=VARIABLES,
    )
    return (spread, collect_by_node(SAMPLE))


rule = Rule(
    id="data-send-bound",
    title="Sending to the aggregators takes the time",
    clear_title="Sending to the aggregators is not what takes the time",
    scope="group",
    severity="high",
    priority=55,
    carries=share_of_measured_time,
    requires=AllOf(
        (
            given("timers.data_send_fraction"),
            given("timers.file_write_fraction"),
        )
    ),
    condition=AllOf(
        (
            Compare("timers.data_send_fraction", ">=", SEND.id),
            Compare("timers.file_write_fraction", "<", WRITE.id),
        )
    ),
    thresholds=(SEND, WRITE),
    citations=(SAMPLE, VARIABLES),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(Claim(("exchange",), ShareOf("timers.data_send_fraction")),),
)

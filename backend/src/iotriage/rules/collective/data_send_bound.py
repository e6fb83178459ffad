"""Collective calls spend their time on moving data to or from the aggregators, not on the file.

## What it does
Reads the phases of `MPICH_MPIIO_TIMERS`, those of all files together, each by how long it took. It holds when `data
send` takes most of the time **and** `file write` takes little of it; of reads, `data receive` and `file read`.

## Why it matters
The ranks send their data to the aggregators, which write it, or receive what these have read. The two run at the same
time on different ranks, so long sending beside long writing costs nothing. Where the file takes little, the network
between ranks and aggregators is what the job waits for, and more stripes would not help.

## What to do
See on which nodes the aggregators are, and spread them over all where they are on a few, so that each node's network
link carries less. Or collect the data of each node on one of its ranks first: fewer and larger messages.

## Limits
In the two published examples sending takes 39 % and 47 % beside 44 % and 86 % of writing; no document says how much is
too much. The rows overlap and do not add to the total. The time of the file is the average over the ranks that access
it.
"""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import PLACEMENT
from iotriage.rules.advice.calls import collect_by_node, these_files
from iotriage.rules.collective import few_nodes
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Threshold,
    Words,
    advice,
    ours,
    share_of_measured_time,
    withheld,
)
from iotriage.rules.core.action import AskFor, Export
from iotriage.rules.core.claim import Claim, LargestOf, SecondsOf
from iotriage.rules.core.condition import Compare, Present, any_of, when_present
from iotriage.rules.core.words import formatted, number, paragraph, plural, seconds, sentence, share, size

SAMPLE = Citation("theta-io", "MPICH_MPIIO_TIMERS=1 Sample Output for IOR")
VARIABLES = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")

SEND = Threshold(
    id="data-send-bound.send",
    title="Share of the time in moving data to or from the aggregators",
    default=0.50,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 39 %; half of the time is ours."),
)
WRITE = Threshold(
    id="data-send-bound.write",
    title="Share of the time in accessing the file, below which the storage is not what is waited for",
    default=0.25,
    unit="share",
    stated_by=ours("phases of MPI-IO", "The healthy run on Theta has 44 %; a quarter of the time is ours."),
)


def says(context: Context) -> Words:
    if _of_reads(context):
        return Words(
            "Collective reads wait for the network from the aggregators, not for the file system.",
            paragraph(
                sentence(
                    "Of the time in MPI-IO on {}, {} is receiving data from the aggregators; reading it takes {}.",
                    these_files(context),
                    formatted(context.number("timers.data_receive_fraction"), share),
                    formatted(context.number("timers.file_read_fraction"), share),
                ),
                sentence("That time is {}.", formatted(context.number("timers.total_time"), seconds)),
            ),
        )
    return Words(
        "Collective writes wait for the network to the aggregators, not for the file system.",
        paragraph(
            sentence(
                "Of the time in MPI-IO on {}, {} is sending data to the aggregators; writing it takes {}.",
                these_files(context),
                formatted(context.number("timers.data_send_fraction"), share),
                formatted(context.number("timers.file_write_fraction"), share),
            ),
            sentence("That time is {}.", formatted(context.number("timers.total_time"), seconds)),
            sentence(
                "{} wrote the file; data went to them at {}.",
                formatted(context.number("timers.writing_ranks"), lambda n: plural(n, "rank")),
                formatted(context.number("timers.data_send_bandwidth"), lambda rate: f"{size(rate)}/s"),
            ),
        ),
    )


def _of_reads(context: Context) -> bool:
    sent, received = (context.number(f"timers.data_{way}_fraction") or 0.0 for way in ("send", "receive"))
    return received > sent


def advise(context: Context) -> tuple[Advice, ...]:
    spread = _spread(context)
    if _of_reads(context):
        return (spread,)
    if spread.withheld is not None:
        return (collect_by_node(SAMPLE, "Collect"), spread)
    return (spread, collect_by_node(SAMPLE))


def _spread(context: Context) -> Advice:
    """Over all nodes is what the library does by itself: it is asked for where the table shows that it did not, or that
    most are on one."""
    holding, nodes = context.number("mpiio.aggregator_nodes"), context.number("job.nnodes")
    aggregators = context.number("mpiio.aggregators")
    several = few_nodes.by_table(context) and (aggregators or 0.0) > (nodes or 0.0)
    uneven = several and context.holds(Compare("balance.nodes_per_moving_node", ">=", few_nodes.NODES.id))
    if holding is not None and nodes is not None and (holding < min(nodes, aggregators or nodes) or uneven):
        most = formatted(context.number("balance.busiest_node_fraction"), share)
        now = "one holds" if holding == 1 else f"{number(holding)} hold"
        if uneven and most is not None and not few_nodes.are_even(context):
            now = f"one has {most} of"
        over = "all" if aggregators is None or aggregators >= nodes else f"{number(aggregators)} of the"
        return advice(
            f"Spread the aggregators over {over} {number(nodes)} nodes: {now} them now.",
            Export("MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE", "-1"),
            citation=VARIABLES,
        )
    if holding is not None and nodes is not None:
        where = f"they are on all {number(nodes)} nodes" if holding >= nodes else "each has a node of its own"
        return withheld("to spread the aggregators", where, VARIABLES)
    return advice(
        "See on which nodes the aggregators are: where several share one, its network link carries the data of all.",
        AskFor(PLACEMENT),
        citation=VARIABLES,
    )


rule = Rule(
    id="data-send-bound",
    title="The exchange with the aggregators takes the time",
    clear_title="The exchange with the aggregators is not what takes the time",
    scope="group",
    severity="high",
    priority=55,
    carries=share_of_measured_time,
    requires=any_of(
        when_present("timers.data_send_fraction", Present("timers.file_write_fraction")),
        when_present("timers.data_receive_fraction", Present("timers.file_read_fraction")),
    ),
    condition=any_of(
        when_present(
            "timers.file_write_fraction",
            Compare("timers.data_send_fraction", ">=", SEND.id),
            Compare("timers.file_write_fraction", "<", WRITE.id),
        ),
        when_present(
            "timers.file_read_fraction",
            Compare("timers.data_receive_fraction", ">=", SEND.id),
            Compare("timers.file_read_fraction", "<", WRITE.id),
        ),
    ),
    thresholds=(SEND, WRITE),
    citations=(SAMPLE, VARIABLES),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(
        Claim(("exchange",), LargestOf((SecondsOf("timers.data_send_time"), SecondsOf("timers.data_receive_time")))),
    ),
)

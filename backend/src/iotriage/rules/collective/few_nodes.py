"""All ranks that move the bytes, or most, are on one node, or on few of many.

## What it does
Looks on which nodes the ranks are that read and write in the calls to the storage, by Darshan's records of single
ranks, its traces or heatmap, or by the placement table of Cray MPICH. The nodes are counted as if each moved as much as
the busiest, for which all others wait. It holds where that one has several of these ranks, the files have more stripes
than so few nodes can be expected to fill, and it moves so much that its link may be what is waited for. Where the nodes
are only counted, ranks are taken to fill one after the other, as launchers place them unless told otherwise; of a
placement table each aggregator is taken to move as much.

## Why it matters
A node is one client of the file system and has one network link, or a few: all bytes pass through it, and the data of
all other nodes has to come there first. The same ranks on as many nodes have as many links. ROMIO takes one aggregator
of each node by itself, and ARCHER2's guide has a file per node.

## What to do
Where the program or a library chooses them, have them lie apart: PIO has a stride for it. Where the MPI library does,
take out what puts them together, or ask for some of every node.

## Limits
Ranks that only do I/O, as XIOS' servers, may write while the others compute: no log says who waits for them. Where the
program chose the ranks they may be a part of it that writes its own data, and it takes fewer nodes to hold. With few
stripes those are mended first.
"""

from __future__ import annotations

import math
import re

from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.rules.access.fast_rates import total_rate_threshold
from iotriage.rules.advice.calls import hints, mostly_reads, these_files
from iotriage.rules.advice.packages import package_among
from iotriage.rules.advice.packages.package import IoRanks
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.action import Export, RunCommand
from iotriage.rules.core.claim import SHARED_FILE, Claim
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.saving import may_be_servers
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, share, size

NODES = Threshold(
    id="few-nodes.nodes",
    title="Nodes for each as busy as the busiest, from which these are few",
    default=2.0,
    unit="ratio",
    stated_by=ours("few nodes", "As for few writers: libraries take one of each node, and half of that is ours."),
    slider=logarithmic(1.0, 1024.0),
)
OF_PROGRAM = Threshold(
    id="few-nodes.nodes-by-program",
    title="Nodes for each as busy as the busiest, from which these are few where the program chose the ranks",
    default=8.0,
    unit="ratio",
    stated_by=ours("few nodes", "A part of a coupled program may have its own nodes, and write its own data there."),
    slider=logarithmic(1.0, 1024.0),
)
RANKS = Threshold(
    id="few-nodes.ranks",
    title="Ranks that move the bytes on the busiest node, from which they can be spread",
    default=2.0,
    unit="ranks",
    stated_by=ours("few nodes", "One alone cannot: see serial-io, few-writers and few-aggregators."),
    slider=logarithmic(1.0, 512.0),
)
STRIPES = Threshold(
    id="few-nodes.stripes",
    title="Stripes in use for each node as busy as the busiest, from which the nodes are what is few",
    default=4.0,
    unit="ratio",
    stated_by=ours("few nodes", "Four OSTs at the rate that ARCHER's guide has for one are 2 GB/s; that it is four."),
    slider=logarithmic(1.0, 512.0),
)
BYTES = Threshold(
    id="few-nodes.bytes",
    title="Bytes read and written from which it matters who moves them",
    default=float(2**30),
    unit="B",
    stated_by=ours("few nodes", "Below 1 GiB a node is done before it matters."),
    slider=logarithmic(float(2**20), float(2**44)),
)
WORKING = Threshold(
    id="few-nodes.working",
    title="Rate of the busiest node, from which it is what the bytes wait for",
    default=SERIAL_WRITER / 2,
    unit="B/s",
    stated_by=ours("few nodes", "Half of what ARCHER's guide has for one writer; below, they wait for something else."),
    slider=logarithmic(1e5, 1e11),
)
TOGETHER = total_rate_threshold("few-nodes", "Rate of all ranks together, from which such nodes are enough")

A_NODE = Citation("archer2-io", "File-per-node (FPN)")
VARIABLES = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")

XIOS = re.compile(r"(nemo|xios_server)(\.exe)?", re.IGNORECASE)
"""The names of programs for which servers of XIOS write."""


EVEN = 0.05
"""Of the bytes: the difference up to which the busiest node has as many as each of the others that move them."""


def says(context: Context) -> Words:
    nodes, does = context.number("balance.moving_nodes"), _do(context)
    each = "it" if nodes == 1 else "each of these nodes"
    evenly = are_even(context)
    return Words(
        _headline(context, does) or f"All ranks that {does} the data are on few nodes.",
        paragraph(
            sentence(
                f"{{}}: {{}} on {each if evenly else 'that node'} moved {'' if evenly else 'their part of '}{{}} "
                "at {}/s.",
                these_files(context),
                formatted(context.number("balance.ranks_per_moving_node"), lambda n: plural(round(n), "rank")),
                formatted(context.number("io.bytes"), size),
                formatted(context.number("io.bandwidth" if evenly else "balance.moving_node_rate"), size),
            ),
            None if evenly or not by_table(context) else "Each aggregator is taken to move as much as another.",
            _by_count(context),
            None if _of_library(context) else _that_they_wait(context),
        ),
    )


def _headline(context: Context, does: str) -> str | None:
    nodes, all_nodes = context.number("balance.moving_nodes"), context.number("balance.moving_step_nodes")
    of_nodes = formatted(all_nodes, lambda n: plural(n, "node"))
    if are_even(context):
        return sentence(f"All ranks that {does} the data are on {{}} of {{}}.", formatted(nodes, number), of_nodes)
    has = "has {} of the aggregators" if by_table(context) else f"{does}s {{}} of the data"
    return sentence(f"One of {{}} {has}.", of_nodes, formatted(context.number("balance.busiest_node_fraction"), share))


def is_even(nodes: float, fraction: float) -> bool:
    """Whether the nodes that move the bytes have as much each, by their number and the part of the busiest."""
    return abs(fraction - 1.0 / nodes) <= EVEN / nodes


def are_even(context: Context) -> bool:
    nodes, fraction = context.number("balance.moving_nodes"), context.number("balance.busiest_node_fraction")
    return nodes is None or fraction is None or is_even(nodes, fraction)


def by_table(context: Context) -> bool:
    """Whether the nodes are those of the placement table: they are known then, and what each moves is not."""
    return context.word("balance.moving_nodes_told_by") == "aggregators"


def _moving(context: Context) -> float:
    """The ranks that move the bytes, on all nodes."""
    of_busiest = context.number("balance.ranks_per_moving_node") or 1.0
    return of_busiest / (context.number("balance.busiest_node_fraction") or 1.0)


def _that_they_wait(context: Context) -> str:
    text = "Whether the others wait meanwhile is not in the log."
    if not _may_serve(context):
        return text
    return (
        f"{text} Those that write are the last ranks: as I/O servers, such as those of WRF, ICON and XIOS, they write "
        "while the others compute, and nobody waits but where they are not done when the next output comes."
    )


def _may_serve(context: Context) -> bool:
    """Not ranks that are chosen by a stride: those compute as the others do."""
    its_own = _io_ranks(context)
    by_stride = its_own is not None and its_own.stride is not None
    last = context.word("balance.movers_last") == "yes" or may_be_servers(context)
    return last and not mostly_reads(context) and not by_stride


def _io_ranks(context: Context) -> IoRanks | None:
    package = package_among([context.program or ""])
    return None if package is None else package.io_ranks


def _by_count(context: Context) -> str | None:
    found = context.metrics.get("balance.moving_nodes")
    if found is None or found.confidence != "inferred":
        return None
    return "No source names the node of each rank: they are taken to fill one node after the other."


def _of_library(context: Context) -> bool:
    return context.word("balance.moved_by") == "library"


def _do(context: Context) -> str:
    return "read" if mostly_reads(context) else "write"


def advise(context: Context) -> tuple[Advice, ...]:
    if _of_library(context):
        return _from_the_library(context)
    servers = _may_serve(context) and not XIOS.fullmatch(context.program or "")
    return _of_servers() if servers else (_from_the_program(context),)


def _of_servers() -> tuple[Advice, ...]:
    see = "Time an output on the ranks that compute: where it takes them no longer than to hand over, nobody waits."
    more = "Where an output takes the ranks that compute longer, have more ranks write, so that these fill more nodes."
    return (advice(see, citation=A_NODE), in_program(more, citation=A_NODE))


def _from_the_program(context: Context) -> Advice:
    """PIO has a stride for it; servers that are started for it lie where they are started."""
    moving = max(1, round(_moving(context)))
    apart = int((context.number("balance.moving_step_ranks") or moving) // moving)
    program, opening = context.program or "", f"Let the ranks that {_do(context)} lie on different nodes"
    if XIOS.fullmatch(program):
        text = (
            f"{opening}: start the XIOS servers a few to a node, in a step of their own (srun with a colon between the "
            "programs) or by a machine file, instead of one after the other."
        )
        return advice(text, citation=A_NODE)
    if apart < EVERY_OTHER:
        # Nodes with far more ranks than others: no distance between ranks leads from one node to the next.
        all_nodes = context.number("balance.moving_step_nodes") or 1.0
        each = f"{number(math.ceil(moving / all_nodes))} of each of the {number(all_nodes)} nodes, where it has so many"
        return advice(f"{opening}: {each}.", citation=A_NODE)
    every = f"{number(moving)} of them, every {number(apart)}{_ordinal(apart)} rank"
    of_it = _io_ranks(context)
    if of_it is not None and of_it.stride is not None:
        where = f"{of_it.where[:1].upper()}{of_it.where[1:]}"
        if of_it.command is not None:
            set_them = RunCommand((of_it.command, f"{of_it.number}={moving},{of_it.stride}={apart}"))
            return advice(f"{opening}: {every}. {where}:", set_them, citation=A_NODE)
        named = f"{of_it.number} = {moving}, {of_it.stride} = {apart}"
        return advice(f"{opening}: {every}. {where} {named}.", citation=A_NODE)
    text = f"{opening}: {every}. Libraries that gather have a stride or a number for each node, as PIO's stride."
    return advice(text, citation=A_NODE)


EVERY_OTHER = 2
"""Distance between the ranks, from which some are left out."""


def _ordinal(n: int) -> str:
    if n % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def _from_the_library(context: Context) -> tuple[Advice, ...]:
    """Cray MPICH goes round the nodes by itself: what has it do otherwise is named."""
    nodes = context.number("balance.moving_step_nodes")
    if nodes is None:
        return ()
    of_each = number(math.ceil(round(_moving(context)) / nodes))
    library = context.word("mpi.library") or context.site.mpi_library
    opening = f"Spread the aggregators over the {number(nodes)} nodes"
    given: list[Advice] = []
    if library in (None, CRAY_MPICH):
        given.append(
            advice(
                f"{opening}, as Cray MPICH does by itself: take out a hint cb_config_list that names nodes or keeps "
                "them on one.",
                Export("MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE", "-1"),
                citation=VARIABLES,
                lead="With Cray MPICH, in the job script:",
            )
        )
    if library != CRAY_MPICH:
        text = f"{opening}: {of_each} of each." if not given else ""
        of_others = hints(context, text, A_NODE, ("cb_config_list", f"*:{of_each}"))
        given += of_others[-1:]
    return tuple(given)


rule = Rule(
    id="few-nodes",
    title="Few nodes move the bytes of all",
    clear_title="The ranks that move the bytes are on enough nodes",
    scope="group",
    severity="medium",
    priority=28,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("file.on_nodes", ("several",)),
            when_present("balance.ranks_per_moving_node", Compare("io.bytes", ">=", BYTES.id)),
        )
    ),
    condition=AllOf(
        (
            Compare("balance.nodes_per_moving_node", ">=", NODES.id),
            AnyOf(
                (
                    IsOneOf("balance.moved_by", ("library",)),
                    AllOf(
                        (
                            IsOneOf("balance.moved_by", ("program",)),
                            Compare("balance.nodes_per_moving_node", ">=", OF_PROGRAM.id),
                        )
                    ),
                )
            ),
            Compare("balance.ranks_per_moving_node", ">=", RANKS.id),
            Compare("balance.moving_node_rate", ">=", WORKING.id),
            Compare("io.bandwidth", "<", TOGETHER.id),
            AnyOf(
                (
                    IsOneOf("file.one_stripe", ("unknown",)),
                    when_present(
                        "balance.stripes_per_moving_node", Compare("balance.stripes_per_moving_node", ">=", STRIPES.id)
                    ),
                )
            ),
        )
    ),
    thresholds=(BYTES, NODES, OF_PROGRAM, RANKS, STRIPES, WORKING, TOGETHER),
    citations=(A_NODE, VARIABLES),
    says=says,
    advise=advise,
    explains=(
        "below-expectation",
        "subfile",
        "few-aggregators",
        "aggregator-skew",
        "ssf-understriped",
        "data-send-bound",
    ),
    claims=(Claim(SHARED_FILE),),
)

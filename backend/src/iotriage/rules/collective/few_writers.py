"""A few ranks, evenly spread over the job, move all of its bytes, or all of some output, each in files of its own.

## What it does
Counts the ranks that move nearly all bytes, as much each, in files that are not written with collective calls; beside
what other ranks move, those that alone have files of one kind. It holds where there are several, not one for two nodes,
they lie evenly among the ranks, as those that a library or a program picks, and all of them together are not fast.
Ranks that lie beside one another are not meant: they may be servers that write while the others compute. Of one rank
alone see serial-io, of collective calls few-aggregators.

## Why it matters
Each writer is one client: some nodes' network links carry the data of all, and with a stripe a file only as many OSTs
work as there are writers. ARCHER2's guide has a file per node as the compromise between one for all and one for each
process; on Theta a file per node was as fast as a file per process.

## What to do
Raise the number of writers, to one of each node at least: programs and libraries that gather have a setting for it.

## Limits
Where no source states the nodes, they are as few as can hold the ranks. Whether the others wait or compute meanwhile,
no log says: a program that sends its data away and goes on waits for nobody.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import average_of
from iotriage.rules.access.fast_rates import total_rate_threshold
from iotriage.rules.advice.buffering import with_buffer_code
from iotriage.rules.advice.files_of_one_rank import more_aggregators
from iotriage.rules.advice.packages import unless_known
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    in_program,
    ours,
)
from iotriage.rules.core.claim import Claim, SecondsOf, ShareOf
from iotriage.rules.core.condition import Compare, all_of, any_of, when_present
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, sentence, size

SEVERAL = Threshold(
    id="few-writers.ranks",
    title="Ranks that move the bytes, from which they are several",
    default=2.0,
    unit="ranks",
    stated_by=ours("few writers", "One alone is another matter: serial-io."),
    slider=logarithmic(2.0, 1024.0),
)
NODES = Threshold(
    id="few-writers.nodes",
    title="Nodes for each of them, from which they are few",
    default=2.0,
    unit="ratio",
    stated_by=ours("few writers", "Guides and libraries have one of each node; fewer than one for two is ours."),
    slider=logarithmic(1.0, 1024.0),
)
APART = Threshold(
    id="few-writers.apart",
    title="Largest distance from one of them to the next over the mean, up to which they are evenly spread",
    default=1.5,
    unit="ratio",
    stated_by=ours("few writers", "Servers lie at the end; where all nodes have as many ranks it is 1."),
    slider=logarithmic(1.0, 1024.0),
)
BYTES = Threshold(
    id="few-writers.bytes",
    title="Bytes read and written from which their number matters",
    default=float(2**30),
    unit="B",
    stated_by=ours("few writers", "Below 1 GiB a few ranks are done before it matters."),
    slider=logarithmic(float(2**20), float(2**44)),
)
TOGETHER = total_rate_threshold("few-writers", "Rate of all ranks together, from which such writers are enough")
A_NODE = Citation("archer2-io", "File-per-node (FPN)")


def _reads(context: Context) -> bool:
    return context.word("balance.movers_alike_way") == "reads"


def says(context: Context) -> Words:
    ranks, does = context.number("balance.movers_alike"), "read" if _reads(context) else "write"
    files = context.word("balance.movers_alike_files")
    what = does if files is None else f"{does} {printable(files)}"
    more = "" if context.number("balance.nodes_per_mover") is not None else " or more"
    return Words(
        sentence(
            f"{{}} of {{}} {what} for all, one for {{}}{more}.",
            formatted(ranks, number),
            formatted(context.number("balance.movers_alike_among"), lambda n: plural(n, "rank")),
            formatted(_nodes_of_each(context), lambda n: plural(n, "node")),
        )
        or f"A few ranks {what} for all.",
        paragraph(
            sentence(
                "They moved {} at {}/s,",
                formatted(context.number("balance.movers_alike_bytes"), size),
                formatted(context.number("balance.movers_alike_rate"), size),
            ),
            sentence("{}/s each.", formatted(_rate_of_each(context), size)),
            "Whether the others wait meanwhile is not in the log.",
        ),
    )


def _nodes_of_each(context: Context) -> float | None:
    """Where no source states how many nodes there are, the fewest."""
    stated = context.number("balance.nodes_per_mover")
    return context.number("balance.nodes_per_mover_at_least") if stated is None else stated


def _rate_of_each(context: Context) -> float | None:
    rate, ranks = context.number("balance.movers_alike_rate"), context.number("balance.movers_alike")
    return None if rate is None or not ranks else rate / ranks


SMALL = average_of(2**18)
"""Bytes of an access below which larger ones are tried first: a quarter of a default stripe."""


def advise(context: Context) -> tuple[Advice, ...]:
    return (*_in_blocks(context), *_by_more_ranks(context))


def _in_blocks(context: Context) -> tuple[Advice, ...]:
    """Where each moves small pieces, and others move bytes beside them: else that is said of all of the job's."""
    piece, files = context.number("balance.movers_alike_piece"), context.word("balance.movers_alike_files")
    if piece is None or piece >= SMALL or files is None or (_rate_of_each(context) or 0.0) >= SERIAL_WRITER:
        return ()
    reads = _reads(context)
    does = "Read" if reads else "Write"
    text = f"{does} {printable(files)} in blocks of 1 MiB or more: now an access moves {size(piece)}."
    layer = context.word("io.layer")
    return (with_buffer_code(context, text, layer, A_NODE, reads=reads, file=files, each=piece),)


def _by_more_ranks(context: Context) -> tuple[Advice, ...]:
    if _reads(context):
        return (in_program("Let every rank, or one of each node at least, read its part by itself.", A_NODE),)
    if context.word("file.subfiles_of") == "ADIOS2":
        return (more_aggregators(context, A_NODE),)
    text = paragraph(
        "Let more ranks write, one of each node at least, and see whether the output takes less time.",
        unless_known(context.program, _NUMBERS),
    )
    return (in_program(text, A_NODE),)


_NUMBERS = (
    "Programs that gather have a number for it: in AMReX amr.plot_nfiles and amr.checkpoint_nfiles, with Silo's PMPIO "
    "the number of files, with HDF5's subfiling H5FD_SUBFILING_IOC_PER_NODE."
)


def impact(context: Context) -> Impact | None:
    nodes = _nodes_of_each(context)
    if nodes is None or nodes <= 1:
        return None
    cure, moved = "one rank of each node moved a part at the same time", context.number("balance.movers_alike_bytes")
    return documented_saving(context, cure, most=1 - 1 / nodes, bytes_left=moved)


_AT_LEAST = Compare("balance.nodes_per_mover_at_least", ">=", NODES.id)

rule = Rule(
    id="few-writers",
    title="Few ranks write for all",
    clear_title="The output does not wait for a few ranks that are evenly spread over many nodes",
    scope="job",
    severity="medium",
    priority=77,
    requires=when_present("balance.movers_alike", Compare("balance.movers_alike_bytes", ">=", BYTES.id)),
    condition=all_of(
        Compare("balance.movers_alike", ">=", SEVERAL.id),
        # Where the fewest nodes that there can be are not enough, it is their number that settles it.
        any_of(
            Compare("balance.nodes_per_mover", ">=", NODES.id),
            when_present("balance.nodes_per_mover_at_least", _AT_LEAST),
        ),
        Compare("balance.movers_apart", "<=", APART.id),
        when_present("balance.movers_alike_rate", Compare("balance.movers_alike_rate", "<", TOGETHER.id)),
    ),
    thresholds=(BYTES, SEVERAL, NODES, APART, TOGETHER),
    citations=(A_NODE, Citation("theta-io", "File storage approaches"), Citation("theta-io", "FPN Subfiling")),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation",),
    claims=(
        Claim(("reads", "writes"), ShareOf("balance.movers_alike_part")),
        # Who waits beside what others move waits for these files, whoever has more bytes than whom.
        Claim(("imbalance",), SecondsOf("balance.movers_alike_beyond"), apart=True),
        Claim(("imbalance",), SecondsOf("balance.movers_alike_time")),
    ),
)

"""How many ranks move the bytes of a collective call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, PLACEMENT, STATS
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage.metrics.tables.calls.collective_calls import collective_calls
from iotriage.metrics.tables.texts.aggregator_placement import placement_table
from iotriage.metrics.tables.texts.stats_fields import (
    leading,
    no_block,
    no_reads,
    no_writes,
    of_leading,
    place,
    stripe_count_of_leading,
)
from iotriage_parsers.evidence.mpiio_stats import Direction


@metric(
    "mpiio.aggregators",
    "Aggregators",
    "ranks",
    about=About(seen_below=True),
    formula="`aggregators` of the STATS write block with the most bytes; else the ranks of the placement table; absent "
    "where it is 0, as every rank goes to the file itself then",
    needs="MPICH_MPIIO_STATS, or MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",
)
def aggregators(s: Selection) -> Outcome:
    printed = of_leading(s, "aggregators", lambda b: b.aggregators)
    table = placement_table(s)
    if isinstance(printed, Value) and not printed.value:
        return Absent("the statistics count none: collective buffering was not at work")
    if isinstance(printed, Value) or table is None:
        return printed
    return Value(len({a.rank for a in table[1].aggregators}), where=(Where(table[0], table[1].lines),))


@metric(
    "mpiio.aggregator_nodes",
    "Nodes that hold an aggregator",
    "nodes",
    formula="distinct nodes of the placement table",
    needs="MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",
)
def aggregator_nodes(s: Selection) -> Outcome:
    table = placement_table(s)
    if table is None:
        return Absent("no source says on which nodes the aggregators are", (PLACEMENT,))
    return Value(len(table[1].nodes), where=(Where(table[0], table[1].lines),))


@metric(
    "mpiio.aggregators_per_stripe",
    "Aggregators per stripe",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="`aggregators` / `stripe count` of the STATS write block with the most bytes; else the ranks of the "
    "placement table / file.stripe_count; 1 where all ranks aggregate and there are more stripes, for there can be no "
    "more",
    needs="MPICH_MPIIO_STATS, or MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY and the striping of the file",
)
def aggregators_per_stripe(s: Selection) -> Outcome:
    count = stripe_count_of_leading(s)
    if isinstance(count, Absent) and placement_table(s) is not None:
        count = outcome(s, "file.stripe_count")
    found = outcome(s, "mpiio.aggregators")
    ratio = quotient(found, count, zero="the block prints a stripe count of 0: the file is not on Lustre")
    if isinstance(found, Value) and isinstance(ratio, Value) and found.value == _ranks_that_may(s):
        return replace(ratio, value=max(1.0, float(ratio.value)))
    return ratio


def _ranks_that_may(s: Selection) -> int | None:
    """The ranks of which some aggregate: those of the file's communicator, else of the job."""
    block = leading(s.writes) or leading(s.reads)
    return (None if block is None else block.block.ranks_in_communicator) or s.nprocs


@metric(
    "mpiio.aggregators_per_node",
    "Aggregators per node",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="mpiio.aggregators / job.nnodes",
    needs="MPICH_MPIIO_STATS or the placement table, and the number of nodes",
)
def aggregators_per_node(s: Selection) -> Outcome:
    return quotient(outcome(s, "mpiio.aggregators"), outcome(s, "job.nnodes"), zero="the number of nodes is 0")


@metric(
    "mpiio.bytes_per_collective_call_per_aggregator_stripe",
    "Bytes of a collective write over what one stripe from each aggregator would hold",
    "ratio",
    about=About(time=False),
    formula="(total bytes / (collective writes / ranks)) / (aggregators × stripe size) of the STATS write block with "
    "the most bytes; independent writes are counted in",
    needs="MPICH_MPIIO_STATS and the number of ranks",
    unless=no_writes,
)
def bytes_per_collective_call_per_aggregator_stripe(s: Selection) -> Outcome:
    block = leading(s.writes)
    if block is None:
        return Absent("no MPICH_MPIIO_STATS write block was given", (STATS,))
    b, ranks = block.block, block.block.ranks_in_communicator or s.nprocs
    if ranks is None:
        return Absent("no source states the number of ranks", (DARSHAN,))
    calls = collective_calls(s, block)
    if not calls or b.total_bytes is None:
        return Absent("the block counts no collective writes")
    if not b.aggregators or not b.stripe_size_bytes:
        return Absent("the block prints no aggregators or no stripe size")
    operations = calls / ranks
    where = tuple(
        w for label in ("total bytes", "collective accesses", "aggregators", "stripe size") for w in place(block, label)
    )
    return Value(b.total_bytes / operations / (b.aggregators * b.stripe_size_bytes), "inferred", where)


@metric(
    "mpiio.independent_writers",
    "Ranks that wrote independently",
    "ranks",
    about=About(direction="write"),
    formula="`independent writers` of the STATS write block with the most bytes",
    needs="MPICH_MPIIO_STATS",
    unless=no_writes,
)
def independent_writers(s: Selection) -> Outcome:
    return _independently(s.writes, "write")


@metric(
    "mpiio.independent_readers",
    "Ranks that read independently",
    "ranks",
    about=About(direction="read"),
    formula="`independent readers` of the STATS read block with the most bytes",
    needs="MPICH_MPIIO_STATS",
    unless=no_reads,
)
def independent_readers(s: Selection) -> Outcome:
    return _independently(s.reads, "read")


def _independently(blocks: Sequence[StatsBlock], way: Direction) -> Outcome:
    block = leading(blocks)
    if block is None:
        return no_block(way)
    ranks = block.block.independent_accessors
    if ranks is None:
        who = "readers" if way == "read" else "writers"
        return Absent(f"the MPICH_MPIIO_STATS block of {block.block.file} does not print `independent {who}`")
    return Value(ranks, where=place(block, "independent accessors"))

"""What the MPI-IO library wrote below the program's calls, from MPICH_MPIIO_STATS."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.stats_fields import (
    leading,
    no_block,
    no_reads,
    no_writes,
    of_largest_file,
    place,
    stats_total,
)

NEEDS = "MPICH_MPIIO_STATS"


_metric_of_writes = metrics_unless(no_writes, needs=NEEDS)


@_metric_of_writes(
    "mpiio.system_writes",
    "System writes of the MPI-IO library",
    "calls",
    about=About(direction="write"),
    formula="`system writes` summed over the STATS write blocks; independent and collective together",
)
def system_writes(s: Selection) -> Outcome:
    return stats_total(s.writes, "system accesses", lambda b: b.system_accesses, "write")


@metric(
    "mpiio.system_reads",
    "System reads of the MPI-IO library",
    "calls",
    about=About(direction="read"),
    formula="`system reads` summed over the STATS read blocks",
    needs=NEEDS,
    unless=no_reads,
)
def system_reads(s: Selection) -> Outcome:
    return stats_total(s.reads, "system accesses", lambda b: b.system_accesses, "read")


def _written(s: Selection) -> Outcome:
    return stats_total(s.writes, "total bytes", lambda b: b.total_bytes, "write")


@_metric_of_writes(
    "mpiio.system_write_average",
    "Average system write",
    "B",
    about=About(direction="write"),
    formula="total bytes for writes / system writes, over all STATS write blocks (averages are never averaged)",
)
def system_write_average(s: Selection) -> Outcome:
    return quotient(_written(s), outcome(s, "mpiio.system_writes"), zero="no system writes")


@metric(
    "mpiio.system_read_average",
    "Average system read",
    "B",
    about=About(direction="read"),
    formula="total bytes for reads / system reads, over all STATS read blocks",
    needs=NEEDS,
    unless=no_reads,
)
def system_read_average(s: Selection) -> Outcome:
    moved = stats_total(s.reads, "total bytes", lambda b: b.total_bytes, "read")
    return quotient(moved, outcome(s, "mpiio.system_reads"), zero="no system reads")


@_metric_of_writes(
    "mpiio.system_write_stripe_ratio",
    "Average system write over the stripe size",
    "ratio",
    about=About(time=False, direction="write"),
    formula="average system write / stripe size, both of the STATS write block with the most bytes",
)
def system_write_stripe_ratio(s: Selection) -> Outcome:
    block = leading(s.writes)
    if block is None:
        return no_block("write")
    b = block.block
    if b.stripe_size_bytes is None or not b.stripe_size_bytes:
        return Absent("the block prints no stripe size")
    if b.total_bytes is None or not b.system_accesses:
        return Absent("the block prints no system writes")
    where = joined(place(block, "system accesses"), place(block, "stripe size"))
    return Value(b.total_bytes / b.system_accesses / b.stripe_size_bytes, where=where)


@_metric_of_writes(
    "mpiio.stripes_written",
    "Stripes that the bytes written to one file would fill",
    "stripes",
    about=About(direction="write"),
    formula="total bytes for writes, over all STATS write blocks of the file that has most / its stripe size",
)
def stripes_written(s: Selection) -> Outcome:
    blocks = of_largest_file(s.writes)
    if not blocks:
        return no_block("write")
    size = blocks[0].block.stripe_size_bytes
    if not size:
        return Absent("the block prints no stripe size")
    written = stats_total(blocks, "total bytes", lambda b: b.total_bytes, "write")
    if isinstance(written, Absent):
        return written
    return Value(float(written.value) / size, where=joined(written.where, place(blocks[0], "stripe size")))


@_metric_of_writes(
    "mpiio.stripe_sized_write_fraction",
    "System writes of exactly one stripe",
    "share",
    about=About(time=False, direction="write"),
    formula="`stripe sized writes` / `system writes`, over the STATS write blocks that print both",
)
def stripe_sized_write_fraction(s: Selection) -> Outcome:
    both = tuple(b for b in s.writes if b.block.stripe_sized_accesses is not None)
    if s.writes and not both:
        return Absent("this version of the library does not print `stripe sized writes`")
    return quotient(
        stats_total(both, "stripe sized accesses", lambda b: b.stripe_sized_accesses, "write"),
        stats_total(both, "system accesses", lambda b: b.system_accesses, "write"),
        zero="no system writes",
    )


@_metric_of_writes(
    "mpiio.write_gap_count",
    "Gaps between system writes",
    "calls",
    about=About(direction="write"),
    formula="`number of write gaps` summed over the STATS write blocks",
)
def write_gap_count(s: Selection) -> Outcome:
    return stats_total(s.writes, "gap count", lambda b: b.gap_count, "write")


@_metric_of_writes(
    "mpiio.write_gap_average",
    "Average gap between system writes",
    "B",
    about=About(direction="write"),
    formula="`ave write gap size` weighted by the number of gaps; absent without gaps",
)
def write_gap_average(s: Selection) -> Outcome:
    if not s.writes:
        return no_block("write")
    having = [b for b in s.writes if b.block.gap_count and b.block.average_gap_bytes is not None]
    gaps = sum(b.block.gap_count or 0 for b in having)
    if not gaps:
        return Absent("there are no write gaps")
    bytes_in_gaps = sum((b.block.gap_count or 0) * (b.block.average_gap_bytes or 0) for b in having)
    where = tuple(w for b in having for w in place(b, "average gap size"))
    return Value(bytes_in_gaps / gaps, where=where)


@_metric_of_writes(
    "mpiio.write_gap_fraction",
    "Write gaps per system write",
    "share",
    about=About(time=False, direction="write"),
    formula="mpiio.write_gap_count / mpiio.system_writes",
)
def write_gap_fraction(s: Selection) -> Outcome:
    return quotient(outcome(s, "mpiio.write_gap_count"), outcome(s, "mpiio.system_writes"), zero="no system writes")

"""Whether accesses begin and end on the blocks of the file system: stripes on Lustre, blocks elsewhere."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.calls.size_bins import common_accesses, first_accesses
from iotriage.metrics.tables.counters import no_table, total
from iotriage.metrics.tables.rank_times import exact_bytes
from iotriage_parsers.evidence import CounterTable


@metric(
    "posix.alignment",
    "Alignment by which Darshan counted accesses",
    "B",
    formula="POSIX_FILE_ALIGNMENT of the record that moved most bytes, the largest of those that moved as much: the "
    "file system's block size, and 1 MiB on Lustre whatever the stripe size is",
    needs="a Darshan log with POSIX records",
)
def alignment(s: Selection) -> Outcome:
    best: tuple[int, int] | None = None
    for _, table in s.tables("POSIX"):
        moved = exact_bytes(table)
        most = int(moved.max())
        found = most, int(table.as_recorded("POSIX_FILE_ALIGNMENT")[moved == most].max())
        best = found if best is None else max(best, found)
    if best is None:
        return no_table(s, "POSIX")
    if best[1] <= 0:
        return Absent("Darshan did not record the block size of the file system")
    where = joined(*(rows.where(t, "POSIX_FILE_ALIGNMENT") for rows, t in s.tables("POSIX")))
    return Value(best[1], where=where)


@metric(
    "posix.block_size",
    "Block that accesses should be aligned to",
    "B",
    formula="file.stripe_size; where the file has no stripes, posix.alignment",
    needs="a Darshan log with POSIX records",
)
def block_size(s: Selection) -> Outcome:
    stripe = outcome(s, "file.stripe_size")
    return stripe if isinstance(stripe, Value) else outcome(s, "posix.alignment")


@metric(
    "posix.misaligned_block_fraction",
    "Accesses not aligned to the stripe or block",
    "share",
    about=About(time=False),
    formula="posix.misaligned_fraction where posix.alignment is posix.block_size; a lower bound where stripes are a "
    "multiple of it, for what is not on 1 MiB is on no larger stripe",
    needs="a Darshan log with POSIX records",
)
def misaligned_block_fraction(s: Selection) -> Outcome:
    found = outcome(s, "posix.misaligned_fraction")
    held, block = outcome(s, "posix.alignment"), outcome(s, "posix.block_size")
    if isinstance(found, Absent):
        return found
    if isinstance(held, Absent) or isinstance(block, Absent):
        return held if isinstance(held, Absent) else block
    if not isinstance(held.value, int) or not isinstance(block.value, int) or block.value % held.value:
        return Absent("Darshan counted alignment by a unit that is no part of the stripe size")
    bound = found.bound if block.value == held.value else "lower"
    return Value(found.value, found.confidence, joined(found.where, held.where, block.where), bound)


@metric(
    "posix.crossing_fraction",
    "Accesses that cross a stripe's or block's boundary",
    "share",
    about=About(time=False),
    formula="of each record, at most POSIX_FILE_NOT_ALIGNED; of its commonest sizes no more than the share of a block "
    "that an access takes, and none where the size goes into the block and as many accesses begin on a block as where "
    "all lie within; of all other sizes no more than the blocks that their bytes fill; / (POSIX_READS + POSIX_WRITES)",
    needs="a Darshan log with POSIX records by file",
)
def crossing_fraction(s: Selection) -> Outcome:
    tables, block = s.tables("POSIX"), outcome(s, "posix.block_size")
    if not tables:
        return no_table(s, "POSIX")
    if isinstance(block, Absent) or not isinstance(block.value, int) or block.value <= 0:
        return block if isinstance(block, Absent) else Absent("the block size is 0")
    every = sum(t.total(f"POSIX_{way}") or 0 for _, t in tables for way in ("READS", "WRITES"))
    if not every:
        return Absent("no POSIX reads or writes")
    most = sum(_crossings(table, block.value) for _, table in tables)
    return Value(min(1.0, most / every), "inferred", joined(*(r.where(t, "POSIX_FILE_NOT_ALIGNED") for r, t in tables)))


ON_THE_GRID = 0.9
"""Of the accesses that begin on a block where none crosses one; some are missing where the end of a file is short."""


@cached_per_table
def _crossings(table: CounterTable, block: int) -> float:
    """Accesses that can cross the end of a block: size and start decide, and of the starts only the number on a block
    is known. Accesses of one size that go into a block, one after the other from its beginning, cross none."""
    made = np.maximum(table.count("POSIX_READS"), 0) + np.maximum(table.count("POSIX_WRITES"), 0)
    apart = np.maximum(table.count("POSIX_FILE_NOT_ALIGNED"), 0)
    if not apart.any():
        return 0.0
    begin_on_one = np.divide(made - apart, made, out=np.zeros(len(table)), where=made > 0)
    sizes, times = common_accesses(table)
    size = np.maximum(sizes, 0).astype(np.float64)
    count = first_accesses(np.maximum(times, 0), made)
    part = np.minimum(1.0, size / block)
    goes_in = (size > 0) & (np.remainder(block, np.maximum(size, 1)) == 0)
    cross_none = goes_in & (begin_on_one[:, None] >= ON_THE_GRID * part)
    found = np.where(cross_none, 0.0, count * part).sum(axis=1)
    others = np.maximum(0, exact_bytes(table) - (count * size).sum(axis=1)) / block
    return float(np.minimum(apart, found + np.minimum(others, made - count.sum(axis=1))).sum())


@metric(
    "posix.write_over_block",
    "Typical write over the stripe or block",
    "ratio",
    about=About(time=False, direction="write"),
    formula="posix.typical_write_size / posix.block_size",
    needs="a Darshan log with POSIX records",
)
def write_over_block(s: Selection) -> Outcome:
    return quotient(outcome(s, "posix.typical_write_size"), outcome(s, "posix.block_size"), zero="the block size is 0")


@metric(
    "posix.misaligned_fraction",
    "POSIX accesses not aligned in the file",
    "share",
    about=About(time=False),
    formula="POSIX_FILE_NOT_ALIGNED / (POSIX_READS + POSIX_WRITES); the alignment is Darshan's POSIX_FILE_ALIGNMENT",
    needs="a Darshan log with POSIX records",
)
def misaligned_fraction(s: Selection) -> Outcome:
    return quotient(
        total(s, "POSIX", "POSIX_FILE_NOT_ALIGNED"),
        total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"),
        zero="no POSIX reads or writes",
        at_most=1.0,
    )

"""Whether accesses begin and end on the blocks of the file system: stripes on Lustre, blocks elsewhere."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_table, total


@metric(
    "posix.alignment",
    "Alignment that Darshan held accesses against",
    "B",
    formula="POSIX_FILE_ALIGNMENT of the record that moved most bytes: the file system's block size, and 1 MiB on "
    "Lustre whatever the stripe size is",
    needs="a Darshan log with POSIX records",
)
def alignment(s: Selection) -> Outcome:
    best: tuple[int, int] | None = None
    for _, table in s.tables("POSIX"):
        moved = table.count("POSIX_BYTES_READ") + table.count("POSIX_BYTES_WRITTEN")
        row = int(moved.argmax())
        if best is None or int(moved[row]) > best[0]:
            best = int(moved[row]), int(table.count("POSIX_FILE_ALIGNMENT")[row])
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
    formula="posix.misaligned_fraction where posix.alignment is posix.block_size; a lower bound where stripes are a "
    "multiple of it, for what is not on 1 MiB is on no larger stripe",
    needs="a Darshan log with POSIX records",
)
def misaligned_to_block(s: Selection) -> Outcome:
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
    "posix.write_over_block",
    "Average write over the stripe or block",
    "ratio",
    formula="posix.average_write_size / posix.block_size",
    needs="a Darshan log with POSIX records",
)
def write_over_block(s: Selection) -> Outcome:
    return quotient(outcome(s, "posix.average_write_size"), outcome(s, "posix.block_size"), zero="the block size is 0")


@metric(
    "posix.misaligned_fraction",
    "POSIX accesses not aligned in the file",
    "share",
    formula="POSIX_FILE_NOT_ALIGNED / (POSIX_READS + POSIX_WRITES); the alignment is Darshan's POSIX_FILE_ALIGNMENT",
    needs="a Darshan log with POSIX records",
)
def misaligned(s: Selection) -> Outcome:
    return quotient(
        total(s, "POSIX", "POSIX_FILE_NOT_ALIGNED"),
        total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"),
        zero="no POSIX reads or writes",
    )

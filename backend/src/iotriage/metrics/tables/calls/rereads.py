"""Bytes that were read more than once: over ranks, over time, or because a stream was moved back.

Darshan records the offset of the last byte read. A file that was read once, whole or in part, gives no more bytes than
reach up to there. A file that the run also writes may have new content each time: what was written may be read once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import is_partial, no_table, not_recorded, sum_counters
from iotriage.metrics.tables.files.of_kernel import of_kernel
from iotriage.metrics.tables.unstated_ranks import reduced_over_unknown
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import exact_sum
from iotriage_parsers.frozen import frozen


@frozen
class ReadVolume:
    """Bytes of the files that were read: all of them, those that one reading of each file would be (up to the last byte
    read, or as many as were written), and those beyond that."""

    bytes: int
    reached: int
    again: int


@cached_per_table
def reached_by_file(table: CounterTable, prefix: str) -> NDArray[np.int64]:
    """Bytes of each file, in the order of `table.by_id`, up to the last one read."""
    found = np.zeros(len(table.by_id.ids), np.int64)
    np.maximum.at(found, table.by_id.index, table.count(f"{prefix}_MAX_BYTE_READ") + 1)
    return found


@cached_per_table
def read_volume(table: CounterTable, prefix: str) -> ReadVolume:
    read, written = sums_by_file(table, f"{prefix}_BYTES_READ"), sums_by_file(table, f"{prefix}_BYTES_WRITTEN")
    reached = reached_by_file(table, prefix)
    once = np.maximum(reached, written)
    judged = (read > 0) & (reached > 0) & ((written == 0) | (read > once))
    again = np.maximum(read - once, 0)[judged]
    return ReadVolume(exact_sum(read[judged]), exact_sum(once[judged]), exact_sum(again))


WHOLE = 0.1
"""How far the bytes that a rank read may be from those of the file, of these, where it read the file once."""


@cached_per_table
def _read_whole(table: CounterTable, prefix: str, nprocs: int | None) -> int:
    """Bytes read by ranks that each read all of a file, and once. Of a reduced record all ranks, where they read as
    much as one another."""
    read, reached = table.count(f"{prefix}_BYTES_READ"), table.count(f"{prefix}_MAX_BYTE_READ") + 1
    of_file = reached_by_file(table, prefix)[table.by_id.index].astype(np.float64)
    reduced = table.ranks < 0
    each = read / np.where(reduced, max(nprocs or 1, 1), 1)
    spread = np.sqrt(np.maximum(table.seconds(f"{prefix}_F_VARIANCE_RANK_BYTES"), 0.0))
    alike = ~reduced | (np.isfinite(spread) & (spread <= WHOLE * each))
    whole = alike & (read > 0) & (np.abs(each - of_file) <= WHOLE * of_file) & (reached >= (1 - WHOLE) * of_file)
    return exact_sum(read[whole])


@cached_per_table
def _by_each(table: CounterTable, prefix: str, nprocs: int | None) -> tuple[int, int]:
    """Bytes read, and those that would be read if each rank that reads a file read all of it once; of a reduced record
    all ranks."""
    read, size = table.count(f"{prefix}_BYTES_READ"), reached_by_file(table, prefix)
    reads = read > 0
    users = np.where(table.ranks < 0, max(nprocs or 1, 1), 1)[reads].tolist()
    once = sum(n * users for n, users in zip(size[table.by_id.index][reads].tolist(), users, strict=True))
    return exact_sum(read[reads]), once


def _uncounted(s: Selection, module: str, *others: str) -> Absent | None:
    """Why nobody knows how much of the files was read, where no record has one of these counters; of what was not read
    nobody misses how far."""
    tables = s.tables(module)
    some = any(table.total(f"{module}_BYTES_READ") != 0 for _, table in tables)
    counters = ("BYTES_READ", "MAX_BYTE_READ", *others) if some else ()
    reasons = (not_recorded(tables, f"{module}_{counter}") for counter in counters)
    return next((why for why in reasons if why is not None), None)


def rank_times_read(s: Selection) -> Outcome:
    """How often a rank reads as much as the files that it reads hold."""
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if (unknown := reduced_over_unknown(tables)) is not None:
        return unknown
    if (uncounted := _uncounted(s, "POSIX")) is not None:
        return uncounted
    found = [_by_each(t, "POSIX", rows.nprocs) for rows, t in tables]
    read, once = sum(read for read, _ in found), sum(once for _, once in found)
    return by_reach(read / once, s, "POSIX") if once > 0 else Absent("nothing was read")


def read_whole(s: Selection, module: str) -> Outcome:
    """The share of the bytes read that ranks read who read a file whole, and once."""
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    if (uncounted := _uncounted(s, module)) is not None:
        return uncounted
    read = sum(sum_counters(t, f"{module}_BYTES_READ") for _, t in tables)
    if not read:
        return Absent("nothing was read")
    if (unknown := reduced_over_unknown(tables)) is not None:
        return unknown
    return by_reach(sum(_read_whole(t, module, rows.nprocs) for rows, t in tables) / read, s, module)


def by_reach(value: float, s: Selection, module: str) -> Value:
    """`value`, from the bytes read and how far the reads reached in a module's records."""
    tables = s.tables(module)
    where = joined(*(rows.where(t, f"{module}_BYTES_READ", f"{module}_MAX_BYTE_READ") for rows, t in tables))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(value, "inferred" if partial else "measured", where)


def times_read(s: Selection, module: str) -> Outcome:
    """Bytes that calls of a module read over those that its files were read up to, each file once."""
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    if of_kernel(s):
        return Absent("the kernel makes what is read of these files anew each time")
    if (uncounted := _uncounted(s, module, "BYTES_WRITTEN")) is not None:
        return uncounted
    found = [read_volume(t, module) for _, t in tables]
    read, reached = sum(f.bytes for f in found), sum(f.reached for f in found)
    if not reached:
        return Absent("no file was read but what the run wrote, and no more of it than was written")
    return by_reach(read / reached, s, module)


@frozen
class ReadBySteps:
    """Bytes that the steps of a job read, and those that would be read if of files that several read as a whole, each
    once, and none writes, one step did."""

    read: int
    once: int

    @property
    def again(self) -> int:
        return self.read - self.once


@cached_per_selection
def read_by_steps(s: Selection) -> ReadBySteps:
    tables = [t for _, t in s.tables("POSIX") if len(t)]
    read, written = (
        np.concatenate([sums_by_file(t, f"POSIX_BYTES_{way}") for t in tables] or [np.zeros(0, np.int64)])
        for way in ("READ", "WRITTEN")
    )
    if len(tables) < 2:
        return ReadBySteps(exact_sum(read), exact_sum(read))
    reached = np.concatenate([reached_by_file(t, "POSIX") for t in tables])
    files, at = unique_inverse(np.concatenate([t.by_id.ids for t in tables]))
    other = (read > 0) & (np.abs(read - reached) > WHOLE * reached) | (written > 0)
    whole = np.bincount(at[other], minlength=len(files)) == 0
    size, of_file = np.zeros(len(files), np.int64), np.zeros(len(files), np.int64)
    np.maximum.at(size, at, reached)
    np.add.at(of_file, at, np.maximum(read, 0))
    return ReadBySteps(exact_sum(of_file), exact_sum(np.where(whole, np.minimum(size, of_file), of_file)))

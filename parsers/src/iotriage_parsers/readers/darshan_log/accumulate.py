"""Figures that Darshan derives from a module's records, as `darshan-parser --perf --file` and pydarshan give them.

Method: darshan-logutils-accumulator.c of Darshan 3.5. A shared record (rank −1) costs the time of its slowest rank; a
rank's own records cost the sum of their read, write and metadata times; the slowest rank's sum and the shared records'
times add up. Where a counter or timer is not available it is left out, where Darshan adds its −1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence.darshan import NOT_AVAILABLE, SHARED_RANK, CounterTable, Float64s, Int64s, UInt64s

_SUM_IS_EXACT_BELOW: Final = 2.0**62


@dataclass(frozen=True, slots=True)
class FileCategory:
    """The files of one kind. Bytes are int64 sums over their records; `largest_read_bytes` is that of one file.

    The offsets are one past the highest byte seen, Darshan's best guess at file sizes; None for MPI-IO, which does not
    record them. `ranks` is None where a file of the category was shared by all ranks, or their number adds up to it.
    """

    files: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    largest_read_bytes: int = 0
    largest_written_bytes: int = 0
    total_max_offset_bytes: int | None = 0
    max_offset_bytes: int | None = 0
    ranks: int | None = 0


@dataclass(frozen=True, slots=True)
class FileCategories:
    """Every file is in `total`; by direction in at most one of the next three (none where it moved no bytes); by
    sharing in one of the last three: `unique` to one rank, `shared` by all (rank −1), or by some."""

    total: FileCategory = field(default_factory=FileCategory)
    read_only: FileCategory = field(default_factory=FileCategory)
    write_only: FileCategory = field(default_factory=FileCategory)
    read_write: FileCategory = field(default_factory=FileCategory)
    unique: FileCategory = field(default_factory=FileCategory)
    shared: FileCategory = field(default_factory=FileCategory)
    partially_shared: FileCategory = field(default_factory=FileCategory)


@dataclass(frozen=True, slots=True)
class Accumulated:
    """Bandwidth in bytes per second, times in seconds.

    `agg_perf_by_slowest` is `total_bytes` over `agg_time_by_slowest_s`; None where the number of ranks is unknown,
    where the time is 0, or where records that moved bytes have no usable time (`untimed_records` says how many).
    `slowest_rank` is the rank whose own files took longest; None where no rank has files of its own.
    """

    total_bytes: int
    agg_perf_by_slowest: float | None
    agg_time_by_slowest_s: float | None
    shared_time_by_slowest_s: float | None
    unique_time_by_slowest_s: float | None
    unique_rw_time_by_slowest_s: float | None
    unique_meta_time_by_slowest_s: float | None
    slowest_rank: int | None
    untimed_records: int
    files: FileCategories


@dataclass(frozen=True, eq=False)
class RankTimes:
    """Seconds that each rank spent in records of its own: `ranks` (n,) ascending, the rest (n,) beside it."""

    ranks: Int64s
    total_s: Float64s
    read_write_s: Float64s
    meta_s: Float64s


@dataclass(frozen=True, eq=False)
class FileTimes:
    """The slowest rank's seconds in each file: `ids` (n,) ascending, `seconds` (n,); NaN where no record has a time."""

    ids: UInt64s
    seconds: Float64s


def time_by_slowest(table: CounterTable) -> Float64s:
    """Seconds of each record, shape (n,): of its slowest rank for a shared one, else of its only rank; NaN where none
    of its timers is available."""
    prefix = _prefix(table)
    shared = table.ranks == SHARED_RANK
    own = _sum_of_known(_own_timers(table))
    return np.where(shared, _known(table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME")), own)


def time_by_rank(table: CounterTable) -> RankTimes:
    """What each rank spent in its own records; shared records do not say it of any rank but the slowest."""
    own = table.rows(table.ranks != SHARED_RANK)
    ranks, at = np.unique(own.ranks, return_inverse=True)
    timers = np.nan_to_num(_own_timers(own))

    def summed(seconds: Float64s) -> Float64s:
        return np.bincount(at, seconds, len(ranks)).astype(np.float64)

    return RankTimes(ranks, summed(timers.sum(axis=1)), summed(timers[:, 0] + timers[:, 1]), summed(timers[:, 2]))


def slowest_time_by_file(table: CounterTable) -> FileTimes:
    """Per file: the shared record's slowest rank, or the largest sum that one rank's own records of it reach."""
    ids, at = np.unique(table.ids, return_inverse=True)
    seconds = time_by_slowest(table)
    pair = np.lexsort((table.ranks, at))
    first = np.ones(len(pair), np.bool_)
    first[1:] = (at[pair][1:] != at[pair][:-1]) | (table.ranks[pair][1:] != table.ranks[pair][:-1])
    begins = np.flatnonzero(first)
    slowest = np.full(len(ids), np.nan)
    if len(begins):
        timed = ~np.isnan(seconds[pair])
        sums = np.add.reduceat(np.nan_to_num(seconds[pair]), begins)
        sums[np.add.reduceat(timed.astype(np.int64), begins) == 0] = np.nan
        np.fmax.at(slowest, at[pair][begins], sums)
    return FileTimes(ids, slowest)


def accumulate(table: CounterTable, nprocs: int | None) -> Accumulated:
    """Derived figures of a POSIX, MPI-IO or STDIO table of a job of `nprocs` ranks."""
    prefix = _prefix(table)
    read = np.maximum(table.count(f"{prefix}_BYTES_READ"), 0)
    written = np.maximum(table.count(f"{prefix}_BYTES_WRITTEN"), 0)
    total_bytes = _exact_sum(read) + _exact_sum(written)
    seconds = time_by_slowest(table)
    shared = table.ranks == SHARED_RANK
    untimed = np.isnan(seconds) & ((read > 0) | (written > 0))
    by_rank = time_by_rank(table)
    slowest = int(np.argmax(by_rank.total_s)) if len(by_rank.ranks) else None
    shared_s = float(np.nansum(seconds[shared]))
    unique_s = float(by_rank.total_s[slowest]) if slowest is not None else 0.0
    known = nprocs is not None and nprocs > 0 and bool((~np.isnan(seconds)).any())
    agg_s = shared_s + unique_s if known else None
    perf = total_bytes / agg_s if agg_s and not untimed.any() else None
    return Accumulated(
        total_bytes=total_bytes,
        agg_perf_by_slowest=perf,
        agg_time_by_slowest_s=agg_s,
        shared_time_by_slowest_s=shared_s if known else None,
        unique_time_by_slowest_s=unique_s if known else None,
        unique_rw_time_by_slowest_s=_at(by_rank.read_write_s, slowest) if known else None,
        unique_meta_time_by_slowest_s=_at(by_rank.meta_s, slowest) if known else None,
        slowest_rank=int(by_rank.ranks[slowest]) if known and slowest is not None else None,
        untimed_records=int(untimed.sum()),
        files=_categories(table, prefix, read, written, nprocs),
    )


def _categories(table: CounterTable, prefix: str, read: Int64s, written: Int64s, nprocs: int | None) -> FileCategories:
    ids, at = np.unique(table.ids, return_inverse=True)
    files = len(ids)
    file_read, file_written = _per_file(at, files, read), _per_file(at, files, written)
    offsets = _max_offsets(table, prefix, at, files)
    ranks = np.bincount(at, minlength=files).astype(np.int64)
    is_shared = np.zeros(files, np.bool_)
    is_shared[at[table.ranks == SHARED_RANK]] = True
    reads, writes = file_read > 0, file_written > 0

    def of(chosen: NDArray[np.bool_]) -> FileCategory:
        if not chosen.any():
            return FileCategory()
        total_ranks = int(ranks[chosen].sum())
        everyone = bool(is_shared[chosen].any()) or (nprocs is not None and total_ranks >= nprocs)
        return FileCategory(
            files=int(chosen.sum()),
            read_bytes=_exact_sum(file_read[chosen]),
            written_bytes=_exact_sum(file_written[chosen]),
            largest_read_bytes=int(file_read[chosen].max()),
            largest_written_bytes=int(file_written[chosen].max()),
            total_max_offset_bytes=None if offsets is None else _exact_sum(offsets[chosen]),
            max_offset_bytes=None if offsets is None else int(offsets[chosen].max()),
            ranks=None if everyone else total_ranks,
        )

    single = (ranks == 1) & ~is_shared
    return FileCategories(
        total=of(np.ones(files, np.bool_)),
        read_only=of(reads & ~writes),
        write_only=of(writes & ~reads),
        read_write=of(reads & writes),
        unique=of(single),
        shared=of(is_shared),
        partially_shared=of(~single & ~is_shared),
    )


def _per_file(at: NDArray[np.intp], files: int, column: Int64s) -> Int64s:
    """Sums per file. Where lying counters would wrap, they stop at 2^62."""
    rough = np.bincount(at, column.astype(np.float64), files)
    if len(rough) and float(rough.max()) >= _SUM_IS_EXACT_BELOW:
        return np.minimum(rough, _SUM_IS_EXACT_BELOW).astype(np.int64)
    sums = np.zeros(files, np.int64)
    np.add.at(sums, at, column)
    return sums


def _max_offsets(table: CounterTable, prefix: str, at: NDArray[np.intp], files: int) -> Int64s | None:
    names = (f"{prefix}_MAX_BYTE_READ", f"{prefix}_MAX_BYTE_WRITTEN")
    if names[0] not in table.int_names:
        return None
    highest = np.zeros(files, np.int64)
    np.maximum.at(highest, at, np.maximum(table.count(names[0]), table.count(names[1])))
    return highest


def _prefix(table: CounterTable) -> str:
    return table.int_names[0].split("_", 1)[0]


def _own_timers(table: CounterTable) -> Float64s:
    """(n, 3): read, write and metadata seconds; NaN where not available."""
    prefix = _prefix(table)
    columns = [_known(table.seconds(f"{prefix}_F_{what}_TIME")) for what in ("READ", "WRITE", "META")]
    return np.stack(columns, axis=1)


def _known(column: Float64s) -> Float64s:
    return np.where(column == NOT_AVAILABLE, np.nan, column)


def _sum_of_known(timers: Float64s) -> Float64s:
    total: Float64s = np.nansum(timers, axis=1)
    return np.where(np.isnan(timers).all(axis=1), np.nan, total)


def _exact_sum(column: Int64s) -> int:
    """The sum as a Python integer: int64 sums would wrap on lying counters."""
    if len(column) and float(column.astype(np.float64).sum()) >= _SUM_IS_EXACT_BELOW:
        return sum(column.tolist())
    return int(column.sum())


def _at(values: Float64s, index: int | None) -> float:
    return float(values[index]) if index is not None else 0.0

"""Seconds of calls that threads of one process make side by side.

Darshan adds up the calls of all threads; of one file it leaves out what overlaps, of several it cannot. A process has
spent no longer in the calls on its files than the time in which one of these was in use, by its records' own
timestamps: what it has beyond that passed side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.prefix import access_counters, prefix_of
from iotriage.metrics.core.selection import LogRows, own_records, unique_inverse
from iotriage.metrics.tables.calls.sync_counters import SYNCS
from iotriage.metrics.tables.rank_times import TOLERANCE, longest_possible, rank_times, timer
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, Int64s, begin_notes, end_notes
from iotriage_parsers.frozen import frozen_identity

LEAST_S = 1.0
"""Seconds beyond the time in use from which calls were side by side: below, timers and timestamps may differ."""

INSTANTS, APART = 16, 0.5
"""Instants at which a rank begins to use files, and their share of these files, from which timestamps are believed: of
two files that seem to begin together nobody knows whether threads used them, unless their calls do not fit in the run
and there are no more of them at a time than files."""

MOST_OF_RUN = 0.5
"""Share of the run in which files were in use, up to which that time says more than timers that do not fit in it:
threads that wait for a pipe or a lock have files in use all the time."""

WAITS_S, HARDLY_ANY = 5.0, 0.1
"""Seconds of a call on a file, on average, from which threads wait for a pipe or a lock, as those that move data or
open files take less, and the part of a rank's time on such files below which it is about the others."""

IDLE = (0.0, 0.01, 0.1)
"""Shares of the time in which a file was in use, with fewer of which in calls it is left out: what is open all along,
as standard output and a log are, says nothing of when the others were used. Of calls that follow one another those on
any of the files fit in the time in which these were in use, so that the share that shows most is believed."""


@frozen_identity
class _Records:
    """Records that single ranks have: their `ranks`, the `inside` seconds that lie between `begin` and `end`, when the
    file was in use, the `others`, of which that is not known, and their `calls`. Each of shape (n,). `contradicted`
    where the calls on one file took longer than it was in use, which nobody's threads make: then timestamps or timers
    are wrong."""

    ranks: Int64s
    inside: Float64s
    others: Float64s
    begin: Float64s
    end: Float64s
    calls: Float64s
    contradicted: bool


def without_thread_overlap(rows: LogRows) -> LogRows:
    """The log with the seconds of each rank as if its calls followed one another: where they are more than the time in
    which its files were in use, its timers are made as many times shorter. Reduced records and traces stay."""
    tables = [t for t in rows.highest if t.module not in rows.traced]
    if not tables or _most_records_of_a_rank(tables) < 2:
        return rows
    outer = begin_notes()
    try:
        took = sum(float(rank_times(t)[t.ranks >= 0].sum()) for t in tables)
        found = [_records(t) for t in tables] if took >= LEAST_S else []
    finally:
        missing = end_notes(outer)
    if any(t.contradicted for t in found) or not (times := _times_side_by_side(found, rows.log.job.runtime_s)):
        return replace(rows, missing=missing) if missing else rows
    return replace(
        rows,
        posix=None if rows.posix is None else _shortened(rows.posix, times),
        mpiio=None if rows.mpiio is None else _shortened(rows.mpiio, times),
        stdio=None if rows.stdio is None else _shortened(rows.stdio, times),
        others={module: _shortened(table, times) for module, table in rows.others.items()},
        side_by_side=max(times.values()),
        missing=missing,
    )


def _most_records_of_a_rank(tables: Sequence[CounterTable]) -> int:
    _, rank = unique_inverse(np.concatenate([own_records(t).ranks for t in tables]))
    return int(np.bincount(rank).max(initial=0))


def _records(table: CounterTable) -> _Records:
    """Stats are calls before a file is opened, and a file that another layer opened has its metadata there."""
    own = own_records(table)
    prefix = prefix_of(own)
    reading, writing, metadata = (timer(own, f"{what}_TIME") for what in ("READ", "WRITE", "META"))
    moving = reading + writing
    begin = first_at(own, "OPEN_START", "READ_START", "WRITE_START")
    end = last_at(own, "OPEN_END", "READ_END", "WRITE_END", "CLOSE_END")
    known = end > begin
    opened = known & (last_at(own, "CLOSE_END") > 0)
    if f"{prefix}_STATS" in own.int_names:
        opened &= (own.count(f"{prefix}_STATS") <= 0) & (own.count(f"{prefix}_OPENS") > 0)
    inside = np.where(known, moving, 0.0) + np.where(opened, metadata, 0.0)
    begin, end = np.where(known, begin, 0.0), np.where(known, end, 0.0)
    timed = np.maximum(np.maximum(reading, writing), np.where(opened, metadata, 0.0))
    longest = timed[known] > (end - begin)[known] * TOLERANCE + A_MOMENT_S
    return _Records(own.ranks, inside, moving + metadata - inside, begin, end, _calls(own), bool(longest.any()))


def _calls(table: CounterTable) -> Float64s:
    """Reads, writes, opens, stats and syncs of each record. Shape (n,)."""
    prefix = prefix_of(table)
    names = [*access_counters(table.module, "read", "write"), *(f"{prefix}_{what}" for what in ("OPENS", "STATS"))]
    names += [f"{prefix}_{kind}_OPENS" for kind in ("INDEP", "COLL")] + [*SYNCS.get(table.module, ())]
    counted = [np.maximum(table.count(name), 0) for name in names if name in table.int_names]
    found: Float64s = np.array(counted, np.float64).reshape(len(counted), len(table)).sum(axis=0)
    return found


A_MOMENT_S = 0.01
"""Seconds by which a timer and the timestamps of one file differ."""


def _times_side_by_side(tables: Sequence[_Records], runtime_s: float | None) -> dict[int, float]:
    """How many calls at a time, on average, each rank had that had some side by side."""
    if not any(len(t.ranks) for t in tables):
        return {}
    every, rank = unique_inverse(np.concatenate([t.ranks for t in tables]))
    columns = ((t.inside, t.others, t.begin, t.end, t.calls) for t in tables)
    inside, others, begin, end, calls = (np.concatenate(column) for column in zip(*columns, strict=True))
    total = np.bincount(rank, inside + others, len(every))
    waiting = np.where(inside + others >= WAITS_S * calls, inside + others, 0.0)
    waits = np.bincount(rank, waiting, len(every)) >= HARDLY_ANY * total
    longest_s, shown_s = (inf, inf) if runtime_s is None else (longest_possible(runtime_s), MOST_OF_RUN * runtime_s)
    # What is longer than the run was not one after another, whatever timestamps show.
    surely = (total > longest_s) & ~waits
    times, most = np.ones(len(every)), np.zeros(len(every))
    for share in IDLE:
        used = inside >= share * (end - begin)
        spent = np.bincount(rank[used], inside[used], len(every))
        in_use, instants, files = _time_in_use(rank[used], begin[used], end[used], len(every))
        beside = (spent > in_use * TOLERANCE + LEAST_S) & (in_use > NO_TIME)
        at_a_time = spent / np.maximum(in_use, NO_TIME)
        beside &= (instants >= np.maximum(INSTANTS, APART * files)) | (surely & (at_a_time <= files))
        beside &= ((total <= longest_s) | (in_use <= shown_s) | surely) & (spent - in_use > most)
        times[beside], most[beside] = at_a_time[beside], (spent - in_use)[beside]
    return {int(every[i]): float(times[i]) for i in np.flatnonzero(most).tolist()}


def _time_in_use(rank: NDArray[np.intp], begin: Float64s, end: Float64s, ranks: int) -> tuple[Float64s, ...]:
    """Seconds in which one of a rank's files or more were in use, the instants at which it began to use some, and its
    files. Each of shape (ranks,)."""
    # Each rank's seconds lie after those of the rank before it, so that one pass over all finds what overlaps.
    after = (float(end.max(initial=0.0)) + 1.0) * rank
    order = np.argsort(begin + after)
    starts, ends, of_rank = (begin + after)[order], (end + after)[order], rank[order]
    before = np.concatenate(([-np.inf], np.maximum.accumulate(ends)[:-1]))
    in_use = np.bincount(of_rank, np.maximum(0.0, ends - np.maximum(starts, before)), ranks)
    instants = np.bincount(of_rank, np.concatenate(([True], starts[1:] > starts[:-1])), ranks)
    files = np.bincount(of_rank, minlength=ranks)
    return in_use.astype(np.float64), instants.astype(np.float64), files.astype(np.float64)


def _shortened(table: CounterTable, times: Mapping[int, float]) -> CounterTable:
    """The same records, the timers of those ranks so many times shorter."""
    by = np.array([times.get(rank, 1.0) for rank in table.ranks.tolist()])
    if not len(table) or bool((by == 1.0).all()):
        return table
    floats = table.floats.copy()
    for name in ("READ_TIME", "WRITE_TIME", "META_TIME"):
        column = f"{prefix_of(table)}_F_{name}"
        if column in table.float_names:
            at = table.float_names.index(column)
            floats[:, at] = np.where(floats[:, at] > 0, floats[:, at] / by, floats[:, at])
    return table.copy(floats=floats)

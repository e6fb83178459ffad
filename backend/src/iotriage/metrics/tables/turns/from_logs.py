"""Ranks that read or write one after the other: each begins as another ends, so that always as many are at it.

Darshan keeps of each rank's own record when its reads and its writes began and ended. Where ranks begin together and
end apart, fewer and fewer are at it; where each comes when it is done with something else, now more are and now fewer;
where each was sent off so long after the other, that is how they begin, however long the one before takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, own_records, unique
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.outliers import median, quantile
from iotriage.metrics.tables.rank_times import known_seconds, timer
from iotriage.metrics.tables.turns.from_heatmaps import ranks_in_heatmap, turns_in_heatmap
from iotriage.metrics.tables.turns.from_shared_records import seconds_of, turns_in_files
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

NO_RUN = 1e9
"""Seconds: thirty years."""
FEWEST_RANKS = 4
"""Ranks that come after one another, from which that is no chance if each begins just as another ends."""
ENOUGH_RANKS = 8
"""From which it is none however late each begins, and a heatmap shows it."""
JUST = 0.05
"""Of a turn: what passes between two turns of fewer ranks, at most."""
BUSY = 0.5
"""Share of the time between first and last call that the calls take: below it the rank does something else as well."""
PAUSE = 0.5
"""Between two turns, for each of their usual lengths: the next rank is told, and opens its file."""
STEADY = 0.7
"""Share of the time in which as many ranks are at it as most of the time."""
NEARLY = 0.1
"""By which these may be more or fewer."""
EARLY = 0.05
"""Share of the time in which those that come in turn have hardly begun."""
HANDED_OVER = 0.7
"""Share of the turns but the first that begin as another ends."""
CLOCK = 0.01
"""Of a turn: what clocks and messages differ by."""
IN_OPENS = 0.25
"""Of the time that all turns take, what the mean rank spends in opens and closes, from which it waits there: files that
are made one after the other are the metadata server's turns."""
ONCE = 1.25
"""Turns for each rank: who comes again and again has a queue of its own."""


@frozen
class Turns:
    """Seconds from the first turn to the end of the last, of all rounds together; of the longest round its `ranks`, how
    many of them are at it `at_once`, the usual seconds of a turn, whether they are `reads`, a `record` of it, and the
    bytes that move a second while it lasts, None where only a heatmap shows it."""

    seconds: float
    ranks: int
    at_once: int
    turn_s: float
    reads: bool
    record: int
    bytes_per_s: float | None


@frozen_identity
class _Calls:
    """What ranks did between two times, in the order of these. Each of shape (n,)."""

    rank: Int64s
    begins: Float64s
    ends: Float64s
    record: NDArray[np.uint64]
    metadata_s: Float64s
    moved: Float64s

    def of(self, rows: slice | NDArray[np.intp]) -> _Calls:
        return _Calls(
            self.rank[rows],
            self.begins[rows],
            self.ends[rows],
            self.record[rows],
            self.metadata_s[rows],
            self.moved[rows],
        )


@cached_per_log
def turns_of(rows: LogRows) -> Turns | None:
    """None where the log does not show any. Processes that were started one by one take no turns."""
    if rows.owners is not None:
        return None
    return _of_records_of_ranks(rows) or _of_heatmap(rows) or _of_shared_records(rows)


def _of_records_of_ranks(rows: LogRows) -> Turns | None:
    if not _may_show_turns(rows):
        return None
    found = [turns for way in DIRECTIONS for turns in _rounds(_calls(rows, way), reads=way == "read")]
    if not found:
        return None
    longest = max(found, key=lambda turns: turns.seconds)
    seconds = sum(turns.seconds for turns in found)
    return replace(longest, seconds=seconds)


def _of_heatmap(rows: LogRows) -> Turns | None:
    # Where ranks have records of their own, these tell better whether several take turns.
    found = turns_in_heatmap(rows, ENOUGH_RANKS, several=not _has_timed_ranks(rows))
    if found is None:
        return None
    return Turns(found.seconds, found.ranks, found.at_once, found.turn_s, found.reads, found.record, None)


def _of_shared_records(rows: LogRows) -> Turns | None:
    """Where a heatmap has the ranks, it tells better."""
    if ranks_in_heatmap(rows) >= ENOUGH_RANKS or not (found := turns_in_files(rows, ENOUGH_RANKS)):
        return None
    longest = max(found, key=lambda one: one.ends_s - one.begins_s)
    rate = longest.moved / (longest.ends_s - longest.begins_s)
    ranks = rows.nprocs or ENOUGH_RANKS
    return Turns(seconds_of(found), ranks, 1, longest.turn_s, longest.reads, longest.record, rate)


@cached_per_log
def can_show_turns(rows: LogRows) -> bool:
    """Whether as many ranks have records of their own with times, or stand in a heatmap, or the record of a file that
    all share shows turns: that it shows none says nothing."""
    if rows.owners is not None:
        return False
    known = _has_timed_ranks(rows) or ranks_in_heatmap(rows) >= ENOUGH_RANKS
    return known or bool(turns_in_files(rows, ENOUGH_RANKS))


def _has_timed_ranks(rows: LogRows) -> bool:
    """Whether as many ranks have records of their own with times."""
    if not _may_show_turns(rows):
        return False
    of_ways = (_calls(rows, way).rank for way in DIRECTIONS)
    return max(len(unique(ranks)) for ranks in of_ways) >= FEWEST_RANKS


def _may_show_turns(rows: LogRows) -> bool:
    """Whether the log has as many records of single ranks: with fewer nothing is to be looked at."""
    return sum(len(own_records(t)) for t in rows.highest if t.module not in rows.cut) >= FEWEST_RANKS


@cached_per_log
def _calls(rows: LogRows, way: str) -> _Calls:
    """What follows at once on the same rank, as several files of one turn, is one."""
    tables = [t for t in rows.highest if t.module not in rows.cut and len(own_records(t))]
    every = [_of_records(t, way.upper()) for t in tables if f"{prefix_of(t)}_F_{way.upper()}_TIME" in t.float_names]
    if not every:
        none = np.zeros(0)
        return _Calls(none.astype(np.int64), none, none, none.astype(np.uint64), none, none)
    calls = _Calls(
        np.concatenate([c.rank for c in every]),
        np.concatenate([c.begins for c in every]),
        np.concatenate([c.ends for c in every]),
        np.concatenate([c.record for c in every]),
        np.concatenate([c.metadata_s for c in every]),
        np.concatenate([c.moved for c in every]),
    )
    return _joined(calls.of(np.lexsort((calls.begins, calls.rank))))


def _of_records(table: CounterTable, way: str) -> _Calls:
    prefix = prefix_of(table)
    begins, ends, took = (
        known_seconds(table.seconds(f"{prefix}_F_{name}"))
        for name in (f"{way}_START_TIMESTAMP", f"{way}_END_TIMESTAMP", f"{way}_TIME")
    )
    timed = (begins > 0) & (ends > begins) & (ends < NO_RUN)
    known = np.flatnonzero((table.ranks >= 0) & timed & (took >= BUSY * (ends - begins)))
    metadata_s = timer(table, "META_TIME")[known]
    done = "BYTES_READ" if way == "READ" else "BYTES_WRITTEN"
    moved = np.maximum(table.count(f"{prefix}_{done}")[known], 0).astype(np.float64)
    return _Calls(table.ranks[known], begins[known], ends[known], table.ids[known], metadata_s, moved)


def _joined(calls: _Calls) -> _Calls:
    """The calls by rank and time, those between which hardly any time passes made one."""
    if not len(calls.rank):
        return calls
    # Ranks are set apart in time, so that what ends last is looked for among those of one rank.
    apart = calls.rank * (2.0 * float(calls.ends.max()) + 1.0)
    last = np.maximum.accumulate(calls.ends + apart) - apart
    pause = calls.begins[1:] - last[:-1]
    length = calls.ends - calls.begins
    new = np.concatenate(
        ([True], (calls.rank[1:] != calls.rank[:-1]) | (pause > PAUSE * np.maximum(length[1:], length[:-1])))
    )
    first = np.flatnonzero(new)
    merged = calls.of(first)
    ends = np.maximum.reduceat(calls.ends, first)
    metadata_s, moved = (np.add.reduceat(of, first) for of in (calls.metadata_s, calls.moved))
    joined = _Calls(merged.rank, merged.begins, ends, merged.record, metadata_s, moved)
    return joined.of(np.argsort(joined.begins, kind="stable"))


def _rounds(calls: _Calls, *, reads: bool) -> Iterator[Turns]:
    """The times in which ranks took turns."""
    if len(calls.rank) < FEWEST_RANKS:
        return
    length = calls.ends - calls.begins
    ends = np.maximum.accumulate(calls.ends)
    begins_anew = np.flatnonzero(calls.begins[1:] > ends[:-1] + PAUSE * median(length)) + 1
    for first, last in zip([0, *begins_anew.tolist()], [*begins_anew.tolist(), len(length)], strict=True):
        found = _round(calls.of(slice(first, last)), reads=reads) if last - first >= FEWEST_RANKS else None
        if found is not None:
            yield found


def _round(calls: _Calls, *, reads: bool) -> Turns | None:
    ranks, turns = len(unique(calls.rank)), len(calls.rank)
    begin, end = float(calls.begins[0]), float(calls.ends.max())
    if ranks < FEWEST_RANKS or turns > ONCE * ranks:
        return None
    at_once = _at_once(calls)
    early = int((calls.begins <= begin + EARLY * (end - begin)).sum())
    if at_once is None or early > (1 + NEARLY) * at_once + 2 * EARLY * turns:
        return None
    if not _handed_over(calls, at_once) or float(calls.metadata_s.mean()) >= IN_OPENS * (end - begin):
        return None
    length = calls.ends - calls.begins
    if ranks < ENOUGH_RANKS and not _just_after(calls, median(length)):
        return None
    longest = int(calls.record[int(length.argmax())])
    passed = end - begin
    rate = float(calls.moved.sum()) / passed
    return Turns(passed, ranks, at_once, median(length), reads, longest, rate)


def _at_once(calls: _Calls) -> int | None:
    """How many are at it nearly all of the time; None where these are now more and now fewer."""
    at = np.concatenate((calls.begins, calls.ends))
    order = np.argsort(at, kind="stable")
    many = np.cumsum(np.concatenate((np.ones(len(calls.begins)), -np.ones(len(calls.ends))))[order])[:-1].astype(int)
    passed = np.diff(at[order])
    of_each = np.bincount(many, passed)
    usual = int(of_each[1:].argmax()) + 1
    about = abs(np.arange(len(of_each)) - usual) <= NEARLY * usual
    return usual if float(of_each[about].sum()) >= STEADY * float(passed.sum()) else None


def _handed_over(calls: _Calls, at_once: int) -> bool:
    """Whether a turn begins when another ends: the one before it in time, of as many as are at it; the one of the rank
    before, in groups of ranks; the one before it in the same file; or the last of those before, in waves."""
    length = median(calls.ends - calls.begins)
    by_rank = calls.of(np.argsort(calls.rank, kind="stable"))
    handed_over = _follow(_pairs(calls, at_once), length) or _follow(_pairs(by_rank, 1), length)
    return handed_over or _follow_in_files(calls, length) or _at_an_end(calls, length / at_once)


def _just_after(calls: _Calls, length: float) -> bool:
    """Whether each turn begins just as the one before it ends."""
    return bool((abs(calls.begins[1:] - calls.ends[:-1]) <= JUST * length).all())


def _pairs(calls: _Calls, lag: int) -> tuple[_Calls, _Calls]:
    """Each turn that another is so many places before, and that other."""
    return calls.of(slice(lag, None)), calls.of(slice(None, -lag))


def _follow_in_files(calls: _Calls, length: float) -> bool:
    """Whether most turns follow another in their own file: where ranks share files out, each file has its own queue,
    whichever ranks stand in it."""
    by_file = calls.of(np.lexsort((calls.begins, calls.record)))
    after, before = _pairs(by_file, 1)
    same = np.flatnonzero(after.record == before.record)
    return len(same) >= HANDED_OVER * len(calls.rank) and _follow((after.of(same), before.of(same)), length)


def _follow(pairs: tuple[_Calls, _Calls], length: float) -> bool:
    """Whether turns follow those before them more evenly by their ends than by their beginnings. Where they are as long
    as one another and as far apart, as outputs of equal steps are, only one that begins just after another ends was
    waiting for it."""
    after, before = pairs
    after_end = after.begins - before.ends
    close = abs(after_end) <= PAUSE * length
    if not len(close) or close.sum() < HANDED_OVER * len(close):
        return False
    after_begin = (after.begins - before.begins)[close]
    by_ends, by_beginnings = _spread(after_end[close]), _spread(after_begin)
    if max(by_ends, by_beginnings) <= CLOCK * length:
        return median(after_end[close]) <= JUST * length
    return by_ends <= by_beginnings + CLOCK * length


def _at_an_end(calls: _Calls, apart: float) -> bool:
    """Whether nearly all begin right after some other ended, where ends are `apart` by chance."""
    ends = np.sort(calls.ends)
    before = np.searchsorted(ends, calls.begins, side="right") - 1
    since = (calls.begins - ends[np.maximum(before, 0)])[before >= 0]
    return len(since) > 0 and quantile(since, 1 - NEARLY) <= NEARLY * apart


def _spread(seconds: Float64s) -> float:
    return median(abs(seconds - median(seconds)))

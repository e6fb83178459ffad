"""How the bytes and the time of a log spread over its ranks, at the highest layer of each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.prefix import PREFIX, prefix_of
from iotriage.metrics.core.selection import LogRows, select_rows, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.shared import ranks_beside_the_busiest
from iotriage.metrics.tables.rank_times import (
    beyond_mean,
    bytes_in,
    has_shared,
    largest_of_a_rank,
    longest_possible_of_a_rank,
    rank_bytes,
    rank_times,
    total_time,
)
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen


@frozen
class Spread:
    """The busiest rank's share against the `mean` over `movers`, the ranks that shared the bytes. `exact` where every
    rank's own figure is known; else the busiest rank may have moved more."""

    most: float
    all: float
    movers: float
    mean: float
    exact: bool


def bytes_of_log(rows: LogRows) -> float:
    """Read and written, each byte once at the highest layer that saw it, in collective calls too."""
    return sum(float(rank_bytes(table).sum()) for table in rows.highest)


@cached_per_log
def bytes_spread(rows: LogRows) -> Spread | None:
    """Bytes over ranks: exact from per-rank records; a reduced record names the bytes of its slowest and fastest
    rank only, so that the busiest rank moved at least the larger of the two."""
    n, tables = rows.nprocs, rows.highest
    return None if n is None or n < 1 or not tables else _bytes_of_ranks(*tables, nprocs=n)


OTHER_WAY: Mapping[Direction, str] = {"read": "WRITTEN", "write": "READ"}

SHOWN = 0.25
"""Of the bytes of a reduced record, from which its variance tells of the ranks that read them, or wrote them."""


@frozen
class Movers:
    """How many `ranks` shared the bytes, and whether those `of_each` are known."""

    ranks: float
    of_each: bool


@cached_per_log
def movers_of(rows: LogRows, way: Direction) -> Movers | None:
    """Of the bytes that were read, or written. None where most of them stand in records of all ranks that moved far
    more the other way."""
    n, tables = rows.nprocs, rows.highest
    if n is None or n < 1:
        return None
    if not any(sum_counters(table, f"{prefix_of(table)}_BYTES_{OTHER_WAY[way]}") for table in tables):
        # Then those of the way are all.
        every = bytes_spread(rows)
        return None if every is None else Movers(every.movers, every.exact)
    of_way = [(table, bytes_in(table, way)) for table in tables]
    shown = [(amounts >= SHOWN * rank_bytes(table)) | (table.ranks >= 0) for table, amounts in of_way]
    told = [(select_rows(table, mine), amounts[mine]) for (table, amounts), mine in zip(of_way, shown, strict=True)]
    everything = sum(float(amounts.sum()) for _, amounts in of_way)
    if 2 * sum(float(amounts.sum()) for _, amounts in told) < everything:
        return None
    found = _spread_of(told, n)
    return None if found is None else Movers(found.movers, found.exact)


@cached_per_table
def _bytes_of_ranks(*tables: CounterTable, nprocs: int) -> Spread | None:
    return _spread_of([(table, rank_bytes(table)) for table in tables], nprocs)


def _spread_of(moved: Sequence[tuple[CounterTable, Float64s]], nprocs: int) -> Spread | None:
    """How evenly the ranks have the bytes of these tables, each given with those of its records."""
    everything = sum(float(amounts.sum()) for _, amounts in moved)
    if everything <= 0:
        return None
    exact = not any(bool(((table.ranks < 0) & (amounts > 0)).any()) for table, amounts in moved)
    if exact:
        most = largest_of_a_rank((t.ranks[mine], amounts[mine]) for t, amounts in moved for mine in [t.ranks >= 0])
    else:
        # Where a record names more for one rank than it has for all, the log contradicts itself.
        most = min(everything, max(_with_reduced(moved, nprocs).values(), default=0.0))
    movers = ranks_beside_the_busiest(everything, _squares(moved, nprocs), most, nprocs)
    mean = everything / movers
    return Spread(max(most, mean), everything, movers, mean, exact)


def _squares(moved: Sequence[tuple[CounterTable, Float64s]], nprocs: int) -> float:
    """The sum over ranks of the square of their bytes, in bytes². Of ranks' own records it is exact; a reduced record
    has it by its variance. Several reduced records are taken to have had the same ranks busy; between these and the
    ranks' own records nothing is known, and they are taken to be independent."""
    ranks = [table.ranks[table.ranks >= 0] for table, _ in moved]
    amounts = [of_records[table.ranks >= 0] for table, of_records in moved]
    _, index = unique_inverse(np.concatenate(ranks))
    own = np.bincount(index, np.concatenate(amounts))
    root = shared = 0.0
    for table, of_records in moved:
        reduced = table.ranks < 0
        if reduced.any():
            variance = _variance(table)[reduced]
            known = np.where(np.isfinite(variance) & (variance > 0), variance, 0.0)
            root += float(np.sqrt(nprocs * known + of_records[reduced] ** 2 / nprocs).sum())
            shared += float(of_records[reduced].sum())
    return float((own**2).sum()) + root * root + 2 * float(own.sum()) * shared / nprocs


def _variance(table: CounterTable) -> Float64s:
    """Of the bytes over ranks, in bytes²; NaN where the module does not count it, as DFS and DAOS."""
    name = f"{PREFIX[table.module]}_F_VARIANCE_RANK_BYTES"
    return table.seconds(name) if name in table.float_names else np.full(len(table), np.nan)


def _with_reduced(moved: Sequence[tuple[CounterTable, Float64s]], nprocs: int) -> dict[int, float]:
    """Bytes by rank: those of its own records, those that reduced records name for it, and of reduced records that name
    others what the mean rank has."""
    of_rank: dict[int, float] = {}
    named: dict[int, float] = {}
    means = 0.0
    for table, amounts in moved:
        mine = table.ranks >= 0
        ranks, index = unique_inverse(table.ranks[mine])
        sums = np.bincount(index, weights=amounts[mine], minlength=len(ranks))
        for rank, amount in zip(ranks.tolist(), sums.tolist(), strict=True):
            of_rank[rank] = of_rank.get(rank, 0.0) + amount
    for table, amounts in moved:
        reduced = (table.ranks < 0) & (amounts > 0)
        if not reduced.any():
            continue
        columns = [
            column[reduced].tolist() for which in ("FASTEST", "SLOWEST") for column in _rank_and_bytes(table, which)
        ]
        of_mean = (amounts[reduced] / nprocs).tolist()
        means += sum(of_mean)
        for fastest, of_fastest, slowest, of_slowest, mean in zip(*columns, of_mean, strict=True):
            for rank, amount in {fastest: of_fastest, slowest: of_slowest}.items():
                if rank >= 0 and amount > 0:
                    of_rank[rank] = of_rank.get(rank, 0.0) + amount
                    named[rank] = named.get(rank, 0.0) + mean
    return {rank: amount + means - named.get(rank, 0.0) for rank, amount in of_rank.items()}


def _rank_and_bytes(table: CounterTable, which: Literal["FASTEST", "SLOWEST"]) -> tuple[Int64s, Int64s]:
    """The rank of each record and what it moved. A record that names none and has no bytes of it says nothing."""
    name = f"{PREFIX[table.module]}_{which}_RANK"
    ranks, moved = table.as_recorded(name), table.count(f"{name}_BYTES")
    nameless = bool(((ranks < 0) & (moved > 0)).any())
    return table.count(name) if nameless else ranks, moved


@cached_per_log
def time_spread(rows: LogRows) -> Spread | None:
    """Seconds over the ranks that moved bytes: of a rank its own records, and of each reduced one what its slowest rank
    took where it is that, and the mean where it is not. Where nobody moved any, all ranks are compared; where those
    that moved little took so long that the mean would be longer than any can have taken, it is the longest possible."""
    n, tables = rows.nprocs, rows.highest
    if n is None or n < 1:
        return None
    everything = sum(map(total_time, tables))
    if everything < NO_TIME:
        return None
    slowest = _slowest_by_name(tables, n)
    shared = any(map(has_shared, tables))
    moved = bytes_spread(rows)
    movers = float(n) if moved is None else moved.movers
    # Who moves no bytes may open files as long as those that do.
    openers = n if shared else len(unique(np.concatenate([t.ranks for t in tables])))
    metadata = sum(total_time(t, "META_TIME") for t in tables)
    mean = (everything - metadata) / movers + metadata / max(movers, openers)
    if mean > slowest + NO_TIME:
        # Where a record does not say how long its slowest rank took, that is no less than all took on average.
        longest = max(longest_possible_of_a_rank(tables, n), everything / n)
        mean, movers = (longest, everything / longest) if mean > longest else (mean, movers)
    return Spread(max(slowest, mean), everything, movers, mean, not shared)


def slowest_beyond_mean(rows: LogRows) -> float:
    """Seconds of the slowest rank beyond the mean; 0 where nobody took any."""
    spread = time_spread(rows)
    return 0.0 if spread is None else max(0.0, spread.most - spread.mean)


def _slowest_by_name(tables: Sequence[CounterTable], nprocs: int) -> float:
    """Seconds of the slowest rank. Two files whose slowest ranks differ make none of them twice as slow; where a record
    does not name its slowest rank, that is taken to be the one with most."""
    ranks, beyond = [np.zeros(1, np.int64)], [np.zeros(1)]
    means = unnamed = 0.0
    for table in tables:
        took, reduced = rank_times(table), table.ranks < 0
        ranks.append(table.ranks[~reduced])
        beyond.append(took[~reduced])
        if reduced.any():
            prefix = PREFIX[table.module]
            mean = took[reduced] / nprocs
            above = np.maximum(beyond_mean(table, nprocs)[reduced], 0.0)
            who = table.as_recorded(f"{prefix}_SLOWEST_RANK")[reduced]
            means += float(mean.sum())
            unnamed += float(above[who < 0].sum())
            ranks.append(who[who >= 0])
            beyond.append(above[who >= 0])
    return means + unnamed + largest_of_a_rank(zip(ranks, beyond, strict=True))

"""How evenly the ranks share the bytes and the time, at the highest layer of each file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Confidence, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.files.shared import movers, ranks_beside_the_busiest
from iotriage.metrics.tables.grouping import templates_of
from iotriage.metrics.tables.rank_times import (
    bytes_in,
    has_shared,
    known_seconds,
    largest_of_a_rank,
    rank_bytes,
    rank_times,
    total_time,
)
from iotriage.metrics.tables.stages import over_stages, programs_side_by_side, ranks_beside
from iotriage.metrics.tables.texts.phases import MOST_LINES
from iotriage.metrics.tables.texts.profiled import other_files, spread
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import CounterTable, Heatmap
from iotriage_parsers.evidence.darshan import Float64s
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


@cached_per_log
def _bytes_spread(rows: LogRows) -> Spread | None:
    """Bytes over ranks: exact from per-rank records; a reduced record names the bytes of its slowest and fastest
    rank only, so that the busiest rank moved at least the larger of the two."""
    n, tables = rows.nprocs, [table for table in rows.highest if len(table)]
    return None if n is None or n < 1 or not tables else _bytes_of_ranks(*tables, nprocs=n)


SHOWN = 0.25
"""Of the bytes of a reduced record, from which its variance tells of the ranks that read them, or wrote them."""


@cached_per_log
def movers_of(rows: LogRows, way: Direction) -> tuple[float, bool] | None:
    """How many ranks shared the bytes that were read, or written, and whether the bytes of each are known. None where
    most of them stand in records of all ranks that moved far more the other way."""
    n, tables = rows.nprocs, [table for table in rows.highest if len(table)]
    if n is None or n < 1:
        return None
    of_way = [(table, bytes_in(table, way)) for table in tables]
    shown = [(amounts >= SHOWN * rank_bytes(table)) | (table.ranks >= 0) for table, amounts in of_way]
    told = [(table.rows(mine), amounts[mine]) for (table, amounts), mine in zip(of_way, shown, strict=True)]
    everything = sum(float(amounts.sum()) for _, amounts in of_way)
    if 2 * sum(float(amounts.sum()) for _, amounts in told) < everything:
        return None
    found = _spread_of(told, n)
    return None if found is None else (found.movers, found.exact)


@cached_per_table
def _bytes_of_ranks(*tables: CounterTable, nprocs: int) -> Spread | None:
    return _spread_of([(table, rank_bytes(table)) for table in tables], nprocs)


def _spread_of(moved: Sequence[tuple[CounterTable, Float64s]], nprocs: int) -> Spread | None:
    """Of tables, each with the bytes of its records."""
    everything = sum(float(amounts.sum()) for _, amounts in moved)
    if everything <= 0:
        return None
    exact = not any(bool(((table.ranks < 0) & (amounts > 0)).any()) for table, amounts in moved)
    if exact:
        most = largest_of_a_rank((t.ranks[mine], amounts[mine]) for t, amounts in moved for mine in [t.ranks >= 0])
    else:
        most = max(_with_reduced(moved, nprocs).values(), default=0.0)
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
            table.count(f"{PREFIX[table.module]}_{which}_RANK{what}")[reduced].tolist()
            for which in ("FASTEST", "SLOWEST")
            for what in ("", "_BYTES")
        ]
        of_mean = (amounts[reduced] / nprocs).tolist()
        means += sum(of_mean)
        for fastest, of_fastest, slowest, of_slowest, mean in zip(*columns, of_mean, strict=True):
            for rank, amount in {fastest: of_fastest, slowest: of_slowest}.items():
                if rank >= 0 and amount > 0:
                    of_rank[rank] = of_rank.get(rank, 0.0) + amount
                    named[rank] = named.get(rank, 0.0) + mean
    return {rank: amount + means - named.get(rank, 0.0) for rank, amount in of_rank.items()}


@cached_per_log
def _time_spread(rows: LogRows) -> Spread | None:
    """Seconds over the ranks that moved bytes: of a rank its own records, and of each reduced one what its slowest rank
    took where it is that, and the mean where it is not. Where nobody moved any, all ranks are compared."""
    n, tables = rows.nprocs, rows.highest
    if n is None or n < 1:
        return None
    everything = sum(map(total_time, tables))
    if everything < NO_TIME:
        return None
    slowest = _slowest_by_name(tables, n)
    shared = any(map(has_shared, tables))
    moved = _bytes_spread(rows)
    movers = float(n) if moved is None else moved.movers
    # Who moves no bytes may open files as long as those that do.
    openers = n if shared else len(unique(np.concatenate([t.ranks for t in tables])))
    metadata = sum(total_time(t, "META_TIME") for t in tables)
    mean = (everything - metadata) / movers + metadata / max(movers, openers)
    return Spread(max(slowest, mean), everything, movers, mean, not shared)


def slowest_beyond_mean(rows: LogRows) -> float:
    """Seconds of the slowest rank beyond the mean; 0 where nobody took any."""
    spread = _time_spread(rows)
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
            above = np.maximum(known_seconds(table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME")[reduced]) - mean, 0.0)
            who = table.count(f"{prefix}_SLOWEST_RANK")[reduced]
            means += float(mean.sum())
            unnamed += float(above[who < 0].sum())
            ranks.append(who[who >= 0])
            beyond.append(above[who >= 0])
    return means + unnamed + largest_of_a_rank(zip(ranks, beyond, strict=True))


@cached_per_selection
def _of_longest_log(s: Selection, *, time: bool) -> tuple[LogRows, Spread] | Absent:
    """The spread in the step that moved most, or whose slowest rank took longest: steps have ranks of their own."""
    if not s.logs:
        return Absent("no source shows the ranks one by one", (DARSHAN,))
    whole = [rows for rows in s.logs if not any(t.module in rows.cut for t in rows.highest)]
    if not whole:
        return Absent("the trace of the calls was cut off: ranks may be missing from it", (DARSHAN,))
    spreads = [(rows, x) for rows in whole if (x := (_time_spread if time else _bytes_spread)(rows)) is not None]
    if not spreads:
        return Absent("the timers show no time") if time else _no_bytes(s)
    return max(spreads, key=lambda p: p[1].most if time else p[1].all)


def _bytes_where_it_takes_longest(s: Selection) -> tuple[LogRows, Spread] | Absent:
    """What is held against the seconds of a step are its own bytes."""
    longest = _of_longest_log(s, time=True)
    moved = None if isinstance(longest, Absent) else _bytes_spread(longest[0])
    return _of_longest_log(s, time=False) if isinstance(longest, Absent) or moved is None else (longest[0], moved)


def _no_bytes(s: Selection) -> Absent:
    """None were moved, or none were counted."""
    moved = outcome(s, "io.bytes")
    return moved if isinstance(moved, Absent) else Absent("no bytes were moved")


TIME_COUNTERS = ("F_SLOWEST_RANK_TIME",)

BYTE_COUNTERS = ("SLOWEST_RANK_BYTES", "FASTEST_RANK_BYTES")


def _where(rows: LogRows, counters: tuple[str, ...]) -> tuple[Where, ...]:
    """STDIO records name no slowest rank's bytes, and are left out."""
    tables = [t for t in rows.highest if len(t) and t.module != "STDIO"]
    return joined(*(rows.where(t, *(f"{PREFIX[t.module]}_{c}" for c in counters)) for t in tables))


LITTLE = 0.01
"""Of the bytes of a profile, up to which those of other texts change nothing."""


def _profiled(s: Selection, *, over_mean: bool) -> Outcome | None:
    """The busiest rank's bytes over the mean, or over all, by CrayPAT; None without a report, and where it has little
    beside what MPICH_MPIIO_STATS tells of other files."""
    found, of_stats = spread(s), sum(b.block.total_bytes or 0 for b in s.stats)
    if found is None or isinstance(found, Absent):
        return None if of_stats else found
    if of_stats > LITTLE * found.all:
        return None
    if over_mean and found.ranks is None:
        return Absent("the report does not state the number of ranks")
    mean_or_all = found.all / found.ranks if over_mean and found.ranks else found.all
    sure: Confidence = "measured" if found.exact else "inferred"
    return Value(found.most / mean_or_all, sure, found.where, "lower" if found.lower else None)


def _max_over_mean(s: Selection, *, time: bool) -> Outcome:
    if not s.logs and not time and (of_profile := _profiled(s, over_mean=True)) is not None:
        return of_profile
    found = _of_longest_log(s, time=True) if time else _bytes_where_it_takes_longest(s)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    where = _where(rows, TIME_COUNTERS if time else BYTE_COUNTERS)
    return Value(spread.most / spread.mean, "measured" if spread.exact else "inferred", where)


@metric(
    "balance.bytes",
    "Bytes of the busiest rank over the mean",
    "ratio",
    about=About(time=False),
    formula="largest bytes of one rank / mean over the ranks that shared the bytes (the busiest, and of the others "
    "(Σb)² / Σb²), at the highest layer, in the step whose slowest rank takes longest; of a reduced record only its "
    "slowest and fastest rank are known; without Darshan, by CrayPAT's rows of single ranks (inferred from the files, "
    "where each rank has one)",
    needs="a Darshan log, or a CrayPAT report",
)
def balance_bytes(s: Selection) -> Outcome:
    return _max_over_mean(s, time=False)


@metric(
    "balance.time",
    "I/O time of the slowest rank over the mean",
    "ratio",
    about=About(time=True),
    formula="slowest rank's seconds / mean over the ranks that shared the bytes, of metadata calls over all that make "
    "some, at the highest layer, in the step whose slowest rank takes longest; of a reduced record its slowest rank "
    "has F_SLOWEST_RANK_TIME, and every other rank the mean",
    needs="a Darshan log",
)
def balance_time(s: Selection) -> Outcome:
    return _max_over_mean(s, time=True)


@metric(
    "balance.time_beyond_mean",
    "I/O time of the slowest rank beyond the mean of those that do I/O",
    "s",
    formula="slowest rank's seconds − mean, both as in balance.time; of logs that followed one another added up",
    needs="a Darshan log",
)
def time_beyond_mean(s: Selection) -> Outcome:
    longest = _of_longest_log(s, time=True)
    if isinstance(longest, Absent):
        return longest
    beyond = over_stages(s, ((rows, slowest_beyond_mean(rows)) for rows in s.logs))
    return Value(beyond, "measured" if longest[1].exact else "inferred")


@metric(
    "balance.mean_time",
    "Mean I/O time of the ranks that do I/O",
    "s",
    formula="the mean of balance.time: seconds of all ranks over those that shared the bytes, of metadata calls over "
    "all that make some, in the step that took longest",
    needs="a Darshan log",
)
def mean_time(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=True)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    return Value(spread.mean, "measured" if spread.exact else "inferred", _where(rows, TIME_COUNTERS))


@metric(
    "balance.slowest_rank_share",
    "Share of the bytes moved by the busiest rank",
    "share",
    about=About(time=False),
    formula="bytes of the busiest rank / all bytes, at the highest layer; without Darshan, by CrayPAT's rows of single "
    "ranks, or at least the bytes of a file that one rank has to itself; or by MPICH_MPIIO_STATS those of the files "
    "that have one independent reader or writer, and no collective calls (inferred)",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
)
def busiest_share(s: Selection) -> Outcome:
    if not s.logs and (of_text := _profiled(s, over_mean=False) or _lone_by_statistics(s)) is not None:
        return of_text
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    where = joined(
        *(
            rows.where(t, f"{PREFIX[t.module]}_SLOWEST_RANK_BYTES")
            for t in rows.highest
            if len(t) and t.module != "STDIO"
        )
    )
    return Value(spread.most / spread.all, "measured" if spread.exact else "inferred", where)


@metric(
    "balance.busiest_share",
    "Share of all bytes moved by the busiest rank of the step that takes longest",
    "share",
    about=About(time=False),
    formula="bytes of the busiest rank, as in balance.bytes / those of all steps; without Darshan, "
    "balance.slowest_rank_share",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
)
def share_of_all(s: Selection) -> Outcome:
    found = _bytes_where_it_takes_longest(s)
    if not s.logs or isinstance(found, Absent):
        return outcome(s, "balance.slowest_rank_share")
    every = sum(float(rank_bytes(t).sum()) for rows in s.logs for t in rows.highest)
    return Value(found[1].most / every, "measured" if found[1].exact else "inferred")


@metric(
    "balance.slowest_time_share",
    "Share of the I/O time of all ranks that the slowest one has",
    "share",
    about=About(time=True),
    formula="slowest rank's seconds, as in balance.time / those of all ranks together, in the step that moved most, "
    "times its part of the mean rank's seconds in all steps; without Darshan, balance.slowest_rank_share",
    needs="a Darshan log, a CrayPAT report, or MPICH_MPIIO_STATS",
    scopes=["job"],
)
def slowest_time_share(s: Selection) -> Outcome:
    if not s.logs:
        return outcome(s, "balance.slowest_rank_share")
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    spread = _time_spread(found[0])
    if spread is None:
        return Absent("the timers show no time")
    share = min(1.0, spread.most / spread.all) * _part_of_step(s, found[0])
    return Value(share, "measured" if spread.exact else "inferred", _where(found[0], TIME_COUNTERS))


def _part_of_step(s: Selection, step: LogRows) -> float:
    """Of the seconds that the mean rank of each step takes, those of this one."""
    of_each = {rows.source: sum(map(total_time, rows.highest)) / max(1, ranks_beside(s, rows) or 1) for rows in s.logs}
    return of_each[step.source] / sum(of_each.values())


@metric(
    "balance.step_ranks",
    "Ranks of the step that moved most bytes",
    "ranks",
    formula="nprocs of the log with most bytes read and written, at the highest layer",
    needs="a Darshan log",
    scopes=["job"],
)
def step_ranks(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return found
    ranks = found[0].nprocs
    return Absent("its log does not state them", (DARSHAN,)) if ranks is None else Value(ranks)


def _lone_by_statistics(s: Selection) -> Value | None:
    """At least the share of the files that one rank alone reads or writes, by MPICH_MPIIO_STATS; None where it is not
    known to be the same rank: a file each of many ranks, or a communicator of one."""
    blocks = [b for b in s.stats if b.block.total_bytes]
    elsewhere = sum(file.bytes for file in other_files(s))
    lone = [b for b in blocks if b.block.independent_accessors == 1 and b.block.collective_accesses == 0]
    files = {b.block.file for b in lone}
    alike = len(files) > 1 and len(set(templates_of(sorted(files)))) < len(files)
    shared = all((b.block.ranks_in_communicator or (1 if alike else 2)) > 1 for b in lone)
    if not lone or not shared:
        return None
    moved = sum(b.block.total_bytes or 0 for b in lone)
    where = joined(*(place(b, "total bytes for accesses") for b in lone[:MOST_LINES]))
    every = sum(b.block.total_bytes or 0 for b in blocks) + elsewhere
    # Of the other files nobody knows what that rank has.
    return Value(moved / every, "inferred", where, None if moved == every else "lower")


@metric(
    "balance.busy_ranks",
    "Ranks that move about as much as the busiest",
    "ranks",
    formula="ranks with at least half of the busiest rank's bytes, at the highest layer, where every rank has its own "
    "records",
    needs="a Darshan log with one record a rank",
)
def busy_ranks(s: Selection) -> Outcome:
    found = _bytes_where_it_takes_longest(s)
    if isinstance(found, Absent):
        return found
    rows, spread = found
    if not spread.exact:
        return Absent("of a file that all ranks share, the bytes of only two of them are recorded", (DARSHAN,))
    amounts = _bytes_by_rank(rows)
    return Value(int((amounts >= amounts.max() / 2).sum()))


@metric(
    "balance.movers",
    "Ranks that move the bytes",
    "ranks",
    formula="ranks that share the bytes at the highest layer, the busiest as one of them, and those with little beside "
    "the others left out; of the step that moved most, with those of programs that ran beside it; where every rank has "
    "its own records; of a log that has heatmaps and no records, by these",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def moving_ranks(s: Selection) -> Outcome:
    found = _of_longest_log(s, time=False)
    if isinstance(found, Absent):
        return _by_heatmap(s) or found
    rows, spread = found
    beside = next((logs for logs in programs_side_by_side(s) if rows in logs), [rows])
    spreads = [one for log in beside if (one := _bytes_spread(log)) is not None]
    if not spread.exact or not all(one.exact for one in spreads):
        return Absent("of a file that all ranks share, the bytes of only two of them are recorded", (DARSHAN,))
    return Value(movers([moved for log in beside if log.highest for moved in _bytes_by_rank(log).tolist()]))


def _by_heatmap(s: Selection) -> Value | None:
    """Of a log that has heatmaps and no records."""
    found = [_of_ranks(rows.log.heatmaps) for rows in s.logs if not any(map(len, rows.highest))]
    return Value(max(map(movers, found)), "inferred") if any(found) else None


def _of_ranks(heatmaps: Sequence[Heatmap]) -> list[int]:
    """The bytes of each rank, of the layer that shows most."""
    of_layers = [(h.read + h.written).sum(axis=1) for h in heatmaps]
    most = max(of_layers, key=lambda moved: int(moved.sum()), default=np.zeros(0, np.int64))
    return [int(moved) for moved in most]


def _bytes_by_rank(rows: LogRows) -> Float64s:
    """Of each rank with records of its own, in no order."""
    moved = [(table.ranks, rank_bytes(table)) for table in rows.highest if len(table)]
    ranks, index = unique_inverse(np.concatenate([of_ranks for of_ranks, _ in moved]))
    amounts = np.concatenate([of_bytes for _, of_bytes in moved])
    return np.bincount(index, amounts, minlength=len(ranks)).astype(np.float64)

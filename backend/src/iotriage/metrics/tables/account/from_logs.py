"""The account of the time by Darshan's records.

Sums over ranks are split exactly, file by file: what MPI-IO takes beyond the calls below it on the same file is
exchange and waiting. The slowest rank of a reduced record is known by its total and its number only, so that its time
over several such files is an interval; layers are subtracted for the same rank, or as means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.lacking import lacks_some, which_lack
from iotriage.metrics.core.listing import named_with_verb
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.prefix import LIBRARIES, prefix_of
from iotriage.metrics.core.selection import (
    LogRows,
    of_files,
    places_of_files,
    select_rows,
    unique,
    unique_inverse,
)
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.account.cells import Cell, Cells, SlowestRank, UnknownCell, sum_cells
from iotriage.metrics.tables.calls.mpiio_calls import NOT_INDEPENDENT, mpiio_calls
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.outliers import first_of_longest
from iotriage.metrics.tables.rank_times import (
    TOLERANCE,
    has_shared,
    longest_possible,
    longest_possible_of_a_rank,
    rank_times,
    timer,
    total_time,
)
from iotriage.metrics.tables.selecting import file_ids
from iotriage_parsers.evidence import CounterTable, DarshanLog
from iotriage_parsers.evidence.darshan import Float64s, Int64s, UInt64s
from iotriage_parsers.frozen import frozen_identity

Keys = Callable[[Sequence[CounterTable]], tuple[int, NDArray[np.intp]]]
"""What seconds are added up by: the file of each record, or its rank."""


ONE_RANK = 0.9
"""From this share of the most that the slowest rank can have taken, it is sure to be the one whose records say so."""


NO_MPIIO = "the program did not use MPI-IO"
NOT_BELOW = "the calls below MPI-IO were not recorded: its times hold the waiting"
RECORDS_LACK = "records are missing: MPI-IO's time and that of the calls below it cannot be compared"
LONGER_BELOW = "the calls below took longer than MPI-IO's own: threads, or a clock that was moved"
NOT_TRACED = "a trace has reads and writes, no opens"
STREAMS_NOT_TRACED = "a trace has no calls to streams"


@cached_per_log
def mean_rank(rows: LogRows) -> Cells:
    """Cells of the mean rank of the log; none where it states no number of ranks."""
    if rows.nprocs is None:
        return Cells()
    return _cells(_Layers.of(rows), partial(_by_file, rows.log), rows.nprocs or 1)


def unknown_cells(logs: Sequence[LogRows], cells: Cells) -> tuple[UnknownCell, ...]:
    """The cells of which no log tells anything."""
    exchange = _why_no_exchange(logs) if cells.exchange <= 0 else None
    storage = [(rows, t) for rows in logs for t in _Layers.of(rows).storage]
    traced = bool(storage) and all(t.module in rows.traced for rows, t in storage)
    not_timed = () if traced else _not_timed([t for _, t in storage], cells)
    return (
        *not_timed,
        *([UnknownCell("exchange", exchange)] if exchange is not None else []),
        *([UnknownCell("metadata", NOT_TRACED)] if traced and cells.metadata <= 0 else []),
        *([UnknownCell("streams", STREAMS_NOT_TRACED)] if traced and cells.streams <= 0 else []),
    )


TIMERS: Mapping[Cell, str] = {"reads": "READ", "writes": "WRITE", "metadata": "META"}


def _not_timed(tables: Sequence[CounterTable], cells: Cells) -> Iterator[UnknownCell]:
    """The cells of calls that were made, whose timers no record has."""
    for cell, way in TIMERS.items():
        names = [(t, f"{prefix_of(t)}_F_{way}_TIME") for t in tables if f"{prefix_of(t)}_F_{way}_TIME" in t.float_names]
        made = [name for t, name in names if lacks_some(t, name)]
        if made and cells.of(cell) <= 0 and all(t.lacks(name) == "all" for t, name in names):
            yield UnknownCell(cell, f"{named_with_verb(sorted(set(made)), len(made))} not available in this log")


@cached_per_log
def untimed_seconds(rows: LogRows) -> float:
    """At most what the mean rank took beyond all timers, where records lack one of what they did. Each rank that such
    records are of may have been there for all of the run, and each rank may where a record is of all."""
    named = ((t, f"{prefix_of(t)}_F_{way}_TIME") for t in rows.highest for way in TIMERS.values())
    known = ((t, name) for t, name in named if name in t.float_names and t.module not in rows.traced)
    lacking = [t.ranks[which_lack(t, name)] for t, name in known if lacks_some(t, name)]
    if not lacking:
        return 0.0
    ranks, every = unique(np.concatenate(lacking)), rows.nprocs or 1
    part = 1.0 if (ranks < 0).any() else len(ranks) / every
    return part * longest_possible(rows.log.job.runtime_s)


def _why_no_exchange(logs: Sequence[LogRows]) -> str | None:
    """None where MPI-IO took as long as the calls below it."""
    layers = [_Layers.of(rows) for rows in logs]
    both = [(x, x.mpiio) for x in layers if x.mpiio is not None]
    if not both:
        return NO_MPIIO
    seen = [(x, t) for x, mpiio in both if len(t := select_rows(mpiio, of_files(mpiio, _ids_of(x.storage))))]
    if not seen:
        return NOT_BELOW
    if any(x.unsure for x, _ in seen):
        return RECORDS_LACK
    above = sum(total_time(t) for _, t in seen)
    below = sum(total_time(select_rows(b, of_files(b, t.ids))) for x, t in seen for b in x.storage)
    return LONGER_BELOW if below > above else None


@cached_per_log
def slowest_rank(rows: LogRows) -> SlowestRank:
    """What the slowest rank took below HDF5 and PnetCDF, and in them what the mean rank took, or more where its own
    records say so, as far as it fits in the run: their reduced records name the slowest rank of a variable, not of
    what the variables take together. No rank is the slowest that took less than the mean, which need not fit."""
    below, library = _slowest_below_libraries(rows), mean_rank(rows).library
    if library <= 0:
        return below
    if below.cells is not None:
        library = max(library, below.cells.library)
    run, mean = rows.log.job.runtime_s or inf, _mean_below_libraries(rows) + library
    library = min(library, max(0.0, run - below.least_s))
    least = max(mean, below.least_s + library)
    cells = None if below.cells is None else replace(below.cells, library=library)
    return SlowestRank(least, max(least, min(run, below.most_s + library)), below.rank, cells)


def _slowest_below_libraries(rows: LogRows) -> SlowestRank:
    """At least the mean, the slowest rank of one file, one rank's own records with what every rank took of those that
    all share, and the largest sum of one rank over its own records and those that name it as their slowest; the latter
    are not believed where they do not fit in the run."""
    ranks, own, named = _by_rank(rows)
    of_one = float(own.max(initial=0.0)) + _of_every_rank(rows)
    least = max(_mean_below_libraries(rows), of_one, _longest_file(rows))
    most = max(least, min(longest_possible_of_a_rank(rows.highest, rows.nprocs), rows.log.job.runtime_s or inf))
    both = own + named
    found = float(both.max(initial=0.0))
    if found > most * TOLERANCE:
        return SlowestRank(least, most, None, None)
    if found < max(ONE_RANK * most, NO_TIME):
        return SlowestRank(max(least, found), most, None, None)
    largest = first_of_longest(both)
    rank = int(ranks[largest])
    cells = _cells(_Layers.of(rows).of_rank(rank), _by_rank_of_record, 1)
    split = sum_cells((cells, Cells(not_split=float(named[largest]))))
    return SlowestRank(min(most, max(least, found)), most, rank, split)


def _mean_below_libraries(rows: LogRows) -> float:
    """0 where the log does not state how many ranks it is the mean of."""
    return 0.0 if rows.nprocs is None else sum(total_time(t) for t in rows.highest) / max(1, rows.nprocs)


def _of_every_rank(rows: LogRows) -> float:
    """Seconds that each rank took at least in files that all ranks share: those of the fastest."""
    tables = (t for t in rows.highest if f"{prefix_of(t)}_F_FASTEST_RANK_TIME" in t.float_names)
    return sum(float(timer(t, "FASTEST_RANK_TIME")[t.ranks < 0].sum()) for t in tables if has_shared(t))


def _longest_file(rows: LogRows) -> float:
    """Seconds of the slowest rank of one reduced record."""
    of_tables = (_slowest_of(t)[t.ranks < 0] for t in rows.highest if has_shared(t))
    return max((float(of_files.max(initial=0.0)) for of_files in of_tables), default=0.0)


def _slowest_of(table: CounterTable) -> Float64s:
    return timer(table, "SLOWEST_RANK_TIME")


def _by_rank(rows: LogRows) -> tuple[Int64s, Float64s, Float64s]:
    """The ranks that records name, their seconds by records of their own, and by reduced records of which they are
    the slowest. Each of shape (n,)."""
    ranks: list[Int64s] = []
    seconds: list[Float64s] = []
    reduced: list[NDArray[np.bool_]] = []
    for table in rows.highest:
        shared, slowest = table.ranks < 0, f"{prefix_of(table)}_SLOWEST_RANK"
        if not has_shared(table):
            who, took = table.ranks, rank_times(table)
        elif slowest in table.int_names:
            who = np.where(shared, table.as_recorded(slowest), table.ranks)
            took = np.where(shared, _slowest_of(table), rank_times(table))
        else:
            who, took = table.ranks, rank_times(table)
        known = who >= 0
        ranks.append(who[known])
        seconds.append(took[known])
        reduced.append(shared[known])
    if not ranks:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    every, index = unique_inverse(np.concatenate(ranks))
    amounts, of_reduced = np.concatenate(seconds), np.concatenate(reduced)
    return (
        every,
        np.bincount(index, np.where(of_reduced, 0.0, amounts), len(every)).astype(np.float64),
        np.bincount(index, np.where(of_reduced, amounts, 0.0), len(every)).astype(np.float64),
    )


@frozen_identity
class _Layers:
    """The tables of a log by what they time. `unsure` where a layer lacks records: two must not be subtracted."""

    log: DarshanLog
    storage: tuple[CounterTable, ...]
    mpiio: CounterTable | None
    stdio: CounterTable | None
    libraries: tuple[CounterTable, ...]
    unsure: bool

    @classmethod
    def of(cls, rows: LogRows) -> _Layers:
        dfs, daos = rows.others.get("DFS"), rows.others.get("DAOS")
        if dfs is not None and daos is not None:
            daos = select_rows(daos, ~of_files(daos, dfs.ids))
        return cls(
            rows.log,
            tuple(t for t in (rows.posix, dfs, daos) if t is not None and len(t)),
            rows.mpiio if rows.mpiio is not None and len(rows.mpiio) else None,
            rows.stdio if rows.stdio is not None and len(rows.stdio) else None,
            tuple(t for m in LIBRARIES if (t := rows.others.get(m)) is not None and len(t)),
            is_partial(rows, "POSIX") or is_partial(rows, "MPI-IO"),
        )

    def of_rank(self, rank: int) -> _Layers:
        """The records of its own that one rank has."""

        def own(table: CounterTable) -> CounterTable:
            return select_rows(table, table.ranks == rank)

        return _Layers(
            self.log,
            tuple(own(t) for t in self.storage),
            None if self.mpiio is None else own(self.mpiio),
            None if self.stdio is None else own(self.stdio),
            tuple(own(t) for t in self.libraries),
            self.unsure,
        )


def _files(table: CounterTable, log: DarshanLog) -> UInt64s:
    return file_ids(table, log) if table.module in LIBRARIES else table.ids


def _by_file(log: DarshanLog, tables: Sequence[CounterTable]) -> tuple[int, NDArray[np.intp]]:
    """How many files the tables have records of, and the place among them of each record's, of all tables."""
    if not any(t.module in LIBRARIES for t in tables):
        files, places = places_of_files(tables)
        return len(files), np.concatenate(places)
    every, index = unique_inverse(np.concatenate([_files(t, log) for t in tables]))
    return len(every), index


def _by_rank_of_record(tables: Sequence[CounterTable]) -> tuple[int, NDArray[np.intp]]:
    """The same of ranks."""
    every, index = unique_inverse(np.concatenate([t.ranks for t in tables]))
    return len(every), index


def _cells(layers: _Layers, keys: Keys, ranks: int) -> Cells:
    """Seconds over `ranks`. What a layer takes beyond the one below is subtracted key by key, and is at least 0 of
    each: a file that was used past the upper layer takes nothing from another."""
    storage = layers.storage
    reads, writes, metadata = (
        sum(total_time(t, way) for t in storage) for way in ("READ_TIME", "WRITE_TIME", "META_TIME")
    )
    streams = 0.0 if layers.stdio is None else total_time(layers.stdio)
    exchange = not_split = 0.0
    mpiio = layers.mpiio
    if mpiio is not None:
        seen = sure = of_files(mpiio, _ids_of(storage))
        if not seen.all():
            past = mpiio.rows(~seen)
            alone = _storage_alone(past)
            by_storage = past.rows(alone)
            reads += total_time(by_storage, "READ_TIME")
            writes += total_time(by_storage, "WRITE_TIME")
            metadata += total_time(by_storage, "META_TIME")
            not_split = float(rank_times(past)[~alone].sum())
        if layers.unsure:
            sure = of_files(mpiio, _reduced(storage))
            not_split += _mpiio_beyond_storage(storage, select_rows(mpiio, seen & ~sure), keys)
        exchange = _mpiio_beyond_storage(storage, select_rows(mpiio, sure), keys)
    library = _library(layers, keys)
    return Cells(
        reads / ranks, writes / ranks, metadata / ranks, exchange / ranks, streams / ranks, library / ranks,
        not_split=not_split / ranks,
    )  # fmt: skip


def _storage_alone(mpiio: CounterTable) -> NDArray[np.bool_]:
    """Records of independent calls alone: whatever is below, their time is the storage's."""
    alone: NDArray[np.bool_] = (mpiio_calls(mpiio, "INDEP") > 0) & (mpiio_calls(mpiio, *NOT_INDEPENDENT) == 0)
    return alone


def _mpiio_beyond_storage(storage: tuple[CounterTable, ...], mpiio: CounterTable, keys: Keys) -> float:
    return _beyond((mpiio,), [select_rows(t, of_files(t, mpiio.ids)) for t in storage], keys)


def _reduced(tables: tuple[CounterTable, ...]) -> UInt64s:
    """The files of which a table has the sum over all ranks: no record of them is missing."""
    return _ids_of(tuple(select_rows(t, t.ranks < 0) for t in tables))


def _library(layers: _Layers, keys: Keys) -> float:
    if not layers.libraries or layers.unsure:
        return 0.0
    files = unique(np.concatenate([_files(t, layers.log) for t in layers.libraries]))
    above_storage = () if layers.mpiio is None else (layers.mpiio,)
    through = _ids_of(above_storage)
    below = [select_rows(t, of_files(t, files)) for t in above_storage]
    below += [select_rows(t, of_files(t, files) & ~of_files(t, through)) for t in layers.storage]
    return _beyond(layers.libraries, below, keys)


def _ids_of(tables: tuple[CounterTable, ...]) -> UInt64s:
    return np.concatenate([t.ids for t in tables]) if tables else np.zeros(0, np.uint64)


def _beyond(above: tuple[CounterTable, ...], below: list[CounterTable], keys: Keys) -> float:
    """Seconds of `above` less those of `below`, each at least 0, added up."""
    tables = [(t, 1.0) for t in above if len(t)] + [(t, -1.0) for t in below if len(t)]
    if not tables:
        return 0.0
    several, index = keys([t for t, _ in tables])
    amounts = np.concatenate([_seconds(t) * sign for t, sign in tables])
    return float(np.maximum(np.bincount(index, amounts, several), 0.0).sum())


def _seconds(table: CounterTable) -> Float64s:
    """Of a file that HDF5 or PnetCDF opened, the module of the file has the metadata alone."""
    return timer(table, "META_TIME") if table.module in ("H5F", "PNETCDF_FILE") else rank_times(table)

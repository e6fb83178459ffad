"""HDF5's metadata where one rank alone reads or writes it, while all move the data.

The accesses of a reduced record are summed over ranks, and so are the calls that move the data, a collective one once
for each rank that takes part: a hundred thousand accesses of one rank are few beside them, and all ranks wait for that
one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.hdf5.accesses import files_below_hdf5, metadata_by_file
from iotriage.metrics.tables.calls.single_calls import MOST, alone_in_reduced, bins, other_calls, small_independent
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.rank_times import known_seconds, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen


@frozen
class ByOneRank:
    """A file whose metadata one rank accesses: how often, the other calls of a rank, and what the slowest and the mean
    rank took in it."""

    rows: LogRows
    table: CounterTable
    accesses: int
    calls: float
    slowest_s: float
    mean_s: float


@cached_per_selection
def _by_one_rank(s: Selection) -> tuple[ByOneRank, ...] | Absent:
    below = files_below_hdf5(s)
    if isinstance(below, Absent):
        return below
    found = tuple(one for rows, table in below for one in _in_files(rows, table))
    return found or Absent("no log shows that one rank alone accesses the metadata of an HDF5 file")


def _in_files(rows: LogRows, table: CounterTable) -> Iterator[ByOneRank]:
    ranks, known = rows.nprocs, table.by_id
    if ranks is None or ranks < 2:
        return
    accesses = sum((metadata_by_file(rows, table, way) for way in DIRECTIONS), np.zeros(len(known.ids), np.int64))
    # Sorted by file once: to look for the records of each anew takes the square of their number.
    of_files = np.split(np.argsort(known.index, kind="stable"), np.cumsum(known.records)[:-1])
    for file in np.flatnonzero(accesses > 0).tolist():
        one = _in_file(rows, table.rows(of_files[file]), int(accesses[file]), ranks)
        if one is not None:
            yield one


def _in_file(rows: LogRows, table: CounterTable, accesses: int, ranks: int) -> ByOneRank | None:
    reduced = bool((table.ranks < 0).any())
    if reduced and len(table) > 1:
        return None
    alone = alone_in_reduced(table, accesses, ranks) if reduced else _alone_in_own(table)
    if not alone:
        return None
    if reduced:
        users, slowest = ranks, float(known_seconds(table.seconds("MPIIO_F_SLOWEST_RANK_TIME"))[0])
    else:
        every, index = unique_inverse(table.ranks)
        users, slowest = len(every), float(np.bincount(index, rank_times(table)).max())
    calls = other_calls(table, accesses)
    mean = float(rank_times(table).sum()) / users
    return ByOneRank(rows, table, accesses, calls / users, max(slowest, mean), mean)


def _alone_in_own(table: CounterTable) -> bool:
    """Whether one rank's own records have most of the small independent calls."""
    small = sum((small_independent(table, way) for way in DIRECTIONS), np.zeros(len(table), np.int64))
    every, index = unique_inverse(table.ranks)
    of_rank, took = np.bincount(index, small), np.bincount(index, rank_times(table))
    busiest = int(of_rank.argmax())
    return len(every) > 1 and of_rank[busiest] > MOST * of_rank.sum() and int(took.argmax()) == busiest


_NEEDS = "a Darshan log with HDF5 and MPI-IO records"
_FILES = (
    "the HDF5 files in which the slowest rank makes the metadata accesses: of a reduced record it moved as much more "
    "than the mean as accesses of up to 1 KiB can, and as larger calls that are left when each rank has as many "
    "cannot, and no other rank lies as far from it; of ranks' own records it has more than half of them"
)


_metrics_of_one_rank = MetricsOf(_by_one_rank, needs=_NEEDS)


@_metrics_of_one_rank(
    "hdf5.one_rank_accesses",
    "HDF5 metadata accesses by one rank",
    "calls",
    formula=f"hdf5.metadata_accesses of {_FILES}",
)
def one_rank_accesses(found: tuple[ByOneRank, ...]) -> Outcome:
    counters = tuple(name for way in DIRECTIONS for name in (f"MPIIO_INDEP_{way.upper()}S", *bins("MPIIO", way)))
    return Value(
        sum(one.accesses for one in found),
        "inferred",
        joined(*(one.rows.where(one.table, *counters) for one in found)),
    )


@_metrics_of_one_rank(
    "hdf5.one_rank_to_data_calls",
    "HDF5 metadata accesses by one rank per other MPI-IO call of a rank",
    "ratio",
    about=About(time=False),
    formula="hdf5.one_rank_accesses / other reads and writes of the mean rank in these files",
)
def one_rank_to_data_calls(found: tuple[ByOneRank, ...]) -> Outcome:
    made, calls = sum(one.accesses for one in found), sum(one.calls for one in found)
    return quotient(Value(made, "inferred"), Value(calls, "inferred"), zero="these files have no other calls")


@_metrics_of_one_rank(
    "hdf5.one_rank_time",
    "Time of the rank that accesses HDF5 metadata over the mean",
    "ratio",
    about=About(time=True),
    formula=f"MPI-IO seconds of the slowest rank over those of the mean rank, in {_FILES}",
)
def one_rank_time(found: tuple[ByOneRank, ...]) -> Outcome:
    mean = sum(one.mean_s for one in found)
    if mean < NO_TIME:
        return Absent("the timers show no time")
    return Value(sum(one.slowest_s for one in found) / mean, "inferred")


_metrics_of_one_rank.value(
    "hdf5.one_rank_beyond_mean",
    "Time of the rank that accesses HDF5 metadata beyond the mean",
    "s",
    lambda found: Value(sum(one.slowest_s - one.mean_s for one in found), "inferred"),
    formula="MPI-IO seconds of the slowest rank − those of the mean rank, in the files of hdf5.one_rank_time",
)

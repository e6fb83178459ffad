"""How long ranks are in the storage that move nothing there but HDF5's metadata.

Of collective data the aggregators alone make the calls to storage. Where even the rank with the least time below MPI-IO
is long there, for a few bytes, all ranks read or write metadata as long, whatever the data beside it takes.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, isin, select_rows
from iotriage.metrics.hdf5.accesses import files_below_hdf5, metadata_by_file
from iotriage.metrics.tables.calls.single_calls import LARGEST
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import sum_timers
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage.metrics.tables.unstated_ranks import NO_RANKS
from iotriage_parsers.evidence import CounterTable

TIMERS = tuple(f"MPIIO_F_{of}_TIME" for of in ("READ", "WRITE", "META"))


@metric(
    "hdf5.without_data_time_fraction",
    "Share of the time of ranks that move nothing but HDF5 metadata below MPI-IO",
    "share",
    about=About(time=True),
    formula="POSIX_F_FASTEST_RANK_TIME − the mean POSIX_F_META_TIME, of the HDF5 files that all ranks share and of "
    f"which POSIX_FASTEST_RANK_BYTES are no more than {LARGEST} for each metadata access of the mean rank / the "
    "MPI-IO seconds of the mean rank in the HDF5 files",
    needs="a Darshan log with HDF5, MPI-IO and POSIX records",
    of=files_below_hdf5,
)
def without_data_time_fraction(below: tuple[tuple[LogRows, CounterTable], ...]) -> Outcome:
    if not any(rows.posix for rows, _ in below):
        return Absent("the log shows no calls below MPI-IO", (DARSHAN,))
    own = every = 0.0
    for rows, table in below:
        ranks = rows.nprocs
        if ranks is None:
            return NO_RANKS
        every += sum_timers(table, *TIMERS) / ranks
        own += _least_seconds(rows, table, ranks)
    return Value(min(1.0, own / every), "inferred") if every else Absent("the timers show no time")


def _least_seconds(rows: LogRows, table: CounterTable, ranks: int) -> float:
    """Seconds that every rank reads or writes metadata, at least, in the files that show it."""
    if rows.posix is None:
        return 0.0
    each = sum((metadata_by_file(rows, table, way) for way in DIRECTIONS), np.zeros(len(table.by_id.ids), np.int64))
    by_each_rank = each >= ranks
    shared = select_rows(rows.posix, (rows.posix.ranks < 0) & isin(rows.posix.ids, table.by_id.ids[by_each_rank]))
    if not len(shared):
        return 0.0
    accesses = each[np.searchsorted(table.by_id.ids, shared.ids)] / ranks
    moved = shared.count("POSIX_FASTEST_RANK_BYTES")
    opening = known_seconds(shared.seconds("POSIX_F_META_TIME")) / ranks
    beyond = np.maximum(0.0, known_seconds(shared.seconds("POSIX_F_FASTEST_RANK_TIME")) - opening)
    return float(beyond[(moved > 0) & (moved <= LARGEST * accesses)].sum())

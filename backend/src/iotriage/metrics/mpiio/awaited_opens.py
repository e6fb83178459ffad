"""How long ranks wait in the opens of others: with deferred opens only those that move the bytes call the storage."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, places_of_files
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.counters import no_records_of
from iotriage.metrics.tables.files.pairs import file_pairs
from iotriage.metrics.tables.rank_times import timer


@metric(
    "mpiio.awaited_opens_time",
    "Time ranks wait in MPI-IO while others open and close files",
    "s",
    formula="of each file the smaller of MPIIO_F_META_TIME / ranks and POSIX_F_META_TIME / the ranks with a POSIX "
    "record, less POSIX_F_META_TIME / ranks, at least 0, added up",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def awaited_opens_time(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    waited = 0.0
    for rows, above, below in pairs:
        if not rows.nprocs:
            return Absent("the log does not say how many ranks there were")
        files, (above_at, below_at) = places_of_files((above, below))
        in_mpiio = np.bincount(above_at, timer(above, "META_TIME"), len(files)) / rows.nprocs
        in_posix = np.bincount(below_at, timer(below, "META_TIME"), len(files))
        openers = np.bincount(below_at, np.where(below.ranks < 0, rows.nprocs, 1), len(files))
        of_one = in_posix / np.maximum(openers, 1)
        of_log = float(np.maximum(0.0, np.minimum(in_mpiio, of_one) - in_posix / rows.nprocs).sum())
        waited += of_log * rows.nprocs / ranks_of_mean(s, rows)
    where = joined(*(rows.where(above, "MPIIO_F_META_TIME") for rows, above, _ in pairs))
    return Value(waited if waited >= NO_TIME else 0.0, "inferred", where)

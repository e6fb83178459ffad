"""Seconds that the timers at the highest layer of each file do not show, though the log has others that do."""

from __future__ import annotations

from math import inf

import numpy as np

from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.past_mpiio import slowest_by_file
from iotriage.metrics.core.selection import LogRows, of_files, select_rows
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import UInt64s

MATTERS = 0.05
"""Of the seconds that are shown: less than what sums of slowest ranks differ by from those of any one rank."""


SHORT = 1.0
"""Seconds, which are not missed where they are not shown: as much passes between a run and its timers."""


def lacks_seconds(rows: LogRows, shown_s: float) -> bool:
    """Whether the seconds at the highest layers are a lower bound that says little of the whole."""
    return rows.past_mpiio.uncounted_s + posted_s(rows) > max(SHORT, MATTERS * shown_s)


def posted_s(rows: LogRows) -> float:
    """Seconds of the slowest rank in POSIX calls below nonblocking calls of MPI-IO, beyond what MPI-IO took: its timers
    have the posting, and what follows passes in MPI_Wait or behind the computation. Infinite where nothing below shows
    how long it was."""
    return _posted(rows)[1]


def posted_files(rows: LogRows) -> UInt64s:
    """The files that take longer below nonblocking calls than in them: nobody need wait while their bytes move."""
    return _posted(rows)[0]


@cached_per_log
def _posted(rows: LogRows) -> tuple[UInt64s, float]:
    above, nothing = rows.mpiio_leading, np.zeros(0, dtype=np.uint64)
    if above is None or "MPI-IO" in rows.traced or not len(above):
        return nothing, 0.0
    posted = sums_by_file(above, "MPIIO_NB_READS", "MPIIO_NB_WRITES") > 0
    if not posted.any():
        return nothing, 0.0
    mine = _records_of(above, above.by_id.ids[posted])
    below = None if rows.posix is None else _records_of(rows.posix, mine.by_id.ids)
    if below is None or len(below.by_id.ids) < len(mine.by_id.ids):
        return mine.by_id.ids, inf
    in_mpiio, in_posix = slowest_by_file(mine), slowest_by_file(below)
    return mine.by_id.ids[in_posix > (1 + MATTERS) * in_mpiio], float(np.maximum(0.0, in_posix - in_mpiio).sum())


def _records_of(table: CounterTable, files: UInt64s) -> CounterTable:
    return select_rows(table, of_files(table, files))

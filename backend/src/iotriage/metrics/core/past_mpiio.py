"""Files that a program opens with MPI-IO and also reads or writes with POSIX calls of its own.

Darshan's POSIX records hold both. They are told apart by what MPI-IO itself can account for. The POSIX calls that
MPI-IO makes happen inside its own calls, so no rank can spend longer in POSIX than in MPI-IO. With data sieving, MPI-IO
reads as many bytes as it writes beyond what the program passed to it, and writes back as many as it read for that.
Whatever exceeds this comes from the program's own POSIX calls; fewer of them than that cannot be detected.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.prefix import prefix_of
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, UInt64s
from iotriage_parsers.frozen import frozen_identity

MORE = 1.05
"""Factor from which two figures count as different: a smaller difference can be rounding, or a header that a library
reads."""

MOST = 2.0
"""Factor over the bytes of MPI-IO from which most of the file's I/O is the program's own POSIX calls: a file that
MPI-IO preallocates and then writes is stored twice. Where the time in MPI-IO is more than this factor longer, its
seconds decide instead of the bytes."""


NO_FILES: UInt64s = np.zeros(0, dtype=np.uint64)


@frozen_identity
class PastMpiio:
    """The `files` that the program uses with POSIX calls of its own beside MPI-IO. `lead` are those counted at POSIX
    and not at MPI-IO: their POSIX calls take longer than MPI-IO does, or move most of their bytes in about the same
    time. Each file counts at one layer only. `uncounted_s` are the seconds of the slowest rank at the other layer,
    calls that move no bytes included; part of them passes at the same time as those that count. `lacks_bytes` is
    whether bytes of the other layer are left out."""

    files: UInt64s
    lead: UInt64s
    uncounted_s: float = 0.0
    lacks_bytes: bool = False


def files_past_mpiio(above: CounterTable, below: CounterTable) -> PastMpiio:
    """The files used past MPI-IO, by the records of the same files `above` in MPI-IO and `below` in POSIX."""
    written, asked, posted = (
        sums_by_file(above, *counters).astype(np.float64)
        for counters in (("MPIIO_BYTES_WRITTEN",), ("MPIIO_BYTES_READ",), ("MPIIO_NB_READS", "MPIIO_NB_WRITES"))
    )
    stored, fetched, writes, reads = (
        sums_by_file(below, f"POSIX_{counter}").astype(np.float64)
        for counter in ("BYTES_WRITTEN", "BYTES_READ", "WRITES", "READS")
    )
    # Logs of Darshan 2 have no bytes of MPI-IO; a timer that was left out takes none of the file's time.
    counted = _known(above, "MPIIO_BYTES_WRITTEN") & _known(above, "MPIIO_BYTES_READ")
    through, beyond = written + asked, np.maximum(0, stored - written) + np.maximum(0, fetched - asked)
    more = counted & (beyond > (MORE - 1) * through)
    in_mpiio, in_posix = slowest_by_file(above), slowest_by_file(below)
    timed = (posted == 0) & (in_mpiio > 0)
    longer = timed & (in_posix > MORE * in_mpiio)
    if not more.any() and not longer.any():
        return PastMpiio(NO_FILES, NO_FILES)
    # By calls, since what lies beyond the end of a new file is read in vain, and by bytes.
    read_before = np.maximum(fetched, reads * stored / np.maximum(1, writes))
    own_writes = (stored - written > MORE * read_before) & (stored > MOST * written)
    own_reads = (asked == 0) & ((fetched > MORE * stored) | (timed & _apart(above, below)))
    past = more & (longer | own_writes | own_reads)
    lead = past & (longer | ((stored + fetched > MOST * through) & (in_posix > in_mpiio / MOST)))
    ids = above.by_id.ids
    calls_besides = np.where(longer & ~past, in_posix - in_mpiio, 0.0)
    uncounted_s = float(in_mpiio[lead].sum() + in_posix[past & ~lead].sum() + calls_besides.sum())
    return PastMpiio(ids[past], ids[lead], uncounted_s, bool((past & ~lead).any()))


def _known(table: CounterTable, counter: str) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = np.bincount(table.by_id.index, table.count(counter) < 0, len(table.by_id.ids)) == 0
    return known


def slowest_by_file(table: CounterTable) -> Float64s:
    """Seconds of each file's slowest rank, 0 where a timer of the file is not available."""
    prefix = prefix_of(table)
    own = sum((table.seconds(f"{prefix}_F_{way}_TIME") for way in ("READ", "WRITE", "META")), np.zeros(len(table)))
    seconds = np.where(table.ranks < 0, table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME"), own)
    seconds = np.where(seconds >= 0, seconds, np.inf)
    found = np.zeros(len(table.by_id.ids))
    np.maximum.at(found, table.by_id.index, seconds)
    return np.where(np.isfinite(found), found, 0.0)


def _apart(above: CounterTable, below: CounterTable) -> NDArray[np.bool_]:
    """Whether POSIX read the file only before MPI-IO first wrote it, or after it last did."""
    first, last = _first(above, "MPIIO_F_WRITE_START_TIMESTAMP"), _last(above, "MPIIO_F_WRITE_END_TIMESTAMP")
    begun, ended = _first(below, "POSIX_F_READ_START_TIMESTAMP"), _last(below, "POSIX_F_READ_END_TIMESTAMP")
    apart: NDArray[np.bool_] = (last > 0) & (ended > 0) & ((begun > last) | (ended < first))
    return apart


def _first(table: CounterTable, stamp: str) -> Float64s:
    stamps, found = table.seconds(stamp), np.full(len(table.by_id.ids), np.inf)
    np.minimum.at(found, table.by_id.index, np.where(stamps > 0, stamps, np.inf))
    return found


def _last(table: CounterTable, stamp: str) -> Float64s:
    stamps, found = table.seconds(stamp), np.zeros(len(table.by_id.ids))
    np.maximum.at(found, table.by_id.index, np.where(stamps > 0, stamps, 0.0))
    return found

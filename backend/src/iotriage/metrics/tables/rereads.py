"""Bytes that were read more than once: over ranks, over time, or because a stream was moved back.

Darshan records the offset of the last byte read. A file that was read once, whole or in part, gives no more bytes than
reach up to there; a file that the run also writes may have new content, and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.mpiio.read_modify_write import file_pairs
from iotriage.metrics.tables.counters import counted, is_partial, joined, no_table
from iotriage_parsers.evidence import CounterTable


@dataclass(frozen=True, slots=True)
class _Read:
    """Bytes of the files that were read and not written: all that were read, those up to the last one read of each
    file, and those beyond one reading of it."""

    bytes: int
    reached: int
    again: int


def _read_of(table: CounterTable, prefix: str) -> _Read:
    ids, index = np.unique(table.ids, return_inverse=True)
    read, written = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    reached = np.zeros(len(ids), np.int64)
    np.add.at(read, index, np.maximum(table.count(f"{prefix}_BYTES_READ"), 0))
    np.add.at(written, index, np.maximum(table.count(f"{prefix}_BYTES_WRITTEN"), 0))
    np.maximum.at(reached, index, table.count(f"{prefix}_MAX_BYTE_READ") + 1)
    judged = (read > 0) & (written == 0) & (reached > 0)
    again = np.maximum(read - reached, 0)[judged]
    return _Read(sum(read[judged].tolist()), sum(reached[judged].tolist()), sum(again.tolist()))


def _by_reach(value: float, s: Selection, module: str) -> Value:
    """`value`, from the bytes read and how far the reads reached in a module's records."""
    tables = s.tables(module)
    where = joined(*(rows.where(t, f"{module}_BYTES_READ", f"{module}_MAX_BYTE_READ") for rows, t in tables))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(value, "inferred" if partial else "measured", where)


def _times_read(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    found = [_read_of(t, module) for _, t in tables]
    read, reached = sum(f.bytes for f in found), sum(f.reached for f in found)
    if not reached:
        return Absent("no file was read that is not written too")
    return _by_reach(read / reached, s, module)


@metric(
    "posix.times_read",
    "Times that the bytes of the files were read",
    "ratio",
    formula="POSIX_BYTES_READ of all ranks / (POSIX_MAX_BYTE_READ + 1), over the files that the run reads and does not "
    "write; less than the truth where only a part of each file was read",
    needs="a Darshan log with POSIX records by file",
)
def posix_times_read(s: Selection) -> Outcome:
    return _times_read(s, "POSIX")


@metric(
    "stdio.times_read",
    "Times that the bytes of the streams were read",
    "ratio",
    formula="STDIO_BYTES_READ of all ranks / (STDIO_MAX_BYTE_READ + 1), over the files that the run reads and does not "
    "write",
    needs="a Darshan log with STDIO records by file",
)
def stdio_times_read(s: Selection) -> Outcome:
    return _times_read(s, "STDIO")


@metric(
    "posix.reread_fraction",
    "Share of the bytes moved that were read again",
    "share",
    formula="POSIX_BYTES_READ beyond POSIX_MAX_BYTE_READ + 1, over the files that the run reads and does not write / "
    "(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) of all files",
    needs="a Darshan log with POSIX records by file",
)
def reread_fraction(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    moved = sum(counted(t, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN") for _, t in tables)
    if not moved:
        return Absent("no bytes were moved through POSIX")
    again = sum(_read_of(t, "POSIX").again for _, t in tables)
    return _by_reach(again / moved, s, "POSIX")


@metric(
    "mpiio.fetched_fraction",
    "Share of the bytes moved that MPI-IO fetched beyond those asked for",
    "share",
    formula="(POSIX_BYTES_READ − MPIIO_BYTES_READ) / (POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) of the same files, at "
    "least 0",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
)
def fetched_fraction(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    asked = sum(counted(a, "MPIIO_BYTES_READ") for _, a, _ in pairs)
    fetched = sum(counted(b, "POSIX_BYTES_READ") for _, _, b in pairs)
    moved = fetched + sum(counted(b, "POSIX_BYTES_WRITTEN") for _, _, b in pairs)
    if not moved:
        return Absent("no bytes were moved below MPI-IO")
    where = joined(
        *(r.where(b, "POSIX_BYTES_READ") for r, _, b in pairs), *(r.where(a, "MPIIO_BYTES_READ") for r, a, _ in pairs)
    )
    return Value(max(0, fetched - asked) / moved, where=where)

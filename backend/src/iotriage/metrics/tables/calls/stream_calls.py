"""Estimates the system calls behind streams: small reads and writes are copies into a buffer, and only one of many
fills it."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.selection import LogRows, of_files
from iotriage.metrics.tables.calls.small_accesses import SMALL_CALL_S
from iotriage.metrics.tables.files.uses import standard_streams
from iotriage.metrics.tables.rank_times import timer
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s

BUFFER = 4096
"""Bytes. The smallest buffer that the C library uses for a file; on file systems with larger blocks it is as large as
these."""
COPY_S = 1e-5
"""The most seconds that a call takes to format or parse its value and to copy it. Ours: a number takes about 1 µs."""


def system_calls(rows: LogRows, table: CounterTable) -> Float64s:
    """Of each record of streams about as many calls as pass the buffer: one for each that is filled, each flush and
    seek; of a standard stream, which may have no buffer, each."""
    calls, moved = _sum(table, "READS", "WRITES"), _sum(table, "BYTES_READ", "BYTES_WRITTEN")
    through = np.minimum(calls, np.ceil(moved / BUFFER)) + _sum(table, "FLUSHES", "SEEKS")
    standard = np.array([*standard_streams(rows)], dtype=np.uint64)
    found: Float64s = np.where(of_files(table, standard), np.maximum(calls, through), through)
    return found


def system_seconds(table: CounterTable) -> Float64s:
    """Of each record what reads and writes take at least beyond the copies into and out of the buffer."""
    took = timer(table, "READ_TIME") + timer(table, "WRITE_TIME")
    return np.maximum(took - COPY_S * _sum(table, "READS", "WRITES"), 0.0)


def telling_calls(rows: LogRows, table: CounterTable) -> Float64s:
    """The reads and writes of each record; where those of them that pass the buffer take longer than a small call does,
    so that a few waited and the others took nothing, these."""
    asked = system_calls(rows, table)
    return np.where(system_seconds(table) > SMALL_CALL_S * asked, asked, _sum(table, "READS", "WRITES"))


def _sum(table: CounterTable, *counters: str) -> Float64s:
    return sum((np.maximum(table.count(f"STDIO_{name}"), 0) for name in counters), np.zeros(len(table)))

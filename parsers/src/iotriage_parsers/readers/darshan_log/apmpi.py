"""AUTOPERF MPI records: calls, bytes and time of each MPI operation by rank, and the node that the rank ran on.

Layout: darshan-apmpi-log-format.h of AutoPerf, version 1: one header of 48 bytes that ends in no name and says whether
the time that ranks wait for each other in collectives was taken (`sync_flag`), then one record a rank. Times are
seconds. An operation that was never called has no time: its zeros stay.

What it cannot tell: which calls were the library's own. ROMIO exchanges data with MPI calls, and they are counted too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import CounterTable, Problem
from iotriage_parsers.evidence.mpi_operations import APMPI_COLLECTIVES, APMPI_OPERATIONS, APMPI_WITHOUT_SIZES
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.damaged import damaged
from iotriage_parsers.readers.darshan_log.values import Records, Run, checked_counts, checked_times

MODULE: Final = "APMPI"
VERSIONS: Final = (1,)
HEADER_BYTES: Final = 48

_SIZES: Final = ("0_256", "256_1K", "1K_8K", "8K_256K", "256K_1M", "1M_PLUS")


def _counters(operation: str) -> tuple[str, ...]:
    calls = f"{operation}_CALL_COUNT"
    if operation in APMPI_WITHOUT_SIZES:
        return (calls,)
    return (calls, f"{operation}_TOTAL_BYTES", *(f"{operation}_MSG_SIZE_AGG_{size}" for size in _SIZES))


COUNTERS: Final = tuple(name for operation in APMPI_OPERATIONS for name in _counters(operation))
TIMES: Final = tuple(f"{operation}_{of}_TIME" for operation in APMPI_OPERATIONS for of in ("TOTAL", "MIN", "MAX"))
SYNC_TIMES: Final = tuple(f"{operation}_TOTAL_SYNC_TIME" for operation in APMPI_COLLECTIVES)
TOTALS: Final = ("MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME")
F_COUNTERS: Final = (*TIMES, *SYNC_TIMES, *TOTALS)
RECORD_BYTES: Final = 16 + 8 * (len(COUNTERS) + len(F_COUNTERS)) + 128

_MAGIC: Final = int.from_bytes(b"APMPI", "big")


@frozen_identity
class Calls:
    """`table` has one row a rank; its sync times are NaN where they were not taken."""

    table: CounterTable | None = None
    nodes: Mapping[int, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_calls(data: bytes, byte_order: ByteOrder, run: Run, *, partial: bool) -> Calls:
    """The records of the ranks that the job can have."""
    mark = "<" if byte_order == "little" else ">"
    if len(data) < HEADER_BYTES or np.frombuffer(data, f"{mark}i8", 1, offset=16)[0] != _MAGIC:
        return Calls(problems=(damaged(MODULE, "its header is not that of AUTOPERF MPI; it was not read."),))
    waits_taken = bool(np.frombuffer(data, f"{mark}u4", 1, offset=24)[0])
    problems: list[Problem] = []
    valid = _records(data, mark, run, problems)
    ids, ranks = valid["id"].astype(np.uint64), valid["rank"].astype(np.int64)
    of = Records(MODULE, COUNTERS, F_COUNTERS, ids, ranks)
    counts = checked_counts(of, valid["counters"].astype(np.int64), run, problems)
    times = checked_times(of, valid["times"].astype(np.float64), run, problems)
    if not waits_taken:
        times[:, len(TIMES) : len(TIMES) + len(SYNC_TIMES)] = np.nan
        times[:, -1] = np.nan
    table = CounterTable(
        MODULE,
        COUNTERS,
        F_COUNTERS,
        ids,
        ranks,
        counts,
        times,
        partial or bool(problems),
    )
    nodes = {
        int(rank): bytes(node).split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        for rank, node in zip(valid["rank"], valid["node"], strict=True)
    }
    named = {rank: node for rank, node in nodes.items() if node}
    return Calls(table if len(table) else None, named, tuple(problems))


def _records(data: bytes, mark: str, run: Run, problems: list[Problem]) -> NDArray[np.void]:
    """The whole records behind the header, of each rank that the job can have the first."""
    layout = np.dtype(
        [
            ("id", f"{mark}u8"),
            ("rank", f"{mark}i8"),
            ("counters", f"{mark}i8", len(COUNTERS)),
            ("times", f"{mark}f8", len(F_COUNTERS)),
            ("node", "S128"),
        ]
    )
    whole, rest = divmod(len(data) - HEADER_BYTES, RECORD_BYTES)
    records = np.frombuffer(data, layout, whole, HEADER_BYTES)
    if rest:
        problems.append(damaged(MODULE, f"the last {rest} bytes of the region are not a whole record."))
    possible = (records["rank"] >= 0) & (
        records["rank"] < (np.iinfo(np.int64).max if run.nprocs is None else run.nprocs)
    )
    first = np.zeros(whole, np.bool_)
    first[np.unique(records["rank"], return_index=True)[1]] = True
    valid = possible & first
    if not valid.all():
        lost = int((~valid).sum())
        what = f"{lost} records name a rank that the job cannot have, or one again; left out."
        problems.append(damaged(MODULE, what))
    return records[valid]

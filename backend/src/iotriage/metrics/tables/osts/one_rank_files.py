"""The files that one rank each used, by calls of POSIX or as streams: what single ranks took for their bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.core.selection import LogRows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen_identity

LEAST_BYTES = 2**20
"""Smaller files are left out: opening them takes longer than moving their bytes."""


@frozen_identity
class OneRankFiles:
    """Files by their record, with the rank, seconds, bytes, and reads and writes of each, shape (n,) each."""

    record: NDArray[np.uint64]
    rank: NDArray[np.int64]
    seconds: NDArray[np.float64]
    moved: NDArray[np.float64]
    calls: NDArray[np.float64]

    def rows(self, mine: NDArray[np.bool_]) -> OneRankFiles:
        return OneRankFiles(self.record[mine], self.rank[mine], self.seconds[mine], self.moved[mine], self.calls[mine])


@cached_per_log
def one_rank_files(rows: LogRows) -> OneRankFiles:
    """Every file that one rank used, with enough bytes and some time."""
    tables = [table for table in (rows.posix, rows.stdio) if table is not None and len(table)]
    if not tables:
        return OneRankFiles(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    record, index = unique_inverse(np.concatenate([table.ids for table in tables]))
    of_record = np.concatenate([table.ranks for table in tables])
    rank = np.zeros(len(record), np.int64)
    rank[index] = of_record
    of_others = np.bincount(index, of_record != rank[index], len(record)) > 0
    seconds, moved, calls = (
        np.bincount(index, np.concatenate([of(table) for table in tables]), len(record)).astype(np.float64, copy=False)
        for of in (rank_times, rank_bytes, _accesses)
    )
    known = ~of_others & (rank >= 0) & (moved >= LEAST_BYTES) & (seconds >= NO_TIME)
    return OneRankFiles(record, rank, seconds, moved, calls).rows(known)


def _accesses(table: CounterTable) -> NDArray[np.float64]:
    found = np.zeros(len(table))
    for counter in access_counters(table.module, "read", "write"):
        found += np.maximum(table.count(counter), 0)
    return found

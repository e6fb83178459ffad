"""Seconds of ranks in reads, writes and metadata calls, by the records of a log."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.prefix import prefix_of
from iotriage_parsers.evidence import CounterTable


def rank_times(table: CounterTable) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Read + write + metadata seconds of each record; what is not available counts as no time. Shape (n,)."""
    prefix = prefix_of(table)
    found = np.zeros(len(table))
    for counter in ("READ_TIME", "WRITE_TIME", "META_TIME"):
        column = table.seconds(f"{prefix}_F_{counter}")
        found += np.where(np.isfinite(column) & (column > 0), column, 0.0)
    return found


def slowest_rank_time(tables: tuple[CounterTable, ...]) -> float:
    """Seconds: F_SLOWEST_RANK_TIME summed over shared records, plus the largest sum of one rank over its own."""
    shared = 0.0
    of_rank: dict[int, float] = {}
    for table in tables:
        if not len(table):
            continue
        is_shared = table.ranks < 0
        slowest = table.seconds(f"{prefix_of(table)}_F_SLOWEST_RANK_TIME")[is_shared]
        shared += float(slowest[np.isfinite(slowest) & (slowest > 0)].sum())
        ranks, index = np.unique(table.ranks[~is_shared], return_inverse=True)
        sums = np.bincount(index, weights=rank_times(table)[~is_shared], minlength=len(ranks))
        for rank, t in zip(ranks.tolist(), sums.tolist(), strict=True):
            of_rank[rank] = of_rank.get(rank, 0.0) + t
    return shared + max(of_rank.values(), default=0.0)

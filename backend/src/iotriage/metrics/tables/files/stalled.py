"""Metadata calls that took long once: whether a few of very many records have most of the busiest rank's seconds.

Fewer files would not help there: nearly all of them cost next to nothing.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.selection import own_records, unique_inverse
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.outliers import median
from iotriage.metrics.tables.rank_times import timer
from iotriage_parsers.evidence import CounterTable

LONG_S = 1.0
"""Seconds of a record's metadata calls, from which they are looked at: less is a busy server."""

TIMES = 100.0
"""Times what a call takes in the middle one of the records: a server that is slow throughout is slow for the others."""

FEW = 0.01
"""Of the records, up to which it happened a few times."""

ENOUGH = 100
"""Records, of which the middle one says what is usual."""

CALLS = ("POSIX_OPENS", "POSIX_STATS", "POSIX_SEEKS")


@cached_per_table
def stalled_and_all(table: CounterTable) -> tuple[float, float]:
    """Metadata seconds of the rank that has most, in records of single ranks: those in stalled ones, and all."""
    own = own_records(table)
    took = timer(own, "META_TIME")
    if not len(own) or not bool(took.any()):
        return 0.0, 0.0
    ranks, index = unique_inverse(own.ranks)
    of_rank = np.bincount(index, took, len(ranks))
    busiest = int(of_rank.argmax())
    calls = np.maximum(sum(np.maximum(own.count(name), 0) for name in CALLS), 1)
    each = took / calls
    some = took > 0
    stalled = (took >= LONG_S) & (each >= TIMES * median(each[some]))
    if some.sum() < ENOUGH or stalled.sum() > FEW * some.sum():
        return 0.0, float(of_rank[busiest])
    return float(took[stalled & (index == busiest)].sum()), float(of_rank[busiest])

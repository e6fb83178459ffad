"""Sums of counters by file, exact whatever a log says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import FEW, Int64s

HOLDS = 2.0**62
"""Below this, a sum of 64-bit integers is sure not to wrap."""


def summed(columns: list[NDArray[np.int64]], at: NDArray[np.intp], n: int) -> Int64s:
    """The columns, shape (m,) each, added up by the place `at` of each row among `n`; what is not available counts as
    nothing. Of NumPy's type `object`, holding Python's integers, where one may be beyond 64 bits."""
    if len(at) <= FEW and n <= FEW:
        return _summed_of_few(columns, at, n)
    columns = [np.maximum(column, 0) for column in columns]
    most = sum(float(column.max(initial=0)) for column in columns) * len(at)
    found: Int64s = np.zeros(n, dtype=np.int64)
    if most >= HOLDS and sum(float(column.astype(np.float64).sum()) for column in columns) >= HOLDS:
        found = found.astype(object)
    for column in columns:
        np.add.at(found, at, column.astype(found.dtype))
    return found


def _summed_of_few(columns: list[NDArray[np.int64]], at: NDArray[np.intp], n: int) -> Int64s:
    sums, places = [0] * n, at.tolist()
    for column in columns:
        for place, value in zip(places, column.tolist(), strict=True):
            if value > 0:
                sums[place] += value
    return np.array(sums, dtype=np.int64 if sum(sums) < HOLDS else object)


@cached_per_table
def sums_by_file(table: CounterTable, *counters: str) -> Int64s:
    """The counters added up by file, in the order of `table.by_id.ids`."""
    known = table.by_id
    return summed([table.count(counter) for counter in counters], known.index, len(known.ids))

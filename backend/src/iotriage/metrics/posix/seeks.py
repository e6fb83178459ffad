"""Time in seeks: one to the end of a file asks the servers how long it is, and who writes it meanwhile must say so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.counters import has_times, no_table, not_available
from iotriage.metrics.tables.rank_times import timer
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s

MANY, FOR_EACH = 1000, 10
"""Seeks of a file, and for each other metadata call, from which they may be what takes the time."""


@metric(
    "posix.seek_time",
    "Time of the mean rank in seeks, at least",
    "s",
    formula=f"of files with {MANY:,} seeks or more, {FOR_EACH} for each open and stat: POSIX_F_META_TIME less what "
    "lies between the first and the last moment of its opens, and of its closes, for each rank that has the file; / "
    "ranks",
    needs="a Darshan log with POSIX records",
)
def seek_time(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    if (unknown := ranks_not_stated(s)) is not None:
        return unknown
    found, where = 0.0, list[Where]()
    for rows, table in tables:
        spent = _in_seeks(rows, table)
        if spent > 0:
            found += spent / ranks_of_mean(s, rows)
            where += rows.where(table, "POSIX_F_META_TIME", "POSIX_SEEKS")
    return Value(found, "inferred", tuple(where), "lower") if where else Absent("the files show no time in seeks")


def _in_seeks(rows: LogRows, table: CounterTable) -> float:
    """Seconds, summed over ranks."""
    if (table.total("POSIX_SEEKS") or 0) < MANY:
        return 0.0
    seeks, others = np.maximum(table.count("POSIX_SEEKS"), 0), _others(table)
    index, files = table.by_id.index, len(table.by_id.ids)
    of_file, beside = (np.bincount(index, n, files) for n in (seeks, others))
    many = (of_file >= MANY) & (of_file >= FOR_EACH * beside)
    if not many.any():
        return 0.0
    ranks = np.where(table.ranks < 0, rows.nprocs or 1, 1)
    left = timer(table, "META_TIME") - ranks * (_span(table, "OPEN") + _span(table, "CLOSE"))
    return float(np.where(many[index] & np.isfinite(left), np.maximum(left, 0.0), 0.0).sum())


def _others(table: CounterTable) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.maximum(table.count("POSIX_OPENS"), 0) + np.maximum(table.count("POSIX_STATS"), 0)
    return found


def _span(table: CounterTable, kind: str) -> Float64s:
    """From the first moment of these calls to the last, infinite where that is not known."""
    begin, end = first_at(table, f"{kind}_START"), last_at(table, f"{kind}_END")
    known = np.isfinite(begin) & (end > 0)
    return np.where(known, np.maximum(end - np.where(known, begin, 0.0), 0.0), np.inf)

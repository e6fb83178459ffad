"""Whether one call took most of what a rank spends in a file, and the many others of its size next to none."""

from __future__ import annotations

from math import inf

import numpy as np

from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Value
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.rank_times import known_seconds, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

SEVERAL = 8
"""Calls of a rank in a file, from which the longest is one of many."""
LONG_S = 1.0
"""Seconds of a call that is not chance."""
MOSTLY = 0.5
"""Of what the slowest rank spends in the file."""
TIMES = 10.0
"""Times what another call of that rank takes."""
AS_LARGE = 2.0
"""Times the mean call, up to which its size does not take the time."""

WAYS: tuple[tuple[Direction, str], ...] = (("read", "READ"), ("write", "WRITTEN"))


@frozen
class SingleCall:
    """The longest such call, what it does, and the record that it is in."""

    seconds: float
    way: Direction
    rows: LogRows
    record: int


@cached_per_selection
def single_call(s: Selection) -> SingleCall | Absent:
    found = [
        one
        for rows, table in s.tables("POSIX")
        for way, done in WAYS
        if (one := _longest(rows, table, way, done)) is not None
    ]
    return max(found, key=lambda one: one.seconds, default=None) or Absent(
        "no log has a file in which one of many calls took most of a rank's time"
    )


def _longest(rows: LogRows, table: CounterTable, way: Direction, done: str) -> SingleCall | None:
    took = known_seconds(table.seconds(f"POSIX_F_MAX_{way.upper()}_TIME"))
    if not (took >= LONG_S).any():
        return None
    calls = np.maximum(table.count(f"POSIX_{way.upper()}S"), 0).astype(np.float64)
    moved = np.maximum(table.count(f"POSIX_BYTES_{done}"), 0) / np.maximum(calls, 1)
    shared = table.ranks < 0
    of_rank = np.where(shared, calls / (rows.nprocs or inf), calls)
    slowest = np.where(shared, known_seconds(table.seconds("POSIX_F_SLOWEST_RANK_TIME")), rank_times(table))
    of_others = np.maximum(slowest - took, 0) / np.maximum(of_rank - 1, 1)
    alone = (of_rank >= SEVERAL) & (took >= LONG_S) & (took >= MOSTLY * slowest) & (took >= TIMES * of_others)
    alone &= table.count(f"POSIX_MAX_{way.upper()}_TIME_SIZE") <= AS_LARGE * moved
    if not alone.any():
        return None
    at = int(np.where(alone, took, -1.0).argmax())
    return SingleCall(float(took[at]), way, rows, int(table.ids[at]))


_metrics_of_single_call = MetricsOf(single_call, needs="a Darshan log with POSIX records", scopes=["job"])
_metrics_of_single_call.value(
    "posix.single_call_time",
    "Time of one call that took most of a rank's time in a file",
    "s",
    lambda found: Value(found.seconds, "inferred"),
    formula="the largest POSIX_F_MAX_READ_TIME or POSIX_F_MAX_WRITE_TIME of files in which a rank makes "
    f"{SEVERAL} such calls or more, where it is {LONG_S:g} s or more, {MOSTLY:.0%} of the slowest rank's time or more, "
    f"{TIMES:g} times what another call takes, and moves {AS_LARGE:g} times the mean at most",
)
_metrics_of_single_call.value(
    "posix.single_call_way",
    "What the call does that took most of a rank's time in a file",
    "word",
    lambda found: Value(found.way, "inferred"),
    formula="read or write: that of posix.single_call_time",
)
_metrics_of_single_call.value(
    "posix.single_call_file",
    "File in which one call took most of a rank's time",
    "word",
    lambda found: file_named(found.rows, found.record),
    formula="the file of posix.single_call_time",
)

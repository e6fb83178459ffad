"""Ranks that take turns in one file, by its record of all ranks together: each opens it once, the first has closed it
before the last opens it, and their seconds in it, added up, are those that pass from the first call to the last.

Ranks that write together, at once or step by step, have the file open together. Of ranks that come when they are done
with something else, the seconds make more or less than passes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.rank_times import known_seconds, timer
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

OPENED_BY_EACH = ("POSIX", "STDIO")
"""Modules whose opens are of each rank by itself: those of MPI-IO may be of all together."""
BESIDE = 2
"""Opens beside one of each rank: who makes the file for all opens it once more, and libraries do so twice."""
FILLED, OVERFILLED = 0.75, 1.05
"""Seconds of all ranks over those that pass."""
NEAR_AN_END = 2.0
"""Turns of the mean rank: that the first closes the file so long after the first call, and the last opens it so long
before the last."""
LONGEST = 3.0
"""Time of the slowest rank over the mean: where one has most of it, the others wait for that."""


@frozen
class InOneFile:
    """When the first call begins and the last ends, the mean rank's turn, the bytes that move meanwhile, whether they
    are `reads`, and which file it is."""

    begins_s: float
    ends_s: float
    turn_s: float
    moved: int
    reads: bool
    record: int


@cached_per_log
def turns_in_files(rows: LogRows, fewest: int) -> tuple[InOneFile, ...]:
    """The files in which all ranks, `fewest` or more, take turns, in the order of time."""
    ranks = rows.nprocs
    if ranks is None or ranks < fewest:
        return ()
    tables = [t for t in rows.highest if t.module in OPENED_BY_EACH and not is_partial(rows, t.module)]
    found = [one for table in tables for way in DIRECTIONS for one in _in_table(table, way, ranks)]
    return tuple(sorted(found, key=lambda one: one.begins_s))


def _in_table(table: CounterTable, way: Direction, ranks: int) -> Iterator[InOneFile]:
    prefix, name = prefix_of(table), way.upper()
    begins, ends = first_at(table, f"{name}_START"), last_at(table, f"{name}_END")
    took = timer(table, f"{name}_TIME")
    turn, opens = took / ranks, table.count(f"{prefix}_OPENS")
    slowest = known_seconds(table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME"))
    with np.errstate(invalid="ignore"):
        passed = ends - begins
        in_turns = (
            (table.ranks < 0)
            & (opens >= ranks)
            & (opens <= ranks + BESIDE)
            & (passed > 0)
            & (took >= FILLED * passed)
            & (took <= OVERFILLED * passed)
            & (slowest <= LONGEST * turn)
            & (first_at(table, "CLOSE_START") <= begins + NEAR_AN_END * turn)
            & (last_at(table, "OPEN_END") >= ends - NEAR_AN_END * turn)
        )
    moved = table.count(f"{prefix}_BYTES_{'READ' if way == 'read' else 'WRITTEN'}")
    for at in np.flatnonzero(in_turns).tolist():
        yield InOneFile(
            begins_s=float(begins[at]),
            ends_s=float(ends[at]),
            turn_s=float(turn[at]),
            moved=int(moved[at]),
            reads=way == "read",
            record=int(table.ids[at]),
        )


def seconds_of(turns: tuple[InOneFile, ...]) -> float:
    """Seconds in which ranks take turns in any of these files."""
    found, until = 0.0, 0.0
    for one in turns:
        found += max(0.0, one.ends_s - max(one.begins_s, until))
        until = max(until, one.ends_s)
    return found

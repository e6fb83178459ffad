"""How small the accesses are that CrayPAT counts, and how long they take a rank.

Its rows give calls, bytes and seconds of a file, not the size of each access. Calls of a buffered stream count like
system calls, so what is small here may have left the C library in larger pieces: all of it is inferred, and the time
says whether it matters.
"""

from __future__ import annotations

import math

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS, MIB
from iotriage.metrics.tables.texts.phases import timers_blocks
from iotriage.metrics.tables.texts.profiled import (
    other_files,
    profile_of,
    slowest_at_least,
    summed_seconds,
    timed_rows,
)
from iotriage_parsers.evidence import Lines, PatIoRow
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

NEEDS = "a CrayPAT report with I/O tables"


@frozen
class _Calls:
    """Calls and bytes of one file in one direction, summed over its ranks; calls that moved nothing are left out."""

    calls: float
    bytes: int
    where: Where

    @property
    def small(self) -> int:
        """The fewest calls that can have been below 1 MiB: no more than bytes / 1 MiB can have been larger."""
        return max(0, math.ceil(round(self.calls - self.bytes / MIB, 6)))


def _no_report(s: Selection) -> Absent | None:
    return None if profile_of(s) is not None else _NO_REPORT


_NO_REPORT = Absent("no CrayPAT report counts the calls of these files", (DARSHAN,))


@cached_per_selection
def _rows(s: Selection, *directions: Direction) -> tuple[tuple[PatIoRow, Where], ...] | Absent:
    profile = profile_of(s)
    if profile is None:
        return _NO_REPORT
    found = tuple(
        (row, Where(profile.source, Lines(row.line, row.line)))
        for file in other_files(s)
        for way in directions
        if (row := file.rows.get(way)) is not None
    )
    return found or Absent(f"the CrayPAT report counts no {' and no '.join(directions)}s of these files", (DARSHAN,))


@cached_per_selection
def _calls(s: Selection, *directions: Direction) -> tuple[_Calls, ...] | Absent:
    rows = _rows(s, *directions)
    if isinstance(rows, Absent):
        return rows
    found = tuple(
        _Calls(calls, moved, where)
        for row, where in rows
        if (calls := row.calls_summed_over_ranks) and (moved := row.bytes_summed_over_ranks)
    )
    return found or Absent("the CrayPAT report gives no calls that moved bytes", (DARSHAN,))


_metric_of_reports = metrics_unless(_no_report, needs=NEEDS)


@_metric_of_reports(
    "profiled.small_accesses",
    "Accesses below 1 MiB, by CrayPAT",
    "calls",
    formula="calls − bytes / 1 MiB of each file and direction, where that is positive: at least so many",
)
def small_accesses(s: Selection) -> Outcome:
    found = _calls(s, *DIRECTIONS)
    if isinstance(found, Absent):
        return found
    return Value(sum(c.small for c in found), "inferred", tuple(c.where for c in found), "lower")


def _declare(direction: Direction) -> None:
    @_metric_of_reports(
        f"profiled.small_{direction}_fraction",
        f"{direction.capitalize()}s below 1 MiB, by CrayPAT",
        "share",
        about=About(time=False, direction=direction),
        formula=f"calls − bytes / 1 MiB of each file, where that is positive, over the calls of all {direction}s: at "
        "least so many",
    )
    def fraction(s: Selection) -> Outcome:
        found = _calls(s, direction)
        if isinstance(found, Absent):
            return found
        made = sum(c.calls for c in found)
        where = tuple(c.where for c in found)
        return Value(min(1.0, sum(c.small for c in found) / made), "inferred", where, "lower")

    @_metric_of_reports(
        f"profiled.average_{direction}_size",
        f"Average {direction}, by CrayPAT",
        "B",
        about=About(direction=direction),
        formula=f"bytes over calls of the {direction}s, noise left out",
    )
    def average(s: Selection) -> Outcome:
        found = _calls(s, direction)
        if isinstance(found, Absent):
            return found
        size = sum(c.bytes for c in found) / sum(c.calls for c in found)
        return Value(size, "inferred", tuple(c.where for c in found))


for _direction in DIRECTIONS:
    _declare(_direction)


@metric(
    "profiled.time",
    "Time in reads and writes, summed over ranks",
    "s",
    formula="time of the files' rows, an average times its ranks, but of files that MPICH_MPIIO_TIMERS times; ranks "
    "work side by side: the most that any rank can have spent, and no elapsed time",
    needs=NEEDS,
)
def time(s: Selection) -> Outcome:
    profile, rows = profile_of(s), timed_rows(s, *DIRECTIONS)
    timed_by_mpich = s.scope == "job" and bool(timers_blocks(s))
    if profile is None or not (rows or (profile.report.io_tables and timed_by_mpich)):
        return Absent("no CrayPAT report has a row of these files", (DARSHAN,))
    summed = summed_seconds([row for row, _ in rows])
    return summed if isinstance(summed, Absent) else Value(summed, "inferred", tuple(w for _, w in rows))


@_metric_of_reports(
    "profiled.rank_time",
    "Time of the slowest rank in reads and writes, at least",
    "s",
    formula="the larger of the mean over the ranks that used these files and the mean over those of one file; up to "
    "CrayPAT 6.5, which does not count them, over all ranks",
)
def rank_time(s: Selection) -> Outcome:
    rows = _rows(s, *DIRECTIONS)
    if isinstance(rows, Absent):
        return rows
    found = slowest_at_least([row for row, _ in rows], s.nprocs)
    if isinstance(found, Absent):
        return found
    return Value(found.seconds, "inferred", tuple(w for _, w in rows), None if found.one_rank else "lower")

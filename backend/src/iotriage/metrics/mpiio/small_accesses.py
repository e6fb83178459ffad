"""MPI-IO accesses below 1 MiB."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, plus
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import (
    SLOW,
    SMALL_CALL_S,
    small_count,
    small_fraction,
    small_time_fraction,
)
from iotriage.metrics.tables.counters import no_records_of
from iotriage.metrics.tables.texts.printed_totals import totals_of
from iotriage_parsers.evidence.mpiio_stats import Direction


def _declare(direction: Direction) -> None:
    @metric(
        f"mpiio.small_{direction}_fraction",
        f"MPI-IO {direction}s below 1 MiB",
        "share",
        about=About(time=False, direction=direction),
        formula=f"accesses in the first five bins of MPIIO_SIZE_{direction.upper()}_AGG, those of exactly 1 MiB "
        "(ACCESS1-4) taken out, over all accesses, by count; without a log, the least that calls and bytes of the "
        f"STATS blocks allow: 1 − mpiio.average_{direction}_size / 1 MiB",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
        unless=no_records_of("MPI-IO"),
    )
    def small(s: Selection) -> Outcome:
        return _small(s, direction)


def _small(s: Selection, direction: Direction) -> Outcome:
    return small_fraction(s, "MPI-IO", direction) if _logged(s) else _least(s, direction)


def _logged(s: Selection) -> bool:
    return bool(s.tables("MPI-IO") or totals_of(s) or not s.stats)


def _least(s: Selection, direction: Direction) -> Outcome:
    average = outcome(s, f"mpiio.average_{direction}_size")
    if isinstance(average, Absent) or isinstance(average.value, str):
        return average
    return Value(max(0.0, 1 - average.value / 2**20), "inferred", average.where, "lower")


for _direction in DIRECTIONS:
    _declare(_direction)


@metric(
    "mpiio.small_accesses",
    "MPI-IO accesses below 1 MiB",
    "calls",
    formula="reads and writes in the first five bins of MPIIO_SIZE_*_AGG, those of exactly 1 MiB taken out; without "
    "a log, mpiio.small_read_fraction and mpiio.small_write_fraction of the calls that the STATS blocks count: at "
    "least so many",
    needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    unless=no_records_of("MPI-IO"),
)
def small_accesses(s: Selection) -> Outcome:
    return _small_calls(s, DIRECTIONS)


def _small_calls(s: Selection, ways: Sequence[Direction]) -> Outcome:
    if _logged(s):
        return small_count(s, "MPI-IO", ways)
    found, where = 0, []
    for direction in ways:
        part = _least(s, direction)
        made = plus(outcome(s, f"mpiio.independent_{direction}s"), outcome(s, f"mpiio.collective_{direction}s"))
        if isinstance(part, Absent) or isinstance(made, Absent):
            continue
        found += int(float(part.value) * float(made.value))
        where.append(made.where)
    return (
        Value(found, "inferred", joined(*where), "lower") if where else Absent("no block counts calls and their bytes")
    )


def _declare_count(direction: Direction) -> None:
    @metric(
        f"mpiio.small_{direction}s",
        f"Number of MPI-IO {direction}s below 1 MiB",
        "calls",
        about=About(direction=direction),
        formula=f"accesses in the first five bins of MPIIO_SIZE_{direction.upper()}_AGG, those of exactly 1 MiB taken "
        f"out; without a log, mpiio.small_{direction}_fraction of the calls that the STATS blocks count: at least so "
        "many",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
        unless=no_records_of("MPI-IO"),
    )
    def count(s: Selection) -> Outcome:
        return _small_calls(s, (direction,))


for _direction in DIRECTIONS:
    _declare_count(_direction)


def _declare_time(direction: Direction) -> None:
    @metric(
        f"mpiio.small_{direction}_time_fraction",
        f"Share of the time in MPI-IO {direction}s that those below 1 MiB can have taken",
        "share",
        about=About(time=True, direction=direction),
        formula="of each record the share of its bytes that small calls can have moved; or, if more, what is left of "
        f"MPIIO_F_{direction.upper()}_TIME by the calls of 1 MiB and more, of which each takes "
        f"MAX_{direction.upper()}_TIME at most; or what they leave at {SLOW // 2**20} MiB/s, "
        f"{SMALL_CALL_S * 1000:.0f} ms a small call at most; all where no record has times",
        needs="a Darshan log with MPI-IO records",
        unless=no_records_of("MPI-IO"),
    )
    def time(s: Selection) -> Outcome:
        return small_time_fraction(s, "MPI-IO", direction, _small(s, direction))


for _direction in DIRECTIONS:
    _declare_time(_direction)

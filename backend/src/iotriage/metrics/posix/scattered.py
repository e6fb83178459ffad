"""Accesses at scattered places: how many they are, and what of the time they can have taken.

Only small ones wait for their order: one of 1 MiB or more bears any. Which of them are out of order no counter says:
they are taken for the smallest, as headers are that are read here and there beside the blocks of one file; their calls
are many, and take little.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import SMALL_CALL_S, seconds_of_smallest
from iotriage.metrics.tables.counters import no_records_of
from iotriage.metrics.tables.rank_times import total_time
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction


def _declare(way: Direction) -> None:
    @metric(
        f"posix.scattered_{way}_fraction",
        f"POSIX {way}s at scattered places",
        "share",
        about=About(time=False, direction=way),
        formula=f"2 × posix.random_{way}_fraction, at most 1: of accesses at random places half go forward, and those "
        "Darshan calls sequential",
        needs="a Darshan log with POSIX records",
    )
    def scattered(s: Selection) -> Outcome:
        back = outcome(s, f"posix.random_{way}_fraction")
        if isinstance(back, Absent) or isinstance(back.value, str):
            return back
        return Value(min(1.0, 2 * back.value), "inferred", back.where)

    @metric(
        f"posix.scattered_{way}_time_fraction",
        f"Share of the time in POSIX {way}s that small ones at scattered places can have taken",
        "share",
        about=About(time=True, direction=way),
        formula=f"of the seconds of posix.small_{way}_time_fraction, those of the 2 × (POSIX_{way.upper()}S − "
        f"POSIX_SEQ_{way.upper()}S) smallest accesses of each record: as many as their share of the calls and of the "
        f"bytes is, or if more, as their share of the calls, {SMALL_CALL_S * 1000:.0f} ms each at most; "
        f"posix.scattered_{way}_fraction where no record has times",
        needs="a Darshan log with POSIX records",
        unless=no_records_of("POSIX"),
    )
    def time(s: Selection) -> Outcome:
        return _share_of_time(s, way)


for _way in DIRECTIONS:
    _declare(_way)


def _share_of_time(s: Selection, way: Direction) -> Outcome:
    scattered = outcome(s, f"posix.scattered_{way}_fraction")
    if isinstance(scattered, Absent):
        return scattered
    found, took = _seconds(s, way)
    return Value(min(1.0, found / took), "inferred", scattered.where) if took >= NO_TIME else scattered


def _seconds(s: Selection, way: Direction) -> tuple[float, float]:
    """Those of small accesses at scattered places, and of all."""
    found = [_seconds_of(t, way) for _, t in s.tables("POSIX")]
    return sum(part for part, _ in found), sum(every for _, every in found)


@cached_per_table
def _seconds_of(table: CounterTable, way: Direction) -> tuple[float, float]:
    made, in_order = (table.count(f"POSIX_{kind}{way.upper()}S") for kind in ("", "SEQ_"))
    calls = np.where(in_order >= 0, np.minimum(np.maximum(2 * (made - in_order), 0), np.maximum(made, 0)), 0)
    scattered_s = float(seconds_of_smallest(table, way, calls).sum()) if calls.any() else 0.0
    return scattered_s, total_time(table, f"{way.upper()}_TIME")


@metric(
    "posix.scattered_time_fraction",
    "Share of the time in POSIX reads and writes that small ones at scattered places can have taken",
    "share",
    about=About(time=True),
    formula="posix.scattered_read_time_fraction and posix.scattered_write_time_fraction, weighed by POSIX_F_READ_TIME "
    "and POSIX_F_WRITE_TIME; the larger of the two where these are 0",
    needs="a Darshan log with POSIX records",
    unless=no_records_of("POSIX"),
)
def scattered_time_fraction(s: Selection) -> Outcome:
    known = {way: share for way in DIRECTIONS if isinstance(share := _share_of_time(s, way), Value)}
    if not known:
        return Absent("the log does not say in which order the accesses were")
    where = joined(*(share.where for share in known.values()))
    seconds = [_seconds(s, way) for way in known]
    whole = sum(every for _, every in seconds)
    if whole < NO_TIME:
        return Value(max(float(share.value) for share in known.values()), "inferred", where)
    return Value(min(1.0, sum(part for part, _ in seconds) / whole), "inferred", where)

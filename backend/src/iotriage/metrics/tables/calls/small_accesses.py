"""Accesses below 1 MiB of one layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import PREFIX, TOTALLED
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.calls.size_bins import (
    DIRECTIONS,
    HIGHS,
    LOWS,
    MIB,
    UP_TO_1_MIB,
    bin_counts,
    bins_of,
    bins_of_module,
    exactly_1_mib_each,
    first_accesses,
    small_and_all,
)
from iotriage.metrics.tables.counters import is_partial, no_table, not_recorded, total
from iotriage.metrics.tables.rank_times import timer
from iotriage.metrics.tables.texts.printed_totals import small_accesses
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction


def small_fraction(s: Selection, module: str, direction: Direction) -> Outcome:
    """The share of a module's accesses in one direction that are below 1 MiB."""
    tables = s.tables(module)
    if not tables:
        return _small_of_totals(s, module, direction)
    bins = bins_of_module(module)
    if (why := not_recorded(tables, *bins[direction])) is not None:
        return why
    pairs = [small_and_all(t, direction) for _, t in tables]
    small, every = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if not every:
        return Absent(f"no {module} {direction}s")
    where = tuple(w for rows, t in tables for w in rows.where(t, *bins[direction][:UP_TO_1_MIB]))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(small / every, "inferred" if partial else "measured", where)


def _small_of_totals(s: Selection, module: str, direction: Direction) -> Outcome:
    found = small_accesses(s, module, direction) if module in TOTALLED else None
    if found is None:
        return no_table(s, module)
    if not found.every:
        return Absent(f"no {module} {direction}s")
    return Value(found.small / found.every, "measured" if found.exact else "inferred", found.where)


def small_count(s: Selection, module: str, ways: Sequence[Direction] = DIRECTIONS) -> Outcome:
    """How many accesses of a module in these directions are below 1 MiB."""
    tables = s.tables(module)
    if not tables:
        totalled = ways if module in TOTALLED else ()
        of_totals = [t for w in totalled if (t := small_accesses(s, module, w)) is not None]
        if not of_totals:
            return no_table(s, module)
        sure = all(t.exact for t in of_totals)
        where = tuple(w for t in of_totals for w in t.where)
        return Value(sum(t.small for t in of_totals), "measured" if sure else "inferred", where)
    bins = bins_of_module(module)
    found = sum(small_and_all(t, way)[0] for _, t in tables for way in ways)
    where = tuple(w for rows, t in tables for way in ways for w in rows.where(t, *bins[way][:UP_TO_1_MIB]))
    uncounted = [why for way in ways if (why := not_recorded(tables, *bins[way])) is not None]
    if uncounted and not found:
        return uncounted[0]
    lower = bool(uncounted) or any(is_partial(r, module) for r, _ in tables)
    return Value(found, where=where, bound="lower" if lower else None)


def average_size(s: Selection, module: str, direction: Direction) -> Outcome:
    """Bytes of one access, of a module that counts accesses by several names: those of its histogram."""
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    if (why := not_recorded(tables, *bins_of_module(module)[direction])) is not None:
        return why
    every = sum(small_and_all(t, direction)[1] for _, t in tables)
    if not every:
        return Absent(f"no {module} {direction}s")
    return quotient(total(s, module, BYTES[direction].format(PREFIX[module])), Value(every), zero=f"no {direction}s")


SLOW = 10 * 2**20
"""Bytes per second. Calls of 1 MiB and more by one rank that are slower than this are slow for another reason than
their number. Ours: a twentieth of the 500 MiB/s or so that ARCHER's guide gives for one process."""
SMALL_CALL_S = 0.01
"""The most seconds that a small call is taken to need beside large calls below the rate `SLOW`, since whatever slows
those down may explain all of the time. Ours: a small call that reaches a disk takes some milliseconds."""


def small_time_fraction(s: Selection, module: str, direction: Direction, some: Outcome) -> Outcome:
    """The share of the seconds in calls of one direction that those below 1 MiB can have taken: all, where no record
    tells more of them than that `some`, a share of the calls, are."""
    tables = s.tables(module)
    if isinstance(some, Absent):
        return some
    if tables and all(small == every for small, every in (small_and_all(t, direction) for _, t in tables)):
        return Value(1.0, some.confidence, some.where)
    parts = [small_seconds(t, direction) for _, t in tables]
    took = sum(float(every.sum()) for _, every in parts)
    if took < NO_TIME:
        return Value(1.0, "inferred", some.where)
    where = tuple(w for rows, t in tables for w in rows.where(t, *bins_of_module(module)[direction][:UP_TO_1_MIB]))
    return Value(min(1.0, sum(float(small.sum()) for small, _ in parts) / took), "inferred", where)


@cached_per_table
def small_seconds(table: CounterTable, direction: Direction) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds of small calls and of all, of each record. Of each record small calls have as large a share as of the
    bytes, at most; or all that the large ones leave, of which each took no longer than the longest call of the record;
    or as much of what these leave at the rate `SLOW` as small calls take."""
    took, counts = timer(table, f"{direction.upper()}_TIME"), bin_counts(table, bins_of(table, direction))
    whole = exactly_1_mib_each(table, direction)
    small = counts[:, :UP_TO_1_MIB].sum(axis=1) - whole
    large = counts[:, UP_TO_1_MIB:].sum(axis=1) + whole
    moved, in_small = _moved(table, direction), _in_small(table, direction)
    of_bytes = np.divide(in_small, moved, out=np.ones(len(table)), where=moved > 0)
    longest = timer(table, f"MAX_{direction.upper()}_TIME")
    sure = np.where(longest > 0, np.maximum(took - longest * large, 0.0), 0.0)
    at_that_rate = np.minimum(np.maximum(took - (moved - in_small) / SLOW, 0.0), SMALL_CALL_S * small)
    left = np.where(large > 0, np.maximum(sure, at_that_rate), took)
    return np.where(small > 0, np.maximum(took * of_bytes, left), 0.0), took


def _moved(table: CounterTable, direction: Direction) -> NDArray[np.float64]:
    return np.maximum(table.count(BYTES[direction].format(PREFIX[table.module])), 0).astype(np.float64)


_BOUNDS_OF_SMALL = tuple(np.array(ends[:UP_TO_1_MIB], np.float64) for ends in (LOWS, HIGHS))


@cached_per_table
def _in_small(table: CounterTable, direction: Direction) -> NDArray[np.float64]:
    """The most bytes that small calls can have moved of each record."""
    moved, counts = _moved(table, direction), bin_counts(table, bins_of(table, direction))
    whole = exactly_1_mib_each(table, direction)
    in_large = np.minimum(moved, counts[:, UP_TO_1_MIB:] @ np.array(LOWS[UP_TO_1_MIB:], np.float64) + whole * MIB)
    found: NDArray[np.float64] = np.minimum(
        moved - in_large, counts[:, :UP_TO_1_MIB] @ _BOUNDS_OF_SMALL[1] - whole * MIB
    )
    return found


def seconds_of_smallest(table: CounterTable, direction: Direction, calls: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the smallest `calls` of each record can have of `small_seconds`: as large a share as of the calls and of the
    bytes, or if more, as of the calls, but `SMALL_CALL_S` each at most."""
    counts = bin_counts(table, bins_of(table, direction))[:, :UP_TO_1_MIB].copy()
    counts[:, UP_TO_1_MIB - 1] -= exactly_1_mib_each(table, direction)
    small, moved = counts.sum(axis=1), _in_small(table, direction)
    n = np.minimum(calls, small)
    taken, (lows, highs) = first_accesses(counts, n), _BOUNDS_OF_SMALL
    most = np.minimum(taken @ highs, np.maximum(moved - (counts - taken) @ lows, 0.0))
    of_bytes = np.divide(most, moved, out=np.ones(len(table)), where=moved > 0)
    of_calls = np.divide(n, small, out=np.zeros(len(table)), where=small > 0)
    seconds, _ = small_seconds(table, direction)
    found: NDArray[np.float64] = np.maximum(
        seconds * np.minimum(of_bytes, of_calls), np.minimum(seconds * of_calls, SMALL_CALL_S * n)
    )
    return found


BYTES = {"read": "{}_BYTES_READ", "write": "{}_BYTES_WRITTEN"}

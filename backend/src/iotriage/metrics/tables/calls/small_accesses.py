"""Accesses below 1 MiB of one layer."""

from __future__ import annotations

import numpy as np

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
    Direction,
    bin_counts,
    bins_of,
    bins_of_module,
    exactly_1_mib_each,
    small_and_all,
)
from iotriage.metrics.tables.counters import is_partial, no_table, total
from iotriage.metrics.tables.rank_times import timer
from iotriage.metrics.tables.texts.printed_totals import small_accesses
from iotriage_parsers.evidence import CounterTable


def small_fraction(s: Selection, module: str, direction: Direction) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return _small_of_totals(s, module, direction)
    pairs = [small_and_all(t, direction) for _, t in tables]
    small, every = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if not every:
        return Absent(f"no {module} {direction}s")
    bins = bins_of_module(module)
    where = tuple(w for rows, t in tables for w in rows.where(t, *bins[direction].names[:5]))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(small / every, "inferred" if partial else "measured", where)


def _small_of_totals(s: Selection, module: str, direction: Direction) -> Outcome:
    found = small_accesses(s, module, direction) if module in TOTALLED else None
    if found is None:
        return no_table(s, module)
    if not found.every:
        return Absent(f"no {module} {direction}s")
    return Value(found.small / found.every, "measured" if found.exact else "inferred", found.where)


def small_count(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        ways = DIRECTIONS if module in TOTALLED else ()
        of_totals = [t for w in ways if (t := small_accesses(s, module, w)) is not None]
        if not of_totals:
            return no_table(s, module)
        sure = all(t.exact for t in of_totals)
        where = tuple(w for t in of_totals for w in t.where)
        return Value(sum(t.small for t in of_totals), "measured" if sure else "inferred", where)
    bins = bins_of_module(module)
    found = sum(small_and_all(t, w)[0] for _, t in tables for w in ("read", "write"))
    where = tuple(w for rows, t in tables for d in ("read", "write") for w in rows.where(t, *bins[d].names[:5]))
    return Value(found, where=where, bound="lower" if any(is_partial(r, module) for r, _ in tables) else None)


def average_size(s: Selection, module: str, direction: Direction) -> Outcome:
    """Bytes of one access, of a module that counts accesses by several names: those of its histogram."""
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    every = sum(small_and_all(t, direction)[1] for _, t in tables)
    if not every:
        return Absent(f"no {module} {direction}s")
    return quotient(total(s, module, BYTES[direction].format(PREFIX[module])), Value(every), zero=f"no {direction}s")


SLOW = 10 * 2**20
"""Bytes a second: calls of 1 MiB and more of one rank that move fewer are slow for another reason than their number.
Ours: a twentieth of the 500 MiB/s or so that ARCHER's guide has for one process."""


def small_time_fraction(s: Selection, module: str, direction: Direction, some: Outcome) -> Outcome:
    """The share of the seconds in calls of one direction that those below 1 MiB can have taken: all, where no record
    tells more of them than that `some`, a share of the calls, are."""
    tables = s.tables(module)
    if isinstance(some, Absent):
        return some
    if tables and all(small == every for small, every in (small_and_all(t, direction) for _, t in tables)):
        return Value(1.0, some.confidence, some.where)
    parts = [_small_seconds(t, direction) for _, t in tables]
    took = sum(every for _, every in parts)
    if took < NO_TIME:
        return Value(1.0, "inferred", some.where)
    where = tuple(w for rows, t in tables for w in rows.where(t, *bins_of_module(module)[direction].names[:5]))
    return Value(min(1.0, sum(small for small, _ in parts) / took), "inferred", where)


@cached_per_table
def _small_seconds(table: CounterTable, direction: Direction) -> tuple[float, float]:
    """Seconds of small calls and of all, over all records. Of each record small calls have as large a share as of the
    bytes, at most, or all that the large ones leave: each of these took no longer than the longest call of the record,
    nor so long that it moved fewer bytes a second than `SLOW`."""
    took, counts = timer(table, f"{direction.upper()}_TIME"), bin_counts(table, bins_of(table, direction))
    whole = exactly_1_mib_each(table, direction)
    small = counts[:, :UP_TO_1_MIB].sum(axis=1) - whole
    large = counts[:, UP_TO_1_MIB:].sum(axis=1) + whole
    moved = np.maximum(table.count(BYTES[direction].format(PREFIX[table.module])), 0).astype(np.float64)
    in_large = np.minimum(moved, counts[:, UP_TO_1_MIB:] @ np.array(LOWS[UP_TO_1_MIB:], np.float64) + whole * MIB)
    highs = np.array([high for high in HIGHS[:UP_TO_1_MIB] if high is not None], np.float64)
    in_small = np.minimum(moved - in_large, counts[:, :UP_TO_1_MIB] @ highs - whole * MIB)
    of_bytes = np.divide(in_small, moved, out=np.ones(len(table)), where=moved > 0)
    longest = timer(table, f"MAX_{direction.upper()}_TIME")
    at_most = np.minimum(np.where(longest > 0, longest * large, np.inf), (moved - in_small) / SLOW)
    left = np.where(large > 0, np.maximum(took - at_most, 0.0), took)
    mine = np.where(small > 0, np.maximum(took * of_bytes, left), 0.0)
    return float(mine.sum()), float(took.sum())


BYTES = {"read": "{}_BYTES_READ", "write": "{}_BYTES_WRITTEN"}

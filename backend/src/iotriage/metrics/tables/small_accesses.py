"""Accesses below 1 MiB of one layer."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.prefix import PREFIX, TOTALLED
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial, no_table, total
from iotriage.metrics.tables.printed_totals import small_accesses
from iotriage.metrics.tables.size_bins import DIRECTIONS, Direction, bins_of_module, small_and_all


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


BYTES = {"read": "{}_BYTES_READ", "write": "{}_BYTES_WRITTEN"}

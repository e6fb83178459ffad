"""Accesses that go back in the file: neither sequential nor consecutive.

Darshan counts an access as sequential when it begins beyond the rank's last one in that file and direction. The first
one at offset 0 is not, so each open accounts for one, or a job that reads ten thousand files once would seem random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import is_partial, no_table, not_available, not_recorded, sum_counters, total
from iotriage_parsers.evidence import NOT_AVAILABLE, CounterTable
from iotriage_parsers.evidence.darshan import exact_sum
from iotriage_parsers.evidence.mpiio_stats import Direction


def _share_out_of_order(s: Selection, direction: Direction) -> Outcome:
    way = f"{direction.upper()}S"
    tables = s.tables("POSIX")
    if not tables:
        of_totals = total(s, "POSIX", f"POSIX_SEQ_{way}"), total(s, "POSIX", f"POSIX_{way}")
        return _rest(*of_totals, zero=f"no POSIX {direction}s")
    made = sum(sum_counters(t, f"POSIX_{way}") for _, t in tables)
    if not made:
        return Absent(f"no POSIX {direction}s")
    if not_recorded(tables, f"POSIX_SEQ_{way}") is not None:
        return Absent(f"the log does not say in which order the {direction}s were")
    in_order = sum(sum_counters(t, f"POSIX_SEQ_{way}") for _, t in tables)
    where = tuple(w for rows, t in tables for w in rows.where(t, f"POSIX_SEQ_{way}", f"POSIX_{way}"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return Value(max(0, made - in_order) / made, "inferred" if partial else "measured", where)


def _rest(part: Outcome, whole: Outcome, *, zero: str) -> Outcome:
    """1 − part / whole, at least 0."""
    found = quotient(part, whole, zero=zero)
    if isinstance(found, Absent) or isinstance(found.value, str):
        return found
    return Value(max(0.0, 1 - found.value), found.confidence, found.where)


@metric(
    "posix.random_read_fraction",
    "POSIX reads that go back in the file",
    "share",
    about=About(time=False, direction="read"),
    formula="(POSIX_READS − POSIX_SEQ_READS) / POSIX_READS; sequential includes consecutive",
    needs="a Darshan log with POSIX records",
)
def random_read_fraction(s: Selection) -> Outcome:
    return _share_out_of_order(s, "read")


@metric(
    "posix.random_write_fraction",
    "POSIX writes that go back in the file",
    "share",
    about=About(time=False, direction="write"),
    formula="(POSIX_WRITES − POSIX_SEQ_WRITES) / POSIX_WRITES; sequential includes consecutive",
    needs="a Darshan log with POSIX records",
)
def random_write_fraction(s: Selection) -> Outcome:
    return _share_out_of_order(s, "write")


WAYS = ("READS", "WRITES")


@cached_per_table
def _backwards(table: CounterTable) -> int:
    counted = table.count("POSIX_OPENS")
    # A trace has no opens, but what was accessed was opened.
    opens = np.where(counted == NOT_AVAILABLE, 1, counted)
    found = 0
    for way in WAYS:
        made, in_order = table.count(f"POSIX_{way}"), table.count(f"POSIX_SEQ_{way}")
        back = np.where((made > 0) & (in_order >= 0), made - in_order - opens, 0)
        found += exact_sum(np.maximum(back, 0))
    return found


def _lacked(tables: Sequence[tuple[LogRows, CounterTable]], way: str) -> tuple[str, ...]:
    """Of the two counters that tell of one way the one that no record has: of no accesses nobody misses the order."""
    made, in_order = f"POSIX_{way}", f"POSIX_SEQ_{way}"
    if not_recorded(tables, made) is not None:
        return (made,)
    some = any(table.total(made) for _, table in tables)
    return (in_order,) if some and not_recorded(tables, in_order) is not None else ()


@cached_per_selection
def _random(s: Selection) -> tuple[int, Outcome, Value] | Absent:
    """Accesses that go back, all accesses where both ways were counted, and the first as a value."""
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if any(table.lacks("POSIX_OPENS") and "POSIX" not in rows.traced for rows, table in tables):
        return not_available(tables, "POSIX_OPENS")
    every = sum(t.total(f"POSIX_{way}") or 0 for _, t in tables for way in WAYS)
    counters = [f"POSIX_{kind}{way}" for way in WAYS for kind in ("", "SEQ_")]
    lacked = [counter for way in WAYS for counter in _lacked(tables, way)]
    if not every:
        return not_available(tables, *lacked) if lacked else Absent("no POSIX reads or writes")
    back = sum(_backwards(t) for _, t in tables)
    if lacked and not back:
        return not_available(tables, *lacked)
    where = joined(*(rows.where(t, *counters) for rows, t in tables))
    lower = bool(lacked) or any(is_partial(rows, "POSIX") for rows, _ in tables)
    uncounted = [counter for counter in lacked if counter in (f"POSIX_{way}" for way in WAYS)]
    all_accesses = not_available(tables, *uncounted) if uncounted else Value(every)
    return back, all_accesses, Value(back, where=where, bound="lower" if lower else None)


@metric(
    "posix.random_accesses",
    "POSIX accesses that go back in the file",
    "calls",
    formula="POSIX_READS − POSIX_SEQ_READS − POSIX_OPENS of each record, and the same of the writes, where positive",
    needs="a Darshan log with POSIX records by file",
    of=_random,
)
def random_accesses(found: tuple[int, Outcome, Value]) -> Outcome:
    return found[2]


@metric(
    "posix.random_fraction",
    "Share of the POSIX accesses that go back in the file",
    "share",
    about=About(time=False),
    formula="posix.random_accesses / (POSIX_READS + POSIX_WRITES)",
    needs="a Darshan log with POSIX records by file",
    where_lacking="lower",
    of=_random,
)
def random_fraction(found: tuple[int, Outcome, Value]) -> Outcome:
    _, every, back = found
    return quotient(back, every, zero="no POSIX reads or writes")

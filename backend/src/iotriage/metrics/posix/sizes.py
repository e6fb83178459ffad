"""Accesses that go back in the file: neither sequential nor consecutive.

Darshan counts an access as sequential when it begins beyond the rank's last one in that file and direction. The first
one at offset 0 is not, so each open accounts for one, or a job that reads ten thousand files once would seem random.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial, joined, no_table, quotient, total
from iotriage_parsers.evidence import CounterTable

WAYS = ("READS", "WRITES")


def _backwards(table: CounterTable) -> int:
    opens = np.maximum(table.count("POSIX_OPENS"), 0)
    found = 0
    for way in WAYS:
        made, in_order = table.count(f"POSIX_{way}"), table.count(f"POSIX_SEQ_{way}")
        back = np.where((made > 0) & (in_order >= 0), made - in_order - opens, 0)
        found += sum(np.maximum(back, 0).tolist())
    return found


def _random(s: Selection) -> tuple[int, int, Value] | Absent:
    """Accesses that go back, all accesses, and the first as a value."""
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    every = sum(t.total(f"POSIX_{way}") or 0 for _, t in tables for way in WAYS)
    if not every:
        return Absent("no POSIX reads or writes")
    back = sum(_backwards(t) for _, t in tables)
    counters = [f"POSIX_{kind}{way}" for way in WAYS for kind in ("", "SEQ_")]
    where = joined(*(rows.where(t, *counters) for rows, t in tables))
    lower = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return back, every, Value(back, where=where, bound="lower" if lower else None)


@metric(
    "posix.random_accesses",
    "POSIX accesses that go back in the file",
    "calls",
    formula="POSIX_READS − POSIX_SEQ_READS − POSIX_OPENS of each record, and the same of the writes, where positive",
    needs="a Darshan log with POSIX records by file",
)
def random_accesses(s: Selection) -> Outcome:
    found = _random(s)
    return found if isinstance(found, Absent) else found[2]


@metric(
    "posix.random_fraction",
    "Share of the POSIX accesses that go back in the file",
    "share",
    formula="posix.random_accesses / (POSIX_READS + POSIX_WRITES)",
    needs="a Darshan log with POSIX records by file",
)
def random_fraction(s: Selection) -> Outcome:
    found = _random(s)
    if isinstance(found, Absent):
        return found
    back, every, value = found
    return Value(back / every, "measured" if value.bound is None else "inferred", value.where)


@metric(
    "posix.average_size",
    "Average POSIX access",
    "B",
    formula="(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) / (POSIX_READS + POSIX_WRITES)",
    needs="a Darshan log with POSIX records",
)
def average_size(s: Selection) -> Outcome:
    moved = total(s, "POSIX", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")
    return quotient(moved, total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"), zero="no POSIX reads or writes")

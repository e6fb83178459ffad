"""How long a file takes each time that it is used, as most of them do."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s


@metric(
    "file.usual_time",
    "Time on a file each time that it is opened, as usual",
    "s",
    formula="median over the records of POSIX, else of STDIO, of read + write + metadata seconds / opens",
    needs="a Darshan log with POSIX or STDIO records",
)
def usual_time(s: Selection) -> Outcome:
    for module in ("POSIX", "STDIO"):
        tables = [(rows, t) for rows, t in s.tables(module) if len(t) and module not in rows.traced]
        each = [times for _, t in tables if len(times := _each_open(t))]
        if not each:
            continue
        where = tuple(w for rows, t in tables for w in rows.where(t, f"{prefix_of(t)}_F_META_TIME"))
        partial = any(is_partial(rows, module) for rows, _ in tables)
        return Value(float(np.median(np.concatenate(each))), "inferred" if partial else "measured", where)
    return Absent("no log shows how often files were opened, and how long they took", (DARSHAN,))


def _each_open(table: CounterTable) -> Float64s:
    opens = table.count(f"{prefix_of(table)}_OPENS")
    opened = opens > 0
    found: Float64s = rank_times(table)[opened] / opens[opened]
    return found

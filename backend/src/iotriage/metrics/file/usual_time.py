"""How long a file takes each time that it is used, as most of them do."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.outliers import median
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s


@metric(
    "file.usual_time",
    "Time on a file each time that it is opened, as usual",
    "s",
    formula="median over the records of POSIX, else of STDIO, of read + write + metadata seconds / opens, of files "
    "that one rank each uses, where these are most",
    needs="a Darshan log with POSIX or STDIO records",
)
def usual_time(s: Selection) -> Outcome:
    for module in ("POSIX", "STDIO"):
        tables = [(rows, t) for rows, t in s.tables(module) if len(t) and module not in rows.traced]
        each = [times for rows, t in tables if len(times := _each_open(t, rows.nprocs))]
        if not tables or sum(map(len, each)) < MOST * sum(len(t.by_id.ids) for _, t in tables):
            continue
        where = tuple(w for rows, t in tables for w in rows.where(t, f"{prefix_of(t)}_F_META_TIME"))
        partial = any(is_partial(rows, module) for rows, _ in tables)
        return Value(median(np.concatenate(each)), "inferred" if partial else "measured", where)
    none = "no log shows files of one rank each, or not how often they were opened"
    return Absent(none, () if s.logs else (DARSHAN,))


MOST = 0.5
"""Of the files: what several ranks use takes long as they all do."""


def _each_open(table: CounterTable, nprocs: int | None) -> Float64s:
    opens = table.count(f"{prefix_of(table)}_OPENS")
    alone = np.bincount(table.by_id.index, minlength=len(table.by_id.ids))[table.by_id.index] == 1
    used = (opens > 0) & ((table.ranks >= 0) | (nprocs == 1)) & alone
    found: Float64s = rank_times(table)[used] / opens[used]
    return found

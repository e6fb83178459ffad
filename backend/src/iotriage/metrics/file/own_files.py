"""Files that a rank has to itself."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, select_rows
from iotriage.metrics.tables.counters import no_table


@metric(
    "file.ranks_with_own",
    "Ranks that have a file to themselves",
    "ranks",
    formula="distinct ranks of the files that one rank each opened",
    needs="a Darshan log with one record a rank",
)
def ranks_with_own(s: Selection) -> Outcome:
    if not any(rows.highest for rows in s.logs):
        return no_table(s, "POSIX")
    most = 0
    for rows in s.logs:
        ranks: set[int] = set()
        for table in rows.highest:
            index, records = table.by_id.index, table.by_id.records
            ranks.update(table.ranks[(records[index] == 1) & (table.ranks >= 0)].tolist())
        most = max(most, len(ranks))
    where = joined(*(rows.where(t, "POSIX_OPENS") for rows, t in s.tables("POSIX")))
    return Value(most, where=where)


@metric(
    "file.read_back_fraction",
    "Share of the bytes written that the same rank may have read back",
    "share",
    about=About(time=False, direction="read"),
    formula="Σ min(read, written) / Σ written, over the files that one rank each used",
    needs="a Darshan log with one record a rank",
)
def read_back_fraction(s: Selection) -> Outcome:
    written = again = 0
    for _, table in s.tables("POSIX"):
        index, records = table.by_id.index, table.by_id.records
        mine = select_rows(table, (records[index] == 1) & (table.ranks >= 0))
        wrote = np.maximum(mine.count("POSIX_BYTES_WRITTEN"), 0)
        written += int(wrote.sum())
        again += int(np.minimum(wrote, np.maximum(mine.count("POSIX_BYTES_READ"), 0)).sum())
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    if not written:
        return Absent("no file that one rank used was written")
    where = joined(*(rows.where(t, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN") for rows, t in s.tables("POSIX")))
    return Value(again / written, "inferred", where)

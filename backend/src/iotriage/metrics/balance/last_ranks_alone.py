"""Whether the last ranks of the job alone write some files, as servers do that are started to write for the others."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, unique
from iotriage.metrics.tables.rank_times import rank_bytes

PART = 0.25
"""Of the ranks, at the end of all, up to which they may be there to write for the others."""
SEVERAL = 2
"""Ranks: of one alone `serial-io` says it."""
READ = 0.1
"""Of their bytes, which servers may read: what they go on from."""


@metric(
    "balance.last_ranks_alone",
    "Whether the last ranks alone write the files",
    "word",
    formula=f'"yes" where two ranks or more use the files, all of them among the last {PART:.0%} of the ranks, with no '
    f"more after the last than lie between two of them, and read less than {READ:.0%} of the bytes; else "
    '"no", as where records reduced over all ranks have some of them',
    needs="a Darshan log with records of single ranks",
    scopes=["group"],
)
def last_ranks_alone(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("there is no log that shows the ranks", (DARSHAN,))
    return Value("yes" if all(map(_are_last, s.logs)) else "no", "inferred")


def _are_last(rows: LogRows) -> bool:
    tables = rows.highest
    if not tables or rows.nprocs is None or rows.owners is not None:
        return False
    users = unique(np.concatenate([t.ranks for t in tables]))
    if len(users) < SEVERAL or users[0] < (1 - PART) * rows.nprocs:
        return False
    read = sum(float(np.maximum(t.count(f"{prefix_of(t)}_BYTES_READ"), 0).sum()) for t in tables)
    moved = sum(float(rank_bytes(t).sum()) for t in tables)
    # Of each group of servers the first may write.
    return rows.nprocs - int(users[-1]) <= int(np.diff(users).max()) and read < READ * moved

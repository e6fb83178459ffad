"""How large most of the files are at least: how far into each the reads and writes reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.outliers import median
from iotriage.metrics.tables.rank_times import exact_bytes
from iotriage_parsers.evidence import CounterTable

_LAST_BYTES = ("MAX_BYTE_READ", "MAX_BYTE_WRITTEN")


@metric(
    "file.usual_size",
    "Size of a file, as usual",
    "B",
    formula="median over the files of POSIX, where any have bytes, else of STDIO, of the largest MAX_BYTE_READ or "
    "_WRITTEN of their records + 1: each is as large as that or larger; of a file without bytes 0, absent where most "
    "are such",
    needs="a Darshan log with POSIX or STDIO records",
)
def usual_size(s: Selection) -> Outcome:
    for module in ("POSIX", "STDIO"):
        tables = [(rows, t) for rows, t in s.tables(module) if len(t) and module not in rows.traced]
        every = [_reached(t) for _, t in tables]
        reached = np.concatenate([np.zeros(0, np.int64), *every])
        if not reached.any():
            continue
        usual = round(median(reached.astype(np.float64)))
        if not usual:
            return Absent("most of the files were neither read nor written")
        where = joined(*(rows.where(t, *(f"{prefix_of(t)}_{name}" for name in _LAST_BYTES)) for rows, t in tables))
        partial = any(is_partial(rows, module) for rows, _ in tables)
        return Value(usual, "inferred" if partial else "measured", where)
    return Absent("no log tells how far into its files reads and writes reach", () if s.logs else (DARSHAN,))


def _reached(table: CounterTable) -> NDArray[np.int64]:
    """How far into each file, 0 where no bytes moved."""
    prefix = prefix_of(table)
    last = np.maximum(*(table.count(f"{prefix}_{name}") for name in _LAST_BYTES))
    of_files = np.zeros(len(table.by_id.ids), dtype=np.int64)
    np.maximum.at(of_files, table.by_id.index, np.where(exact_bytes(table) > 0, last + 1, 0))
    return of_files

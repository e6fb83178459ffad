"""The files that have records both of MPI-IO and of POSIX."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import is_partial, no_table
from iotriage_parsers.evidence import CounterTable

EXCESS = 1.05
"""POSIX writes more than this many times MPI-IO's bytes before reads on a file that is also read count as RMW."""

Pair = tuple[LogRows, CounterTable, CounterTable]


@cached_per_selection
def file_pairs(s: Selection) -> tuple[Pair, ...] | Absent:
    """The MPI-IO and POSIX tables of the same files, by log, without those that the program uses past MPI-IO
    too; absent where either layer is missing or partial."""
    if not s.tables("MPI-IO"):
        return no_table(s, "MPI-IO")
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    found = []
    for rows in s.logs:
        above, below = rows.mpiio_seen_below, rows.posix_below_mpiio
        if above is None or below is None or not len(above):
            continue
        for module in ("MPI-IO", "POSIX"):
            if is_partial(rows, module):
                return Absent(f"the {module} module is partial: figures of two layers must not be compared")
        found.append((rows, above, below))
    if not found and any(len(rows.past_mpiio.files) for rows in s.logs):
        return Absent("POSIX shows more of these files than MPI-IO can have made: which of it is MPI-IO's is not known")
    return tuple(found) or Absent("no file has both MPI-IO and POSIX records")

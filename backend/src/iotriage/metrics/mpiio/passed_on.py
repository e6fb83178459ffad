"""Whether a trace shows that the calls of MPI-IO reach the storage as the ranks make them."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_records_of, sum_counters


@metric(
    "mpiio.passed_on",
    "Whether MPI-IO calls reach the storage as the ranks make them",
    "word",
    formula="of traces alone, which do not tell independent from collective calls: yes where each rank makes as many "
    "calls below MPI-IO as in it, and moves as many bytes, in the files with most of the bytes; no rank does the I/O "
    "of another there, whatever the calls are",
    needs="a trace of MPI-IO and of the calls below it, and no other records",
    unless=no_records_of("MPI-IO"),
)
def passed_on(s: Selection) -> Outcome:
    traced = [(rows, table) for rows, table in s.tables("MPI-IO") if "MPI-IO" in rows.traced]
    if not traced:
        return Absent("independent and collective calls are counted", ())
    every = passed = 0
    for rows, table in traced:
        as_made = np.isin(table.ids, np.fromiter(rows.passed_on, np.uint64, len(rows.passed_on)))
        every += sum_counters(table, "MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN")
        passed += sum_counters(table.rows(as_made), "MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN")
    if not every:
        return Absent("no bytes moved at the MPI-IO layer", (DARSHAN,))
    where = tuple(w for rows, table in traced for w in rows.where(table, "MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN"))
    return Value("yes" if 2 * passed > every else "no", "inferred", where)

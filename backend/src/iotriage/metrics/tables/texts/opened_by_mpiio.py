"""The files that MPI-IO opened, where the sources know all of them: hints with other patterns did nothing then."""

from __future__ import annotations

from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import lacks_records_of
from iotriage_parsers.evidence import JobContext, MpiioHints


@cached_per_selection
def opened_by_mpiio(s: Selection) -> frozenset[str] | None:
    """Their base names. None where a program that the script starts may have opened others: of a log that is missing,
    or that lacks records of MPI-IO or their names."""
    starts = sum(len(context.launches) for _, context in s.of(JobContext) if context.source == "script")
    if not s.logs or starts > len(s.logs):
        return None
    each = [_opened_in(rows) for rows in s.logs]
    if any(names is None for names in each):
        return None
    printed = {p.file for _, p in s.of(MpiioHints) if p.file} | {b.block.file for b in s.stats}
    return frozenset(map(base_name, printed.union(*(names for names in each if names is not None))))


def _opened_in(rows: LogRows) -> set[str] | None:
    alone = rows.nprocs is None or rows.nprocs < 2
    # Of one process nobody knows whether Darshan was there for MPI: it counts MPI-IO only then.
    if rows.mpiio is None and (alone or rows.traced or rows.posix is None):
        return None
    if lacks_records_of(rows, "MPI-IO"):
        return None
    names = [rows.name_of(record) for record in set(() if rows.mpiio is None else rows.mpiio.ids.tolist())]
    known = {name for name in names if name is not None}
    return known if len(known) == len(names) else None

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
    if not _has_logs_of_all(s):
        return None
    each = [_names_in(rows) for rows in s.logs]
    if any(names is None for names in each):
        return None
    return frozenset(map(base_name, _printed(s).union(*(names for names in each if names is not None))))


def opened_none_by_mpiio(s: Selection) -> bool:
    """Whether the sources know that it opened no file."""
    return _has_logs_of_all(s) and not _printed(s) and all(_has_all(rows) and not _records(rows) for rows in s.logs)


def _has_logs_of_all(s: Selection) -> bool:
    starts = sum(len(context.launches) for _, context in s.of(JobContext) if context.source == "script")
    return bool(s.logs) and starts <= len(s.logs)


def _printed(s: Selection) -> set[str]:
    """The files that the library printed hints or statistics of."""
    return {p.file for _, p in s.of(MpiioHints) if p.file} | {b.block.file for b in s.stats}


def _has_all(rows: LogRows) -> bool:
    """Whether the log has a record of each file that MPI-IO opened."""
    alone = rows.nprocs is None or rows.nprocs < 2
    # Of one process nobody knows whether Darshan was there for MPI: it counts MPI-IO only then.
    if rows.mpiio is None and (alone or rows.traced or rows.posix is None):
        return False
    return not lacks_records_of(rows, "MPI-IO")


def _records(rows: LogRows) -> int:
    return 0 if rows.mpiio is None else len(rows.mpiio)


def _names_in(rows: LogRows) -> set[str] | None:
    if not _has_all(rows):
        return None
    names = [rows.name_of(record) for record in set(() if rows.mpiio is None else rows.mpiio.ids.tolist())]
    known = {name for name in names if name is not None}
    return known if len(known) == len(names) else None

"""Whether ranks take their places in a file from a pointer that they share."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.records.shared_pointers import pointers


@metric(
    "mpiio.shared_pointer",
    "File with a shared file pointer",
    "1",
    formula="the first name of a file that ROMIO or Open MPI makes for MPI_File_write_shared and its like, beside a "
    "file that MPI-IO opened",
    needs="a Darshan log with names, whose program uses shared file pointers",
)
def shared_pointer(s: Selection) -> Outcome:
    of_job = _pointers(s)
    mine = {(rows.source, record) for rows, t in s.tables("MPI-IO") for record in t.ids.tolist()} if of_job else set()
    found = sorted(name for file, name in of_job.items() if file in mine)
    return Value(found[0]) if found else Absent("no file is named as that of a shared file pointer")


@cached_per_job
def _pointers(s: Selection) -> Mapping[tuple[int, int], str]:
    """The names of the pointers of files, by source and record of the file."""
    found: dict[tuple[int, int], str] = {}
    for rows in s.logs:
        named = pointers(rows)
        if named:
            record_of = {path: record for record, path in rows.log.names.items()}
            for record, path in named.items():
                found.setdefault((rows.source, record_of[path]), base_name(rows.name_of(record) or ""))
    return found

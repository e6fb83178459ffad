"""Where the files lie: how many in one directory."""

from __future__ import annotations

from collections import Counter

from iotriage.metrics.core.derived import derived_of_job
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.files.folders import folders_of


def _opens(module: str) -> tuple[str, ...]:
    """The counters of opened files, by the module's own names."""
    if module == "MPI-IO":
        return ("MPIIO_INDEP_OPENS", "MPIIO_COLL_OPENS")
    return ("DAOS_OBJ_OPENS",) if module == "DAOS" else (f"{PREFIX[module]}_OPENS",)


@metric(
    "file.per_directory",
    "Files in the fullest directory",
    "files",
    formula="most files of the job whose names share all before the last slash",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def per_directory(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if fullest is None:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    lost = any(is_partial(rows, t.module) for rows in s.logs for t in rows.highest)
    where = joined(*(rows.where(t, *_opens(t.module)) for rows in s.logs for t in rows.highest if len(t)))
    return Value(fullest[1], where=where, bound="lower" if lost else None)


@metric(
    "file.fullest_directory",
    "The fullest directory",
    "word",
    formula="what stands before the last slash in the most files' names",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def fullest_name(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if fullest is None:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    return Value(fullest[0])


@derived_of_job
def fullest_directory(s: Selection) -> tuple[str, int] | None:
    """The directory with the most files, and their number; None where no file's directory is known."""
    of_record: dict[int, str] = {}
    for rows in s.logs:
        for table in (t for t in rows.highest if len(t)):
            folders = folders_of(rows, table)
            of_files = map(folders.names.__getitem__, folders.of_file.tolist())
            # Several tables or logs may have one file.
            of_record.update(zip(table.by_id.ids.tolist(), of_files, strict=True))
    counted = {folder: files for folder, files in Counter(of_record.values()).items() if folder[:1] == "/"}
    if not counted:
        return None
    fullest, files = max(counted.items(), key=lambda found: (found[1], found[0]))
    return fullest[:-1] or "/", files

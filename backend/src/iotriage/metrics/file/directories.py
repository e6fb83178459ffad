"""Where the files lie: how many in one directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, isin
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.counters import lacks_records
from iotriage.metrics.tables.files.folders import folder_above, folders_of
from iotriage.metrics.tables.mounts import OF_ONE_NODE, in_folder_of_one_node, type_above
from iotriage_parsers.evidence.job import Mount


def _opens(module: str) -> tuple[str, ...]:
    """The counters of opened files, by the module's own names."""
    if module == "MPI-IO":
        return ("MPIIO_INDEP_OPENS", "MPIIO_COLL_OPENS")
    return ("DAOS_OBJ_OPENS",) if module == "DAOS" else (f"{PREFIX[module]}_OPENS",)


@metric(
    "file.per_directory",
    "Files in the directory with the most",
    "files",
    formula="most files of the job whose names share all before the last slash, but for those on disks and in memory "
    "of nodes",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def per_directory(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if isinstance(fullest, Absent):
        return fullest
    lost = any(map(lacks_records, s.logs))
    where = joined(*(rows.where(t, *_opens(t.module)) for rows in s.logs for t in rows.highest))
    return Value(fullest[1], where=where, bound="lower" if lost else None)


@metric(
    "file.fullest_directory",
    "Directory with the most files",
    "word",
    formula="what stands before the last slash in the most files' names",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def file_fullest_directory(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if isinstance(fullest, Absent):
        return fullest
    return Value(fullest[0])


@metric(
    "file.directory",
    "Directory below which all files lie",
    "word",
    formula="the longest path that all names of files begin with, up to a slash",
    needs="a Darshan log with file names",
    scopes=["group"],
)
def directory(s: Selection) -> Outcome:
    named = [(rows, table) for rows in s.logs for table in rows.highest]
    folders = {folder for rows, table in named for folder in folders_of(rows, table).names if folder[:1] == "/"}
    if not folders:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    above = folder_above(folders).rstrip("/")
    return Value(above) if above else Absent("the files have no directory in common but the root")


@cached_per_job
def fullest_directory(s: Selection) -> tuple[str, int] | Absent:
    """The directory with the most files, and their number; absent where no file's directory is known. What is called
    alike on the disks of several nodes is a directory of each."""
    found: Counter[str] = Counter()
    mounts = list(dict.fromkeys(mount for rows in s.logs for mount in rows.log.job.mounts))
    seen = np.zeros(0, np.uint64)
    for rows, table in [(log, table) for log in s.logs for table in log.highest]:
        folders, ids = folders_of(rows, table), table.by_id.ids
        # Several tables or logs may have one file.
        new = ~isin(ids, seen)
        counts = np.bincount(folders.of_file[new], minlength=len(folders.names))
        found.update(dict(zip(folders.names, counts.tolist(), strict=True)))
        seen = np.concatenate((seen, ids[new]))
    counted = {folder: files for folder, files in found.items() if files and folder[:1] == "/"}
    if not counted:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    shared = [of for of in counted.items() if not _is_of_one_node(of[0], mounts)]
    if not shared:
        return Absent("the files are on the disks or in the memory of their nodes")
    fullest, files = max(shared, key=lambda found: (found[1], found[0]))
    return fullest[:-1] or "/", files


def _is_of_one_node(folder: str, mounts: Sequence[Mount]) -> bool:
    kind = type_above(folder, mounts)
    return in_folder_of_one_node(folder) if kind is None else kind in OF_ONE_NODE

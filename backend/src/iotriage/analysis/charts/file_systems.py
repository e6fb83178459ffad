"""Which file systems the job's files are on, and how many bytes moved on each."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.document.charts.file_systems import FileSystemUse
from iotriage.analysis.file_system_of import kind_of_file
from iotriage.analysis.shown_file_systems import shown_mounts
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.sites import all_sites
from iotriage.sites.site import FileSystemKind
from iotriage_parsers.evidence import DarshanLog, DarshanSummary

MOST_FILE_SYSTEMS = 6


def file_systems(job: Selection, uses: Sequence[FileUse]) -> tuple[FileSystemUse, ...]:
    """By kind and name, most bytes first; `uses` are the files of the job."""
    site = all_sites()[job.site or "generic"]
    of_logs = [m for _, log in job.of(DarshanLog) for m in log.job.mounts]
    of_texts = [m for _, text in job.of(DarshanSummary) for m in text.job.mounts]
    mounts = tuple(dict.fromkeys([*of_logs, *of_texts, *shown_mounts(job)]))
    found: dict[tuple[FileSystemKind, str | None], list[int]] = {}
    # Of a hundred thousand files most lie in few folders: each folder is looked up once.
    of_folder: dict[str, list[int]] = {}
    for use in uses:
        folder = use.path[: use.path.rfind("/") + 1]
        sums = of_folder.get(folder)
        if sums is None:
            known = site.file_system_of(use.path)
            kind = kind_of_file(use, site, mounts)
            sums = found.setdefault((kind, None if known is None else known.title), [0, 0])
            of_folder[folder] = sums
        sums[0] += 1
        sums[1] += use.bytes
    ordered = sorted(found.items(), key=lambda item: (-item[1][1], str(item[0])))
    return tuple(
        FileSystemUse(kind, title, files, moved) for (kind, title), (files, moved) in ordered[:MOST_FILE_SYSTEMS]
    )

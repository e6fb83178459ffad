"""Which file systems the job's files are on, and how many bytes moved on each."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.displayed_hint_mounts import displayed_mounts
from iotriage.analysis.document.charts.file_systems import FileSystemUse
from iotriage.analysis.file_system_of import kind_of_file
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import FileUse, moved_bytes
from iotriage.sites import all_sites
from iotriage.sites.site import FileSystemKind
from iotriage_parsers.evidence import DarshanLog, DarshanSummary


def file_systems(job: Selection, uses: Sequence[FileUse]) -> tuple[FileSystemUse, ...]:
    """By kind and name, most bytes first: no more than there are kinds and names in a profile. `uses` are the files of
    the job."""
    site = all_sites()[job.site or "generic"]
    of_logs = [m for _, log in job.of(DarshanLog) for m in log.job.mounts]
    of_texts = [m for _, text in job.of(DarshanSummary) for m in text.job.mounts]
    mounts = tuple(dict.fromkeys([*of_logs, *of_texts, *displayed_mounts(job)]))
    found: dict[tuple[FileSystemKind, str | None], list[FileUse]] = {}
    # Of a hundred thousand files most lie in few folders: each folder is looked up once.
    of_folder: dict[str, list[FileUse]] = {}
    for use in uses:
        folder = use.path[: use.path.rfind("/") + 1]
        there = of_folder.get(folder)
        if there is None:
            known = site.file_system_of(use.path)
            kind = kind_of_file(use, site, mounts)
            there = found.setdefault((kind, None if known is None else known.title), [])
            of_folder[folder] = there
        there.append(use)
    systems = [FileSystemUse(kind, title, len(on), _moved(on)) for (kind, title), on in found.items()]
    systems.sort(key=lambda system: (-(system.moved_bytes or 0), str((system.kind, system.title))))
    return tuple(systems)


def _moved(files: Sequence[FileUse]) -> int | None:
    known = any(use.bytes_read is not None or use.bytes_written is not None for use in files)
    return moved_bytes(files) if known else None

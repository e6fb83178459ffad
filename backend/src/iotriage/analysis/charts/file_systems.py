"""Which file systems the job's files are on, and how many bytes moved on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import FileUse, moved_bytes
from iotriage.sites import all_sites, file_system_kind
from iotriage.sites.site import FileSystemKind
from iotriage_parsers.evidence import DarshanLog, DarshanSummary
from iotriage_parsers.frozen import frozen

MOST = 6


@frozen
class FileSystemUse:
    """`title` is the site profile's name of it, None where the profile does not know the path."""

    kind: FileSystemKind
    title: str | None
    files: int
    moved_bytes: int


def file_systems(job: Selection, uses: Sequence[FileUse]) -> tuple[FileSystemUse, ...]:
    """By kind and name, most bytes first; `uses` are the files of the job."""
    site = all_sites()[job.site or "generic"]
    of_logs = [m for _, log in job.of(DarshanLog) for m in log.job.mounts]
    of_texts = [m for _, text in job.of(DarshanSummary) for m in text.job.mounts]
    mounts = tuple(dict.fromkeys([*of_logs, *of_texts]))
    found: dict[tuple[FileSystemKind, str | None], list[int]] = {}
    for mine in _by_folder(uses).values():
        path = mine[0].path
        known = site.file_system_of(path)
        kind = file_system_kind(site, mounts, path), None if known is None else known.title
        sums = found.setdefault(kind, [0, 0])
        sums[0] += len(mine)
        sums[1] += moved_bytes(mine)
    ordered = sorted(found.items(), key=lambda item: (-item[1][1], str(item[0])))
    return tuple(FileSystemUse(kind, title, files, moved) for (kind, title), (files, moved) in ordered[:MOST])


def _by_folder(uses: Sequence[FileUse]) -> Mapping[str, Sequence[FileUse]]:
    folders = [use.path.rpartition("/")[0] for use in uses]
    if len(set(folders)) == 1:
        return {folders[0]: uses}
    found: dict[str, list[FileUse]] = {}
    for folder, use in zip(folders, uses, strict=True):
        found.setdefault(folder, []).append(use)
    return found

"""What lies on each OST: the bytes, the time and the files, worked out from where the files' stripes are.

No source counts bytes by OST. A file's bytes are laid over its OSTs as Lustre lays its stripes: round after round from
the first, up to the end of the file. The time of its calls is spread in the same proportion: all of it is inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from iotriage.metrics.file_uses import FileUse
from iotriage.metrics.files import reaches
from iotriage.metrics.job import rank_times
from iotriage.metrics.layouts import stated_layouts
from iotriage.metrics.metric import Absent
from iotriage.metrics.ost_times import slowest_ost
from iotriage.metrics.prefix import PREFIX
from iotriage.metrics.selection import Selection

MOST_OSTS = 4096
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class OstShare:
    """`seconds` are of all ranks together; None where no source has the times of its files. `named` are the paths of
    the files with most bytes here, of `files`."""

    ost: int
    files: int
    bytes_read: int
    bytes_written: int
    seconds: float | None
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SlowOst:
    """The OST whose files of one stripe and one rank took longest for a byte, and how many times as long as the median
    of the `compared` others."""

    ost: int
    times_the_others: float
    files: int
    compared: int


@dataclass(frozen=True, slots=True)
class OstUse:
    """One file system. `osts` by index, those only that hold something; `total` is how many it has, None where no
    source says. `files_without` files on it, or anywhere where no mount is known, have no list of OSTs."""

    mount: str | None
    total: int | None
    osts: tuple[OstShare, ...]
    files: int
    files_without: int
    slowest: SlowOst | None


@dataclass(slots=True)
class _Sum:
    files: int = 0
    read: float = 0.0
    written: float = 0.0
    seconds: float | None = None
    largest: list[tuple[float, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Laid:
    """One file with its list of OSTs."""

    path: str
    osts: tuple[int, ...]
    stripe_bytes: int | None
    size_bytes: int | None
    read: int
    written: int
    seconds: float | None
    osts_in_fs: int | None


def ost_use(job: Selection, uses: Sequence[FileUse]) -> tuple[OstUse, ...]:
    """By file system, the one with most bytes first; empty where no source lists the OSTs of a file."""
    laid, without = _laid(job, uses)
    mounts = _lustre_mounts(job)
    by_mount: dict[str | None, list[_Laid]] = {}
    for file in laid:
        by_mount.setdefault(_mount_of(file.path, mounts), []).append(file)
    slowest = _slowest(job) if len(by_mount) == 1 else None
    bare: dict[str | None, int] = {}
    for path in without:
        bare[_mount_of(path, mounts)] = bare.get(_mount_of(path, mounts), 0) + 1
    found = [_of_mount(mount, files, bare.get(mount, 0), slowest, job) for mount, files in by_mount.items()]
    return tuple(sorted(found, key=lambda use: -sum(o.bytes_read + o.bytes_written for o in use.osts)))


def shares(size_bytes: int | None, stripe_bytes: int | None, osts: Sequence[int]) -> list[float]:
    """Which part of a file lies on each of its stripes, in their order; equal parts where size or stripe is unknown."""
    n = len(osts)
    if not size_bytes or not stripe_bytes:
        return [1.0 / n] * n
    rounds, rest = divmod(size_bytes, stripe_bytes * n)
    held = [rounds * stripe_bytes + min(stripe_bytes, max(0, rest - i * stripe_bytes)) for i in range(n)]
    return [h / size_bytes for h in held]


def _laid(job: Selection, uses: Sequence[FileUse]) -> tuple[list[_Laid], list[str]]:
    stored = _stored(job)
    stated = stated_layouts(job)
    laid, without = [], []
    for use in uses:
        read, written, seconds = stored.get((use.source, use.record), (use.bytes_read, use.bytes_written, None))
        layout = use.layout
        size = use.size_bytes or written or None
        if layout is not None and layout.osts and reaches(layout, use.size_bytes):
            osts, stripe, in_fs = layout.osts, layout.stripe_size, layout.osts_in_fs
        elif stated and (said := stated.of_file(use.path, size)) is not None and said.osts:
            osts, stripe, in_fs = said.osts, said.stripe_size_bytes, None
        else:
            without.append(use.path)
            continue
        laid.append(_Laid(use.path, osts, stripe, size, read or 0, written or 0, seconds, in_fs))
    return laid, without


def _stored(job: Selection) -> dict[tuple[int, int | None], tuple[int, int, float]]:
    """Bytes read and written and seconds of all ranks in POSIX calls, by log and record: what the servers saw."""
    found: dict[tuple[int, int | None], tuple[int, int, float]] = {}
    for rows, table in job.tables("POSIX"):
        prefix = PREFIX["POSIX"]
        ids, index = np.unique(table.ids, return_inverse=True)
        sums = []
        for counter in ("BYTES_READ", "BYTES_WRITTEN"):
            column = np.zeros(len(ids), dtype=np.int64)
            np.add.at(column, index, np.maximum(table.count(f"{prefix}_{counter}"), 0))
            sums.append(column.tolist())
        seconds = np.bincount(index, weights=rank_times(table), minlength=len(ids)).tolist()
        for record, read, written, took in zip(ids.tolist(), *sums, seconds, strict=True):
            found[rows.source, record] = (read, written, took)
    return found


def _lustre_mounts(job: Selection) -> list[str]:
    mounts = {m.path for rows in job.logs for m in rows.log.job.mounts if m.fs_type == "lustre"}
    return sorted(mounts, key=len, reverse=True)


def _mount_of(path: str, mounts: Sequence[str]) -> str | None:
    return next((m for m in mounts if path == m or path.startswith(m.rstrip("/") + "/")), None)


def _slowest(job: Selection) -> SlowOst | None:
    found = slowest_ost(job)
    if isinstance(found, Absent) or found.others_s <= 0:
        return None
    return SlowOst(found.ost, found.per_byte_s / found.others_s, found.files, found.compared)


def _of_mount(
    mount: str | None, files: Sequence[_Laid], without: int, slowest: SlowOst | None, job: Selection
) -> OstUse:
    sums: dict[int, _Sum] = {}
    for file in files:
        parts: dict[int, float] = {}
        for ost, part in zip(file.osts, shares(file.size_bytes, file.stripe_bytes, file.osts), strict=True):
            parts[ost] = parts.get(ost, 0.0) + part
        for ost, part in parts.items():
            if part == 0 and file.read + file.written > 0:
                continue
            here = sums.setdefault(ost, _Sum())
            here.files += 1
            here.read += part * file.read
            here.written += part * file.written
            if file.seconds is not None:
                here.seconds = (here.seconds or 0.0) + part * file.seconds
            here.largest.append((part * (file.read + file.written), file.path))
    counts = [file.osts_in_fs for file in files if file.osts_in_fs]
    total = max(counts) if counts else job.site_osts
    osts = [
        OstShare(ost, s.files, round(s.read), round(s.written), s.seconds, _named(s.largest))
        for ost, s in sorted(sums.items())
    ]
    return OstUse(mount, total, tuple(osts[:MOST_OSTS]), len(files), without, slowest)


def _named(largest: list[tuple[float, str]]) -> tuple[str, ...]:
    return tuple(path for _, path in sorted(largest, key=lambda x: (-x[0], x[1]))[:MOST_NAMED])

"""What lies on each OST: the bytes, the time and the files, worked out from where the files' stripes are.

Where a trace has every call of a file, its bytes are counted on the OST that each lies on. No source counts them for
other files: there the bytes are laid over the OSTs as Lustre lays its stripes, round after round from the first, up to
the end of the file. Time that no single OST has is spread in the proportion of the bytes: that is inferred always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import reaches
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.osts.placement import Accesses, Extent, Placement, extents_of
from iotriage.metrics.tables.osts.slowest_ost import slowest_ost
from iotriage.metrics.tables.osts.traced_osts import OstCalls, moved, traced_osts
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.frozen import frozen

MOST_OSTS = 4096
MOST_NAMED = 3


@frozen
class OstShare:
    """`seconds` are of all ranks together; None where no source has the times of its files. `alone_calls` of a trace
    lie here whole, with `alone_bytes` and `alone_s` seconds. `named` are the paths of the files with most bytes here,
    of `files`."""

    ost: int
    files: int
    bytes_read: int
    bytes_written: int
    seconds: float | None
    alone_calls: int
    alone_bytes: int
    alone_s: float
    named: tuple[str, ...]


@frozen
class SlowOst:
    """The OST that took longest for a byte, and how many times as long as the median of the others; `compared` are all
    of them. By `calls` of a trace that lie on one OST each; where these are None, by files of one stripe and one rank.
    The rates are those of one call, or file, in B/s."""

    ost: int
    times_the_others: float
    files: int
    calls: int | None
    compared: int
    rate: float
    others_rate: float


@frozen
class OstUse:
    """One file system. `osts` by index, those only that hold something, of `striped_over` on which the files
    have stripes; `total` is how many it has, None where no
    source says. Of its `files`, the bytes of `files_traced` are counted from a trace, `traced_share` of all bytes;
    those of the others are inferred. `files_without` files on it, or anywhere where no mount is known, have no list
    of OSTs."""

    mount: str | None
    total: int | None
    striped_over: int
    osts: tuple[OstShare, ...]
    files: int
    files_traced: int
    traced_share: float
    files_without: int
    slowest: SlowOst | None


@dataclass(slots=True)
class _Sum:
    files: int = 0
    read: float = 0.0
    written: float = 0.0
    seconds: float | None = None
    largest: list[tuple[float, str]] = field(default_factory=list)


@frozen
class _File:
    """One file of which the OSTs are known. `extents` are empty where only `osts` are; `traced` is what lies on each
    OST where a trace has every call."""

    path: str
    extents: tuple[Extent, ...]
    osts: tuple[int, ...]
    size_bytes: int | None
    read: int
    written: int
    seconds: float | None
    osts_in_fs: int | None
    traced: Mapping[int, OstCalls] | None


@frozen
class _Laid:
    """Bytes read and written of a file on each OST, and its seconds; None where no source has its time."""

    file: _File
    parts: Mapping[int, tuple[float, float, float | None]]


def ost_use(job: Selection, uses: Sequence[FileUse]) -> tuple[OstUse, ...]:
    """By file system, the one with most bytes first; empty where no source lists the OSTs of a file."""
    if not stated_layouts(job) and not any(rows.lustre for rows in job.logs):
        return ()
    files, without = _files(job, uses)
    mounts = _lustre_mounts(job)
    by_mount: dict[str | None, list[_Laid]] = {}
    for laid in _laid(files):
        by_mount.setdefault(_mount_of(laid.file.path, mounts), []).append(laid)
    slowest = _slowest(job) if len(by_mount) == 1 else None
    # An index names one OST only within its file system.
    alone = _alone(job) if len(by_mount) == 1 else {}
    bare: dict[str | None, int] = {}
    for path in without:
        mount = _mount_of(path, mounts)
        bare[mount] = bare.get(mount, 0) + 1
    found = [_of_mount(mount, mine, bare.get(mount, 0), slowest, alone, job) for mount, mine in by_mount.items()]
    return tuple(sorted(found, key=lambda use: -sum(o.bytes_read + o.bytes_written for o in use.osts)))


def _laid(files: Sequence[_File]) -> list[_Laid]:
    inferred = _shares(files)
    return [
        _Laid(file, _inferred(file, parts) if file.traced is None else _counted(file, file.traced))
        for file, parts in zip(files, inferred, strict=True)
    ]


def _inferred(file: _File, parts: Mapping[int, float]) -> dict[int, tuple[float, float, float | None]]:
    took = file.seconds
    return {
        ost: (part * file.read, part * file.written, None if took is None else part * took)
        for ost, part in parts.items()
    }


def _counted(file: _File, osts: Mapping[int, OstCalls]) -> dict[int, tuple[float, float, float | None]]:
    """The time of calls on one OST is that OST's; what is left of the file's time is shared out by the bytes of the
    calls on several, or by all where there are none."""
    bytes_of = {ost: one.bytes_read + one.bytes_written for ost, one in osts.items()}
    shared = {ost: bytes_of[ost] - one.alone_bytes for ost, one in osts.items()}
    by = shared if any(shared.values()) else bytes_of
    left = None if file.seconds is None else max(0.0, file.seconds - sum(one.alone_s for one in osts.values()))
    return {
        ost: (
            one.bytes_read,
            one.bytes_written,
            None if left is None else one.alone_s + left * by[ost] / sum(by.values()),
        )
        for ost, one in osts.items()
    }


def _shares(files: Sequence[_File]) -> list[dict[int, float]]:
    """Which part of each file lies on each OST, from its first byte to its last; equal parts of all its stripes where
    its size or its stripes' is not known."""
    sized = {i: file for i, file in enumerate(files) if file.extents and file.size_bytes and file.traced is None}
    placement = Placement({i: file.extents for i, file in sized.items()})
    sizes = np.array([file.size_bytes for file in sized.values()], dtype=np.int64)
    whole = Accesses(np.array(list(sized), dtype=np.uint64), np.zeros_like(sizes), sizes)
    found: list[dict[int, float]] = [{} for _ in files]
    held = placement.laid(whole).held.tolist()
    for i, ost, size in zip(placement.record.tolist(), placement.ost.tolist(), held, strict=True):
        if size:
            found[i][ost] = found[i].get(ost, 0.0) + size
    for i, file in enumerate(files):
        known = sum(found[i].values())
        if known:
            found[i] = {ost: size / known for ost, size in found[i].items()}
        elif file.traced is None:
            for ost in file.osts:
                found[i][ost] = found[i].get(ost, 0.0) + 1.0 / len(file.osts)
    return found


def _files(job: Selection, uses: Sequence[FileUse]) -> tuple[list[_File], list[str]]:
    """The files whose OSTs are known, and the paths of the others."""
    stored = _stored(job)
    stated = stated_layouts(job)
    of_trace = {found.source: found.by_file() for found in traced_osts(job)}
    recorded = {(rows.source, layout.record): layout for rows in job.logs for layout in rows.lustre}
    known, without = [], []
    for use in uses:
        read, written, seconds = stored.get((use.source, use.record), (use.bytes_read, use.bytes_written, None))
        layout = None if use.record is None else recorded.get((use.source, use.record))
        size = use.size_bytes or written or None
        extents = () if layout is None else extents_of(layout)
        in_fs = None
        if layout is not None and layout.osts and (extents or reaches(layout, use.size_bytes)):
            osts, in_fs = layout.osts, layout.osts_in_fs
        elif stated and (said := stated.of_file(use.path, size)) is not None and said.osts:
            osts, extents = said.osts, stated.extents(use.path)
        else:
            without.append(use.path)
            continue
        traced = None if use.record is None else of_trace.get(use.source, {}).get(use.record)
        if traced is not None and (read or 0, written or 0) != moved(traced):
            # The trace lacks calls that the counters have.
            traced = None
        known.append(_File(use.path, extents, osts, size, read or 0, written or 0, seconds, in_fs, traced))
    return known, without


def _stored(job: Selection) -> dict[tuple[int, int | None], tuple[int, int, float]]:
    """Bytes read and written and seconds of all ranks in POSIX calls, by log and record: what the servers saw."""
    found: dict[tuple[int, int | None], tuple[int, int, float]] = {}
    for rows, table in job.tables("POSIX"):
        prefix = PREFIX["POSIX"]
        ids, index = table.by_id.ids, table.by_id.index
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
    times, rates = found.per_byte_s / found.others_s, (1 / found.per_byte_s, 1 / found.others_s)
    return SlowOst(found.ost, times, found.files, found.calls, found.compared, *rates)


def _alone(job: Selection) -> dict[int, OstCalls]:
    """By OST, of the only log that has a trace: several runs on an OST are not one."""
    traced = traced_osts(job)
    return {one.ost: one for one in traced[0].sums.by_ost()} if len(traced) == 1 else {}


def _of_mount(
    mount: str | None,
    files: Sequence[_Laid],
    without: int,
    slowest: SlowOst | None,
    alone: Mapping[int, OstCalls],
    job: Selection,
) -> OstUse:
    sums: dict[int, _Sum] = {}
    for laid in files:
        file = laid.file
        for ost, (read, written, seconds) in laid.parts.items():
            here = sums.setdefault(ost, _Sum())
            here.files += 1
            here.read += read
            here.written += written
            if seconds is not None:
                here.seconds = (here.seconds or 0.0) + seconds
            here.largest.append((read + written, file.path))
    counts = [laid.file.osts_in_fs for laid in files if laid.file.osts_in_fs]
    total = max(counts) if counts else job.site_osts
    osts = [
        OstShare(
            *(ost, s.files, round(s.read), round(s.written), s.seconds),
            *((a.alone_calls, a.alone_bytes, a.alone_s) if (a := alone.get(ost)) is not None else (0, 0, 0.0)),
            _largest_paths(s.largest),
        )
        for ost, s in sorted(sums.items())
    ]
    every = sum(laid.file.read + laid.file.written for laid in files)
    traced = [laid.file for laid in files if laid.file.traced is not None]
    share = sum(file.read + file.written for file in traced) / every if every else 0.0
    striped = {ost for laid in files for ost in laid.file.osts} | set(sums)
    return OstUse(mount, total, len(striped), tuple(osts[:MOST_OSTS]), len(files), len(traced), share, without, slowest)


def _largest_paths(largest: list[tuple[float, str]]) -> tuple[str, ...]:
    return tuple(path for _, path in sorted(largest, key=lambda x: (-x[0], x[1]))[:MOST_NAMED])

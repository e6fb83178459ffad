"""What lies on each OST: the bytes, the time and the files, worked out from where the files' stripes are.

Where a trace has every call of a file, its bytes are counted on the OST that each lies on. No source counts them for
other files: there the bytes are laid over the OSTs as Lustre lays its stripes, round after round from the first, up to
the end of the file. Time that no single OST has is spread in the proportion of the bytes: that is inferred always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.ost_use import OstShare, OstUse, SlowOst
from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.tables.files.largest import reaches
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.osts.on_mounts import LUSTRE
from iotriage.metrics.tables.osts.placement import Accesses, Extent, Placement, extents_of
from iotriage.metrics.tables.osts.slowest_ost import slowest_ost
from iotriage.metrics.tables.osts.traced_osts import OstCalls, moved, traced_osts
from iotriage.metrics.tables.rank_times import rank_times
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

MOST_OSTS = 4096
MOST_NAMED = 3


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


@frozen_identity
class _Parts:
    """What lies of each file on each OST: the file's number and the OST, shape (n,) each, and `amounts`, shape (n, 3):
    bytes read, bytes written, and seconds, NaN where no source has the file's time."""

    file: Int64s
    ost: Int64s
    amounts: Float64s

    def where(self, wanted: NDArray[np.bool_]) -> _Parts:
        return _Parts(self.file[wanted], self.ost[wanted], self.amounts[wanted])


def ost_use(job: Selection, uses: Sequence[FileUse]) -> tuple[OstUse, ...]:
    """By file system, the one with most bytes first; empty where no source lists the OSTs of a file."""
    if not stated_layouts(job) and not any(rows.lustre for rows in job.logs):
        return ()
    files, without = _files(job, uses)
    mounts = _lustre_mounts(job)
    by_mount: dict[str | None, list[int]] = {}
    for number, file in enumerate(files):
        by_mount.setdefault(_mount_of(file.path, mounts), []).append(number)
    parts = _parts(files)
    slowest = _slowest(job) if len(by_mount) == 1 else None
    # An index names one OST only within its file system.
    alone = _alone(job) if len(by_mount) == 1 else {}
    bare = Counter(_mount_of(path, mounts) for path in without)
    found = [_of_mount(mount, files, mine, parts, bare[mount], slowest, alone, job) for mount, mine in by_mount.items()]
    return tuple(sorted(found, key=lambda use: -sum(o.bytes_read + o.bytes_written for o in use.osts)))


def _parts(files: Sequence[_File]) -> _Parts:
    """What each file has on each of its OSTs, in the order of the files."""
    file, ost, share = _shares(files)
    whole = np.array([(f.read, f.written, np.nan if f.seconds is None else f.seconds) for f in files], np.float64)
    amounts = share[:, None] * whole.reshape(-1, 3)[file]
    traced = [(n, f, f.traced) for n, f in enumerate(files) if f.traced is not None]
    counted = [(n, ost, amount) for n, f, calls in traced for ost, amount in _counted(f, calls).items()]
    if counted:
        numbers, osts, of_trace = zip(*counted, strict=True)
        file, ost = np.concatenate((file, numbers)), np.concatenate((ost, osts))
        amounts = np.concatenate((amounts, of_trace))
    order = np.argsort(file, kind="stable")
    return _Parts(file[order], ost[order], amounts[order])


def _counted(file: _File, osts: Mapping[int, OstCalls]) -> dict[int, tuple[float, float, float]]:
    """Bytes read and written and seconds by OST. The time of calls on one OST is that OST's; what is left of the file's
    time is shared out by the bytes of the calls on several, or by all where there are none."""
    bytes_of = {ost: one.bytes_read + one.bytes_written for ost, one in osts.items()}
    shared = {ost: bytes_of[ost] - one.alone_bytes for ost, one in osts.items()}
    by = shared if any(shared.values()) else bytes_of
    took = np.nan if file.seconds is None else file.seconds
    left = np.maximum(0.0, took - sum(one.alone_s for one in osts.values()))
    return {
        ost: (one.bytes_read, one.bytes_written, one.alone_s + left * by[ost] / sum(by.values()))
        for ost, one in osts.items()
    }


def _shares(files: Sequence[_File]) -> tuple[Int64s, Int64s, Float64s]:
    """Which part of each file lies on each OST, from its first byte to its last; equal parts of all its stripes where
    its size or its stripes' is not known. The file's number, the OST and the part, shape (n,) each."""
    sized = {n: file for n, file in enumerate(files) if file.extents and file.size_bytes and file.traced is None}
    placement = Placement({n: file.extents for n, file in sized.items()})
    sizes = np.array([file.size_bytes for file in sized.values()], dtype=np.int64)
    whole = Accesses(np.array(list(sized), dtype=np.uint64), np.zeros_like(sizes), sizes)
    held = placement.laid(whole).held
    file, ost = placement.record[held > 0].astype(np.int64), placement.ost[held > 0]
    file, ost, size = _each_once(file, ost, held[held > 0].astype(np.float64))
    known = np.bincount(file, size, minlength=len(files))
    share = size / known[file]
    others = [(n, of.osts) for n, of in enumerate(files) if of.traced is None and not known[n]]
    equal = [(n, ost, 1.0 / len(osts)) for n, osts in others for ost in osts]
    if equal:
        numbers, on, parts = _each_once(*(np.array(column) for column in zip(*equal, strict=True)))
        file, ost = np.concatenate((file, numbers)), np.concatenate((ost, on))
        share = np.concatenate((share, parts))
    return file, ost, share


def _each_once(file: Int64s, ost: Int64s, amount: Float64s) -> tuple[Int64s, Int64s, Float64s]:
    """The amounts of each pair of a file and an OST added up."""
    order = np.lexsort((ost, file))
    file, ost = file[order], ost[order]
    begins = np.ones(len(order), dtype=np.bool_)
    np.logical_or(np.diff(file), np.diff(ost), out=begins[1:])
    sums = np.bincount(np.cumsum(begins) - 1, amount[order]).astype(np.float64, copy=False)
    return file[begins], ost[begins], sums


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
        elif stated and (stated_layout := stated.of_file(use.path, size)) is not None and stated_layout.osts:
            osts, extents = stated_layout.osts, stated.extents(use.path)
        else:
            without.append(use.path)
            continue
        traced = None if use.record is None else of_trace.get(use.source, {}).get(use.record)
        if traced is not None and (read or 0, written or 0) != moved(traced):
            # The trace lacks calls that the counters have.
            traced = None
        known.append(
            _File(
                path=use.path,
                extents=extents,
                osts=osts,
                size_bytes=size,
                read=read or 0,
                written=written or 0,
                seconds=seconds,
                osts_in_fs=in_fs,
                traced=traced,
            )
        )
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


def _lustre_mounts(job: Selection) -> dict[str, str]:
    """The mount points, the longest first, each with what paths below it begin with."""
    mounts = {m.path for rows in job.logs for m in rows.log.job.mounts if m.fs_type.lower() in LUSTRE}
    return {mount: f"{mount.rstrip('/')}/" for mount in sorted(mounts, key=len, reverse=True)}


def _mount_of(path: str, mounts: Mapping[str, str]) -> str | None:
    for mount, begins in mounts.items():
        if path.startswith(begins) or path == mount:
            return mount
    return None


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
    every: Sequence[_File],
    numbers: Sequence[int],
    parts: _Parts,
    without: int,
    slowest: SlowOst | None,
    alone: Mapping[int, OstCalls],
    job: Selection,
) -> OstUse:
    """What lies on the OSTs of one mount: the files of `every` with these numbers."""
    here = np.zeros(len(every), dtype=np.bool_)
    here[numbers] = True
    files, parts = [every[n] for n in numbers], parts.where(here[parts.file])
    counts = [file.osts_in_fs for file in files if file.osts_in_fs]
    total = max(counts) if counts else job.site_osts
    osts = _shares_of_osts(parts, [file.path for file in every], alone)
    moved = sum(file.read + file.written for file in files)
    traced = [file for file in files if file.traced is not None]
    share = sum(file.read + file.written for file in traced) / moved if moved else 0.0
    striped = len({ost for file in files for ost in file.osts} | {share.ost for share in osts})
    return OstUse(
        mount=mount,
        total=total,
        striped_over=striped,
        osts=osts[:MOST_OSTS],
        files=len(files),
        files_traced=len(traced),
        traced_share=share,
        files_without=without,
        slowest=slowest,
    )


def _shares_of_osts(parts: _Parts, paths: Sequence[str], alone: Mapping[int, OstCalls]) -> tuple[OstShare, ...]:
    """The share of each OST, by index; `paths` are those of the files by their number."""
    osts, at = unique_inverse(parts.ost)
    read, written, seconds = parts.amounts.T
    known = ~np.isnan(seconds)
    files, timed = (np.bincount(which, minlength=len(osts)).tolist() for which in (at, at[known]))
    bytes_read, bytes_written = (np.bincount(at, moved, len(osts)).tolist() for moved in (read, written))
    took = np.bincount(at[known], seconds[known], len(osts)).tolist()
    in_order = np.empty(len(paths), dtype=np.int64)
    in_order[sorted(range(len(paths)), key=paths.__getitem__)] = np.arange(len(paths))
    largest_first = np.lexsort((in_order[parts.file], -(read + written), at))
    begins = np.cumsum([0, *files[:-1]]).tolist()
    return tuple(
        OstShare(
            *(ost, files[i], round(bytes_read[i]), round(bytes_written[i]), took[i] if timed[i] else None),
            *((a.alone_calls, a.alone_bytes, a.alone_s) if (a := alone.get(ost)) is not None else (0, 0, 0.0)),
            tuple(paths[n] for n in parts.file[largest_first[begin : begin + min(files[i], MOST_NAMED)]].tolist()),
        )
        for i, (ost, begin) in enumerate(zip(osts.tolist(), begins, strict=True))
    )

"""The files of a job: what became of each, at the highest layer that saw it, by whichever source tells of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, base_name, nameless
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.calls.collective_calls import with_rank_calls
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS, independent_bytes
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.largest import reaches
from iotriage.metrics.tables.files.layer_columns import Layers, TableColumns
from iotriage.metrics.tables.files.named import NamedFiles, named_files_of
from iotriage.metrics.tables.files.shared import NEARLY_ALL, participation, ranks_of_variance
from iotriage.metrics.tables.layouts import StatedLayouts, stated_layouts
from iotriage.metrics.tables.texts.phases import timers_blocks
from iotriage.metrics.tables.texts.profiled import ProfiledFile, other_files, profile_of
from iotriage.metrics.tables.texts.stats_fields import leading as leading_of
from iotriage_parsers.evidence import CounterTable, LustreLayout

STREAMS = frozenset({"<STDIN>", "<STDOUT>", "<STDERR>"})
"""Darshan's names for the standard streams: counted in the job's bytes, but not files."""


class FileUse(NamedTuple):
    """One file as the sources saw it, at the highest layer that did. What is not recorded is None.

    `opened_by` counts the ranks that opened it; of a record reduced over all ranks that is all of them.
    `one_rank` is the rank that alone has records of it, `writer` the one that alone wrote it, whoever reads it, and
    `last_rank` that of its last record: another one where other ranks used it.
    `time_s` is of its slowest rank, `mean_metadata_s` of its ranks on average: never more.
    `calls_unknown` is a file of which nothing tells who did the I/O of whom.
    """

    source: int
    record: int | None
    path: str
    layers: tuple[str, ...] = ()
    bytes_read: int | None = None
    bytes_written: int | None = None
    size_bytes: int | None = None
    opened_by: int | None = None
    writers: int | None = None
    readers: int | None = None
    reduced: bool = False
    independent: int | None = None
    collective: int | None = None
    time_s: float | None = None
    mean_metadata_s: float | None = None
    effective_ranks: float | None = None
    layout: LustreLayout | None = None
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    one_rank: int | None = None
    collective_dominates: bool = False
    calls_unknown: bool = False
    writer: int | None = None
    last_rank: int | None = None

    @property
    def bytes(self) -> int:
        return (self.bytes_read or 0) + (self.bytes_written or 0)


def moved_bytes(files: Sequence[FileUse]) -> int:
    """Bytes read and written of all the files together."""
    return sum(sum(filter(None, map(attrgetter(name), files))) for name in ("bytes_read", "bytes_written"))


def number_of(files: Sequence[FileUse]) -> int:
    """How many files these are: each step of a job has its own use of a file that several use."""
    sources: set[int] = set(map(attrgetter("source"), files))
    return len(files) if len(sources) < 2 else len(set(map(attrgetter("path"), files)))


def file_uses(job: Selection) -> tuple[FileUse, ...]:
    """Every file of the case, the largest first. Blocks of STATS stand in for files that no log has, rows of CrayPAT
    for files that neither has, and blocks of TIMERS for files that nothing else tells of."""
    found = [use for rows in job.logs for use in _uses_of_log(rows)]
    known = {base_name(u.path) for u in found} if job.stats else set()
    blocks = [b for b in job.stats if base_name(b.block.file) not in known]
    found += _uses_of_blocks(with_rank_calls(job, blocks), job.nprocs, _communicators(job))
    found += _uses_of_profile(job)
    found += _uses_of_times(job, found)
    found = _with_stated_layouts(found, stated_layouts(job))
    found.sort(key=attrgetter("path"))
    moved = [(read or 0) + (wrote or 0) for read, wrote in map(attrgetter("bytes_read", "bytes_written"), found)]
    return tuple([found[at] for at in sorted(range(len(found)), key=moved.__getitem__, reverse=True)])


def _with_stated_layouts(found: list[FileUse], layouts: StatedLayouts) -> list[FileUse]:
    """The files with the striping that a text states, where the log or the statistics do not."""
    return [_with_stated_layout(use, layouts) for use in found] if layouts else found


def _with_stated_layout(use: FileUse, layouts: StatedLayouts) -> FileUse:
    stated = None
    if use.stripe_count is None and use.stripe_size_bytes is None:
        stated = layouts.of_file(use.path, use.size_bytes or use.bytes_written)
    if stated is None:
        return use
    return use._replace(stripe_count=stated.stripe_count, stripe_size_bytes=stated.stripe_size_bytes)


@cached_per_log
def standard_streams(rows: LogRows) -> frozenset[int]:
    """The records of the standard streams."""
    names = rows.log.names
    if STREAMS.isdisjoint(names.values()):
        return frozenset()
    return frozenset(record for record, name in names.items() if name in STREAMS)


def _uses_of_log(rows: LogRows) -> list[FileUse]:
    # The objects below files in DAOS, their directories and superblocks among them, are no files themselves.
    daos = rows.others.get("DFS", rows.others.get("DAOS"))
    tables = [t for t in (rows.posix, rows.mpiio_leading, rows.stdio, daos) if t is not None and len(t)]
    if not tables:
        return []
    # Files in the order of their names in memory are sorted by them in a tenth of the time.
    every = named_files_of(rows, tables)
    found = _all_uses(rows, {t.module: TableColumns.of(t, every) for t in tables}, every)
    return found if STREAMS.isdisjoint(every.names) else [use for use in found if use.path not in STREAMS]


def _gathered(rows: LogRows, mpiio: TableColumns | None, storage: TableColumns | None, n: int) -> NDArray[np.bool_]:
    """Of which files a trace shows fewer ranks below MPI-IO than call it: aggregators, and so collective calls."""
    if mpiio is None or storage is None or "MPI-IO" not in rows.traced or rows.cut:
        return np.zeros(n, dtype=np.bool_)
    return (storage.records > 0) & (storage.records < mpiio.records)


def _uncounted(rows: LogRows, mpiio: TableColumns | None, storage: TableColumns | None, n: int) -> NDArray[np.bool_]:
    """Of which files records lack what tells how ranks use them between them: the kinds of MPI-IO's calls, the bytes
    that collective ones carry, or those of single ranks at POSIX."""
    found: NDArray[np.bool_] = np.zeros(n, dtype=np.bool_)
    if mpiio is not None and "MPI-IO" not in rows.traced:
        found |= mpiio.lacks_calls | (mpiio.lacks_bytes & (mpiio.collective > 0))
    if storage is not None and "POSIX" not in rows.traced:
        found |= storage.lacks_bytes
    return found


def _calls_unknown(rows: LogRows, layers: Layers, records: Sequence[int]) -> NDArray[np.bool_]:
    """Of which files a trace does not tell whether the calls of MPI-IO are collective."""
    if "MPI-IO" not in rows.traced or "MPI-IO" not in layers.modules:
        return np.zeros(len(records), dtype=np.bool_)
    passed_on = np.array([record in rows.passed_on for record in records], dtype=np.bool_)
    at_mpiio: NDArray[np.bool_] = layers.top == layers.modules.index("MPI-IO")
    return at_mpiio & ~passed_on


def _all_uses(rows: LogRows, columns: Mapping[str, TableColumns], every: NamedFiles) -> list[FileUse]:
    n, layers, records = len(every.ids), Layers(columns), every.ids[every.order].tolist()
    storage, mpiio = columns.get("POSIX"), columns.get("MPI-IO")
    sizes = [None] * n if storage is None or "POSIX" in rows.cut else _sizes(storage)
    layouts = _layouts(rows, records, sizes)
    bytes_read = layers.with_streams(lambda c: c.bytes_read)
    bytes_written = layers.with_streams(lambda c: c.bytes_written)
    alone, together = _calls(mpiio, n, known="MPI-IO" not in rows.traced)
    users = _users(rows, layers)
    uncounted = _uncounted(rows, mpiio, storage, n)
    together_most = _collectively(rows.mpiio_leading, every) | _gathered(rows, mpiio, storage, n)
    found = _UseColumns(
        source=[rows.source] * n,
        record=records,
        path=[path or nameless(r) for path, r in zip(every.names, records, strict=True)],
        layers=layers.of_files(),
        bytes_read=_where_known(bytes_read, bytes_read >= 0),
        bytes_written=_where_known(bytes_written, bytes_written >= 0),
        size_bytes=sizes,
        opened_by=users.opened_by,
        writers=users.writers,
        readers=users.readers,
        reduced=users.reduced,
        independent=alone,
        collective=together,
        time_s=layers.at_top(lambda c: c.slowest_s).tolist(),
        mean_metadata_s=users.mean_metadata_s,
        effective_ranks=_effective(storage, rows.nprocs, n),
        layout=layouts,
        stripe_count=[None if layout is None else layout.stripe_count for layout in layouts],
        stripe_size_bytes=[None if layout is None else layout.stripe_size for layout in layouts],
        one_rank=users.one_rank,
        collective_dominates=(together_most & ~uncounted).tolist(),
        calls_unknown=(_calls_unknown(rows, layers, records) | uncounted).tolist(),
        writer=users.writer,
        last_rank=users.last_rank,
    )
    # A hundred thousand at a time: made as tuples are, which takes a third of what calling the class does.
    return list(map(partial(tuple.__new__, FileUse), zip(*found, strict=True)))


class _UseColumns(NamedTuple):
    """The fields of `FileUse` in their order, each of all files."""

    source: Sequence[int]
    record: Sequence[int | None]
    path: Sequence[str]
    layers: Sequence[tuple[str, ...]]
    bytes_read: Sequence[int | None]
    bytes_written: Sequence[int | None]
    size_bytes: Sequence[int | None]
    opened_by: Sequence[int | None]
    writers: Sequence[int | None]
    readers: Sequence[int | None]
    reduced: Sequence[bool]
    independent: Sequence[int | None]
    collective: Sequence[int | None]
    time_s: Sequence[float | None]
    mean_metadata_s: Sequence[float | None]
    effective_ranks: Sequence[float | None]
    layout: Sequence[LustreLayout | None]
    stripe_count: Sequence[int | None]
    stripe_size_bytes: Sequence[int | None]
    one_rank: Sequence[int | None]
    collective_dominates: Sequence[bool]
    calls_unknown: Sequence[bool]
    writer: Sequence[int | None]
    last_rank: Sequence[int | None]


class _Users(NamedTuple):
    """Which ranks used each file, and how long they took for metadata on average."""

    opened_by: Sequence[int | None]
    writers: Sequence[int | None]
    readers: Sequence[int | None]
    reduced: Sequence[bool]
    mean_metadata_s: Sequence[float | None]
    one_rank: Sequence[int | None]
    writer: Sequence[int | None]
    last_rank: Sequence[int | None]


def _users(rows: LogRows, layers: Layers) -> _Users:
    at_top = layers.at_top
    reduced, of_top = at_top(lambda c: c.reduced), at_top(lambda c: c.records)
    # A trace that was cut lacks ranks and calls: who used the file, and how large it is, is not known then.
    whole = np.array([m not in rows.cut for m in layers.modules])[layers.top]
    counted = ~reduced & whole
    opened = _where_known(of_top, counted)
    return _Users(
        opened_by=[rows.nprocs if every else own for every, own in zip(reduced.tolist(), opened, strict=True)],
        writers=_where_known(at_top(lambda c: c.writers), counted),
        readers=_where_known(at_top(lambda c: c.readers), counted),
        reduced=reduced.tolist(),
        mean_metadata_s=_where_finite(at_top(lambda c: c.metadata_s) / np.where(reduced, rows.nprocs or 1, of_top)),
        one_rank=_where_known(at_top(lambda c: c.rank), counted & (of_top == 1)),
        writer=_where_known(at_top(lambda c: c.writer), counted & (at_top(lambda c: c.writers) == 1)),
        last_rank=_where_known(at_top(lambda c: c.rank), counted),
    )


def _where_known(values: NDArray[np.int64], known: NDArray[np.bool_]) -> list[int | None]:
    """The values as Python's own, None where they are not known."""
    found: list[int | None] = [*values.tolist()]
    for i in (~known).nonzero()[0].tolist():
        found[i] = None
    return found


def _where_finite(values: NDArray[np.float64]) -> list[float | None]:
    found: list[float | None] = [*values.tolist()]
    for i in (~np.isfinite(values)).nonzero()[0].tolist():
        found[i] = None
    return found


def _layouts(rows: LogRows, records: Sequence[int], sizes: Sequence[int | None]) -> list[LustreLayout | None]:
    if not rows.lustre:
        return [None] * len(records)
    of_record = {layout.record: layout for layout in rows.lustre}
    return [
        layout if (layout := of_record.get(record)) is not None and reaches(layout, size) else None
        for record, size in zip(records, sizes, strict=True)
    ]


def _calls(mpiio: TableColumns | None, n: int, *, known: bool) -> tuple[list[int | None], list[int | None]]:
    """Independent and collective calls by file, where records tell them apart."""
    if mpiio is None or not known:
        return [None] * n, [None] * n
    there = mpiio.records > 0
    return _where_known(mpiio.independent, there), _where_known(mpiio.collective, there)


def _sizes(storage: TableColumns) -> list[int | None]:
    """Last byte touched + 1; None where no byte was moved, since the file's size is then not known."""
    moved = np.maximum(storage.bytes_read, storage.bytes_written) > 0
    known = (storage.records > 0) & moved & (storage.size >= 0)
    return [size if size is None else size + 1 for size in _where_known(storage.size, known)]


def _effective(storage: TableColumns | None, nprocs: int | None, n: int) -> list[float | None]:
    found: list[float | None] = [None] * n
    if storage is None or nprocs is None:
        return found
    for i in np.flatnonzero(storage.reduced & ~storage.lacks_bytes).tolist():
        moved = max(0, int(storage.bytes_read[i])) + max(0, int(storage.bytes_written[i]))
        found[i] = ranks_of_variance(moved, float(storage.variance[i]), nprocs) if moved else None
    return found


def _collectively(table: CounterTable | None, every: NamedFiles) -> NDArray[np.bool_]:
    """Whether collective calls carry each file's bytes: at most half of them must have been independent."""
    calls = [f"MPIIO_{kind}_{way}S" for kind in ("COLL", "SPLIT") for way in ("READ", "WRITE")]
    if table is None or not sum_counters(table, *calls):
        return np.zeros(len(every.ids), dtype=np.bool_)
    at = every.places(table.by_id.ids)[table.by_id.index]

    def of_files(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(at, amounts, len(every.ids)).astype(np.float64)

    def columns(*counters: str) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.zeros(len(table))
        for counter in counters:
            found += np.maximum(table.count(counter), 0)
        return found

    together = of_files(columns(*calls))
    moved = of_files(columns("MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN"))
    alone = of_files(sum((independent_bytes(table, d, upper=False) for d in DIRECTIONS), np.zeros(len(table))))
    return (together > 0) & (moved > 0) & (alone <= moved / 2)


def _communicators(job: Selection) -> Mapping[str, int]:
    """By file, the ranks that opened it, as MPICH_MPIIO_TIMERS counts those that accessed it and those that did not."""
    return {
        t.file: t.block.active_ranks + t.block.idle_ranks
        for t in timers_blocks(job)
        if t.block.active_ranks is not None and t.block.idle_ranks is not None
    }


def _uses_of_blocks(
    blocks: Sequence[StatsBlock], nprocs: int | None, communicators: Mapping[str, int]
) -> list[FileUse]:
    by_file: dict[tuple[int, str], list[StatsBlock]] = {}
    for b in blocks:
        by_file.setdefault((b.source, b.block.file), []).append(b)
    found = []
    for (source, path), mine in by_file.items():
        leading = (leading_of(mine) or mine[0]).block
        read = [v for b in mine if b.block.direction == "read" and (v := b.block.total_bytes) is not None]
        written = [v for b in mine if b.block.direction == "write" and (v := b.block.total_bytes) is not None]
        together = [v for b in mine if (v := b.block.collective_accesses) is not None]
        alone = [v for b in mine if (v := b.block.independent_accesses) is not None]
        opened = leading.ranks_in_communicator or communicators.get(path) or nprocs
        found.append(
            FileUse(
                source=source,
                record=None,
                path=path,
                layers=("MPI-IO",),
                bytes_read=sum(read) if read else None,
                bytes_written=sum(written) if written else None,
                size_bytes=None,
                opened_by=opened,
                writers=_writers(mine) if leading.direction == "write" and not sum(together) else None,
                readers=None,
                reduced=opened != 1,
                independent=sum(alone) if alone else None,
                collective=sum(together) if together else None,
                time_s=None,
                mean_metadata_s=None,
                effective_ranks=None,
                layout=None,
                stripe_count=(leading.main_component or leading).stripe_count,
                stripe_size_bytes=(leading.main_component or leading).stripe_size_bytes,
                one_rank=None,
                collective_dominates=sum(together) > sum(alone) or (sum(together) > 0 and _in_stripes(mine)),
            )
        )
    return found


def _writers(blocks: Sequence[StatsBlock]) -> int | None:
    """Of all closes of a file that is written without collective calls; what one writes beside many, or many beside
    one, is not what the file is written by."""
    wrote = [b.block for b in blocks if b.block.direction == "write"]
    counts = [n for block in wrote if (n := block.independent_accessors) is not None]
    lone = sum(block.total_bytes or 0 for block in wrote if block.independent_accessors == 1)
    if lone and lone >= NEARLY_ALL * sum(block.total_bytes or 0 for block in wrote):
        return 1
    return max(counts, default=None)


def _in_stripes(blocks: Sequence[StatsBlock]) -> bool:
    """Whether most bytes went in whole stripes, and most independent calls are none of these: collective buffering
    makes stripes, and what a library reads and writes by itself is small, however often."""
    whole = [
        (b.block.stripe_sized_accesses, b.block.stripe_size_bytes or 0)
        for b in blocks
        if b.block.stripe_sized_accesses is not None
    ]
    stripes, moved = sum(n for n, _ in whole), sum(b.block.total_bytes or 0 for b in blocks)
    alone = sum(b.block.independent_accesses or 0 for b in blocks)
    return 2 * stripes < alone and 2 * sum(n * size for n, size in whole) > moved


def _uses_of_times(job: Selection, others: Sequence[FileUse]) -> list[FileUse]:
    timed = dict.fromkeys((t.source, t.file) for t in timers_blocks(job))
    known = {base_name(u.path) for u in others} if timed else set()
    return [FileUse(source, None, path, ("MPI-IO",)) for source, path in timed if base_name(path) not in known]


def _uses_of_profile(job: Selection) -> list[FileUse]:
    profile = profile_of(job)
    return [] if profile is None else [_use_of_profile(profile.source, f) for f in other_files(job)]


def _use_of_profile(source: int, file: ProfiledFile) -> FileUse:
    """CrayPAT sees the ranks that move bytes, not those that open: below collective calls those are the aggregators."""
    ranks = file.ranks
    below = file.calls == "collective"
    shared = ranks is not None and ranks > 1
    alone = next(iter(file.of_rank)) if file.of_rank is not None and ranks == 1 and not below else None
    return FileUse(
        source=source,
        record=None,
        path=file.path,
        layers=("MPI-IO",) if shared and file.calls is not None else (),
        bytes_read=file.bytes_read,
        bytes_written=file.bytes_written,
        size_bytes=None,
        opened_by=None if below else ranks,
        writers=None if below else file.writers,
        readers=None if below else file.readers,
        reduced=False,
        independent=None,
        collective=None,
        time_s=None,
        mean_metadata_s=None,
        effective_ranks=participation(file.of_rank.values()) if file.of_rank else None,
        layout=None,
        stripe_count=None,
        stripe_size_bytes=None,
        one_rank=alone,
        collective_dominates=below and shared,
    )

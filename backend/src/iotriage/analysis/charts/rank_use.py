"""Bytes and seconds of every rank, layer by layer, from the evidence that tells ranks apart.

Darshan reduces the record of a file that all ranks opened to one: it then keeps the slowest and the fastest rank and
the variance, not the ranks between. A trace and a heatmap keep every rank's bytes all the same, and CrayPAT's rows of
single ranks do. Steps of a job have ranks of their own: the step that moved most bytes is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.rank_use import (
    RankAmounts,
    RankBasis,
    RankLayer,
    RankSeries,
    RankUse,
    ReducedFile,
)
from iotriage.metrics.core.lacking import lacks_some
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection, own_records, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.files.shared import movers
from iotriage.metrics.tables.nodes import nodes_of_source
from iotriage.metrics.tables.outliers import first_of_longest
from iotriage.metrics.tables.rank_times import exact_bytes, known_seconds, rank_times
from iotriage.metrics.tables.texts.profiled import profile_of
from iotriage_parsers.evidence import CounterTable, CrayPatReport, DxtTrace, Heatmap
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.evidence.dxt import seconds_of_calls
from iotriage_parsers.frozen import frozen_identity

LAYERS: tuple[RankLayer, ...] = ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS")

MOST_BINS = 128
MOST_REDUCED = 12
MOST_RANKS = 2**24

Number = TypeVar("Number", np.int64, np.float64)


@frozen_identity
class RankColumns:
    """One layer; every array has one element for each of `ranks`, in order: those of the job's `nprocs` that the
    evidence has something of. The others did nothing at this layer. Seconds are None where the source has none for each
    rank; `metadata_s` also where it counts no metadata calls."""

    layer: RankLayer
    basis: RankBasis
    source: int
    partial: bool
    nprocs: int
    ranks: Int64s
    bytes_read: Int64s
    bytes_written: Int64s
    read_s: Float64s | None = None
    write_s: Float64s | None = None
    metadata_s: Float64s | None = None

    @property
    def moved(self) -> Int64s:
        found: Int64s = self.bytes_read + self.bytes_written
        return found

    @property
    def seconds(self) -> Float64s | None:
        known = [s for s in (self.read_s, self.write_s, self.metadata_s) if s is not None]
        found: Float64s | None = np.sum(known, axis=0) if known else None
        return found

    def of_every_rank(self, column: NDArray[Number]) -> NDArray[Number]:
        """The column with one element for each rank of the job; 0 for ranks without records."""
        found = np.zeros(self.nprocs, dtype=column.dtype)
        found[self.ranks] = column
        return found


def rank_use(job: Selection) -> RankUse:
    """What each rank moves, and for how long, by layer, and of files that all ranks share what is known of one."""
    columns = rank_columns(job)
    nodes = nodes_of_source(job, columns[0].source) if columns else {}
    timed = {c.layer for c in columns if c.seconds is not None}
    rows = _largest_log(job)
    files: dict[str, list[ReducedFile]] = {}
    known: set[int] = set()
    for layer in LAYERS:
        table = rows.table(layer) if rows is not None else None
        if rows is None or table is None or layer in timed or layer == "STDIO":
            continue
        own, of_own = _of_own_records(rows, layer, table)
        reduced, of_reduced = _reduced(rows, layer, table)
        known |= of_own | of_reduced
        for file in (*reduced, *own):
            files.setdefault(file.file, []).append(file)
    slowest = sorted(files.values(), key=lambda of: (-max(r.slowest_s for r in of), of[0].file))
    series = tuple(_series(c, nodes) for c in columns)
    return RankUse(job.nprocs, series, tuple(r for of in slowest[:MOST_REDUCED] for r in of), len(known))


@cached_per_selection
def rank_columns(job: Selection) -> tuple[RankColumns, ...]:
    """The layers whose ranks are told apart, from the call to the disk."""
    rows = _largest_log(job)
    source = rows.source if rows is not None else _source_of_trace(job)
    if source is None:
        found = _of_profile(job)
        return () if found is None else (found,)
    traces = [t for i, t in job.of(DxtTrace) if i == source]
    n = _ranks(job, rows, traces)
    if not 0 < n <= MOST_RANKS:
        return ()
    columns = (
        _of_records(rows, layer, n) or _of_trace(traces, source, layer, n) or _of_heatmap(rows, layer, n)
        for layer in LAYERS
    )
    return tuple(c for c in columns if c is not None)


def _largest_log(job: Selection) -> LogRows | None:
    if len(job.logs) == 1:
        return job.logs[0]
    return max(job.logs, key=lambda rows: sum(int(exact_bytes(t).sum()) for t in rows.highest), default=None)


def _source_of_trace(job: Selection) -> int | None:
    """The trace with most calls, of a case without a log."""
    largest = max(job.of(DxtTrace), key=lambda found: len(found[1]), default=None)
    return None if largest is None else largest[0]


def _ranks(job: Selection, rows: LogRows | None, traces: Sequence[DxtTrace]) -> int:
    """Every rank that is seen has its place, whatever the header says."""
    stated = (rows.nprocs if rows is not None else None) or job.nprocs or 0
    seen = [int(t.segments["rank"].max()) + 1 for t in traces if len(t)]
    if rows is not None:
        seen += [int(t.ranks.max()) + 1 for t in rows.log.tables.values() if len(t)]
        seen += [int(h.ranks.max()) + 1 for h in rows.log.heatmaps if len(h.ranks)]
    return max(stated, *seen, 0) if seen else stated


_OF_RANKS = ("BYTES_READ", "BYTES_WRITTEN", "F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")


def _of_records(rows: LogRows | None, layer: RankLayer, n: int) -> RankColumns | None:
    table = rows.table(layer) if rows is not None else None
    if rows is None or table is None or not len(table) or layer not in PREFIX:
        return None
    moved = exact_bytes(table)
    if not moved.any() or moved[table.ranks < 0].any():
        return None
    own = own_records(table)
    prefix = PREFIX[layer]
    ranks, at = unique_inverse(own.ranks)

    def bytes_of(counter: str) -> Int64s:
        found = np.zeros(len(ranks), dtype=np.int64)
        np.add.at(found, at, np.maximum(own.count(f"{prefix}_{counter}"), 0))
        return found

    def seconds_of(counter: str) -> Float64s:
        known = known_seconds(own.seconds(f"{prefix}_F_{counter}_TIME"))
        return np.bincount(at, weights=known, minlength=len(ranks)).astype(np.float64)

    return RankColumns(
        layer=layer,
        basis="records",
        source=rows.source,
        partial=is_partial(rows, layer) or lacks_some(own, *(f"{prefix}_{counter}" for counter in _OF_RANKS)),
        nprocs=n,
        ranks=ranks,
        bytes_read=bytes_of("BYTES_READ"),
        bytes_written=bytes_of("BYTES_WRITTEN"),
        read_s=seconds_of("READ"),
        write_s=seconds_of("WRITE"),
        metadata_s=seconds_of("META"),
    )


def _of_trace(traces: Sequence[DxtTrace], source: int, layer: RankLayer, n: int) -> RankColumns | None:
    trace = next((t for t in traces if t.layer == PREFIX[layer] and len(t)), None)
    if trace is None:
        return None
    calls = trace.segments[(trace.segments["rank"] >= 0) & (trace.segments["rank"] < n)]
    took = np.maximum(seconds_of_calls(calls), 0.0)
    ranks, at = unique_inverse(calls["rank"].astype(np.int64))
    amounts: list[Int64s] = []
    seconds: list[Float64s] = []
    for mine in (~calls["write"], calls["write"]):
        moved = np.zeros(len(ranks), dtype=np.int64)
        np.add.at(moved, at[mine], np.maximum(calls["length"][mine], 0))
        amounts.append(moved)
        seconds.append(np.bincount(at[mine], weights=took[mine], minlength=len(ranks)).astype(np.float64))
    (read, written), (reading, writing) = amounts, seconds
    return RankColumns(
        layer=layer,
        basis="trace",
        source=source,
        partial=trace.partial,
        nprocs=n,
        ranks=ranks,
        bytes_read=read,
        bytes_written=written,
        read_s=reading,
        write_s=writing,
    )


def _of_heatmap(rows: LogRows | None, layer: RankLayer, n: int) -> RankColumns | None:
    heat: Heatmap | None = rows.heatmap(PREFIX[layer]) if rows is not None else None
    if rows is None or heat is None or not (heat.read.any() or heat.written.any()):
        return None
    known = (heat.ranks >= 0) & (heat.ranks < n)
    ranks, at = unique_inverse(heat.ranks[known])
    read, written = np.zeros(len(ranks), dtype=np.int64), np.zeros(len(ranks), dtype=np.int64)
    np.add.at(read, at, heat.read[known].sum(axis=1))
    np.add.at(written, at, heat.written[known].sum(axis=1))
    return RankColumns(
        layer=layer,
        basis="heatmap",
        source=rows.source,
        partial=False,
        nprocs=n,
        ranks=ranks,
        bytes_read=read,
        bytes_written=written,
    )


def _of_profile(job: Selection) -> RankColumns | None:
    """CrayPAT's rows of single ranks, where each rank has one (`pat_report -s pe=ALL`)."""
    profile = profile_of(job)
    report = profile.report if profile is not None else None
    if profile is None or report is None:
        return None
    rows = list(_rows_of_ranks(report))
    n = report.ranks or job.nprocs or max((rank for rank, *_ in rows), default=-1) + 1
    if not rows or not 0 < n <= MOST_RANKS or max(rank for rank, *_ in rows) >= n:
        return None
    ranks, at = unique_inverse(np.array([rank for rank, *_ in rows], dtype=np.int64))
    moved = {way: np.zeros(len(ranks), dtype=np.int64) for way in ("read", "write")}
    took = {way: np.zeros(len(ranks)) for way in ("read", "write")}
    for place, (_, way, amount, seconds) in zip(at.tolist(), rows, strict=True):
        moved[way][place] += amount
        took[way][place] += seconds
    amounts = moved["read"], moved["write"], took["read"], took["write"]
    return RankColumns("calls", "craypat", profile.source, profile.limited, n, ranks, *amounts)


def _rows_of_ranks(report: CrayPatReport) -> Iterator[tuple[int, str, int, float]]:
    """Rank, direction, bytes and seconds of each row of a single rank; of several tables of one direction the one with
    most such rows."""
    for way in ("read", "write"):
        tables = [t for t in report.io_tables if t.direction == way and t.rank_selection == "ALL"]
        table = max(tables, key=lambda t: len(t.rank_rows), default=None)
        for row in table.rank_rows if table is not None else ():
            if row.rank is not None and row.noise is None and row.file is not None:
                yield row.rank, way, row.bytes_summed_over_ranks or 0, row.time_summed_over_ranks_s or 0.0


def _reduced(rows: LogRows, layer: RankLayer, table: CounterTable) -> tuple[list[ReducedFile], set[int]]:
    """The files with one record for all ranks, and their ids."""
    prefix = PREFIX[layer]
    moved = exact_bytes(table)
    found, known = [], set()
    for i in np.flatnonzero(table.ranks < 0).tolist():
        slowest = int(table.count(f"{prefix}_SLOWEST_RANK")[i])
        slowest_s = float(table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME")[i])
        if slowest < 0 or not math.isfinite(slowest_s) or slowest_s <= 0:
            continue
        record = int(table.ids[i])
        known.add(record)
        fastest = _count_or_none(table, f"{prefix}_FASTEST_RANK", i)
        found.append(
            ReducedFile(
                layer=layer,
                file=rows.shown_name(record),
                ranks=None,
                total_bytes=int(moved[i]),
                slowest_rank=slowest,
                slowest_s=slowest_s,
                slowest_bytes=_count_or_none(table, f"{prefix}_SLOWEST_RANK_BYTES", i),
                fastest_rank=fastest,
                fastest_s=_real(table, f"{prefix}_F_FASTEST_RANK_TIME", i) if fastest is not None else None,
                fastest_bytes=_count_or_none(table, f"{prefix}_FASTEST_RANK_BYTES", i) if fastest is not None else None,
                deviation_bytes=_root(_real(table, f"{prefix}_F_VARIANCE_RANK_BYTES", i)),
                deviation_s=_root(_real(table, f"{prefix}_F_VARIANCE_RANK_TIME", i)),
            )
        )
    return found, known


def _of_own_records(rows: LogRows, layer: RankLayer, table: CounterTable) -> tuple[list[ReducedFile], set[int]]:
    """Of the files that several ranks have records of, those whose slowest rank takes longest, and the ids of all: in a
    collective file the ranks that touch the storage."""
    own = own_records(table)
    if not len(own) or layer not in PREFIX:
        return [], set()
    files, took, moved = own.by_id, rank_times(own), exact_bytes(own)
    longest = np.zeros(len(files.ids))
    np.maximum.at(longest, files.index, took)
    shared = (files.records > 1) & (longest > 0)
    known = {int(record) for record in files.ids[shared]}
    found = []
    for at in np.argsort(np.where(shared, -longest, 0.0), kind="stable")[: min(MOST_REDUCED, len(known))].tolist():
        mine = files.index == at
        ranks, place = unique_inverse(own.ranks[mine])
        seconds = np.bincount(place, took[mine]).astype(np.float64)
        amounts = np.bincount(place, moved[mine])
        slow, fast = first_of_longest(seconds), int(seconds.argmin())
        record = int(files.ids[at])
        found.append(
            ReducedFile(
                layer=layer,
                file=rows.shown_name(record),
                ranks=len(ranks),
                total_bytes=int(amounts.sum()),
                slowest_rank=int(ranks[slow]),
                slowest_s=float(seconds[slow]),
                slowest_bytes=int(amounts[slow]),
                fastest_rank=int(ranks[fast]),
                fastest_s=float(seconds[fast]),
                fastest_bytes=int(amounts[fast]),
                deviation_bytes=float(amounts.std()),
                deviation_s=float(seconds.std()),
            )
        )
    return found, known


def _count_or_none(table: CounterTable, name: str, row: int) -> int | None:
    value = int(table.count(name)[row])
    return value if value >= 0 else None


def _real(table: CounterTable, name: str, row: int) -> float | None:
    if name not in table.float_names:
        return None  # records of DAOS have no variances
    value = float(table.seconds(name)[row])
    return value if math.isfinite(value) and value >= 0 else None


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(variance)


def _amounts(columns: RankColumns, rank: int, nodes: dict[int, str]) -> RankAmounts:
    place = int(np.searchsorted(columns.ranks, rank))
    seen = place < len(columns.ranks) and columns.ranks[place] == rank

    def at(column: Float64s | None) -> float | None:
        return None if column is None else float(column[place]) if seen else 0.0

    return RankAmounts(
        rank,
        int(columns.bytes_read[place]) if seen else 0,
        int(columns.bytes_written[place]) if seen else 0,
        at(columns.read_s),
        at(columns.write_s),
        at(columns.metadata_s),
        nodes.get(rank),
    )


def _series(columns: RankColumns, nodes: dict[int, str]) -> RankSeries:
    moved, seconds, n = columns.moved, columns.seconds, columns.nprocs
    per_bin = math.ceil(n / MOST_BINS)
    bins = math.ceil(n / per_bin)
    ends = np.searchsorted(columns.ranks, np.arange(bins + 1) * per_bin)
    sizes = np.diff(ends)
    seen = np.flatnonzero(sizes)
    begins = ends[seen]

    def by_bin(of_seen: NDArray[Number]) -> NDArray[Number]:
        found: NDArray[Number] = np.zeros(bins, dtype=of_seen.dtype)
        found[seen] = of_seen
        return found

    most = np.flatnonzero(moved == np.repeat(np.maximum.reduceat(moved, begins), sizes[seen]))
    busy = most[np.searchsorted(most, begins)]
    whole = sizes[seen] == np.minimum(per_bin, n - seen * per_bin)
    longest = None if seconds is None else np.maximum(np.maximum.reduceat(seconds, begins), 0.0)
    return RankSeries(
        layer=columns.layer,
        basis=columns.basis,
        source=columns.source,
        partial=columns.partial,
        ranks=n,
        active=int((moved > 0).sum()),
        movers=movers(moved.tolist()),
        total_bytes=int(moved.sum()),
        mean_s=None if seconds is None else float(seconds.sum()) / n,
        busiest=_amounts(columns, _rank_of_most(columns, moved), nodes),
        slowest=None if seconds is None else _amounts(columns, _slowest(columns, seconds), nodes),
        ranks_per_bin=per_bin,
        most_read=tuple(by_bin(columns.bytes_read[busy]).tolist()),
        most_written=tuple(by_bin(columns.bytes_written[busy]).tolist()),
        least_bytes=tuple(by_bin(np.where(whole, np.minimum.reduceat(moved, begins), 0)).tolist()),
        most_s=None if longest is None else tuple(by_bin(longest).tolist()),
    )


def _slowest(columns: RankColumns, seconds: Float64s) -> int:
    """The first of the ranks that tie for the longest; of ranks that all have none it is 0."""
    return int(columns.ranks[first_of_longest(seconds)]) if len(seconds) and seconds.max() > 0 else 0


def _rank_of_most(columns: RankColumns, amounts: Int64s) -> int:
    """The first of the ranks that have most; of ranks that all have none it is 0."""
    place = int(amounts.argmax()) if len(amounts) else 0
    return int(columns.ranks[place]) if len(amounts) and amounts[place] > 0 else 0

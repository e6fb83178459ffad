"""When the job did its I/O, small enough to stand in the document: bytes by rank and time on a coarse grid, and from
the first opening to the last close of each group of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from iotriage.analysis.document.charts.activity import (
    Activity,
    GroupTimes,
    HeatLayer,
    RankTimeGrid,
    Span,
    TracedCalls,
    TracedSource,
)
from iotriage.analysis.document.charts.packed import Packed
from iotriage.analysis.views.heatmap import Grid, Window, bytes_by_rank, bytes_by_time, heat_grids, heat_kind
from iotriage.analysis.views.pixels import packed
from iotriage.analysis.views.trace import HEAT_LAYERS, TracedLog, traced_log
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.tables.grouping import Group
from iotriage_parsers.evidence import CounterTable, DarshanLog, DxtTrace, Evidence
from iotriage_parsers.evidence.darshan import Float64s

MOST_ROWS, MOST_COLUMNS = 64, 128
BURST_COLUMNS = 512
MOST_GRIDS = 6
MOST_GROUPS = 12
MOST_SPANS = 48

APART = 0.002
"""Share of the run by which two stretches of I/O are drawn apart; ours, about a pixel."""


def activity_of(sources: Sequence[tuple[int, Evidence]], groups: Sequence[Group]) -> Activity | None:
    """None where no source tells of times. `sources` are the ones whose figures count, each with its index in the
    document."""
    logs = [(i, log) for i, evidence in sources if (log := traced_log(evidence)) is not None]
    zero = start_of([rows for g in groups for rows in g.selection.logs])
    began = {i: _began_after(evidence, zero) for i, evidence in sources}
    grids = [g for i, log in logs for layer in HEAT_LAYERS if (g := _grid(i, log, layer, began[i])) is not None]
    used = [t for g in groups if (t := _group_times(g, zero)) is not None]
    runs = [starts_after(rows, zero) + (rows.log.job.runtime_s or 0.0) for g in groups for rows in g.selection.logs]
    run_s = max([*runs, *(t.opened.to_s for t in used)], default=0.0)
    if not logs and not used:
        return None
    return Activity(
        tuple(_traced(i, log) for i, log in logs),
        tuple(grids[:MOST_GRIDS]),
        run_s if used else 0.0,
        tuple(used[:MOST_GROUPS]),
        len(used),
    )


def _traced(source: int, log: TracedLog) -> TracedSource:
    calls = tuple(TracedCalls(c.layer, len(c)) for c in log.all_calls)
    heat = tuple(layer for layer in HEAT_LAYERS if heat_kind(log, layer) is not None)
    return TracedSource(source, log.nprocs, log.extent_s, calls, heat)


def _grid(source: int, log: TracedLog, layer: HeatLayer, after_s: float) -> RankTimeGrid | None:
    heatmap = log.heatmap(layer)
    if heatmap is not None and not heatmap.read.any() and not heatmap.written.any():
        return None
    window = Window(0.0, log.extent_s, 0, log.nprocs - 1, MOST_ROWS, MOST_COLUMNS)
    found = heat_grids(log, layer, window)
    if found is None:
        return None
    kind, time, rows, read, written = found
    ranks, read_by, written_by = bytes_by_rank(read, written)
    by_rank = read_by + written_by
    if not by_rank.any():
        return None
    fine = bytes_by_time(log, layer, Window(0.0, log.extent_s, 0, log.nprocs - 1, 1, BURST_COLUMNS))
    if fine is None:
        return None
    largest = float((read.sums + written.sums).max())
    busiest = int(np.argmax(by_rank))
    fine_time, moved_bytes = fine
    moved = moved_bytes > 0
    return RankTimeGrid(
        source=source,
        layer=layer,
        kind=kind,
        nprocs=log.nprocs,
        after_s=after_s,
        to_s=time.high,
        rows=rows.count,
        columns=time.count,
        largest_bytes=largest,
        read_levels=_levels(read, largest),
        written_levels=_levels(written, largest),
        read_by_time=_rounded(read.sums.sum(axis=0)),
        written_by_time=_rounded(written.sums.sum(axis=0)),
        read_by_row=_rounded(read.sums.sum(axis=1)),
        written_by_row=_rounded(written.sums.sum(axis=1)),
        ranks_active=int((by_rank > 0).sum()),
        busiest_rank=int(ranks[busiest]),
        busiest_rank_bytes=round(float(by_rank[busiest])),
        bursts=int(moved[0]) + int((moved[1:] & ~moved[:-1]).sum()),
        bin_s=fine_time.width,
    )


def _levels(grid: Grid, largest: float) -> Packed:
    return packed(np.ceil(255 * np.sqrt(grid.sums / largest)), "uint8")


def _rounded(values: Float64s) -> tuple[int, ...]:
    return tuple(round(v) for v in values.tolist())


def start_of(logs: Sequence[LogRows]) -> float:
    """When the first of the logs began, in seconds since 1970; 0 where none says so."""
    return min((s for rows in logs if (s := rows.log.job.start_time) is not None), default=0.0)


def starts_after(rows: LogRows, zero: float) -> float:
    """Seconds from the start of the first log to that of this one."""
    start = rows.log.job.start_time
    return 0.0 if start is None else start - zero


def _began_after(evidence: Evidence, zero: float) -> float:
    """Seconds from the start of the first log to that of this source; 0 where either is not known."""
    jobs = (*(log.job for log in evidence.of(DarshanLog)), *(trace.job for trace in evidence.of(DxtTrace)))
    starts = [start for job in jobs if job is not None and (start := job.start_time) is not None]
    return max(0.0, min(starts) - zero) if starts and zero > 0 else 0.0


def _group_times(group: Group, zero: float) -> GroupTimes | None:
    tables = [(t, starts_after(rows, zero)) for rows in group.selection.logs for t in timed_tables(rows)]
    opened, ended = _spans(tables, "OPEN_START", "CLOSE_END"), _spans(tables, "OPEN_START", "OPEN_END")
    reads, writes = _spans(tables, "READ_START", "READ_END"), _spans(tables, "WRITE_START", "WRITE_END")
    every = [spans for spans in (opened, ended, reads, writes) if len(spans)]
    if not every:
        return None
    whole = Span(min(float(spans[:, 0].min()) for spans in every), max(float(spans[:, 1].max()) for spans in every))
    gap = APART * whole.to_s
    return GroupTimes(group.id, group.label, group.number, whole, joined(reads, gap), joined(writes, gap))


def timed_tables(rows: LogRows) -> Iterator[CounterTable]:
    """The records that say when each file was first and last used."""
    # The objects below files in DAOS are no files themselves.
    daos = rows.others.get("DFS", rows.others.get("DAOS"))
    tables = (rows.mpiio, rows.posix, rows.stdio, daos)
    return (t for t in tables if t is not None and len(t))


def _spans(tables: Iterable[tuple[CounterTable, float]], start: str, end: str) -> Float64s:
    """From one time to another of every record that has both, shape (n, 2); Darshan's 0 is "never"."""
    found = [np.zeros((0, 2))]
    for table, after in tables:
        prefix = prefix_of(table)
        low, high = (table.seconds(f"{prefix}_F_{which}_TIMESTAMP") for which in (start, end))
        sound = (low > 0) & (high >= low) & np.isfinite(high)
        found.append(after + np.array((low[sound], high[sound])).T)
    return np.concatenate(found)


def joined(spans: Float64s, gap: float) -> tuple[Span, ...]:
    """The spans in order, those less than `gap` apart as one, and so far apart that there are not too many."""
    if not len(spans):
        return ()
    ordered = spans[np.argsort(spans[:, 0])]
    begins, reached = ordered[:, 0], np.maximum.accumulate(ordered[:, 1])
    while True:
        first = np.flatnonzero(np.concatenate(([True], ~(begins[1:] - reached[:-1] <= gap))))
        if len(first) <= MOST_SPANS:
            last = np.append(first[1:], len(begins)) - 1
            return tuple(map(Span, begins[first].tolist(), reached[last].tolist()))
        gap *= 2

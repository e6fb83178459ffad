"""Bytes by rank and time, from Darshan's HEATMAP module or, where a log has none, from its trace.

A pixel has two numbers: the sum over the ranks of its row, and the largest of one of them, so that one busy rank among
hundreds is seen. A heatmap's bins are joined, never cut; a call's bytes are laid evenly over its duration.
"""

from __future__ import annotations

import math

import numpy as np

from iotriage.analysis.document.charts.activity import HeatKind, HeatLayer
from iotriage.analysis.document.charts.packed import Packed
from iotriage.analysis.views.pixels import CELLS_AT_ONCE, Bins, RankRows, entries, packed, spread, spread_apart
from iotriage.analysis.views.trace import Calls, TracedLog
from iotriage.metrics.core.selection import unique, unique_inverse
from iotriage_parsers.evidence import Heatmap
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

BUSIEST = 20
MOST_ENTRIES = 2**23
"""Pairs of call and column that are worked on at once: 200 MiB while they are sorted."""


@frozen
class Window:
    """What is asked for: seconds from the start of the run, ranks both included, and at most so many pixels."""

    from_s: float
    to_s: float
    first_rank: int
    last_rank: int
    rows: int
    columns: int


@frozen
class Moved:
    """Bytes of one direction: `sums` over the ranks of a row and of its `busiest` one, (rows, columns) float32,
    `busiest` null where each row is one rank; `by_time` (columns,) and `by_row` (rows,) float64; `total` of the window.
    """

    sums: Packed
    busiest: Packed | None
    by_time: Packed
    by_row: Packed
    total: float


@frozen
class BusyRank:
    rank: int
    read_bytes: float
    written_bytes: float


@frozen
class BusyTime:
    from_s: float
    to_s: float
    read_bytes: float
    written_bytes: float


@frozen
class HeatmapView:
    """A window of the heatmap. The window is the one drawn: of a heatmap its edges are those of its bins. Columns are
    equal in width; row i begins with rank `first_rank` + ⌈i · ranks / rows⌉. `ranks_active` and the busiest ranks and
    times, most bytes first, are those of the window."""

    layer: HeatLayer
    kind: HeatKind
    from_s: float
    to_s: float
    first_rank: int
    last_rank: int
    rows: int
    columns: int
    read: Moved
    written: Moved
    ranks_active: int
    busiest_ranks: tuple[BusyRank, ...]
    busiest_times: tuple[BusyTime, ...]


@frozen_identity
class Grid:
    """Sums and largest single ranks, (rows, columns), of one direction; and bytes by rank, of the `ranks` of the window
    that are seen, in order."""

    sums: Float64s
    busiest: Float64s
    ranks: Int64s
    by_rank: Float64s
    joins_ranks: bool


def bytes_by_rank(read: Grid, written: Grid) -> tuple[Int64s, Float64s, Float64s]:
    """The ranks that either has, and what each read and wrote."""
    ranks = unique(np.concatenate((read.ranks, written.ranks)))
    both = np.zeros((2, len(ranks)))
    for column, grid in zip(both, (read, written), strict=True):
        column[np.searchsorted(ranks, grid.ranks)] = grid.by_rank
    return ranks, both[0], both[1]


def heat_kind(log: TracedLog, layer: HeatLayer) -> HeatKind | None:
    if log.heatmap(layer) is not None:
        return "HEATMAP"
    return "DXT" if layer in ("POSIX", "MPIIO") and log.calls(layer) is not None else None


def heatmap_view(log: TracedLog, layer: HeatLayer, asked: Window) -> HeatmapView | None:
    """The window at a layer; None where the log has nothing of that layer."""
    found = heat_grids(log, layer, asked)
    if found is None:
        return None
    kind, time, rows, read, written = found
    ranks, read_by, written_by = bytes_by_rank(read, written)
    both = read_by + written_by
    by_time = (read.sums + written.sums).sum(axis=0)
    edges = [time.low + i * time.width for i in range(time.count + 1)]
    return HeatmapView(
        layer=layer,
        kind=kind,
        from_s=time.low,
        to_s=time.high,
        first_rank=rows.first,
        last_rank=rows.last,
        rows=rows.count,
        columns=time.count,
        read=_moved(read),
        written=_moved(written),
        ranks_active=int((both > 0).sum()),
        busiest_ranks=tuple(BusyRank(int(ranks[i]), float(read_by[i]), float(written_by[i])) for i in _most(both)),
        busiest_times=tuple(
            BusyTime(edges[i], edges[i + 1], float(read.sums[:, i].sum()), float(written.sums[:, i].sum()))
            for i in _most(by_time)
        ),
    )


def heat_grids(log: TracedLog, layer: HeatLayer, asked: Window) -> tuple[HeatKind, Bins, RankRows, Grid, Grid] | None:
    """The numbers behind a view: where from, the bins, the rows, and what was read and written."""
    rows = RankRows.of(asked.first_rank, asked.last_rank, asked.rows)
    heatmap = log.heatmap(layer)
    if heatmap is not None:
        time, each = joined_bins(heatmap, asked)
        return "HEATMAP", time, rows, *_of_bins(heatmap, time, each, rows)
    calls = log.calls(layer) if layer in ("POSIX", "MPIIO") else None
    if calls is None:
        return None
    time = Bins(asked.from_s, asked.to_s, asked.columns)
    seen = time.overlapping(calls.start, calls.end) & (calls.rank >= rows.first) & (calls.rank <= rows.last)
    read, written = (_of_calls(calls.where(seen & (calls.write == way)), time, rows) for way in (False, True))
    return "DXT", time, rows, read, written


def bytes_by_time(log: TracedLog, layer: HeatLayer, asked: Window) -> tuple[Bins, Float64s] | None:
    """What all ranks in view read and wrote together: the sums that `heat_grids` has, by column alone."""
    heatmap = log.heatmap(layer)
    if heatmap is None:
        found = heat_grids(log, layer, asked)
        return None if found is None else (found[1], (found[3].sums + found[4].sums).sum(axis=0))
    rows = RankRows.of(asked.first_rank, asked.last_rank, asked.rows)
    time, each = joined_bins(heatmap, asked)
    _, read, written = _by_column(heatmap, time, each, rows)
    return time, read.sum(axis=0) + written.sum(axis=0)


def joined_bins(heatmap: Heatmap, asked: Window) -> tuple[Bins, int]:
    """Columns of so many whole bins each that at most `asked.columns` cover the window, and how many that are. The last
    column may reach beyond the heatmap's end."""
    width = heatmap.bin_width_s
    bins = heatmap.read.shape[1]
    first = min(bins - 1, max(0, math.floor(asked.from_s / width + 1e-9)))
    last = min(bins, max(first + 1, math.ceil(asked.to_s / width - 1e-9)))
    each = max(1, -(-(last - first) // asked.columns))
    columns = -(-(last - first) // each)
    return Bins(first * width, (first + columns * each) * width, columns), each


def _of_bins(heatmap: Heatmap, time: Bins, each: int, rows: RankRows) -> tuple[Grid, Grid]:
    """What was read and written, `each` bins of the heatmap as one column."""
    ranks, read, written = _by_column(heatmap, time, each, rows)
    seen, at = unique_inverse(ranks)
    number = rows.numbers(ranks)
    order = np.argsort(number, kind="stable")
    ordered = number[order]
    starts = np.flatnonzero(np.concatenate((np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1])))
    # Mostly each rank has a row of its own.
    alone = len(starts) == len(ranks)

    def grid(by_column: Float64s) -> Grid:
        sums = np.zeros((rows.count, time.count))
        busiest = np.zeros_like(sums) if rows.joined else sums
        if alone:
            sums[number] = by_column
        else:
            sums[ordered[starts]] = np.add.reduceat(by_column[order], starts, axis=0)
        if rows.joined:
            busiest[ordered[starts]] = (
                by_column[order] if alone else np.maximum.reduceat(by_column[order], starts, axis=0)
            )
        by_rank = np.bincount(at, weights=by_column.sum(axis=1), minlength=len(seen))
        return Grid(sums, busiest, seen, by_rank.astype(np.float64, copy=False), rows.joined)

    return grid(read), grid(written)


def _by_column(heatmap: Heatmap, time: Bins, each: int, rows: RankRows) -> tuple[Int64s, Float64s, Float64s]:
    """The ranks in view, and the bytes that each read and wrote, `each` bins of the heatmap as one column."""
    first, columns = round(time.low / (time.width / each)), time.count
    mine = (heatmap.ranks >= rows.first) & (heatmap.ranks <= rows.last)
    all_mine = bool(mine.all())

    def joined(bins: Int64s) -> Float64s:
        cut = bins[:, first : first + columns * each]
        cut = cut if all_mine else cut[mine]
        missing = columns * each - cut.shape[1]
        if missing:
            cut = np.pad(cut, ((0, 0), (0, missing)))
        if each > 1:
            cut = cut.reshape(len(cut), columns, each).sum(axis=2)
        found: Float64s = cut.astype(np.float64)
        return found

    return heatmap.ranks if all_mine else heatmap.ranks[mine], joined(heatmap.read), joined(heatmap.written)


def _of_calls(calls: Calls, time: Bins, rows: RankRows) -> Grid:
    return grid_of(calls, calls.length.astype(np.float64), time, rows)


def grid_of(calls: Calls, amount: Float64s, time: Bins, rows: RankRows) -> Grid:
    """An amount of each call by row and time, summed over the ranks of a row, and of its busiest rank. All calls must
    be of ranks and times in view."""
    if not rows.joined:
        grid = spread(calls.rank - rows.first, calls.start, calls.end, amount, time, rows.count)
        return Grid(grid, grid, np.arange(rows.first, rows.last + 1), grid.sum(axis=1), rows.joined)
    if entries(*time.span(calls.start, calls.end)) <= MOST_ENTRIES:
        return _apart(calls, amount, time, rows)
    return _in_chunks(calls, amount, time, rows)


def _apart(calls: Calls, amount: Float64s, time: Bins, rows: RankRows) -> Grid:
    rank, column, each = spread_apart(calls.rank - rows.first, calls.start, calls.end, amount, time)
    shape = (rows.count, time.count)
    pixel = rows.numbers(rank + rows.first) * time.count + column
    sums: Float64s = np.bincount(pixel, weights=each, minlength=rows.count * time.count).astype(np.float64, copy=False)
    busiest = np.zeros(rows.count * time.count)
    np.maximum.at(busiest, pixel, each)
    seen, at = unique_inverse(rank)
    by_rank: Float64s = np.bincount(at, weights=each, minlength=len(seen)).astype(np.float64, copy=False)
    return Grid(sums.reshape(shape), busiest.reshape(shape), seen + rows.first, by_rank, rows.joined)


def _in_chunks(calls: Calls, amount: Float64s, time: Bins, rows: RankRows) -> Grid:
    """Some ranks at a time, for calls so long that each touches many columns."""
    sums, busiest = np.zeros((rows.count, time.count)), np.zeros((rows.count, time.count))
    seen, at = unique_inverse(calls.rank)
    by_rank = np.zeros(len(seen))
    number = rows.numbers(seen)
    step = max(1, CELLS_AT_ONCE // max(1, time.count))
    for low in range(0, len(seen), step):
        high = min(low + step, len(seen))
        mine = (at >= low) & (at < high)
        each = spread(at[mine] - low, calls.start[mine], calls.end[mine], amount[mine], time, high - low)
        present, starts = np.unique(number[low:high], return_index=True)
        sums[present] += np.add.reduceat(each, starts, axis=0)
        busiest[present] = np.maximum(busiest[present], np.maximum.reduceat(each, starts, axis=0))
        by_rank[low:high] = each.sum(axis=1)
    return Grid(sums, busiest, seen, by_rank, rows.joined)


def _moved(grid: Grid) -> Moved:
    return Moved(
        packed(grid.sums, "float32"),
        packed(grid.busiest, "float32") if grid.joins_ranks else None,
        packed(grid.sums.sum(axis=0), "float64"),
        packed(grid.sums.sum(axis=1), "float64"),
        float(grid.sums.sum()),
    )


def _most(values: Float64s) -> list[int]:
    """Positions of the largest values, largest first, equal ones in order; zeros left out."""
    order = np.argsort(-values, kind="stable")[:BUSIEST]
    return [int(i) for i in order if values[i] > 0]

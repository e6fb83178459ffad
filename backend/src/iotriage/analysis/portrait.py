"""A small picture of a job's I/O, one line high: its layers, which ranks moved bytes in each, and when. It is a few
numbers, so that a list of cases can draw one in each row without reading a document."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence

import numpy as np

from iotriage.analysis.document import CaseDocument, Layer, LayerShare
from iotriage.analysis.document.charts.activity import RankTimeGrid, Span
from iotriage.analysis.document.charts.packed import Packed
from iotriage.analysis.document.charts.rank_use import RankSeries
from iotriage.metrics.core.prefix import PREFIX
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

ROWS, COLUMNS = 4, 24
MOST_BANDS = 3
TOP_LEVEL = 9
"""The level of the cell with most bytes. 0 is nothing; any bytes at all are at least 1."""

_ALWAYS_IN_USE = 0.999

_NOTHING = 1e-6
"""A smaller share of a column within a stretch is rounding."""


@frozen
class Band:
    """One layer. `seconds` are the mean rank's. `cells` are levels by rank and time, row after row, `ranks` by rank
    alone, and `active` is how many ranks moved the bytes; each is None where no source tells, and `cells` where
    several have times of their own."""

    layer: Layer
    seconds: float | None
    bytes_moved: int
    cells: tuple[int, ...] | None
    ranks: tuple[int, ...] | None
    active: float | None


@frozen
class Portrait:
    """`bands` from the call to the disk, each of `rows` groups of neighbouring ranks and `columns` stretches of the
    run. `in_use` says how much of each stretch lies between a file's first and last access, None where that is not
    known."""

    rows: int
    columns: int
    nprocs: int | None
    bands: tuple[Band, ...]
    in_use: tuple[int, ...] | None


def portrait_of(document: CaseDocument) -> Portrait | None:
    """None where no source says what any layer moved."""
    layers = [layer for layer in document.charts.layers if _moved(layer)]
    chosen = sorted(layers, key=_weight, reverse=True)[:MOST_BANDS]
    bands = tuple(_band(layer, document) for layer in layers if layer in chosen)
    if not bands:
        return None
    rows = min(ROWS, document.job.nprocs or ROWS)
    return Portrait(rows, COLUMNS, document.job.nprocs, bands, _in_use(document))


def length_s(document: CaseDocument) -> float | None:
    """What the columns of its portrait divide, in seconds: the run, to the end of the last bin of its grids."""
    activity = document.charts.activity
    if activity is None:
        return None
    grids = [g for layer in document.charts.layers if (g := _grid_of(layer, document)) is not None]
    return max([activity.run_s, *(g.after_s + g.to_s for g in grids)])


def _grid_of(layer: LayerShare, document: CaseDocument) -> RankTimeGrid | None:
    """The only grid of the layer: of several, each has the bytes and the time of its own source alone."""
    activity = document.charts.activity
    grids = [] if activity is None else [g for g in activity.grids if g.layer == PREFIX.get(layer.layer)]
    return grids[0] if len(grids) == 1 else None


def _moved(layer: LayerShare) -> int:
    return (layer.bytes_read or 0) + (layer.bytes_written or 0)


def _weight(layer: LayerShare) -> tuple[float, int]:
    return layer.seconds or 0.0, _moved(layer)


def _band(layer: LayerShare, document: CaseDocument) -> Band:
    grid, end_s, ranks = _grid_of(layer, document), length_s(document), document.charts.ranks
    rows = min(ROWS, document.job.nprocs or ROWS)
    series_of_layers = () if ranks is None else ranks.series
    series = next((s for s in series_of_layers if s.layer == layer.layer), None)
    return Band(
        layer.layer,
        layer.seconds,
        _moved(layer),
        None if grid is None or end_s is None else _cells(grid, rows, end_s),
        None if series is None else _by_rank(series, rows),
        layer.ranks,
    )


def _cells(grid: RankTimeGrid, rows: int, end_s: float) -> tuple[int, ...]:
    """The grid's bytes, a mean row's of each group of rows: groups are of one row more or less. Those of a column are
    laid evenly over the stretches that it lies in."""
    moved = _bytes(grid.read_levels, grid) + _bytes(grid.written_levels, grid)
    n = max(rows, grid.rows)
    stretched, group = moved[np.arange(n) * grid.rows // n], np.arange(n) * rows // n
    means = np.array([stretched[group == row].mean(axis=0) for row in range(rows)])
    return _levels((means @ _shares(grid, end_s)).ravel().tolist())


def _shares(grid: RankTimeGrid, end_s: float) -> Float64s:
    """How much of each column of the grid lies in each stretch, shape (columns, stretches)."""
    width = grid.to_s / grid.columns
    begins = grid.after_s + np.arange(grid.columns)[:, None] * width
    stretches = np.linspace(0.0, end_s, COLUMNS + 1)
    within = np.minimum(begins + width, stretches[1:]) - np.maximum(begins, stretches[:-1])
    shares: Float64s = np.where(within > _NOTHING * width, within / width, 0.0)
    return shares


def _bytes(packed: Packed, grid: RankTimeGrid) -> Float64s:
    """What the levels of a grid stand for: see `RankTimeGrid`."""
    levels = np.frombuffer(base64.b64decode(packed.data), dtype=np.uint8).reshape(grid.rows, grid.columns)
    bytes_moved: Float64s = (levels / 255.0) ** 2 * grid.largest_bytes
    return bytes_moved


def _by_rank(series: RankSeries, rows: int) -> tuple[int, ...]:
    """The bytes of the busiest rank of each group of neighbours, as levels."""
    most = [read + written for read, written in zip(series.most_read, series.most_written, strict=True)]
    busiest = [0] * rows
    for i, moved in enumerate(most):
        row = i * rows // len(most)
        busiest[row] = max(busiest[row], moved)
    return _levels(busiest)


def _levels(amounts: Sequence[float]) -> tuple[int, ...]:
    """Levels by the square root of the bytes, so that small amounts beside a large one stay visible."""
    largest = max(amounts, default=0.0)
    return tuple(math.ceil(TOP_LEVEL * math.sqrt(a / largest)) if a > 0 else 0 for a in amounts)


def _in_use(document: CaseDocument) -> tuple[int, ...] | None:
    activity, end_s = document.charts.activity, length_s(document)
    if activity is None or activity.run_s <= 0 or end_s is None:
        return None
    spans = [s for group in activity.groups for s in (*group.reads, *group.writes)]
    width = end_s / COLUMNS
    return tuple(_covered(spans, i * width, (i + 1) * width) for i in range(COLUMNS))


def _covered(spans: Iterable[Span], begin: float, end: float) -> int:
    """How much of the stretch some span covers, as a level."""
    within = sorted((max(s.from_s, begin), min(s.to_s, end)) for s in spans if s.from_s < end and s.to_s >= begin)
    if not within:
        return 0
    covered, reached = 0.0, begin
    for low, high in within:
        covered += max(0.0, high - max(low, reached))
        reached = max(reached, high)
    share = covered / (end - begin)
    return TOP_LEVEL if share > _ALWAYS_IN_USE else max(1, math.ceil(TOP_LEVEL * share))

"""When which ranks and files moved bytes."""

from __future__ import annotations

from typing import Literal

from iotriage.analysis.document.charts.packed import Packed
from iotriage_parsers.frozen import frozen

TracedLayer = Literal["POSIX", "MPIIO"]

HeatLayer = Literal["POSIX", "MPIIO", "STDIO", "DFS", "DAOS"]

HeatKind = Literal["HEATMAP", "DXT"]


@frozen
class TracedCalls:
    layer: TracedLayer
    calls: int


@frozen
class TracedSource:
    """A source of the case, by its index in the document, whose timeline can be asked for."""

    source: int
    nprocs: int
    extent_s: float
    calls: tuple[TracedCalls, ...]
    heatmaps: tuple[HeatLayer, ...]


@frozen
class RankTimeGrid:
    """Bytes by rank and time at one layer. `read_levels` and `written_levels`: (rows, columns) uint8, 0 where nothing
    was moved, else 255 · √(bytes / `largest_bytes`) rounded up; the sums by column and by row are exact. Row i begins
    with rank ⌈i · nprocs / rows⌉. Its time is that of its own log, which began `after_s` seconds after the axis that
    the groups' times stand on. `bursts` are stretches without an empty bin between, counted on bins of `bin_s`."""

    source: int
    layer: HeatLayer
    kind: HeatKind
    nprocs: int
    after_s: float
    to_s: float
    rows: int
    columns: int
    largest_bytes: float
    read_levels: Packed
    written_levels: Packed
    read_by_time: tuple[int, ...]
    written_by_time: tuple[int, ...]
    read_by_row: tuple[int, ...]
    written_by_row: tuple[int, ...]
    ranks_active: int
    busiest_rank: int
    busiest_rank_bytes: int
    bursts: int
    bin_s: float


@frozen
class Span:
    from_s: float
    to_s: float


@frozen
class GroupTimes:
    """When the files of a group were in use: from the first opening to the last close, and from the first to the last
    read, and write, of each file, where these overlap or touch as one."""

    group: str
    label: str
    files: int
    opened: Span
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]


@frozen
class Activity:
    """`traces` are the sources whose timeline can be asked for. `run_s` is the length of the axis that the groups'
    times stand on, 0 where there are none."""

    traces: tuple[TracedSource, ...]
    grids: tuple[RankTimeGrid, ...]
    run_s: float
    groups: tuple[GroupTimes, ...]
    groups_total: int

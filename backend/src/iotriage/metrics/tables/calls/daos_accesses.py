"""What is told of the accesses of a layer of DAOS: of `DAOS` (objects, arrays and key-value stores) as of `DFS`."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import BYTES, average_size, small_count, small_fraction
from iotriage.metrics.tables.counters import no_records_of
from iotriage_parsers.evidence.mpiio_stats import Direction

DaosLayer = Literal["DAOS", "DFS"]


def declare_accesses(layer: DaosLayer) -> None:
    """Declares the metrics of the layer's accesses, `daos.…` or `dfs.…`."""

    @metric(
        f"{layer.lower()}.small_accesses",
        f"{layer} accesses below 1 MiB",
        "calls",
        formula=f"reads and writes in the first five bins of {layer}_SIZE_*, those of exactly 1 MiB taken out",
        needs=_needs(layer),
        unless=no_records_of(layer),
    )
    def small_accesses(s: Selection) -> Outcome:
        return small_count(s, layer)

    for direction in DIRECTIONS:
        _declare_direction(layer, direction)


def _declare_direction(layer: DaosLayer, direction: Direction) -> None:
    bins = f"{layer}_SIZE_{direction.upper()}"

    @metric(
        f"{layer.lower()}.small_{direction}_fraction",
        f"{layer} {direction}s below 1 MiB",
        "share",
        about=About(time=False, direction=direction),
        formula=f"accesses in the first five bins of {bins}, those of exactly 1 MiB (ACCESS1-4) taken out, "
        "over all accesses, by count",
        needs=_needs(layer),
        unless=no_records_of(layer),
    )
    def small(s: Selection) -> Outcome:
        return small_fraction(s, layer, direction)

    @metric(
        f"{layer.lower()}.average_{direction}_size",
        f"Average {layer} {direction}",
        "B",
        about=About(direction=direction),
        formula=f"{BYTES[direction].format(layer)} / accesses in {bins}",
        needs=_needs(layer),
        unless=no_records_of(layer),
    )
    def average(s: Selection) -> Outcome:
        return average_size(s, layer, direction)


def _needs(layer: DaosLayer) -> str:
    return f"a Darshan log with {layer} records"

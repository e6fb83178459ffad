"""Accesses below 1 MiB to DAOS, through its file system layer and without it."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import average_size, small_count, small_fraction
from iotriage.metrics.tables.counters import no_records_of
from iotriage_parsers.evidence.mpiio_stats import Direction


def _declare(module: Literal["DFS"]) -> None:
    id, needs = module.lower(), f"a Darshan log with {module} records"

    @metric(
        f"{id}.small_accesses",
        f"{module} accesses below 1 MiB",
        "calls",
        formula=f"reads and writes in the first five bins of {module}_SIZE_*, those of exactly 1 MiB taken out",
        needs=needs,
        unless=no_records_of("DFS"),
    )
    def small_accesses(s: Selection) -> Outcome:
        return small_count(s, module)

    def of_way(direction: Direction) -> None:
        way = direction.upper()

        @metric(
            f"{id}.small_{direction}_fraction",
            f"{module} {direction}s below 1 MiB",
            "share",
            about=About(time=False, direction=direction),
            formula=f"accesses in the first five bins of {module}_SIZE_{way}, those of exactly 1 MiB (ACCESS1-4) taken "
            "out, over all accesses, by count",
            needs=needs,
            unless=no_records_of("DFS"),
        )
        def small(s: Selection) -> Outcome:
            return small_fraction(s, module, direction)

        @metric(
            f"{id}.average_{direction}_size",
            f"Average {module} {direction}",
            "B",
            about=About(direction=direction),
            formula=f"{module}_BYTES_{'READ' if direction == 'read' else 'WRITTEN'} / accesses in {module}_SIZE_{way}",
            needs=needs,
            unless=no_records_of("DFS"),
        )
        def average(s: Selection) -> Outcome:
            return average_size(s, module, direction)

    for direction in DIRECTIONS:
        of_way(direction)


_declare("DFS")

"""Accesses below 1 MiB to DAOS's objects, arrays and key-value stores, without its file system layer, and what is told
of both layers of DAOS alike."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metrics_unless
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import average_size, small_count, small_fraction
from iotriage.metrics.tables.counters import no_records_of
from iotriage_parsers.evidence.mpiio_stats import Direction


def declare_small_accesses(module: Literal["DAOS", "DFS"]) -> None:
    """`….small_accesses`, and of each direction `….small_read_fraction` and `….average_read_size`."""
    prefix = module.lower()
    metric = metrics_unless(no_records_of(module), needs=f"a Darshan log with {module} records")

    @metric(
        f"{prefix}.small_accesses",
        f"{module} accesses below 1 MiB",
        "calls",
        formula=f"reads and writes in the first five bins of {module}_SIZE_*, those of exactly 1 MiB taken out",
    )
    def small_accesses(s: Selection) -> Outcome:
        return small_count(s, module)

    def declare(direction: Direction) -> None:
        way = direction.upper()

        @metric(
            f"{prefix}.small_{direction}_fraction",
            f"{module} {direction}s below 1 MiB",
            "share",
            about=About(time=False, direction=direction),
            formula=f"accesses in the first five bins of {module}_SIZE_{way}, those of exactly 1 MiB (ACCESS1-4) taken "
            "out, over all accesses, by count",
        )
        def small(s: Selection) -> Outcome:
            return small_fraction(s, module, direction)

        @metric(
            f"{prefix}.average_{direction}_size",
            f"Average {module} {direction}",
            "B",
            about=About(direction=direction),
            formula=f"{module}_BYTES_{'READ' if direction == 'read' else 'WRITTEN'} / accesses in {module}_SIZE_{way}",
        )
        def average(s: Selection) -> Outcome:
            return average_size(s, module, direction)

    for direction in DIRECTIONS:
        declare(direction)


declare_small_accesses("DAOS")

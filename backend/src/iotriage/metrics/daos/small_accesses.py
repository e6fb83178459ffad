"""Accesses below 1 MiB to DAOS's objects, arrays and key-value stores, without its file system layer."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import average_size, small_count, small_fraction
from iotriage.metrics.tables.counters import no_records_of
from iotriage_parsers.evidence.mpiio_stats import Direction

NEEDS = "a Darshan log with DAOS records"


@metric(
    "daos.small_accesses",
    "DAOS accesses below 1 MiB",
    "calls",
    formula="reads and writes in the first five bins of DAOS_SIZE_*, those of exactly 1 MiB taken out",
    needs=NEEDS,
    unless=no_records_of("DAOS"),
)
def small_accesses(s: Selection) -> Outcome:
    return small_count(s, "DAOS")


def _declare(direction: Direction) -> None:
    way = direction.upper()

    @metric(
        f"daos.small_{direction}_fraction",
        f"DAOS {direction}s below 1 MiB",
        "share",
        about=About(time=False, direction=direction),
        formula=f"accesses in the first five bins of DAOS_SIZE_{way}, those of exactly 1 MiB (ACCESS1-4) taken out, "
        "over all accesses, by count",
        needs=NEEDS,
        unless=no_records_of("DAOS"),
    )
    def small(s: Selection) -> Outcome:
        return small_fraction(s, "DAOS", direction)

    @metric(
        f"daos.average_{direction}_size",
        f"Average DAOS {direction}",
        "B",
        about=About(direction=direction),
        formula=f"DAOS_BYTES_{'READ' if direction == 'read' else 'WRITTEN'} / accesses in DAOS_SIZE_{way}",
        needs=NEEDS,
        unless=no_records_of("DAOS"),
    )
    def average(s: Selection) -> Outcome:
        return average_size(s, "DAOS", direction)


for _direction in DIRECTIONS:
    _declare(_direction)

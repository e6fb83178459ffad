"""POSIX accesses below 1 MiB."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.size_bins import DIRECTIONS, Direction
from iotriage.metrics.tables.small_accesses import small_count, small_fraction


def _declare(direction: Direction) -> None:
    @metric(
        f"posix.small_{direction}_fraction",
        f"POSIX {direction}s below 1 MiB",
        "share",
        formula=f"accesses in the first five bins of POSIX_SIZE_{direction.upper()}, those of exactly 1 MiB "
        "(ACCESS1-4) taken out, over all accesses, by count",
        needs="a Darshan log with POSIX records",
    )
    def small(s: Selection) -> Outcome:
        return small_fraction(s, "POSIX", direction)


for _direction in DIRECTIONS:
    _declare(_direction)


@metric(
    "posix.small_accesses",
    "POSIX accesses below 1 MiB",
    "calls",
    formula="reads and writes in the first five bins of POSIX_SIZE_*, those of exactly 1 MiB taken out",
    needs="a Darshan log with POSIX records",
)
def small_accesses(s: Selection) -> Outcome:
    return small_count(s, "POSIX")

"""POSIX accesses below 1 MiB."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import (
    SLOW,
    SMALL_CALL_S,
    small_count,
    small_fraction,
    small_time_fraction,
)
from iotriage.metrics.tables.counters import no_records_of
from iotriage_parsers.evidence.mpiio_stats import Direction


def _declare(direction: Direction) -> None:
    @metric(
        f"posix.small_{direction}_fraction",
        f"POSIX {direction}s below 1 MiB",
        "share",
        about=About(time=False, direction=direction),
        formula=f"accesses in the first five bins of POSIX_SIZE_{direction.upper()}, those of exactly 1 MiB "
        "(ACCESS1-4) taken out, over all accesses, by count",
        needs="a Darshan log with POSIX records",
    )
    def small(s: Selection) -> Outcome:
        return small_fraction(s, "POSIX", direction)

    @metric(
        f"posix.small_{direction}s",
        f"Number of POSIX {direction}s below 1 MiB",
        "calls",
        about=About(direction=direction),
        formula=f"accesses in the first five bins of POSIX_SIZE_{direction.upper()}, those of exactly 1 MiB taken out",
        needs="a Darshan log with POSIX records",
    )
    def count(s: Selection) -> Outcome:
        return small_count(s, "POSIX", (direction,))


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


def _declare_time(direction: Direction) -> None:
    @metric(
        f"posix.small_{direction}_time_fraction",
        f"Share of the time in POSIX {direction}s that those below 1 MiB can have taken",
        "share",
        about=About(time=True, direction=direction),
        formula="of each record the share of its bytes that small calls can have moved; or, if more, what is left of "
        f"POSIX_F_{direction.upper()}_TIME by the calls of 1 MiB and more, of which each takes "
        f"MAX_{direction.upper()}_TIME at most; or what they leave at {SLOW // 2**20} MiB/s, "
        f"{SMALL_CALL_S * 1000:.0f} ms a small call at most; all where no record has times",
        needs="a Darshan log with POSIX records",
        unless=no_records_of("POSIX"),
    )
    def time(s: Selection) -> Outcome:
        return small_time_fraction(s, "POSIX", direction, small_fraction(s, "POSIX", direction))


for _direction in DIRECTIONS:
    _declare_time(_direction)

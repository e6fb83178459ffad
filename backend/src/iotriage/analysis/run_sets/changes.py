"""What became better or worse between two runs, metric by metric: which direction is better, and how much is usual."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Unit
from iotriage.rules.core.words import quantity

BetterWhen = Literal["higher", "lower", "neither"]
Change = Literal["better", "worse", "usual", "same", "other", "unknown"]
"""`usual`: differs by no more than equal runs do. `other`: differs, and neither direction is better by itself.
`unknown`: one of the two does not have it."""

DIRECTIONS: Mapping[str, BetterWhen] = {
    "job.io_time": "lower",
    "io.bandwidth": "higher",
    "io.write_bandwidth": "higher",
    "io.read_bandwidth": "higher",
    "benchmark.write_bandwidth": "higher",
    "benchmark.read_bandwidth": "higher",
    "job.runtime": "lower",
    "job.io_time_fraction": "lower",
    "io.bytes_written": "neither",
    "io.bytes_read": "neither",
    "mpiio.collective_fraction": "neither",
    "mpiio.effective_aggregators": "neither",
    "mpiio.aggregators": "neither",
    "mpiio.rmw_bytes": "lower",
    "mpiio.rmw_count": "lower",
    "mpiio.write_amplification": "lower",
    "mpiio.read_amplification": "lower",
    "mpiio.write_gap_count": "lower",
    "mpiio.system_write_average": "higher",
    "mpiio.stripe_sized_write_fraction": "higher",
    "mpiio.average_write_size": "higher",
    "mpiio.average_read_size": "higher",
    "posix.writes": "lower",
    "posix.reads": "lower",
    "posix.average_write_size": "higher",
    "posix.average_read_size": "higher",
    "posix.small_accesses": "lower",
    "posix.misaligned_fraction": "lower",
    "posix.opens": "lower",
    "posix.stats": "lower",
    "posix.fsyncs": "lower",
    "posix.metadata_time": "lower",
    "posix.metadata_io_fraction": "lower",
    "balance.time": "lower",
    "balance.bytes": "lower",
    "file.count": "neither",
    "timers.net_bandwidth": "higher",
    "timers.wait_for_coll_fraction": "lower",
    "timers.data_send_fraction": "lower",
    "timers.open_fraction": "lower",
    "timers.open_time": "lower",
    "timers.slowest_mover": "lower",
}
"""The metrics that a comparison shows, in its order: times and rates first."""

SIZES_OF_ONE = frozenset(i for i in DIRECTIONS if i.endswith(("_size", "_average")))
SUMMED = frozenset({"posix.metadata_time"})
"""Seconds added up over the ranks: more ranks have more of them, as they have more calls."""
ALIKE_SHARES = 0.05
"""Shares that lie within a twentieth of the whole of one another are called alike: the rest is a few calls."""
ALIKE_SIZES = 1.01
"""Averages of sizes that differ by less than a hundredth are alike: the rest is a few calls."""


def change_of(
    metric_id: str, unit: Unit, before: float | None, after: float | None, usual: float, *, same_work: bool = True
) -> Change:
    """How the metric went from `before` to `after`. Turned round, better becomes worse and nothing else changes. Where
    the runs do not have the same work, seconds and counts say nothing of better or worse."""
    if before is None or after is None:
        return "unknown"
    if before == after:
        return "same"
    if unit == "share" and abs(before - after) < ALIKE_SHARES:
        return "same"
    # What a clock decides varies from run to run; what is counted does not.
    clocked = all_metrics()[metric_id].of_time
    if clocked and factor_of(before, after) <= usual:
        return "usual"
    alike = metric_id in SIZES_OF_ONE and factor_of(before, after) <= ALIKE_SIZES
    # What is counted is compared as it is printed: nobody is told that 1 × is worse than 1 ×.
    if not clocked and (alike or quantity(before, unit) == quantity(after, unit)):
        return "same"
    direction = DIRECTIONS.get(metric_id, "neither")
    if direction == "neither" or (not same_work and unit in ("s", "calls", "B") and metric_id not in SIZES_OF_ONE):
        return "other"
    return "better" if (after > before) == (direction == "higher") else "worse"


def factor_of(one: float, other: float) -> float:
    """The larger over the smaller; infinite where only the smaller is zero."""
    low, high = sorted((abs(one), abs(other)))
    return math.inf if low == 0 else high / low

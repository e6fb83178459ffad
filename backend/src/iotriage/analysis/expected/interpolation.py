"""A documented figure between two that were measured."""

from __future__ import annotations

from math import exp, log

from iotriage.sites.site import DocumentedRates, OperationRates, RateRow


def row_at(table: DocumentedRates | OperationRates, processes: int) -> RateRow | None:
    """The table's row at a process count: its own, or between the two around it, on logarithmic scales. None below the
    first and above the last."""
    for before, after in zip(table.rows, table.rows[1:], strict=False):
        if before.processes < processes < after.processes:
            share = share_between(processes, before.processes, after.processes)
            return RateRow(
                processes,
                mean_at(before.rate, after.rate, share),
                *(
                    None if low is None or high is None else mean_at(low, high, share)
                    for low, high in (
                        (before.lower_quartile, after.lower_quartile),
                        (before.upper_quartile, after.upper_quartile),
                        (before.maximum, after.maximum),
                        (before.minimum, after.minimum),
                    )
                ),
            )
    return next((row for row in table.rows if row.processes == processes), None)


def share_between(value: float, low: float, high: float) -> float:
    """How far a value lies from the lower to the higher, on a logarithmic scale: 0 to 1."""
    return log(value / low) / log(high / low)


def mean_at(low: float, high: float, share: float) -> float:
    """The figure at this share of the way from the lower to the higher, on a logarithmic scale."""
    return exp((1 - share) * log(low) + share * log(high))

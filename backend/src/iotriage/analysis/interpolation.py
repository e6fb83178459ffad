"""A documented figure at a number of processes that lies between two that were measured."""

from __future__ import annotations

from math import exp, log

from iotriage.sites.site import DocumentedRates, OperationRates, RateRow


def at(table: DocumentedRates | OperationRates, processes: int) -> RateRow | None:
    """The table's row at a process count: its own, or between the two around it, on logarithmic scales. None below the
    first and above the last."""
    for before, after in zip(table.rows, table.rows[1:], strict=False):
        if before.processes < processes < after.processes:
            share = log(processes / before.processes) / log(after.processes / before.processes)
            return RateRow(
                processes,
                _mean(before.rate, after.rate, share),
                *(
                    None if low is None or high is None else _mean(low, high, share)
                    for low, high in (
                        (before.lower_quartile, after.lower_quartile),
                        (before.upper_quartile, after.upper_quartile),
                        (before.maximum, after.maximum),
                        (before.minimum, after.minimum),
                    )
                ),
            )
    return next((row for row in table.rows if row.processes == processes), None)


def _mean(low: float, high: float, share: float) -> float:
    return exp((1 - share) * log(low) + share * log(high))

"""In which calls the slowest rank passes what it takes beyond the mean: what all ranks do does not make one slow."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import CELLS, Cell
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.counters import lacks_times
from iotriage.metrics.tables.rank_times import total_time
from iotriage.metrics.tables.steps import steps_of

NEEDS = "a Darshan log with one record a rank"


def _beyond_in(s: Selection, cell: Cell, otherwise: str) -> Outcome:
    """Of the seconds that the slowest rank has in some cell beyond the mean rank, those of this one, the steps of a job
    added up, of which each has its own; where its own records do not tell them, they are taken to be as those of the
    whole, by the metric `otherwise`."""
    accounts = [time_account(step) for step in steps_of(s) if not _is_idle(step)]
    if not accounts:
        return outcome(s, otherwise)
    beyond = dict.fromkeys(CELLS, 0.0)
    for account in accounts:
        if account is None or account.slowest is None or account.slowest.cells is None:
            return outcome(s, otherwise)
        if (why := next((unknown.reason for unknown in account.unknown if unknown.cell == cell), None)) is not None:
            return Absent(why)
        for each in CELLS:
            beyond[each] += max(0.0, account.slowest.cells.of(each) - account.cells.of(each))
    every = sum(beyond.values())
    return Value(beyond[cell] / every, "inferred") if every >= NO_TIME else Absent("no rank takes longer than the mean")


def _is_idle(step: Selection) -> bool:
    """Whether its log has all its times, and they are 0: its ranks opened a file, or did nothing at all."""
    return bool(step.logs) and not any(lacks_times(r) or any(map(total_time, r.highest)) for r in step.logs)


def _declare(cell: Literal["metadata", "streams"], title: str, otherwise: str) -> None:
    @metric(
        f"balance.slowest_in_{cell}",
        f"Share of what the slowest rank takes beyond the mean that it passes in {title}",
        "share",
        about=About(time=True),
        formula=f"seconds of the slowest rank in {title} beyond those of the mean rank / the same of all its calls, "
        f"steps added up; where its own records do not tell them, {otherwise}",
        needs=NEEDS,
    )
    def beyond_in(s: Selection) -> Outcome:
        return _beyond_in(s, cell, otherwise)


_declare("metadata", "metadata calls", "posix.metadata_io_fraction")
_declare("streams", "streams", "stdio.time_fraction")

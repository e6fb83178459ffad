"""Time in MPI's communication calls, by AUTOPERF's records. ROMIO's own exchanges of data are among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_times import NO_END, longest_possible
from iotriage_parsers.evidence import APMPI_OPERATIONS, Counter, CounterTable
from iotriage_parsers.frozen import frozen

TIME = "MPI_TOTAL_COMM_TIME"

WAITING = "MPI_TOTAL_COMM_SYNC_TIME"

NEEDS = "a Darshan log with AUTOPERF MPI records (APMPI)"

NO_RECORDS = Absent("no log has AUTOPERF MPI records: Darshan must be built with that module")

NO_TIMES = Absent("the records have no times")

NOT_TAKEN = Absent("AUTOPERF was built without its timing of the wait in collectives (--enable-apmpi-coll-sync)")


@cached_per_selection
def calls_of_ranks(s: Selection) -> tuple[LogRows, CounterTable] | Absent:
    """The records of the log that has most of them."""
    found = [(rows, t) for rows in s.whole.logs if (t := rows.log.apmpi) is not None and len(t)]
    return max(found, key=lambda of: len(of[1]), default=NO_RECORDS)


def _no_records(s: Selection) -> Absent | None:
    found = calls_of_ranks(s)
    return found if isinstance(found, Absent) else None


def _known(table: CounterTable, counter: str) -> NDArray[np.float64]:
    times = table.seconds(counter)
    return times[np.isfinite(times) & (times >= 0)]


def _where(rows: LogRows, *counters: str) -> tuple[Where, ...]:
    return tuple(Where(rows.source, Counter("APMPI", c)) for c in counters)


@frozen
class _Times:
    """A counter's seconds, of each rank that has them; `partial` where the log lost records."""

    seconds: NDArray[np.float64]
    partial: bool
    where: tuple[Where, ...]


def _times(s: Selection, counter: str, missing: Absent) -> _Times | Absent:
    found = calls_of_ranks(s)
    if isinstance(found, Absent):
        return found
    rows, table = found
    known = _known(table, counter)
    return _Times(known, table.partial, _where(rows, counter)) if len(known) else missing


def _mean(s: Selection, counter: str, missing: Absent) -> Outcome:
    """Over the ranks that have a record."""
    found = _times(s, counter, missing)
    if isinstance(found, Absent):
        return found
    return Value(float(found.seconds.mean()), "inferred" if found.partial else "measured", found.where)


_metric_of_mpi_times = metrics_unless(_no_records, needs=NEEDS, scopes=["job"])


@_metric_of_mpi_times(
    "mpi.time",
    "Time in MPI calls, mean over ranks",
    "s",
    formula="mean over ranks of MPI_TOTAL_COMM_TIME; MPI_File calls are not in it, what ROMIO exchanges within them is",
)
def time(s: Selection) -> Outcome:
    return _mean(s, TIME, NO_TIMES)


@_metric_of_mpi_times(
    "mpi.time_busiest",
    "Time in MPI calls of the rank with most",
    "s",
    formula="largest MPI_TOTAL_COMM_TIME of a rank",
)
def time_busiest(s: Selection) -> Outcome:
    found = _times(s, TIME, NO_TIMES)
    if isinstance(found, Absent):
        return found
    return Value(float(found.seconds.max()), where=found.where, bound="lower" if found.partial else None)


@_metric_of_mpi_times(
    "mpi.time_fraction",
    "Share of the run in MPI calls",
    "share",
    about=About(time=True),
    formula="mpi.time / run time of its step",
)
def time_fraction(s: Selection) -> Outcome:
    return _of_run(outcome(s, "mpi.time"), s)


@metric(
    "mpi.sync_time",
    "Time waiting in MPI collectives, mean over ranks",
    "s",
    formula="mean over ranks of MPI_TOTAL_COMM_SYNC_TIME: the barrier that AUTOPERF then puts before each collective",
    needs=f"{NEEDS}, built with --enable-apmpi-coll-sync",
    scopes=["job"],
    unless=_no_records,
)
def sync_time(s: Selection) -> Outcome:
    return _mean(s, WAITING, NOT_TAKEN)


@metric(
    "mpi.sync_fraction",
    "Share of the run waiting in MPI collectives",
    "share",
    about=About(time=True),
    formula="mpi.sync_time / run time of its step",
    needs=f"{NEEDS}, built with --enable-apmpi-coll-sync",
    scopes=["job"],
    unless=_no_records,
)
def sync_fraction(s: Selection) -> Outcome:
    return _of_run(outcome(s, "mpi.sync_time"), s)


@metric(
    "mpi.leading_operation",
    "MPI operation that takes most time",
    "word",
    formula="operation with the largest sum of MPI_*_TOTAL_TIME over ranks",
    needs=NEEDS,
    scopes=["job"],
    of=calls_of_ranks,
)
def leading_operation(found: tuple[LogRows, CounterTable]) -> Outcome:
    rows, table = found
    spent = {op: float(_known(table, f"{op}_TOTAL_TIME").sum()) for op in APMPI_OPERATIONS}
    first = max(spent, key=lambda op: spent[op])
    if not spent[first]:
        return Absent("no MPI operation took any time")
    return Value(first, "measured", _where(rows, f"{first}_TOTAL_TIME"))


def _of_run(spent: Outcome, s: Selection) -> Outcome:
    """The share of the run time of the step that has the calls: a job may have others."""
    found = calls_of_ranks(s)
    if isinstance(spent, Absent):
        return spent
    if isinstance(found, Absent):
        return found
    run_s = found[0].log.job.runtime_s
    if run_s is None:
        return NO_END
    if not isinstance(spent.value, int | float) or run_s < NO_TIME:
        return Absent("the run time is zero")
    share = spent.value / run_s
    if spent.value > longest_possible(run_s):
        return Absent(f"MPI's times are {share:.3g} times as long as the run: not plausible")
    return Value(min(1.0, share), "inferred" if share > 1 else spent.confidence, spent.where)

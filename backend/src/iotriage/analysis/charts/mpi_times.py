"""What AUTOPERF's records say about a run's MPI calls, as tables: by operation, and by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.mpi.times import TIME, WAITING, calls_of_ranks
from iotriage_parsers.evidence import APMPI_COLLECTIVES, APMPI_OPERATIONS, APMPI_WITHOUT_SIZES, CounterTable
from iotriage_parsers.frozen import frozen

MOST_RANKS = 64


@frozen
class MpiOperation:
    """Calls and bytes summed over ranks, bytes null where the operation has none; seconds of the rank with least, of
    the mean over all ranks, and of the rank with most. `sync_s` is the mean time of waiting, null where not taken."""

    name: str
    calls: int
    bytes: int | None
    least_s: float
    mean_s: float
    most_s: float
    most_rank: int
    sync_s: float | None


@frozen
class MpiRank:
    rank: int
    time_s: float
    sync_s: float | None


@frozen
class MpiTimes:
    """Operations by time, ranks by time, at most 64 of them; `ranks_total` is how many have records. `source` is the
    index of the log."""

    source: int
    operations: tuple[MpiOperation, ...]
    ranks: tuple[MpiRank, ...]
    ranks_total: int
    partial: bool


def mpi_times(job: Selection) -> MpiTimes | None:
    """None where no log has such records."""
    found = calls_of_ranks(job)
    if isinstance(found, Absent):
        return None
    rows, table = found
    operations = [_operation(table, name) for name in APMPI_OPERATIONS if int(table.total(f"{name}_CALL_COUNT") or 0)]
    spent, waited = _seconds(table, TIME), table.seconds(WAITING)
    order = np.argsort(-spent, kind="stable")[:MOST_RANKS]
    ranks = tuple(MpiRank(int(table.ranks[i]), float(spent[i]), _or_none(float(waited[i]))) for i in order)
    by_time = tuple(sorted(operations, key=lambda o: (-o.mean_s, o.name)))
    return MpiTimes(rows.source, by_time, ranks, len(table), table.partial)


def _operation(table: CounterTable, name: str) -> MpiOperation:
    spent = _seconds(table, f"{name}_TOTAL_TIME")
    slowest = int(spent.argmax())
    waited = table.seconds(f"{name}_TOTAL_SYNC_TIME") if name in APMPI_COLLECTIVES else np.array([np.nan])
    return MpiOperation(
        name=name,
        calls=int(table.total(f"{name}_CALL_COUNT") or 0),
        bytes=None if name in APMPI_WITHOUT_SIZES else table.total(f"{name}_TOTAL_BYTES"),
        least_s=float(spent.min()),
        mean_s=float(spent.mean()),
        most_s=float(spent[slowest]),
        most_rank=int(table.ranks[slowest]),
        sync_s=_or_none(float(waited.mean())),
    )


def _seconds(table: CounterTable, counter: str) -> NDArray[np.float64]:
    times = table.seconds(counter)
    return np.where(np.isfinite(times) & (times > 0), times, 0.0)


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) and value >= 0 else None

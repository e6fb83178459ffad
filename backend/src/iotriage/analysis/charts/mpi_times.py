"""What AUTOPERF's records say about a run's MPI calls, as tables: by operation, and by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.mpi_times import MpiOperation, MpiRank, MpiTimes
from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.mpi.times import TIME, WAITING, calls_of_ranks
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage_parsers.evidence import APMPI_COLLECTIVES, APMPI_OPERATIONS, APMPI_WITHOUT_SIZES, CounterTable

MOST_RANKS = 64


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
    return known_seconds(table.seconds(counter))


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) and value >= 0 else None

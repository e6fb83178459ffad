"""When the files of records were first and last used, by the timestamps that Darshan keeps of each kind of call."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s


def first_at(table: CounterTable, *kinds: str) -> Float64s:
    """Seconds from the start to the earliest of these timestamps of each record, "READ_START" say, infinite where the
    log has none. Shape (n,)."""
    at = _known(table, kinds)
    found: Float64s = np.where(at > 0, at, np.inf).min(axis=0, initial=np.inf)
    return found


def last_at(table: CounterTable, *kinds: str) -> Float64s:
    """Seconds from the start to the latest of these timestamps of each record, 0 where the log has none. Shape (n,)."""
    found: Float64s = _known(table, kinds).max(axis=0, initial=0.0)
    return found


def _known(table: CounterTable, kinds: tuple[str, ...]) -> Float64s:
    """Shape (kinds, n), without those that the module does not keep."""
    names = (f"{prefix_of(table)}_F_{kind}_TIMESTAMP" for kind in kinds)
    found = [table.seconds(name) for name in names if name in table.float_names]
    return known_seconds(np.array(found, np.float64).reshape(len(found), len(table)))

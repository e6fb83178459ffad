"""The counters of one record of a Darshan log, or of a whole module, as they stand in the log."""

from __future__ import annotations

import numpy as np

from iotriage.analysis.views.counters import RecordCounter, counters_of, layout_counters
from iotriage_parsers.evidence import SHARED_RANK, CounterTable, DarshanLog, Evidence
from iotriage_parsers.frozen import frozen


@frozen
class Record:
    """`record` is the record's id in decimal, null for a module's totals. `rank` is −1 for a record that Darshan
    reduced over all ranks, null where `rows` records of several ranks are summed."""

    module: str
    record: str | None
    file: str | None
    rank: int | None
    rows: int
    counters: tuple[RecordCounter, ...]


@frozen
class RecordQuery:
    """Which record's counters: all of a module without `record`, all ranks' without `rank`."""

    module: str
    record: str | None = None
    rank: int | None = None


def record_of(evidence: Evidence, query: RecordQuery) -> Record | None:
    """The counters that the query asks for; None where the source has no such module or record."""
    for log in evidence.of(DarshanLog):
        if query.module == "LUSTRE":
            return _layout(log, query)
        table = log.tables.get(query.module)
        if table is not None:
            return _counters(log, table, query)
    return None


def _counters(log: DarshanLog, table: CounterTable, query: RecordQuery) -> Record | None:
    record = None if query.record is None else int(query.record)
    mask = np.ones(len(table), np.bool_)
    if record is not None:
        mask &= table.ids == record
    if query.rank is not None:
        mask &= table.ranks == query.rank
    rows = table.rows(mask)
    if len(rows) == 0 and (query.record is not None or query.rank is not None):
        return None
    one = len(rows) == 1
    file = None if record is None else log.names.get(record)
    rank = int(rows.ranks[0]) if one else query.rank
    return Record(table.module, query.record, file, rank, len(rows), counters_of(rows))


def _layout(log: DarshanLog, query: RecordQuery) -> Record | None:
    if query.record is None:
        return None
    found = next((layout for layout in log.lustre if layout.record == int(query.record)), None)
    if found is None:
        return None
    file = log.names.get(found.record)
    return Record("LUSTRE", query.record, file, SHARED_RANK, 1, layout_counters(found))

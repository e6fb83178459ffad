"""The counters of one record of a Darshan log, or of a whole module, as they stand in the log."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import SHARED_RANK, CounterTable, DarshanLog, Evidence, LustreLayout

LARGEST_EXACT_INTEGER = 2**53
"""Up to here a JavaScript number is exact."""


@dataclass(frozen=True, slots=True)
class RecordCounter:
    """`value` is null where Darshan could not fill the counter, or where a total makes no sense. An integer that
    a JavaScript number cannot hold, beyond 2^53, comes as a decimal string."""

    name: str
    value: int | float | str | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """`record` is the record's id in decimal, null for a module's totals. `rank` is −1 for a record that Darshan
    reduced over all ranks, null where `rows` records of several ranks are summed."""

    module: str
    record: str | None
    file: str | None
    rank: int | None
    rows: int
    counters: tuple[RecordCounter, ...]


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """Which record's counters: all of a module without `record`, all ranks' without `rank`; of an archive those of the
    file with index `member`."""

    module: str
    record: str | None = None
    rank: int | None = None
    member: int | None = None


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
    integers = (_integer(n, rows.ints[:, i]) for i, n in enumerate(table.int_names))
    floats = (_float(n, rows.floats[:, i]) for i, n in enumerate(table.float_names))
    file = None if record is None else log.names.get(record)
    rank = int(rows.ranks[0]) if one else query.rank
    return Record(table.module, query.record, file, rank, len(rows), (*integers, *floats))


def _layout(log: DarshanLog, query: RecordQuery) -> Record | None:
    if query.record is None:
        return None
    found = next((layout for layout in log.lustre if layout.record == int(query.record)), None)
    if found is None:
        return None
    file = log.names.get(found.record)
    return Record("LUSTRE", query.record, file, SHARED_RANK, 1, _layout_counters(found))


def _layout_counters(layout: LustreLayout) -> tuple[RecordCounter, ...]:
    return (
        RecordCounter("LUSTRE_STRIPE_SIZE", _exact(layout.stripe_size), "B"),
        RecordCounter("LUSTRE_STRIPE_WIDTH", _exact(layout.stripe_count), "OSTs"),
        RecordCounter("LUSTRE_OSTS", _exact(layout.osts_in_fs), "OSTs"),
        RecordCounter("LUSTRE_MDTS", _exact(layout.mdts_in_fs), "MDTs"),
        *(RecordCounter(f"LUSTRE_OST_ID_{i}", _exact(ost), None) for i, ost in enumerate(layout.osts)),
    )


_LARGEST = re.compile(r"_MAX_|_F_.*_END_TIMESTAMP$")
_SMALLEST = re.compile(r"_F_.*_START_TIMESTAMP$")
_NO_COUNT = r"LENGTH_D\d|STRIDE_D\d|CHUNK_SIZE_D\d|DATASPACE_\w+|NDIMS|NPOINTS|IS_RECORD_VAR|USE_\w+|OBJ_OTYPE"
"""Shapes and flags of datasets, variables and objects."""

_NO_TOTAL = re.compile(
    r"_(MODE|RENAMED_FROM|\w+_ALIGNMENT|(FASTEST|SLOWEST)_RANK\w*|(ACCESS|STRIDE)\d_\w+|F_VARIANCE_\w+|\w+_SIZE"
    rf"|{_NO_COUNT})$"
)


def _integer(name: str, column: NDArray[np.int64]) -> RecordCounter:
    known = [int(value) for value in column if value >= 0]
    return RecordCounter(name, _exact(_total(name, known, len(column))), _unit(name))


def _float(name: str, column: NDArray[np.float64]) -> RecordCounter:
    known = [float(value) for value in column if math.isfinite(value) and value >= 0]
    return RecordCounter(name, _total(name, known, len(column)), _unit(name))


def _total(name: str, known: list[int] | list[float], rows: int) -> int | float | None:
    """One record's value as it is; of several, the sum, the extreme for maxima and timestamps, or nothing."""
    if not known:
        return None
    if rows == 1:
        return known[0]
    if _SMALLEST.search(name):
        # A timer that never started stands at zero.
        return min((value for value in known if value > 0), default=0.0)
    if _LARGEST.search(name):
        return max(known)
    return None if _NO_TOTAL.search(name) else sum(known)


def _exact(value: int | float | None) -> int | float | str | None:
    return str(value) if isinstance(value, int) and value > LARGEST_EXACT_INTEGER else value


_UNITS = (
    (re.compile(r"_F_VARIANCE_RANK_TIME$"), "s²"),
    (re.compile(r"_F_VARIANCE_RANK_BYTES$"), "B²"),
    (re.compile(r"_F_"), "s"),
    (re.compile(r"_RANK_BYTES$|_BYTES_|_MAX_BYTE_|_ALIGNMENT$|_TIME_SIZE$|_ACCESS\d_ACCESS$|_STRIDE\d_STRIDE$"), "B"),
    (re.compile(r"_(FASTEST|SLOWEST)_RANK$"), "rank"),
    (re.compile(r"_(CELL|CHUNK|DATATYPE)_SIZE$"), "B"),
    (re.compile(rf"_(MODE|RENAMED_FROM|{_NO_COUNT})$|^BGQ_"), None),
)


def _unit(name: str) -> str | None:
    """The counter's unit, by Darshan's own naming; what is left counts calls."""
    return next((unit for pattern, unit in _UNITS if pattern.search(name)), "calls")

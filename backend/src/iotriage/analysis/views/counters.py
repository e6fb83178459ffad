"""The counters of Darshan's records as they stand in the log: of one record, of several together, or one by one."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import CounterTable, LustreLayout
from iotriage_parsers.frozen import frozen

LARGEST_EXACT_INTEGER = 2**53
"""Up to here a JavaScript number is exact."""


@frozen
class RecordCounter:
    """`value` is null where Darshan could not fill the counter, or where a total makes no sense. An integer that
    a JavaScript number cannot hold, beyond 2^53, comes as a decimal string."""

    name: str
    value: int | float | str | None
    unit: str | None


def counters_of(table: CounterTable) -> tuple[RecordCounter, ...]:
    """Every counter of the table's records, of several the total."""
    integers = (_integer(name, table.ints[:, i]) for i, name in enumerate(table.int_names))
    floats = (_float(name, table.floats[:, i]) for i, name in enumerate(table.float_names))
    return (*integers, *floats)


def layout_counters(layout: LustreLayout) -> tuple[RecordCounter, ...]:
    """What Darshan's LUSTRE module has of a file, under its names."""
    return (
        RecordCounter("LUSTRE_STRIPE_SIZE", exact(layout.stripe_size), "B"),
        RecordCounter("LUSTRE_STRIPE_WIDTH", exact(layout.stripe_count), "OSTs"),
        RecordCounter("LUSTRE_OSTS", exact(layout.osts_in_fs), "OSTs"),
        RecordCounter("LUSTRE_MDTS", exact(layout.mdts_in_fs), "MDTs"),
        *(RecordCounter(f"LUSTRE_OST_ID_{i}", exact(ost), None) for i, ost in enumerate(layout.osts)),
    )


_LARGEST = re.compile(r"_MAX_|_F_.*_END_TIMESTAMP$")
_SMALLEST = re.compile(r"_F_.*_START_TIMESTAMP$|^MPI_\w+_MIN_TIME$")
_NO_COUNT = r"LENGTH_D\d|STRIDE_D\d|CHUNK_SIZE_D\d|DATASPACE_\w+|NDIMS|NPOINTS|IS_RECORD_VAR|USE_\w+|OBJ_OTYPE"
"""Shapes and flags of datasets, variables and objects."""

_NO_TOTAL = re.compile(
    r"_(MODE|RENAMED_FROM|\w+_ALIGNMENT|(FASTEST|SLOWEST)_RANK\w*|(ACCESS|STRIDE)\d_\w+|F_VARIANCE_\w+|\w+_SIZE"
    rf"|{_NO_COUNT})$|^APXC_(GROUP|CHASSIS|BLADE|NODE)$"
)


def _integer(name: str, column: NDArray[np.int64]) -> RecordCounter:
    known = [int(value) for value in column if value >= 0]
    return RecordCounter(name, exact(_total(name, known, len(column))), unit_of(name))


def _float(name: str, column: NDArray[np.float64]) -> RecordCounter:
    known = [float(value) for value in column if math.isfinite(value) and value >= 0]
    return RecordCounter(name, _total(name, known, len(column)), unit_of(name))


def _total(name: str, known: list[int] | list[float], rows: int) -> int | float | None:
    """One record's value as it is; of several, the sum, the extreme for maxima and timestamps, or nothing."""
    if not known:
        return None
    if rows == 1:
        return known[0]
    if _NO_TOTAL.search(name):
        return None
    if _SMALLEST.search(name):
        # A timer that never started stands at zero.
        return min((value for value in known if value > 0), default=0.0)
    return max(known) if _LARGEST.search(name) else sum(known)


def exact(value: int | float | None) -> int | float | str | None:
    return str(value) if isinstance(value, int) and value > LARGEST_EXACT_INTEGER else value


_UNITS = (
    (re.compile(r"_F_VARIANCE_RANK_TIME$"), "s²"),
    (re.compile(r"_F_VARIANCE_RANK_BYTES$"), "B²"),
    (re.compile(r"^MPI_\w+_TIME$"), "s"),
    (re.compile(r"^MPI_\w+_TOTAL_BYTES$"), "B"),
    (re.compile(r"_F_"), "s"),
    (re.compile(r"_RANK_BYTES$|_BYTES_|_MAX_BYTE_|_ALIGNMENT$|_TIME_SIZE$|_ACCESS\d_ACCESS$|_STRIDE\d_STRIDE$"), "B"),
    (re.compile(r"_(FASTEST|SLOWEST)_RANK$"), "rank"),
    (re.compile(r"_(CELL|CHUNK|DATATYPE)_SIZE$"), "B"),
    (re.compile(rf"_(MODE|RENAMED_FROM|{_NO_COUNT})$|^(BGQ|APXC)_"), None),
)


def unit_of(name: str) -> str | None:
    """The counter's unit, by Darshan's own naming; what is left counts calls."""
    return next((unit for pattern, unit in _UNITS if pattern.search(name)), "calls")

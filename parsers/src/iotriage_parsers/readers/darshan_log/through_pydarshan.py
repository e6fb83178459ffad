"""Modules that this reader does not know, read by pydarshan: HDF5, PnetCDF, DAOS, AUTOPERF MPI and Blue Gene/Q.

For a disposable process only, with limits on memory and time: libdarshan-util aborts, overruns its buffers or loops on
damaged logs, and one process must not serve two users' logs. `reader.read` never comes here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypedDict

import numpy as np

from iotriage_parsers.evidence.darshan import CounterTable, Float64s, Int64s, UInt64s

MODULES: Final = ("H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "APMPI", "DFS", "DAOS")

_APMPI_FLOATS: Final = ("mpiop_totaltime_", "mpiop_synctime_", "mpi_global_")


@dataclass(frozen=True, eq=False)
class ForeignTable:
    """Records as pydarshan gives them. `file_ids` (n,) is the file of each HDF5 dataset or PnetCDF variable, None for
    other modules; `hosts` has the node of each AUTOPERF MPI record, and is empty for other modules."""

    table: CounterTable
    file_ids: UInt64s | None = None
    hosts: tuple[str, ...] = ()


class _Record(TypedDict, total=False):
    id: int
    rank: int
    file_rec_id: int
    counters: Int64s
    fcounters: Float64s
    node_name: str
    all_counters: Mapping[str, int | float]


def read_module(path: str | os.PathLike[str], module: str) -> ForeignTable:
    """Every record of `module` in the log at `path`, in file order; an empty table where the log has none of them.

    ValueError for a module that is not in `MODULES`, RuntimeError where pydarshan cannot open the log. Damage shows as
    fewer records than there are, or as the end of the process.
    """
    if module not in MODULES:
        raise ValueError(f"{module} is not read through pydarshan; {', '.join(MODULES)} are")
    from darshan.backend import cffi_backend as backend

    log = backend.log_open(os.fspath(path))
    if log["handle"] == backend.ffi.NULL:
        raise RuntimeError(f"pydarshan cannot open {os.fspath(path)}")
    try:
        entry = backend.log_get_modules(log).get(module)
        partial = bool(entry and entry["partial_flag"])
        int_names, float_names = _names(module)
        if entry is None:
            records: list[_Record] = []
        elif module == "APMPI":
            records = list(_apmpi_records(log, int_names, float_names))
        else:
            records = list(_records(log, module))
    finally:
        backend.log_close(log)
    return _table(module, int_names, float_names, records, partial)


def _names(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from darshan.backend import cffi_backend as backend

    name = {"BG/Q": "BGQ"}.get(module, module)
    if module == "APMPI":
        floats = [backend.counter_names(name, fcnts=True, special=part) for part in _APMPI_FLOATS]
        return tuple(backend.counter_names(name)), tuple(name for part in floats for name in part)
    return tuple(backend.counter_names(name)), tuple(backend.fcounter_names(name))


def _records(log: Mapping[str, object], module: str) -> Iterator[_Record]:
    from darshan.backend import cffi_backend as backend

    while (record := backend.log_get_record(log, module)) is not None:
        yield record


def _apmpi_records(
    log: Mapping[str, object], int_names: tuple[str, ...], float_names: tuple[str, ...]
) -> Iterator[_Record]:
    """The module begins with one header record, then one record a rank."""
    from darshan.backend.apmpi import log_get_apmpi_record

    if log_get_apmpi_record(log, "APMPI", "HEADER") is None:
        return
    while (record := log_get_apmpi_record(log, "APMPI", "PERF")) is not None:
        counters = record["all_counters"]
        yield {
            "id": record["id"],
            "rank": record["rank"],
            "node_name": record["node_name"],
            "counters": np.array([counters[name] for name in int_names], np.uint64).astype(np.int64),
            "fcounters": np.array([counters[name] for name in float_names], np.float64),
        }


def _table(
    module: str, int_names: tuple[str, ...], float_names: tuple[str, ...], records: list[_Record], partial: bool
) -> ForeignTable:
    count = len(records)
    table = CounterTable(
        module,
        int_names,
        float_names,
        np.array([record["id"] for record in records], np.uint64),
        np.array([record["rank"] for record in records], np.int64),
        np.array([record["counters"] for record in records], np.int64).reshape(count, len(int_names)),
        np.array([record["fcounters"] for record in records], np.float64).reshape(count, len(float_names)),
        partial,
    )
    has_files = module in ("H5D", "PNETCDF_VAR")
    return ForeignTable(
        table,
        np.array([record["file_rec_id"] for record in records], np.uint64) if has_files else None,
        tuple(record["node_name"] for record in records if "node_name" in record),
    )

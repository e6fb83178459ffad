"""Evidence written out by hand: only the counters that a test is about, the others 0 or not available."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.core.registry import compute
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import (
    CounterTable,
    DarshanLog,
    Job,
    Lines,
    LustreLayout,
    ModuleInfo,
    MpiioStats,
)
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

Record = tuple[int, int, Mapping[str, float]]
"""Record id, rank (−1: reduced over all ranks), and the counters that are not 0."""


@cache
def _columns_of(module: str, counters: tuple[str, ...]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """The columns of these counters, of integers and of floating-point numbers."""
    names, float_names = ({name: i for i, name in enumerate(names)} for names in ALL_NAMES[module])
    whole = {name: names[name] for name in counters if name in names}
    return whole, {name: float_names[name] for name in counters if name not in whole}


def table(module: str, *records: Record, files: Sequence[int] | None = None) -> CounterTable:
    """`files` names the file of each record, for datasets and variables."""
    names, float_names = ALL_NAMES[module]
    # Ranks that do the same have one mapping in common.
    kinds = {id(values): values for _, _, values in records}
    place = {key: row for row, key in enumerate(kinds)}
    ints = np.zeros((len(kinds), len(names)), dtype=np.int64)
    floats = np.zeros((len(kinds), len(float_names)))
    for row, values in enumerate(kinds.values()):
        of_ints, of_floats = _columns_of(module, tuple(values))
        ints[row, list(of_ints.values())] = [int(values[name]) for name in of_ints]
        floats[row, list(of_floats.values())] = [values[name] for name in of_floats]
    kind_of = np.array([place[id(values)] for _, _, values in records], dtype=np.intp)
    return CounterTable(
        module,
        tuple(names),
        tuple(float_names),
        np.array([r[0] for r in records], dtype=np.uint64),
        np.array([r[1] for r in records], dtype=np.int64),
        ints[kind_of],
        floats[kind_of],
        file_ids=None if files is None else np.array(files, dtype=np.uint64),
    )


def log(
    *tables: CounterTable,
    nprocs: int | None = 8,
    runtime_s: float | None = 100.0,
    partial: Sequence[str] = (),
    names: Mapping[int, str] | None = None,
    lustre: tuple[LustreLayout, ...] = (),
    hostnames: Mapping[int, str] | None = None,
) -> DarshanLog:
    by_module = {t.module: t for t in tables}
    return DarshanLog(
        log_version="3.41",
        byte_order="little",
        compression="zlib",
        job=Job(job_id="1", nprocs=nprocs, runtime_s=runtime_s, executable="/bin/app"),
        metadata=(),
        names=names or {int(i): f"/scratch/file{int(i)}" for t in tables for i in t.ids},
        modules=tuple(ModuleInfo(t.module, 4, 1, t.module in partial, "read", len(t)) for t in tables),
        posix=by_module.get("POSIX"),
        mpiio=by_module.get("MPI-IO"),
        stdio=by_module.get("STDIO"),
        lustre=lustre,
        h5f=by_module.get("H5F"),
        h5d=by_module.get("H5D"),
        pnetcdf_file=by_module.get("PNETCDF_FILE"),
        pnetcdf_var=by_module.get("PNETCDF_VAR"),
        dfs=by_module.get("DFS"),
        daos=by_module.get("DAOS"),
        bgq=by_module.get("BG/Q"),
        hostnames=hostnames or {},
    )


def block(**fields: object) -> MpiioStats:
    known: dict[str, object] = {
        "direction": "write",
        "file": "out.dat",
        "occurrence": 1,
        "lines": Lines(1, 18),
        "complete": True,
        "trusted": True,
    }
    return MpiioStats(**{**known, **fields})  # type: ignore[arg-type]


def job(*logs: DarshanLog, stats: Sequence[MpiioStats] = (), **known: object) -> Selection:
    """The selection of these parts, each a source of its own, in their order."""
    return replace(select_job(list(enumerate((*logs, *stats)))), **known)  # type: ignore[arg-type]


def metric(selection: Selection, id: str) -> Metric:
    return compute(all_metrics()[id], selection)


def value(selection: Selection, id: str) -> float | int | str | None:
    return metric(selection, id).value

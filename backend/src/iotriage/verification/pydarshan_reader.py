"""Reads a log with pydarshan, into the shape that `iotriage.verification.reading` declares.

libdarshan-util aborts on damaged logs, can hang, and is not safe with untrusted bytes: only the disposable processes
that read a single log import this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from iotriage.verification.imported_later import import_when_used

# Half of the time that pydarshan takes to import; what we ask of it has nothing to do with tables.
import_when_used("pandas")

import darshan  # noqa: E402
from darshan.backend import cffi_backend as backend  # noqa: E402
from darshan.backend.apmpi import log_get_apmpi_record  # noqa: E402
from darshan.backend.apxc import log_get_apxc_record  # noqa: E402

RECORDS = ("POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS", "BG/Q")
DERIVED = ("POSIX", "MPI-IO", "STDIO")
TRACES = ("DXT_POSIX", "DXT_MPIIO")
PLACE = ("group", "chassis", "blade", "node")


class Log(TypedDict):
    """pydarshan's handle of a log, with the modules that it has."""

    handle: object
    modules: Mapping[str, object]


class Segment(TypedDict):
    offset: int
    length: int
    start_time: float
    end_time: float


class Component(TypedDict):
    counters: NDArray[np.int64]
    ost_ids: NDArray[np.int64]


class Record(TypedDict, total=False):
    """A record of pydarshan's: `id` and `rank`, and then what its module has."""

    id: int
    rank: int
    counters: NDArray[np.int64]
    fcounters: NDArray[np.float64]
    file_rec_id: int
    components: list[Component]
    hostname: str
    write_segments: list[Segment]
    read_segments: list[Segment]
    bin_width_seconds: float
    write_bins: NDArray[np.int64]
    read_bins: NDArray[np.int64]
    node_name: str
    all_counters: Mapping[str, float]


class Router(TypedDict):
    id: int
    rank: int
    group: int
    chassis: int
    blade: int
    node: int
    counters: Mapping[str, int]


class Table(TypedDict):
    module: str
    int_names: Sequence[str]
    float_names: Sequence[str]
    ids: list[int]
    ranks: list[int]
    ints: list[list[int]]
    floats: list[list[float | None]]
    file_ids: list[int] | None


def read(path: str) -> Mapping[str, object]:
    """Everything that pydarshan says about the log; `error` where the library cannot open it."""
    log: Log = backend.log_open(path)
    if log["handle"] == backend.ffi.NULL:
        return {"error": "libdarshan-util cannot open it"}
    backend.libdutil.darshan_log_close  # noqa: B018 - parsing this type later, inside a destructor, can hang
    job = backend.log_get_job(log)
    modules = backend.log_get_modules(log)
    tables = [_records(log, module) for module in RECORDS if module in modules]
    nodes: list[tuple[int, str]] = []
    if "APMPI" in modules:
        log_get_apmpi_record(log, "APMPI", "HEADER")
        ranks: list[Record] = list(iter(lambda: log_get_apmpi_record(log, "APMPI", "PERF"), None))
        nodes = [(one["rank"], one["node_name"]) for one in ranks]
        tables.append(_calls(ranks))
    if "APXC" in modules:
        log_get_apxc_record(log, "APXC", "HEADER")
        tables.append(_routers(list(iter(lambda: log_get_apxc_record(log, "APXC", "PERF"), None))))
    return {
        "pydarshan": darshan.__version__,
        "job": {key: job[key] for key in ("uid", "jobid", "nprocs", "run_time", "log_ver")}
        | {
            "start": job["start_time_sec"] + job["start_time_nsec"] / 1e9,
            "end": job["end_time_sec"] + job["end_time_nsec"] / 1e9 if job["end_time_sec"] else None,
        },
        "metadata": list(job["metadata"].items()),
        "executable": backend.log_get_exe(log),
        "mounts": backend.log_get_mounts(log),
        "names": list(backend.log_get_name_records(log).items()),
        "modules": [
            {"name": name, "version": m["ver"], "compressed_bytes": m["len"], "partial": m["partial_flag"]}
            for name, m in modules.items()
        ],
        "tables": tables,
        "derived": [_derived(t, job["nprocs"]) for t in tables if t["module"] in DERIVED and t["ids"]],
        "heatmaps": [_heatmap(record) for record in _records_of(log, "HEATMAP")],
        "layouts": [_layout(record) for record in _records_of(log, "LUSTRE")],
        "traces": [_trace(module, record) for module in TRACES for record in _records_of(log, module)],
        "nodes": nodes,
    }


def _heatmap(record: Record) -> Mapping[str, object]:
    return {
        "record": record["id"],
        "rank": record["rank"],
        "bin_width_s": record["bin_width_seconds"],
        "written": record["write_bins"].tolist(),
        "read": record["read_bins"].tolist(),
    }


def _layout(record: Record) -> Mapping[str, object]:
    components = record["components"]
    return {
        "record": record["id"],
        "components": [{"counters": c["counters"].tolist(), "osts": c["ost_ids"].tolist()} for c in components],
    }


def _trace(module: str, record: Record) -> Mapping[str, object]:
    return {
        "module": module,
        "record": record["id"],
        "rank": record["rank"],
        "host": record["hostname"],
        "writes": _segments(record["write_segments"]),
        "reads": _segments(record["read_segments"]),
    }


def _records_of(log: Log, module: str) -> Iterator[Record]:
    if module in log["modules"]:
        while (record := backend.log_get_record(log, module)) is not None:
            yield record


def _records(log: Log, module: str) -> Table:
    records = list(_records_of(log, module))
    files = [one["file_rec_id"] for one in records if "file_rec_id" in one]
    named = module.replace("/", "")
    return _table(
        module,
        (backend.counter_names(named), backend.fcounter_names(named)),
        [(one["id"], one["rank"]) for one in records],
        [one["counters"].tolist() for one in records],
        [one["fcounters"].tolist() for one in records],
        files or None,
    )


def _calls(ranks: list[Record]) -> Table:
    """AUTOPERF's records of MPI calls."""
    ints = backend.counter_names("APMPI")
    floats = [
        name
        for special in ("mpiop_totaltime_", "mpiop_synctime_", "mpi_global_")
        for name in backend.counter_names("APMPI", fcnts=True, special=special)
    ]
    counters = [one["all_counters"] for one in ranks]
    return _table(
        "APMPI",
        (ints, floats),
        [(one["id"], one["rank"]) for one in ranks],
        [[int(of[name]) for name in ints] for of in counters],
        [[float(of[name]) for name in floats] for of in counters],
    )


def _routers(routers: list[Router]) -> Table:
    """AUTOPERF's records of Cray XC routers: where each is, then its counters."""
    names = backend.counter_names("APXC")
    places = [(one["group"], one["chassis"], one["blade"], one["node"]) for one in routers]
    return _table(
        "APXC",
        (["APXC_GROUP", "APXC_CHASSIS", "APXC_BLADE", "APXC_NODE", *names], []),
        [(one["id"], one["rank"]) for one in routers],
        [[*at, *(int(one["counters"][name]) for name in names)] for at, one in zip(places, routers, strict=True)],
        [[] for _ in routers],
    )


def _table(
    module: str,
    names: tuple[Sequence[str], Sequence[str]],
    of: list[tuple[int, int]],
    ints: list[list[int]],
    floats: list[list[float]],
    file_ids: list[int] | None = None,
) -> Table:
    return {
        "module": module,
        "int_names": names[0],
        "float_names": names[1],
        "ids": [record for record, _ in of],
        "ranks": [rank for _, rank in of],
        "ints": ints,
        "floats": [[_finite(value) for value in row] for row in floats],
        "file_ids": file_ids,
    }


def _derived(table: Table, nprocs: int) -> Mapping[str, object]:
    """The figures of libdarshan-util's accumulator."""
    ffi, library, module = backend.ffi, backend.libdutil, table["module"]
    rows = zip(table["ids"], table["ranks"], table["ints"], table["floats"], strict=True)
    buffer = b"".join(
        np.array([record], np.uint64).tobytes()
        + np.array([rank, *ints], np.int64).tobytes()
        + np.array([math.nan if f is None else f for f in floats], np.float64).tobytes()
        for record, rank, ints, floats in rows
    )
    accumulator = ffi.new("darshan_accumulator *")
    assert library.darshan_accumulator_create(backend.mod_name_to_idx(module), nprocs, accumulator) == 0
    assert library.darshan_accumulator_inject(accumulator[0], ffi.from_buffer(buffer), len(table["ids"])) == 0
    metrics = ffi.new("struct darshan_derived_metrics *")
    summary = ffi.new(backend._structdefs[module].replace("**", "*"))
    assert library.darshan_accumulator_emit(accumulator[0], metrics, summary) == 0
    library.darshan_accumulator_destroy(accumulator[0])
    total = metrics.category_counters[0]
    return {
        "module": module,
        "total_bytes": metrics.total_bytes,
        "files": total.count,
        "bytes_read": total.total_read_volume_bytes,
        "bytes_written": total.total_write_volume_bytes,
        "agg_time_by_slowest_s": _finite(metrics.agg_time_by_slowest),
        "agg_perf_by_slowest": _finite(metrics.agg_perf_by_slowest),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _segments(segments: Iterable[Segment]) -> list[tuple[int, int, float, float]]:
    return [(s["offset"], s["length"], s["start_time"], s["end_time"]) for s in segments]

"""What pydarshan says of logs: `python pydarshan_dump.py FOLDER LOG…` writes FOLDER/0.pickle, 1.pickle and so on.

Every log is read in a forked child: the C library aborts on damaged logs and can hang where several share a process.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

import numpy as np

ACCUMULATED = ("POSIX", "MPI-IO", "STDIO")
COUNTER_MODULES = (*ACCUMULATED, "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS", "BG/Q")
CATEGORIES = ("total", "read_only", "write_only", "read_write", "unique", "shared", "partially_shared")
CATEGORY_FIELDS = (
    "count",
    "total_read_volume_bytes",
    "total_write_volume_bytes",
    "max_read_volume_bytes",
    "max_write_volume_bytes",
    "total_max_offset_bytes",
    "max_offset_bytes",
    "nprocs",
)


def dump(path: str) -> dict:
    log = backend.log_open(path)
    backend.libdutil.darshan_log_close  # noqa: B018 - parsing this type later, inside a destructor, can hang
    out: dict = {
        "job": backend.log_get_job(log),
        "exe": backend.log_get_exe(log),
        "mounts": backend.log_get_mounts(log),
        "names": backend.log_get_name_records(log),
        "modules": backend.log_get_modules(log),
        "counters": {},
        "derived": {},
        "heatmap": [],
        "lustre": [],
        "dxt": {},
    }
    for module in COUNTER_MODULES:
        if module in out["modules"]:
            records = list(_records(log, module))
            out["counters"][module] = records
            if module in ACCUMULATED:
                out["derived"][module] = _derived(records, module, out["job"]["nprocs"])
    for module in ("DXT_POSIX", "DXT_MPIIO"):
        if module in out["modules"]:
            out["dxt"][module] = list(_records(log, module))
    out["heatmap"] = list(_records(log, "HEATMAP"))
    out["lustre"] = list(_records(log, "LUSTRE"))
    if "APMPI" in out["modules"]:
        log_get_apmpi_record(log, "APMPI", "HEADER")
        perf = iter(lambda: log_get_apmpi_record(log, "APMPI", "PERF"), None)
        out["nodes"] = {record["rank"]: record["node_name"] for record in perf}
    return out


def _records(log, module):
    if module in log["modules"]:
        while (record := backend.log_get_record(log, module)) is not None:
            yield record


def _derived(records, module, nprocs):
    if not records:
        return None
    ffi, library = backend.ffi, backend.libdutil
    buffer = b"".join(
        np.array([record["id"]], np.uint64).tobytes()
        + np.array([record["rank"]], np.int64).tobytes()
        + record["counters"].tobytes()
        + record["fcounters"].tobytes()
        for record in records
    )
    accumulator = ffi.new("darshan_accumulator *")
    assert library.darshan_accumulator_create(backend.mod_name_to_idx(module), nprocs, accumulator) == 0
    assert library.darshan_accumulator_inject(accumulator[0], ffi.from_buffer(buffer), len(records)) == 0
    metrics = ffi.new("struct darshan_derived_metrics *")
    summary = ffi.new(backend._structdefs[module].replace("**", "*"))
    assert library.darshan_accumulator_emit(accumulator[0], metrics, summary) == 0
    library.darshan_accumulator_destroy(accumulator[0])
    return {
        "total_bytes": metrics.total_bytes,
        "agg_perf_by_slowest": metrics.agg_perf_by_slowest,
        "agg_time_by_slowest": metrics.agg_time_by_slowest,
        "shared": metrics.shared_io_total_time_by_slowest,
        "unique": metrics.unique_io_total_time_by_slowest,
        "unique_rw": metrics.unique_rw_only_time_by_slowest,
        "unique_md": metrics.unique_md_only_time_by_slowest,
        "slowest_rank": metrics.unique_io_slowest_rank,
        "files": {
            name: {field: getattr(metrics.category_counters[index], field) for field in CATEGORY_FIELDS}
            for index, name in enumerate(CATEGORIES)
        },
    }


def main(folder: Path, logs: list[str]) -> None:
    for index, log in enumerate(logs):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            (folder / f"{index}.pickle").write_bytes(pickle.dumps(dump(log)))
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    # Not at the top: other tests hold that nothing of ours imports pydarshan into its process.
    from darshan.backend import cffi_backend as backend
    from darshan.backend.apmpi import log_get_apmpi_record

    main(Path(sys.argv[1]), sys.argv[2:])

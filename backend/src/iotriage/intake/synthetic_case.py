"""The evidence of a made-up case. It is diagnosed once in a process that children are forked off, so that imports and
caches of a first diagnosis are there in each of them; otherwise they would take as long as the diagnosis itself, some
tenths of a second."""

from __future__ import annotations

import numpy as np

from iotriage_parsers.evidence import (
    CounterTable,
    DarshanLog,
    DxtTrace,
    Evidence,
    Job,
    LustreLayout,
    ModuleInfo,
    Mount,
)
from iotriage_parsers.evidence.dxt import SEGMENT
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

_BYTES = 2**20
_RANKS = 4


def synthetic_evidence() -> Evidence:
    """Of a log in which each rank writes to a shared file on Lustre, with its trace."""
    posix = _table("POSIX", {"POSIX_OPENS": 1, "POSIX_WRITES": 64, "POSIX_BYTES_WRITTEN": _BYTES}, "POSIX_F_WRITE_TIME")
    mpiio = _table("MPI-IO", {"MPIIO_INDEP_WRITES": 64, "MPIIO_BYTES_WRITTEN": _BYTES}, "MPIIO_F_WRITE_TIME")
    log = DarshanLog(
        log_version="3.41",
        byte_order="little",
        compression="zlib",
        job=Job(job_id="1", nprocs=_RANKS, runtime_s=10.0, executable="/a", mounts=(Mount("/", "lustre"),)),
        metadata=(),
        names={1: "/a"},
        modules=tuple(
            ModuleInfo(name, 4, 1, partial=False, status="read", records=_RANKS) for name in ("POSIX", "MPI-IO")
        ),
        posix=posix,
        mpiio=mpiio,
        lustre=(LustreLayout(1, 2**20, 1, (0,)),),
    )
    segments = np.zeros(_RANKS, SEGMENT)
    segments["record"], segments["rank"], segments["write"] = 1, np.arange(_RANKS), True
    segments["offset"], segments["length"] = np.arange(_RANKS) * _BYTES, _BYTES
    segments["end"] = np.arange(1.0, _RANKS + 1)
    trace = DxtTrace("POSIX", segments, dict.fromkeys(range(_RANKS), "nid000001.cluster"), {1: "/a"})
    return Evidence("darshan_log", (log, trace))


def _table(module: str, counted: dict[str, int], timed: str) -> CounterTable:
    names, float_names = ALL_NAMES[module]
    ints = np.zeros((_RANKS, len(names)), np.int64)
    floats = np.zeros((_RANKS, len(float_names)))
    for name, value in counted.items():
        ints[:, names.index(name)] = value
    floats[:, float_names.index(timed)] = np.arange(1.0, _RANKS + 1)
    ids, ranks = np.ones(_RANKS, np.uint64), np.arange(_RANKS, dtype=np.int64)
    return CounterTable(module, tuple(names), tuple(float_names), ids, ranks, ints, floats)

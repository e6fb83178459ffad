"""The log of a run: every module that its calls fill, reduced, as bytes."""

from __future__ import annotations

import numpy as np

from .calls import READS, WRITES, Ints, Layer
from .counters import Records, counted
from .logfile import HOME_MOUNT, WORK_MOUNT, Heat, Job, counters, encoded, heatmap, layouts
from .reduction import reduced
from .running import Run, Timed

HEAT_LAYERS = {Layer.POSIX: "POSIX", Layer.MPIIO: "MPIIO", Layer.STDIO: "STDIO"}
BINS = 100


def records_of(run: Run) -> list[Records]:
    """POSIX, MPI-IO and STDIO, as far as the program called them."""
    found = [counted(run.program, run.trace, layer) for layer in HEAT_LAYERS]
    return [reduced(records, run.program.ranks) for records in found if records is not None]


def log_of(run: Run, job_id: int = 1) -> bytes:
    """The bytes of the run's Darshan log."""
    program = run.program
    modules = {records.module: counters(records, program.files) for records in records_of(run)}
    touched = np.unique(run.trace.calls.file)
    striped = np.array([f for f in touched if program.systems[program.files[f].system].osts > 1], np.int64)
    if program.with_layouts and len(striped):
        modules["LUSTRE"] = layouts(program, striped)
    if program.hdf5:
        modules["H5F"] = counters(_hdf5(run), program.files)
    names = [program.files[f].path for f in touched]
    if program.with_heatmap:
        modules["HEATMAP"] = heatmap(_heat(run))
        names += [f"heatmap:{layer}" for layer in HEAT_LAYERS.values()]
    mounts = ((WORK_MOUNT, "lustre"), (HOME_MOUNT, "nfs"), ("/", "ext4"))
    return encoded(Job(program.ranks, run.wall_s, program.exe, job_id, mounts), names, modules)


def _hdf5(run: Run) -> Records:
    """HDF5's records of the files that it wrote through MPI-IO: opened once by each rank."""
    files = np.array(run.program.hdf5, np.int64)
    opened = np.full(len(files), run.program.ranks)
    mpi = run.trace.of(Layer.MPIIO)
    first = np.array([mpi.start[mpi.calls.file == f].min(initial=np.inf) for f in files])
    last = np.array([mpi.end[mpi.calls.file == f].max(initial=0.0) for f in files])
    times = {
        "H5F_F_OPEN_START_TIMESTAMP": first,
        "H5F_F_OPEN_END_TIMESTAMP": first + 0.01,
        "H5F_F_CLOSE_START_TIMESTAMP": last - 0.01,
        "H5F_F_CLOSE_END_TIMESTAMP": last,
    }
    ints = {"H5F_OPENS": opened, "H5F_USE_MPIIO": np.ones(len(files), np.int64)}
    return Records("H5F", files, np.full(len(files), -1), ints, times)


def _heat(run: Run) -> list[Heat]:
    bin_s = float(max(0.1, 0.1 * 2 ** np.ceil(np.log2(max(1.0, run.wall_s / 0.1 / BINS)))))
    bins = int(np.ceil(run.wall_s / bin_s))
    rows: list[Heat] = []
    for layer, name in HEAT_LAYERS.items():
        timed = run.trace.of(layer)
        written, read = (_binned(timed, run.program.ranks, bin_s, bins, kind) for kind in (WRITES, READS))
        rows.extend(Heat(name, int(rank), bin_s, written[rank], read[rank]) for rank in np.unique(timed.calls.rank))
    return rows


def _binned(timed: Timed, ranks: int, bin_s: float, bins: int, kind: tuple[object, ...]) -> Ints:
    """(ranks, bins) bytes, each row's spread evenly over the time that it took."""
    out = np.zeros((ranks, bins))
    chosen = np.flatnonzero(np.isin(timed.calls.op, [int(op) for op in kind]))  # type: ignore[call-overload]
    first = np.minimum((timed.start[chosen] / bin_s).astype(int), bins - 1)
    last = np.minimum((timed.end[chosen] / bin_s).astype(int), bins - 1)
    for turn in range(int((last - first).max(initial=-1)) + 1):
        on = first + turn <= last
        share = timed.calls.bytes[chosen][on] / (last - first + 1)[on]
        np.add.at(out, (timed.calls.rank[chosen][on], (first + turn)[on]), share)
    return out.astype(np.int64)

"""The rule about data that is forced out."""

from __future__ import annotations

import pytest
from declared import GIB, KIB, MIB, NA, NO, WHAT, YES, context

from iotriage.rules import all_rules

HOLDS = {
    "sync-heavy": {
        "file.lies_on": "shared",
        "sync.per_write": 1.0,
        "sync.calls": 640,
        "sync.bytes_each": 32.0 * KIB,
        "group.weight": 1.0,
    },
    "sync-heavy by time": {
        "file.lies_on": "shared",
        "sync.per_write": 1e-3,
        "sync.calls": 40,
        "sync.bytes_each": 2.0 * MIB,
        "sync.timed_calls": 40,
        "sync.time_fraction": 0.9,
        "group.weight": 1.0,
    },
}

AROUND = [
    ("sync-heavy", "per-write", "sync.per_write", NO, YES, YES, NA),
    ("sync-heavy", "count", "sync.calls", NO, YES, YES, WHAT),
    ("sync-heavy", "bytes-each", "sync.bytes_each", YES, NO, NO, NO),
    ("sync-heavy", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("sync-heavy by time", "time", "sync.time_fraction", NO, YES, YES, NO),
    ("sync-heavy by time", "timed-count", "sync.timed_calls", NO, YES, YES, WHAT),
    ("sync-heavy by time", "bytes-each", "sync.bytes_each", YES, NO, NO, NO),
]

QUIET = {
    "one sync for each of many large files": (
        "sync-heavy",
        {"sync.per_write": 1.0, "sync.calls": 4096, "sync.bytes_each": float(GIB), "group.weight": 1.0},
    ),
    "a sync at the end of a checkpoint": (
        "sync-heavy",
        {"sync.per_write": 0.1, "sync.calls": 800, "sync.bytes_each": 2.5 * MIB, "group.weight": 1.0},
    ),
    "a sync of a large checkpoint": (
        "sync-heavy",
        {**HOLDS["sync-heavy by time"], "sync.bytes_each": 64.0 * MIB},
    ),
}


@pytest.mark.parametrize(
    ("api", "file", "c", "fortran"),
    [
        ("MPI-IO", "out.dat", "MPI_File_sync(file);", "call MPI_File_sync(file, ierror)"),
        ("HDF5", "out.h5", "H5Fflush(file, H5F_SCOPE_GLOBAL);", "call h5fflush_f(file, H5F_SCOPE_GLOBAL_F, error)"),
        ("HDF5", "out.nc", "nc_sync(ncid);", "status = nf90_sync(ncid)"),
        ("PnetCDF", "out.nc", "ncmpi_sync(ncid);", "status = nf90mpi_sync(ncid)"),
        ("POSIX", "out.dat", "fsync(file);", "flush(unit)"),
        ("STDIO", "run.log", "setvbuf(stream, malloc(1 << 20), _IOFBF, 1 << 20)", "no flush(unit) here"),
    ],
)
def test_one_sync_is_told_in_the_library_that_writes(api, file, c, fortran):
    (advice,) = all_rules()["sync-heavy"].advise(context(HOLDS["sync-heavy"], api=api, file=f"/lus/fs/p/{file}"))
    assert c in advice.command
    assert fortran in advice.fortran

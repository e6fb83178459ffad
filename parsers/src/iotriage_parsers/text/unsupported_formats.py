"""Formats that people give and that are not read here: how each is recognised, what it holds, and what to give
instead."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.frozen import frozen

_RUN: Final = (
    "For a diagnosis give the run's Darshan log, or, where it does MPI-IO on Cray MPICH, its standard error with "
    "MPICH_MPIIO_STATS=1."
)
_PROFILE: Final = f"It says how often and how long, not which files in what sizes. {_RUN}"


@frozen
class UnsupportedFormat:
    """`cue` is searched in the first bytes of the file, line by line; `holds` follows "it is"."""

    title: str
    cue: re.Pattern[bytes]
    holds: str
    instead: str


def _kind(title: str, cue: bytes, holds: str, instead: str) -> UnsupportedFormat:
    return UnsupportedFormat(title, re.compile(rb"^[ \t>`]{0,40}(?:" + cue + rb")", re.MULTILINE), holds, instead)


KINDS: Final = (
    _kind("strace -c", rb"% time[ \t]+seconds[ \t]+usecs/call[ \t]+calls", "system calls and their times", _PROFILE),
    _kind(
        "strace",
        rb"(?:\[pid[ \t]+\d{1,10}\] |\d{1,10}[ \t]+)?(?:\d\d:\d\d:\d\d\S{0,12} )?(?:openat|pread64|pwrite64|execve)\(",
        "every system call of a process",
        _RUN,
    ),
    _kind(
        "perf stat",
        rb"[ \t]*Performance counter stats for ",
        "counters of the processor",
        _PROFILE,
    ),
    _kind("gprof", rb"Flat profile:", "the time in each function", _PROFILE),
    _kind("ncdump", rb"netcdf [\w.+-]{1,200} \{", "the header of a NetCDF file", _RUN),
    _kind("h5dump", rb'HDF5 "[^"]{1,400}" \{', "the contents of an HDF5 file", _RUN),
    _kind(
        "iostat",
        rb"Device[: ][ \t]{1,20}(?:r/s|tps|rrqm/s)",
        "rates of the block devices of one node",
        _RUN,
    ),
)


def unsupported_format(head: bytes) -> UnsupportedFormat | None:
    """What the first bytes of a file are by their lines; None for none of these."""
    return next((kind for kind in KINDS if kind.cue.search(head)), None)

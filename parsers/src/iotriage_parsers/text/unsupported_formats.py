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
    """`cue` is searched in the first bytes of the file, line by line; `named` says what the file is, and `holds` what
    that has."""

    title: str
    named: str
    cue: re.Pattern[bytes]
    holds: str
    instead: str


def _kind(title: str, cue: bytes, holds: str, instead: str, *, named: str | None = None) -> UnsupportedFormat:
    return UnsupportedFormat(
        title,
        named or f"output of {title}",
        re.compile(rb"^[ \t>`]{0,40}(?:" + cue + rb")", re.MULTILINE),
        holds,
        instead,
    )


_RATES: Final = (
    "It says what the file system gave a benchmark, in a form that is not read. For a measure that jobs can be judged "
    "by give what IOR or mdtest prints; for a diagnosis of a job its Darshan log."
)
_ACCOUNTING: Final = f"It says how the job ended and what it used, not what it read and wrote. {_RUN}"

_HINT: Final = rb"[ \t]{0,8}(?:romio|cb|striping|ind)_\w{1,40}[ \t]{1,20}\S{1,80}[ \t\r]{0,8}"

KINDS: Final = (
    _kind(
        "ltrace -c",
        rb"% time[ \t]+seconds[ \t]+usecs/call[ \t]+calls[ \t]+function",
        "calls of libraries and their times",
        _PROFILE,
    ),
    _kind("strace -c", rb"% time[ \t]+seconds[ \t]+usecs/call[ \t]+calls", "system calls and their times", _PROFILE),
    _kind(
        "h5perf",
        rb"(?:rank \d{1,9}: IO API=|# of files: \d{1,9}, # of datasets: )",
        "the throughput of POSIX, MPI-IO and HDF5 by its buffer sizes",
        _RATES,
    ),
    _kind(
        "jobstats",
        rb"Slurm Job Statistics[ \t\r]*$",
        "the use of a job's processors and memory",
        _ACCOUNTING,
    ),
    _kind(
        "qacct", rb"qname[ \t]{2,20}\S.*\r?\nhostname[ \t]{2,20}\S", "Grid Engine's accounting of a job", _ACCOUNTING
    ),
    _kind(
        "LSF (bjobs, bhist)",
        rb"Job <\d{1,12}(?:\[\d{1,9}\])?>, (?:Job Name <|User <)",
        "how a job was queued and ended",
        _ACCOUNTING,
    ),
    _kind(
        "ROMIO hints",
        rb"(?:" + _HINT + rb"\n){2}",
        "the hints that a program was to open files with",
        f"It says what was asked for, not what a run had: ROMIO_PRINT_HINTS=1 has the run print that. {_RUN}",
        named="a file of hints for ROMIO",
    ),
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

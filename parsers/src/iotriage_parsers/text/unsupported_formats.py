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
        "h5bench",
        rb"={5,40}[ ]{1,3}Performance [Rr]esults[ ]{1,3}={5,40}|(?:Observed|Raw) (?:write|read) rate[ ]?[=:]",
        "the rates of HDF5 with and without the time of its metadata",
        _RATES,
    ),
    _kind(
        "MACSio",
        rb".{0,200}(?:\bDump \d\d BW: |\bOverall BW: |\bSummed {1,3}BW: )|MACSIO: Command line",
        "the rates of the dumps of its meshes",
        _RATES,
    ),
    _kind(
        "IOzone",
        rb"Iozone: Performance Test of File I/O|kB[ \t]+reclen[ \t]+write[ \t]+rewrite",
        "the rates of one node by the sizes of file and record",
        _RATES,
    ),
    _kind(
        "Bonnie++",
        rb"(?:Version[ \t]+\S{1,20}[ \t]+)?-{4,40}Sequential Output-{4,40}",
        "rates of one node, and of files that it made",
        _RATES,
    ),
    _kind("Filebench", rb"Filebench Version \S", "operations per second of a mix of processes on one node", _RATES),
    _kind(
        "fio before version 3",
        rb"(?:READ|WRITE): io=\S{1,20}, aggrb=",
        "rates of one node, in a form that later versions left",
        f"Take the result of fio 3, or its --output-format=json. {_RATES}",
    ),
    _kind(
        "fio without its jobs",
        rb"(?:READ|WRITE): bw=\S{1,20} \(\S{1,20}\), ",
        "the rates of groups of its jobs",
        f"Give all that fio printed, from its first line on. {_RATES}",
        named="the end of what fio prints",
    ),
    _kind(
        "qstat without its head",
        rb"resources_used\.(?:walltime|cput) = \d",
        "what a job of PBS used",
        f"Give all that qstat -xf prints, from Job Id on. {_RUN}",
        named="a part of what qstat -f prints",
    ),
    _kind(
        "IO500 before 2020",
        rb"\[RESULT(?:-invalid)?\] (?:BW|IOPS)[ \t]+phase \d",
        "the rates of its phases",
        f"Later versions of IO500 print a form that is read. {_RATES}",
    ),
    _kind("dd", rb"\d{1,20} bytes (?:\(.{1,60}\) )?copied, \S{1,20} s,", "the rate of one process", _RATES),
    _kind(
        "nn_seff",
        rb"#?[ \t]?Job Wall-time:[ \t]+\d",
        "the use of a job's time, processors and memory",
        _ACCOUNTING,
    ),
    _kind(
        "finishedjobinfo",
        rb"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?jobid=\d{1,12} jobstate=[A-Z]",
        "how a job ended, and its time and memory",
        _ACCOUNTING,
    ),
    _kind(
        "nfsiostat",
        rb"(?:\S{1,200}:\S{1,400} mounted on \S{1,400}:\s*$|ops?/s[ \t]+rpc bklog)",
        "rates and waiting times of one node's mounts of NFS, whoever uses them",
        _RUN,
    ),
    _kind(
        "lfs quota",
        rb"Disk quotas for (?:usr|user|grp|group|prj|project) ",
        "the space that is used and allowed",
        f"Where a write failed for it, give what the job printed. {_RUN}",
    ),
    _kind(
        "Lustre's job_stats",
        rb"job_stats:[ \t\r]*\n- job_id:",
        "what a server counted of each job",
        f"It has the calls of one server, not the files nor the ranks. {_RUN}",
    ),
    _kind(
        "lfs getstripe without a layout",
        rb"\S{1,400} has no stripe info[ \t\r]*$",
        "that a file or directory has no layout of its own: its files get the default of the file system",
        f"Give lfs getstripe -d of the file system's root, which shows that default. {_RUN}",
    ),
    _kind(
        "lfs getstripe outside Lustre",
        rb".{0,200}(?:getstripe.{1,400}Inappropriate ioctl|not on a mounted Lustre)",
        "that a path is not on Lustre, and has no stripes there",
        f"Give lfs getstripe of the directory that the job wrote to. {_RUN}",
    ),
    _kind(
        "darshan-parser without its head",
        rb"(?:# performance[ \t\r]*\n# -{5,20}|# total_bytes: \d|# <file_type> <file_count>"
        rb"|total_[A-Z0-9]{2,12}_[A-Z_]+: )"
        rb"|(?:POSIX|MPI-IO|MPIIO|STDIO|LUSTRE|HEATMAP|H5F|H5D)\t-?\d{1,9}\t\d{1,20}\t[A-Z0-9_]{3,60}\t",
        "figures of some of its files or calls, without the ranks, the run's time and the mounts",
        f"Give all that darshan-parser prints, from its first line on, or the log itself. {_RUN}",
        named="a part of what darshan-parser prints",
    ),
    _kind(
        "darshan-parser that failed",
        rb"Error: (?:unable to (?:inflate|decompress|open) darshan|failed to (?:read|parse) .{1,60} darshan log)"
        rb"|# \*(?:ERROR|WARNING)\*: The \S{1,20} module contains incomplete data!",
        "that a log is damaged, or lacks records",
        "Give the log itself: what is whole of it is read here, and what is missing is said.",
        named="an error of darshan-parser",
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

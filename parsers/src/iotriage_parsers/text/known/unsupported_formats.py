"""Formats that people give and that are not read here: how each is recognised, what it holds, and what to give
instead."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from iotriage_parsers.text.known.accounts import ACCOUNTS
from iotriage_parsers.text.known.benchmarks import BENCHMARKS
from iotriage_parsers.text.known.errors import ERRORS
from iotriage_parsers.text.known.kind import ACCOUNTING, PROFILE, RATES, RUN, UnsupportedFormat, cue_of, kind_of
from iotriage_parsers.text.known.listings import LISTINGS
from iotriage_parsers.text.known.summaries import SUMMARIES
from iotriage_parsers.text.known.systems import SYSTEMS
from iotriage_parsers.text.known.timings import TIMINGS

_HINT: Final = (
    rb"[ \t]{0,8}(?:romio|cb|striping|ind)_\w{1,40}(?:[ \t]{1,20}|[ \t]{0,20}=[ \t]{0,20})[^\s=]{1,80}[ \t\r]{0,8}"
)

KINDS: Final = (
    kind_of(
        "ltrace -c",
        rb"% time[ \t]+seconds[ \t]+usecs/call[ \t]+calls[ \t]+function",
        "calls of libraries and their times",
        PROFILE,
    ),
    kind_of("strace -c", rb"% time[ \t]+seconds[ \t]+usecs/call[ \t]+calls", "system calls and their times", PROFILE),
    kind_of(
        "h5perf",
        rb"(?:rank \d{1,9}: IO API=|# of files: \d{1,9}, # of datasets: )",
        "the throughput of POSIX, MPI-IO and HDF5 by its buffer sizes",
        RATES,
    ),
    kind_of(
        "h5bench",
        rb"={5,40}[ ]{1,3}Performance [Rr]esults[ ]{1,3}={5,40}|(?:Observed|Raw) (?:write|read) rate[ ]?[=:]"
        # Its CSV: a row for each figure.
        rb"|(?:[Oo]bserved|[Rr]aw) (?:(?:write|read) )?rate, ?[\d.]{1,20}, ?[KMGTP]?B/s(?:ec)?[ \t\r]*$",
        "the rates of HDF5 with and without the time of its metadata",
        RATES,
    ),
    kind_of(
        "MACSio",
        rb".{0,200}(?:\bDump \d\d BW: |\bOverall BW: |\bSummed {1,3}BW: )|MACSIO: Command line",
        "the rates of the dumps of its meshes",
        RATES,
    ),
    kind_of(
        "IOzone",
        rb"Iozone: Performance Test of File I/O|kB[ \t]+reclen[ \t]+write[ \t]+rewrite",
        "the rates of one node by the sizes of file and record",
        RATES,
    ),
    kind_of(
        "Bonnie++",
        rb"(?:Version[ \t]+\S{1,20}[ \t]+)?-{4,40}Sequential Output-{4,40}",
        "rates of one node, and of files that it made",
        RATES,
    ),
    kind_of("Filebench", rb"Filebench Version \S", "operations per second of a mix of processes on one node", RATES),
    kind_of(
        "fio without its jobs",
        rb"(?:READ|WRITE): (?:bw=\S{1,20} \(\S{1,20}\), |io=\S{1,20}, aggrb=)",
        "the rates of groups of its jobs",
        f"Give all that fio printed, from its first line on. {RATES}",
        named="the end of what fio prints",
    ),
    kind_of(
        "qstat without its head",
        rb"resources_used\.(?:walltime|cput) = \d",
        "what a job of PBS used",
        f"Give all that qstat -xf prints, from Job Id on. {RUN}",
        named="a part of what qstat -f prints",
    ),
    kind_of(
        "IO500 before 2020",
        rb"\[RESULT(?:-invalid)?\] (?:BW|IOPS)[ \t]+phase \d",
        "the rates of its phases",
        f"Later versions of IO500 print a form that is read. {RATES}",
    ),
    kind_of(
        "dd",
        rb"\d{1,20} (?:[Bb]ytes|octets) (?:\(.{1,60}\) )?(?:copied|kopiert|copi\xc3\xa9s), \S{1,20} s,",
        "the rate of one process",
        RATES,
    ),
    kind_of(
        "nn_seff",
        rb"#?[ \t]?Job Wall-time:[ \t]+\d",
        "the use of a job's time, processors and memory",
        ACCOUNTING,
    ),
    kind_of(
        "finishedjobinfo",
        rb"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?jobid=\d{1,12} jobstate=[A-Z]",
        "how a job ended, and its time and memory",
        ACCOUNTING,
    ),
    kind_of(
        "nfsiostat",
        rb"(?:\S{1,200}:\S{1,400} mounted on \S{1,400}:\s*$|ops?/s[ \t]+rpc bklog)",
        "rates and waiting times of one node's mounts of NFS, whoever uses them",
        RUN,
    ),
    kind_of(
        "lfs quota of what is used up",
        rb"Disk quotas for (?:usr|user|grp|group|prj|project) .{0,200}\n(?:.{0,400}\n){0,4}?"
        rb"(?:.{0,200}[ \t])?\d[\d.]{0,20}[kMGTPE]?\*[ \t]",
        "that more is used than is allowed, where a * stands: writes fail, or will once the time of grace is over",
        f"Remove files, or ask for more. {RUN}",
        named="output of lfs quota",
    ),
    kind_of(
        "lfs quota",
        rb"Disk quotas for (?:usr|user|grp|group|prj|project) ",
        "the space that is used and allowed",
        f"Where a write failed for it, give what the job printed. {RUN}",
    ),
    kind_of(
        "mmlsquota",
        rb"Block Limits[ ]{1,60}\|[ ]{1,20}File Limits",
        "the space that is used and allowed on Spectrum Scale, and behind the bar the files",
        f"Where what is used has reached a quota or limit, of either, remove files or ask for more. {RUN}",
        anywhere=True,
    ),
    kind_of(
        "BeeGFS's quota",
        rb"Quota information for storage pool ",
        "the space and the chunk files that are used and allowed",
        f"Where what is used is above hard, writes fail: remove files or ask for more. {RUN}",
    ),
    kind_of(
        "Lustre's job_stats",
        rb"job_stats:[ \t\r]*\n- job_id:|(?:- )?job_id: .{1,80}\n[ \t>]*snapshot_time[ \t]*:"
        rb"|(?:read|write)_bytes:[ ]+\{ samples:",
        "what a server counted of each job",
        f"It has the calls of one server, not the files nor the ranks. {RUN}",
    ),
    kind_of(
        "lfs getstripe without a layout",
        rb"\S{1,400} has no stripe info[ \t\r]*$",
        "that a file or directory has no layout of its own: its files get the default of the file system",
        f"Give lfs getstripe -d of the file system's root, which shows that default. {RUN}",
    ),
    kind_of(
        "lfs getstripe outside Lustre",
        rb".{0,200}(?:getstripe.{1,400}Inappropriate ioctl|not on a mounted Lustre)",
        "that a path is not on Lustre, and has no stripes there",
        f"Give lfs getstripe of the directory that the job wrote to. {RUN}",
    ),
    kind_of(
        "darshan-dxt-parser without its head",
        rb"#?[ \t]?Module[ \t]+Rank[ \t]+Wt/Rd[ \t]+Segment|X_(?:POSIX|MPIIO)[ \t]+\d{1,9}[ \t]+(?:write|read)[ \t]",
        "some of its calls, without the file and the ranks that they are of",
        f"Give all that darshan-dxt-parser prints, from its first line on, or the log itself. {RUN}",
        named="a part of what darshan-dxt-parser prints",
    ),
    kind_of(
        "darshan-parser without its head",
        rb"(?:# performance[ \t\r]*\n# -{5,20}|# total_bytes: \d|# <file_type> <file_count>"
        rb"|# (?:shared|unique) files: (?:time_by_|slowest_rank_)|# agg_(?:perf|time)_by_"
        rb"|total_[A-Z0-9]{2,12}_[A-Z_]+: |(?:POSIX|MPIIO|STDIO|H5[DF])_(?:F_)?(?:BYTES|READ|WRITE|OPEN|META|SLOWEST"
        rb"|FASTEST|VARIANCE|INDEP|COLL|CONSEC|SEQ|SIZE)[A-Z0-9_]{0,40}[: \t=]{1,40}-?\d)"
        rb"|(?:POSIX|MPI-IO|MPIIO|STDIO|LUSTRE|HEATMAP|H5F|H5D)[ \t]+-?\d{1,9}[ \t]+\d{1,20}[ \t]+[A-Z0-9_]{3,60}[ \t]",
        "figures of some of its files or calls, without the ranks, the run's time and the mounts",
        f"Give all that darshan-parser prints, from its first line on, or the log itself. {RUN}",
        named="a part of what darshan-parser prints",
    ),
    kind_of(
        "MPICH_MPIIO_STATS without its title",
        rb"\| MPIIO (?:write|read) access patterns for"
        rb"|\|[ \t]{1,8}(?:(?:independent|collective|stripe sized|total bytes for|system) (?:writes|reads)"
        rb"|independent (?:writers|readers)|aggregators(?: active)?|stripe (?:count|size)|ave system \w{4,5} size"
        rb"|ranks in communicator|number of (?:write|read) gaps) {1,24}=",
        "figures of a file, without its name, or with lines that are cut",
        "Give the block as the job printed it, from the rule above its title on and in whole lines; or the run's "
        "Darshan log.",
        named="a part of what MPICH_MPIIO_STATS prints",
    ),
    kind_of(
        "MPICH_MPIIO_TIMERS without its title",
        rb"\|[ \t]{1,8}(?:data send|(?:raw|net) (?:write|read)) BW \(MiB/s\) {1,20}=",
        "the rates of a file, without its name and its times",
        "Give the block as the job printed it, from the rule above its title on and in whole lines; or the run's "
        "Darshan log.",
        named="a part of what MPICH_MPIIO_TIMERS prints",
    ),
    kind_of(
        "darshan-parser that failed",
        rb"Error: (?:unable to (?:inflate|decompress|open) darshan|failed to (?:read|parse) .{1,60} darshan log)"
        rb"|# \*(?:ERROR|WARNING)\*: The \S{1,20} module contains incomplete data!",
        "that a log is damaged, or lacks records",
        "Give the log itself: what is whole of it is read here, and what is missing is said.",
        named="an error of darshan-parser",
    ),
    kind_of(
        "jobstats",
        rb"Slurm Job Statistics[ \t\r]*$",
        "the use of a job's processors and memory",
        ACCOUNTING,
    ),
    kind_of(
        "qacct", rb"qname[ \t]{2,20}\S.*\r?\nhostname[ \t]{2,20}\S", "Grid Engine's accounting of a job", ACCOUNTING
    ),
    kind_of(
        "LSF (bjobs, bhist)",
        rb"Job <\d{1,12}(?:\[\d{1,9}\])?>, (?:Job Name <|User <)",
        "how a job was queued and ended",
        ACCOUNTING,
    ),
    kind_of(
        "ROMIO hints",
        rb"(?:" + _HINT + rb"\n){2}",
        "the hints that a program was to open files with",
        f"It says what was asked for, not what a run had: ROMIO_PRINT_HINTS=1 has the run print that. {RUN}",
        named="a file of hints for ROMIO",
    ),
    kind_of(
        "strace",
        rb"(?:\[pid[ \t]+\d{1,10}\] |\d{1,10}[ \t]+)?(?:\d\d:\d\d:\d\d\S{0,12} )?(?:openat|pread64|pwrite64|execve)\(",
        "every system call of a process",
        RUN,
    ),
    kind_of(
        "perf stat",
        rb"[ \t]*Performance counter stats for ",
        "counters of the processor",
        PROFILE,
    ),
    kind_of("gprof", rb"Flat profile:", "the time in each function", PROFILE),
    kind_of(
        "settings of MPI-IO",
        rb"(?:export|setenv)[ \t]{1,8}(?:MPICH_MPIIO_\w{1,40}|ROMIO_(?:HINTS|FSTYPE_FORCE|PRINT_HINTS)"
        rb"|OMPI_MCA_(?:io|fs|fcoll|fbtl|sharedfp)\w{0,40}|I_MPI_EXTRA_FILESYSTEM\w{0,20})[ \t=]",
        "what a job is to set, and no job",
        f"Give the whole job script, with its launch, to have them read beside a run. {RUN}",
        named="settings of MPI-IO",
    ),
    kind_of(
        "h5stat",
        rb"Summary of file space information:|File information[ \t\r]*\n[ \t]*# of unique groups:",
        "how the space of an HDF5 file is used: by data, by metadata, by nothing",
        f"Much that is unaccounted for goes with h5repack; large metadata is of many small objects. {RUN}",
    ),
    kind_of(
        "Lustre's counters",
        rb"snapshot_time[: \t]+\d{1,12}\.\d",
        "what a client or a server of Lustre has counted since its counters were reset, whoever's it was",
        f"It has neither the files nor the ranks. {RUN}",
        named="counters of Lustre (lctl get_param)",
    ),
    kind_of(
        "mmpmon",
        rb"mmpmon node \S{1,100} name |_(?:fs_)?io_s_ _n_ ",
        "what a node of GPFS has counted, whoever's it was",
        f"It has neither the files nor the ranks. {RUN}",
    ),
    kind_of(
        "LSF's mail",
        rb"Sender: LSF System <",
        "how a job ended, and its time and memory",
        ACCOUNTING,
        named="LSF's mail of a job",
    ),
    kind_of(
        "Intel MPI's start",
        rb"\[\d{1,7}\] MPI startup\(\): ",
        "its version, the network, and where its processes run",
        f"Of files it says nothing. {RUN}",
        named="what Intel MPI prints of its start (I_MPI_DEBUG)",
    ),
    kind_of(
        "iostat",
        rb"Device[: ][ \t]{1,20}(?:r/s|tps|rrqm/s)",
        "rates of the block devices of one node",
        RUN,
    ),
    *SUMMARIES,
    *TIMINGS,
    *BENCHMARKS,
    *ACCOUNTS,
    *SYSTEMS,
    *ERRORS,
    *LISTINGS,
    # Last: what somebody pasted into a mail is named by itself.
    kind_of(
        "a mail",
        rb"Content-Transfer-Encoding:[ \t]{0,4}base64|Content-Disposition:[ \t]{0,4}attachment",
        "what is attached to it, as mail programs encode that",
        "Save what is attached, the Darshan log first of all, and give those files.",
        named="a mail as it was sent",
    ),
)


@cache
def _cue_of_any() -> re.Pattern[bytes]:
    return cue_of(KINDS)


def unsupported_format(text: bytes) -> UnsupportedFormat | None:
    """What some lines of a text say that it is; None for none of these. Most texts are none, which one pass over them
    finds, where there are a hundred kinds to look for."""
    return next((kind for kind in KINDS if kind.cue.search(text)), None) if _cue_of_any().search(text) else None

"""The sentences that say what would tell where unexplained time goes, with their commands, and the rates and amounts
that choose among them (`iotriage.analysis.decision.unexplained`)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iotriage.metrics.core.missing_evidence import DARSHAN, EVIDENCE, TIMERS
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.access.misaligned_io import ONE_OST

Experiment = tuple[str, str | None]
"""What to do, and its command."""

NOT_EXPLAINED = "Not explained: "
TRACE = "Not explained: trace one short run, which shows the calls that take the time."
TRACED = "export DXT_ENABLE_IO_TRACE=1"
TO_TRACE, WHICH_SHOWS = "trace one short run", ", which shows"
IN_THE_TRACE = "the timeline of this log's trace shows"
"""What is said instead of the two where the calls are traced already; an experiment is another run."""
TRACE_ALL = "trace all of one short run"
LEFT_OUT = (
    " This log's trace has {} of the {} I/O: leave out no rank, name or size of call (the files that "
    "DXT_TRIGGER_CONF_PATH and DARSHAN_CONFIG_PATH name do), and give Darshan memory for all calls."
)
ALL_TRACED = "\n".join(("unset DXT_TRIGGER_CONF_PATH", TRACED, "export DARSHAN_MODMEM=64"))
"""What is said and asked for where the trace lacks calls."""

EXPERIMENTS: Mapping[Cell, Experiment] = {
    "reads": (TRACE, TRACED),
    "writes": (TRACE, TRACED),
    "metadata": (
        "Not explained: run it once on one node. If an open then takes as long, the metadata server is slow; if not, "
        "the number of ranks makes it so.",
        None,
    ),
    "exchange": (
        "Not explained: trace one short run, which shows whether ranks come late to the calls of MPI-IO or the library "
        "takes the time. Of Cray's library, MPICH_MPIIO_TIMERS=1 tells the phases.",
        TRACED,
    ),
    "streams": (
        "Not explained: give the streams a buffer of 1 MiB (setvbuf) in one run. If that changes nothing, the storage "
        "below is slow.",
        None,
    ),
    "library": (
        "Not explained: profile one rank by functions, which shows what HDF5 or PnetCDF does between its calls.",
        None,
    ),
    "imbalance": (TRACE, TRACED),
}
RATE_OF_ONE_PROCESS = 500 * 2.0**20
"""Bytes a second that ARCHER's guide has for a serial writer."""
ENOUGH_FOR_ONE = (
    "Not explained, and perhaps nothing is wrong: ARCHER's guide has about 500 MiB/s for one process, and this one "
    "gets more. Several processes that each move a part get more together; if that cannot be, only less data takes "
    "less time."
)
"""For reads and writes of one process."""
STOOD_STILL = (
    "Not explained: a few calls to open or close files took most of that time, and the many others next to none. Run "
    "it again: if they are quick then, a server or the network stood still once; tell the support when that was."
)
"""For metadata calls of which a few took long."""
BY_ONE_PROCESS = (
    "Not explained: run it again at another hour. If an open then takes as long, the way to the server and back takes "
    "it: let several processes open the files side by side; if not, the server was busy."
)
"""For metadata calls of one process: no number of ranks makes them slow."""
WAITED_FOR: Experiment = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. See "
    "whether it is long for the bytes: run once with twice as many of these ranks (the hint cb_nodes, or the library's "
    "own number of I/O ranks), on Lustre with no more than the file has stripes; if nothing changes, trace one short "
    "run.",
    TRACED,
)
"""For time in MPI-IO that has passed below it, in other ranks' calls."""
CROWDED: Experiment = (
    "Not explained: the ranks that call the storage take nearly all of that time, and several of them share each "
    "stripe of the file, where they may take one another's locks. Run once with as many of these ranks as the file has "
    "stripes (the hint cb_nodes); if nothing changes, trace one short run.",
    TRACED,
)
"""The same, where there are more of these ranks than stripes."""
ONE_A_STRIPE = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. Run "
    "once with as many of these ranks as the file has stripes, {} (the hint cb_nodes); if nothing changes, trace one "
    "short run."
)
"""The same, where they are fewer than the stripes by the variance of bytes over ranks."""
STRIPES_IN_USE: Experiment = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There "
    "is one of them for each stripe of the file, and more would take one another's locks: run once with more stripes, "
    "in a new directory, if there are more OSTs; if nothing changes, trace one short run.",
    TRACED,
)
"""The same, where there are as many as stripes."""
OSTS_IN_USE: Experiment = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There "
    "is one of them or more for each stripe, and the file lies on every OST that there is. Run it again at another "
    "hour, for the file system is everybody's; if it takes as long, trace one short run.",
    TRACED,
)
"""The same, where there are no more stripes to be had."""
LITTLE_EACH: Experiment = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. Each "
    "of them writes little of a file, so that to begin may take longer than to write: put several steps or variables "
    "into one file in one run, or try a quarter of these ranks (the hint cb_nodes), and of the stripes.",
    None,
)
"""The same, where the files are small for their stripes."""
LITTLE = 16 * 2.0**20
"""Bytes of a file for each of its stripes, below which nobody is sent for more of them: two of the largest stripes that
ARCHER's guide tries. That it is two is ours."""
FEW_MOVE: Experiment = (
    "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once "
    "with twice as many of these ranks (the library's own number of I/O ranks); if nothing changes, trace one short "
    "run.",
    TRACED,
)
"""For time in which most ranks do no I/O."""
FEW_OF_ADIOS: Experiment = (
    "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. ADIOS2 "
    "takes one rank a node unless NumAggregators, a parameter of its BP engines, says otherwise: run once with twice "
    "as many; if nothing changes, trace one short run.",
    TRACED,
)
TWO_KINDS = (
    "Not explained: {} of the ranks that move the bytes take {} times as long as the others or longer, for as many "
    "bytes. See first what these have in common, the OSTs of their files or their nodes; run it again, and where the "
    "same are slow, tell the support."
)
"""Where neither the servers nor the nodes are known well enough to be named."""
PACES = 1.5
"""Times as long, from which these are two kinds: as `slow-ost` has it."""
FEW_OF = 8.0
"""Ranks for each that moves the bytes, from which these are few."""
OF_OTHER_MOVERS = (
    WAITED_FOR[0],
    CROWDED[0],
    ONE_A_STRIPE.partition("{")[0],
    STRIPES_IN_USE[0],
    FEW_MOVE[0],
    FEW_OF_ADIOS[0],
)
"""How those begin that ask for another number of ranks that call the storage, or of stripes."""
FAST_AT_FIRST: Experiment = (
    "Not explained: find first what slows the later outputs, for the first were fast with the same ranks and stripes. "
    "Then see whether what is left is long for the bytes.",
    None,
)
"""Instead of them, where `slower-and-slower` holds: another number is not what the later files lack."""
FAST_BUT_FOR_A_FEW: Experiment = (
    "Not explained: find first what slowed those few files, for the others were faster with the same ranks and "
    "stripes. Then see whether what is left is long for the bytes.",
    None,
)
"""The same, where `slow-moment` holds."""
AFTER_THE_TURNS: Experiment = (
    "Not explained: let the ranks move their data at the same time first. Then see whether what is left is long for "
    "the bytes.",
    None,
)
"""Instead of all others, where `ranks-in-turn` holds: no rate of the job is then that of its storage."""
IN_DAOS: Experiment = (
    "Not explained, and Darshan's trace does not have the calls of DAOS: move as much by IOR with its DFS interface, "
    "in pieces as large, from as many ranks. If that is no faster, the pool gives no more.",
    "ior -a DFS -w -r -F -t SIZE -b SIZE --dfs.pool POOL --dfs.cont CONTAINER",
)
"""For what DXT does not trace: it has the calls of POSIX and MPI-IO."""
SEVERAL = 2.0
RATE_OF_ONE_OST = ONE_OST.default
"""Bytes a second. ARCHER2's guide, "I/O profiling": a maximum of around 1 GB/s for large files that are not striped."""
STRIPES_UNKNOWN: Experiment = (
    "Not explained: one OST gives around 1 GB/s by ARCHER2's guide, and no more passes here. See how the file is "
    "striped: where it has one stripe, that is the cause.",
    "lfs getstripe FILE",
)
RATE_OF_BUSY_OST = 375 * 2.0**20
"""Bytes a second. ARCHER's guide gives a serial writer about 500 MiB/s with default striping; three quarters of it, for
the noise of a shared file system, are ours."""
MORE_OSTS: Experiment = (
    "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or "
    "more, and the file system has others. Run once with the files over more of them, by more stripes or more files.",
    None,
)
MORE, MIB = 2.0, 2.0**20
"""Times the stripes of a shared file; how Lustre's sizes are written."""
OWN_FILES = ("file-per-process", "file-per-node", "serial")
"""Patterns of files of which each is one rank's."""
EVERY_OST: Experiment = (
    "Not explained, but every OST is busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. "
    "Where yours give no more, only less data takes less time.",
    None,
)
BUSY_OSTS: Experiment = (
    "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or "
    "more. If the file system has others, run once with the files over more of them, by more stripes or more files; if "
    "not, only less data takes less time.",
    None,
)
"""Where nobody says how many OSTs there are."""
RATE_WITHOUT_A_PROBLEM = 5 * 2.0**30
"""Bytes a second. ARCHER's guide sees no problem in more than several GiB/s; that several is five is ours."""
RATE_OF_IDLE_OST = 100 * 2.0**20
"""Bytes a second: a fifth of what ARCHER's guide has for one OST is ours. Below it the OSTs wait, however fast all of
them are together."""
LARGE_STREAMS: Experiment = (
    "Not explained: the calls to streams are as large as a buffer would make them, and Darshan's trace does not have "
    "them. See what the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, the "
    "storage gives no more.",
    "ior -a POSIX -F -w -e -t SIZE -b SIZE -o NEW_FILE",
)
LARGE_CALL = 2.0**20
"""Bytes of a call to a stream, from which a buffer of 1 MiB gathers nothing."""
WHAT_IT_GIVES = (
    "Not explained, and perhaps nothing is wrong: ARCHER's guide sees no problem in more than several GiB/s. See what "
    "the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, only less data, or "
    "output less often, takes less time; if it is, trace one short run."
)
IOR_OWN, IOR_SHARED = "ior -a POSIX -F", "ior -a POSIX"
IOR_WRITES, IOR_READS = " -w -e -t SIZE -b SIZE -o NEW_FILE", " -w -r -C -e -t SIZE -b SIZE -o NEW_FILE"
SENT_AT_CLOSE: Experiment = (
    "Not explained: on NFS, what was written is sent at the latest when the file is closed, so that this may be the "
    "time of the data and not of opens. Move a few GiB there from one node while the job does not run: if the job is "
    "no faster than that, the server or its network gives no more, and a parallel file system does.",
    "dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync",
)
IN_CLOSES: Experiment = (
    "Not explained: most of the metadata time passes in closing files that were written, and little in opening them: "
    "many file systems send the data then. See what this one gives: run IOR with as many ranks, calls as large, and a "
    "sync at the end. If that is no faster, only less data, or output less often, takes less time.",
    "ior -a POSIX -F -w -e -t SIZE -b SIZE -o NEW_FILE",
)
"""Elsewhere, where the log has the times of the closes."""
SENT = 2.0**30
"""Bytes: what is worth sending."""
ON_NFS = (
    "Not explained: the largest file lies on NFS, where one server has all nodes to serve. Move a few GiB there from "
    "one node while the job does not run: if the job is no faster than that, the server or its network gives no more, "
    "and a parallel file system does."
)
ON_A_DISK = (
    "Not explained: the largest file lies on a disk of the node, which few can reach when the job is over. At the end "
    "of the job script, when the program is done, move a few GiB there by one process: if the ranks of a node are "
    "together no faster than that, the disk gives no more."
)
OF_ONE_DEVICE: Mapping[str, str] = {
    **dict.fromkeys(("nfs", "nfs3", "nfs4"), ON_NFS),
    **dict.fromkeys(("ext3", "ext4", "xfs", "btrfs"), ON_A_DISK),
}
"""By the type of the mount: what all bytes there share."""
PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./+-]{1,200}")
"""A mount point that a sentence can name as it stands."""
READ_IT, WRITE_IT = "dd if=FILE of=/dev/null bs=1M", "dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync"
TARGETS: Experiment = (
    "Not explained: on BeeGFS a shared file is as fast as the storage targets that it is striped over. See how many "
    "these are, and how many there are.",
    "beegfs-ctl --getentryinfo FILE\nbeegfs-ctl --listtargets --nodetype=storage",
)
SEEKS: Experiment = (
    "Not explained: there are far more seeks than opens, and their time is in it. A seek to the end of a file asks the "
    "servers how long it is, any other costs next to nothing: where the program seeks to the end, or appends to what "
    "others write too, let each rank keep its offset itself (pwrite). This counts the calls and their time:",
    "strace -f -c -e trace=lseek,openat,close ./program",
)
MANY_SEEKS, SEEKS_FOR_EACH = 1000, 10
"""Seeks, and for each other metadata call, from which they may be what takes the time."""
GO_BACK = 0.2
"""Of the accesses, the share that goes back in the file from which no reading ahead has brought them: as the rules
about small accesses have it."""
LOOKED_AT = (STRIPES_UNKNOWN[0], TARGETS[0])
"""What a look at the file tells, without another run."""
PLACE, PLAIN = re.compile(r"\bFILE\b"), re.compile(r"/[\w@%+=:,./-]+", re.ASCII)
"""Where a command has a file, and a name that a shell takes as it is."""
FILTERED: Experiment = (
    "Not explained by the storage: HDF5 moves far fewer bytes below than the program reads and writes, so it "
    "compresses or decompresses them (or converts them, or has them in its cache: a profile of one rank by functions "
    "tells). Then a lighter filter takes less time (LZ4 or Blosc, to write also H5Pset_deflate with level 1), and so "
    "do chunks that fit the accesses, or more processes that share the work.",
    None,
)
"""For time in HDF5 that moves more above than below."""
FROM_MEMORY: Experiment = (
    "Not explained by the storage: a read takes less than 10 µs, so memory of the node answers it, and what is left is "
    "the cost of so many calls. Where the program can, map the file into memory (mmap), so that a read is no call.",
    None,
)
"""For reads that go back and forth, and that the page cache answers."""
FILTERS = 2.0
"""Bytes that the program moves through HDF5, for each that is moved below, from which these are not the same bytes."""
NO_LOG: Experiment = (
    "Not explained: a Darshan log of one run, with its trace, shows the calls that take the time.",
    "\n".join((*EVIDENCE[DARSHAN].lines, TRACED)),
)
"""Where the times are those of texts, which count no calls."""
ASK_PHASES: Experiment = (
    "Not explained: Cray MPICH prints in which of its phases the time in MPI-IO passes.",
    "\n".join(EVIDENCE[TIMERS].lines),
)
PHASES_KNOWN: Experiment = (
    "Not explained: trace one short run, which shows whether ranks come late to the calls of MPI-IO or the library "
    "takes the time.",
    TRACED,
)
PHASES: Mapping[str, str] = {
    "timers.wait_for_coll_fraction": "wait for coll",
    "timers.imbalance_fraction": "imbalance",
    "timers.open_close_fraction": "open/close/trunc",
    "timers.local_compute_fraction": "local compute",
    "timers.collective_fraction": "collective",
    "timers.exchange_fraction": "exchange",
    "timers.data_send_fraction": "data send",
    "timers.data_receive_fraction": "data receive",
    "timers.sieve_read_fraction": "sieve read",
    "timers.file_write_fraction": "file write",
    "timers.file_read_fraction": "file read",
    "timers.other_fraction": "other",
}
"""As MPICH_MPIIO_TIMERS prints them."""
WORTH_A_NAME, MOST_NAMED = 0.1, 2
OF_LOGS = ("Darshan", "darshan-parser")
ACCESS, MOSTLY_ACCESS = ("timers.file_write_fraction", "timers.file_read_fraction"), 0.5
"""The ranks that access the file take most of the time in MPI-IO for it: a half is ours."""
OVER_STORAGE, PASSED_BELOW = "mpiio.to_posix_time", 2.0
"""The slowest rank's time in MPI-IO over that in the calls below: under twice, most of it passed there."""

"""The questions that would tell where unexplained time goes, with their commands. Which of them tells most, see
`iotriage.analysis.investigations.choosing`."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.analysis.investigations.question import THE_FILE, TRACED, Actions, Benchmark, Question
from iotriage.metrics.core.missing_evidence import TIMERS
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.core.action import AskFor, Export, FillIn, Operand, RunCommand
from iotriage.rules.evidence.measured_again import NEW_FILE

IOR_OWN, IOR_SHARED = ("-a", "POSIX", "-F"), ("-a", "POSIX")
IOR_WRITES = ("-w", "-e")
_OF_DAOS = ("--dfs.pool", FillIn("POOL", "the pool"), "--dfs.cont", FillIn("CONTAINER", "the container in it"))
_FOUR_GIB = ("bs=1M", "count=4096", "conv=fsync,excl")
WRITE_IT: Actions = (
    RunCommand(("dd", "if=/dev/zero", Operand("of", NEW_FILE), *_FOUR_GIB)),
    RunCommand(("rm", NEW_FILE)),
)
"""Into no file that is there already, and none is left."""


def _counting(calls: str) -> tuple[str, ...]:
    """What counts these system calls of a process, and their time."""
    return ("strace", "-f", "-c", "-e", f"trace={calls}")


TRACE = Question(trace="shows", after=" the calls that take the time.", actions=TRACED)
OF_CELLS: Mapping[Cell, Question] = {
    "reads": TRACE,
    "writes": TRACE,
    "metadata": Question(
        "run it once on one node. If an open then takes as long, the metadata server is slow; if not, the number of "
        "ranks makes it so."
    ),
    "exchange": Question(
        trace="shows",
        after=(
            " whether ranks come late to the calls of MPI-IO or the library takes the time. Of Cray's library, "
            "MPICH_MPIIO_TIMERS=1 tells the phases."
        ),
        actions=TRACED,
    ),
    "streams": Question(
        "give the streams a buffer of 1 MiB (setvbuf with memory of the program's own) in one run. If that changes "
        "nothing, the storage below is slow."
    ),
    "library": Question("profile one rank by functions, which shows what HDF5 or PnetCDF does between its calls."),
    "imbalance": TRACE,
}
"""Where nothing else is known of the cell that has most of the seconds."""
AWAITED = Question(
    opening="Not explained by the storage: ",
    words=(
        "most of the time in streams passes in reading standard input, where a program waits for the one that writes "
        "into the pipe before it. Run that one alone, with its output to /dev/null: if it takes as long, it is what "
        "this run waits for."
    ),
)
"""For streams, where their time is that of another program."""
WAITS_EACH = Question(
    words=(
        "an access takes {} on average, though it moves {}: neither its size nor the number of accesses takes such "
        "times. Where these files are pipes, or another program writes them, it waits for that; else {} stood still: "
        "run it again"
    ),
    for_support=", and tell {} when that was.",
)
"""For reads and writes of files of one rank, whose calls take seconds."""
ENOUGH_FOR_ONE = Question(
    opening="Not explained, and perhaps nothing is wrong: ",
    words=(
        "ARCHER's guide has about 500 MiB/s for one process, and this one gets more. Several processes that each move "
        "a part get more together; if that cannot be, only less data takes less time."
    ),
)
"""For reads and writes of one process."""
HELD_BACK = Question(
    words=(
        "the calls are independent, and none of them waits for another rank. The MPI library takes {} more for each "
        "than the storage does: it may wait for a lock on the file, which Darshan does not count. This counts the "
        "locks of the first rank and their time (fcntl), in calls.txt:"
    ),
    watched_by=_counting("fcntl,fsync,pread64,pwrite64,read,write"),
)
"""For time in MPI-IO that is not the storage's and that no rank causes by coming late."""
HELD_BACK_ON_NFS = Question(
    words=(
        "the calls are independent, and none of them waits for another rank. But on NFS MPI libraries lock the file "
        "for each call, so that the ranks have their turns at the server one after the other: here a call takes {} "
        "more than the storage."
    ),
)
ELSEWHERE = " Run once with these files on {}."
WITHOUT_LOCKS = (
    " Where no two ranks write in the same 4 KiB of the file (else what one of them wrote may be lost), see what Open "
    "MPI takes without the locks:"
)
LEAVE_LOCKS_OUT = (Export("OMPI_MCA_fs_ufs_lock_algorithm", "1"),)
"""Issue 4446 of Open MPI, "MPI I/O is very slow on NFS"."""
PACKED = Question(
    words=(
        "the calls are independent, and none of them waits for another rank. The MPI library takes {} of its own for "
        "each: fewer and larger calls take less of it. A profile of one rank by functions shows whether it packs "
        "pieces of a derived datatype."
    ),
)
"""The same, where it is too short for a lock."""
STOOD_STILL = Question(
    words=(
        "a few calls to open or close files took most of that time, and the many others next to none. Run it again: "
        "if they are quick then, {} stood still once"
    ),
    for_support="; tell {} when that was.",
)
"""For metadata calls of which a few took long."""
BY_ONE_PROCESS = Question(
    words=(
        "run it again at another hour. If an open then takes as long, the way to the server and back takes it: let "
        "several processes open the files side by side; if not, the server was busy."
    ),
)
"""For metadata calls of one process: no number of ranks makes them slow."""
OF_RANKS_OF_A_NODE = Question(
    words=(
        "run it once with one process. If an open then takes as long, the metadata server is slow; if not, the number "
        "of ranks makes it so."
    ),
)
"""For those of ranks that are all on one node already."""
ON_STORAGE_OF_A_NODE = Question(
    words=(
        "these files lie on the node itself, and no server is asked. Run it once with one process a node. If an open "
        "then takes as long, {} is slow, or another process keeps it busy; if not, the ranks wait for one another in "
        "the folder: give each a folder of its own."
    ),
)
BY_ONE_PROCESS_ON_A_NODE = Question(
    words=(
        "these files lie on the node itself, and no server is asked. Run it again on another node. If an open is quick "
        "there, {} is slow, or another process kept it busy."
    ),
)
SYNCED = Question(
    words=(
        "a sync waits until the data is on disk, and Darshan counts its time as that of writes. Here one comes after "
        "{}, {} apart. Run once with one sync, when all is written, or with none; if nothing changes, "
    ),
    trace="run",
    after=".",
    actions=TRACED,
)
"""For time in writes of which many are forced out, in pieces too large for `sync-heavy`."""
SYNCED_UNSEEN = Question(
    words=(
        "{} syncs of the files took {} each, and no write of them was seen: asynchronous calls (libaio, io_uring) and "
        "memory that a file is mapped to are in no log of Darshan, so that nobody knows how much each sync forces out. "
        "Run once with far fewer syncs; if that takes as long, it is the data that takes the time. This counts such "
        "calls of the first rank and their time, in calls.txt:"
    ),
    watched_by=_counting("fsync,fdatasync,msync,io_submit,io_uring_enter"),
)
"""For time in writes that is the syncs' alone."""
FAST_AT_FIRST = Question(
    words=(
        "find first what slows the later outputs, for the first were fast with the same ranks and stripes. Then see "
        "whether what is left is long for the bytes."
    ),
)
"""Instead of them, where `slower-and-slower` holds: another number is not what the later files lack."""
FAST_BUT_FOR_A_FEW = Question(
    words=(
        "find first what slowed those few files, for the others were faster with the same ranks and stripes. Then see "
        "whether what is left is long for the bytes."
    ),
)
"""The same, where `slow-moment` holds."""
AFTER_THE_TURNS = Question(
    words=(
        "let the ranks move their data at the same time first. Then see whether what is left is long for the bytes."
    ),
)
"""Instead of all others, where `ranks-in-turn` holds: no rate of the job is then that of its storage."""
IN_DAOS = Question(
    opening="Not explained, and Darshan's trace does not have the calls of DAOS: ",
    words=(
        "move as much by IOR with its DFS interface, in pieces as large, from as many ranks. If that is no faster, "
        "the pool gives no more."
    ),
)
"""For what DXT does not trace: it has the calls of POSIX and MPI-IO."""
BY_DFS = Benchmark(("-a", "DFS", "-w", "-r", "-F"), ends=_OF_DAOS)
STRIPES_UNKNOWN = Question(
    words=(
        "one OST gives around 1 GB/s by ARCHER2's guide, and no more passes here. See how the file is striped: where "
        "it has one stripe, that is the cause."
    ),
    actions=(RunCommand(("lfs", "getstripe", THE_FILE)),),
    kind="look",
)
MORE_OSTS = Question(
    opening="Not explained, but the OSTs in use are busy: ",
    words=(
        "each moves the 500 MiB/s or so that ARCHER's guide has for one, or more, and the file system has others. Run "
        "once with the files over more of them, by more stripes or more files."
    ),
)
EVERY_OST = Question(
    opening="Not explained, but every OST is busy: ",
    words=(
        "each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. Where yours give no more, only less "
        "data takes less time."
    ),
    kind="perhaps-fine",
)
FEW_AT_A_TIME = Question(
    words=(
        "of the {} OSTs that the files lie on, the job uses about {} at a time, and each gives what ARCHER's guide has "
        "for one, 500 MiB/s or more. Run once with more processes at the same time, each with some of the files."
    ),
)
"""The same, where ranks use files of their own one after the other."""
BUSY_OSTS = Question(
    opening="Not explained, but the OSTs in use are busy: ",
    words=(
        "each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. If the file system has others, run "
        "once with the files over more of them, by more stripes or more files; if not, only less data takes less time."
    ),
)
"""Where nobody says how many OSTs there are."""
BUSY_POOL = Question(
    opening="Not explained, but the OSTs in use are busy: ",
    words=(
        "each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. The files are in a pool: see how "
        "many OSTs it has (of a whole name in this list, lfs pool_list shows them). If it has others, run once with "
        "the files over more of them, by more stripes or more files; if not, only less data or another pool takes less "
        "time."
    ),
    actions=(RunCommand(("lfs", "pool_list", THE_FILE)),),
)
LARGE_STREAMS = Question(
    words=(
        "the calls to streams are as large as a buffer would make them, and Darshan's trace does not have them. See "
        "what the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, the "
        "storage gives no more."
    ),
)
WHAT_IT_GIVES = Question(
    opening="Not explained, and perhaps nothing is wrong: ",
    words=(
        "ARCHER's guide sees no problem in more than several GiB/s. See what the file system gives: run IOR with as "
        "many ranks, and calls as large. If that is no faster, only less data, or output less often, takes less time; "
        "if it is, trace one short run."
    ),
    kind="perhaps-fine",
)
SENT_AT_CLOSE = Question(
    words=(
        "on NFS, what was written is sent at the latest when the file is closed, so that this may be the time of the "
        "data and not of opens. Move a few GiB there from one node while the job does not run: if the job is no "
        "faster than that, the server or its network gives no more, and a parallel file system does."
    ),
    actions=WRITE_IT,
    kind="at-close",
)
IN_CLOSES = Question(
    words=(
        "most of the metadata time passes in closing files that were written, and little in opening them: many file "
        "systems send the data then. See what this one gives: run IOR with as many ranks, calls as large, and a sync "
        "at the end. If that is no faster, only less data, or output less often, takes less time."
    ),
    kind="at-close",
)
"""Elsewhere, where the log has the times of the closes."""
LATE_TO_OPEN = Question(
    words=(
        "MPICH_MPIIO_TIMERS prints that the rank which is quickest to open the files takes less than half of the mean: "
        "the others wait there for it. See what that rank does before it opens, and let the others not wait for it. A "
        "Darshan log of one run, with its trace, shows which rank that is."
    ),
    actions=TRACED,
    log=True,
)
"""For opens that take long, of which one rank is through at once."""
IN_CLOSES_BY_TIMERS: Mapping[str, Question] = {
    row: Question(
        f"MPICH_MPIIO_TIMERS prints most of the time in opening and closing as {row}: {what}",
        benchmark=Benchmark(("-a", "MPIIO", "-c", "-w", "-e")),
    )
    for row, what in {
        "close fsync": "what was written is sent to the servers when the file is closed, so that this is time of the "
        "data and not of opens. See what the file system gives: run IOR with as many ranks, calls as large, and a sync "
        "at the end. If that is no faster, only less data, or output less often, takes less time.",
        "close sys": "files are closed for long, and opened at once: many file systems send the data then. See what "
        "this one gives: run IOR with as many ranks, calls as large, and a sync at the end. If that is no faster, only "
        "less data, or output less often, takes less time.",
    }.items()
} | {
    "close group-unlock": Question(
        "MPICH_MPIIO_TIMERS prints most of the time in opening and closing as close group-unlock: the aggregators give "
        "back the lock of the file that they share, and what they wrote under it may be sent then. Where a hint asks "
        "for that lock (cray_cb_write_lock_mode), run once without it and compare the whole time with this.",
    ),
    "close other + wait": Question(
        "MPICH_MPIIO_TIMERS prints most of the time in opening and closing as close other + wait, in which ranks wait "
        "for the last to close the file. A Darshan log of one run, with its trace, shows which one that is.",
        actions=TRACED,
        log=True,
    ),
}
"""By the row: an open has next to no part in it."""
SEEKS = Question(
    words=(
        "there are far more seeks than opens, and their time is in it. A seek to the end of a file asks the servers "
        "how long it is, any other costs next to nothing: where the program seeks to the end, or appends to what "
        "others write too, let each rank keep its offset itself (pwrite). This counts the calls of the first rank and "
        "their time, in calls.txt:"
    ),
    watched_by=_counting("lseek,openat,close"),
)
FILTERED = Question(
    opening="Not explained by the storage: ",
    words=(
        "HDF5 moves far fewer bytes below than the program reads and writes, so it compresses or decompresses them "
        "(or converts them, or has them in its cache: a profile of one rank by functions tells). Then a lighter "
        "filter takes less time (LZ4 or Blosc, to write also H5Pset_deflate with level 1), and so do chunks that fit "
        "the accesses, or more processes that share the work."
    ),
)
"""For time in HDF5 that moves more above than below."""
FILLED: Mapping[str, Question] = {
    "pnetcdf.written_over_given": Question(
        opening="Not explained by the storage alone: ",
        words=(
            "PnetCDF writes {} bytes for each that the program gives it, as where it fills each variable before its "
            "data comes. Run once without: ncmpi_set_fill with NC_NOFILL before ncmpi_enddef, and no _FillValue of "
            "variables that are written whole."
        ),
    ),
    "hdf5.written_over_given": Question(
        opening="Not explained by the storage alone: ",
        words=(
            "HDF5 writes {} bytes for each that the program gives it, as where it fills each data set when that is "
            "made. Run once without: H5Pset_fill_time with H5D_FILL_TIME_NEVER for data sets that are written whole, "
            "of netCDF-4 nc_set_fill with NC_NOFILL."
        ),
    ),
}
"""For time in writes, by the metric that tells how much more is written than the program has."""
FILLED_FIRST = Question(
    words=(
        "{} bytes are written for each that the files have, as where the library fills each variable before its data "
        "comes, or results are replaced in place. Run once without fill values: H5Pset_fill_time with "
        "H5D_FILL_TIME_NEVER for data sets that are written whole, of netCDF nc_set_fill with NC_NOFILL."
    ),
)
WRITTEN_OVER = Question(
    words=(
        "{} bytes are written for each that the files have: what was written is replaced in place, as a checkpoint by "
        "the next one, or was only there to make the file. See whether all of it has to be written: less often, only "
        "what is kept. For the rest, "
    ),
    trace="shows",
    after=" the calls that take the time.",
    actions=TRACED,
)
"""For time in writes of more bytes than the files have, with and without a library that fills them."""
LEFT_OUT = Question(
    words=(
        "a read brings {} and the next begins far behind it, so that {} of what lies between is read. Data in chunks "
        "or records is read like this where it is wanted along another dimension than it is laid out in. See the shape "
        "of the chunks; what is read so more than once is copied once with chunks along that dimension (nccopy -c of "
        "netCDF-4, h5repack -l CHUNK= of HDF5)."
    ),
    kind="look",
)
"""For reads that go forward, and skip most of a file of such a library."""
CHUNKS_OF: Mapping[str, Actions] = {
    "netCDF-4": (RunCommand(("ncdump", "-hs", THE_FILE)),),
    "HDF5": (RunCommand(("h5dump", "-pH", THE_FILE)),),
}
FROM_MEMORY = Question(
    opening="Not explained by the storage: ",
    words=(
        "a read takes less than 10 µs, so memory of the node answers it, and what is left is the cost of so many "
        "calls. Where the program can, map the file into memory (mmap), so that a read is no call."
    ),
)
"""For reads that go back and forth, and that the page cache answers."""
NO_LOG = Question(
    words="a Darshan log of one run, with its trace, shows the calls that take the time.",
    actions=TRACED,
    log=True,
)
"""Where the times are those of texts, which count no calls."""
ASK_PHASES = Question(
    words="Cray MPICH prints in which of its phases the time in MPI-IO passes.",
    actions=(AskFor(TIMERS),),
)
PHASES_KNOWN = Question(
    trace="shows",
    after=" whether ranks come late to the calls of MPI-IO or the library takes the time.",
    actions=TRACED,
)

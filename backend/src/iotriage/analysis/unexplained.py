"""What no finding claims of the account: how long it takes, at what rates, and what would tell where it goes.

Pure, and only over what the case document carries; the page does the same (`unexplained.ts`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iotriage.analysis.allotment import allotted, shortest_ranked
from iotriage.analysis.basis import DecisionBasis
from iotriage.analysis.condition import Metrics
from iotriage.analysis.document import Findings
from iotriage.analysis.document.account import Account, Unexplained
from iotriage.analysis.rates import known_number, rate_of_an_ost, rates_of
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.missing_evidence import DARSHAN, EVIDENCE, TIMERS
from iotriage.metrics.tables.account.cells import Basis, Cell
from iotriage.rules.access.from_memory import MEMORY_S
from iotriage.rules.access.misaligned_io import ONE_OST
from iotriage.rules.core.words import share
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION, TIME
from iotriage.rules.striping import slower_and_slower

NOT_EXPLAINED = "Not explained: "
TRACE = "Not explained: trace one short run, which shows the calls that take the time."
TRACED = "export DXT_ENABLE_IO_TRACE=1"

EXPERIMENTS: Mapping[Cell, tuple[str, str | None]] = {
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
BY_ONE_PROCESS = (
    "Not explained: run it again at another hour. If an open then takes as long, the way to the server and back takes "
    "it: let several processes open the files side by side; if not, the server was busy."
)
"""For metadata calls of one process: no number of ranks makes them slow."""
WAITED_FOR: tuple[str, str | None] = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. See "
    "whether it is long for the bytes: run once with twice as many of these ranks (the hint cb_nodes, or the library's "
    "own number of I/O ranks), on Lustre with no more than the file has stripes; if nothing changes, trace one short "
    "run.",
    TRACED,
)
"""For time in MPI-IO that has passed below it, in other ranks' calls."""
CROWDED: tuple[str, str | None] = (
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
STRIPES_IN_USE: tuple[str, str | None] = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There "
    "is one of them for each stripe of the file, and more would take one another's locks: run once with more stripes, "
    "in a new directory, if there are more OSTs; if nothing changes, trace one short run.",
    TRACED,
)
"""The same, where there are as many as stripes."""
OSTS_IN_USE: tuple[str, str | None] = (
    "Not explained: the ranks that call the storage take nearly all of that time, and the others wait for them. There "
    "is one of them or more for each stripe, and the file lies on every OST that there is. Run it again at another "
    "hour, for the file system is everybody's; if it takes as long, trace one short run.",
    TRACED,
)
"""The same, where there are no more stripes to be had."""
FEW_MOVE: tuple[str, str | None] = (
    "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. Run once "
    "with twice as many of these ranks (the library's own number of I/O ranks); if nothing changes, trace one short "
    "run.",
    TRACED,
)
"""For time in which most ranks do no I/O."""
FEW_OF_ADIOS: tuple[str, str | None] = (
    "Not explained: few of the ranks move all of the bytes. Whether the others wait for them, no log says. ADIOS2 "
    "takes one rank a node unless NumAggregators, a parameter of its BP engines, says otherwise: run once with twice "
    "as many; if nothing changes, trace one short run.",
    TRACED,
)
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
FAST_AT_FIRST: tuple[str, str | None] = (
    "Not explained: find first what slows the later outputs, for the first were fast with the same ranks and stripes. "
    "Then see whether what is left is long for the bytes.",
    None,
)
"""Instead of them, where `slower-and-slower` holds: another number is not what the later files lack."""
IN_DAOS: tuple[str, str | None] = (
    "Not explained, and Darshan's trace does not have the calls of DAOS: move as much by IOR with its DFS interface, "
    "in pieces as large, from as many ranks. If that is no faster, the pool gives no more.",
    "ior -a DFS -w -r -F -t SIZE -b SIZE --dfs.pool POOL --dfs.cont CONTAINER",
)
"""For what DXT does not trace: it has the calls of POSIX and MPI-IO."""
SEVERAL = 2.0
RATE_OF_ONE_OST = ONE_OST.default
"""Bytes a second. ARCHER2's guide, "I/O profiling": a maximum of around 1 GB/s for large files that are not striped."""
STRIPES_UNKNOWN: tuple[str, str | None] = (
    "Not explained: one OST gives around 1 GB/s by ARCHER2's guide, and no more passes here. See how the file is "
    "striped: where it has one stripe, that is the cause.",
    "lfs getstripe FILE",
)
RATE_OF_BUSY_OST = 375 * 2.0**20
"""Bytes a second. ARCHER's guide gives a serial writer about 500 MiB/s with default striping; three quarters of it, for
the noise of a shared file system, are ours."""
MORE_OSTS: tuple[str, str | None] = (
    "Not explained, but the OSTs in use are busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or "
    "more, and the file system has others. Run once with the files over more of them, by more stripes or more files.",
    None,
)
EVERY_OST: tuple[str, str | None] = (
    "Not explained, but every OST is busy: each moves the 500 MiB/s or so that ARCHER's guide has for one, or more. "
    "Where yours give no more, only less data takes less time.",
    None,
)
BUSY_OSTS: tuple[str, str | None] = (
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
WHAT_IT_GIVES = (
    "Not explained, and perhaps nothing is wrong: ARCHER's guide sees no problem in more than several GiB/s. See what "
    "the file system gives: run IOR with as many ranks, and calls as large. If that is no faster, only less data, or "
    "output less often, takes less time; if it is, trace one short run."
)
IOR_OWN, IOR_SHARED = "ior -a POSIX -F", "ior -a POSIX"
IOR_WRITES, IOR_READS = " -w -e -t SIZE -b SIZE -o NEW_FILE", " -w -r -C -e -t SIZE -b SIZE -o NEW_FILE"
SENT_AT_CLOSE: tuple[str, str | None] = (
    "Not explained: on NFS, what was written is sent at the latest when the file is closed, so that this may be the "
    "time of the data and not of opens. Move a few GiB there from one node while the job does not run: if the job is "
    "no faster than that, the server or its network gives no more, and a parallel file system does.",
    "dd if=/dev/zero of=NEW_FILE bs=1M count=4096 conv=fsync",
)
IN_CLOSES: tuple[str, str | None] = (
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
TARGETS: tuple[str, str | None] = (
    "Not explained: on BeeGFS a shared file is as fast as the storage targets that it is striped over. See how many "
    "these are, and how many there are.",
    "beegfs-ctl --getentryinfo FILE\nbeegfs-ctl --listtargets --nodetype=storage",
)
SEEKS: tuple[str, str | None] = (
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
_PLACE, _PLAIN = re.compile(r"\bFILE\b"), re.compile(r"/[\w@%+=:,./-]+", re.ASCII)
"""Where a command has a file, and a name that a shell takes as it is."""
FILTERED: tuple[str, str | None] = (
    "Not explained by the storage: HDF5 moves far fewer bytes below than the program reads and writes, so it "
    "compresses or decompresses them (or converts them, or has them in its cache: a profile of one rank by functions "
    "tells). Then a lighter filter takes less time (LZ4 or Blosc, to write also H5Pset_deflate with level 1), and so "
    "do chunks that fit the accesses, or more processes that share the work.",
    None,
)
"""For time in HDF5 that moves more above than below."""
FROM_MEMORY: tuple[str, str | None] = (
    "Not explained by the storage: a read takes less than 10 µs, so memory of the node answers it, and what is left is "
    "the cost of so many calls. Where the program can, map the file into memory (mmap), so that a read is no call.",
    None,
)
"""For reads that go back and forth, and that the page cache answers."""
FILTERS = 2.0
"""Bytes that the program moves through HDF5, for each that is moved below, from which these are not the same bytes."""
NO_LOG: tuple[str, str | None] = (
    "Not explained: a Darshan log of one run, with its trace, shows the calls that take the time.",
    "\n".join((*EVIDENCE[DARSHAN].lines, TRACED)),
)
"""Where the times are those of texts, which count no calls."""
ASK_PHASES: tuple[str, str | None] = (
    "Not explained: Cray MPICH prints in which of its phases the time in MPI-IO passes.",
    "\n".join(EVIDENCE[TIMERS].lines),
)
PHASES_KNOWN: tuple[str, str | None] = (
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


def unexplained_of(findings: Findings, basis: DecisionBasis) -> Unexplained | None:
    """What is left when all findings have their seconds; None where there is no account."""
    found = allotted(findings, basis)
    if found is None or basis.account is None:
        return None
    left = found.left
    seconds = sum(left.of(cell) for cell in EXPERIMENTS)
    of = sum(basis.account.cells.of(cell) for cell in EXPERIMENTS)
    share = seconds / of if of > NO_TIME else 0.0
    experiment, command = None, None
    long_enough = basis.significant is True or (basis.significant is None and basis.account.runtime_s is None)
    if long_enough and seconds >= _matters(basis.account, basis):
        most = max(EXPERIMENTS, key=left.of)
        tells = experiment_of(most, basis.metrics, seconds, basis.account.basis)
        slower = any(f.rule == slower_and_slower.rule.id and f.verdict == "triggered" for f in findings)
        experiment, command = FAST_AT_FIRST if slower and _asks_for_movers(tells) else tells
    return Unexplained(seconds, share, left, rates_of(basis.metrics), experiment, command)


def experiment_of(cell: Cell, metrics: Metrics, seconds: float, source: Basis) -> tuple[str, str | None]:
    """What would tell where the unexplained `seconds`, most of them of a cell, go, and its command, for the largest
    file where its name is known. `source` has the times: what traces a run whose log is there is not all that makes a
    log of another."""
    words, command = _experiment_of(cell, metrics, seconds, source)
    name = _word(metrics, "file.largest")
    if command is None or name is None or not _PLAIN.fullmatch(name):
        return words, command
    return words, _PLACE.sub(lambda _: name, command)


def _experiment_of(cell: Cell, metrics: Metrics, seconds: float, source: Basis) -> tuple[str, str | None]:
    if cell in ("reads", "writes", "exchange") and _as_one_ost(cell, metrics, seconds):
        return STRIPES_UNKNOWN
    if cell in ("reads", "writes", "imbalance") and _word(metrics, "io.layer") in ("DFS", "DAOS"):
        return IN_DAOS
    logged = source in OF_LOGS
    passed_below = cell == "exchange" and _passed_below(metrics)
    if cell == "reads" and _from_memory(metrics):
        return FROM_MEMORY
    if cell in ("reads", "writes", "imbalance") or passed_below:
        told = _of_busy_osts(metrics) or _by_mount(cell, metrics)
        # More ranks that write use more OSTs, if there are others.
        if told is not None and not (told is BUSY_OSTS and cell == "imbalance" and _few_move(metrics)):
            return told
    if cell == "library" and any(_more_above(way, metrics) for way in ("read", "written")):
        return FILTERED
    if cell == "imbalance" and _few_move(metrics):
        return FEW_OF_ADIOS if _word(metrics, "file.subfiles_of") == "ADIOS2" else FEW_MOVE
    if cell == "metadata" and _mostly_seeks(metrics):
        return SEEKS
    if cell == "metadata" and _sent_at_close(metrics):
        return SENT_AT_CLOSE
    if cell == "metadata" and _word(metrics, "posix.metadata_mostly") == "closes":
        return IN_CLOSES
    if cell == "metadata" and (known_number(metrics, "job.nprocs") == 1 or _word(metrics, "io.pattern") == "serial"):
        return BY_ONE_PROCESS, None
    if cell == "exchange":
        if passed_below:
            waited = _waited_for(metrics)
            return waited if logged else (waited[0], NO_LOG[1])
        if source == "CrayPAT":
            return ASK_PHASES
        if logged and known_number(metrics, "timers.weight") is not None:
            return _with_phases(PHASES_KNOWN, metrics)
    if logged and cell in ("reads", "writes") and _without_a_problem(metrics):
        own = _word(metrics, "io.pattern") == "file-per-process"
        return WHAT_IT_GIVES, (IOR_OWN if own else IOR_SHARED) + (IOR_READS if cell == "reads" else IOR_WRITES)
    return EXPERIMENTS[cell] if logged or cell == "metadata" else _with_phases(NO_LOG, metrics)


def _asks_for_movers(experiment: tuple[str, str | None]) -> bool:
    return experiment[0].startswith(OF_OTHER_MOVERS)


def _with_phases(experiment: tuple[str, str | None], metrics: Metrics) -> tuple[str, str | None]:
    """With the largest phases that the library printed: nobody is asked for a log to learn what stands in the text."""
    printed = [(known_number(metrics, metric) or 0.0, name) for metric, name in PHASES.items()]
    largest = sorted((p for p in printed if p[0] >= WORTH_A_NAME), key=lambda p: -p[0])[:MOST_NAMED]
    if not largest:
        return experiment
    named = " and ".join(f"{share(part)} as {name}" for part, name in largest)
    words = experiment[0].removeprefix(NOT_EXPLAINED)
    return (
        f"{NOT_EXPLAINED}of the time in MPI-IO, MPICH_MPIIO_TIMERS prints {named}. {words[0].upper()}{words[1:]}",
        experiment[1],
    )


def _of_busy_osts(metrics: Metrics) -> tuple[str, str | None] | None:
    """Where the OSTs of the files move as much as they can: whether there are others. None where they do not, or nobody
    knows how many these are."""
    each, used, every = (
        rate_of_an_ost(metrics),
        known_number(metrics, "file.osts"),
        known_number(metrics, "file.stripes_possible"),
    )
    if each is None or each < RATE_OF_BUSY_OST:
        return None
    if used is None or every is None:
        return BUSY_OSTS
    return MORE_OSTS if used < every else EVERY_OST


def _without_a_problem(metrics: Metrics) -> bool:
    """Whether the job moves more than several GiB/s, and its OSTs, where they are known, are not idle beside that."""
    rate, each = known_number(metrics, "io.bandwidth"), rate_of_an_ost(metrics)
    return rate is not None and rate >= RATE_WITHOUT_A_PROBLEM and (each is None or each >= RATE_OF_IDLE_OST)


def _mostly_seeks(metrics: Metrics) -> bool:
    """Whether nearly all metadata calls that are counted are seeks."""
    seeks, opens, stats = (known_number(metrics, f"posix.{call}") or 0.0 for call in ("seeks", "opens", "stats"))
    return seeks >= max(MANY_SEEKS, SEEKS_FOR_EACH * (opens + stats))


def _sent_at_close(metrics: Metrics) -> bool:
    """Whether so much was written to NFS that closing the files may be what sends it."""
    written = known_number(metrics, "io.bytes_written")
    return _on_one_server(metrics) and (written or 0.0) >= SENT


def _on_one_server(metrics: Metrics) -> bool:
    """Whether the largest file is on NFS, and no more passes than one server gives: some give NFS by many servers."""
    on_nfs = OF_ONE_DEVICE.get(str(_word(metrics, "file.mount_type"))) is ON_NFS
    return on_nfs and (known_number(metrics, "io.bandwidth") or 0.0) < RATE_WITHOUT_A_PROBLEM


def _by_mount(cell: Cell, metrics: Metrics) -> tuple[str, str | None] | None:
    """What tells most on the kind of file system that the largest file is on; None where the calls do."""
    mount = str(_word(metrics, "file.mount_type"))
    if mount in OF_ONE_DEVICE and (OF_ONE_DEVICE[mount] is not ON_NFS or _on_one_server(metrics)):
        return OF_ONE_DEVICE[mount] + _instead(mount, metrics), READ_IT if cell == "reads" else WRITE_IT
    shared = str(_word(metrics, "io.pattern")).startswith("shared-")
    return TARGETS if shared and mount.startswith("beegfs") else None


def _from_memory(metrics: Metrics) -> bool:
    """Whether accesses that go back and forth take less time than any storage does."""
    took, back = (known_number(metrics, metric) for metric in ("posix.call_time", "posix.random_fraction"))
    return took is not None and took < MEMORY_S and back is not None and back > GO_BACK


def _more_above(way: str, metrics: Metrics) -> bool:
    """Whether the program moves more bytes through HDF5 than all that is moved below, of which none is missing."""
    above, below = known_number(metrics, f"hdf5.bytes_{way}"), metrics.get(f"io.bytes_{way}")
    if above is None or below is None or below.bound is not None or not isinstance(below.value, int | float):
        return False
    return below.value > 0 and above >= FILTERS * below.value


def _instead(mount: str, metrics: Metrics) -> str:
    """The job's parallel file system, where the files lie on a disk of the node."""
    there = _word(metrics, "job.work_directory")
    if OF_ONE_DEVICE[mount] != ON_A_DISK or there is None or not PLAIN_PATH.fullmatch(there):
        return ""
    return f" Then run once with these files on {there}."


NEARLY_ONE = 0.9
"""Of the ranks that move the bytes for each stripe, from which there is one: a variance gives a little less."""


def _waited_for(metrics: Metrics) -> tuple[str, str | None]:
    """More aggregators than stripes take one another's locks, unless they are locked otherwise: nobody is sent to try
    that."""
    locked = (known_number(metrics, "hints.lock_mode") or 0.0) >= 1
    if _share_stripes(metrics) and not locked:
        return CROWDED
    stripes, each = known_number(metrics, "file.stripe_count"), known_number(metrics, "mpiio.movers_per_stripe")
    movers = known_number(metrics, "mpiio.effective_aggregators")
    shared = _word(metrics, "io.pattern") == "shared-collective"
    if not shared or stripes is None or stripes < SEVERAL or (each is None and movers is None):
        return WAITED_FOR
    if (each if each is not None else (movers or 0.0) / stripes) >= NEARLY_ONE:
        return OSTS_IN_USE if _word(metrics, "file.other_osts") == "none" else STRIPES_IN_USE
    return ONE_A_STRIPE.format(f"{stripes:.0f}"), TRACED


def _share_stripes(metrics: Metrics) -> bool:
    """Whether several of the ranks that move the bytes of one shared file share each of its stripes."""
    each = known_number(metrics, "mpiio.movers_per_stripe")
    return each is not None and each >= SEVERAL and _word(metrics, "io.pattern") == "shared-collective"


def _few_move(metrics: Metrics) -> bool:
    """Whether several ranks move the bytes, and most of the others none."""
    ranks, movers = (known_number(metrics, metric) for metric in ("job.nprocs", "balance.movers"))
    return ranks is not None and movers is not None and 1 < movers <= ranks / FEW_OF


def _passed_below(metrics: Metrics) -> bool:
    """Whether most of the time in MPI-IO passed in the calls to the storage of those ranks that make some."""
    ratio = known_number(metrics, OVER_STORAGE)
    access = sum(known_number(metrics, metric) or 0.0 for metric in ACCESS)
    return (ratio is not None and ratio < PASSED_BELOW) or access >= MOSTLY_ACCESS


def _as_one_ost(cell: Cell, metrics: Metrics, seconds: float) -> bool:
    """Whether a shared file on Lustre, whose stripes nobody states, is moved no faster than one OST gives: all bytes in
    all the time of I/O, or those written in the `seconds` that are left where reading has its own cause."""
    shared = str(_word(metrics, "io.pattern")).startswith("shared-") and _word(metrics, "file.mount_type") == "lustre"
    if not shared or known_number(metrics, "file.stripe_count") is not None:
        return False
    rate, written = known_number(metrics, "io.bandwidth"), known_number(metrics, "io.bytes_written")
    rates = [rate] if cell == "reads" or not written or seconds <= 0 else [rate, written / seconds]
    return any(one is not None and one <= RATE_OF_ONE_OST for one in rates)


def _matters(account: Account, basis: DecisionBasis) -> float:
    """Seconds from which somebody should look for their cause: those that rank, and the share of the run from which I/O
    is a bottleneck; where nobody says how long the run was, the time from which I/O is long in itself."""
    threshold = basis.thresholds.get(TIME.id if account.runtime_s is None else FRACTION.id)
    of = 1.0 if account.runtime_s is None else account.runtime_s
    return max(shortest_ranked(basis), 0.0 if threshold is None else threshold.value * of)


def _word(metrics: Metrics, metric: str) -> str | None:
    found = metrics.get(metric)
    return found.value if found is not None and isinstance(found.value, str) else None

"""The I/O time that no finding accounts for: how much it is, at what rates it passed, and which experiment would
explain it.

Pure, and only over what the case document carries; the page does the same (`unexplained.ts`).
"""

from __future__ import annotations

from iotriage.analysis.decision.allotment import allot_seconds, shortest_ranked
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document import Findings
from iotriage.analysis.document.account import Account, Unexplained
from iotriage.analysis.experiments.sentences import (
    ACCESS,
    AFTER_THE_TURNS,
    ALL_TRACED,
    ASK_PHASES,
    BUSY_OSTS,
    BY_ONE_PROCESS,
    CROWDED,
    ENOUGH_FOR_ONE,
    EVERY_OST,
    EXPERIMENTS,
    FAST_AT_FIRST,
    FAST_BUT_FOR_A_FEW,
    FEW_MOVE,
    FEW_OF,
    FEW_OF_ADIOS,
    FILTERED,
    FILTERS,
    FROM_MEMORY,
    GO_BACK,
    IN_CLOSES,
    IN_DAOS,
    IN_THE_TRACE,
    IOR_OWN,
    IOR_READS,
    IOR_SHARED,
    IOR_WRITES,
    LARGE_CALL,
    LARGE_STREAMS,
    LEFT_OUT,
    LITTLE,
    LITTLE_EACH,
    MANY_SEEKS,
    MIB,
    MORE,
    MORE_OSTS,
    MOST_NAMED,
    MOSTLY_ACCESS,
    NO_LOG,
    NOT_EXPLAINED,
    OF_LOGS,
    OF_ONE_DEVICE,
    OF_OTHER_MOVERS,
    ON_A_DISK,
    ON_NFS,
    ONE_A_STRIPE,
    OSTS_IN_USE,
    OVER_STORAGE,
    OWN_FILES,
    PACES,
    PASSED_BELOW,
    PHASES,
    PHASES_KNOWN,
    PLACE,
    PLAIN,
    PLAIN_PATH,
    RATE_OF_BUSY_OST,
    RATE_OF_IDLE_OST,
    RATE_OF_ONE_OST,
    RATE_OF_ONE_PROCESS,
    RATE_WITHOUT_A_PROBLEM,
    READ_IT,
    SEEKS,
    SEEKS_FOR_EACH,
    SENT,
    SENT_AT_CLOSE,
    SEVERAL,
    STOOD_STILL,
    STRIPES_IN_USE,
    STRIPES_UNKNOWN,
    TARGETS,
    TO_TRACE,
    TRACE_ALL,
    TRACED,
    TWO_KINDS,
    WAITED_FOR,
    WHAT_IT_GIVES,
    WHICH_SHOWS,
    WORTH_A_NAME,
    WRITE_IT,
    Experiment,
)
from iotriage.analysis.rates import known_number, rate_of_an_ost, rates_of
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.tables.account.cells import Basis, Cell
from iotriage.rules.access.from_memory import MEMORY_S
from iotriage.rules.collective import ranks_in_turn, straggler_rank
from iotriage.rules.core.words import number, share
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION, TIME
from iotriage.rules.striping import crowded_ost, slow_moment, slow_ost, slower_and_slower


def unexplained_of(findings: Findings, basis: DecisionBasis) -> Unexplained | None:
    """What is left when all findings have their seconds; None where there is no account."""
    found = allot_seconds(findings, basis)
    if found is None or basis.account is None:
        return None
    left = found.left
    seconds = sum(left.of(cell) for cell in EXPERIMENTS)
    of = sum(basis.account.cells.of(cell) for cell in EXPERIMENTS)
    share = seconds / of if of > NO_TIME else 0.0
    experiment, command = None, None
    in_turn = _holds(ranks_in_turn.rule.id, findings)
    long_enough = basis.significant is True or (basis.significant is None and basis.account.runtime_s is None)
    if long_enough and seconds >= _matters(basis.account, basis):
        most = max(EXPERIMENTS, key=left.of)
        tells = experiment_of(most, _but_what_is_told(basis.metrics, findings), seconds, basis.account.basis)
        experiment, command = AFTER_THE_TURNS if in_turn else _after_what_slows(tells, findings)
    rates = () if in_turn else rates_of(basis.metrics)
    return Unexplained(seconds, share, left, rates, experiment, command)


def _but_what_is_told(metrics: Metrics, findings: Findings) -> Metrics:
    """Where a finding says which ranks are slow and why, nobody is sent to see what they have in common."""
    if not any(_holds(rule, findings) for rule in WHO_IS_SLOW):
        return metrics
    return {name: metric for name, metric in metrics.items() if name != PACES_OF_RANKS}


def _after_what_slows(tells: Experiment, findings: Findings) -> Experiment:
    """Who is to try other ranks or stripes finds first why some files were slower with the same."""
    if not _asks_for_movers(tells):
        return tells
    if _holds(slower_and_slower.rule.id, findings):
        return FAST_AT_FIRST
    return FAST_BUT_FOR_A_FEW if _holds(slow_moment.rule.id, findings) else tells


def _holds(rule: str, findings: Findings) -> bool:
    return any(f.rule == rule and f.verdict == "triggered" for f in findings)


def experiment_of(cell: Cell, metrics: Metrics, seconds: float, source: Basis) -> Experiment:
    """What would tell where the unexplained `seconds`, most of them of a cell, go, and its command, for the largest
    file where its name is known. `source` has the times: what traces a run whose log is there is not all that makes a
    log of another."""
    words, command = unless_traced(_experiment_of(cell, metrics, seconds, source), metrics)
    name = _word(metrics, "file.largest")
    if command is None or name is None or not PLAIN.fullmatch(name):
        return words, command
    return words, PLACE.sub(lambda _: name, command)


def unless_traced(experiment: Experiment, metrics: Metrics) -> Experiment:
    """Who has traced the run is to look at the trace, and not to trace another; who has traced a part of it, to trace
    all."""
    words, command = experiment
    traced = _word(metrics, "io.traced")
    if command != TRACED or TO_TRACE not in words or traced not in ("yes", "in part"):
        return experiment
    if traced == "yes":
        shows = TO_TRACE + WHICH_SHOWS
        return (words.replace(shows, IN_THE_TRACE), None) if shows in words else experiment
    part, layer = known_number(metrics, "io.traced_fraction"), _word(metrics, "io.traced_least")
    left_out = "" if part is None or layer is None else LEFT_OUT.format(share(part), layer)
    return words.replace(TO_TRACE, TRACE_ALL) + left_out, ALL_TRACED


def _experiment_of(cell: Cell, metrics: Metrics, seconds: float, source: Basis) -> Experiment:
    if cell in ("reads", "writes", "exchange") and _as_one_ost(cell, metrics, seconds):
        return STRIPES_UNKNOWN
    if cell in ("reads", "writes", "imbalance") and _word(metrics, "io.layer") in ("DFS", "DAOS"):
        return IN_DAOS
    logged = source in OF_LOGS
    passed_below = cell == "exchange" and _passed_below(metrics)
    if cell == "reads" and _from_memory(metrics):
        return FROM_MEMORY
    if logged and cell in ("reads", "writes", "streams") and _rate_is_of(cell, metrics) and _enough_for_one(metrics):
        return ENOUGH_FOR_ONE, None
    if cell in ("reads", "writes", "imbalance") and (kinds := _two_kinds(metrics)) is not None:
        return kinds, None
    if cell in ("reads", "writes", "imbalance") or passed_below:
        told = _of_busy_osts(metrics) or _by_mount(cell, metrics)
        # More ranks that write use more OSTs, if there are others.
        if told is not None and not (told is BUSY_OSTS and cell == "imbalance" and _few_move(metrics)):
            return told
    if cell == "writes" and _crowded(metrics) and not (logged and _without_a_problem(metrics)):
        return CROWDED if logged else (CROWDED[0], NO_LOG[1])
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
    if cell == "metadata" and _word(metrics, "posix.metadata_mostly") == "a few calls":
        return STOOD_STILL, None
    if cell == "metadata" and (known_number(metrics, "job.nprocs") == 1 or _word(metrics, "io.pattern") == "serial"):
        return BY_ONE_PROCESS, None
    if cell == "exchange":
        if passed_below and not (logged and _without_a_problem(metrics) and not _crowded(metrics)):
            waited = _waited_for(metrics)
            return waited if logged else (waited[0], NO_LOG[1])
        if source == "CrayPAT":
            return ASK_PHASES
        if logged and not passed_below and known_number(metrics, "timers.weight") is not None:
            return _with_phases(PHASES_KNOWN, metrics)
    moves = (cell in ("reads", "writes", "streams") and _rate_is_of(cell, metrics)) or passed_below
    if logged and moves and _without_a_problem(metrics):
        own = _word(metrics, "io.pattern") == "file-per-process"
        return WHAT_IT_GIVES, (IOR_OWN if own else IOR_SHARED) + (IOR_READS if cell == "reads" else IOR_WRITES)
    if logged and cell == "streams" and (known_number(metrics, "stdio.average_size") or 0.0) >= LARGE_CALL:
        return LARGE_STREAMS
    return EXPERIMENTS[cell] if logged or cell == "metadata" else _with_phases(NO_LOG, metrics)


def _two_kinds(metrics: Metrics) -> str | None:
    """Where ranks with as much to do are quick or slow, and nothing between."""
    times, slow = known_number(metrics, PACES_OF_RANKS), known_number(metrics, "balance.two_paces_slow")
    if times is None or slow is None or times < PACES:
        return None
    return TWO_KINDS.format(number(int(slow)), number(times))


def _rate_is_of(cell: Cell, metrics: Metrics) -> bool:
    """Whether the job's rate is that of these calls: it is of the layer with most bytes, and lines to a stream may take
    the time beside it."""
    return cell != "streams" or _word(metrics, "io.layer") == "STDIO"


def _asks_for_movers(experiment: Experiment) -> bool:
    return experiment[0].startswith(OF_OTHER_MOVERS)


def _with_phases(experiment: Experiment, metrics: Metrics) -> Experiment:
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


def _of_busy_osts(metrics: Metrics) -> Experiment | None:
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
    return _over_more(metrics, every) if used < every else EVERY_OST


def _over_more(metrics: Metrics, every: float) -> Experiment:
    """With the command for a new directory: twice the stripes of a shared file; of files of single ranks as many as
    now, wherever Lustre puts them."""
    stripes, size = known_number(metrics, "file.stripe_count"), known_number(metrics, "file.stripe_size")
    if stripes is None or not size:
        return MORE_OSTS
    own = _word(metrics, "io.pattern") in OWN_FILES
    count, first = (stripes, " -i -1") if own else (min(every, MORE * stripes), "")
    each = f"{size / MIB:.0f}M" if size % MIB == 0 else f"{size:.0f}"
    return MORE_OSTS[0], f"lfs setstripe -c {count:.0f} -S {each}{first} NEW_DIRECTORY"


def _without_a_problem(metrics: Metrics) -> bool:
    """Whether the job moves more than several GiB/s, and its OSTs, where they are known, are not idle beside that."""
    rate, each = known_number(metrics, "io.bandwidth"), rate_of_an_ost(metrics)
    return rate is not None and rate >= RATE_WITHOUT_A_PROBLEM and (each is None or each >= RATE_OF_IDLE_OST)


def _enough_for_one(metrics: Metrics) -> bool:
    """Whether the job is one process, and as fast as one may be."""
    rate = known_number(metrics, "io.bandwidth")
    return known_number(metrics, "job.nprocs") == 1 and rate is not None and rate >= RATE_OF_ONE_PROCESS


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


def _by_mount(cell: Cell, metrics: Metrics) -> Experiment | None:
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


SOME_ALONE = 0.1
"""Of the bytes."""
PACES_OF_RANKS = "balance.two_paces"
WHO_IS_SLOW = (slow_ost.rule.id, crowded_ost.rule.id, straggler_rank.rule.id)
NEARLY_ONE = 0.9
"""Of the ranks that move the bytes for each stripe, from which there is one: a variance gives a little less."""


def _waited_for(metrics: Metrics) -> Experiment:
    """More aggregators than stripes take one another's locks, unless they are locked otherwise: nobody is sent to try
    that."""
    if _crowded(metrics):
        return CROWDED
    stripes, each = known_number(metrics, "file.stripe_count"), known_number(metrics, "mpiio.movers_per_stripe")
    movers = known_number(metrics, "mpiio.effective_aggregators")
    shared = _word(metrics, "io.pattern") == "shared-collective"
    if not shared or stripes is None or stripes < SEVERAL or (each is None and movers is None) or _alone(metrics):
        return WAITED_FOR
    of_file = known_number(metrics, "file.size")
    if (each if each is not None else (movers or 0.0) / stripes) >= NEARLY_ONE:
        if of_file is not None and of_file < LITTLE * stripes:
            return LITTLE_EACH
        return OSTS_IN_USE if _word(metrics, "file.other_osts") == "none" else STRIPES_IN_USE
    return ONE_A_STRIPE.format(f"{stripes:.0f}"), TRACED


def _crowded(metrics: Metrics) -> bool:
    locked = (known_number(metrics, "hints.lock_mode") or 0.0) >= 1
    return _share_stripes(metrics) and not locked


def _share_stripes(metrics: Metrics) -> bool:
    """Whether several of the ranks that move the bytes of one shared file share each of its stripes."""
    each = known_number(metrics, "mpiio.movers_per_stripe")
    shared = _word(metrics, "io.pattern") == "shared-collective" and not _alone(metrics)
    return each is not None and each >= SEVERAL and shared


def _alone(metrics: Metrics) -> bool:
    """Whether independent calls carry some of the bytes: who moves those moves its own, whatever the hints."""
    return (known_number(metrics, "mpiio.independent_bytes_lower_fraction") or 0.0) >= SOME_ALONE


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

"""Chooses the question that would tell most about the unexplained seconds of a cell. It reads the job's metrics alone.
The case document carries all questions that thresholds may lead to; when one is moved,
`iotriage.analysis.decision.unexplained` only chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document.account import Account, Investigation, InvestigationKind, Investigations
from iotriage.analysis.investigations.moved import ThresholdsOfCase, until_sure
from iotriage.analysis.investigations.of_benchmarks import (
    in_daos,
    large_streams,
    not_shared,
    rate_of_benchmark,
)
from iotriage.analysis.investigations.of_file_systems import (
    among_stripes,
    mount_question,
    passes_through_one_server,
    rate_of_most_time,
    slower_mount_question,
    work_directory,
)
from iotriage.analysis.investigations.of_metadata import metadata_questions, stream_opens_question
from iotriage.analysis.investigations.of_movers import (
    are_a_program,
    as_many_as_stripes,
    crowded_alone_question,
    few_ranks_move,
    gathered_evenly,
    is_crowded,
    more_movers_questions,
    one_slow_rank_question,
    slow_mover_questions,
)
from iotriage.analysis.investigations.of_osts import busy_osts_question
from iotriage.analysis.investigations.of_single_calls import one_call_question, read_once_question
from iotriage.analysis.investigations.of_written_bytes import (
    filled_question,
    synced_question,
    synced_unseen_question,
    written_over_question,
)
from iotriage.analysis.investigations.question import Question, investigation
from iotriage.analysis.investigations.questions import (
    AFTER_THE_TURNS,
    ASK_PHASES,
    AWAITED,
    BUSY_OSTS,
    BUSY_POOL,
    CHUNKS_OF,
    ELSEWHERE,
    ENOUGH_FOR_ONE,
    FAST_AT_FIRST,
    FAST_BUT_FOR_A_FEW,
    FILTERED,
    FROM_MEMORY,
    HELD_BACK,
    HELD_BACK_ON_NFS,
    LEAVE_LOCKS_OUT,
    LEFT_OUT,
    NO_LOG,
    OF_CELLS,
    PACKED,
    PHASES_KNOWN,
    STRIPES_UNKNOWN,
    TRACE,
    WAITS_EACH,
    WITHOUT_LOCKS,
)
from iotriage.analysis.investigations.questions_of_movers import (
    CROWDED,
    FEW_ARE_FAST,
    ON_OTHER_NODES,
    ON_OTHER_OSTS,
    TWO_KINDS,
)
from iotriage.analysis.rates import known_number, known_word, rate_of_an_ost, rates_of
from iotriage.metrics.core.documented import UNSTRIPED_FILE
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.metrics.mpiio.times import MOSTLY_BELOW
from iotriage.metrics.tables.account.cells import Basis, Cell
from iotriage.rules.access.fast_rates import FAST_TOGETHER
from iotriage.rules.access.page_cache import MEMORY_S
from iotriage.rules.access.stalls import STALLED
from iotriage.rules.advice.array_files import are_filtered
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.placement import what_stood_still
from iotriage.rules.collective import ranks_in_turn, straggler_rank
from iotriage.rules.core.condition import ALWAYS, Compare, all_of
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.words import number, seconds, share, size
from iotriage.rules.streams import stdio_heavy
from iotriage.rules.striping import crowded_ost, slow_moment, slow_ost, slower_and_slower
from iotriage.sites.mounts import kind_of

PACES = 1.5
"""Factor between the times of ranks from which they are of two kinds, as in the rule `slow-ost`."""
WHO_IS_SLOW = (slow_ost.rule.id, crowded_ost.rule.id, straggler_rank.rule.id)
RATE_OF_IDLE_OST = 100 * 2.0**20
"""Bytes per second. Below it the OSTs are mostly idle, however fast all of them are together: a fifth of what ARCHER's
guide gives for one OST; that it is a fifth is ours."""
LARGE_CALL = 2.0**20
"""Bytes of a call to a stream from which a buffer of 1 MiB is no help."""
GO_BACK = 0.2
"""Of the accesses, the share that goes back in the file from which no reading ahead has brought them: as the rules
about small accesses have it."""
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
"""The names of the phases as MPICH_MPIIO_TIMERS prints them."""
WORTH_A_NAME, MOST_NAMED = 0.1, 2
OF_LOGS = ("Darshan", "darshan-parser")
CALLS: Collection[Cell] = ("reads", "writes", "imbalance")
"""Cells for calls that move bytes, and for waiting for such calls of other ranks."""
ACCESS, MOSTLY_ACCESS = ("timers.file_write_fraction", "timers.file_read_fraction"), 0.5
"""The ranks that access the file take most of the time in MPI-IO for it: a half is ours."""
OVER_STORAGE = "mpiio.to_posix_time"

_Ask: TypeAlias = Callable[[Question], Investigation]
"""Asks a question about the job."""


def investigations_of(
    account: Account | None,
    metrics: Metrics,
    may_hold: Collection[str],
    thresholds: ThresholdsOfCase,
    *,
    of_csh: bool = False,
) -> Investigations:
    """What would tell where unexplained time goes, of each cell of the account that has seconds. `may_hold` has the
    rules that hold, or may where a threshold is moved; `of_csh` where the job's script is."""
    by_text = account is not None and account.basis not in OF_LOGS
    ask = partial(investigation, metrics=metrics, of_csh=of_csh)
    otherwise = ask(NO_LOG if by_text else TRACE)
    of_cells: dict[Cell, tuple[Investigation, ...]] = {}
    if account is not None:
        for cell in OF_CELLS:
            if account.cells.of(cell) > 0:
                of_cells[cell] = tuple(_of_cell(cell, metrics, account.basis, may_hold, thresholds, ask))
    return Investigations(of_cells, otherwise, rates_of(metrics))


def _of_cell(
    cell: Cell, metrics: Metrics, basis: Basis, may_hold: Collection[str], thresholds: ThresholdsOfCase, ask: _Ask
) -> Iterator[Investigation]:
    """Where the ranks take turns that is mended first. `basis` has the times: what traces a run whose log is there is
    not all that makes a log of another."""
    if ranks_in_turn.rule.id in may_hold:
        yield replace(ask(AFTER_THE_TURNS), if_hold=(ranks_in_turn.rule.id,))
    least_s = _as_one_ost_from(cell, metrics)
    if least_s is not None:
        yield replace(ask(STRIPES_UNKNOWN), least_s=least_s, kind=_of_one_ost(metrics))
    if least_s == 0:
        return
    kinds = _two_kinds(cell, metrics)
    # Where a finding says which ranks are slow and why, nobody is sent to see what they have in common.
    held = [(rule,) for rule in WHO_IS_SLOW if rule in may_hold] if kinds is not None else [()]
    for rules in held:
        for question in until_sure(_questions(cell, metrics, basis), metrics, thresholds):
            for asked in _unless_slowed(question, may_hold, ask):
                yield replace(asked, if_hold=(*rules, *asked.if_hold))
    if kinds is not None:
        yield ask(kinds)


def _unless_slowed(question: Question, may_hold: Collection[str], ask: _Ask) -> Iterator[Investigation]:
    """Who is to try other ranks or stripes finds first why some files were slower with the same."""
    if question.of_other_movers:
        for slowed, rule in ((FAST_AT_FIRST, slower_and_slower.rule.id), (FAST_BUT_FOR_A_FEW, slow_moment.rule.id)):
            if rule in may_hold:
                yield replace(ask(slowed), if_hold=(rule,), when=question.when)
    yield ask(question)


def _two_kinds(cell: Cell, metrics: Metrics) -> Question | None:
    """For ranks with the same amount of work, some of which are quick and the others slow."""
    times, slow = known_number(metrics, "balance.two_paces"), known_number(metrics, "balance.two_paces_slow")
    if cell not in CALLS or times is None or slow is None or times < PACES:
        return None
    for question, apart in ((ON_OTHER_OSTS, "balance.two_paces_osts"), (ON_OTHER_NODES, "balance.two_paces_nodes")):
        which = known_word(metrics, apart)
        if which is not None:
            return replace(question, words=question.words.format(number(int(slow)), number(times), which))
    return replace(TWO_KINDS, words=TWO_KINDS.words.format(number(int(slow)), number(times)))


def _questions(cell: Cell, metrics: Metrics, basis: Basis) -> Iterator[Question]:
    """The questions about a cell, the most telling first."""
    logged = basis in OF_LOGS
    if cell == "metadata":
        yield from metadata_questions(metrics, logged=logged)
        return
    if cell in CALLS and known_word(metrics, "io.layer") in ("DFS", "DAOS"):
        yield in_daos(cell, metrics)
    # Of the cells in which bytes are moved, or waited for.
    yield from (question for question in _by_what_tells_most(cell, metrics, basis) if question is not None)
    of_cell = among_stripes(OF_CELLS[cell], metrics) if cell in CALLS else OF_CELLS[cell]
    yield of_cell if logged else _with_phases(NO_LOG, metrics)


def _of_few_movers(cell: Cell, metrics: Metrics) -> bool:
    """Whether few ranks move the bytes that these seconds are of: beyond the mean, and where they are a program of
    their own, whose mean is theirs. What all ranks of one program take on average is not what few of them take."""
    if cell == "imbalance":
        return few_ranks_move(metrics) or gathered_evenly(metrics)
    return cell in ("reads", "writes") and few_ranks_move(metrics) and are_a_program(metrics)


def _by_what_tells_most(cell: Cell, metrics: Metrics, basis: Basis) -> Iterator[Question | None]:
    logged = basis in OF_LOGS
    passed_below = cell == "exchange" and _passed_below(metrics)
    writes = cell in ("writes", "imbalance")
    if writes or passed_below:
        yield synced_question(metrics)
        yield synced_unseen_question(metrics)
    if cell in ("reads", "imbalance"):
        yield read_once_question(metrics)
    if cell in CALLS or passed_below:
        yield one_call_question(metrics)
    if cell == "reads" and _from_memory(metrics):
        yield FROM_MEMORY
    if writes or passed_below:
        yield filled_question(metrics)
    if cell == "imbalance":
        yield one_slow_rank_question(metrics)
    if cell == "streams":
        yield replace(AWAITED, when=Compare("stdio.awaited_fraction", ">=", stdio_heavy.AWAITED.id))
        yield stream_opens_question(metrics)
    if cell in CALLS or cell == "streams":
        yield _waits_each(cell, metrics)
    if logged and cell in ("reads", "writes", "streams") and _rate_is_of(cell, metrics) and _enough_for_one(metrics):
        yield ENOUGH_FOR_ONE
    if cell in CALLS:
        yield slower_mount_question(cell, metrics)
    if cell in CALLS or passed_below:
        busy = busy_osts_question(metrics) or mount_question(cell, metrics)
        # More ranks that write use more OSTs, if there are others.
        if not (busy in (BUSY_OSTS, BUSY_POOL) and _of_few_movers(cell, metrics)):
            yield busy
    if cell == "writes" and is_crowded(metrics) and not (logged and _without_a_problem(metrics)):
        yield as_many_as_stripes(CROWDED, metrics) if logged else _with_a_log(CROWDED)
    if cell == "writes" and logged and not _without_a_problem(metrics):
        yield crowded_alone_question(metrics)
    if cell == "library" and (are_filtered(metrics, "read") or are_filtered(metrics, "written")):
        yield FILTERED
    if _of_few_movers(cell, metrics):
        yield from _of_the_few(cell, metrics, basis)
    if cell == "exchange":
        yield from _of_exchange(metrics, basis, passed_below=passed_below)
    if cell == "reads":
        yield _left_out(metrics)
    yield from _of_the_file_system(cell, metrics, basis, passed_below=passed_below)
    if writes:
        yield written_over_question(metrics)


def _of_the_few(cell: Cell, metrics: Metrics, basis: Basis) -> Iterator[Question]:
    """Questions about the ranks that move the bytes, where they are few."""
    logged = basis in OF_LOGS
    if logged and _passed_above(metrics):
        yield from (question for question in _of_exchange(metrics, basis, passed_below=False) if question is not None)
        yield OF_CELLS["exchange"]
    elif logged and _without_a_problem(metrics):
        yield rate_of_benchmark(cell, metrics, FEW_ARE_FAST)
    else:
        yield from more_movers_questions(metrics)


def _of_exchange(metrics: Metrics, basis: Basis, *, passed_below: bool) -> Iterator[Question | None]:
    """Of the calls of MPI-IO beyond the storage; `passed_below` where their time is that of the calls below."""
    logged = basis in OF_LOGS
    if passed_below and not (logged and _without_a_problem(metrics) and not is_crowded(metrics)):
        for waited in slow_mover_questions(metrics):
            yield waited if logged else _with_a_log(waited)
    elif basis == "CrayPAT":
        yield ASK_PHASES
    elif logged and not passed_below:
        timed = known_number(metrics, "timers.weight") is not None
        yield _with_phases(PHASES_KNOWN, metrics) if timed else _held_back(metrics)


def _with_a_log(question: Question) -> Question:
    """Adds to a question for a trace the lines that make a log, where there is none yet."""
    return question if question.trace is None else replace(question, actions=NO_LOG.actions, log=True)


def _of_the_file_system(cell: Cell, metrics: Metrics, basis: Basis, *, passed_below: bool) -> Iterator[Question]:
    """Questions about how fast the file system is, where the calls themselves are as they should be."""
    moves = (cell in ("reads", "writes", "streams") and _rate_is_of(cell, metrics)) or passed_below
    if basis in OF_LOGS and moves and _without_a_problem(metrics):
        yield rate_of_benchmark(cell, metrics)
    if basis in OF_LOGS and cell == "streams" and (known_number(metrics, "stdio.average_size") or 0.0) >= LARGE_CALL:
        yield from large_streams(metrics)


def _rate_is_of(cell: Cell, metrics: Metrics) -> bool:
    """Whether the job's rate is that of these calls: it is of the layer with most bytes, and lines to a stream may take
    the time beside it."""
    return cell != "streams" or known_word(metrics, "io.layer") == "STDIO"


def _with_phases(question: Question, metrics: Metrics) -> Question:
    """With the largest phases that the library printed: nobody is asked for a log to learn what stands in the text."""
    printed = [(known_number(metrics, metric) or 0.0, name) for metric, name in PHASES.items()]
    largest = sorted((p for p in printed if p[0] >= WORTH_A_NAME), key=lambda p: -p[0])[:MOST_NAMED]
    if not largest:
        return question
    named = " and ".join(f"{share(part)} as {name}" for part, name in largest)
    return replace(question, known=f"of the time in MPI-IO, MPICH_MPIIO_TIMERS prints {named}.")


def _without_a_problem(metrics: Metrics) -> bool:
    """Whether the job moves more than several GiB/s, and its OSTs, where they are known, are not idle beside that."""
    rate, each = rate_of_most_time(metrics), rate_of_an_ost(metrics)
    return rate is not None and rate >= FAST_TOGETHER and (each is None or each >= RATE_OF_IDLE_OST)


def _enough_for_one(metrics: Metrics) -> bool:
    """Whether the job is one process that is already as fast as one process can be."""
    rate = known_number(metrics, "io.bandwidth")
    return known_number(metrics, "job.nprocs") == 1 and rate is not None and rate >= SERIAL_WRITER


def _from_memory(metrics: Metrics) -> bool:
    """Whether accesses that go back and forth are too fast to have come from any storage."""
    took, back = (known_number(metrics, metric) for metric in ("posix.call_time", "posix.random_fraction"))
    return took is not None and took < MEMORY_S and back is not None and back > GO_BACK


MOST_LEFT_OUT, HARDLY_ANY = 0.25, 0.1
"""Of a file, what is read at most where most of it is skipped; of the reads, those that follow on the one before."""


def _left_out(metrics: Metrics) -> Question | None:
    """Where the reads skip most of a file that a library lays out in chunks."""
    library = library_named(known_word(metrics, "file.largest"))
    part, each = known_number(metrics, "posix.times_read"), known_number(metrics, "posix.average_read_size")
    on = known_number(metrics, "posix.consecutive_read_fraction")
    if library is None or part is None or each is None or on is None:
        return None
    if part > MOST_LEFT_OUT or on > HARDLY_ANY or known_word(metrics, "io.layer") != "POSIX":
        return None
    return replace(LEFT_OUT, words=LEFT_OUT.words.format(size(each), share(part)), actions=CHUNKS_OF[library])


def _waits_each(cell: Cell, metrics: Metrics) -> Question | None:
    """Where an access to files of single ranks takes longer than its size or the number of them can have it take."""
    if cell == "streams":
        # How many calls a stream makes is reckoned by its buffer.
        took, rate = known_number(metrics, "stdio.system_call_time"), known_number(metrics, "stdio.stream_rate")
        long_enough, alone = True, True
        when = all_of(Compare("stdio.system_call_time", ">=", STALLED.id), not_shared(metrics))
    else:
        took, rate = known_number(metrics, "posix.call_time"), known_number(metrics, "posix.rank_rate")
        long_enough, alone = took is not None and took >= WAITS_S, known_word(metrics, "io.pattern") in OF_ONE_RANK
        when = ALWAYS
    if took is None or rate is None or not long_enough or rate >= STANDS or not alone:
        return None
    still = what_stood_still(known_word(metrics, "file.lies_on"))
    return replace(WAITS_EACH, words=WAITS_EACH.words.format(seconds(took), size(rate * took), still), when=when)


STANDS, WAITS_S = 2.0**17, 0.5
"""Bytes a second of a rank, below which no file system is slow but stands, and seconds of a call: where nobody else
locks the file, a disk or a server that works has answered long before."""


MOSTLY_ALONE, LOCK_S = 0.5, 0.001
"""Of the time in MPI-IO beyond the storage, the share from which independent calls take it; and of one such call, the
seconds from which it waits and does not compute: both are ours."""


def _held_back(metrics: Metrics) -> Question | None:
    """Where independent calls take most of the time in MPI-IO: nobody is sent to look for ranks that come late."""
    part = known_number(metrics, "mpiio.independent_excess_fraction")
    each = known_number(metrics, "mpiio.independent_excess_per_call")
    if part is None or part < MOSTLY_ALONE or each is None:
        return None
    if each < LOCK_S or known_number(metrics, "job.nprocs") == 1:
        return replace(PACKED, words=PACKED.words.format(seconds(each)))
    if not passes_through_one_server(metrics):
        return replace(HELD_BACK, words=HELD_BACK.words.format(seconds(each)))
    there = work_directory(metrics)
    words = HELD_BACK_ON_NFS.words.format(seconds(each)) + ("" if there is None else ELSEWHERE.format(there))
    if known_word(metrics, "mpi.library") == "openmpi":
        return replace(HELD_BACK_ON_NFS, words=f"{words}{WITHOUT_LOCKS}", actions=LEAVE_LOCKS_OUT)
    return replace(HELD_BACK_ON_NFS, words=words)


def _passed_below(metrics: Metrics) -> bool:
    """Whether most of the time in MPI-IO passed in the calls to the storage of those ranks that make some."""
    ratio = known_number(metrics, OVER_STORAGE)
    access = sum(known_number(metrics, metric) or 0.0 for metric in ACCESS)
    return (ratio is not None and ratio < MOSTLY_BELOW) or access >= MOSTLY_ACCESS


def _passed_above(metrics: Metrics) -> bool:
    """Whether most of the I/O time is spent by a few ranks in MPI-IO, beyond their calls to the storage: more ranks
    would not reduce what has to be exchanged."""
    above, io_s = known_number(metrics, "mpiio.time_excess"), known_number(metrics, "job.io_time")
    return above is not None and io_s is not None and above >= MOSTLY_ACCESS * io_s and not _passed_below(metrics)


def _as_one_ost_from(cell: Cell, metrics: Metrics) -> float | None:
    """The unexplained seconds of the cell from which a shared file on Lustre, whose stripes nobody states, is moved no
    faster than one OST gives: 0 where all bytes in all the time of I/O are; else those in which it would write what is
    written, for reading may have a cause of its own. None where no number of seconds tells."""
    shared = (known_word(metrics, "io.pattern") or "").startswith("shared-")
    on_lustre = kind_of(known_word(metrics, "file.mount_type") or "") == "lustre"
    known = known_number(metrics, "file.stripe_count") is not None
    if cell not in ("reads", "writes", "exchange") or not shared or not on_lustre or known:
        return None
    if _of_one_ost(metrics) == "as-one-ost":
        return 0.0
    written = known_number(metrics, "io.bytes_written")
    return None if cell == "reads" or not written else written / UNSTRIPED_FILE


def _of_one_ost(metrics: Metrics) -> InvestigationKind:
    rate = known_number(metrics, "io.bandwidth")
    return "as-one-ost" if rate is not None and rate <= UNSTRIPED_FILE else "look"

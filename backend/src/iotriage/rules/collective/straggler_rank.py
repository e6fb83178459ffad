"""One rank keeps the others waiting: it has more to do than they, or its storage is slower.

## What it does
Compares the busiest rank with the mean over the ranks that share the bytes, in bytes and in time: at the layer that the
program calls and, for collective files, below it, where only the ranks that move the bytes are busy. It holds when the
busiest moved twice the mean and took longer by it, when the slowest took three times the mean, or four times that of
the others, or one and a half times where a few ranks with as much to do stand apart from all others. On few nodes the
ranks of a slow node are not few: it holds, too, where they are those that one node has, or could have, or several nodes
that are known; and where the ranks that move the bytes of collective calls are of two kinds, with as much to do: half
of them may be slow, with their nodes, and none far from the mean. What a few ranks write for all in files of their own
is no measure of the others, and none of what keeps them waiting: ranks and nodes are compared by the files of which
many have some, too. Where ranks have records of their own, their calls are compared too: the bytes may be even, and one
rank make a thousand times the calls.
By `MPICH_MPIIO_TIMERS` the slowest of the ranks that write or read is compared with their mean, where the others can
have waited for it in MPI-IO.

## Why it matters
The I/O phase ends when the slowest rank ends, and in most programs all others wait for it. With the busiest rank at
three times the mean, two thirds of the phase is waiting. In a collective call everybody waits for the slowest
aggregator, so that at the layer of MPI-IO all ranks look alike.

## What to do
Where one rank writes the fill values of HDF5 before all write the data, do not have them written. Where the bytes are
uneven, spread them evenly, or hand the uneven parts to collective calls, which spread them over the
aggregators. Where it is an aggregator that has more, the calls cover its part of the file more than the others', or it
wrote the whole file before. Where the bytes are even and only the time is not, the rank's server, its node or something
else on its core is slow: run again, on other nodes and into a new file, and see which of the two it goes with. A server
that the other ranks of the file use as well is not slow for one alone: then it is the node or the core. Where a single
call took that time, something stood still once: a server, the network, or the tape that the file was fetched
from.

## Limits
Of a file shared by all ranks Darshan keeps its slowest and its fastest rank, mean and variance, so the busiest may do
more than is seen here, and whether a few stand apart is worked out as if they took as long as the slowest. CrayPAT has
no time of the slowest rank: without a log, what is sure of it must be worth a word. `MPICH_MPIIO_TIMERS` has no bytes
of single ranks: whether one is slow or has more to do stays open where its calls are independent. A few ranks that do
all I/O by design are compared with one another, and so are those, evenly spread, that write some files for all beside
what each writes. A slow server, a slow node and a foreign process cannot be told apart by one run.
"""

from __future__ import annotations

from iotriage.rules.advice.one_rank import (
    SOME,
    STANDARD,
    check_slow_call,
    find_slow_part,
    find_slow_part_by_timers,
    make_fewer_calls,
    parts_of_a_rank,
    passes_it_in_metadata,
    share_out,
    share_out_among_movers,
    show_aggregator_rates,
    slower_in,
    switch_off_fill,
)
from iotriage.rules.advice.slow_movers import avoid_nodes_of_movers, slow_movers_headline, slow_movers_sentences
from iotriage.rules.advice.slow_node import (
    avoid_node,
    find_node,
    slow_node_headline,
    slow_node_name,
    slow_node_sentence,
    slower_rank_sentence,
)
from iotriage.rules.collective.slow_cause import (
    SlowCause,
    may_be_fetched,
    mover_takes_far_longer,
    moves_far_more,
    slow_by_one_call,
    slow_cause,
    slow_in_common_files,
    slow_ranks,
    some_movers_slow,
    surplus_of,
    takes_far_longer,
    writes_fill_values,
)
from iotriage.rules.collective.slow_rank import (
    APART,
    BESIDE_NOTHING,
    BYTES,
    COMMON,
    IN_COMMON_FILES,
    LOST,
    MOVERS_TIME,
    MOVES_MORE,
    OF_OTHERS,
    OF_TEXTS,
    ONE_NODE,
    SLOW_FILE,
    SLOW_MOVERS,
    SLOWER_MOVER,
    SLOWER_STORAGE,
    STANDS_APART,
    SURE_TIME,
    TAKES_LONGER,
    TIME,
    WAIT,
)
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    enough_to_share_out,
    ours,
)
from iotriage.rules.core.claim import Claim, SecondsOf
from iotriage.rules.core.condition import RANKS_UNCOUNTED, Compare, Present, all_of, any_of, clear_where_whole
from iotriage.rules.core.saving import OTHERS_ALIKE, full_saving, slow_rank_saving, slowest_mover_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import (
    formatted,
    number,
    paragraph,
    plural,
    printable,
    rank_name,
    seconds,
    sentence,
    share,
    size,
)

RANKS = Threshold(
    id="straggler-rank.ranks",
    title="Ranks from which a mean says something",
    default=4.0,
    unit="ranks",
    stated_by=ours("imbalance", "With two or three ranks the largest is never far from the mean."),
    slider=logarithmic(2.0, 1024.0),
)
RANK_TIME = Threshold(
    id="straggler-rank.rank-time",
    title="Seconds of a rank in reads and writes, where CrayPAT alone counts them",
    default=10.0,
    unit="s",
    stated_by=ours(
        "significance", "CrayPAT does not say how long the slowest rank was in I/O; ten seconds are worth it."
    ),
    slider=logarithmic(0.01, 3600.0),
)


OVERLOADED = Citation("theta-io", "Craypat IOR Collective MPI-IO Profiling for Write")
JITTER = Citation("theta-io", "Dragonfly Network and Lustre Jitter")
FILLED = Citation("hdf5-fill", "Parallel I/O results")


def says(context: Context) -> Words:
    because = slow_cause(context)
    figures = (
        *_compared(context, because),
        *_below_collective(context),
        *_its_calls(context, because),
        *_in_timers(context),
    )
    return Words(_headline(context, because), paragraph(*figures, _that_they_wait(context)))


def _headline(context: Context, because: SlowCause) -> str:
    match because:
        case "calls" | "calls below":
            slow = slow_ranks(context, because)
            if slow > 1:
                return f"{plural(slow, 'rank')} make far more calls than the others, which wait for them."
            if because == "calls" and context.word("balance.calls_file") in STANDARD:
                return "One rank prints so much to standard output or error that the others wait for it."
            return "One rank makes far more calls than the others, which wait for it."
        case "fill values":
            library = writes_fill_values(context)
            return f"One rank writes what all ranks then write again: the fill values of {library}, it seems."
        case "neither bytes nor calls":
            more = formatted(surplus_of(context), size)
            slow_rank = _slow_by_time(context, because).removesuffix(".")
            return f"{slow_rank}: the {more} that it moves beyond the mean take no such time."
        case "bytes":
            several = context.number("balance.busy_ranks") or 1
            whom = "it" if several <= 1 else "them"
            waited = "" if context.number("balance.time") is None else f", which wait for {whom}"
            who = "One rank moves" if several <= 1 else f"{plural(several, 'rank')} move"
            return f"{who} far more data than the others{waited}."
        case "one node":
            return slow_node_headline(context)
        case "time":
            return _slow_by_time(context, because)
        case "bytes below":
            return "One of the ranks that move the bytes has far more of them than the others, and all wait for it."
        case "some below":
            return slow_movers_headline(context)
        case "below":
            return _slow_below(context)
        case "by times":
            return _slow_by_times(context)


def _that_they_wait(context: Context) -> str | None:
    """What nobody sees in files that single ranks have: whether the others go on without."""
    if context.word("io.pattern") != "file-per-process" or context.number("balance.time") is None:
        return None
    return (
        "That the others wait is not in the log, since each has its own files: where their work does not go in step, "
        "as in a farm of tasks, they do not."
    )


def _slow_by_time(context: Context, because: SlowCause) -> str:
    slow, node = slow_ranks(context, because), printable(context.word("balance.slow_node"))
    times = _times_the_mean(context)
    if node is not None:
        return f"The ranks of one node, {node}, spend up to {times}, and the others wait for them."
    if slow_by_one_call(context, because):
        waited = formatted(context.number("balance.longest_call"), seconds)
        if slow > 1:
            return f"{plural(slow, 'rank')} wait for up to {waited}, each in a single open."
        return f"One rank waits {waited} in a single call."
    if slow > 1:
        return f"{plural(slow, 'rank')} spend up to {times}, and the others wait for them."
    # Of a file that all ranks share it is not known how many are as slow.
    known = context.number("balance.slow_ranks") is not None or slow_in_common_files(context)
    who = "One rank" if known else "The slowest rank"
    return f"{who} spends {times}, and the others wait for it."


def _times_the_mean(context: Context) -> str:
    """How long the slowest is at it: of files of which many have some, where it is slow in these; without a number
    where no source has one."""
    if slow_in_common_files(context):
        return f"{formatted(context.number('balance.common_time'), number)} times the mean time in files of one kind"
    times = formatted(context.number("balance.time"), number)
    return "far longer in I/O than the others" if times is None else f"{times} times the mean time in I/O"


def _slow_below(context: Context) -> str:
    slow, node = context.number("balance.storage_slow_ranks") or 1, printable(context.word("balance.storage_slow_node"))
    if slow <= 1:
        return "One of the ranks that move the bytes takes far longer than the others, and all wait for it."
    who = f"{plural(slow, 'rank')} of those that move the bytes" + ("" if node is None else f", all on {node},")
    return f"{who} take far longer than the others, and all wait for them."


def _slow_by_times(context: Context) -> str:
    rank, movers = context.number("timers.slowest_mover_rank"), context.number("timers.movers")
    reads = context.word("timers.slowest_mover_operation") == "read"
    who_moves = "reading ranks" if reads else "writing ranks"
    of = f"{number(movers)} {who_moves}" if movers else f"the {who_moves}"
    who = f"The slowest of {of}" if rank is None else f"{rank_name(rank).capitalize()}, of {of},"
    times = formatted(context.number("timers.slowest_mover"), lambda n: f"{number(n)} times the mean")
    return f"{who} takes {times or 'longest'}, and the others wait."


def _compared(context: Context, because: SlowCause) -> tuple[str | None, ...]:
    if because == "one node":
        return (slow_node_sentence(context), slower_rank_sentence(context))
    if not (because == "time" or moves_far_more(context) or takes_far_longer(context)):
        return ()
    return (
        sentence(
            "The busiest of {} moved {} the mean of those that move the bytes,",
            formatted(context.number("balance.ranks"), lambda n: plural(n, "rank")),
            formatted(context.number("balance.bytes"), lambda n: "as much as" if n < ALIKE else f"{number(n)} times"),
        ),
        sentence("{} of all bytes.", formatted(context.number("balance.busiest_share"), share)),
        sentence("The slowest spent {} times the mean time in I/O.", formatted(context.number("balance.time"), number)),
        sentence("It is slower than the others in {}.", printable(slower_in(context, SOME))),
        sentence(
            f"One {context.word('balance.longest_call_kind')} there took {{}}.",
            formatted(context.number("balance.longest_call"), seconds),
        )
        if slow_by_one_call(context, because) or may_be_fetched(context, because)
        else None,
    )


def _below_collective(context: Context) -> tuple[str | None, ...]:
    if some_movers_slow(context):
        return slow_movers_sentences(context)
    if not mover_takes_far_longer(context):
        return ()
    return (
        sentence(
            "On {}, the slowest of {} that moved the bytes took {} times the mean time for {}.",
            printable(context.word("balance.storage_file")),
            formatted(context.number("balance.storage_ranks"), lambda n: plural(round(n), "rank")),
            formatted(context.number("balance.storage_time"), number),
            formatted(
                context.number("balance.storage_bytes"),
                lambda n: "as many bytes" if 1 / ALIKE < n < ALIKE else f"{number(n)} times the mean bytes",
            ),
        ),
        sentence(
            "The others waited {} for it, in all files together.",
            formatted(context.number("balance.storage_waiting_time"), seconds),
        ),
    )


def _its_calls(context: Context, because: SlowCause) -> tuple[str | None, ...]:
    if because not in ("calls", "calls below"):
        return ()
    if because == "calls":
        return (
            sentence(
                "It made {}, {} times as many as the others, most of them in {}.",
                formatted(context.number("balance.calls"), lambda n: plural(n, "call")),
                formatted(context.number("balance.calls_over_others"), number),
                printable(context.word("balance.calls_file")),
            ),
        )
    return (
        sentence(
            "It made {} there, {} times as many as the others.",
            formatted(context.number("balance.storage_calls"), lambda n: plural(n, "call")),
            formatted(context.number("balance.storage_calls_over_others"), number),
        ),
    )


def _in_timers(context: Context) -> tuple[str | None, ...]:
    times, way = context.number("timers.slowest_mover"), context.word("timers.slowest_mover_operation")
    if times is None or not context.holds(Compare("timers.slowest_mover", ">=", TIME.id)):
        return ()
    reads = way == "read"
    return (
        sentence(
            f"By MPICH_MPIIO_TIMERS the slowest of {{}} took {{}} times the mean to {'read' if reads else 'write'}.",
            formatted(
                context.number("timers.movers"),
                lambda n: plural(n, "reading rank" if reads else "writing rank"),
            ),
            number(times),
        ),
        sentence(
            "The others waited {} for it on average, longest in {}.",
            formatted(context.number("timers.slowest_mover_time"), seconds),
            printable(context.word("timers.slowest_mover_file")),
        )
        or sentence("Longest the others waited for it in {}.", printable(context.word("timers.slowest_mover_file"))),
    )


ALIKE = 1.05
"""Times the mean up to which it is as much."""


def advise(context: Context) -> tuple[Advice, ...]:
    because = slow_cause(context)
    match because:
        case "calls" | "calls below" | "neither bytes nor calls":
            several = slow_ranks(context, because) > 1
            return make_fewer_calls(context, several=several, below=because != "calls", citation=OVERLOADED)
        case "fill values":
            library = writes_fill_values(context)
            return () if library is None else switch_off_fill(library, FILLED)
        case "bytes":
            return share_out(context, OVERLOADED)
        case "bytes below":
            return share_out_among_movers(context, OVERLOADED)
        case "one node" if (context.number("balance.block_nodes") or 1) <= 1:
            node = slow_node_name(context)
        case "one node" | "time":
            node = context.word("balance.slow_node")
        case "some below" if context.number("balance.storage_apart_nodes") is not None:
            return avoid_nodes_of_movers(context, JITTER)
        case "some below":
            node = None
        case "below":
            node = context.word("balance.storage_slow_node")
        case "by times":
            return find_slow_part_by_timers(context, OVERLOADED, JITTER)
    if node is not None:
        alone = because != "one node" or context.word("balance.slow_node") is not None
        return avoid_node(context, node, JITTER, whichever_files=because != "below", alone=alone)
    if because == "one node":
        return find_node(context, JITTER)
    below = mover_takes_far_longer(context) or because == "some below"
    file = context.word("balance.storage_file_path" if below else "balance.file_path")
    if slow_by_one_call(context, because):
        return check_slow_call(context, file, JITTER)
    several = slow_ranks(context, because) > 1
    return (
        *find_slow_part(context, file, several=several, below=below, citation=JITTER),
        *(check_slow_call(context, file, JITTER) if may_be_fetched(context, because) else ()),
        *show_aggregator_rates(context, OVERLOADED),
    )


NOT_TOLD = ("time", "below", "by times")
"""Causes that leave open whether the rank itself is slow, its node, or what it writes to."""


def impact(context: Context) -> Impact | None:
    because, cure = slow_cause(context), "the slowest rank took no longer than the mean"
    if because in NOT_TOLD and not (because == "time" and passes_it_in_metadata(context)):
        cure += f", whichever of {parts_of_a_rank(context, below=because != 'time')} is slow"
    if because == "one node":
        which = "that node" if (context.number("balance.block_nodes") or 1) <= 1 else "those nodes"
        return slow_rank_saving(context, f"the ranks of {which} took as long as the others")
    if because == "some below":
        return full_saving("the slow ranks took as long as the others", OTHERS_ALIKE)
    if mover_takes_far_longer(context) and not moves_far_more(context) and not takes_far_longer(context):
        return slowest_mover_saving(context, cure)
    return slow_rank_saving(context, cure, shared_out=because == "bytes")


rule = Rule(
    id="straggler-rank",
    title="One rank keeps the others waiting",
    clear_title="No rank is several times as slow as the others that do I/O",
    scope="job",
    severity="medium",
    priority=50,
    carries=enough_to_share_out,
    requires=all_of(
        Compare("balance.ranks", ">=", RANKS.id),
        any_of(
            Present("balance.bytes"),
            Present("balance.time"),
            Present("timers.slowest_mover"),
            RANKS_UNCOUNTED,
        ),
        Present("io.pattern"),
        any_of(
            Present("job.io_time"),
            Present("timers.slowest_mover"),
            Compare("profiled.rank_time", ">=", RANK_TIME.id),
            RANKS_UNCOUNTED,
        ),
    ),
    condition=clear_where_whole(
        any_of(
            MOVES_MORE,
            TAKES_LONGER,
            STANDS_APART,
            ONE_NODE,
            IN_COMMON_FILES,
            SLOWER_STORAGE,
            SLOW_MOVERS,
            SLOWER_MOVER,
            RANKS_UNCOUNTED,
        )
    ),
    thresholds=(BYTES, TIME, OF_OTHERS, SURE_TIME, APART, COMMON, MOVERS_TIME, WAIT, LOST, RANKS, RANK_TIME),
    citations=(OVERLOADED, JITTER, Citation("drishti", "imbalance_stragglers")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "wait-for-coll",
        "uneven-files",
    ),
    claims=(
        Claim(("imbalance",), SecondsOf("balance.block_beyond_mean"), ONE_NODE, apart=True, by_itself=True),
        Claim(
            ("imbalance",),
            SecondsOf("balance.common_beyond_mean"),
            IN_COMMON_FILES,
            apart=True,
            by_itself=True,
            up_to=True,
        ),
        Claim(("imbalance",), SecondsOf("balance.time_beyond_mean"), SLOW_FILE, apart=True, up_to=True),
        *(
            Claim((cell,), SecondsOf(f"balance.block_{cell}_time"), ONE_NODE, apart=True)
            for cell in ("reads", "writes", "metadata", "streams")
        ),
        Claim(("imbalance",), SecondsOf("balance.time_beyond_mean"), BESIDE_NOTHING, up_to=True),
        Claim(("imbalance",), when=any_of(MOVES_MORE, *OF_TEXTS), up_to=True),
        Claim(
            ("exchange",),
            SecondsOf("mpiio.late_arriver_elsewhere"),
            any_of(MOVES_MORE, TAKES_LONGER, STANDS_APART, IN_COMMON_FILES),
            up_to=True,
        ),
        Claim(("exchange",), SecondsOf("balance.storage_waiting_within"), SLOWER_STORAGE, apart=True),
        Claim(("exchange",), SecondsOf("balance.storage_apart_time"), SLOW_MOVERS, apart=True, up_to=True),
        Claim(("exchange",), SecondsOf("timers.slowest_mover_time"), SLOWER_MOVER, up_to=True),
    ),
)

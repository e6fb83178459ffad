"""One rank keeps the others waiting: it has more to do than they, or its storage is slower.

## What it does
Compares the busiest rank with the mean over the ranks that share the bytes, in bytes and in time: at the layer that the
program calls and, for collective files, below it, where only the ranks that move the bytes are busy. It holds when the
busiest moved twice the mean and took longer by it, when the slowest took three times the mean, or one and a half times
where a few ranks with as much to do stand apart from all others. On few nodes the ranks of a slow node are not few: it
holds, too, where they are those that one node has, or could have. Where ranks have records of their own, their calls
are compared too: the bytes may be even, and one rank make a thousand times the calls.

## Why it matters
The I/O phase ends when the slowest rank ends, and in most programs all others wait for it. With the busiest rank at
three times the mean, two thirds of the phase is waiting. In a collective call everybody waits for the slowest
aggregator, so that at the layer of MPI-IO all ranks look alike.

## What to do
Where one rank writes the fill values of HDF5 before all write the data, do not have them written. Where the bytes are
uneven, spread them evenly, or hand the uneven parts to collective calls, which spread them over the
aggregators. Where it is an aggregator that has more, the calls cover its part of the file more than the others', or it
wrote the whole file before. Where the bytes are even and only the time is not, the rank's server, its node or something
else on its core is slow: run again, on other nodes and into a new file, and see which of the two it goes with. Where a
single call took that time, something stood still once: a server, the network, or the tape that the file was fetched
from.

## Limits
Of a file shared by all ranks Darshan keeps its slowest and its fastest rank, mean and variance, so the busiest may do
more than is seen here, and whether a few stand apart is worked out as if they took as long as the slowest. CrayPAT has
no time of the slowest rank: without a log, what is sure of it must be worth a word. A few ranks that do all I/O by
design are compared with one another. A slow server, a slow node and a foreign process cannot be told apart by one run.
"""

from __future__ import annotations

from math import inf

from iotriage.rules.advice.calls import LIBRARIES, even_parts, library_named, mostly_reads
from iotriage.rules.advice.slow_node import see_node, slow_node_figures, slow_node_said
from iotriage.rules.advice.snippets import ALIGNMENT, COLLECTIVE_METADATA, NO_FILL
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    more_than_a_moment,
    ours,
)
from iotriage.rules.core.action import FillIn, LaunchProgram, Library, RunCommand
from iotriage.rules.core.claim import Claim, SecondsOf, ShareOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, given
from iotriage.rules.core.saving import but_the_slow, but_the_slow_below
from iotriage.rules.core.words import counted, number, paragraph, plain, seconds, sentence, share, size, told

BYTES = Threshold(
    id="straggler-rank.bytes",
    title="Bytes of the busiest rank over the mean",
    default=2.0,
    unit="ratio",
    stated_by=ours("imbalance", "Drishti takes 15 % and flags half of all small jobs; twice the mean is ours."),
    minimum=1.1,
    maximum=100.0,
    scale="log",
)
TIME = Threshold(
    id="straggler-rank.time",
    title="I/O time of the slowest rank over the mean",
    default=3.0,
    unit="ratio",
    stated_by=ours("imbalance", "Time varies more than bytes: other users, other nodes. Three times is ours."),
    minimum=1.1,
    maximum=100.0,
    scale="log",
)
SURE_TIME = Threshold(
    id="straggler-rank.sure-time",
    title="The same, where a few ranks with as much to do stand apart from the others",
    default=1.5,
    unit="ratio",
    stated_by=ours("imbalance", "All wait for them: half as long again is worth a look."),
    minimum=1.1,
    maximum=100.0,
    scale="log",
)
APART = Threshold(
    id="straggler-rank.apart",
    title="I/O time of the slow ranks over the most of the others",
    default=1.3,
    unit="ratio",
    stated_by=ours("imbalance", "Beyond what 95 % of the others take, by a third: no chance among many ranks."),
    minimum=1.0,
    maximum=100.0,
    scale="log",
)
MOVERS_TIME = Threshold(
    id="straggler-rank.collective-time",
    title="Time in the storage of the slowest rank over the mean of those that move the bytes of collective calls",
    default=2.0,
    unit="ratio",
    stated_by=ours("imbalance", "In a collective call all wait for the slowest, at the same bytes; twice is ours."),
    minimum=1.1,
    maximum=100.0,
    scale="log",
)
RANKS = Threshold(
    id="straggler-rank.ranks",
    title="Ranks from which a mean says something",
    default=4.0,
    unit="ranks",
    stated_by=ours("imbalance", "With two or three ranks the largest is never far from the mean."),
    minimum=2.0,
    maximum=1024.0,
    scale="log",
)

WAIT = Threshold(
    id="straggler-rank.wait",
    title="I/O time of the slowest rank over the mean, below which nobody waits for it",
    default=1.25,
    unit="ratio",
    stated_by=ours(
        "imbalance", "Who moves more bytes and is done with the others costs nothing; a fifth of the time is."
    ),
    minimum=1.0,
    maximum=10.0,
    scale="log",
)
LOST = Threshold(
    id="straggler-rank.lost",
    title="Share of the I/O time in which those that move the bytes wait for the slowest of them",
    default=0.20,
    unit="share",
    stated_by=ours("imbalance", "What is lost in one file must count in the job's I/O; a fifth is ours."),
    minimum=0.0,
    maximum=1.0,
)
RANK_TIME = Threshold(
    id="straggler-rank.rank-time",
    title="Seconds of a rank in reads and writes, where CrayPAT alone counts them",
    default=10.0,
    unit="s",
    stated_by=ours(
        "significance", "CrayPAT does not say how long the slowest rank was in I/O; ten seconds are worth it."
    ),
    minimum=0.0,
    maximum=3600.0,
)


OVERLOADED = Citation("theta-io", "Craypat IOR Collective MPI-IO Profiling for Write")
JITTER = Citation("theta-io", "Dragonfly Network and Lustre Jitter")
FILLED = Citation("hdf5-fill", "Parallel I/O results")


def says(context: Context) -> Words:
    if _by_calls(context):
        headline = "One rank makes far more calls than the others, which wait for it."
        if _several(context):
            headline = f"{_how_many(context)} make far more calls than the others, which wait for them."
    elif (library := _writes_fill_values(context)) is not None:
        headline = f"One rank writes what all ranks then write again: the fill values of {library}, it seems."
    elif _too_few_bytes(context):
        more = told(_surplus(context), size)
        headline = f"{_slow_by_time(context)[:-1]}: the {more} that it moves beyond the mean take no such time."
    elif _by_bytes(context):
        several = context.number("balance.busy_ranks") or 1
        waited = (
            "" if context.number("balance.time") is None else f", which wait for {'it' if several <= 1 else 'them'}"
        )
        who = "One rank moves" if several <= 1 else f"{counted(several, 'rank')} move"
        headline = f"{who} far more data than the others{waited}."
    elif _one_node(context):
        headline = slow_node_said(context)
    elif _by_time(context):
        headline = _slow_by_time(context)
    else:
        headline = _slow_below(context)
    figures = (*_compared(context), *_below_collective(context), *_its_calls(context), *_in_timers(context))
    return Words(headline, paragraph(*figures, _that_they_wait(context)))


def _that_they_wait(context: Context) -> str | None:
    """What nobody sees in files that single ranks have: whether the others go on without."""
    if context.word("io.pattern") != "file-per-process" or context.number("balance.time") is None:
        return None
    return (
        "That the others wait is not in the log, since each has its own files: where their work does not go in step, "
        "as in a farm of tasks, they do not."
    )


def _slow_by_time(context: Context) -> str:
    slow, node = context.number("balance.slow_ranks") or 1, _named(context.word("balance.slow_node"))
    times = f"{number(context.number('balance.time') or 1.0)} times the mean time in I/O"
    if node is not None:
        return f"The ranks of one node, {node}, spend up to {times}, and the others wait for them."
    if _one_call(context):
        return f"One rank waits {told(context.number('balance.longest_call'), seconds)} in a single call."
    if slow > 1:
        return f"{counted(slow, 'rank')} spend up to {times}, and the others wait for them."
    # Of a file that all ranks share it is not known how many are as slow.
    who = "The slowest rank" if context.number("balance.slow_ranks") is None else "One rank"
    return f"{who} spends {times}, and the others wait for it."


def _slow_below(context: Context) -> str:
    slow, node = context.number("balance.storage_slow_ranks") or 1, _named(context.word("balance.storage_slow_node"))
    if _more_below(context):
        return "One of the ranks that move the bytes has far more of them than the others, and all wait for it."
    if slow <= 1:
        return "One of the ranks that move the bytes takes far longer than the others, and all wait for it."
    who = f"{counted(slow, 'rank')} of those that move the bytes" + ("" if node is None else f", all on {node},")
    return f"{who} take far longer than the others, and all wait for them."


def _by_bytes(context: Context) -> bool:
    return (context.number("balance.bytes") or 0.0) >= BYTES.default


NEVER_AS_SLOW = 10.0 * 2**20
"""Bytes a second: below this it is not their amount that takes the time, but calls of a few bytes each, or waiting."""


def _surplus(context: Context) -> float | None:
    """Bytes that the busiest rank moves beyond the mean."""
    over_mean, part = context.number("balance.bytes"), context.number("balance.slowest_rank_share")
    moved = context.number("io.bytes")
    return None if not over_mean or part is None or moved is None else moved * part * (1 - 1 / over_mean)


def _too_few_bytes(context: Context) -> bool:
    """Whether the busiest rank moves more than the others, but nowhere near what its time is for."""
    beyond, surplus = context.number("balance.time_beyond_mean"), _surplus(context)
    slow = _by_time(context) and (context.number("balance.busy_ranks") or 1.0) <= 1
    return (
        slow and _by_bytes(context) and bool(beyond) and surplus is not None and surplus < NEVER_AS_SLOW * (beyond or 0)
    )


MORE_CALLS = 10
"""Times the calls of the others, and of what its bytes alone would make, from which the calls are what takes long."""


def _writes_fill_values(context: Context) -> Library | None:
    """The library that seems to have had one rank write what all then wrote again: of a data set that is not chunked
    HDF5 writes the fill values before it is used, by one rank; None where nothing looks like that."""
    file = context.word("balance.file")
    library = library_named(file) or ("HDF5" if context.word("io.layer") == "HDF5" else None)
    again = (context.number("file.written_span_over_bytes") or 1.0) <= TWICE_WRITTEN
    alone = (context.number("balance.slowest_rank_share") or 0.0) >= ONE_COPY
    return library if again and alone and not mostly_reads(context) and _by_bytes(context) else None


TWICE_WRITTEN, ONE_COPY = 0.6, 0.35
"""The end of the files over the bytes written to them, at most, and the busiest rank's share of all bytes, at least,
where one rank writes each byte once, and all ranks once more."""


def _by_calls(context: Context) -> bool:
    """Whether the rank that others wait for has its time in calls and not in bytes."""
    return _writes_fill_values(context) is None and (_by_calls_below(context) or _by_own_calls(context))


def _by_calls_below(context: Context) -> bool:
    return _below(context) and _more_calls(context, "balance.storage_calls_over_others", "balance.storage_bytes")


def _by_own_calls(context: Context) -> bool:
    """Of its own records, where no file below MPI-IO tells it."""
    told_below = _by_calls_below(context)
    return not told_below and _by_time(context) and _more_calls(context, "balance.calls_over_others", "balance.bytes")


def _more_calls(context: Context, calls_over_others: str, bytes_over_mean: str) -> bool:
    calls = context.number(calls_over_others)
    return calls is not None and calls >= MORE_CALLS * max(1.0, context.number(bytes_over_mean) or 1.0)


def _by_time(context: Context) -> bool:
    times, apart = context.number("balance.time") or 0.0, context.number("balance.apart") or 0.0
    return times >= TIME.default or (times >= SURE_TIME.default and apart >= APART.default)


def _one_node(context: Context) -> bool:
    """Whether the slow ranks are those that one node has, or could have, however large a part of all they are."""
    times, apart = context.number("balance.time") or 0.0, context.number("balance.block_apart") or 0.0
    return times >= WAIT.default and apart >= APART.default


def _below(context: Context) -> bool:
    least = MOVERS_TIME if context.word("io.pattern") == "shared-collective" else TIME
    return (context.number("balance.storage_time") or 0.0) >= least.default


def _more_below(context: Context) -> bool:
    """Whether the slowest of the ranks that move the bytes of a collective file has so many more that these take its
    time."""
    times, amount = context.number("balance.storage_time") or 0.0, context.number("balance.storage_bytes") or 0.0
    only_below = _below(context) and not _by_bytes(context) and not _by_time(context) and not _by_calls(context)
    return only_below and amount >= BYTES.default and times <= TWICE * amount


TWICE = 2.0
"""The time of a rank over what its bytes would take, up to which these are what takes it."""


def _compared(context: Context) -> tuple[str | None, ...]:
    if _one_node(context) and not _by_bytes(context):
        return (slow_node_figures(context),)
    if not (_by_bytes(context) or _by_time(context)):
        return ()
    return (
        sentence(
            "The busiest of {} moved {} the mean of those that move the bytes,",
            told(context.number("job.nprocs"), lambda n: counted(n, "rank")),
            told(context.number("balance.bytes"), lambda n: "as much as" if n < ALIKE else f"{number(n)} times"),
        ),
        sentence("{} of all bytes.", told(context.number("balance.slowest_rank_share"), share)),
        sentence("The slowest spent {} times the mean time in I/O.", told(context.number("balance.time"), number)),
        sentence("It is slower than the others in {}.", _named(context.word("balance.file"))),
        sentence(
            f"One {context.word('balance.longest_call_kind')} there took {{}}.",
            told(context.number("balance.longest_call"), seconds),
        )
        if _one_call(context)
        else None,
    )


def _below_collective(context: Context) -> tuple[str | None, ...]:
    if not _below(context):
        return ()
    return (
        sentence(
            "On {}, the slowest of {} that moved the bytes took {} times the mean time for {} times the mean bytes.",
            _named(context.word("balance.storage_file")),
            told(context.number("balance.storage_ranks"), lambda n: counted(round(n), "rank")),
            told(context.number("balance.storage_time"), number),
            told(context.number("balance.storage_bytes"), number),
        ),
        sentence(
            "The others waited {} for the slowest.", told(context.number("balance.storage_waiting_time"), seconds)
        ),
    )


def _its_calls(context: Context) -> tuple[str | None, ...]:
    if not _by_calls(context):
        return ()
    if _by_own_calls(context):
        return (
            sentence(
                "It made {}, {} times as many as the others, most of them in {}.",
                told(context.number("balance.calls"), lambda n: counted(n, "call")),
                told(context.number("balance.calls_over_others"), number),
                _named(context.word("balance.calls_file")),
            ),
        )
    return (
        sentence(
            "It made {} there, {} times as many as the others.",
            told(context.number("balance.storage_calls"), lambda n: counted(n, "call")),
            told(context.number("balance.storage_calls_over_others"), number),
        ),
    )


def _in_timers(context: Context) -> tuple[str | None, ...]:
    times = context.number("timers.slowest_writer")
    if times is None or times < TIME.default:
        return ()
    return (
        sentence(
            "By MPICH_MPIIO_TIMERS the slowest of {} took {} times the mean to write.",
            told(context.number("timers.writing_ranks"), lambda n: counted(n, "writing rank")),
            number(times),
        ),
    )


ALIKE = 1.05


def _named(word: str | None) -> str | None:
    return None if word is None else plain(word)


def advise(context: Context) -> tuple[Advice, ...]:
    if _by_calls(context):
        return _fewer_calls(context)
    if _too_few_bytes(context) and _writes_fill_values(context) is None:
        return _fewer_calls(context)
    if _by_bytes(context):
        return _share_out(context)
    if _more_below(context):
        return _spread_below(context)
    by_time = _by_time(context) or _one_node(context)
    node = _named(context.word("balance.slow_node" if by_time else "balance.storage_slow_node"))
    if node is not None:
        whichever = ", whichever files they use" if by_time else ""
        text = f"All slow ranks are on {node}{whichever}: tell the support, and run without that node."
        return (advice(text, citation=JITTER),)
    if _one_node(context):
        return see_node(context, JITTER)
    if _one_call(context):
        return _stood_still(context)
    see = (RunCommand(("lfs", "getstripe", _slow_file(context))),) if context.file_system == "lustre" else ()
    return (
        advice(
            f"{_what_may_be_slow(context)} "
            "To tell which, run again on other nodes and into a new file: if the same server is slow, tell the "
            "support; if the same node or core is, exclude the node; if neither is, others disturbed the run.",
            *see,
            citation=JITTER,
        ),
        *_profile(context),
    )


WRITTEN_AGAIN = 1.5
"""Bytes written below MPI-IO for each that the program writes, from which one rank wrote much of the file before."""


def _spread_below(context: Context) -> tuple[Advice, ...]:
    name = _named(context.word("balance.storage_file")) or "the file"
    if (context.number("mpiio.write_amplification") or 0.0) >= WRITTEN_AGAIN:
        return (
            advice(
                f"More is written to {name} than the program writes, and one rank writes it: leave out what has the "
                "library write the file before the data, MPI_File_preallocate or fill values.",
                citation=OVERLOADED,
            ),
        )
    return (
        advice(
            f"The library gives each of these ranks a part of what a call covers of {name}: let each collective call "
            "write larger contiguous blocks, and of all parts of the file, so that no part has most of the data.",
            citation=OVERLOADED,
        ),
        advice("Begin every data set on a stripe boundary.", ALIGNMENT, citation=OVERLOADED),
    )


ONE_CALL = 0.8
"""Of what the slowest rank takes beyond the mean: but for that call it would hardly be slower than the others."""


def _one_call(context: Context) -> bool:
    """Whether the rank is slow because of a single call."""
    alone = (context.number("balance.slow_ranks") or 1) <= 1 and not _by_bytes(context) and not _by_calls(context)
    longest, beyond = context.number("balance.longest_call"), context.number("balance.time_beyond_mean")
    return alone and _by_time(context) and longest is not None and longest >= ONE_CALL * (beyond or inf)


def _stood_still(context: Context) -> tuple[Advice, ...]:
    kind, file = context.word("balance.longest_call_kind"), _named(context.word("balance.file")) or "the file"
    text = f"A single {kind} of {file} took that time, and nothing that the program does explains it. "
    text += "Run it again: if it does not come back, a server or the network stood still once."
    if context.file_system != "lustre" or kind == "write":
        return (advice(text, citation=JITTER),)
    see = RunCommand(("lfs", "hsm_state", _slow_file(context)))
    return (
        advice(f"{text} A file that was moved to tape is fetched back in that call, too: see whether it was.", see),
    )


def _fewer_calls(context: Context) -> tuple[Advice, ...]:
    of_own = _by_own_calls(context)
    beside = not of_own or context.word("balance.file_layer") == "MPI-IO"
    name = context.word("balance.calls_file" if of_own else "balance.storage_file") or context.word("balance.file")
    who, they, s = ("these ranks", "they", "") if _several(context) else ("that rank", "it", "s")
    gather = advice(
        f"Let {who} gather what {they} read{s} or write{s} in {_named(name) or 'the file'} into few calls of 1 MiB or "
        f"more{', or leave it to the collective calls of all' if beside else ''}.",
        citation=OVERLOADED,
    )
    library = library_named(name)
    if not beside or (context.api not in ("HDF5", "PnetCDF") and library is None):
        return (gather,)
    text = (
        "Small calls of one rank beside collective data are a library's own: headers, attributes and small data sets. "
        "Define all of them before the first data is written, and write attributes once"
    )
    # Files named .nc may be netCDF-4 or PnetCDF's: neither shows the program HDF5's property lists.
    if context.api == "PnetCDF" or library == "netCDF-4":
        return (advice(f"{text}: one nc_enddef, or ncmpi_enddef, a file.", citation=LIBRARIES), gather)
    text = f"{text}; make metadata collective."
    return (advice(text, COLLECTIVE_METADATA, citation=LIBRARIES), gather)


def _several(context: Context) -> bool:
    return _slow_ranks(context) > 1


def _how_many(context: Context) -> str:
    return counted(_slow_ranks(context), "rank")


def _slow_ranks(context: Context) -> float:
    in_storage = _by_calls_below(context) or not _by_time(context)
    return context.number("balance.storage_slow_ranks" if in_storage else "balance.slow_ranks") or 1.0


def _what_may_be_slow(context: Context) -> str:
    server = "server (OST)" if context.file_system in ("lustre", "unknown") else "server"
    if _several(context):
        return (
            f"They move no more than the others, so their {server}, their node or foreign processes on their cores are "
            "slow."
        )
    return f"It moves no more than the others, so its {server}, its node or a foreign process on its core is slow."


def _profile(context: Context) -> tuple[Advice, ...]:
    """How CrayPAT shows each aggregator, where the program's MPI library is Cray's."""
    library, launcher = context.word("mpi.library") or context.site.mpi_library, context.site.launcher
    ranks = context.number("job.nprocs")
    collective = context.word("io.pattern") == "shared-collective"
    if library != "cray-mpich" or launcher is None or ranks is None or not collective:
        return ()
    return (
        advice(
            "CrayPAT shows the rate of each aggregator: instrument the program, run that in its place, and read the "
            "report of the directory that this run leaves.",
            RunCommand(("module", "load", "perftools")),
            RunCommand(("pat_build", "-w", "-g", "io", "-g", "mpi", "./program")),
            LaunchProgram((launcher, "-n", str(round(ranks)), "./program+pat")),
            RunCommand(("pat_report", "-s", "pe=ALL", FillIn("PAT_DIRECTORY"))),
            citation=OVERLOADED,
        ),
    )


def _slow_file(context: Context) -> str:
    named = context.word("balance.storage_file") if _below(context) else context.word("balance.file")
    return named or "FILE_OF_THE_SLOW_RANK"


def _share_out(context: Context) -> tuple[Advice, ...]:
    library = _writes_fill_values(context)
    if library is not None:
        text = (
            "Do not have the library fill what is written anyway: a data set that is not chunked is filled by one rank."
        )
        return (advice(text, NO_FILL[library], citation=FILLED),)
    layer = context.word("balance.file_layer") or context.word("io.layer")
    if layer in ("POSIX", "STDIO") and (context.number("balance.file_read_fraction") or 0.0) >= MOSTLY:
        name = _named(context.word("balance.file")) or "the file"
        text = f"Let every rank or node read its part of {name}; until then, read it in blocks of 1 MiB or more."
        return (advice(text, citation=OVERLOADED),)
    return even_parts(context, layer, OVERLOADED)


MOSTLY = 0.5


def impact(context: Context) -> Impact | None:
    cure = "the slowest rank took no longer than the mean"
    if _one_node(context) and not _by_bytes(context):
        return but_the_slow(context, "the ranks of that node took as long as the others")
    only_below = _below(context) and not _by_bytes(context) and not _by_time(context)
    if only_below:
        return but_the_slow_below(context, cure)
    shared_out = (
        _by_bytes(context)
        and not _by_calls(context)
        and not _too_few_bytes(context)
        and _writes_fill_values(context) is None
    )
    return but_the_slow(context, cure, shared_out=shared_out)


_MOVES_MORE = given(
    "balance.bytes",
    Compare("balance.bytes", ">=", BYTES.id),
    # CrayPAT does not say how long the slowest rank was in I/O.
    AnyOf((Compare("balance.time", ">=", WAIT.id), Present("profiled.rank_time"))),
)
_TAKES_LONGER = given("balance.time", Compare("balance.time", ">=", TIME.id))
_STANDS_APART = given(
    "balance.apart", Compare("balance.time", ">=", SURE_TIME.id), Compare("balance.apart", ">=", APART.id)
)
_ONE_NODE = given(
    "balance.block_apart", Compare("balance.time", ">=", WAIT.id), Compare("balance.block_apart", ">=", APART.id)
)
_SLOWER_STORAGE = given(
    "balance.storage_waiting_fraction",
    AnyOf(
        (
            Compare("balance.storage_time", ">=", TIME.id),
            AllOf(
                (IsOneOf("io.pattern", ("shared-collective",)), Compare("balance.storage_time", ">=", MOVERS_TIME.id))
            ),
        )
    ),
    Compare("balance.storage_waiting_fraction", ">=", LOST.id),
)
_SLOWER_WRITER = given(
    "timers.slowest_writer_fraction",
    Compare("timers.slowest_writer", ">=", TIME.id),
    Compare("timers.slowest_writer_fraction", ">=", LOST.id),
)

_OF_TEXTS = (Present("profiled.rank_time"), Present("timers.slowest_writer"))
"""Of which no source tells the ranks that do no I/O."""

rule = Rule(
    id="straggler-rank",
    title="One rank keeps the others waiting",
    clear_title="No rank is several times as slow as the others that do I/O",
    scope="job",
    severity="medium",
    priority=50,
    carries=more_than_a_moment,
    requires=AllOf(
        (
            Compare("job.nprocs", ">=", RANKS.id),
            AnyOf((Present("balance.bytes"), Present("balance.time"), Present("timers.slowest_writer"))),
            Present("io.pattern"),
            AnyOf(
                (
                    Present("job.io_time"),
                    Present("timers.slowest_writer"),
                    Compare("profiled.rank_time", ">=", RANK_TIME.id),
                )
            ),
        )
    ),
    condition=AnyOf((_MOVES_MORE, _TAKES_LONGER, _STANDS_APART, _ONE_NODE, _SLOWER_STORAGE, _SLOWER_WRITER)),
    thresholds=(BYTES, TIME, SURE_TIME, APART, MOVERS_TIME, WAIT, LOST, RANKS, RANK_TIME),
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
        Claim(("imbalance",), SecondsOf("balance.time_beyond_mean")),
        Claim(("reads", "writes", "metadata", "streams"), SecondsOf("balance.block_time"), _ONE_NODE),
        Claim(("imbalance",), when=AnyOf((_MOVES_MORE, *_OF_TEXTS))),
        Claim(("exchange",), SecondsOf("balance.storage_waiting_within"), _SLOWER_STORAGE, apart=True),
        Claim(("exchange",), ShareOf("timers.slowest_writer_fraction")),
    ),
)

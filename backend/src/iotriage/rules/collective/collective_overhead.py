"""Collective calls take far longer than all that happens in the file system below them.

## What it does
Compares the time of the slowest rank in MPI-IO with that of the slowest rank in the POSIX calls below, on files that
are accessed collectively. It holds when the calls take five times as long or more: then the storage is done, and the
time passes above it.

## Why it matters
Between a collective call and the file system, the library sorts the pieces of all ranks, exchanges them with the
aggregators, and waits for the last rank. No stripe, no OST and no alignment changes that part. In jobs that lost their
time there, the slowest rank's system calls took 0.05 to 2 seconds of 22 to 51 in MPI-IO; where the storage decided, the
two were within a factor of two of each other.

## What to do
Find out which of the three it is: `MPICH_MPIIO_TIMERS` tells with Cray MPICH. Late ranks are to be evened out before
the call. Pieces of a few bytes are sorted fastest when there are none: let each rank's part be one contiguous region.
Many small collective calls pay their start-up each time: gather several variables into one call. Where every rank reads
all of a file, one reads it and sends it to the others.

## Limits
Locks that the library itself waits for (`fcntl`) are in no POSIX timer and count as time above the file system: where
writes are sieved, read-modify-write is named instead. Short runs reach a ratio of 7 without anything wrong. Nonblocking
calls are left out, for their timers cover the posting only. Where one rank aggregates for all, that is the cause. Where
`MPICH_MPIIO_TIMERS` printed that most of the time is waiting, or sending, `wait-for-coll` and `data-send-bound` say so.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import average_of
from iotriage.metrics.core.missing_evidence import TIMERS
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.mpiio.late_arriver import AT_WORK_LEAST, FEW_LATE
from iotriage.rules.advice.array_files import read_once_per_node, too_large_to_broadcast
from iotriage.rules.advice.calls import aggregate_variables, these_files
from iotriage.rules.advice.snippets import BROADCAST, SEE_WHO_IS_LATE
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.action import AskFor
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import (
    formatted,
    paragraph,
    plural,
    rank_name,
    seconds,
    sentence,
    size,
    times_as_long,
)

RATIO = Threshold(
    id="collective-overhead.ratio",
    title="Time in MPI-IO over the time in the POSIX calls below, of the slowest ranks",
    default=5.0,
    unit="ratio",
    stated_by=ours(
        "time in MPI-IO and in POSIX",
        "12 and more in jobs that lost their time there, up to 1.6 where the storage decided, up to 4 in between.",
    ),
    slider=logarithmic(1.0, 1000.0),
)
SECONDS = Threshold(
    id="collective-overhead.seconds",
    title="Seconds above the file system from which they count",
    default=1.0,
    unit="s",
    stated_by=ours("significance", "Below a second, start-up and caches decide the times."),
    slider=logarithmic(0.01, 3600.0),
)
RANKS = Threshold(
    id="collective-overhead.ranks",
    title="Ranks from which there is something to exchange",
    default=4.0,
    unit="ranks",
    stated_by=ours("collective buffering", "Two or three ranks exchange little."),
    slider=logarithmic(2.0, 1024.0),
)

PHASE = Threshold(
    id="collective-overhead.unknown-phase",
    title="Share of the MPI-IO time in no known phase",
    default=0.50,
    unit="share",
    stated_by=ours("phases of collective I/O", "A phase that takes more than half of it is the cause, and has a rule."),
    slider=linear(0.1),
)

SKEW = Citation("darshan-logs", "skew_io: time in MPI-IO far above POSIX")
PHASES = Citation("theta-io", "MPICH_MPIIO_TIMERS=1 Sample Output for IOR")

SMALL_CALL = average_of(2**20)
"""Bytes of a rank in one call on average: less is a stripe of nobody."""

MOST_RANKS = 0.5
"""Of the ranks, those that are handed all of a file, from which it is read for all of them."""
ALL_OF_IT = "Each rank reads all that is read of it: the calls hand the same bytes to every rank."

MANY_CALLS = 16
"""Of one rank: with fewer, there is little to gather."""


def says(context: Context) -> Words:
    above, opens, quick = context.number("mpiio.time_excess"), _in_opens(context), _quick_ranks(context)
    return Words(
        "Opening and closing files takes far longer in MPI-IO than in the file system below: the ranks wait there."
        if opens
        else "Collective calls take far longer than the file system below them: "
        f"{f'{_who_may_be_late(context, quick)} may come late, or ' if quick else ''}the time passes in the library.",
        paragraph(
            sentence(
                "On {}, the MPI-IO calls took {} as the system calls below them.",
                these_files(context),
                formatted(context.number("mpiio.to_posix_time"), times_as_long),
            ),
            sentence(
                "{} passed above the file system, most of it in MPI_File_open, MPI_File_close and the like."
                if opens
                else "{} passed above the file system, in exchange, waiting or sorting of pieces.",
                formatted(above, seconds),
            ),
            _quickest(context) if quick else None,
            _calls_sentence(context),
            ALL_OF_IT if _all_read_all(context) else None,
        ),
    )


def _who_may_be_late(context: Context, quick: int) -> str:
    rank = context.number("mpiio.late_arriver_rank")
    return rank_name(rank) if quick == 1 and rank is not None else f"about {plural(quick, 'rank')}"


def _quickest(context: Context) -> str | None:
    return sentence(
        "{} is in these calls {} less than the mean rank.",
        formatted(context.number("mpiio.late_arriver_rank"), lambda n: rank_name(n).capitalize()),
        formatted(context.number("mpiio.late_arriver_wait"), seconds),
    )


def _quick_ranks(context: Context) -> int | None:
    """How many ranks take part in the calls and are in them for far less time than the others: more than come late by
    `wait-for-coll`, for they may have less to do. None where all are in them as long, or half of the ranks are not."""
    part, ranks = context.number("mpiio.late_arrivers_fraction"), context.number("job.nprocs")
    waits, at_work = (context.number(f"mpiio.late_arriver_{of}") for of in ("wait_fraction", "to_posix_time"))
    if part is None or ranks is None or (waits or 0.0) < WAITED or (at_work or 0.0) < AT_WORK_LEAST:
        return None
    return round(part * ranks) if FEW_LATE < part < WAITED else None


WAITED = 0.5
"""Of the mean rank's time in the calls, and of the ranks, from which those that are quick are told apart."""


IN_OPENS = 0.5
"""Of the time in MPI-IO, from which opens and closes take it, and not the calls that move data."""


def _in_opens(context: Context) -> bool:
    return (context.number("mpiio.metadata_fraction") or 0.0) >= IN_OPENS


def _wait_at_opens(context: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "All ranks meet in MPI_File_open and MPI_File_close. See which it is: time a barrier right before the open "
            "in one run. If the barrier takes the time, ranks come late, and it is no matter of I/O.",
            SEE_WHO_IS_LATE,
            citation=SKEW,
        ),
        in_program(
            f"If it does not, open {these_files(context)} less often: keep a file open for several steps, put several "
            "variables or steps into one, or let groups of ranks have a file each.",
            citation=SKEW,
        ),
    )


def _calls(context: Context) -> float | None:
    """Collective calls of one rank; MPI-IO counts a call once for each rank that takes part."""
    found = [context.number(f"mpiio.collective_{way}") for way in ("writes", "reads")]
    ranks = context.number("job.nprocs")
    return max(1, round(sum(n for n in found if n is not None) / ranks)) if ranks and any(found) else None


def _calls_sentence(context: Context) -> str | None:
    calls, each = (
        formatted(_calls(context), lambda n: plural(n, "collective call")),
        formatted(_call_size(context), size),
    )
    return sentence("A rank made {}, {} each on average.", calls, each) or sentence("A rank made {}.", calls)


LITTLE = 0.05
"""Of the bytes, up to which independent calls beside collective ones do not make these look smaller than they are."""


def _call_size(context: Context) -> float | None:
    """Bytes of a rank in a collective call; None where independent calls may carry more than a little: no counter says
    which calls moved what."""
    calls = [context.number(f"mpiio.collective_{way}") for way in ("writes", "reads")]
    alone, moved = context.number("mpiio.independent_bytes_upper_fraction"), context.number("io.bytes")
    made = sum(n for n in calls if n is not None)
    return moved / made if made and moved is not None and alone is not None and alone <= LITTLE else None


def _more_written(context: Context) -> bool:
    return (context.number("io.bytes_written") or 0.0) >= (context.number("io.bytes_read") or 0.0)


def _all_read_all(context: Context) -> bool:
    """Whether the calls hand all of the files to each rank, or to most."""
    copies, ranks = context.number("mpiio.read_copies"), context.number("job.nprocs")
    return copies is not None and ranks is not None and copies >= MOST_RANKS * ranks


def _send_to_all(context: Context) -> Advice:
    """For a table that every rank wants: a call that gives each the same bytes sorts and sends them rank by rank."""
    if too_large_to_broadcast(context):
        return read_once_per_node(context, these_files(context), SKEW)
    text = (
        f"Let one rank read {these_files(context)} and send it to all with MPI_Bcast, or one rank of each node to "
        "those of its node: a broadcast hands on what a collective read sends to each rank by itself."
    )
    code = () if context.api in ("HDF5", "PnetCDF") else (BROADCAST,)
    return advice(text, *code, citation=SKEW)


def advise(context: Context) -> tuple[Advice, ...]:
    if _in_opens(context):
        return _wait_at_opens(context)
    if _all_read_all(context):
        return (_send_to_all(context),)
    library = context.word("mpi.library") or context.site.mpi_library
    if context.number("timers.weight") is not None:
        return (_larger(context), *aggregate_variables(context))
    which = _which_it_is(context, library)
    if _quick_ranks(context) is not None:
        return (which, *aggregate_variables(context))
    if _small_and_many(context):
        return (_larger(context), *aggregate_variables(context), which)
    return (which, _larger(context), *aggregate_variables(context))


def _which_it_is(context: Context, library: str | None) -> Advice:
    """Cray's library prints it; with others one looks for late ranks alone, as in MPI_File_open."""
    if library == CRAY_MPICH or (library is None and context.maybe_on_lustre):
        return advice(
            "Find out what takes the time: waiting for late ranks, the exchange of data, or the sorting of small "
            "pieces.",
            AskFor(TIMERS),
            citation=PHASES,
            lead="Where the MPI library is Cray's, it prints that:" if library is None else None,
        )
    return advice(
        "Find out whether the ranks come late: time a barrier right before the collective call in one run. If the "
        "barrier takes the time, it is no matter of I/O; if it does not, the exchange and the sorting of pieces do.",
        SEE_WHO_IS_LATE,
        citation=SKEW,
    )


def _small_and_many(context: Context) -> bool:
    """Whether the calls themselves say what to do: each is a start-up of all ranks for next to no bytes."""
    average, calls = _call_size(context), _calls(context)
    return average is not None and average < SMALL_CALL and calls is not None and calls >= MANY_CALLS


def _larger(context: Context) -> Advice:
    if _small_and_many(context):
        does = "Write" if _more_written(context) else "Read"
        text = (
            f"{does} more with each collective call: gather several variables or steps, so that fewer calls start up."
        )
    else:
        text = (
            "Let each rank's part of a call be one contiguous region: the library sorts the pieces of all ranks first."
        )
    return in_program(text, citation=SKEW)


rule = Rule(
    id="collective-overhead",
    title="Collective calls take far longer than the file system",
    clear_title="Collective calls take no longer than the file system below them",
    scope="group",
    severity="high",
    priority=22,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("io.pattern", ("shared-collective", "subfiling")),
        when_present("mpiio.to_posix_time"),
        Compare("job.nprocs", ">=", RANKS.id),
    ),
    condition=all_of(
        Compare("mpiio.to_posix_time", ">=", RATIO.id),
        Compare("mpiio.time_excess", ">=", SECONDS.id),
        Compare("mpiio.unknown_phase_fraction", ">=", PHASE.id),
    ),
    thresholds=(RATIO, SECONDS, RANKS, PHASE),
    citations=(SKEW, PHASES),
    says=says,
    advise=advise,
    confidence="inferred",
    explains=(
        "below-expectation",
        "lock-contention",
        "misaligned-io",
        "redundant-reads",
        "small-io",
        "ssf-stripe-size",
        "ssf-understriped",
        "subfile",
        "system-writes-not-stripe-sized",
        "write-gaps",
    ),
    claims=(Claim(("exchange", "imbalance"), ShareOf("mpiio.unknown_phase_fraction")),),
)

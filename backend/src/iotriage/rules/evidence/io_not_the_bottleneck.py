"""I/O is not what this run waits for.

## What it does
Compares the time the slowest rank spent in I/O with the run time. It holds when the share is small **and** the time is
short in absolute terms; a run of a day that spends an hour in I/O has a small share and still an hour to win. A share
below a hundredth does not matter however long it took. Where the share is small and the time is not, no finding is
above medium. It does not hold where ranks take turns for a tenth of the run: none of them is long at it, and the run
is as long as all turns.

## Why it matters
The first question about a slow job is whether I/O takes significant time at all. Where it does not, advice about
striping or collectives costs a person's day and wins nothing, so the page says this first and holds every other
finding at info.

## What to do
Look elsewhere first: a profile of computation and communication. The other findings stay in the list; they matter
again when the job grows.

## Limits
Darshan sees the calls of the processes it was loaded into. Time in `MPI_Wait` for nonblocking MPI-IO, and time on
nodes that it did not see, is not in the figure, nor what is read from files that are mapped into memory or through
io_uring: where files were mapped, or opened and not read, that is said. `MPICH_MPIIO_TIMERS` has MPI-IO alone, which is
said too. Neither number is stated by a document.
"""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.job.program import INTERPRETERS
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.packages import package_among
from iotriage.rules.advice.tools import is_a_tool
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import RunCommand
from iotriage.rules.core.condition import Compare, IsOneOf, Present, all_of, any_of, when_present
from iotriage.rules.core.launching import without_darshan
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, seconds, sentence, share

FRACTION = Threshold(
    id="io-not-the-bottleneck.fraction",
    title="Share of the run below which I/O is not the bottleneck",
    default=0.10,
    unit="share",
    stated_by=ours("does I/O matter", "Under a tenth of the run, making the I/O free would speed it up by a ninth."),
    slider=linear(maximum=0.5),
)
TIME = Threshold(
    id="io-not-the-bottleneck.time",
    title="I/O time below which it is short in absolute terms",
    default=60.0,
    unit="s",
    stated_by=ours("does I/O matter", "Under a minute a run there is little to win for anybody."),
    slider=logarithmic(1.0, 3600.0),
)
NEGLIGIBLE = Threshold(
    id="io-not-the-bottleneck.negligible",
    title="Share of the run below which I/O is not the bottleneck, however long it took",
    default=0.01,
    unit="share",
    stated_by=ours("does I/O matter", "A minute of a day: making the I/O free would speed the run up by a hundredth."),
    slider=linear(maximum=0.1),
)


NO_TURNS = any_of(
    IsOneOf("balance.in_turns", ("no", "unknown")),
    when_present("balance.turns_run_fraction", Compare("balance.turns_run_fraction", "<", FRACTION.id)),
)
"""Who waits for its turn to write is in no call, and the run is as long as all turns together."""


VERIFY = Citation("csc-io", "Verify that I/O takes significant time")


def says(context: Context) -> Words:
    spent, run = formatted(context.number("job.io_time"), seconds), formatted(context.number("job.runtime"), seconds)
    part = formatted(context.number("job.io_time_fraction"), share)
    who = "The one rank" if is_one_process(context) else "The slowest rank"
    return Words(
        _HEADLINES[_unseen(context)],
        paragraph(
            sentence("MPI-IO took {}." if _unseen(context) == "beside" else f"{who} spent {{}} in I/O.", spent),
            sentence("That is {} of the run of {}.", part, run),
            *_what_is_not_seen(context),
            "All other findings are shown as notes only.",
        ),
    )


def _unseen(context: Context) -> Literal["beside", "mapped", "untransferred", "nothing"]:
    """What may have passed beside the calls that are counted."""
    timed = context.number("timers.total_time") is not None
    if timed and context.number("posix.opens") is None and context.number("profiled.time") is None:
        return "beside"
    if context.number("posix.mmaps"):
        return "mapped"
    return "untransferred" if context.number("io.bytes") == 0 and context.number("posix.opens") else "nothing"


_HEADLINES = {
    "nothing": "I/O is not what this run waits for.",
    "beside": "MPI-IO is not what this run waits for; what reads and writes past it is not measured.",
    "mapped": "Reads and writes are not what this run waits for; it maps files into memory too, which is not measured.",
    "untransferred": "Files were opened, but no read or write of them was seen: little can be said of this run's I/O.",
}


def _what_is_not_seen(context: Context) -> tuple[str | None, ...]:
    return (
        sentence(
            "Files were mapped into memory {}: no log counts what is read or written there, as the program touches it.",
            formatted(context.number("posix.mmaps") or None, lambda n: plural(n, "time")),
        ),
        sentence(
            "Files were opened {}. What io_uring or libaio reads and writes Darshan does not see, nor what another "
            "process does.",
            formatted(
                context.number("posix.opens") if _unseen(context) == "untransferred" else None,
                lambda n: plural(n, "time"),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    first = "Profile computation and communication first; come back to I/O when the job or its output grows."
    unseen = {
        "mapped": "Count the page faults that went to storage: GNU time prints them as major, with -v.",
        "untransferred": "See how the program reads its files, and time those calls by itself.",
        "beside": "Add a Darshan log of the run, which has all reads and writes.",
        "nothing": None,
    }[_unseen(context)]
    given = tuple(advice(text, citation=VERIFY) for text in (unseen, first) if text is not None)
    return (*given, *_profile(context))


def _profile(context: Context) -> tuple[Advice, ...]:
    """The profile of all of it that Cray's tools make, where the program's MPI library is Cray's and there is none."""
    if context.number("profiled.time") is not None:
        return ()
    library = context.word("mpi.library") or context.site.mpi_library
    program = context.word("job.program") or ""
    built_by_others = INTERPRETERS.fullmatch(program) or is_a_tool(program) or package_among([program])
    if library != CRAY_MPICH or not context.site.perftools or built_by_others:
        return ()
    text = "Cray's perftools-lite profiles all of it, I/O too: load it, build the program again, and run it as before."
    load = RunCommand(("module", "load", "perftools-base", "perftools-lite"))
    # Where the program is built, not where it runs.
    unload = (RunCommand(("module", "unload", one.module)) for one in without_darshan(context.site))
    return (advice(text, *unload, load, citation=Citation("archer-bpg", "I/O Profiling")),)


rule = Rule(
    id="io-not-the-bottleneck",
    title="I/O is not the bottleneck",
    clear_title="I/O takes time that matters",
    scope="job",
    severity="info",
    priority=0,
    requires=all_of(Present("job.io_time"), Present("job.io_time_fraction")),
    condition=all_of(
        Compare("job.io_time_fraction", "<", FRACTION.id),
        any_of(Compare("job.io_time", "<", TIME.id), Compare("job.io_time_fraction", "<", NEGLIGIBLE.id)),
        NO_TURNS,
    ),
    thresholds=(FRACTION, TIME, NEGLIGIBLE),
    citations=(VERIFY,),
    says=says,
    advise=advise,
    leads=True,
    weighed=False,
)

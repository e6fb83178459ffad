"""Ranks read or write one after the other, and the run waits for the last.

## What it does
Looks when each rank's own records were first and last read, or written. It holds where many ranks come one after the
other: nearly always as many are at it, each begins as another ends, at least four such turns follow one another, and
from the first to the last a good part of the run passes, no less than any rank spends in I/O.

## Why it matters
A rank that waits for its turn is in no read or write: its I/O time is short, and that of the run looks short too. What
the run loses is all turns together, as many times one rank's as there are turns.

## What to do
Let more ranks be at it at a time. Programs that pass a baton were written so to spare a file system that many writers
slow down; where each rank or group has its own file, a parallel one serves hundreds of them at once. Most have a
setting for it. Ranks that write one file in turn write it together with collective calls; what each reads whole, one
reads and sends to all.

## Limits
Needs records of each rank, or a heatmap: of a file that all ranks share Darshan keeps the first and the last time of
all together. That record tells of turns only where each of all ranks opens the file once, the first has closed it
before the last opens it, and their seconds add up to those that pass. By a heatmap only ranks that come in their order
are told from others, and how many at a time is reckoned from their seconds; ranks that are sent off one by one look the
same there. That the others wait is not in the log: that each begins as another ends is, and work that is no I/O may be
done in turns as well. Ranks' clocks begin with the program on each node. Processes that a script starts one by one are
left out, and so are ranks that come again and again, as those of I/O servers.
"""

from __future__ import annotations

from iotriage.rules.access.fast_rates import FAST_TOGETHER
from iotriage.rules.advice.array_files import read_and_broadcast
from iotriage.rules.advice.calls import make_collective
from iotriage.rules.advice.packages import unless_known
from iotriage.rules.advice.striping import FOR_FEW_RANKS, stripe_shared_file
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, in_program, ours
from iotriage.rules.core.condition import Compare, Present, all_of, when_present
from iotriage.rules.core.documented_rates import BUSY_OST
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, printable, seconds, sentence, size

FRACTION = Threshold(
    id="ranks-in-turn.fraction",
    title="Share of the run that passes while ranks take turns",
    default=0.10,
    unit="share",
    stated_by=ours("turns", "A tenth of the run is worth a cure, as for all I/O."),
    slider=linear(0.01),
)
TURNS = Threshold(
    id="ranks-in-turn.turns",
    title="Turns that follow one another",
    default=4.0,
    unit="ratio",
    stated_by=ours("turns", "Two or three rounds spare the file system and cost little; four is ours."),
    slider=logarithmic(2.0, 1e6),
)
LONGER = Threshold(
    id="ranks-in-turn.longer",
    title="Time of all turns over the I/O time of the slowest rank",
    default=1.0,
    unit="ratio",
    stated_by=ours("turns", "Where one rank spends longer in I/O than all turns take, that is what to look at first."),
    slider=logarithmic(0.1, 1e6),
)

PROBLEM = Citation("archer-bpg", "Do I have a problem with my I/O?")
OWN_FILES = Citation("archer2-io", "File-Per-Process (FPP)")


def says(context: Context) -> Words:
    at_once = _at_once(context)
    ranks, each = context.number("balance.turns_ranks"), context.number("balance.turn_time")
    does = "reads" if _reads(context) else "writes"
    together = "one after the other" if at_once < 2 else f"in turns, about {plural(at_once, 'rank')} at a time"
    of_run = sentence(
        ": all turns take {} of the run's {}.",
        formatted(context.number("balance.turns_time"), seconds),
        formatted(context.number("job.runtime"), seconds),
    )
    return Words(
        f"The ranks {does.removesuffix('s')} {together}{of_run or '.'}",
        paragraph(
            sentence(
                f"{{}} take turns, in {{}}: each {does} for {{}}, and another begins as it ends.",
                formatted(ranks, lambda n: plural(n, "rank")),
                _file(context),
                formatted(each, seconds),
            ),
            sentence(
                "No rank spends more than {} in I/O, by which rates are reckoned: all together were not as fast.",
                formatted(context.number("job.io_time"), seconds),
            ),
            sentence(
                "The one that is at it moves {}/s." if at_once < 2 else "Those that are at it move {}/s together.",
                formatted(context.number("balance.turns_rate"), size),
            ),
            "That the others wait for their turn meanwhile is not in the log.",
        ),
    )


def _at_once(context: Context) -> float:
    return context.number("balance.turns_at_once") or 1


def _file(context: Context) -> str | None:
    name = context.word("balance.turns_file")
    one = "{}" if context.number("file.count") == 1 else "files such as {}"
    return None if name is None else one.format(printable(name))


def _reads(context: Context) -> bool:
    return context.word("balance.turns_kind") == "read"


def advise(context: Context) -> tuple[Advice, ...]:
    does = "read" if _reads(context) else "write"
    shared = (context.word("io.pattern") or "").startswith("shared-")
    rate = context.number("balance.turns_rate")
    if rate is not None and rate >= FAST_TOGETHER:
        they = f"the rank that {does}s moves {size(rate)}/s"
        if _at_once(context) >= 2:
            they = f"those that {does} at a time move {size(rate)}/s together"
        text = (
            f"Perhaps the file system gives no more: {they}, and ARCHER's guide sees no problem in more than several "
            f"GiB/s. Run once with twice as many that {does} at a time; if all turns take as long then, only less data "
            "takes less time."
        )
        return (advice(text, citation=PROBLEM),)
    return (
        *((_together(context), *_over_more_osts(context)) if shared else ()),
        in_program(
            paragraph(
                f"Let more ranks {does} at a time: twice as many first, then all of them, as long as the "
                f"{'input' if _reads(context) else 'output'} takes less time.",
                unless_known(context.program, _NUMBERS),
            ),
            OWN_FILES,
        ),
    )


def _together(context: Context) -> Advice:
    """Of a file that all use. Each may read all of it, of which no calls read a part."""
    ranks, layer = context.number("job.nprocs"), "stdio" if context.word("io.layer") == "STDIO" else "posix"
    times = context.number(f"{layer}.times_read")
    if _reads(context) and ranks is not None and times is not None and times >= NEARLY_ALL * ranks:
        return read_and_broadcast(context, OWN_FILES)
    return make_collective(context, reads=_reads(context))


def _over_more_osts(context: Context) -> tuple[Advice, ...]:
    """Where all would meet on one OST, or two, that one rank keeps busy in its turn."""
    stripes, rate = context.number("file.stripe_count"), _rate_in_turns(context)
    if stripes is None or rate is None or stripes >= FOR_FEW_RANKS or rate < BUSY_OST * stripes:
        return ()
    return stripe_shared_file(context) if (context.number("file.size") or 0.0) >= LARGE else ()


def _rate_in_turns(context: Context) -> float | None:
    """That of the turns; where a heatmap shows these, of all that the job moves in their time."""
    rate, moved, took = (context.number(m) for m in ("balance.turns_rate", "io.bytes", "balance.turns_time"))
    return moved / took if rate is None and moved is not None and took else rate


LARGE = 2.0**30
"""Bytes of a file below which NERSC leaves its stripes as they are."""
NEARLY_ALL = 0.9
"""Of the ranks, from which each reads the whole file."""
_NUMBERS = (
    "Programs that pass a baton have a number for it: in AMReX the number of files of a plotfile or checkpoint, with "
    "Silo's PMPIO the number of files."
)


rule = Rule(
    id="ranks-in-turn",
    title="Ranks take turns",
    clear_title="No ranks seen to take turns",
    scope="job",
    severity="medium",
    priority=7,
    leads=True,
    requires=all_of(Present("balance.turns_time"), when_present("balance.turns_run_fraction")),
    condition=all_of(
        Compare("balance.turns_run_fraction", ">=", FRACTION.id),
        Compare("balance.turns_io_ratio", ">=", LONGER.id),
        when_present("balance.turns_each", Compare("balance.turns_each", ">=", TURNS.id)),
    ),
    thresholds=(FRACTION, LONGER, TURNS),
    citations=(OWN_FILES,),
    says=says,
    advise=advise,
)

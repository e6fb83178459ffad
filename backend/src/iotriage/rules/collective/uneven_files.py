"""One rank, or a few, have far more of some files than the others have.

## What it does
Looks at the files that are used alike and asks which part of them each rank moves. It holds when the busiest moved
twice the mean of those that share them and took half as long again, where they are not written with collective calls.
It holds, too, where some ranks have several times the mean of all that move any, and the others a good part of the
bytes: ranks that move everything for the others are I/O servers, and these are not.

## Why it matters
The others wait until it is done. Over the whole job its bytes and its time may look even: what all read alike beside
these files hides it (straggler-rank looks at the whole job).

## What to do
Spread what these files hold evenly over the ranks, or hand the uneven parts to collective calls, which spread them over
the aggregators.

## Limits
Of a file that all ranks share Darshan keeps its slowest and its fastest rank alone: the busiest may do more than is
seen here. Whether the others wait or compute meanwhile, no log says.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import even_out, these_files
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Threshold,
    Words,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import Claim, SecondsOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, seconds, sentence, share

BYTES = Threshold(
    id="uneven-files.bytes",
    title="Bytes of the busiest rank over the mean, in files that are used alike",
    default=2.0,
    unit="ratio",
    stated_by=ours("imbalance", "Drishti takes 15 % and flags half of all small jobs; twice the mean is ours."),
    slider=logarithmic(1.1, 100.0),
)
TIME = Threshold(
    id="uneven-files.time",
    title="Time of the slowest rank over the mean, in the same files",
    default=1.5,
    unit="ratio",
    stated_by=ours("imbalance", "Who moves more and is done with the others costs nothing; half as long again does."),
    slider=logarithmic(1.1, 100.0),
)
RANKS = Threshold(
    id="uneven-files.ranks",
    title="Ranks from which a mean says something",
    default=4.0,
    unit="ranks",
    stated_by=ours("imbalance", "With two or three ranks the largest is never far from the mean."),
    slider=logarithmic(2.0, 1024.0),
)
HEAVY = Threshold(
    id="uneven-files.heavy",
    title="Bytes of the busiest rank over the mean of all that move any, where several have as much",
    default=4.0,
    unit="ratio",
    stated_by=ours("imbalance", "Parts of a domain differ by two or three times anyway; four times the mean is ours."),
    slider=logarithmic(1.1, 1000.0),
)
LIGHT = Threshold(
    id="uneven-files.light",
    title="Share of the bytes moved by the ranks that have few, below which those that have most do the I/O by design",
    default=0.10,
    unit="share",
    stated_by=ours("imbalance", "Beside I/O servers the others write headers and logs; a tenth of the bytes is ours."),
)
OVERLOADED = Citation("theta-io", "Craypat IOR Collective MPI-IO Profiling for Write")
PATTERNS = ("file-per-process", "file-per-node", "shared-independent", "subfiling")


def _several(context: Context) -> bool:
    """Whether several ranks have as much as the busiest, which then is not far above the mean of those that have, or
    takes no longer than they do."""
    if context.holds(_SEVERAL) != context.holds(_ONE):
        return context.holds(_SEVERAL)
    several, one = (context.number(f"balance.{of}") or 0.0 for of in ("heavy_bytes", "bytes"))
    return not context.holds(_ONE) and several > one


def says(context: Context) -> Words:
    if _several(context):
        return _says_of_several(context)
    busy = context.number("balance.busy_ranks") or 1.0
    who, whom = ("One rank moves", "it") if busy <= 1 else (f"{plural(busy, 'rank')} move", "them")
    return Words(
        f"{who} far more of these files than the others{_waits(context, whom)}.",
        paragraph(
            sentence(
                "The busiest of {} moved {} times the mean of those that use them,",
                formatted(context.number("job.nprocs"), lambda n: plural(n, "rank")),
                formatted(context.number("balance.bytes"), number),
            ),
            sentence(
                "{} of the bytes on {}.",
                formatted(context.number("balance.busiest_share"), share),
                these_files(context),
            ),
            sentence(
                "The slowest took {} times the mean time there, {} longer.",
                formatted(context.number("balance.time"), number),
                formatted(context.number("balance.time_beyond_mean"), seconds),
            ),
        ),
    )


def _waits(context: Context, whom: str) -> str:
    """That the others wait is seen of no file that one rank has to itself."""
    return f", which wait for {whom}" if context.word("io.pattern") == "shared-independent" else ""


def _says_of_several(context: Context) -> Words:
    who = formatted(context.number("balance.heavy_ranks"), lambda n: plural(max(2, round(n)), "rank")) or "Some ranks"
    return Words(
        f"{who} move far more of these files than the others{_waits(context, 'them')}.",
        paragraph(
            sentence(
                "The busiest moved {} times the mean of all ranks that use {}.",
                formatted(context.number("balance.heavy_bytes"), number),
                these_files(context),
            ),
            sentence("The others move {} of the bytes.", formatted(context.number("balance.light_fraction"), share)),
            sentence(
                "The slowest took {} times the mean time there, {} longer.",
                formatted(context.number("balance.heavy_time"), number),
                formatted(context.number("balance.heavy_beyond_mean"), seconds),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return even_out(context, context.word("io.layer"), OVERLOADED, of=" of these files")


_ONE = AllOf((Compare("balance.bytes", ">=", BYTES.id), Compare("balance.time", ">=", TIME.id)))
_SEVERAL = when_present(
    "balance.heavy_bytes",
    Compare("balance.heavy_bytes", ">=", HEAVY.id),
    Compare("balance.light_fraction", ">=", LIGHT.id),
    Compare("balance.heavy_time", ">=", TIME.id),
)

rule = Rule(
    id="uneven-files",
    title="Few ranks have far more of some files",
    clear_title="The ranks have about as much of the files",
    scope="group",
    severity="medium",
    priority=51,
    carries=share_of_job,
    requires=AllOf(
        (
            Compare("job.nprocs", ">=", RANKS.id),
            Present("balance.bytes"),
            Present("balance.time"),
            IsOneOf("io.pattern", PATTERNS),
        )
    ),
    condition=AnyOf((_ONE, _SEVERAL)),
    thresholds=(BYTES, TIME, HEAVY, LIGHT, RANKS),
    citations=(OVERLOADED, Citation("drishti", "imbalance_stragglers")),
    says=says,
    advise=advise,
    claims=(
        Claim(("imbalance",), SecondsOf("balance.time_beyond_mean"), _ONE),
        Claim(("imbalance",), SecondsOf("balance.heavy_beyond_mean"), _SEVERAL, up_to=True),
    ),
)

"""One rank has far more I/O to do than the others.

## What it does
Compares the busiest rank with the mean over ranks, in bytes and in time, at the layer that the program calls.

## Why it matters
The I/O phase ends when the slowest rank ends, and in most programs all others wait for it. With the busiest rank at
three times the mean, two thirds of the phase is waiting.

## What to do
Spread the data evenly, or hand the uneven parts to collective calls, which spread them over the aggregators. If the
bytes are even and only the time is not, look at what is special about that rank's files or its node.

## Limits
Of a file shared by all ranks Darshan keeps its slowest and its fastest rank only, so the busiest may do more than is
seen here. CrayPAT gives no time of the slowest rank: without a log, what is sure of it must be worth a word. Ranks
that do no I/O by design (one writer a node, subfiling) count in the mean; such patterns are left out.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import make_collective
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    at_most,
    more_than_a_moment,
    ours,
)
from iotriage.rules.core.action import RunCommand
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, given
from iotriage.rules.core.words import counted, number, paragraph, sentence, share, told

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


OVERLOADED = Citation("theta-io", "CrayPAT IOR Collective MPI-IO Profiling")


def says(context: Context) -> Words:
    if not _by_bytes(context):
        headline = "One rank spends far more time in I/O than the others, which wait for it."
    elif context.number("balance.time") is None:
        headline = "One rank moves far more data than the others."
    else:
        headline = "One rank moves far more data than the others, which wait for it."
    return Words(
        headline,
        paragraph(
            sentence(
                "The busiest of {} moved {} times the mean,",
                told(context.number("job.nprocs"), lambda n: counted(n, "rank")),
                told(context.number("balance.bytes"), number),
            ),
            sentence("{} of all bytes.", told(context.number("balance.slowest_rank_share"), share)),
            sentence(
                "The slowest spent {} times the mean time in I/O.",
                told(context.number("balance.time"), number),
            ),
        ),
    )


def _by_bytes(context: Context) -> bool:
    return (context.number("balance.bytes") or 0.0) >= BYTES.default


def advise(context: Context) -> tuple[Advice, ...]:
    if not _by_bytes(context):
        see = (RunCommand(("lfs", "getstripe", "FILE_OF_THE_SLOW_RANK")),) if context.file_system == "lustre" else ()
        return (
            advice(
                "The bytes are even, only the time is not. Run again: if it is the same rank, see which node and which "
                "OST its file is on, and tell the support; if it is another one each time, others disturb the run.",
                *see,
                citation=Citation("theta-io", "Dragonfly Network and Lustre Jitter"),
            ),
        )
    even = advice(
        "Give every rank the same amount to read and write, or let the library spread uneven parts.",
        citation=OVERLOADED,
    )
    # No library shares out what goes through buffered streams.
    return (even,) if context.word("io.layer") == "STDIO" else (even, make_collective(context))


def impact(context: Context) -> Impact | None:
    most = context.number("balance.time") or context.number("balance.bytes")
    if most is None or most <= 1:
        return None
    return at_most(context, 1 - 1 / most, "if the slowest rank took no longer than the mean.")


rule = Rule(
    id="straggler-rank",
    title="One rank does far more I/O than the others",
    clear_title="The ranks share the I/O evenly",
    scope="job",
    severity="medium",
    priority=50,
    carries=more_than_a_moment,
    requires=AllOf(
        (
            Compare("job.nprocs", ">=", RANKS.id),
            AnyOf((Present("balance.bytes"), Present("balance.time"))),
            Present("io.pattern"),
            IsOneOf("io.pattern", ("serial", "file-per-process", "shared-independent", "shared-collective")),
            AnyOf((Present("job.io_time"), Compare("profiled.rank_time", ">=", RANK_TIME.id))),
        )
    ),
    condition=AnyOf(
        (
            given("balance.bytes", Compare("balance.bytes", ">=", BYTES.id)),
            given("balance.time", Compare("balance.time", ">=", TIME.id)),
        )
    ),
    thresholds=(BYTES, TIME, RANKS, RANK_TIME),
    citations=(OVERLOADED, Citation("drishti", "imbalance_stragglers")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "wait-for-coll",
    ),
)

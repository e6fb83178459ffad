"""One rank does the I/O of the whole job.

## What it does
Looks at the share of all bytes that the busiest rank moved. It holds when that is nearly everything, several ranks
were running, and the files are not written with collective calls: there, one busy rank below the library is another
matter (single-aggregator).

## Why it matters
However many ranks compute, one of them reads or writes, and the file system sees one client. ARCHER's guide expects
about the rate of one OST, 500 MiB/s, from a serial writer with default striping; ARCHER2's guide says that large
files will hardly go beyond 1 GB/s. All other ranks wait meanwhile.

## What to do
Let every rank write its part of one file with collective calls, or a file per process or node where that suits. Until
then larger stripes, and for many small records a larger buffer, help the single writer a little.

## Limits
Bytes, not time: a rank that gathers in memory and writes little is not caught. A program that means to use one
process only should be run with one. A small result that one rank writes in a moment is not reported.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import site_environment, write_in_parallel
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    at_most,
    more_than_a_moment,
    ours,
)
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, Present
from iotriage.rules.core.words import counted, number, paragraph, sentence, share, size, told

SHARE = Threshold(
    id="serial-io.share",
    title="Share of the bytes moved by the busiest rank",
    default=0.90,
    unit="share",
    stated_by=ours("serial I/O", "The guides describe one master process that does all the I/O; nearly all is ours."),
    minimum=0.5,
    maximum=1.0,
)
RANKS = Threshold(
    id="serial-io.ranks",
    title="Ranks from which one writer is a waste",
    default=4.0,
    unit="ranks",
    stated_by=ours("serial I/O", "Two or three ranks have little to share."),
    minimum=2.0,
    maximum=1024.0,
    scale="log",
)


SERIAL = Citation("archer2-io", "Single file, single writer (Serial I/O)")


def says(context: Context) -> Words:
    moved = told(context.number("io.bytes"), size)
    return Words(
        "One rank does the I/O of the whole job, the others wait.",
        paragraph(
            sentence(
                "The busiest of {} moved {} of the bytes.",
                told(context.number("job.nprocs"), lambda n: counted(n, "rank")),
                told(context.number("balance.slowest_rank_share"), share),
            ),
            sentence("The job moved {}.", moved),
            sentence("The rate was {}/s.", told(context.number("io.bandwidth"), size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return (write_in_parallel(context), *site_environment(context, "shared-collective"))


def impact(context: Context) -> Impact | None:
    ranks = context.number("job.nprocs")
    if ranks is None or ranks < 2:
        return None
    return at_most(context, 1 - 1 / ranks, f"if all {number(ranks)} ranks did an equal part at the same time.")


rule = Rule(
    id="serial-io",
    title="One rank does all the I/O",
    clear_title="The I/O is spread over ranks",
    scope="job",
    severity="high",
    priority=10,
    carries=more_than_a_moment,
    requires=AllOf(
        (
            Present("balance.slowest_rank_share"),
            Present("io.pattern"),
            Compare("job.nprocs", ">=", RANKS.id),
        )
    ),
    condition=AllOf(
        (
            Compare("balance.slowest_rank_share", ">=", SHARE.id),
            IsOneOf("io.pattern", ("serial", "file-per-process", "file-per-node", "shared-independent", "subfiling")),
        )
    ),
    thresholds=(SHARE, RANKS),
    citations=(
        SERIAL,
        Citation("archer-bpg", "Single file, single writer (Serial I/O)"),
        Citation("archer-bpg", "Summary of performance advice"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "straggler-rank",
    ),
)

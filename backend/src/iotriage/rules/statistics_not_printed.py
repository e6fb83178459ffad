"""Statistics were switched on, but none are in the output.

## What it does
Looks whether the environment sets `MPICH_MPIIO_STATS` while no block of statistics stands in any text given.

## Why it matters
It is not a sign of good I/O. The blocks are printed when MPI-IO closes a file: there are none when the program uses
POSIX calls only, when it died before closing, when stderr went elsewhere, or when the value was 2, which writes
files of their own instead.

## What to do
Look for the job's stderr, see how the job ended, and set the variable to 1.

## Limits
A script says what was asked for, not what the run had in its environment.
"""

from __future__ import annotations

from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import (
    Advice,
    AllOf,
    Citation,
    Compare,
    Context,
    Impact,
    IsOneOf,
    Present,
    Rule,
    Source,
    Threshold,
    Words,
)
from iotriage.rules.walk import given
from iotriage.rules.wording import plain

BLOCKS = Threshold(
    "statistics-not-printed.blocks",
    "Blocks of statistics below which they are missing",
    1.0,
    "1",
    Source(PROJECT, "statistics that were asked for", "One block would show that the variable took effect."),
    1.0,
    100.0,
)

STATS = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")


def says(context: Context) -> Words:
    value = plain(context.word("environment.mpiio_stats") or "1")
    files = " The value 2 writes a file for every rank instead of the blocks." if value == "2" else ""
    return Words(
        "Statistics of MPI-IO were asked for, but none were printed.",
        f"MPICH_MPIIO_STATS={value} is set, and no block stands in the texts given.{files}",
    )


def advise(_: Context) -> tuple[Advice, ...]:
    text = "Give the job's stderr too. Without a block there, no MPI-IO was used, or the program ended before closing."
    return (Advice(text, "export MPICH_MPIIO_STATS=1", "job-script", STATS),)


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="statistics-not-printed",
    title="Statistics asked for but not printed",
    clear_title="The statistics that were asked for are there",
    scope="job",
    severity="info",
    priority=81,
    requires=AllOf(
        (
            given("environment.mpiio_stats", IsOneOf("environment.mpiio_stats", ("1", "2"))),
            Present("mpiio.stats_blocks"),
        )
    ),
    condition=Compare("mpiio.stats_blocks", "<", BLOCKS.id),
    thresholds=(BLOCKS,),
    citations=(STATS,),
    says=says,
    advise=advise,
    impact=impact,
    weighed=False,
)

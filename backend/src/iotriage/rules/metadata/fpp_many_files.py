"""Thousands of processes each have a file of their own.

## What it does
Counts the ranks that have files to themselves. It holds from 4,096 on.

## Why it matters
A file per process scales well until thousands are open at once: each of them is made, opened and closed on the metadata
server, which all users share, and has to be found, moved and put together afterwards. ARCHER2's guide warns that
thousands of open files can overload the file system; TACC counts jobs of 4,096 such tasks among the intensive ones.

## What to do
One file per node, or one shared file per group of ranks: with 128 cores a node that is a hundred times fewer files at
about the same rate. ADIOS 2 does it for the program. Where there is a flash file system, it bears this pattern best.

## Limits
It speaks of the number of files, not of their speed: ARCHER2 measured 200 GiB/s with 2,048 of them. Where opening and
closing takes much of the time, `metadata-bound` says so and explains this one.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files, write_file_per_node
from iotriage.rules.advice.placement import faster_file_system
from iotriage.rules.advice.stores import fewer_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, share_of_job
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence

RANKS = Threshold(
    id="fpp-many-files.ranks",
    title="Ranks with files of their own",
    default=4096.0,
    unit="ranks",
    stated_by=Statement(
        "tacc-io",
        "What is I/O?",
        "4,096 MPI tasks or more that read or write files of their own; ARCHER2 speaks of thousands of open files.",
    ),
    slider=logarithmic(64.0, 1e6),
)

FPN = Citation("archer2-io", "File-per-node (FPN)")


def says(context: Context) -> Words:
    return Words(
        sentence("{} ranks each have a file of their own.", formatted(context.number("file.ranks_with_own"), number))
        or "Thousands of ranks each have a file of their own.",
        paragraph(
            sentence(
                "{}: {} have files to themselves.",
                these_files(context),
                formatted(context.number("file.ranks_with_own"), lambda n: plural(n, "rank")),
            ),
            sentence("The job had {}.", formatted(context.number("job.nnodes"), lambda n: plural(n, "node"))),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    elsewhere = faster_file_system(context)
    flash = "" if elsewhere else "Where the centre has a flash (NVMe) file system, put such files there; "
    adios = f"{flash}ADIOS 2 writes a few files for many ranks by itself."
    if of_library := fewer_files(context.file, FPN):
        return (*of_library, *elsewhere)
    return (write_file_per_node(context, FPN), *elsewhere, advice(adios, citation=FPN))


rule = Rule(
    id="fpp-many-files",
    title="Thousands of files, one per process",
    clear_title="Not too many files, one per process",
    scope="group",
    severity="low",
    priority=47,
    carries=share_of_job,
    requires=IsOneOf("io.pattern", ("file-per-process",)),
    condition=AllOf((Compare("job.nprocs", ">=", RANKS.id), Compare("file.ranks_with_own", ">=", RANKS.id))),
    thresholds=(RANKS,),
    citations=(
        Citation("archer2-io", "File-per-process (FPP)"),
        FPN,
        Citation("theta-io", "File storage approaches"),
        Citation("tacc-io", "Avoid Writing One File Per Process"),
    ),
    says=says,
    advise=advise,
    explains=("too-many-files-per-directory", "subfile"),
    claims=(Claim(("metadata",)),),
)

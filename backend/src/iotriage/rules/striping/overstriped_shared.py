"""A large shared file has more stripes than the site's guide found best for a job of this size.

## What it does
On Theta, looks for a large shared file with more stripes than the job has nodes, or with more than the 48 that the
guide goes up to. On ARCHER, for one with more than four stripes that fewer than 96 processes share.

## Why it matters
A stripe more is one more server to ask for locks and to wait for, and brings nothing once the nodes cannot keep the
servers busy. ARCHER measured 862 MiB/s with four stripes and 662 with all 48 for 24 processes. With all 56 OSTs of
Theta, Lustre can no longer leave out the slow ones.

## What to do
Set as many stripes as the guide has for this size before the file is made, and measure.

## Limits
Both systems are retired. Elsewhere nothing is said: ARCHER2's guide asks for all OSTs at any size of a job. Needs the
number of nodes, which Darshan's counters do not have.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import largest_file_phrase, largest_size_phrase
from iotriage.rules.advice.striping import FOR_FEW_RANKS, stripe_over_fewer
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import STORAGE, STORAGE_OF_FEW, Claim
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence

PER_NODE = Threshold(
    id="overstriped-shared.stripes-per-node",
    title="Stripes for each node above which there are too many (Theta)",
    default=1.0,
    unit="ratio",
    stated_by=Statement("theta-io", "General striping approaches", "Don't exceed the node count with the stripes."),
    slider=logarithmic(0.25, 64.0),
)
MOST_OF_THETA = 48
MOST = Threshold(
    id="overstriped-shared.most-stripes",
    title="Stripes above which a shared file has too many (Theta)",
    default=float(MOST_OF_THETA),
    unit="stripes",
    stated_by=Statement(
        "theta-io",
        "General striping approaches",
        "Don't go to all 56: with 48 Lustre has room to leave out slow OSTs.",
    ),
    slider=logarithmic(1.0, 512.0),
)
FEW = Threshold(
    id="overstriped-shared.few-ranks-stripes",
    title="Stripes above which a file of few processes has too many (ARCHER)",
    default=float(FOR_FEW_RANKS),
    unit="stripes",
    stated_by=Statement(
        "archer-bpg", "Single Shared File (SSF), MPI-IO", "Below 96 processes four stripes give the best performance."
    ),
    slider=logarithmic(1.0, 512.0),
)
RANKS = Threshold(
    id="overstriped-shared.ranks",
    title="Processes below which there are few (ARCHER)",
    default=96.0,
    unit="ranks",
    stated_by=Statement(
        "archer-bpg", "Single Shared File (SSF), MPI-IO", "From 96 processes on all OSTs give the best performance."
    ),
    slider=logarithmic(2.0, 65536.0),
)
SIZE = Threshold(
    id="overstriped-shared.file-size",
    title="File size from which the stripe count matters",
    default=float(2**30),
    unit="B",
    stated_by=ours("stripe count", "The guides speak of large files; smaller ones have a finding of their own."),
    slider=logarithmic(float(2**20), float(2**44)),
)

THETA = Citation("theta-io", "General striping approaches")
ARCHER = Citation("archer-bpg", "Single Shared File (SSF), MPI-IO")


def says(context: Context) -> Words:
    by_nodes = context.site.stripes_of_few_ranks is None
    return Words(
        sentence(
            "A file that {} share has {}, more than worked best for a job of this size.",
            formatted(context.number("job.nprocs"), lambda n: plural(n, "rank")),
            formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
        )
        or "A large shared file has more stripes than were found best for a job of this size.",
        paragraph(
            sentence(
                "{} ({}) has {}.",
                largest_file_phrase(context),
                largest_size_phrase(context),
                formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
            ),
            sentence("The job had {}.", formatted(context.number("job.nprocs"), lambda n: plural(n, "rank"))),
            sentence(
                "They ran on {}.",
                formatted(context.number("job.nnodes") if by_nodes else None, lambda n: plural(n, "node")),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    few = context.site.stripes_of_few_ranks
    if few is not None:
        return stripe_over_fewer(context, few.stripe_count, few.why, Citation(few.source.document, few.source.place))
    nodes = context.number("job.nnodes")
    count = MOST_OF_THETA if nodes is None else max(1, min(MOST_OF_THETA, int(nodes)))
    why = f"Theta's guide has no more stripes than nodes, and never more than {MOST_OF_THETA}."
    return stripe_over_fewer(context, count, why, THETA)


rule = Rule(
    id="overstriped-shared",
    title="Shared file with more stripes than the job can use",
    clear_title="The job can use all stripes of its shared files",
    scope="group",
    severity="low",
    priority=42,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("job.site", ("archer", "theta")),
            IsOneOf("io.pattern", ("shared-collective", "shared-independent")),
            Present("file.stripe_count"),
            Compare("file.size", ">=", SIZE.id),
        )
    ),
    condition=AnyOf(
        (
            AllOf(
                (
                    IsOneOf("job.site", ("theta",)),
                    AnyOf(
                        (
                            when_present("job.nnodes", Compare("file.stripes_per_node", ">", PER_NODE.id)),
                            Compare("file.stripe_count", ">", MOST.id),
                        )
                    ),
                )
            ),
            AllOf(
                (
                    IsOneOf("job.site", ("archer",)),
                    Compare("job.nprocs", "<", RANKS.id),
                    Compare("file.stripe_count", ">", FEW.id),
                )
            ),
        )
    ),
    thresholds=(PER_NODE, MOST, FEW, RANKS, SIZE),
    citations=(THETA, ARCHER),
    says=says,
    advise=advise,
    claims=(Claim(STORAGE), *STORAGE_OF_FEW),
)

"""A file per node or per group of ranks may serve better than one file, or than one per process.

## What it does
Holds where a file per process has become thousands of files, and where one collectively written file is slow although
it lies on nearly all OSTs and many ranks write it, so that striping has nothing left to give.

## Why it matters
Subfiling lies between the two: on Theta a file per node was as fast as a file per process, and both were far faster
than one shared file; it is kinder to the metadata server than one big shared file, and easier to handle than thousands.

## What to do
Split the communicator by node or by group, open one file in each part, and write it collectively. Libraries can do it
(HDF5's subfiling driver, ADIOS 2, PnetCDF's subfiling).

## Limits
An alternative, never more than info: readers must be able to put the parts together. Theta is retired; its figures are
a documented example. A slow shared file has many causes; where another rule names one, mend that first.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files, write_file_per_node
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, share, size

OWN = Threshold(
    id="subfile.ranks-with-own",
    title="Ranks with files of their own",
    default=4096.0,
    unit="ranks",
    stated_by=Statement("tacc-io", "What is I/O?", "4,096 MPI tasks or more that read or write files of their own."),
    slider=logarithmic(64.0, 1e6),
)
RANKS = Threshold(
    id="subfile.ranks",
    title="Ranks from which one file may be too few",
    default=512.0,
    unit="ranks",
    stated_by=ours("subfiling", "Theta's example has 4,096 ranks on 256 nodes; an eighth of it is ours."),
    slider=logarithmic(16.0, 1e6),
)
OSTS = Threshold(
    id="subfile.osts",
    title="Share of the OSTs that the file lies on",
    default=0.80,
    unit="share",
    stated_by=Statement(
        "theta-io", "General striping approaches", "48 of 56 OSTs is all that one should ask for: 0.86."
    ),
    slider=linear(0.1),
)
RATE = Threshold(
    id="subfile.bandwidth",
    title="Bandwidth below which there is room for improvement",
    default=SERIAL_WRITER,
    unit="B/s",
    stated_by=Statement(
        "archer-bpg", "Do I have a problem with my I/O?", "Below 500 MiB/s there is room for improvement."
    ),
    slider=logarithmic(float(2**20), float(2**36)),
)

SUBFILING = Citation("theta-io", "FPN Subfiling")


def says(context: Context) -> Words:
    if context.word("io.pattern") == "file-per-process":
        return Words(
            sentence(
                "One file per node could take the place of {} files.",
                formatted(context.number("file.ranks_with_own"), number),
            )
            or "One file per node could take the place of thousands.",
            paragraph(
                sentence(
                    "{}: {} have files to themselves.",
                    these_files(context),
                    formatted(context.number("file.ranks_with_own"), lambda n: plural(n, "rank")),
                ),
            ),
        )
    return Words(
        "The shared file is slow although it lies on nearly all OSTs: several files could share the work.",
        paragraph(
            sentence(
                "{} moved {} a second for {} ranks.",
                these_files(context),
                formatted(context.number("io.bandwidth"), size),
                formatted(context.number("job.nprocs"), number),
            ),
            sentence(
                f"{'The largest file' if (context.files or 1) > 1 else 'It'} lies on {{}} of the OSTs.",
                formatted(context.number("file.osts_fraction"), share),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return (write_file_per_node(context, SUBFILING),)


rule = Rule(
    id="subfile",
    title="Subfiling as an alternative",
    clear_title="Subfiling would not help",
    scope="group",
    severity="info",
    priority=94,
    carries=share_of_job,
    requires=IsOneOf("io.pattern", ("file-per-process", "shared-collective")),
    condition=AnyOf(
        (
            AllOf(
                (
                    IsOneOf("io.pattern", ("file-per-process",)),
                    Compare("job.nprocs", ">=", OWN.id),
                    Compare("file.ranks_with_own", ">=", OWN.id),
                )
            ),
            AllOf(
                (
                    IsOneOf("io.pattern", ("shared-collective",)),
                    Compare("job.nprocs", ">=", RANKS.id),
                    when_present("file.osts_fraction", Compare("file.osts_fraction", ">=", OSTS.id)),
                    Compare("io.bandwidth", "<", RATE.id),
                )
            ),
        )
    ),
    thresholds=(OWN, RANKS, OSTS, RATE),
    citations=(
        Citation("theta-io", "File storage approaches"),
        SUBFILING,
        Citation("archer2-io", "File-per-node (FPN)"),
    ),
    says=says,
    advise=advise,
)

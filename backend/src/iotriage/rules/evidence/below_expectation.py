"""The files are written much more slowly than the site's documents measured for such files.

## What it does
Looks the write bandwidth of a group of files up in the tables that the documents of the site give for its pattern, at
the job's number of processes and the files' striping. It holds below half of a documented maximum, and, where the
document gives quartiles, below the lower quartile.

## Why it matters
The document's runs had the same pattern and striping: what is missing is not explained by either. The cause may be
small or unaligned accesses, late ranks, few nodes, settings of the MPI library, or other users of the file system.

## What to do
Read the other findings first: each of them may be the cause. Where there is none, run the job again: rates of a shared
file system vary. The picture of documented bandwidths shows the striping that reached most.

## Limits
Documented figures are of one file system and of its years; ARCHER's are maxima of repeated runs. Between two process
counts the figure is interpolated on logarithmic scales, beyond the first and the last there is none. Nothing is said of
a file system that no document measured, nor of less data per process than the documents' smallest test. A range
(a site's own measurement that was made once, or that may be of a cache) is shown beside the job and decides nothing.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import site_environment, these_files
from iotriage.rules.advice.placement import faster_file_system
from iotriage.rules.advice.striping import stripe_shared_file
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Rule,
    Statement,
    Threshold,
    Words,
    advice,
    share_of_job,
)
from iotriage.rules.core.claim import Claim, ShortOf
from iotriage.rules.core.condition import Compare, all_of, when_present
from iotriage.rules.core.documented import (
    MEASURED,
    QUARTILES,
    TABLES,
    USUAL,
    WITHIN_TWO,
    against_documents,
    figure_of,
    site_documented_saving,
)
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size

MARGIN = Threshold(
    id="below-expectation.fraction",
    title="Share of a documented maximum below which a bandwidth is low",
    default=0.5,
    unit="share",
    stated_by=WITHIN_TWO,
    slider=linear(0.01),
)
QUARTILE = Threshold(
    id="below-expectation.lower-quartile",
    title="Share of the documented lower quartile below which a bandwidth is low",
    default=1.0,
    unit="share",
    stated_by=USUAL,
    slider=linear(0.01, 2.0),
)
DATA = Threshold(
    id="below-expectation.data-per-process",
    title="Data written by each process from which a bandwidth is compared",
    default=float(16 * 2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg", "Single Shared File (SSF), MPI-IO", "The smallest of its tests wrote 16 MiB a process."
    ),
    slider=logarithmic(float(2**20), float(2**40)),
)


def says(context: Context) -> Words:
    statistic = context.word("expectation.statistic")
    own, best = context.number("expectation.documented_bandwidth"), context.number("expectation.best_bandwidth")
    least = context.number("expectation.fraction_of_lower_quartile")
    return Words(
        sentence(
            "The files are written at {}/s, more slowly than documented for such files: {}/s.",
            formatted(context.number("io.write_bandwidth"), size),
            formatted(context.number("expectation.documented_bandwidth"), size),
        )
        or "The files are written more slowly than the site's documents measured for such files.",
        paragraph(
            sentence(
                "{} reached {}/s with {}; for such files the documents of {} have {}/s ({}).",
                these_files(context),
                formatted(context.number("io.write_bandwidth"), size),
                formatted(context.number("io.writers"), lambda n: plural(n, "rank")),
                context.site.title,
                formatted(context.number("expectation.documented_bandwidth"), size),
                figure_of(statistic),
            ),
            sentence("That is {} of it.", formatted(context.number("expectation.fraction"), share)),
            sentence("Of the documented lower quartile it is {}.", formatted(least, share)),
            sentence(
                "The best documented striping reached {}/s.",
                formatted(best if own is None or best != own else None, size),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    again = advice(
        "Run the job again as it is, at another time: rates of a shared file system vary, and the best of several runs "
        "is the one with the least disturbance.",
        citation=Citation("theta-io", "Dragonfly Network and Lustre Jitter"),
    )
    own, best = context.number("expectation.documented_bandwidth"), context.number("expectation.best_bandwidth")
    shared = context.word("io.pattern") == "shared-collective"
    asked = site_environment(context) if shared and context.word("file.on_nodes") != "one" else ()
    if shared and own is not None and best is not None and best > own:
        return (*stripe_shared_file(context), *asked, again)
    if asked:
        return (*asked, again)
    return (again, *faster_file_system(context)) if context.word("io.pattern") == "file-per-process" else (again,)


rule = Rule(
    id="below-expectation",
    title="Bandwidth below what is documented",
    clear_title="Bandwidth as documented",
    scope="group",
    severity="medium",
    priority=80,
    carries=share_of_job,
    requires=all_of(
        MEASURED,
        when_present("io.written_per_writer", Compare("io.written_per_writer", ">=", DATA.id)),
    ),
    condition=against_documents("<", MARGIN.id, QUARTILE.id),
    thresholds=(MARGIN, QUARTILE, DATA),
    citations=(*TABLES, QUARTILES),
    says=says,
    advise=advise,
    impact=site_documented_saving,
    claims=(Claim(("writes", "exchange", "imbalance"), ShortOf("expectation.fraction")),),
)

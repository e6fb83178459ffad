"""The job spends much of its time in I/O, and the I/O is as fast as the site's documents measured for such files.

## What it does
Looks the write bandwidth up as `below-expectation` does, and holds where that rule is clear: at half of a documented
maximum or more, or above a documented lower quartile, for files with most of the I/O of a job that is much in I/O.

## Why it matters
Not every job that waits for its I/O does it wrongly. Where the rate is what the file system gives for this pattern and
striping, nothing is gained by hints: what is left is to move less, or less often.

## What to do
Write checkpoints less often, only the variables that are needed, in the precision that is needed, or compressed. A
checkpoint an hour apart instead of half an hour takes half the time, and loses half an hour more when a node fails.

## Limits
Never more than info: where another finding holds, that is said first, and another striping may have a higher figure.
Documented figures are of one file system and of its years.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Advice, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import Compare, all_of
from iotriage.rules.core.documented import MEASURED, QUARTILES, TABLES, USUAL, WITHIN_TWO, against_documents, figure_of
from iotriage.rules.core.outputs import output_sentence
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size

FRACTION = Threshold(
    id="as-documented.fraction",
    title="Share of a documented maximum from which a bandwidth is as documented",
    default=0.5,
    unit="share",
    stated_by=WITHIN_TWO,
    slider=linear(0.01),
)
QUARTILE = Threshold(
    id="as-documented.lower-quartile",
    title="Share of the documented lower quartile from which a bandwidth is as documented",
    default=1.0,
    unit="share",
    stated_by=USUAL,
    slider=linear(0.01, 2.0),
)
PART = Threshold(
    id="as-documented.share-of-run",
    title="Share of the run spent in I/O, from which that is worth saying",
    default=0.10,
    unit="share",
    stated_by=ours("significance", "Below a tenth of the run, nobody asks what is left to gain."),
)
MOST = Threshold(
    id="as-documented.share-of-job",
    title="Share of the job's I/O time that the files take",
    default=0.50,
    unit="share",
    stated_by=ours("significance", "The answer is about the job: most of its I/O, half is ours."),
)


def says(context: Context) -> Words:
    rate = formatted(context.number("io.write_bandwidth"), size)
    documented = formatted(context.number("expectation.documented_bandwidth"), size)
    known = rate is not None and documented is not None
    below = (context.number("expectation.fraction") or 1.0) < 1
    figure = figure_of(context.word("expectation.statistic"))
    of_what = f" ({figure})" if below and figure is not None else ""
    return Words(
        f"I/O-bound, and {'about ' if below else ''}as fast as documented for such files: {rate}/s, documented "
        f"{documented}/s{of_what}."
        if known
        else "I/O-bound, and as fast as documented for such files.",
        paragraph(
            sentence("I/O takes {} of the run.", formatted(context.number("job.io_time_fraction"), share)),
            sentence(
                "{} reached {}/s with {}; for this pattern and striping the documents of {} have {}/s.",
                these_files(context),
                rate,
                formatted(context.number("io.writers"), lambda n: plural(n, "rank")),
                context.site.title,
                documented,
            ),
            output_sentence(context.number),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "What is left is to write less: checkpoints further apart, only the variables that are needed, less "
            "precision, or compressed.",
            citation=TABLES[0],
        ),
    )


rule = Rule(
    id="as-documented",
    title="I/O-bound, as fast as documented",
    clear_title="The rate was compared with the documents",
    scope="group",
    severity="info",
    priority=97,
    requires=all_of(
        MEASURED,
        Compare("job.io_time_fraction", ">=", PART.id),
        Compare("group.weight", ">=", MOST.id),
    ),
    condition=against_documents(">=", FRACTION.id, QUARTILE.id),
    thresholds=(FRACTION, QUARTILE, PART, MOST),
    citations=(*TABLES, QUARTILES),
    says=says,
    advise=advise,
    claims=(Claim(("writes", "exchange", "imbalance")),),
)

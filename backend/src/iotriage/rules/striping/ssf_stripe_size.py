"""A large shared file has small stripes on a system where larger ones were measured to be faster.

## What it does
For large shared files on ARCHER and Theta, looks at the stripe size.

## Why it matters
ARCHER's tables show the best rates of shared files at 4 to 8 MiB; Theta's guide asks for 8 to 32 MiB once a file lies
on 48 OSTs, where 8 MiB was best in its example. The collective buffer grows with the stripe, and so does its memory.

## What to do
Set a larger stripe size before the file is made, and measure.

## Limits
Both systems are retired. ARCHER2's guide found little effect of the stripe size, so there the rule does not apply.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, Present
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Advice, Citation, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.core.weight import share_of_job
from iotriage.rules.core.words import output_directory, paragraph, sentence, size, told

STRIPE = Threshold(
    "ssf-stripe-size.stripe-size",
    "Stripe size below which a larger one was faster",
    float(4 * 2**20),
    "B",
    Source(
        "archer-bpg",
        "Single Shared File (SSF), MPI-IO",
        "The tables have better rates with 8 MiB stripes than with 1 MiB; 4 MiB, between them, was tried too.",
    ),
    float(2**16),
    float(2**26),
    "log",
)
SIZE = Threshold(
    "ssf-stripe-size.file-size",
    "File size from which the stripe size matters",
    float(2**30),
    "B",
    Source(PROJECT, "stripe size", "The tables are of files of several GiB."),
    float(2**20),
    float(2**44),
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("ssf-stripe-size")

THETA = Citation("theta-io", "Shared file stripe size vs count")


def says(context: Context) -> Words:
    return Words(
        "A large shared file has smaller stripes than were measured to be best here.",
        paragraph(
            sentence(
                "{} ({}) has stripes of {}.",
                these_files(context),
                told(context.number("file.size"), size),
                told(context.number("file.stripe_size"), size),
            )
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    mib = 8 if context.site.id == "theta" else 4
    text = "Set a larger stripe size before the file is made, and measure; every aggregator needs that much memory."
    return (Advice(text, f"lfs setstripe -S {mib}M {output_directory(context.file)}", "shell", THETA),)


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="ssf-stripe-size",
    title="Small stripes of a large shared file",
    clear_title="The stripe size suits the shared file",
    scope="group",
    severity="low",
    priority=41,
    requires=AllOf(
        (
            IsOneOf("job.site", ("archer", "theta")),
            IsOneOf("io.pattern", ("shared-collective", "shared-independent")),
            Present("file.stripe_size"),
            Compare("file.size", ">=", SIZE.id),
            CARRIES_WEIGHT,
        )
    ),
    condition=Compare("file.stripe_size", "<", STRIPE.id),
    thresholds=(STRIPE, SIZE, WEIGHT),
    citations=(THETA, Citation("archer-bpg", "Single Shared File")),
    says=says,
    advise=advise,
    impact=impact,
)

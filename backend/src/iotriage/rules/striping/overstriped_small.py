"""Small files are striped over several OSTs.

## What it does
Looks at files below 1 GB whose size does not fill one round of their stripes: stripe count times stripe size.

## Why it matters
Each stripe is an object on a server that must be made, found and removed. A small file gains nothing from it: EPCC
measured 2 hours against 6 minutes for reading 36,000 small files with 48 stripes and with one. By that each further
stripe makes opening a file longer by two fifths: so much of the time is taken to be theirs, the rest that of the number
of files.

## What to do
Give the directory of the small files one stripe.

## Limits
One small striped file harms nobody; the files must carry a share of the job's I/O time.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import largest_size_phrase, these_files
from iotriage.rules.advice.striping import stripe_single
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, share_of_job
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import AllOf, Compare, Present
from iotriage.rules.core.saving import one_stripe_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence

STRIPES = Threshold(
    id="overstriped-small.stripes",
    title="Stripes above which a small file has too many",
    default=1.0,
    unit="stripes",
    stated_by=Statement(
        "archer-bpg", "Summary of performance advice", "Small files should not be striped: one stripe."
    ),
    slider=logarithmic(1.0, 64.0),
)
FILLED = Threshold(
    id="overstriped-small.filled",
    title="Size of the file over one round of its stripes",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "archer-bpg",
        "Stripe Count",
        "Many stripes cost a small file more than they bring; that it is small where it leaves OSTs unused is ours.",
    ),
    slider=logarithmic(0.1, 10.0),
)
SIZE = Threshold(
    id="overstriped-small.file-size",
    title="Size up to which a file is small",
    default=float(2**30),
    unit="B",
    stated_by=Statement(
        "nersc-lustre",
        "NERSC File Striping Recommendations",
        "Files below 1 GB, here 1 GiB, are left with one stripe, larger ones get more.",
    ),
    slider=logarithmic(float(2**20), float(2**40)),
)

SMALL_FILES = Citation("epcc-pio", "slide 9")
NOT_STRIPED = Citation("archer-bpg", "Summary of performance advice")


def says(context: Context) -> Words:
    return Words(
        sentence(
            "Small files are striped over {}, more than they fill.",
            formatted(context.number("file.stripe_count"), lambda n: plural(n, "OST")),
        )
        or "Small files are striped over more OSTs than they fill.",
        paragraph(
            sentence(
                "The largest of {} has {} and {}." if (context.files or 1) > 1 else "{} has {} and {}.",
                these_files(context),
                largest_size_phrase(context),
                formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return stripe_single(context, NOT_STRIPED)


rule = Rule(
    id="overstriped-small",
    title="Small files with many stripes",
    clear_title="Small files have few stripes",
    scope="group",
    severity="medium",
    priority=13,
    carries=share_of_job,
    requires=Present("file.stripes_filled"),
    condition=AllOf(
        (
            Compare("file.stripe_count", ">", STRIPES.id),
            Compare("file.stripes_filled", "<", FILLED.id),
            Compare("file.size", "<", SIZE.id),
        ),
    ),
    thresholds=(STRIPES, FILLED, SIZE),
    citations=(SMALL_FILES, NOT_STRIPED, Citation("theta-io", "General striping approaches")),
    says=says,
    advise=advise,
    impact=one_stripe_saving,
    claims=(Claim(("reads", "writes", "metadata"), ShareOf("file.stripes_opening_share")),),
)

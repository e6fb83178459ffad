"""Small files are striped over several OSTs.

## What it does
Looks at files whose size does not fill one round of their stripes: stripe count times stripe size.

## Why it matters
Each stripe is an object on a server that must be made, found and removed. A small file gains nothing from it: EPCC
measured 2 hours against 6 minutes for reading 36,000 small files with many stripes and with one.

## What to do
Give the directory of the small files one stripe.

## Limits
One small striped file harms nobody; the files must carry a share of the job's I/O time.
"""

from __future__ import annotations

from iotriage.rules.calls import these_files
from iotriage.rules.rule import (
    Advice,
    AllOf,
    Citation,
    Compare,
    Context,
    Impact,
    Present,
    Rule,
    Source,
    Threshold,
    Words,
)
from iotriage.rules.striping import stripe_single
from iotriage.rules.weight import share_of_job
from iotriage.rules.wording import counted, paragraph, sentence, size, told

STRIPES = Threshold(
    "overstriped-small.stripes",
    "Stripes above which a small file has too many",
    1.0,
    "stripes",
    Source("archer-bpg", "Lustre basic concepts", "Small files are best on one OST."),
    1.0,
    64.0,
    "log",
)
FILLED = Threshold(
    "overstriped-small.filled",
    "Size of the file over one round of its stripes",
    1.0,
    "1",
    Source("theta-io", "General striping approaches", "A file that does not reach all its stripes leaves OSTs unused."),
    0.1,
    10.0,
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("overstriped-small")

SMALL_FILES = Citation("epcc-pio", "slide 9")


def says(context: Context) -> Words:
    return Words(
        "Small files are striped over more OSTs than they fill.",
        paragraph(
            sentence(
                "{} has {} at most and {}.",
                these_files(context),
                told(context.number("file.size"), size),
                told(context.number("file.stripe_count"), lambda n: counted(n, "stripe")),
            ),
            sentence("There are {}.", told(context.number("file.count"), lambda n: counted(n, "such file"))),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return stripe_single(context, Citation("archer-bpg", "Lustre basic concepts"))


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="overstriped-small",
    title="Small files with many stripes",
    clear_title="Small files have few stripes",
    scope="group",
    severity="low",
    priority=40,
    requires=AllOf((Present("file.stripes_filled"), CARRIES_WEIGHT)),
    condition=AllOf(
        (Compare("file.stripe_count", ">", STRIPES.id), Compare("file.stripes_filled", "<", FILLED.id)),
    ),
    thresholds=(STRIPES, FILLED, WEIGHT),
    citations=(SMALL_FILES, Citation("archer-bpg", "Lustre basic concepts")),
    says=says,
    advise=advise,
    impact=impact,
)

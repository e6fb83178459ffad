"""Large contiguous collective writes might do as well without collective buffering: worth an experiment.

## What it does
Looks, on Theta only, at files written with collective calls whose transfers are larger than a stripe, whole stripes,
and in one piece (no file view), while collective buffering is at work.

## Why it matters
Collective buffering pays for small and scattered pieces. IOR on 256 nodes of Theta with stripes of 1 MiB wrote faster
with collective calls for transfers of 100 KB only, and slower for 8 MB, more than a stripe: the data crosses the
network twice to be put into an order that it already had.

## What to do
An experiment, not a setting to keep: run once with `romio_cb_write=disable`, once without, several times each, and
compare the best.

## Limits
Never more than info. The document says that caches of the clients are in its figures, and that smaller stripes suffer
more than larger ones. It holds for Theta, which is retired; elsewhere nobody measured it. Where calls are independent,
`independent-shared` speaks, and this rule does not.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import hints, these_files
from iotriage.rules.collective.shared_files import moving_ranks_threshold
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import chosen_size, formatted, number, paragraph, sentence

TRANSFER = Threshold(
    id="collective-on-large-contiguous.write-over-stripe",
    title="Typical MPI-IO write over the stripe size",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "theta-io",
        "IOR MPI-IO Collective vs Independent 1 MB Stripe Size",
        "Collective writes were slower for transfers above the stripe size, 8 MB against 1 MB.",
    ),
    slider=logarithmic(0.5, 64.0),
)
BEYOND = Threshold(
    id="collective-on-large-contiguous.beyond-whole-stripes",
    title="Bytes of the most common access beyond whole stripes",
    default=0.0,
    unit="B",
    stated_by=Statement(
        "theta-io", "File storage approaches", "Stripe-aligned data may be faster with independent writes."
    ),
    slider=linear(0.0, float(2**20)),
)
VIEWS = Threshold(
    id="collective-on-large-contiguous.views",
    title="File views set",
    default=0.0,
    unit="calls",
    stated_by=ours("contiguous transfers", "Without a file view a transfer is one piece of the file."),
    slider=linear(0.0, 1e6),
)
SHARE = moving_ranks_threshold("collective-on-large-contiguous", ", below which collective buffering is at work")

COMPARED = Citation("theta-io", "IOR MPI-IO Collective vs Independent 1 MB Stripe Size")


def says(context: Context) -> Words:
    return Words(
        "Large contiguous writes go through collective buffering, which they may not need.",
        paragraph(
            sentence(
                "On {}, an MPI-IO write is {} times the stripe size of {}, in whole stripes and without a file view.",
                these_files(context),
                formatted(context.number("mpiio.write_over_stripe"), number),
                formatted(context.number("file.stripe_size"), chosen_size),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    text = "Try it once without collective buffering, several runs each way, and keep what is faster."
    return hints(context, text, COMPARED, ("romio_cb_write", "disable"))


rule = Rule(
    id="collective-on-large-contiguous",
    title="Collective buffering of large contiguous writes",
    clear_title="Collective buffering suits these writes",
    scope="group",
    severity="info",
    priority=93,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("job.site", ("theta",)),
        IsOneOf("io.pattern", ("shared-collective",)),
        when_present("mpiio.write_over_stripe"),
    ),
    condition=all_of(
        Compare("mpiio.write_over_stripe", ">", TRANSFER.id),
        Compare("mpiio.beyond_whole_stripes", "<=", BEYOND.id),
        Compare("mpiio.views", "<=", VIEWS.id),
        Compare("mpiio.effective_share", "<", SHARE.id),
    ),
    thresholds=(TRANSFER, BEYOND, VIEWS, SHARE),
    citations=(COMPARED, Citation("theta-io", "File storage approaches")),
    says=says,
    advise=advise,
)

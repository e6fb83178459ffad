"""What reaches the file system is smaller than a stripe.

## What it does
Reads from `MPICH_MPIIO_STATS` how many system writes were exactly one stripe, and the average system write. It holds
when few were **and** the average lies below the stripe size; multiples of a stripe are as good as one.

## Why it matters
A request works best when it is the stripe size or a multiple of it: one OST, one lock, one large transfer. Smaller
writes mean more requests for the same bytes and two clients on one stripe.

## What to do
Aggregate more data in each collective call, begin datasets on stripe boundaries, and do not choose stripes larger than
what a call brings.

## Limits
Files that fill no more than a few stripes are left out, however many they are: nobody can write whole stripes of them.
Needs a version of the library that prints `stripe sized writes`. The stripe size it prints for files that are not on
Lustre is not a stripe.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import align_to_stripes, hints, these_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import Claim, SecondsOf
from iotriage.rules.core.condition import Compare, all_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import chosen_size, formatted, number, paragraph, sentence, share, size
from iotriage.rules.evidence.measured_again import power_of_two

FRACTION = Threshold(
    id="system-writes-not-stripe-sized.fraction",
    title="System writes of exactly one stripe",
    default=0.50,
    unit="share",
    stated_by=ours("stripe-sized writes", "In the Theta example all are; half is ours."),
)
RATIO = Threshold(
    id="system-writes-not-stripe-sized.ratio",
    title="Average system write over the stripe size",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "Match the transfer size to the stripe size or multiples of it.",
    ),
    slider=logarithmic(0.01, 4.0),
)
COUNT = Threshold(
    id="system-writes-not-stripe-sized.count",
    title="System writes from which their size matters",
    default=100.0,
    unit="calls",
    stated_by=ours("stripe-sized writes", "A hundred writes take no time that matters."),
    slider=logarithmic(1.0, 1e6),
)
STRIPES = Threshold(
    id="system-writes-not-stripe-sized.stripes",
    title="Stripes that the bytes of one file would fill, from which whole stripes can be written",
    default=8.0,
    unit="stripes",
    stated_by=ours("stripe-sized writes", "A file of a few stripes is a header and a tail."),
    slider=logarithmic(1.0, 1e6),
)

SAMPLE = Citation("theta-io", "MPICH_MPIIO_STATS=1 Sample Output for IOR")


def says(context: Context) -> Words:
    return Words(
        "The library writes pieces smaller than a stripe.",
        paragraph(
            sentence(
                "{} system writes on {}, {} of them of exactly one stripe.",
                formatted(context.number("mpiio.system_writes"), number),
                these_files(context),
                formatted(context.number("mpiio.stripe_sized_write_fraction"), share),
            ),
            sentence("They write {} on average.", formatted(context.number("mpiio.system_write_average"), size)),
            sentence("A stripe is {}.", formatted(context.number("file.stripe_size"), chosen_size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    text = "Bring at least one stripe for each aggregator in a call, and begin every"
    aligned = align_to_stripes(context, text, context.file, Citation("archer-bpg", "Lustre basic concepts"))
    wanted = _stripe_of_a_write(context)
    if (context.number("file.stripe_size") or 0.0) <= wanted:
        return (aligned,)
    smaller = hints(
        context,
        "Choose a smaller stripe size when the file is made.",
        Citation("theta-io", "Striping implementation notes"),
        ("striping_unit", str(wanted)),
    )
    return (aligned, *smaller)


def _stripe_of_a_write(context: Context) -> int:
    """The largest usual stripe that an average system write fills."""
    return max(SMALLEST_STRIPE, power_of_two(context.number("mpiio.system_write_average") or 0.0))


SMALLEST_STRIPE = 2**20
"""Bytes: the usual default. Smaller stripes only make more requests."""


rule = Rule(
    id="system-writes-not-stripe-sized",
    title="System writes smaller than a stripe",
    clear_title="The system writes are whole stripes",
    scope="group",
    severity="medium",
    priority=71,
    carries=share_of_job,
    requires=all_of(
        when_present("mpiio.stripe_sized_write_fraction"),
        when_present("mpiio.system_writes", Compare("mpiio.system_writes", ">=", COUNT.id)),
        when_present("mpiio.stripes_written", Compare("mpiio.stripes_written", ">=", STRIPES.id)),
    ),
    condition=all_of(
        Compare("mpiio.stripe_sized_write_fraction", "<", FRACTION.id),
        Compare("mpiio.system_write_stripe_ratio", "<", RATIO.id),
    ),
    thresholds=(FRACTION, RATIO, COUNT, STRIPES),
    citations=(SAMPLE, Citation("archer-bpg", "Lustre basic concepts")),
    says=says,
    advise=advise,
    explains=(
        "below-expectation",
        "misaligned-io",
    ),
    claims=(Claim(("writes",)), Claim(("exchange",), SecondsOf("timers.file_write_time"))),
)

"""A large shared file has small stripes: below those that were measured to be faster, or below 1 MiB.

## What it does
Looks at the stripe size of large shared files: on ARCHER and Theta for less than was best there, elsewhere for less
than 1 MiB where the file is on two OSTs or more.

## Why it matters
HPE's manual has stripes below 1 MiB avoided, even for smaller writes: a large write is cut into many pieces, on all
OSTs of the file at once. In ARCHER's tables 8 MiB stripes are faster than 1 MiB at every process count; Theta's guide
asks for 8 to 32 MiB once a file lies on 48 OSTs, where 8 MiB was best in its example. The collective buffer grows with
the stripe, and so does its memory.

## What to do
Set a larger stripe size before the file is made, and measure.

## Limits
Both systems are retired. ARCHER2's guide found little effect of larger stripes than 1 MiB, so they are not advised
there. How much time small stripes take no document says: with other causes of the same seconds, those come first, and
no saving is stated.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import largest_file_phrase, largest_size_phrase
from iotriage.rules.advice.striping import Stripes, lengthen_stripes, were_there
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import STORAGE, STORAGE_OF_FEW, Claim
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import chosen_size, formatted, paragraph, sentence

STRIPE = Threshold(
    id="ssf-stripe-size.stripe-size",
    title="Stripe size below which a larger one was faster",
    default=float(8 * 2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg",
        "Single Shared File (SSF), MPI-IO",
        "The tables have 1 and 8 MiB stripes, and better rates with 8 MiB at every process count.",
    ),
    slider=logarithmic(float(2**16), float(2**26)),
)
SMALLEST = Threshold(
    id="ssf-stripe-size.smallest",
    title="Stripe size below which bandwidth is lost on any system",
    default=float(2**20),
    unit="B",
    stated_by=Statement(
        "hpe-lustre", "What Cray recommends", "Less than 1 MB can cost bandwidth, and is avoided for small writes too."
    ),
    slider=logarithmic(float(2**16), float(2**26)),
)
STRIPES = Threshold(
    id="ssf-stripe-size.stripes",
    title="OSTs of the file from which small stripes cut up what is written",
    default=2.0,
    unit="stripes",
    stated_by=ours("stripe size", "On one OST a file is in one piece, however long its stripes are."),
    slider=linear(1.0, 48.0),
)
SIZE = Threshold(
    id="ssf-stripe-size.file-size",
    title="File size from which the stripe size matters",
    default=float(2**30),
    unit="B",
    stated_by=ours("stripe size", "The tables are of files of several GiB."),
    slider=logarithmic(float(2**20), float(2**44)),
)

THETA = Citation("theta-io", "Shared File Stripe Size vs Count Affect on Performance")
HPE = Citation("hpe-lustre", "What Cray recommends")

_MEASURED = IsOneOf("job.site", ("archer", "theta"))
_SIZE = "file.stripe_size"
_CUT = AnyOf(
    tuple(
        when_present(metric, IsOneOf(metric, ("yes",)), Compare(_SIZE, "<", SMALLEST.id))
        for metric in ("mpiio.writes_cut_by_stripes", "mpiio.reads_cut_by_stripes")
    )
)


def says(context: Context) -> Words:
    than = "the size measured to be best here" if context.holds(_MEASURED) else "any that is advised"
    return Words(
        sentence(
            f"A large shared file has stripes of {{}}, smaller than {than}.",
            formatted(context.number(_SIZE), chosen_size),
        )
        or "A large shared file has small stripes.",
        paragraph(
            sentence(
                "{} ({}) has stripes of {}.",
                largest_file_phrase(context),
                largest_size_phrase(context),
                formatted(context.number(_SIZE), chosen_size),
            ),
            "The ranks that move the data for all move each stripe with a call of its own."
            if context.holds(_CUT)
            else None,
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    measured = context.holds(_MEASURED)
    wanted = Stripes(size_bytes=(8 if measured else 1) * 2**20)
    # Who calls the storage without collective buffering holds no stripe in memory.
    collective = context.word("io.pattern") == "shared-collective"
    memory = "; every aggregator needs that much memory" if collective else ""
    when = "" if were_there(context) else " before the file is made"
    text = f"Set a larger stripe size{when}, and measure{memory}."
    return (lengthen_stripes(context, wanted, text, THETA if measured else HPE),)


rule = Rule(
    id="ssf-stripe-size",
    title="Small stripes of a large shared file",
    clear_title="The stripe size suits the shared file",
    scope="group",
    severity="medium",
    priority=41,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-collective", "shared-independent")),
            Present(_SIZE),
            Compare("file.size", ">=", SIZE.id),
        )
    ),
    condition=AnyOf(
        (
            AllOf(
                (
                    Compare(_SIZE, "<", SMALLEST.id),
                    Compare("file.stripe_count", ">=", STRIPES.id),
                )
            ),
            AllOf((_MEASURED, Compare(_SIZE, "<", STRIPE.id))),
        )
    ),
    thresholds=(STRIPE, SMALLEST, STRIPES, SIZE),
    citations=(HPE, THETA, Citation("archer-bpg", "Single Shared File (SSF)")),
    says=says,
    advise=advise,
    claims=(
        Claim(STORAGE),
        *STORAGE_OF_FEW,
        # What a few ranks move for all, the others wait for in MPI-IO.
        Claim(("exchange",), when=_CUT),
    ),
)

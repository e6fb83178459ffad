"""The system writes of collective output leave gaps in the file.

## What it does
Compares the number of write gaps that `MPICH_MPIIO_STATS` counts, places where a system write does not begin where the
last one ended, with the number of system writes.

## Why it matters
A gap means another request, and where the hole lies within a stripe, a partly written stripe: the file system cannot
take the data as one contiguous stream. It is also what makes read-modify-write necessary.

## What to do
Lay the data out without holes: write a contiguous part of the file in each collective call, fill what is left empty
once, and put small headers and attributes together.

## Limits
Only `MPICH_MPIIO_STATS` counts gaps. No document says how many are too many. Gaps between whole stripes cost nothing,
and are left out; so is what lies on no stripes. Gaps between datasets that are written at
different times are harmless, and few.
"""

from __future__ import annotations

from iotriage.rules.access.system_writes_not_stripe_sized import RATIO as STRIPE_SIZED
from iotriage.rules.advice.calls import library_of, these_files
from iotriage.rules.advice.snippets import NO_HOLES
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.advice import in_program
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import Compare, all_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, share, size

FRACTION = Threshold(
    id="write-gaps.fraction",
    title="Write gaps over system writes",
    default=0.10,
    unit="share",
    stated_by=ours("write gaps", "The Theta example has none; a tenth of the writes is ours."),
    slider=logarithmic(0.001, 1.0),
)
RATIO = Threshold(
    id="write-gaps.ratio",
    title="Average system write over the stripe size, below which gaps matter",
    default=1.0,
    unit="ratio",
    stated_by=STRIPE_SIZED.stated_by,
    slider=logarithmic(0.01, 4.0),
)

SAMPLE = Citation("theta-io", "MPICH_MPIIO_STATS=1 Sample Output for IOR")


def says(context: Context) -> Words:
    return Words(
        "The output is written with gaps, not as one contiguous file.",
        paragraph(
            sentence(
                "{} on {}, {} of {}.",
                formatted(context.number("mpiio.write_gap_count"), lambda n: plural(n, "gap")),
                these_files(context),
                formatted(context.number("mpiio.write_gap_fraction"), share),
                formatted(context.number("mpiio.system_writes"), lambda n: f"{number(n)} system writes"),
            ),
            sentence("A gap is {} on average.", formatted(context.number("mpiio.write_gap_average"), size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    source = Citation("theta-io", "Cray MPI-IO Collectives")
    text = (
        "Write without holes: contiguous layout, and the collective call covers everything between its first and last "
        "byte."
    )
    if library_of(context) in ("HDF5", "netCDF-4"):
        return (
            advice(
                f"{text} Let HDF5 allocate early and not fill what will be written anyway.", NO_HOLES, citation=source
            ),
        )
    return (in_program(text, source),)


rule = Rule(
    id="write-gaps",
    title="Gaps between the system writes",
    clear_title="The system writes follow one another",
    scope="group",
    severity="low",
    priority=60,
    carries=share_of_job,
    requires=when_present("mpiio.write_gap_fraction"),
    condition=all_of(
        Compare("mpiio.write_gap_fraction", ">=", FRACTION.id),
        Compare("mpiio.system_write_stripe_ratio", "<", RATIO.id),
    ),
    thresholds=(FRACTION, RATIO),
    citations=(SAMPLE, Citation("archer-bpg", "Lustre basic concepts")),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(Claim(("writes",), ShareOf("mpiio.write_gap_fraction")),),
)

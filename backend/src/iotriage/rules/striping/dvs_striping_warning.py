"""The data servers did not give the stripe width that was asked for.

## What it does
Counts the lines `DVS stripe width of N was requested but DVS set it to M`.

## Why it matters
Where compute nodes reach the file system through DVS servers, a file is spread over fewer servers than it was meant to
be. The warning is printed by every rank for every file, which by itself can fill a log.

## What to do
Ask for one server a file, which also silences the warning, and compare the run times.

## Limits
That the smaller width costs time in this run is not shown by the warning.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Export
from iotriage.rules.core.condition import Compare, Present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence

WARNINGS = Threshold(
    id="dvs-striping-warning.count",
    title="Warnings from which it is a finding",
    default=1.0,
    unit="calls",
    stated_by=ours("DVS stripe width", "The library prints it where it could not do what was asked."),
    slider=logarithmic(1.0, 10_000.0),
)

DVS = Citation("intro-mpi", "MPICH_MPIIO_DVS_MAXNODES")


def says(context: Context) -> Words:
    count = formatted(context.number("warnings.dvs_stripe"), lambda n: plural(n, "time"))
    return Words(
        "The DVS servers gave fewer stripes than were asked for.",
        paragraph(sentence("The library warned of it {}.", count)),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    text = "Ask for one DVS server a file; E3SM's developers report that the warning goes away with it."
    return (advice(text, Export("MPICH_MPIIO_DVS_MAXNODES", "1"), citation=DVS),)


rule = Rule(
    id="dvs-striping-warning",
    title="DVS stripe width cut down",
    clear_title="No warning about the DVS stripe width",
    scope="job",
    severity="info",
    priority=80,
    requires=Present("warnings.dvs_stripe"),
    condition=Compare("warnings.dvs_stripe", ">=", WARNINGS.id),
    thresholds=(WARNINGS,),
    citations=(DVS,),
    says=says,
    advise=advise,
    weighed=False,
)

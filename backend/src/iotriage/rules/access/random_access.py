"""Accesses jump back and forth in the file.

## What it does
Counts the accesses that begin before the end of the rank's last one, where the program calls POSIX itself. It holds
when they are more than a fifth and many, and the accesses are small.

## Why it matters
Reading ahead brings what nobody asks for, and writing behind finds nothing to put together: every access makes its own
trip to the disks. Only large requests, of a stripe or more, bear it.

## What to do
Sort the offsets before reading. Read whole blocks and pick from them in memory. Lay the file out in the order in which
it is read, or copy it to storage of the node first.

## Limits
Darshan calls an access sequential when it goes forward, however far: of accesses at random places about half count.
The first access after an open is not held against the program, or ten thousand files that are read once would seem
random. Below MPI-IO the order is the library's and is not judged. Small accesses on the same files are put under this
finding: in order they would be read ahead, and their size would cost little.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.snippets import BLOCKS_IN_ORDER
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf
from iotriage.rules.core.rule import Advice, Citation, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.core.weight import share_of_job
from iotriage.rules.core.words import number, paragraph, sentence, share, size, told

FRACTION = Threshold(
    "random-access.fraction",
    "Share of the accesses that go back in the file",
    0.20,
    "share",
    Source("drishti", "random_operations", "More than a fifth neither sequential nor consecutive."),
    0.0,
    1.0,
)
COUNT = Threshold(
    "random-access.count",
    "Accesses that go back in the file, all ranks",
    1000.0,
    "calls",
    Source("drishti", "random_operations_absolute", "More than 1,000 of them."),
    1.0,
    1e9,
    "log",
)
SIZE = Threshold(
    "random-access.size",
    "Average access below which the order matters",
    float(2**20),
    "B",
    Source(
        "archer-bpg",
        "Lustre basic concepts",
        "Transfers are best of the stripe size, 1 MiB by default, or a multiple of it.",
    ),
    512.0,
    float(2**26),
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("random-access")

CONCEPTS = Citation("archer-bpg", "Lustre basic concepts")


def says(context: Context) -> Words:
    return Words(
        "Small accesses jump back and forth in the file.",
        paragraph(
            sentence(
                "{} of the accesses on {} go back in the file ({} of them).",
                told(context.number("posix.random_fraction"), share),
                these_files(context),
                told(context.number("posix.random_accesses"), number),
            ),
            sentence("An access is {} on average.", told(context.number("posix.average_size"), size)),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        Advice(
            "Sort the accesses by offset, and read a block of 1 MiB or more to pick from in memory.",
            BLOCKS_IN_ORDER.c,
            "code",
            CONCEPTS,
            BLOCKS_IN_ORDER.fortran,
        ),
        Advice(
            "Or lay the file out in the order in which it is read, or copy it to storage of the node first.",
            source=CONCEPTS,
        ),
    )


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="random-access",
    title="Small accesses in random order",
    clear_title="Accesses go forward in the files",
    scope="group",
    severity="medium",
    priority=66,
    requires=AllOf((IsOneOf("io.layer", ("POSIX",)), CARRIES_WEIGHT)),
    condition=AllOf(
        (
            Compare("posix.random_fraction", ">", FRACTION.id),
            Compare("posix.random_accesses", ">", COUNT.id),
            Compare("posix.average_size", "<", SIZE.id),
        )
    ),
    thresholds=(FRACTION, COUNT, SIZE, WEIGHT),
    citations=(CONCEPTS, Citation("drishti", "random_operations, random_operations_absolute")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
    ),
)

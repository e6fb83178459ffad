"""Every process writes a file of its own, and each file is spread over several OSTs.

## What it does
Looks at files written by one process each. It holds when they have more than one stripe and the processes are as many
as the OSTs of the file system, or more; of files below a GiB, which take longer to open than to move, when the files
are as many.

## Why it matters
With a file per process the files themselves spread over the OSTs; striping each of them brings nothing, and makes every
open and close touch several servers. ARCHER's guide warns that many stripes times many files can make jobs fail and
disturb others. One user's 36,000 small files took 2 hours to read with 48 stripes and 6 minutes with one: of the time
of opening, so much is taken to be the stripes', and the rest that of the number of files.

## What to do
Give the directory a stripe count of 1 before the files are made.

## Limits
Needs the stripe count from Darshan's LUSTRE module. In a progressive layout small files stay in its first component:
files that end before the widest one begins are not judged. Large files of fewer processes than OSTs may well be
striped, however many they write one after the other: those of I/O servers are, or of one writer a node.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.striping import stripe_single, were_there
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import STORAGE, STORAGE_OF_FEW, Claim, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.saving import one_stripe_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence

STRIPES = Threshold(
    id="fpp-striped.stripes",
    title="Stripes of a file that one process writes",
    default=1.0,
    unit="stripes",
    stated_by=Statement(
        "archer-bpg",
        "FPP Note",
        "A stripe count of 1 is strongly recommended with a file per process.",
    ),
    slider=logarithmic(1.0, 64.0),
)
FILES = Threshold(
    id="fpp-striped.files",
    title="Files from which striping each of them costs",
    default=16.0,
    unit="files",
    stated_by=ours("file per process", "The documents speak of large numbers of files; a node's worth is ours."),
    slider=logarithmic(2.0, 1e6),
)

PER_OST = Threshold(
    id="fpp-striped.per-ost",
    title="Files in use at once, or smaller ones, for each OST, from which one stripe each uses all OSTs",
    default=1.0,
    unit="ratio",
    stated_by=ours("file per process", "Fewer files than OSTs leave some idle unless they are striped."),
    slider=logarithmic(0.1, 1000.0),
)
MANY = Threshold(
    id="fpp-striped.many",
    title="Such files that are more than the OSTs of any file system, where their number is not known",
    default=512.0,
    unit="files",
    stated_by=ours("file per process", "The largest Lustre systems that we know of have some 500 OSTs."),
    slider=logarithmic(16.0, 1e6),
)

LARGE = Threshold(
    id="fpp-striped.large",
    title="Size of a file from which one rank writes it faster to several OSTs",
    default=float(2**30),
    unit="B",
    stated_by=ours("file per process", "Two seconds at an OST's rate: opening it on several OSTs takes far less."),
    slider=logarithmic(float(2**20), float(2**44)),
)

NOTE = Citation("archer-bpg", "FPP Note")


def says(context: Context) -> Words:
    each = f"Each process {'reads' if were_there(context) else 'writes'} its own file, and every file is spread over"
    return Words(
        sentence(
            f"{each} {{}}.",
            formatted(context.number("file.stripe_count"), lambda n: plural(n, "OST")),
        )
        or f"{each} several OSTs.",
        paragraph(
            sentence(
                "{}: {} each.",
                these_files(context),
                formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
            ),
            sentence(
                "That makes {} objects on the OSTs where one a file would do.",
                formatted(_objects(context), number),
            ),
        ),
    )


def _objects(context: Context) -> float | None:
    files, stripes = context.number("file.count"), context.number("file.stripe_count")
    return None if files is None or stripes is None else files * stripes


def advise(context: Context) -> tuple[Advice, ...]:
    return stripe_single(context, NOTE)


MORE_THAN_OSTS = any_of(Compare("file.per_ost", ">=", PER_OST.id), Compare("file.count", ">=", MANY.id))

rule = Rule(
    id="fpp-striped",
    title="Striped files, one per process",
    clear_title="Files of single processes are not striped",
    scope="group",
    severity="medium",
    priority=12,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("io.pattern", ("file-per-process",)),
        when_present("file.stripe_count"),
        Compare("file.count", ">=", FILES.id),
    ),
    condition=all_of(
        Compare("file.stripe_count", ">", STRIPES.id),
        any_of(
            Compare("file.own_per_ost", ">=", PER_OST.id),
            Compare("file.own_at_once", ">=", MANY.id),
            all_of(Compare("file.size", "<", LARGE.id), MORE_THAN_OSTS),
        ),
    ),
    thresholds=(STRIPES, FILES, PER_OST, MANY, LARGE),
    citations=(
        NOTE,
        Citation("archer-bpg", "File Per Process (FPP)"),
        Citation("archer2-io", "File-Per-Process (FPP)"),
        Citation("theta-io", "General striping approaches"),
        Citation("epcc-pio", "slides 9–10"),
    ),
    says=says,
    advise=advise,
    impact=one_stripe_saving,
    explains=("overstriped-small",),
    claims=(
        Claim(("metadata",), ShareOf("file.stripes_opening_share")),
        Claim(STORAGE),
        Claim(("streams",), when=IsOneOf("io.layer", ("STDIO",))),
        *STORAGE_OF_FEW,
    ),
)

"""One directory holds more files than it should.

## What it does
Counts the files of the job by directory. It holds where the fullest has ten thousand or more.

## Why it matters
A directory lies on one metadata server, and each create, open and delete in it takes the directory's lock. TACC: a few
hundred files in a directory are fine, tens of thousands are too many. LSU: keep it below 1,000, and never above
10,000. Listing such a directory asks for every file.

## What to do
Spread the files over subdirectories, one for each hundred ranks or each step; better, write fewer files.

## Limits
Only files that the job used are counted: there may be more. File systems that spread large directories over servers,
as GPFS does, bear more. Where opening and closing takes much of the time, `metadata-bound` says so and explains this
one; so does `fpp-many-files`, whose cure makes the directory smaller too.
"""

from __future__ import annotations

from iotriage.rules.advice.open_files import who_opens_files
from iotriage.rules.advice.small_files import make_fewer_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice
from iotriage.rules.core.action import EditCode
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import Compare, Present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, sentence

FILES = Threshold(
    id="too-many-files-per-directory.files",
    title="Files in one directory",
    default=10000.0,
    unit="files",
    stated_by=Statement(
        "lsu-hpc",
        "1. Storage Systems",
        "Never more than 10,000 files in one directory; TACC says that tens of thousands are too many.",
    ),
    slider=logarithmic(100.0, 1e7),
)

TACC = Citation("tacc-conduct", "More File System Tips")

IN_PARTS = EditCode(
    'snprintf(name, sizeof name, "part%04d/state.%06d", rank / 100, rank);   /* rank 0 makes the directories first */',
    'write(name, \'("part", i4.4, "/state.", i6.6)\') rank / 100, rank          ! rank 0 makes the directories first',
)


def says(context: Context) -> Words:
    directory = context.word("file.fullest_directory")
    there = context.mount is None or directory is None or f"{directory}/".startswith(f"{context.mount.rstrip('/')}/")
    server = who_opens_files(context.file_system if there else "unknown", "a metadata server")
    return Words(
        sentence(
            f"One directory holds {{}} files, more than {server} handles well.",
            formatted(context.number("file.per_directory"), number),
        )
        or f"One directory holds more files than {server} handles well.",
        paragraph(
            sentence(
                "The job used {} in {}.",
                formatted(context.number("file.per_directory"), lambda n: plural(n, "file")),
                None if directory is None else printable(directory),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    spread = advice(
        "Spread the files over subdirectories, a hundred or so in each; fewer files are better.",
        IN_PARTS,
        citation=TACC,
    )
    return make_fewer_files(context, spread)


rule = Rule(
    id="too-many-files-per-directory",
    title="Too many files in one directory",
    clear_title="No directory is too full",
    scope="job",
    severity="low",
    priority=48,
    requires=Present("file.per_directory"),
    condition=Compare("file.per_directory", ">=", FILES.id),
    thresholds=(FILES,),
    citations=(TACC, Citation("lsu-hpc", "1. Storage Systems")),
    says=says,
    advise=advise,
    claims=(Claim(("metadata",)),),
)

"""tar moves the data in blocks of a few kilobytes.

## What it does
Holds when the program is tar and its reads or writes are small on average, on a file that is larger than one good
block.

## Why it matters
tar reads and writes archives in blocks of 10 KiB unless it is told otherwise, a hundredth of a stripe. ARCHER2's guide
asks for blocks of 1 MiB: it is faster, and disturbs other users of the file system less.

## What to do
`tar -b 2048`: 2048 blocks of 512 bytes are 1 MiB.

## Limits
Darshan sees programs without MPI only where it was told to. The small files of an archive are written in one access
each, which no block size changes: files below 1 MiB are not judged. Small accesses of tar are put under this finding,
since there is no buffer of its own to change.
"""

from __future__ import annotations

from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, given
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Advice, Citation, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.core.weight import share_of_job
from iotriage.rules.core.words import paragraph, sentence, size, told

AVERAGE = Threshold(
    "tar-block-size.average-size",
    "Average access below which tar's blocks are small",
    float(2**18),
    "B",
    Source(PROJECT, "tar", "Between tar's own 10 KiB and the 1 MiB of ARCHER2's guide; the last block may be short."),
    512.0,
    float(2**20),
    "log",
)
FILE = Threshold(
    "tar-block-size.file-size",
    "File from which the size of the blocks matters",
    float(2**20),
    "B",
    Source("archer2-io", "Tips", "Blocks of 1 MiB: a smaller file is one block."),
    512.0,
    float(2**40),
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("tar-block-size")

TIPS = Citation("archer2-io", "Tips")


def says(context: Context) -> Words:
    return Words(
        "tar moves the data in small blocks.",
        paragraph(
            *(
                sentence(
                    f"A {direction} is {{}} on average.",
                    told(context.number(f"posix.average_{direction}_size"), size),
                )
                for direction in ("write", "read")
            ),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        Advice(
            "Give tar blocks of 1 MiB, both when it packs (c) and when it unpacks (x).",
            "tar -b 2048 -x -f archive.tar",
            "shell",
            TIPS,
        ),
    )


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="tar-block-size",
    title="tar in small blocks",
    clear_title="tar moves the data in large blocks",
    scope="group",
    severity="medium",
    priority=22,
    requires=AllOf(
        (
            IsOneOf("job.program", ("tar", "gtar")),
            given("file.size", Compare("file.size", ">=", FILE.id)),
            CARRIES_WEIGHT,
        )
    ),
    condition=AnyOf(
        tuple(
            given(f"posix.average_{direction}_size", Compare(f"posix.average_{direction}_size", "<", AVERAGE.id))
            for direction in ("write", "read")
        )
    ),
    thresholds=(AVERAGE, FILE, WEIGHT),
    citations=(TIPS,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("small-io",),
)

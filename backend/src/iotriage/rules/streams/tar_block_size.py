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

import re

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.system_programs import TO_PACK
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.action import RunCommand
from iotriage.rules.core.claim import STORAGE, Claim
from iotriage.rules.core.condition import AnyOf, Compare, IsOneOf, Present, all_of, any_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, sentence, size

AVERAGE = Threshold(
    id="tar-block-size.average-size",
    title="Average access below which tar's blocks are small",
    default=average_of(2**18),
    unit="B",
    stated_by=ours("tar", f"256 KiB: between tar's own 10 KiB and the 1 MiB of ARCHER2's guide. {OF_AN_AVERAGE}"),
    slider=logarithmic(512.0, float(2**20)),
)
FILE = Threshold(
    id="tar-block-size.file-size",
    title="File from which the size of the blocks matters",
    default=float(2**20),
    unit="B",
    stated_by=Statement("archer2-io", "Tips and advice for I/O", "Blocks of 1 MiB: a smaller file is one block."),
    slider=logarithmic(512.0, float(2**40)),
)

TIPS = Citation("archer2-io", "Tips and advice for I/O")


def says(context: Context) -> Words:
    return Words(
        "tar moves the data in small blocks.",
        paragraph(
            *(
                sentence(
                    f"A {direction} is {{}} on average.",
                    formatted(context.number(f"posix.average_{direction}_size"), size),
                )
                for direction in ("write", "read")
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    line = ("-c", "-f", "archive.tar", TO_PACK) if _packs(context) else ("-x", "-f", "archive.tar")
    return (
        advice(
            "Give tar blocks of 1 MiB, both when it packs (c) and when it unpacks (x).",
            RunCommand(("tar", "-b", "2048", *line)),
            citation=TIPS,
        ),
    )


def _packs(context: Context) -> bool:
    """Of the files that the finding is about: it reads what is no archive of tar, or writes one. Where no name tells,
    it writes one file."""
    archive = _ARCHIVE.search(context.file or "") is not None
    if (context.number("io.bytes_read") or 0.0) >= (context.number("io.bytes_written") or 0.0):
        return not archive
    return archive or (context.word("file.archive") is None and (context.files or 1) == 1)


_ARCHIVE = re.compile(r"\.(tar(\.\w+)?|tgz|tbz2?|txz)$", re.IGNORECASE)


rule = Rule(
    id="tar-block-size",
    title="tar in small blocks",
    clear_title="tar moves the data in large blocks",
    scope="group",
    severity="medium",
    priority=22,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("job.program", ("tar", "gtar")),
        when_present("file.size", Compare("file.size", ">=", FILE.id)),
        any_of(Present("posix.average_write_size"), Present("posix.average_read_size")),
    ),
    condition=AnyOf(
        tuple(
            when_present(f"posix.average_{direction}_size", Compare(f"posix.average_{direction}_size", "<", AVERAGE.id))
            for direction in ("write", "read")
        )
    ),
    thresholds=(AVERAGE, FILE),
    citations=(TIPS,),
    says=says,
    advise=advise,
    explains=("small-io",),
    claims=(Claim(STORAGE),),
)

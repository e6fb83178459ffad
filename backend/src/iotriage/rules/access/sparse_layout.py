"""Small pieces are written far apart, with holes between them that nothing fills.

## What it does
Compares the span of a file, from its beginning to the last byte written, with the bytes that were written. It holds
when the span is many times as long and the pieces are small and do not follow one another. Files that the run read
before it wrote them were there before, and are left out.

## Why it matters
A file system works in blocks and stripes. A piece of a few hundred bytes on a block of its own costs a whole block: a
lock, a request, and on the way back a read. Gathering cannot help, since there is nothing between the pieces to send in
one transfer: collective buffering then writes piece by piece, or reads the holes and writes them again. No stripe count
and no number of aggregators changes that.

## What to do
Compare the size of the file with the blocks that it takes: if it takes far fewer, it has holes. Then choose a layout
without holes: each rank's bytes behind those of the rank before it, the fields of one record together, padding left
out. In HDF5, chunks of the size that is written; in PnetCDF and netCDF, no dimension that stays empty.

## Limits
Darshan keeps the last byte and the number of bytes, not which bytes. A run that changes a little here and there in a
large file that was there before looks the same: the finding names both, and the command tells them apart. Pieces that
were written twice make the span look shorter. That eight times is too much is ours.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.stores import store_of, store_settings
from iotriage.rules.advice.tools import is_a_tool
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.action import EditCode, FillIn, Named, RunCommand
from iotriage.rules.core.claim import SHARED_FILE, Claim
from iotriage.rules.core.condition import ON_STORAGE, Compare, IsOneOf, all_of, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, size

MOSTLY_HOLES = 8.0
"""Of what lies between the first byte and the last, for each byte that is used."""
SPAN = Threshold(
    id="sparse-layout.span-over-bytes",
    title="Span of the bytes written over their number",
    default=MOSTLY_HOLES,
    unit="ratio",
    stated_by=ours("holes in files", "Seven eighths of the file are holes: no layout that was meant to be read."),
    slider=logarithmic(1.5, 1e6),
)
PIECE = Threshold(
    id="sparse-layout.piece",
    title="Average write below which the holes cost more than the bytes",
    default=average_of(2**16),
    unit="B",
    stated_by=ours(
        "holes in files", f"A page or a few of a client's cache; larger pieces are sent as they are. {OF_AN_AVERAGE}"
    ),
    slider=logarithmic(512.0, float(2**24)),
)
FOLLOWS = Threshold(
    id="sparse-layout.consecutive-fraction",
    title="Writes that go on where the rank stopped, above which the pieces do not lie apart",
    default=0.50,
    unit="share",
    stated_by=ours("holes in files", "What is added to the end of a file goes on where it stopped; half is ours."),
)
LEAST = Threshold(
    id="sparse-layout.span",
    title="Span from which holes matter",
    default=float(2**30),
    unit="B",
    stated_by=ours("holes in files", "A file of less than a gibibyte with its holes is gone through in seconds."),
    slider=logarithmic(float(2**20), float(2**44)),
)

CONTIGUOUS = Citation("theta-io", "Cray MPI-IO Overview")

BEHIND_ONE_ANOTHER = EditCode(
    "MPI_Offset mine = (MPI_Offset)count * size, offset = 0;     /* bytes of this rank */\n"
    "MPI_Exscan(&mine, &offset, 1, MPI_OFFSET, MPI_SUM, comm);\n"
    "MPI_File_write_at_all(file, offset, buffer, count, type, MPI_STATUS_IGNORE);",
    "mine = int(count, MPI_OFFSET_KIND) * size ; offset = 0     ! both of that kind: bytes of this rank\n"
    "call MPI_Exscan(mine, offset, 1, MPI_OFFSET, MPI_SUM, comm, ierror)\n"
    "call MPI_File_write_at_all(file, offset, buffer, count, type, MPI_STATUS_IGNORE, ierror)",
    mpi=True,
)
BEHIND_ONE_ANOTHER_ALONE = EditCode(
    "/* each rank: where its bytes begin is the sum of what the ranks before it write */\n"
    "pwrite(descriptor, buffer, bytes, bytes_before);",
    "! each rank: where its bytes begin is the sum of what the ranks before it write\n"
    "write(unit, pos=1 + bytes_before) buffer",
)


def says(context: Context) -> Words:
    return Words(
        "Small pieces are written far apart in the file: mostly holes, or scattered updates of what was there.",
        paragraph(
            sentence(
                "On {}, {} were written, and they span {}, {} times as much.",
                these_files(context),
                formatted(context.number("io.bytes_written"), size),
                formatted(context.number("file.written_span"), size),
                formatted(context.number("file.written_span_over_bytes"), number),
            ),
            sentence(
                "{} of {} on average.",
                formatted(context.number("posix.writes"), lambda n: plural(n, "write")),
                formatted(context.number("posix.average_write_size"), size),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    store = store_of(context.file)
    if store is not None:
        return (store_settings(store, context, CONTIGUOUS, reads=False),)
    told_apart = advice(
        "See which it is: a file with holes takes far fewer blocks than its size. If it has none, it was there before, "
        "and the pieces are updates of it: then collect them in memory and write them in the order of the file.",
        RunCommand(("ls", "-ls", Named(context.file) if context.file else FillIn("FILE", "the file"))),
        citation=CONTIGUOUS,
    )
    if context.api in ("HDF5", "PnetCDF"):
        text = (
            "Let the shape of the variables be that of what is written, without dimensions or chunks that stay empty; "
            "in HDF5 make chunks no larger than what one call writes."
        )
        return (in_program(text, citation=CONTIGUOUS), told_apart)
    code = BEHIND_ONE_ANOTHER if context.api == "MPI-IO" else BEHIND_ONE_ANOTHER_ALONE
    text = "Choose a layout without holes: put each rank's bytes behind those of the rank before it."
    layout = advice(text, code, citation=CONTIGUOUS)
    updates = (context.number("posix.random_fraction") or 0.0) >= BACK and not is_a_tool(context.program)
    return (told_apart, layout) if updates else (layout, told_apart)


BACK = 0.5
"""Share of the accesses that go back in the file, from which they look like updates of what was there: who leaves holes
goes forward."""


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "the bytes lay together in the file")


rule = Rule(
    id="sparse-layout",
    title="File with holes, or updated here and there",
    clear_title="What is written lies together",
    scope="group",
    severity="high",
    priority=9,
    carries=share_of_job,
    requires=all_of(
        ON_STORAGE,
        when_present("file.written_span_over_bytes"),
        when_present("posix.average_write_size"),
        IsOneOf("file.read_first", ("no",)),
        Compare("file.written_span", ">=", LEAST.id),
    ),
    condition=all_of(
        Compare("file.written_span_over_bytes", ">=", SPAN.id),
        Compare("posix.average_write_size", "<", PIECE.id),
        Compare("posix.consecutive_write_fraction", "<", FOLLOWS.id),
    ),
    thresholds=(SPAN, PIECE, FOLLOWS, LEAST),
    citations=(CONTIGUOUS,),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "small-io",
        "small-io-on-dvs",
        "lock-contention",
        "independent-shared",
        "collective-disabled",
        "single-aggregator",
        "few-aggregators",
        "ssf-understriped",
        "ssf-stripe-size",
        "misaligned-io",
        "write-gaps",
        "read-modify-write",
        "system-writes-not-stripe-sized",
        "random-access",
        "below-expectation",
    ),
    claims=(Claim(SHARED_FILE),),
)

"""Small accesses, or many opens, through DVS.

## What it does
Holds where the files are on a mount of type `dvs` and are moved in many small accesses, or where opens and closes take
most of the time.

## Why it matters
DVS passes every call of a compute node on to a server that has the file system. NeSI measured for one stream of 4 KB
below 1 GB/s through DVS against 1.3 to 2 GB/s on a node with a client of its own, and 36,000 creates a second against
190,000. With transfers of 8 MB there is next to no difference when writing.

## What to do
Run such a program on nodes with a native client of the file system. Where it has to be here, larger buffers: Cray's
IOBUF for streams that one process alone uses, never for shared files. Where opens take the time, fewer of them.

## Limits
The mount table of the Darshan log decides; a path that goes through a symbolic link is taken as it is written. The
figures are those of one retired system. Small accesses, small stream calls and slow metadata on the same files are put
under this finding: elsewhere the same program would wait less.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.buffering import in_larger_blocks, larger_buffer
from iotriage.rules.advice.calls import file_pattern, mostly_reads, these_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.action import Export, ModuleLoad
from iotriage.rules.core.claim import STORAGE_OF_FEW, Claim
from iotriage.rules.core.condition import AnyOf, Compare, Condition, IsOneOf, Present, all_of, any_of, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share, size

COUNT = Threshold(
    id="small-io-on-dvs.count",
    title="Small accesses, or opens, of all ranks",
    default=1000.0,
    unit="calls",
    stated_by=Statement(
        "drishti", "small_requests_absolute", "More than 1,000 small requests; the number is taken over."
    ),
    slider=logarithmic(1.0, 1e8),
)
AVERAGE = Threshold(
    id="small-io-on-dvs.average-size",
    title="Average access below which DVS is slow",
    default=average_of(2**18),
    unit="B",
    stated_by=ours(
        "DVS",
        f"NeSI gives figures for 4 KB and 8 MB; a quarter of a stripe of 1 MiB lies between them. {OF_AN_AVERAGE}",
    ),
    slider=logarithmic(512.0, float(2**23)),
)
METADATA = Threshold(
    id="small-io-on-dvs.metadata-fraction",
    title="Metadata's share of the time in these files",
    default=0.50,
    unit="share",
    stated_by=Statement("wisio", "excessive metadata", "At half of the I/O time metadata is called excessive."),
    slider=linear(0.05),
)

DVS = Citation("nesi-io", "Nodes which access storage via DVS")


def _small(layer: str, count: str) -> Condition:
    return when_present(
        f"{layer}.average_size",
        Compare(f"{layer}.average_size", "<", AVERAGE.id),
        Compare(count, ">=", COUNT.id),
    )


_OPENS_TAKE_IT = when_present(
    "posix.metadata_time_fraction",
    Compare("posix.metadata_time_fraction", ">=", METADATA.id),
    Compare("posix.opens", ">=", COUNT.id),
)


def says(context: Context) -> Words:
    where = "The files are on a mount of type dvs."
    small = None if context.holds(_OPENS_TAKE_IT) else _small_calls_sentence(context)
    if small is None:
        what = "Opens and closes" if context.holds(_OPENS_TAKE_IT) else "Opens and accesses"
        return Words(
            f"{what} go through DVS, which is slow at them.",
            paragraph(
                sentence(
                    "{} opens on {}, and metadata took {} of the time.",
                    formatted(context.number("posix.opens"), number),
                    these_files(context),
                    formatted(context.number("posix.metadata_time_fraction"), share),
                ),
                where,
            ),
        )
    return Words("Small accesses go through DVS, which is slow at them.", paragraph(small, where))


def _small_calls_sentence(context: Context) -> str | None:
    """The figures of the layer whose accesses are small and many; None where neither's are."""
    for layer, count in (("posix", "posix.small_accesses"), ("stdio", "stdio.calls")):
        average, made = context.number(f"{layer}.average_size"), context.number(count)
        if average is not None and made is not None and context.holds(_small(layer, count)):
            return sentence(
                "{} small accesses on {}, {} on average.",
                number(made),
                these_files(context),
                size(average),
            )
    return None


_OPEN_LESS = advice(
    "Open less: keep a file open until it is done with, let one rank of each node open what all its ranks read, and "
    "pack many files into one.",
    citation=Citation("wisio", "excessive metadata"),
)


def advise(context: Context) -> tuple[Advice, ...]:
    native = advice("Run this program on nodes with a client of their own for the file system.", citation=DVS)
    if context.holds(_OPENS_TAKE_IT):
        return (native, _OPEN_LESS)
    if context.word("io.pattern") not in OF_ONE_RANK:
        if context.word("io.layer") == "STDIO":
            return (native, larger_buffer(context, DVS))
        blocks = "Collect the data of many accesses in memory and move it in blocks of 1 MiB or more."
        layer, reads = context.word("io.layer"), mostly_reads(context)
        return (native, in_larger_blocks(context, blocks, layer, DVS, reads=reads))
    iobuf = advice(
        "Or let IOBUF buffer these files, each of which one process alone uses; the program must be linked with it.",
        ModuleLoad("iobuf", remark="before linking", linked=True),
        Export("IOBUF_PARAMS", f"{file_pattern(context)}:count=4:size=8M"),
        citation=Citation("nesi-io", "IOBUF"),
    )
    return (native, iobuf)


rule = Rule(
    id="small-io-on-dvs",
    title="Small accesses through DVS",
    clear_title="DVS is used in large accesses",
    scope="group",
    severity="medium",
    priority=14,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("file.mount_type", ("dvs",)),
        AnyOf(tuple(map(Present, ("posix.average_size", "stdio.average_size", "posix.metadata_time_fraction")))),
    ),
    condition=any_of(
        _small("posix", "posix.small_accesses"),
        _small("stdio", "stdio.calls"),
        _OPENS_TAKE_IT,
    ),
    thresholds=(COUNT, AVERAGE, METADATA),
    citations=(DVS, Citation("nesi-io", "IOBUF"), Citation("wisio", "excessive metadata")),
    says=says,
    advise=advise,
    explains=("small-io", "metadata-bound", "stdio-heavy"),
    claims=(Claim(("reads", "writes", "metadata", "streams")), *STORAGE_OF_FEW),
)

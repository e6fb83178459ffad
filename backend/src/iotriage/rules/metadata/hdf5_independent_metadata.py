"""Each rank reads and writes HDF5's metadata on its own, beside collective data.

## What it does
Looks at HDF5 files whose data is moved with collective MPI-IO calls. It holds when there are many small independent
accesses beside them, they are a good part of all calls, and they can take a part of the time: by their number in a
second of a rank's I/O, or because nearly nothing else goes in their direction. A few of them beside large transfers
cost nothing. These are HDF5's own superblock, object headers and B-trees. Darshan does not mark them; they are the
independent calls of up to 1 KiB, less those that a dataset asked for. Where Darshan ran without its HDF5 modules, the
files are told by their names (`.h5`, `.hdf5`, …). Without a log, `MPICH_MPIIO_STATS` counts the calls and their bytes:
those that cannot have been larger than a page are taken, by their number for each rank where nothing times them.

## Why it matters
When a file or a dataset is opened, every rank reads the same few hundred bytes, and when metadata is written, ranks
write small pieces in between the data. The number of these accesses grows with ranks times datasets, and each is a
trip to the file system of its own. The guide for Theta lists the two calls below for HDF5 from version 1.10 on.

## What to do
Let one rank read the metadata for all, and write it together: `H5Pset_all_coll_metadata_ops` and
`H5Pset_coll_metadata_write`. Measured with HDF5 1.10.8 on our own sample: on the file access list alone the first
changed nothing; it had to be set on the dataset access list too, and then 108 independent reads became 17 and 16
independent writes became none.

## Limits
Metadata accesses above 1 KiB (chunk B-trees, large attributes) are not counted, and independent accesses of a dataset
that the library split into small pieces are. Whether metadata costs anything is decided by time: on a short run the
finding stays a note. Where all data is independent too, that comes first and is a finding of its own.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import reads_or_writes, these_files
from iotriage.rules.advice.snippets import COLLECTIVE_METADATA
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, given
from iotriage.rules.core.saving import fewer_calls
from iotriage.rules.core.words import number, paragraph, sentence, told

COLLECTIVE = Threshold(
    id="hdf5-independent-metadata.collective-calls",
    title="Collective calls from which the data is taken to be collective",
    default=1.0,
    unit="calls",
    stated_by=ours("HDF5 metadata", "Without any collective call the data itself is what to make collective first."),
    minimum=1.0,
    maximum=1e6,
    scale="log",
)
COUNT = Threshold(
    id="hdf5-independent-metadata.count",
    title="Small independent accesses of HDF5 itself",
    default=100.0,
    unit="calls",
    stated_by=ours(
        "HDF5 metadata",
        "The guide for Theta gives no number; one rank opening a file with a few datasets makes about a dozen.",
    ),
    minimum=1.0,
    maximum=1e8,
    scale="log",
)
RATIO = Threshold(
    id="hdf5-independent-metadata.ratio",
    title="Small independent accesses for each other MPI-IO call",
    default=0.50,
    unit="ratio",
    stated_by=ours(
        "HDF5 metadata",
        "Ours: of two runs of one program, 0.97 without collective metadata and 0.12 with it.",
    ),
    minimum=0.01,
    maximum=100.0,
    scale="log",
)

RATE = Threshold(
    id="hdf5-independent-metadata.accesses-a-second",
    title="Small independent accesses of a rank for each second of its I/O, from which they take a part of it",
    default=10.0,
    unit="ratio",
    stated_by=ours(
        "HDF5 metadata", "At 10 ms each, which is slow for a trip to a server, ten take a tenth of a second."
    ),
    minimum=0.1,
    maximum=1e5,
    scale="log",
)

TIME = Threshold(
    id="hdf5-independent-metadata.time",
    title="Share of the time in the direction in which nearly all accesses are HDF5's own",
    default=0.10,
    unit="share",
    stated_by=ours("significance", "What takes less cannot change the I/O by more than that."),
    minimum=0.0,
    maximum=1.0,
)

EACH = Threshold(
    id="hdf5-independent-metadata.of-a-rank",
    title="Small independent accesses of a rank, from which they count where nothing times them",
    default=100.0,
    unit="ratio",
    stated_by=ours(
        "HDF5 metadata", "Opening a file with a few datasets makes about a dozen; eight times that are of many opens."
    ),
    minimum=1.0,
    maximum=1e6,
    scale="log",
)

LIBRARIES = Citation("theta-io", "Theta IO Libraries")


def says(context: Context) -> Words:
    return Words(
        f"Every rank {reads_or_writes(context)} the metadata of the HDF5 file on its own.",
        paragraph(
            sentence(
                "At least {} independent accesses of up to 4 KiB on {}, beside {} collective calls."
                if _by_text(context)
                else "{} independent accesses of up to 1 KiB on {}, beside {} collective calls.",
                told(context.number("hdf5.metadata_accesses"), number),
                these_files(context),
                told(context.number("hdf5.collective_calls"), number),
            ),
            sentence("That is {} for each other call.", told(context.number("hdf5.metadata_to_data_calls"), number)),
        ),
    )


def _by_text(context: Context) -> bool:
    """Whether the library's statistics alone counted the calls: of mixed ones they split no bytes, as a log does."""
    return context.number("mpiio.independent_bytes_upper_fraction") is None


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Make metadata operations collective, on the file access list and on the access list of each dataset. All "
            "ranks must then open, create and read attributes together. Count the independent calls again: with "
            "HDF5 1.10.8 the file access list alone changed nothing.",
            COLLECTIVE_METADATA,
            citation=LIBRARIES,
        ),
    )


def impact(context: Context) -> Impact | None:
    accesses, ranks = context.number("hdf5.metadata_accesses"), context.number("job.nprocs")
    return fewer_calls(accesses, accesses / ranks if accesses and ranks else None, "one rank made them for all")


rule = Rule(
    id="hdf5-independent-metadata",
    title="HDF5 metadata accessed by each rank on its own",
    clear_title="HDF5 metadata is not in the way of the data",
    scope="group",
    severity="medium",
    priority=34,
    carries=share_of_job,
    requires=given("hdf5.collective_calls", Compare("hdf5.collective_calls", ">=", COLLECTIVE.id)),
    condition=AllOf(
        (
            Compare("hdf5.metadata_accesses", ">=", COUNT.id),
            Compare("hdf5.metadata_to_data_calls", ">=", RATIO.id),
            AnyOf(
                (
                    Compare("hdf5.metadata_accesses_a_second", ">=", RATE.id),
                    Compare("hdf5.small_direction_time_fraction", ">=", TIME.id),
                    given("hdf5.metadata_accesses_untimed", Compare("hdf5.metadata_accesses_untimed", ">=", EACH.id)),
                )
            ),
        )
    ),
    thresholds=(COLLECTIVE, COUNT, RATIO, RATE, TIME, EACH),
    citations=(LIBRARIES,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation", "misaligned-io", "random-access", "small-io"),
    claims=(
        Claim(("reads", "writes", "metadata", "exchange"), ShareOf("hdf5.metadata_time_fraction")),
        Claim(("library",)),
    ),
    confidence="inferred",
)

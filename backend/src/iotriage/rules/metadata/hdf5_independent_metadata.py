"""Each rank reads and writes HDF5's metadata on its own, beside collective data, or one rank for all, beside any.

## What it does
Looks at HDF5 files whose data is moved with collective MPI-IO calls. It holds when there are many small independent
accesses beside them, they are a good part of all calls, and they can take a part of the time: by their number in a
second of a rank's I/O, because nearly nothing else goes in their direction, or because ranks that move nothing else
below MPI-IO are long there. A few of them beside large transfers cost nothing. These are HDF5's own superblock, object
headers and B-trees. Darshan does not mark them; they are the independent calls of up to 1 KiB, less those that a
dataset asked for. Where Darshan ran without its HDF5 modules, the files are told by their names (`.h5`, `.hdf5`, …).
Without a log, `MPICH_MPIIO_STATS` counts the calls and their bytes: those that cannot have been larger than a page are
taken, by their number for each rank where nothing times them.
It also holds where one rank makes the accesses for all, however the data is moved: they are few beside the other calls
of all ranks together, but more than those of one rank, and that rank takes half as long again as the mean, or more, in
these files.

## Why it matters
When a file or a dataset is opened, every rank reads the same few hundred bytes, and when metadata is written, ranks
write small pieces in between the data. The number of these accesses grows with ranks times datasets, and each is a
trip to the file system of its own. The guide for Theta lists the two calls below for HDF5 from version 1.10 on.

## What to do
Let one rank read the metadata for all, and write it together: `H5Pset_all_coll_metadata_ops` and
`H5Pset_coll_metadata_write`. Measured with HDF5 1.10.8 on our own sample: on the file access list alone the first
changed nothing; it had to be set on the dataset access list too, and then 108 independent reads became 17 and 16
independent writes became none. Where one rank writes them all, there is to be less of it: the newest file format
(`H5Pset_libver_bounds`), larger blocks of metadata (`H5Pset_meta_block_size`), fewer data sets and attributes.

## Limits
That one rank makes the accesses is inferred of a file that all ranks share: the slowest moved as much more than the
mean as such accesses can, and no other rank lies as far from it. Where the data is uneven, that does not show.
Metadata accesses above 1 KiB (chunk B-trees, large attributes) are not counted, and independent accesses of a dataset
that the library split into small pieces are. Whether metadata costs anything is decided by time: on a short run the
finding stays a note. Where all data is independent too, and small, that comes first and is a finding of its own.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import reads_or_writes, these_files
from iotriage.rules.advice.hdf5_metadata import MAKE_METADATA_COLLECTIVE
from iotriage.rules.advice.snippets import COLLECTIVE_METADATA
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.claim import Claim, SecondsOf, ShareOf
from iotriage.rules.core.condition import Compare, Present, all_of, any_of, when_present
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, seconds, sentence

COLLECTIVE = Threshold(
    id="hdf5-independent-metadata.collective-calls",
    title="Collective calls from which the data is taken to be collective",
    default=1.0,
    unit="calls",
    stated_by=ours("HDF5 metadata", "Without any collective call the data itself is what to make collective first."),
    slider=logarithmic(1.0, 1e6),
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
    slider=logarithmic(1.0, 1e8),
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
    slider=logarithmic(0.01, 100.0),
)

RATE = Threshold(
    id="hdf5-independent-metadata.accesses-a-second",
    title="Small independent accesses of a rank for each second of its I/O, from which they take a part of it",
    default=10.0,
    unit="calls/s",
    stated_by=ours(
        "HDF5 metadata", "At 10 ms each, which is slow for a trip to a server, ten take a tenth of a second."
    ),
    slider=logarithmic(0.1, 1e5),
)

TIME = Threshold(
    id="hdf5-independent-metadata.time",
    title="Share of the time that HDF5's own accesses take",
    default=0.10,
    unit="share",
    stated_by=ours("significance", "What takes less cannot change the I/O by more than that."),
)

EACH = Threshold(
    id="hdf5-independent-metadata.of-a-rank",
    title="Small independent accesses of a rank, from which they count where nothing times them",
    default=100.0,
    unit="calls",
    stated_by=ours(
        "HDF5 metadata", "Opening a file with a few datasets makes about a dozen; eight times that are of many opens."
    ),
    slider=logarithmic(1.0, 1e6),
)

ONE_RANK = Threshold(
    id="hdf5-independent-metadata.one-rank",
    title="Small independent accesses of one rank for each call that a rank makes for the data",
    default=1.0,
    unit="ratio",
    stated_by=ours("HDF5 metadata", "With fewer of them the calls for the data are what all ranks make more often."),
    slider=logarithmic(0.01, 1e5),
)
SLOWEST = Threshold(
    id="hdf5-independent-metadata.one-rank-time",
    title="Time of the rank that makes them over the mean, in the files where one does",
    default=1.5,
    unit="ratio",
    stated_by=ours("imbalance", "All wait for it: half as long again is worth a look."),
    slider=logarithmic(1.1, 100.0),
)

LIBRARIES = Citation("theta-io", "Theta IO Libraries")


def says(context: Context) -> Words:
    if _by_one_rank(context):
        written = _does(context)
        return Words(
            f"One rank {written} the HDF5 metadata, and the others wait for it.",
            paragraph(
                sentence(
                    f"One rank {written} {{}} pieces of up to 1 KiB on {{}} on its own.",
                    formatted(context.number("hdf5.one_rank_accesses"), number),
                    these_files(context),
                ),
                "Headers, attributes and small data sets are such pieces.",
                sentence(
                    "There are {} of them for each call that a rank makes for the data.",
                    formatted(context.number("hdf5.one_rank_to_data_calls"), number),
                ),
                sentence(
                    "It takes {} times the mean time there,", formatted(context.number("hdf5.one_rank_time"), number)
                ),
                sentence("{} longer.", formatted(context.number("hdf5.one_rank_beyond_mean"), seconds)),
            ),
        )
    return Words(
        f"Every rank {_does(context)} the metadata of the HDF5 file on its own.",
        paragraph(
            sentence(
                "At least {} independent accesses of up to 4 KiB on {}, beside {} collective calls."
                if _by_text(context)
                else "{} independent accesses of up to 1 KiB on {}, beside {} collective calls.",
                formatted(context.number("hdf5.metadata_accesses"), number),
                these_files(context),
                formatted(context.number("hdf5.collective_calls"), number),
            ),
            sentence(
                "That is {} for each other call.", formatted(context.number("hdf5.metadata_to_data_calls"), number)
            ),
        ),
    )


def _does(context: Context) -> str:
    """What is done with the metadata, whichever way the data goes."""
    return context.word("hdf5.metadata_way") or reads_or_writes(context)


def _by_text(context: Context) -> bool:
    """Whether the library's statistics alone counted the calls: of mixed ones they split no bytes, as a log does."""
    return context.number("mpiio.independent_bytes_upper_fraction") is None


def _by_one_rank(context: Context) -> bool:
    """Whether one rank makes them for all, and not each its own, which is to be made collective first."""
    alone, every = (context.number(f"hdf5.{of}_accesses") or 0.0 for of in ("one_rank", "metadata"))
    return context.holds(_ONE_RANK) or (not context.holds(_EACH_RANK) and alone > every / 2)


def advise(context: Context) -> tuple[Advice, ...]:
    if _by_one_rank(context):
        return (
            advice(
                "Have less metadata, in larger pieces: the newest file format (H5Pset_libver_bounds with "
                "H5F_LIBVER_LATEST), blocks of 1 MiB or more (H5Pset_meta_block_size), and fewer data sets and "
                "attributes.",
                citation=LIBRARIES,
            ),
            advice("Let all ranks write together what is left.", COLLECTIVE_METADATA, citation=LIBRARIES),
        )
    return (MAKE_METADATA_COLLECTIVE,)


def impact(context: Context) -> Impact | None:
    if _by_one_rank(context):
        return None
    accesses, ranks = context.number("hdf5.metadata_accesses"), context.number("job.nprocs")
    return fewer_calls_saving(accesses, accesses / ranks if accesses and ranks else None, "one rank made them for all")


_ONE_RANK = when_present(
    "hdf5.one_rank_accesses",
    Compare("hdf5.one_rank_accesses", ">=", COUNT.id),
    Compare("hdf5.one_rank_to_data_calls", ">=", ONE_RANK.id),
    Compare("hdf5.one_rank_time", ">=", SLOWEST.id),
)

_EACH_RANK = all_of(
    # Of what statistics leave open how small it is, there is no more than this.
    Compare("hdf5.independent_calls", ">=", COUNT.id),
    Compare("hdf5.metadata_accesses", ">=", COUNT.id),
    Compare("hdf5.metadata_to_data_calls", ">=", RATIO.id),
    any_of(
        Compare("hdf5.metadata_accesses_a_second", ">=", RATE.id),
        Compare("hdf5.small_direction_time_fraction", ">=", TIME.id),
        when_present("hdf5.without_data_time_fraction", Compare("hdf5.without_data_time_fraction", ">=", TIME.id)),
        when_present("hdf5.metadata_accesses_untimed", Compare("hdf5.metadata_accesses_untimed", ">=", EACH.id)),
    ),
    Compare("hdf5.collective_calls", ">=", COLLECTIVE.id),
)

rule = Rule(
    id="hdf5-independent-metadata",
    title="HDF5 metadata accessed by single ranks",
    clear_title="HDF5 metadata is not in the way of the data",
    scope="group",
    severity="medium",
    priority=34,
    carries=share_of_job,
    requires=any_of(
        when_present("hdf5.collective_calls", Compare("hdf5.collective_calls", ">=", COLLECTIVE.id)),
        Present("hdf5.one_rank_accesses"),
    ),
    condition=any_of(_EACH_RANK, _ONE_RANK),
    thresholds=(COLLECTIVE, COUNT, RATIO, RATE, TIME, EACH, ONE_RANK, SLOWEST),
    citations=(LIBRARIES,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation", "misaligned-io", "random-access", "small-io", "straggler-rank"),
    claims=(
        # Where one rank makes them, its seconds are what it takes beyond the mean.
        Claim(("reads", "writes", "metadata", "exchange"), ShareOf("hdf5.metadata_time_fraction"), _EACH_RANK),
        Claim(("library",)),
        Claim(("imbalance",), SecondsOf("hdf5.one_rank_beyond_mean"), _ONE_RANK),
    ),
    confidence="inferred",
)

"""A large file shared by many ranks lies on few OSTs.

## What it does
Looks at the stripe count of a large file that many ranks share. It holds when the count is below what the documents
give for that number of ranks: from 96 ranks on below four stripes (on ARCHER, ARCHER2 and Theta below what their
guides ask for, on Theta never more than nodes), with fewer ranks where there is only one. A file of some hundred MiB
counts where it is one of a long series, a step's output each: whichever OST is its turn, all ranks wait for that one.
A file of ten GiB and more on a quarter of the OSTs or less has too few of them, too, however many they are, where there
are twice as many nodes and each moves what an OST gives, or eight aggregators or more, a few of each node, meet in each
stripe, or the file has a hundred GiB for a handful of stripes. Where no source says how many OSTs there are, the
highest number of one in the log says how many at least.
Several such files that are in use at once, as the parts of a data set, lie on as many OSTs together, and are left out,
unless each is large and on one OST, and there are four times as many OSTs as all of them have; and so are a file that
lies on all there are, and files of a node each, whose bytes one rank moves: more OSTs make that rank no faster. Where
each OST in use moves less than a fiftieth of what ARCHER's guide has for one, it is not their number that is waited
for, and nothing is said. Nor where each moves more than a server of Theta at its peak, or than what a centre's profile
has of its flash: then memory may move it.

## Why it matters
The stripe count is the number of storage devices that can work on the file at once. ARCHER measured at most 1.9 GiB/s
with 4 stripes at any number of processes, and up to 15.6 GiB/s with all of them; single striping was so slow that it
was not explored. A benchmark of 64 ranks took 3 min 39 s on one stripe and 45 s on eight. ARCHER2 expects about 1 GB/s
from an unstriped file and up to 10 GB/s from a fully striped one.

## What to do
Set the stripe count of the output directory before the files are made; copy files that exist already.

## Limits
Needs the stripe count: Darshan's LUSTRE module or `MPICH_MPIIO_STATS`. On file systems with hundreds of OSTs more is
not always better, and never more stripes than nodes. In a progressive layout the count is that of the largest
component. ARCHER and Theta are retired; their numbers stand as documented examples.
"""

from __future__ import annotations

from iotriage.rules.access.lookups import OF_OTHER_LAYERS, looks_nothing_up, scattered_threshold, small_read_threshold
from iotriage.rules.access.rereads import often_read_threshold
from iotriage.rules.advice.calls import largest_file_phrase, largest_size_phrase, site_environment
from iotriage.rules.advice.striping import (
    FILE_OF_SERIES_BYTES,
    files_at_once,
    of_series,
    stripe_shared_file,
    stripes_advised,
)
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import Claim, waited_for_storage
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.documented_rates import rates_of_stripes
from iotriage.rules.core.saving import documented_saving, documented_saving_or_share
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, size
from iotriage.rules.striping.busy_stripes import (
    BUSY,
    FEW,
    INDEPENDENTLY,
    MANY,
    OF_BUSY_STRIPES,
    OTHERS_IDLE,
    RANKS,
    STRIPES,
    WRITTEN,
    at_least,
    busy_sentence,
    crowd_sentence,
    from_storage,
    of_nersc,
    one_server_threshold,
)

SOME = Threshold(
    id="ssf-understriped.some-ranks",
    title="Ranks from which one stripe is too few",
    default=8.0,
    unit="ranks",
    stated_by=ours("stripe count", "Fewer processes hardly fill more than one OST; eight is ours."),
    slider=logarithmic(2.0, 65536.0),
)
PER_NODE = Threshold(
    id="ssf-understriped.stripes-per-node",
    title="Stripes for each node from which no more are asked for",
    default=64.0,
    unit="ratio",
    stated_by=ours("stripe count", "Where no document bounds the stripes by the nodes, 64 for one node are enough."),
    slider=logarithmic(0.25, 512.0),
)
SIZE = Threshold(
    id="ssf-understriped.file-size",
    title="File size from which the stripe count decides",
    default=float(2**30),
    unit="B",
    stated_by=of_nersc("Shared files below 1 GB, here 1 GiB, are left at the default."),
    slider=logarithmic(float(2**20), float(2**44)),
)
SERIES = Threshold(
    id="ssf-understriped.series",
    title="Bytes of a series of files, from which the stripe count of each decides though it is smaller",
    default=float(16 * 2**30),
    unit="B",
    stated_by=ours("stripe count", "Documents speak of one file; what a series moves, it moves one file at a time."),
    slider=logarithmic(float(2**20), float(2**44)),
)
SEVERAL = Threshold(
    id="ssf-understriped.files-of-series",
    title="Files that make a series",
    default=4.0,
    unit="files",
    stated_by=ours("stripe count", "A file and a copy of it are no series."),
    slider=logarithmic(2.0, 1e6),
)
OF_SERIES = Threshold(
    id="ssf-understriped.file-of-series",
    title="Size of a file of such a series from which the stripe count decides",
    default=float(FILE_OF_SERIES_BYTES),
    unit="B",
    stated_by=ours("stripe count", "One OST takes half a second for 256 MiB; below, opening the file takes as long."),
    slider=logarithmic(float(2**20), float(2**44)),
)

ONE_SERVER = one_server_threshold("ssf-understriped")

SCATTERED, LOOKED_UP = scattered_threshold("ssf-understriped"), small_read_threshold("ssf-understriped")
"""What takes the time of small reads at random places is not how many OSTs they lie on."""
OFTEN = often_read_threshold("ssf-understriped", "files")
"""Nor where each rank reads all of the files: so often that their number matters more than where they lie."""

SHARED = Citation("archer-bpg", "SSF Note")


def says(context: Context) -> Words:
    several = (context.number("file.count") or 1) > 1
    return Words(
        sentence(
            "{} share files of up to {}, each on {}." if several else "{} share a file of {} that lies on {}.",
            _users(context),
            formatted(context.number("file.size"), size) if several else largest_size_phrase(context),
            formatted(context.number("file.stripe_count"), lambda n: plural(n, "OST")),
        )
        or "A large file shared by many ranks lies on few OSTs.",
        paragraph(
            sentence(
                "{} ({}) has {} for {}.",
                largest_file_phrase(context),
                largest_size_phrase(context),
                formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
                _users(context),
            ),
            _at_once(context),
            busy_sentence(context),
            crowd_sentence(context),
            _series(context),
            sentence(
                "The file system has {}.",
                formatted(context.number("file.stripes_possible"), lambda n: plural(n, "OST")),
            ),
            rates_of_stripes(context),
        ),
    )


def _series(context: Context) -> str | None:
    if not of_series(context):
        return None
    text = "{} moved in all, one file after another: all ranks wait for the OSTs of one of them."
    return sentence(text, formatted(context.number("io.bytes"), size))


def _at_once(context: Context) -> str | None:
    """Where each of several files has its own few OSTs, that all of them have few."""
    if not context.holds(_FEW_EACH):
        return None
    return sentence(
        "{} of these files are in use at a time; each of their OSTs moved {}/s.",
        number(round(files_at_once(context))),
        formatted(context.number("file.ost_rate"), size),
    )


def _users(context: Context) -> str | None:
    """The ranks that share it: those that moved its bytes, where records tell, else all. What MPI-IO moves for all by
    some of them in collective calls says nothing of the others."""
    moves: tuple[str, ...] = ("file.writers", "file.readers")
    if context.word("io.pattern") == "shared-independent":
        moves += INDEPENDENTLY
    moving = [n for of in moves if (n := context.number(of)) is not None]
    return formatted(max(moving, default=context.number("job.nprocs")), lambda n: plural(n, "rank"))


def advise(context: Context) -> tuple[Advice, ...]:
    without_mpi = context.api in ("POSIX", "STDIO")
    environment = () if without_mpi else site_environment(context)
    return (*stripe_shared_file(context), *environment)


def impact(context: Context) -> Impact | None:
    cure, stripes = "the file had as many stripes as is advised", context.number("file.stripe_count")
    if not stripes:
        return documented_saving(context, cure, osts="file.stripes_possible")
    times = min(TWICE, stripes_advised(context) / stripes)
    if times <= 1:
        return None
    why = f"if that makes it {number(times)} times as fast: eight stripes instead of one made a benchmark 4.8 times so"
    return documented_saving_or_share(context, cure, least=1 - 1 / times, why=why, osts="file.stripes_possible")


TWICE = 2.0
"""As fast, with several times the stripes: less than half of what the documented runs gained, and ours."""


_FEW_EACH = AllOf((Compare("file.stripe_count", "<", STRIPES.id), Compare("file.stripes_at_once", ">=", STRIPES.id)))
_FEW_FOR_MANY = AllOf(
    (MANY, Compare("file.stripe_count", "<", STRIPES.id), Compare("file.stripes_per_node", "<", PER_NODE.id))
)
PASSED_THROUGH = AllOf(
    (
        looks_nothing_up(SCATTERED, LOOKED_UP),
        AnyOf((OF_OTHER_LAYERS, Compare("posix.times_read", "<", OFTEN.id))),
    )
)
rule = Rule(
    id="ssf-understriped",
    title="Large shared file on few OSTs",
    clear_title="Shared files are striped",
    scope="group",
    severity="medium",
    priority=35,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-collective", "shared-independent", "subfiling")),
            when_present("file.stripe_count"),
            IsOneOf("file.other_osts", ("some", "unknown")),
            IsOneOf("mpiio.one_mover_each", ("no", "unknown")),
            IsOneOf("file.ost_pace", ("usual", "unknown")),
            from_storage(ONE_SERVER),
            AnyOf(
                (
                    at_least("file.size", SIZE),
                    AllOf(
                        (
                            at_least("file.size", OF_SERIES),
                            at_least("io.bytes", SERIES),
                            at_least("file.count", SEVERAL),
                        )
                    ),
                )
            ),
            AnyOf((Compare("job.nprocs", ">=", SOME.id), *(at_least(metric, SOME) for metric in INDEPENDENTLY))),
        )
    ),
    condition=AnyOf(
        (
            AllOf(
                (
                    AnyOf((Compare("file.stripe_count", "<", FEW.id), _FEW_FOR_MANY)),
                    Compare("file.stripes_at_once", "<", STRIPES.id),
                )
            ),
            OTHERS_IDLE,
        )
    ),
    thresholds=(
        STRIPES,
        FEW,
        RANKS,
        SOME,
        PER_NODE,
        SIZE,
        SERIES,
        SEVERAL,
        OF_SERIES,
        ONE_SERVER,
        SCATTERED,
        LOOKED_UP,
        OFTEN,
        *OF_BUSY_STRIPES,
    ),
    citations=(
        SHARED,
        Citation("archer-bpg", "Single Shared File (SSF)"),
        Citation("archer2-io", "Single Shared File with collective writes (SSF)"),
        Citation("archer2-io", "I/O profiling"),
        Citation("theta-io", "General striping approaches"),
        Citation("theta-io", "Extent lock contention"),
        Citation("theta-io", "LUSTRE Specifications on Theta"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    claims=(
        Claim(("reads",), when=PASSED_THROUGH),
        Claim(("writes",)),
        Claim(("imbalance",), when=AnyOf((PASSED_THROUGH, Compare("posix.write_fraction", ">=", WRITTEN.id)))),
        # The calls of a stream may take it by their number, but where its OSTs are busy.
        Claim(("streams",), when=AllOf((IsOneOf("io.layer", ("STDIO",)), at_least("file.ost_rate", BUSY)))),
        *waited_for_storage(),
    ),
)

"""Where few stripes are busy and most OSTs are idle: what each stripe moves, or how many ranks meet on it, says that a
large shared file should have more, however many it has."""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.access.lookups import OF_OTHER_LAYERS
from iotriage.rules.advice.calls import mostly_reads
from iotriage.rules.core import Context, Statement, Threshold, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.documented_rates import BUSY_OST, SERVER_AT_ITS_PEAK
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import number, size


def of_nersc(says: str) -> Statement:
    return Statement("nersc-lustre", "NERSC File Striping Recommendations", says)


STRIPES = Threshold(
    id="ssf-understriped.stripes",
    title="Stripes that a large shared file should have",
    default=4.0,
    unit="stripes",
    stated_by=Statement(
        "archer-bpg",
        "Single Shared File (SSF), MPI-IO",
        "Four stripes serve up to 96 processes best; above that, all OSTs. One stripe was too slow to test.",
    ),
    slider=logarithmic(1.0, 512.0),
)
FEW = Threshold(
    id="ssf-understriped.few-stripes",
    title="Stripes that a large file shared by fewer ranks should have",
    default=2.0,
    unit="stripes",
    stated_by=Statement(
        "archer-bpg",
        "Single Shared File (SSF), MPI-IO",
        "Four stripes are best below 96 processes too, and one was too slow to test; that two or three pass is ours.",
    ),
    slider=logarithmic(1.0, 512.0),
)
RANKS = Threshold(
    id="ssf-understriped.ranks",
    title="Ranks from which all of these stripes should be there",
    default=96.0,
    unit="ranks",
    stated_by=Statement(
        "archer-bpg",
        "Single Shared File (SSF), MPI-IO",
        "Below 96 processes four stripes are best, above 96 maximal striping should be used.",
    ),
    slider=logarithmic(2.0, 65536.0),
)
BUSY = Threshold(
    id="ssf-understriped.busy",
    title="Rate of each of its stripes from which more ranks get no more of them",
    default=BUSY_OST,
    unit="B/s",
    stated_by=ours("busy OST", "ARCHER's guide has about 500 MiB/s for one; three quarters of it are what many get."),
    slider=logarithmic(1e6, 1e11),
)
LARGE = Threshold(
    id="ssf-understriped.large-file",
    title="File size from which a few stripes are too few, if they are busy and others are idle",
    default=float(10 * 2**30),
    unit="B",
    stated_by=of_nersc("Files of 10 GB, here 10 GiB, and more get 24 stripes and more."),
    slider=logarithmic(float(2**20), float(2**44)),
)
OTHERS = Threshold(
    id="ssf-understriped.osts-per-stripe",
    title="OSTs that there are for each stripe in use at once, at least",
    default=4.0,
    unit="ratio",
    stated_by=ours("stripe count", "Twice as many may not be twice as fast; four times as many are worth a change."),
    slider=logarithmic(1.0, 1024.0),
)
WORKING = Threshold(
    id="ssf-understriped.working",
    title="Rate of each stripe of a very large file from which it is the stripes that are few",
    default=62.5 * 2.0**20,
    unit="B/s",
    stated_by=ours(
        "busy OST", "An eighth of what ARCHER's guide has for one; below it the OSTs wait for something else."
    ),
    slider=logarithmic(1e6, 1e11),
)
VERY_LARGE = Threshold(
    id="ssf-understriped.very-large-file",
    title="File size from which a handful of stripes are too few, if there are many others",
    default=float(100 * 2**30),
    unit="B",
    stated_by=of_nersc("Files of 100 GB, here 100 GiB, and more get 72 stripes."),
    slider=logarithmic(float(2**20), float(2**44)),
)
HANDFUL = Threshold(
    id="ssf-understriped.handful",
    title="Stripes that are too few for such a file, at most",
    default=8.0,
    unit="stripes",
    stated_by=ours("stripe count", "A ninth of what NERSC gives to such a file, and what it gives to one of 1 GB."),
    slider=logarithmic(1.0, 512.0),
)
EACH_NODE = Threshold(
    id="ssf-understriped.busy-stripes-per-node",
    title="Stripes for each node, or rank, up to which such a file may have more",
    default=0.5,
    unit="ratio",
    stated_by=Statement("theta-io", "General striping approaches", "No more stripes than nodes; half as many is ours."),
    slider=logarithmic(0.01, 64.0),
)
CROWD = Threshold(
    id="ssf-understriped.movers-per-stripe",
    title="Ranks that move the bytes of collective calls, for each stripe, from which such a file should have more",
    default=8.0,
    unit="ratio",
    stated_by=ours("stripe count", "Theta's authors see more than one client an OST write no faster; eight is ours."),
    slider=logarithmic(1.0, 1024.0),
)
OF_A_NODE = Threshold(
    id="ssf-understriped.movers-per-node",
    title="Such ranks of each node, up to which the stripes are too few, and not these ranks too many",
    default=4.0,
    unit="ratio",
    stated_by=ours("stripe count", "Libraries take one of each node, ARCHER2's guide four for each stripe."),
    slider=logarithmic(1.0, 1024.0),
)


PIECE = Threshold(
    id="ssf-understriped.piece",
    title="Average POSIX read below which the number of reads between those of other ranks takes the time",
    default=average_of(2**16),
    unit="B",
    stated_by=ours("busy OST", f"A page or a few: an OST seeks for each, and more of them seek too. {OF_AN_AVERAGE}"),
    slider=logarithmic(512.0, float(2**24)),
)
IN_TURN = Threshold(
    id="ssf-understriped.consecutive-fraction",
    title="Share of the reads that go on where the rank stopped, from which their size is not what takes the time",
    default=0.50,
    unit="share",
    stated_by=ours("busy OST", "Half: what goes on where it stopped is read ahead in large pieces, however small."),
)
WRITTEN = Threshold(
    id="ssf-understriped.written",
    title="Share of the bytes that are written, from which it is not the reads that take the time",
    default=0.50,
    unit="share",
    stated_by=ours("busy OST", "Half: of what is mostly written, small reads are not what the ranks wait for."),
)


def one_server_threshold(rule: str) -> Threshold:
    return Threshold(
        id=f"{rule}.one-server",
        title="Rate of each stripe in use, from which memory may give it, and no OST of disks",
        default=SERVER_AT_ITS_PEAK,
        unit="B/s",
        stated_by=Statement(
            "theta-io",
            "LUSTRE Specifications on Theta",
            "A server of disks gives 6 GB/s at its peak; caches of nodes and servers go far beyond, and so does flash.",
        ),
        slider=logarithmic(1e8, 1e12),
    )


def from_storage(one_server: Threshold) -> AnyOf:
    """Whether what each stripe moves can be an OST's, as far as anybody knows: of flash where its profile says so."""
    return any_of(IsOneOf("file.ost_pace", ("unknown",)), Compare("file.ost_rate", "<", one_server.id))


OF_BUSY_STRIPES = (
    CROWD,
    OF_A_NODE,
    BUSY,
    LARGE,
    OTHERS,
    WORKING,
    VERY_LARGE,
    HANDFUL,
    EACH_NODE,
    PIECE,
    IN_TURN,
    WRITTEN,
)


def at_least(metric: str, threshold: Threshold) -> AllOf:
    return when_present(metric, Compare(metric, ">=", threshold.id))


INDEPENDENTLY = ("mpiio.independent_writers", "mpiio.independent_readers")
MANY = any_of(Compare("job.nprocs", ">=", RANKS.id), *(at_least(metric, RANKS) for metric in INDEPENDENTLY))
"""Where statistics print no ranks, those that write or read independently are no more than all."""

_BUSY = at_least("file.ost_rate", BUSY)
_CROWDED = when_present(
    "mpiio.movers_per_stripe",
    IsOneOf("io.pattern", ("shared-collective",)),
    Compare("mpiio.movers_per_stripe", ">=", CROWD.id),
    when_present("mpiio.movers_per_node", Compare("mpiio.movers_per_node", "<=", OF_A_NODE.id)),
)
_IN_LARGE_PIECES = any_of(
    OF_OTHER_LAYERS,
    Compare("posix.average_read_size", ">=", PIECE.id),
    Compare("posix.consecutive_read_fraction", ">=", IN_TURN.id),
    Compare("posix.write_fraction", ">=", WRITTEN.id),
)
"""Not the small pieces of a file that all ranks read in turn."""
_FOR_SO_MUCH = all_of(
    at_least("file.size", VERY_LARGE),
    Compare("file.stripe_count", "<=", HANDFUL.id),
    any_of(at_least("file.ost_rate", WORKING), IsOneOf("io.timed", ("no",))),
    any_of(
        all_of(IsOneOf("io.pattern", ("shared-independent",)), _IN_LARGE_PIECES),
        when_present("mpiio.movers_per_stripe", Compare("mpiio.movers_per_stripe", "<", CROWD.id)),
        when_present("mpiio.effective_per_stripe", Compare("mpiio.effective_per_stripe", "<", CROWD.id)),
    ),
)
"""Where a crowd of aggregators meets on each stripe, it is these that are too many, or both."""
OTHERS_IDLE = when_present(
    "file.osts_per_stripe",
    Compare("file.osts_per_stripe", ">=", OTHERS.id),
    MANY,
    Compare("file.stripes_per_node", "<=", EACH_NODE.id),
    at_least("file.size", LARGE),
    any_of(
        _BUSY,
        _CROWDED,
        _FOR_SO_MUCH,
        all_of(Compare("file.stripe_count", "<", FEW.id), at_least("file.ost_rate", WORKING)),
    ),
)
"""Whatever their number: the OSTs of the file move as much as an OST does, or many ranks meet on each, or the file is
very large for them, or it has one and there are others like it, and most other OSTs move nothing."""


def busy_sentence(context: Context) -> str | None:
    """Where what each stripe moves tells that there are too few, and not their number."""
    each = context.number("file.ost_rate")
    if each is None or not context.holds(all_of(Compare("file.stripe_count", ">=", STRIPES.id), _BUSY)):
        return None
    return f"Each moved {size(each)}/s: ARCHER's guide has about 500 MiB/s for one."


def crowd_sentence(context: Context) -> str | None:
    """Where it is the ranks that meet in each stripe that tell so."""
    meet = context.number("mpiio.movers_per_stripe")
    if meet is None or not context.holds(_CROWDED):
        return None
    # Who reads shares the lock with others who read.
    waits = "" if mostly_reads(context) else ", where one at a time can have the lock"
    return f"{number(meet)} of the ranks that move the bytes share each stripe{waits}."

"""Nodes write one file in pieces smaller than a stripe and meet in its stripes: they take each other's locks away.

## What it does
Counts the nodes whose ranks wrote a shared file without collective calls. It holds when there are more of them than the
file has stripes, the writes are smaller than a stripe, and they do not continue each other. It holds from two nodes on,
however many stripes there are, where pieces that are smaller and not aligned go forward in the file and leave room that
others fill: then the nodes meet in every stripe.

## Why it matters
On Lustre the client is the node, and a lock belongs to a client. The server grants the first writer the whole of its
OST's part of the file; the next writer's request calls that lock back, and so on for every write. With one client on an
OST that does not happen. Theta's authors: with more than one, writes are serialised and slower than with one.

## What to do
Write collectively, so that one aggregator serves each OST, or let one rank of each node write for the others. Ranks
that append work out their places together, instead of asking where the file ends.

## Limits
Of stripes that nobody states only interleaved pieces are judged, on Lustre and Spectrum Scale.
The number of nodes is needed, which Darshan does not record. Where a record is reduced over all ranks, the writing
nodes are those that the number of moving ranks makes necessary: at least so many. Where nobody states the nodes and the
site's profile has the cores of one, they are those that give each of these ranks a core; ranks that share cores may be
on fewer. Caches of the nodes may hide it.
Independent MPI-IO calls that are small and interleaved are named by `independent-shared`, which explains this one: the
locks are what it costs. On its own this speaks of files that are shared without MPI-IO. It explains small and
misaligned accesses and too few stripes on the same files: with locks passed round, none of these can be felt.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import (
    agree_on_offsets,
    collect_by_node,
    each_moves,
    largest_file_phrase,
    library_named,
    make_collective,
    site_environment,
    through_mpi_io,
)
from iotriage.rules.advice.snippets import PARALLEL_WRITE, SHARED_WRITE
from iotriage.rules.advice.stores import database_settings
from iotriage.rules.advice.striping import stripe_shared_file
from iotriage.rules.collective.shared_files import interleaved_threshold
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Statement,
    Threshold,
    Words,
    advice,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import Claim, SecondsOf, waited_for_storage
from iotriage.rules.core.condition import Compare, IsOneOf, Present, all_of, any_of, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, seconds, sentence, share, size
from iotriage.sites.mounts import types_of

NODES = Threshold(
    id="lock-contention.nodes-per-stripe",
    title="Writing nodes for each stripe of the file",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "theta-io", "Extent lock contention", "More than one client on one file's OST contends for its locks."
    ),
    slider=logarithmic(0.1, 100.0),
)
BELOW = Threshold(
    id="lock-contention.write-over-stripe",
    title="Typical write over the stripe size",
    default=1.0,
    unit="ratio",
    stated_by=Statement(
        "theta-io",
        "File storage approaches",
        "Stripe-aligned independent writes may be as fast as collective.",
    ),
    slider=logarithmic(0.01, 64.0),
)
IN_ORDER = interleaved_threshold("lock-contention", "Writes")

SEVERAL = Threshold(
    id="lock-contention.nodes",
    title="Writing nodes whose small pieces lie between one another's",
    default=2.0,
    unit="nodes",
    stated_by=Statement(
        "theta-io", "Extent lock contention", "More than one client on one file's OST contends for its locks."
    ),
    slider=logarithmic(2.0, 1024.0),
)
PIECE = Threshold(
    id="lock-contention.piece",
    title="Typical write below which such pieces contend, where nobody states the stripes",
    default=float(2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "Transfers are best of the stripe size or a multiple of it, aligned to 1 MiB.",
    ),
    slider=logarithmic(4096.0, float(2**26)),
)
ALIGNED = Threshold(
    id="lock-contention.misaligned-fraction",
    title="Accesses that are not aligned, of such pieces",
    default=0.50,
    unit="share",
    stated_by=ours("small accesses", "Pieces that begin on a block's boundary may each have a lock of their own."),
)
BACK = Threshold(
    id="lock-contention.random",
    title="Share of the accesses that go back in the file, up to which pieces lie in turn",
    default=0.20,
    unit="share",
    stated_by=Statement("drishti", "random_operations", "More than a fifth neither sequential nor consecutive."),
)
SPAN = Threshold(
    id="lock-contention.span",
    title="Span of the bytes written over their number, up to which ranks fill the gaps between one another's pieces",
    default=1.1,
    unit="ratio",
    stated_by=ours("small accesses", "Holes that nobody fills keep the ranks apart: that is a sparse layout."),
    slider=logarithmic(1.0, 1e6),
)

LOCKING = types_of("lustre", "gpfs")
"""Types of mounts whose servers keep nodes apart by locks on ranges of a file: Spectrum Scale calls them tokens."""

EXTENT_LOCKS = Citation("theta-io", "Extent lock contention")


def says(context: Context) -> Words:
    nodes = formatted(context.number("file.writing_nodes"), lambda n: plural(n, "node"))
    stripes = formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe"))
    small = formatted(context.number("posix.typical_write_size"), size)
    between = not context.holds(_SEVERAL_ON_EACH)
    how, what = ("in interleaved pieces of {}", small) if between else ("of {}", stripes)
    has = "" if stripes is None else f" and has {stripes}"
    said = sentence(f"At least {{}} write one file {how}, and take each other's locks away.", nodes, what)
    return Words(
        said or "Several nodes write one file in small pieces, and take each other's locks away.",
        paragraph(
            sentence(f"{{}} was written from at least {{}}{has}.", largest_file_phrase(context), nodes),
            sentence(
                "A write moves {}, and {} of the writes go on where the last one stopped.",
                each_moves(context, "posix.{}_write_size"),
                formatted(context.number("posix.consecutive_write_fraction"), share),
            ),
            sentence(
                "Seeks took at least {} more: one to the end of a file waits for all who write it to say how long it "
                "is.",
                formatted(_seeking(context), seconds),
            ),
        ),
    )


def _seeking(context: Context) -> float | None:
    """Seconds in seeks, where they are worth a word."""
    found = context.number("posix.seek_time")
    return found if found is not None and found >= 1 else None


def advise(context: Context) -> tuple[Advice, ...]:
    if settings := database_settings(context, EXTENT_LOCKS):
        return settings
    first = make_collective(context) if through_mpi_io(context) else _with_mpi_io(context)
    instead = "Instead of seeking to the end of the file"
    places = (agree_on_offsets(instead, EXTENT_LOCKS),) if _seeking(context) is not None else ()
    others = (*stripe_shared_file(context), *site_environment(context))
    return (*places, first, collect_by_node(EXTENT_LOCKS), *others)


def _with_mpi_io(context: Context) -> Advice:
    """Who has no OSTs is not told of them."""
    on_lustre = context.maybe_on_lustre
    why = "one aggregator at a time serves each OST" if on_lustre else "a few ranks write, each a part of its own"
    named = library_named(context.file)
    by = "with MPI-IO" if named is None else f"with all ranks, by {named} built with MPI,"
    code = SHARED_WRITE if named is None else PARALLEL_WRITE[named]
    return advice(f"Open the file {by} and write it collectively, so that {why}.", code, citation=EXTENT_LOCKS)


def impact(context: Context) -> Impact | None:
    if context.file_system != "lustre" and context.number("file.stripe_count") is None:
        return None  # the documented rates are those of Lustre
    return documented_saving(context, "no two nodes wrote to one stripe")


_SEVERAL_ON_EACH = Compare("file.writing_nodes_per_stripe", ">", NODES.id)
_INTERLEAVED = all_of(
    # Where the stripes are known, what is smaller than they are is small enough.
    any_of(Compare("posix.typical_write_size", "<", PIECE.id), Present("file.stripe_count")),
    Compare("posix.misaligned_fraction", ">=", ALIGNED.id),
    Compare("posix.random_fraction", "<=", BACK.id),
    when_present("file.written_span_over_bytes", Compare("file.written_span_over_bytes", "<=", SPAN.id)),
)
"""Pieces of a rank that leave room for those of others, wherever the stripes end."""

rule = Rule(
    id="lock-contention",
    title="Nodes contend for the locks of one file",
    clear_title="Nodes do not meet in a stripe with small pieces",
    scope="group",
    severity="high",
    priority=30,
    carries=share_of_job,
    requires=all_of(
        IsOneOf("io.pattern", ("shared-independent", "subfiling")),
        when_present("posix.typical_write_size"),
        any_of(
            when_present("file.stripe_count"),
            when_present("file.mount_type", IsOneOf("file.mount_type", LOCKING), _INTERLEAVED),
        ),
    ),
    condition=all_of(
        any_of(
            when_present("file.stripe_count", _SEVERAL_ON_EACH),
            all_of(Compare("file.writing_nodes", ">=", SEVERAL.id), _INTERLEAVED),
        ),
        Compare("posix.write_over_block", "<", BELOW.id),
        Compare("posix.consecutive_write_fraction", "<", IN_ORDER.id),
    ),
    thresholds=(NODES, BELOW, IN_ORDER, SEVERAL, PIECE, ALIGNED, BACK, SPAN),
    citations=(EXTENT_LOCKS, Citation("theta-io", "File storage approaches"), Citation("epcc-pio", "slides 16–21")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
        "misaligned-io",
        "ssf-understriped",
        "straggler-rank",
        "uneven-files",
        "write-gaps",
    ),
    claims=(
        # Who gets a lock late is longer at it than others.
        Claim(("writes", "imbalance")),
        *waited_for_storage(),
        Claim(("metadata",), SecondsOf("posix.seek_time")),
    ),
)

"""What takes the time of the rank that does the I/O: its bytes, its accesses, the files that it opens, or the disk."""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.core import Context, Statement, Threshold, enough_to_share_out, ours
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import linear, logarithmic

SHARE = Threshold(
    id="serial-io.share",
    title="Share of the bytes moved by the busiest rank",
    default=0.90,
    unit="share",
    stated_by=ours("serial I/O", "The guides describe one master process that does all the I/O; nearly all is ours."),
    slider=linear(0.5),
)
ALONE = Threshold(
    id="serial-io.alone-time",
    title="Share of the I/O time that one rank spends in files that it alone uses, beyond what others have",
    default=0.15,
    unit="share",
    stated_by=ours("serial I/O", "However few the bytes, the others have nothing of their own to do meanwhile."),
    slider=linear(0.1),
)
CALL_TIME = Threshold(
    id="serial-io.call-time",
    title="Average time of an access to the file that one rank alone uses, below which their number takes the time",
    default=0.01,
    unit="s",
    stated_by=ours("serial I/O", "A small access that goes to a disk takes some milliseconds."),
    slider=logarithmic(1e-5, 100.0),
)
RATE = Threshold(
    id="serial-io.rate",
    title="Rate at which the file that one rank alone uses is accessed, from which it is its bytes that take the time",
    default=float(10 * 2**20),
    unit="B/s",
    stated_by=ours(
        "serial I/O", "A fiftieth of what ARCHER's guide expects of one writer: below it, something is slow."
    ),
    slider=logarithmic(1024.0, float(2**30)),
)
METADATA = Threshold(
    id="serial-io.metadata",
    title="Share of that rank's time in metadata calls, below which its being alone is what takes the time",
    default=0.50,
    unit="share",
    stated_by=ours("serial I/O", "Beyond half it is the number of files that takes the time, whoever opens them."),
    slider=linear(0.05),
)
OPENS = Threshold(
    id="serial-io.opens",
    title="Opens and stats by that rank, below which its being alone is what takes the time",
    default=1000.0,
    unit="calls",
    stated_by=ours("serial I/O", "As many as a metadata server notices; see metadata-bound."),
    slider=logarithmic(10.0, 1e8),
)
OPEN_TIME = Threshold(
    id="serial-io.open-time",
    title="Average time of an open or stat by that rank, below which their number takes the time",
    default=0.5,
    unit="s",
    stated_by=ours("serial I/O", "A busy metadata server answers in some milliseconds, a crowded one in some tenths."),
    slider=logarithmic(1e-3, 100.0),
)
OPEN_FILES = Threshold(
    id="serial-io.open-files",
    title="Files among which that rank's time is shared, from which others could open some of them",
    default=4.0,
    unit="files",
    stated_by=ours("serial I/O", "One open that takes long is nobody's to share; four is ours."),
    slider=logarithmic(1.0, 1e6),
)
RECORDS = Threshold(
    id="serial-io.records",
    title="Small accesses from which few bytes are much to do for one rank",
    default=1000.0,
    unit="calls",
    stated_by=Statement("drishti", "small_requests_absolute", "More than 1,000 small requests."),
    slider=logarithmic(1.0, 1e8),
)
PIECE = Threshold(
    id="serial-io.small-access",
    title="Average access to the file that one rank alone uses, below which it is small",
    default=average_of(2**18),
    unit="B",
    stated_by=ours("small accesses", f"A quarter of a default stripe, as for other small accesses. {OF_AN_AVERAGE}"),
    slider=logarithmic(512.0, float(2**24)),
)
STALLED = Threshold(
    id="serial-io.stalled",
    title="Average time of such an access from which neither its size nor their number is the cause",
    default=5.0,
    unit="s",
    stated_by=ours("small accesses", "A small call takes milliseconds; one of seconds waits for what stands still."),
    slider=logarithmic(0.01, 1000.0),
)
OF_BUSY_RANK = (ALONE, CALL_TIME, RATE, METADATA, OPENS, OPEN_TIME, OPEN_FILES, RECORDS, PIECE, STALLED)
_MANY_SMALL = AllOf((Compare("balance.alone_calls", ">=", RECORDS.id), Compare("balance.alone_access", "<", PIECE.id)))
_BY_NUMBER = AllOf(
    (
        IsOneOf("balance.alone_in_one_call", ("no", "unknown")),
        AnyOf(
            (
                Compare("balance.alone_call_time", "<", CALL_TIME.id),
                AllOf((*_MANY_SMALL.of, Compare("balance.alone_call_time", "<", STALLED.id))),
            )
        ),
    )
)
"""Many small accesses take the time however slow the storage is at each: gathered, they are few."""
MOVES_MUCH = AllOf(
    (
        AnyOf((Compare("balance.alone_metadata_fraction", "<", METADATA.id), Present("profiled.time"))),
        AnyOf(
            (
                _BY_NUMBER,
                Compare("balance.alone_rate", ">=", RATE.id),
            )
        ),
    )
)
OPENS_MUCH = when_present(
    "balance.alone_metadata_fraction",
    Compare("balance.alone_metadata_fraction", ">=", METADATA.id),
    AnyOf(
        (
            when_present("balance.alone_open_time", Compare("balance.alone_open_time", "<", OPEN_TIME.id)),
            when_present("balance.alone_files", Compare("balance.alone_files", ">=", OPEN_FILES.id)),
        )
    ),
)
HAS_MUCH_TO_DO = AnyOf((MOVES_MUCH, OPENS_MUCH))
"""And does not wait in a few small accesses, or in an open or two, for a storage that stands still."""
LEAST_BYTES = enough_to_share_out("serial-io").thresholds[0]
BY_BYTES = AllOf(
    (
        Compare("balance.slowest_rank_share", ">=", SHARE.id),
        AnyOf(
            (
                Compare("io.bytes", ">=", LEAST_BYTES.id),
                when_present(
                    "posix.small_accesses",
                    Compare("posix.small_accesses", ">=", RECORDS.id),
                    when_present(
                        "posix.data_metadata_io_fraction",
                        Compare("posix.data_metadata_io_fraction", "<", METADATA.id),
                    ),
                ),
            )
        ),
    )
)
"""Of few bytes, one rank's share of them says nothing of the time, unless they are many accesses, and what all ranks
open does not take it."""
DATA_TAKES_IT = AnyOf(
    (
        Compare("balance.alone_metadata_fraction", "<", METADATA.id),
        Compare("balance.alone_opens", "<", OPENS.id),
        Present("profiled.time"),
    )
)
"""And not the number of files that the rank opens, which another rule is about: packing them cures that. What CrayPAT
counts is reads and writes alone."""
_METADATA_TAKES_IT = Compare("balance.alone_metadata_fraction", ">=", METADATA.id)
NUMBER_TAKES_IT = AllOf((_METADATA_TAKES_IT, Compare("balance.alone_opens", ">=", OPENS.id)))
_IN_METADATA = AllOf((_METADATA_TAKES_IT, Compare("balance.alone_opens", "<", OPENS.id)))
_WAITS_FOR_OPEN = AllOf(
    (
        _METADATA_TAKES_IT,
        Compare("balance.alone_open_time", ">=", OPEN_TIME.id),
        Compare("balance.alone_files", "<", OPEN_FILES.id),
    )
)
_SLOW_CALLS = AllOf(
    (Compare("balance.alone_call_time", ">=", CALL_TIME.id), Compare("balance.alone_rate", "<", RATE.id))
)

PATTERNS = ("serial", "file-per-process", "file-per-node", "shared-independent", "subfiling")
"""All but collective ones: of these one rank that is busy below the library is another matter (single-aggregator)."""


def moves_nearly_all(context: Context) -> bool:
    return context.word("io.pattern") in PATTERNS and context.holds(BY_BYTES)


def waits_for_open(context: Context) -> bool:
    """Whether an open or two are what takes the rank's time: nobody shares those out, however many bytes follow."""
    return context.holds(_WAITS_FOR_OPEN)


def is_in_metadata(context: Context) -> bool:
    """Whether that rank spends most of its time in metadata calls that are too few to be another rule's."""
    return context.holds(_IN_METADATA)


def has_small_pieces(context: Context) -> bool:
    """Whether that rank makes many small calls to one file."""
    return context.holds(_MANY_SMALL)


def waits_for_disk(context: Context) -> bool:
    """Whether that rank forces out its files, and an access takes as long as one that goes to a disk."""
    return context.holds(_SLOW_CALLS) and (context.number("balance.alone_syncs") or 0.0) > 0


def opens_many_files(context: Context) -> bool:
    """Whether the rank has so many files that none of them can be read or written in large blocks."""
    return context.holds(NUMBER_TAKES_IT)

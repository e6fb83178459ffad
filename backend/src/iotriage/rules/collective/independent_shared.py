"""Ranks access one shared file each on its own, in small or interleaved pieces.

## What it does
Looks at files that several ranks open with MPI-IO. It holds when independent calls are most of the calls **and** must
have carried most of the bytes, the accesses are smaller than a stripe, and they are interleaved with those of other
ranks or not aligned. An access is as large as nearly all of the file are, or where these differ, as the average one.
Darshan counts calls by class, never bytes; the share of the bytes is a lower bound from the size histogram.

Of files that are written without MPI-IO it holds where small pieces that are not aligned go forward in the file and
leave room that others fill, no rank is fast at it, and nobody knows the nodes. Smaller ones are `shared-log`'s. Who
knows the nodes is answered by `lock-contention`, or by `small-io` where there is but one.

A trace alone does not tell independent calls from collective ones. It holds there where the small interleaved pieces
reach the storage as the ranks make them: no rank does the I/O of another, whatever the calls are.

## Why it matters
Without collective calls the library cannot know that all ranks are writing, so the file system keeps the ranks apart
with locks: access is in effect one at a time and the stripes bring nothing. EPCC measured 49.5 MiB/s with one process
writing to a file, 5.9 with 8, and 2.4 with 64. It is only with collective calls that the full bandwidth can be had
while accessing a single file, say the guides of ARCHER and ARCHER2.

## What to do
Call the collective form of the same routines (`_all`), or ask the library on top for it. It is not the default in
HDF5 and netCDF.

## Limits
Large aligned blocks of independent writes are fine, and can be faster than collective ones; they are not reported.
Neither are the few small metadata writes of HDF5 beside collective data, nor files in the memory of a node, or on the
disk of the one node of a job, where no server keeps the ranks apart: there `small-io` judges the pieces. Nonblocking
calls are left out: Darshan cannot tell `iwrite` from `iwrite_all`.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.calls import (
    aggregate_variables,
    agree_on_offsets,
    collect_by_node,
    each_moves,
    hints,
    library_of,
    make_collective,
    site_environment,
    these_files,
)
from iotriage.rules.advice.hdf5_metadata import MAKE_METADATA_COLLECTIVE
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
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import SHARED_FILE, Claim, ShareOf
from iotriage.rules.core.condition import (
    MAY_BE_SERVED,
    ON_STORAGE,
    SHARED_FILES,
    AllOf,
    AnyOf,
    Compare,
    Condition,
    IsOneOf,
    all_of,
    any_of,
    clear_where_whole,
    when_present,
)
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import (
    bounded,
    formatted,
    number,
    paragraph,
    printable,
    sentence,
    share,
)
from iotriage.sites.mounts import types_of

CALLS = Threshold(
    id="independent-shared.calls-fraction",
    title="Independent calls over all MPI-IO calls",
    default=0.50,
    unit="share",
    stated_by=Statement(
        "archer2-io",
        "I/O profiling",
        "A large number of independent operations compared with collective ones means an inefficient pattern; "
        "no number is given, half is ours.",
    ),
)
BYTES = Threshold(
    id="independent-shared.bytes-fraction",
    title="Share of the bytes that independent calls must have carried",
    default=0.50,
    unit="share",
    stated_by=ours("independent bytes", "Calls alone mislead: HDF5 writes its metadata independently."),
)
SIZE = Threshold(
    id="independent-shared.transfer-size",
    title="Typical access below which independent calls contend",
    default=float(2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "Transfers are best of the stripe size or a multiple of it, aligned to 1 MiB.",
    ),
    slider=logarithmic(4096.0, float(2**26)),
)
IN_ORDER = interleaved_threshold("independent-shared", "Accesses")
ALIGNED = Threshold(
    id="independent-shared.misaligned-fraction",
    title="Accesses that are not aligned",
    default=0.50,
    unit="share",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "It helps when I/O is aligned to 1 MiB boundaries; no share is given, half is ours.",
    ),
)
GAPS = Threshold(
    id="independent-shared.gap-fraction",
    title="System writes that do not begin where the last one ended",
    default=0.50,
    unit="share",
    stated_by=ours("interleaving", "MPICH_MPIIO_STATS shows interleaving as gaps: other ranks' records."),
)
BACK = Threshold(
    id="independent-shared.random",
    title="Share of the POSIX accesses that go back in the file, up to which pieces lie in turn",
    default=0.20,
    unit="share",
    stated_by=Statement("drishti", "random_operations", "More than a fifth neither sequential nor consecutive."),
)
SPAN = Threshold(
    id="independent-shared.span",
    title="Span of the bytes written over their number, up to which ranks fill the gaps between one another's pieces",
    default=1.1,
    unit="ratio",
    stated_by=ours("small accesses", "Holes that nobody fills keep the ranks apart: that is a sparse layout."),
    slider=logarithmic(1.0, 1e6),
)
PIECE = Threshold(
    id="independent-shared.record",
    title="Average POSIX write, from which it is a piece of data and no record of a log",
    default=average_of(4096),
    unit="B",
    stated_by=ours("shared logs", f"A page: what is less than that is no block of data. {OF_AN_AVERAGE}"),
    slider=logarithmic(16.0, float(2**20)),
)
RATE = Threshold(
    id="independent-shared.rank-rate",
    title="Rate of a rank in such POSIX writes, from which nobody is in its way",
    default=100 * 2.0**20,
    unit="B/s",
    stated_by=ours("small accesses", "A fifth of what a serial writer gets; who waits for a lock moves far less."),
    slider=logarithmic(1e5, 1e11),
)

SHARED = Citation("archer2-io", "Single file, multiple writers without collective operations")


def _independent(direction: str) -> tuple[Condition, ...]:
    """Independent and small."""
    return (
        Compare(f"mpiio.independent_{direction}_fraction", ">=", CALLS.id),
        _small(direction),
    )


def _small(direction: str) -> Condition:
    return Compare(f"mpiio.typical_{direction}_size", "<", SIZE.id)


def _in_pieces(direction: str) -> Condition:
    """A rank mostly does not go on where it stopped."""
    return Compare(f"posix.consecutive_{direction}_fraction", "<", IN_ORDER.id)


_NOT_ALIGNED = Compare("posix.misaligned_fraction", ">=", ALIGNED.id)
_WITH_GAPS = when_present("mpiio.write_gap_fraction", Compare("mpiio.write_gap_fraction", ">=", GAPS.id))


def _apart(direction: str) -> Condition:
    """Independent, small, and in each other's way, in one direction."""
    in_the_way = any_of(_in_pieces(direction), _NOT_ALIGNED, _WITH_GAPS)
    return when_present(f"mpiio.independent_{direction}_fraction", *_independent(direction), in_the_way)


_ALONE = when_present(
    "file.writing_nodes_known",
    IsOneOf("io.layer", ("POSIX",)),
    IsOneOf("file.writing_nodes_known", ("no",)),
    when_present("posix.average_write_size", Compare("posix.average_write_size", ">=", PIECE.id)),
    any_of(
        when_present("file.stripe_count"),
        when_present("file.mount_type", IsOneOf("file.mount_type", types_of("lustre", "gpfs"))),
    ),
)
"""Files that are written without MPI-IO by nobody knows how many nodes, where servers keep nodes apart by locks."""

_BETWEEN = when_present(
    "file.writing_nodes_known",
    _ALONE,
    Compare("posix.typical_write_size", "<", SIZE.id),
    _in_pieces("write"),
    _NOT_ALIGNED,
    Compare("posix.random_fraction", "<=", BACK.id),
    Compare("posix.rank_rate", "<", RATE.id),
    clear_where_whole(
        when_present("file.written_span_over_bytes", Compare("file.written_span_over_bytes", "<=", SPAN.id))
    ),
)
"""Pieces without MPI-IO that lie between those of other ranks."""


def _passed_on(direction: str) -> Condition:
    return when_present(f"mpiio.typical_{direction}_size", _small(direction), _in_pieces(direction))


_AS_MADE = when_present(
    "mpiio.passed_on",
    IsOneOf("mpiio.passed_on", ("yes",)),
    AnyOf(tuple(when_present(f"mpiio.typical_{direction}_size") for direction in ("write", "read"))),
)
_BY_TRACE = when_present("mpiio.passed_on", _AS_MADE, any_of(_passed_on("write"), _passed_on("read")))
"""Pieces that a trace shows to reach the storage as the ranks make them."""


def _of_trace(context: Context) -> Words:
    return Words(
        "Ranks access a shared file each on its own, in small interleaved pieces.",
        paragraph(
            sentence("On {}:", these_files(context)),
            *(
                sentence(
                    f"{{}} {way}s of {{}}, of which {{}} go on where the rank stopped.",
                    formatted(context.number(f"posix.{way}s") or None, number),
                    each_moves(context, f"mpiio.{{}}_{way}_size"),
                    formatted(context.number(f"posix.consecutive_{way}_fraction"), share),
                )
                for way in ("write", "read")
            ),
            "They reach the storage as the ranks make them: the calls are independent, or collective without "
            "collective buffering. A trace does not tell which.",
        ),
    )


def _tells_kinds(context: Context) -> bool:
    """Whether independent calls are told from collective ones."""
    return any(context.number(f"mpiio.independent_{way}_fraction") is not None for way in ("write", "read"))


def _without_mpi_io(context: Context) -> bool:
    return context.word("io.layer") == "POSIX" and not _tells_kinds(context)


def _by_trace_alone(context: Context) -> bool:
    return context.word("mpiio.passed_on") is not None and not _tells_kinds(context)


def _of_posix(context: Context) -> Words:
    written = formatted(context.number("posix.writes"), number)
    return Words(
        "Ranks write a shared file each on its own, in small interleaved pieces.",
        paragraph(
            sentence(
                "On {}: {} writes of {}, of which {} go on where the rank stopped.",
                these_files(context),
                written,
                each_moves(context, "posix.{}_write_size"),
                formatted(context.number("posix.consecutive_write_fraction"), share),
            ),
            sentence(
                "Of the accesses, {} are not aligned.", formatted(context.number("posix.misaligned_fraction"), share)
            ),
            "Where the ranks are on several nodes, these take one another's locks.",
        ),
    )


def says(context: Context) -> Words:
    if _without_mpi_io(context):
        return _of_posix(context)
    if _by_trace_alone(context):
        return _of_trace(context)
    return Words(
        f"Ranks access a shared file independently, in {_pieces(context)}.",
        paragraph(
            sentence("On {}:", these_files(context)),
            *(_directions(context)),
            sentence(
                "Independent calls carried {} of the bytes.",
                formatted(
                    context.number("mpiio.independent_bytes_lower_fraction"),
                    lambda least: "all" if least >= 1 else bounded("at least ", share(least)),
                ),
            ),
            _shared_pointer(context),
            "Pieces as small as these that are read more than once are mostly HDF5's own metadata."
            if _reads_metadata(context)
            else None,
        ),
    )


def _shared_pointer(context: Context) -> str | None:
    file = context.word("mpiio.shared_pointer")
    return (
        file and f"The ranks take their places from one pointer: each call locks, reads and writes {printable(file)}."
    )


def _reads_metadata(context: Context) -> bool:
    """Whether all pieces are as small as HDF5's own, and read more than once: by several ranks, as a rule."""
    often, each = context.number("posix.times_read"), context.number("mpiio.typical_read_size")
    if often is None or each is None or context.number("io.bytes_written"):
        return False
    return library_of(context) == "HDF5" and often >= OFTEN and each <= OF_METADATA


OFTEN, OF_METADATA = 2.0, 1024
"""Times that a byte is read, as `redundant-reads` has it, and bytes of a piece up to which it may be one of HDF5's own,
as `hdf5-independent-metadata` has it."""


def _pieces(context: Context) -> str:
    if _reads_metadata(context):
        return "small pieces that are read more than once"
    ways = [all_of(*_independent(way), _in_pieces(way)) for way in ("write", "read")]
    if any(map(context.holds, (*ways, _WITH_GAPS))):
        return "small interleaved pieces"
    return "small pieces that are not aligned" if context.holds(_NOT_ALIGNED) else "small pieces"


def _directions(context: Context) -> list[str | None]:
    return [
        sentence(
            f"{{}} independent {plural}, {{}} of the {plural}, {{}}.",
            formatted(context.number(f"mpiio.independent_{direction}s") or None, number),
            formatted(context.number(f"mpiio.independent_{direction}_fraction"), share),
            each_moves(context, f"mpiio.{{}}_{direction}_size"),
        )
        for direction, plural in (("write", "writes"), ("read", "reads"))
    ]


MANY_CALLS = 100
"""Of one rank: so many collective calls in their place would pay their start-up each."""


def _once_a_step(context: Context) -> tuple[Advice, ...]:
    """What must go with collective calls where a rank makes many small ones; nothing where it makes few."""
    counted = "posix." if _by_trace_alone(context) else "mpiio.independent_"
    calls = sum(context.number(f"{counted}{way}") or 0.0 for way in ("writes", "reads"))
    ranks = context.number("job.nprocs")
    if not ranks or calls / ranks < MANY_CALLS:
        return ()
    text = (
        f"Make one collective call of the pieces of a step, not one of each of the {number(round(calls / ranks))} that "
        "a rank makes: each waits for all ranks, and many small collective calls can be slower than these."
    )
    return (in_program(text, citation=SHARED),)


def _buffered(context: Context) -> tuple[Advice, ...]:
    """For calls that are collective, which a trace does not tell."""
    ways = [way for way in ("write", "read") if context.number(f"posix.{way}s")]
    text = "Where the calls are collective already, switch collective buffering on."
    return hints(context, text, SHARED, *((f"romio_cb_{way}", "enable") for way in ways))


def advise(context: Context) -> tuple[Advice, ...]:
    if _without_mpi_io(context):
        return (make_collective(context), collect_by_node(SHARED), *site_environment(context))
    if _by_trace_alone(context):
        return (
            make_collective(context),
            *_buffered(context),
            *_once_a_step(context),
            *site_environment(context),
        )
    writes, reads = (context.holds(AllOf(_independent(way))) for way in ("write", "read"))
    shared = context.word("mpiio.shared_pointer") is not None and not reads
    first = (
        agree_on_offsets("Instead of the shared file pointer", SHARED)
        if shared
        else make_collective(context, reads=None if writes == reads else reads)
    )
    return (
        *((MAKE_METADATA_COLLECTIVE,) if _reads_metadata(context) else ()),
        first,
        *_once_a_step(context),
        *aggregate_variables(context),
        *site_environment(context),
    )


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "the calls were collective and buffered")


rule = Rule(
    id="independent-shared",
    title="Independent access to a shared file",
    clear_title="Shared files are accessed collectively, or in large blocks",
    scope="group",
    severity="high",
    priority=25,
    carries=share_of_job,
    requires=all_of(
        SHARED_FILES,
        ON_STORAGE,
        MAY_BE_SERVED,
        any_of(
            when_present("mpiio.independent_write_fraction"),
            when_present("mpiio.independent_read_fraction"),
            _ALONE,
            _AS_MADE,
        ),
    ),
    condition=any_of(
        all_of(
            any_of(_apart("write"), _apart("read")),
            Compare("mpiio.independent_bytes_lower_fraction", ">=", BYTES.id),
        ),
        _BETWEEN,
        _BY_TRACE,
    ),
    thresholds=(CALLS, BYTES, SIZE, IN_ORDER, ALIGNED, GAPS, BACK, SPAN, PIECE, RATE),
    citations=(
        SHARED,
        Citation("archer-bpg", "Summary of performance advice"),
        Citation("theta-io", "Extent lock contention"),
        Citation("epcc-pio", "slides 16–21"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
        "misaligned-io",
        "lock-contention",
        "system-writes-not-stripe-sized",
        "write-gaps",
        "redundant-reads",
    ),
    claims=(
        Claim(SHARED_FILE, ShareOf("mpiio.independent_bytes_lower_fraction")),
        Claim(("writes", "imbalance"), when=_BETWEEN),
        Claim(SHARED_FILE, when=_BY_TRACE),
    ),
)

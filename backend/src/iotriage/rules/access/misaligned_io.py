"""Shared files are written across the boundaries of the file system's blocks.

## What it does
Takes the share of accesses that do not begin on a block, where the block is the stripe on Lustre and the file system's
block elsewhere, and what of them can cross the end of one. It holds for shared files that are written in pieces of up
to a few blocks. Pieces that go into a block, one after the other from its beginning, cross none, however few begin on
one.

## Why it matters
A write that crosses a boundary goes to two servers, and locks two blocks; its neighbour's write does the same from the
other side. ARCHER's guide: transfers are best of the stripe size or a multiple of it, aligned to 1 MiB. On GPFS two
ranks that write parts of one block pass its token to and fro.

## What to do
Round each rank's offset up to a whole block; ask HDF5 to place large objects on block boundaries. Where more nodes
write than the file has stripes, write collectively, with collective buffering: then each stripe has one writer, and it
writes whole blocks. Where a library writes for all ranks already, it is told the stripe size.

## Limits
Darshan keeps how many accesses begin on a block and the commonest sizes, not both of one access: the share that crosses
is the most that they allow. Darshan takes 1 MiB as the block of every Lustre file system: with larger stripes the share
is a lower bound. Where no source has the stripes of a file on Lustre, and it is no faster than one OST, no seconds are
put to this: one stripe would take them too. Writes of many blocks cross boundaries at their ends only, and are not
reported. Neither are files of one rank each, whose neighbours are their own, nor file systems without blocks that are
locked: NFS, and the disks and memory of nodes; nor jobs on one node, which has all locks. Small,
independent or interleaved accesses are misaligned as a matter of course: `small-io`, `independent-shared`,
`lock-contention`, `collective-disabled` and `read-modify-write` name the cause, and explain this one. Where most pieces
begin within a block and are so small that hardly one crosses its end, the rule does not apply: `small-io` judges their
size.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.metrics.core.documented import UNSTRIPED_FILE
from iotriage.metrics.tables.mounts import PARALLEL
from iotriage.rules.advice.calls import each_moves, hints, library_named, make_collective, these_files, through_mpi_io
from iotriage.rules.advice.snippets import aligned
from iotriage.rules.collective.collective_disabled import SHARE as MOVE_THEIR_OWN
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
from iotriage.rules.core.action import EditCode
from iotriage.rules.core.advice import in_program
from iotriage.rules.core.claim import WRITES_OF_FEW, Claim, ProductOf, ShareOf, ShortOf, waited_for_storage
from iotriage.rules.core.condition import SHARED_FILES, Compare, IsOneOf, Present, all_of, any_of, when_present
from iotriage.rules.core.saving import documented_saving_or_share
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, sentence, share, size
from iotriage.sites.mounts import types_of

FRACTION = Threshold(
    id="misaligned-io.fraction",
    title="Accesses not aligned to the stripe or block",
    default=0.50,
    unit="share",
    stated_by=ours(
        "alignment",
        "Drishti takes a tenth, and then nearly every job has it (99 % of the logs it can fire on); half is ours.",
    ),
)
CROSSING = Threshold(
    id="misaligned-io.crossing",
    title="Accesses that can cross the boundary of a stripe or block",
    default=0.10,
    unit="share",
    stated_by=Statement("drishti", "misaligned_requests", "More than a tenth of the accesses misaligned are too many."),
)
BLOCKS = Threshold(
    id="misaligned-io.write-over-block",
    title="Typical write, in blocks, above which only its ends are misaligned",
    default=average_of(8),
    unit="ratio",
    stated_by=ours("alignment", f"A write of eight blocks touches a ninth: an eighth more. {OF_AN_AVERAGE}"),
    slider=logarithmic(0.1, 1024.0),
)
BLOCK = Threshold(
    id="misaligned-io.block",
    title="Smallest block that is worth aligning to",
    default=float(2**16),
    unit="B",
    stated_by=ours("alignment", "Blocks of local disks and NFS (4 KiB) are below what a program can align to."),
    slider=logarithmic(512.0, float(2**26)),
)

WRITES = Threshold(
    id="misaligned-io.writes",
    title="Share of the bytes that are written, from which writes are judged",
    default=0.25,
    unit="share",
    stated_by=ours("alignment", "Darshan counts misaligned reads and writes together, and reads take no locks."),
)

ONE_OST = Threshold(
    id="misaligned-io.one-ost",
    title="Rate up to which a file on Lustre whose stripes nobody states may lie on one OST",
    default=UNSTRIPED_FILE,
    unit="B/s",
    stated_by=Statement(
        "archer2-io", "I/O profiling", "No more than around 1 GB/s is expected of a file that is not striped."
    ),
    slider=logarithmic(1e7, 1e11),
)

ALIGNED = Citation("archer-bpg", "Lustre basic concepts")
BUFFERED = Citation("theta-io", "Cray MPI-IO Overview")


def says(context: Context) -> Words:
    return Words(
        "Writes to a shared file cross the boundaries of its stripes or blocks.",
        paragraph(
            sentence(
                "On {}, {} of the accesses are not aligned to {}.",
                these_files(context),
                formatted(context.number("posix.misaligned_block_fraction"), share),
                formatted(context.number("posix.block_size"), size),
            ),
            sentence("Up to {} of all cross a boundary.", formatted(context.number("posix.crossing_fraction"), share)),
            sentence("A write moves {}.", each_moves(context, "posix.{}_write_size")),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    block = int(context.number("posix.block_size") or 2**20)
    begun, unit = _begin_on_blocks(context, block), _state_stripe_size(context, block)
    if _library_cuts(context):
        return (*unit, begun)
    if (context.number("file.writing_nodes_per_stripe") or 0.0) > 1:
        return (*_one_writer_a_stripe(context), begun, *unit)
    return (begun, *unit)


def _one_writer_a_stripe(context: Context) -> tuple[Advice, ...]:
    if context.word("io.pattern") != "shared-collective":
        return (make_collective(context),)
    if context.number("mpiio.effective_share") is None:
        return ()
    text = "The calls are collective, and each rank writes its own pieces: switch collective buffering on."
    return hints(context, text, BUFFERED, ("romio_cb_write", "enable"))


def _library_cuts(context: Context) -> bool:
    """Whether a few ranks write for all: where their pieces begin is the library's choice, and not the program's."""
    return context.word("io.pattern") == "shared-collective" and context.holds(
        Compare("mpiio.effective_share", "<", MOVE_THEIR_OWN.id)
    )


def _begin_on_blocks(context: Context, block: int) -> Advice:
    lines = _aligned(context, block)
    if lines is not None:
        return advice(f"Let each rank's part begin on a multiple of {size(block)}.", lines, citation=ALIGNED)
    text = (
        f"Where the format allows it, let each piece begin on a multiple of {size(block)} and be one or more of "
        "these long. Pieces of several ranks that interleave are better put together by collective calls, whose "
        "aggregators write whole blocks."
    )
    return in_program(text, ALIGNED)


def _state_stripe_size(context: Context, block: int) -> tuple[Advice, ...]:
    if not through_mpi_io(context) or not context.maybe_on_lustre:
        return ()
    unit = EditCode(
        f'MPI_Info_set(info, "striping_unit", "{block}");     /* before the file is made */',
        f"call MPI_Info_set(info, 'striping_unit', '{block}', ierror)     ! before the file is made",
        mpi=True,
    )
    text = "Tell the library the stripe size when the file is made, so that it cuts its own transfers there."
    return (advice(text, unit, citation=Citation("theta-io", "Striping implementation notes")),)


def _aligned(context: Context, block: int) -> EditCode | None:
    """How the library that writes the files is told to begin on multiples of `block` bytes; None where a program's own
    pieces interleave and are smaller: each would take a block, and the file become holes."""
    if context.api == "HDF5" or (context.api == "MPI-IO" and library_named(context.file) == "HDF5"):
        return aligned("HDF5", block)
    if context.api == "PnetCDF":
        return aligned("PnetCDF", block)
    in_order = (context.number("posix.consecutive_write_fraction") or 0.0) >= IN_ORDER
    if not in_order and (context.number("posix.write_over_block") or 0.0) < 1:
        return None
    return EditCode(
        f"offset = (offset + {block} - 1) / {block} * {block};     /* MPI_Offset: where the rank's part begins */",
        f"offset = (offset + {block} - 1) / {block} * {block}     ! integer(MPI_OFFSET_KIND)",
        mpi=True,
    )


IN_ORDER = 0.5
"""Of a rank's writes that go on where the last ended: from here on its part of the file is in one piece, or in few."""


def impact(context: Context) -> Impact | None:
    why = "if a third of the time is for the second server and its lock"
    cure = "each piece began where a stripe or block does"
    return documented_saving_or_share(context, cure, least=A_THIRD, why=why, osts="file.osts")


A_THIRD = 1 / 3
"""Of the time of writes that go to two servers instead of one: two requests and locks for the same bytes. The number
is ours."""


_TELLS = any_of(
    Compare("posix.misaligned_block_fraction", "<", FRACTION.id),
    Compare("posix.crossing_fraction", ">=", CROSSING.id),
    Compare("posix.write_over_block", ">=", BLOCKS.id),
)
"""Of small pieces hardly one begins on a block, and hardly one crosses the end of it: they are not in order for that,
and it is their size that matters."""

_OF_BLOCKS = tuple(sorted(PARALLEL.difference(types_of("lustre"))))
_PLACED = any_of(
    Present("file.stripe_count"),
    IsOneOf("file.mount_type", _OF_BLOCKS),
    Compare("io.bandwidth", ">", ONE_OST.id),
)
"""A file on Lustre whose stripes nobody states may lie on one OST, and its writes be as slow if they were aligned."""

_OF_COLLECTIVE_CALLS = ProductOf((ShareOf("posix.crossing_fraction"), ShortOf("mpiio.independent_write_fraction")))
"""Of what ranks wait for those that write for them: pieces that they write on their own beside are not awaited."""

rule = Rule(
    id="misaligned-io",
    title="Misaligned access to a shared file",
    clear_title="Few accesses to shared files cross from one block into the next",
    scope="group",
    severity="medium",
    priority=75,
    carries=share_of_job,
    requires=all_of(
        SHARED_FILES,
        IsOneOf("file.lies_on", ("shared", "unknown")),
        # Locks are a node's: its own ranks take none from one another.
        IsOneOf("job.one_node", ("no", "unknown")),
        when_present("posix.block_size", Compare("posix.block_size", ">=", BLOCK.id)),
        when_present("posix.write_over_block"),
        when_present("posix.write_fraction", Compare("posix.write_fraction", ">=", WRITES.id)),
        _TELLS,
    ),
    condition=all_of(
        Compare("posix.misaligned_block_fraction", ">=", FRACTION.id),
        Compare("posix.write_over_block", "<", BLOCKS.id),
        Compare("posix.crossing_fraction", ">=", CROSSING.id),
    ),
    thresholds=(FRACTION, CROSSING, BLOCKS, BLOCK, WRITES, ONE_OST),
    citations=(ALIGNED, Citation("drishti", "misaligned_requests")),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation",),
    claims=(
        Claim(("writes",), ShareOf("posix.crossing_fraction"), _PLACED),
        Claim(("imbalance",), ProductOf((ShareOf("posix.crossing_fraction"), WRITES_OF_FEW)), _PLACED),
        *waited_for_storage(_OF_COLLECTIVE_CALLS, _PLACED),
    ),
)

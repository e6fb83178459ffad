"""Many small accesses.

## What it does
Counts accesses below 1 MiB and looks at the average size, at the layer that the program calls: MPI-IO for files opened
with it, POSIX for the others. The small POSIX writes under a collective MPI-IO file are the library's, and are judged
only where the library takes each call apart into many pieces, that is, where collective buffering is off.

Files in DAOS that are used through its file system layer (DFS) are judged by that layer's calls. Where only CrayPAT saw
the files, by the calls, bytes and seconds of its tables.

## Why it matters
Every access costs a trip, a lock and a queue, whatever its size. NeSI's figures for one stream are 3.3 GB/s with 8 MB
transfers against 1.3 GB/s with 4 KB on native clients, and below 1 GB/s through DVS. ARCHER's guide: parallel file
systems work best with a small number of large, contiguous requests.

## What to do
Collect data in memory and write it in blocks of a stripe or more. For shared files let collective buffering do it. For
one stream of records a larger buffer is enough.

## Limits
Accesses of exactly 1 MiB are not small: they are taken out of Darshan's 100 KiB – 1 MiB bin. A count alone does not
fire it: the average must be small too, so that small headers beside large data stay quiet. Reads and writes that the
operating system caches may cost little; time decides whether it matters. Of POSIX files with large calls too, small
ones take what the large ones can have left: each of these moved 10 MiB/s at least, and took no longer than the longest
of the record. Accesses in order, at 50 MiB/s of a rank and several GiB/s of all, are read ahead and written behind,
and share what the file system gives. Those that go back and forth and take less time than any storage are answered by
memory, and are not judged. Nor are those that take seconds each: they wait for a server that stands still, or for the
program that fills a pipe.

CrayPAT gives no sizes of single accesses: what is below 1 MiB is the least that calls and bytes allow. It counts the
calls of buffered streams too, which leave the C library in larger pieces, and its seconds are added up over ranks that
work side by side: the finding needs seconds of one rank.
"""

from __future__ import annotations

from iotriage.metrics.balance.few_movers import FEW_OF
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.metrics.tables.files.of_kernel import is_of_kernel
from iotriage.metrics.tables.mounts import OF_A_NODE
from iotriage.rules.access.fast_small_accesses import NOT_AS_LARGE_ONES, NOT_FROM_MEMORY, OF_FAST_CALLS
from iotriage.rules.access.picked_pieces import bytes_to_read, pick_by_index, picked_sentence, picks_pieces
from iotriage.rules.access.profiled_sizes import small_by_craypat
from iotriage.rules.access.small_accesses import (
    ALONE,
    AVERAGE,
    COUNT,
    FRACTION,
    LAYERS,
    PIECES,
    TAKEN_APART,
    TIME,
    TIMED,
    beside_collective,
    is_small,
    mostly_independent,
    small_at_layer,
    small_way,
    small_ways,
)
from iotriage.rules.access.stalls import NOT_STALLED, STALLED
from iotriage.rules.access.taken_apart import keep_whole, why_apart
from iotriage.rules.advice.buffering import (
    IN_BLOCKS,
    goes_over_it_again,
    in_larger_blocks,
    is_below_a_block,
    move_it_less_often,
    pieces_advised,
)
from iotriage.rules.advice.calls import (
    THEN_BUFFERED,
    aggregate_variables,
    at_least,
    buffer_small,
    make_collective,
    mostly_reads,
    these_files,
)
from iotriage.rules.advice.one_process import is_one_process, read_side_by_side
from iotriage.rules.advice.open_files import poll_less_often
from iotriage.rules.advice.scratch import move_temporary_files
from iotriage.rules.advice.stores import store_of, store_settings
from iotriage.rules.advice.system_programs import MOVERS_OF_FILES, replace_if_system_program
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import READS_OF_FEW, WRITES_OF_FEW, Claim, ShareOf
from iotriage.rules.core.condition import (
    Compare,
    Condition,
    IsOneOf,
    Present,
    all_of,
    any_of,
    when_present,
)
from iotriage.rules.core.data_files import DATA_FILES
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, share, size

RANK_TIME = Threshold(
    id="small-io.rank-time",
    title="Seconds of a rank in the calls, where CrayPAT alone counts them",
    default=10.0,
    unit="s",
    stated_by=ours("small accesses", "Buffers and caches hide small calls; ten seconds of a rank they did not."),
    slider=logarithmic(0.01, 3600.0),
)


CONCEPTS = Citation("archer-bpg", "Lustre basic concepts")


def _exchanged(way: str) -> Condition:
    """Whether the small calls are those in which ranks wait for one another: not where small independent calls stand
    beside large collective ones."""
    return any_of(
        IsOneOf("io.layer", ("POSIX", "DFS", "DAOS")),
        Present("profiled.small_accesses"),
        Compare(f"mpiio.independent_{way}_fraction", "<", ALONE.id),
        Compare("mpiio.independent_bytes_lower_fraction", ">=", ALONE.id),
    )


_OF_POSIX = {way: all_of(IsOneOf("io.layer", ("POSIX",)), is_small("posix", way)) for way in ("write", "read")}
_SMALL_THROUGH_MPI_IO = {"write": any_of(is_small("mpiio", "write"), TAKEN_APART), "read": is_small("mpiio", "read")}
_DAOS_LAYERS = (("DFS", "dfs"), ("DAOS", "daos"))
_OF_OTHERS = {
    way: any_of(
        all_of(IsOneOf("io.layer", ("MPI-IO",)), _SMALL_THROUGH_MPI_IO[way]),
        *(all_of(IsOneOf("io.layer", (layer,)), is_small(prefix, way)) for layer, prefix in _DAOS_LAYERS),
        is_small("profiled", way),
    )
    for way in ("write", "read")
}
_WRITES, _READS = (any_of(_OF_POSIX[way], _OF_OTHERS[way]) for way in ("write", "read"))
"""In which direction the accesses are small: that direction's time is theirs, of POSIX calls what they can have
taken."""

PROFILED = when_present(
    "profiled.small_accesses",
    small_at_layer("profiled"),
    Compare("profiled.time", ">=", RANK_TIME.id),
    Compare("profiled.rank_time", ">=", RANK_TIME.id),
)
"""The ranks' sum is the most that one of them can have taken: below the threshold it settles the matter."""


def says(context: Context) -> Words:
    if context.number("profiled.small_accesses") is not None:
        return small_by_craypat(context)
    layer = LAYERS.get(context.word("io.layer") or "", "posix")
    apart = context.number("mpiio.system_writes_per_call")
    none_small = not any(context.number(f"mpiio.small_{of}") for of in ("accesses", "write_fraction", "read_fraction"))
    if layer == "mpiio" and apart is not None and (context.holds(TAKEN_APART) or none_small):
        return Words(
            f"The library takes each call apart into many small writes{why_apart(context)}.",
            paragraph(
                sentence("Each MPI-IO write on {} became {} system writes", these_files(context), number(round(apart))),
                sentence("of {} on average.", formatted(context.number("posix.average_write_size"), size)),
            ),
        )
    ways = small_ways(context)
    counted = f"small_{ways[0]}s" if len(ways) == 1 and layer in TIMED else "small_accesses"
    count = context.number(f"{layer}.{counted}")
    least = at_least(context, f"{layer}.{counted}")
    small = formatted(count, lambda n: f"{least}{number(n)}")
    return Words(
        "Many small independent calls stand beside the collective ones that move most of the data."
        if layer == "mpiio" and beside_collective(context)
        else _by_few(context, small, ways)
        or sentence(
            f"The data moves in {least}{{}}.", formatted(count, lambda n: plural(n, "small access", "small accesses"))
        )
        or "The data moves in many small accesses.",
        paragraph(
            sentence(
                f"{least.capitalize()}{{}} below 1 MiB on {{}}.",
                formatted(count, lambda n: plural(n, "access", "accesses")),
                these_files(context),
            ),
            *(
                sentence(
                    f"{{}} of the {direction}s, {{}} on average.",
                    formatted(context.number(f"{layer}.small_{direction}_fraction"), share),
                    formatted(context.number(f"{layer}.average_{direction}_size"), size),
                )
                for direction in (ways or ("write", "read"))
            ),
            picked_sentence(context),
        ),
    )


def _by_few(context: Context, small: str | None, ways: list[str]) -> str | None:
    """Where few ranks do it for all, as I/O servers do, that is as much of the cause; not where these write large
    pieces, and all ranks read small ones, or have small ones in other files. Counted are those of the files that this
    is about: few may do it in several steps of the job."""
    if len(ways) == 1 and context.word("balance.movers_alike_way") not in (None, f"{ways[0]}s"):
        return None
    beside = context.word("balance.movers_alike_files") is not None
    movers, here = context.number("balance.movers_alike") or 0.0, context.number("balance.busy_ranks")
    ranks = context.number("job.nprocs")
    few = None if here is None or ranks is None or here * FEW_OF > ranks else number(here)
    if beside or here is None or not SEVERAL_MOVERS <= here <= movers:
        return None
    of_ranks = formatted(ranks, lambda n: plural(n, "rank"))
    return sentence("{} of {} move the data for all, in {} small accesses.", few, of_ranks, small)


SEVERAL_MOVERS = 2
"""Ranks that move the bytes, from which one is not alone."""


def advise(context: Context) -> tuple[Advice, ...]:
    if is_of_kernel(context.file):
        return (poll_less_often(CONCEPTS),)
    if context.word("io.layer") in ("DFS", "DAOS"):
        text = (
            "Collect the data of many accesses in memory and move it in blocks of 1 MiB or more: each is a request to "
        )
        return (in_program(f"{text}a server of DAOS, which no cache of the node holds back."),)
    if is_one_process(context) and context.holds(TAKEN_APART):
        return keep_whole(context, CONCEPTS)
    if context.word("io.layer") == "MPI-IO" and (context.word("io.pattern") in OF_ONE_RANK or _opened_by_one(context)):
        return (in_larger_blocks(context, BLOCKS, "MPI-IO", CONCEPTS, reads=small_way(context) == "read"),)
    store = None if context.word("io.layer") == "MPI-IO" else store_of(context.file)
    if store is not None:
        return (store_settings(store, context, CONCEPTS, reads=mostly_reads(context)),)
    holds, reads = context.number("file.size"), small_way(context) == "read"
    if holds and goes_over_it_again(holds, _moved_of_each(context)):
        return (move_it_less_often(these_files(context), holds, CONCEPTS, reads=reads),)
    several = context.word("io.pattern") == "shared-independent" and not _goes_on_alone(context)
    if several and picks_pieces(context):
        return (pick_by_index(context, CONCEPTS),)
    if context.word("io.layer") == "MPI-IO" or several:
        collective = context.word("io.pattern") in ("shared-collective", "subfiling") and not mostly_independent(
            context
        )
        together, small = aggregate_variables(context), small_ways(context)
        if collective and _gathered(context):
            return (*together, in_program(_fewer(context), citation=CONCEPTS))
        if collective:
            return (*together, *buffer_small(context, "Switch collective buffering on", small))
        one_way = small == ["read"] if len(small) == 1 else None
        buffered = () if beside_collective(context) else buffer_small(context, THEN_BUFFERED, small)
        return (make_collective(context, reads=one_way), *together, *buffered)
    program = context.program
    if program in MOVERS_OF_FILES:
        return replace_if_system_program(program, context.site.launcher, writes=not mostly_reads(context))
    if picks_pieces(context):
        return (*read_side_by_side(context), pick_by_index(context, CONCEPTS))
    return (
        *move_temporary_files(context),
        *read_side_by_side(context),
        in_larger_blocks(context, _blocks(context), "POSIX", CONCEPTS, reads=reads),
    )


def _moved_of_each(context: Context) -> float | None:
    moved = context.number("io.bytes")
    return moved and moved / (context.number("file.count") or 1.0)


def _blocks(context: Context) -> str:
    holds = context.number("file.size")
    files, calls = context.number("file.count") or 1.0, context.number("posix.small_accesses") or 0.0
    if is_below_a_block(holds) and files > 1 and calls < 2 * files:
        return f"Put what several of these files hold into one, and move it in {IN_BLOCKS}."
    return COLLECTED.format(pieces_advised(holds))


def _opened_by_one(context: Context) -> bool:
    """Whether each file is opened by one rank alone, who has nobody to make a collective call with."""
    return context.number("mpiio.opening_ranks") == 1


IN_ORDER = 0.5
"""Of its calls, from which a rank goes on where it stopped, so that a buffer of its own brings them together."""


def _goes_on_alone(context: Context) -> bool:
    """Whether each rank collects what it moves by itself: on storage of a node it waits for no lock of others, and in
    its memory for no disk."""
    if context.word("file.lies_on") == "node-memory":
        return True
    in_order = context.number(f"posix.consecutive_{small_way(context)}_fraction")
    return context.word("file.lies_on") in OF_A_NODE and in_order is not None and in_order >= IN_ORDER


COLLECTED = (
    "Collect the data of many accesses in memory and move it in {}; for one stream of records, a larger buffer is "
    "enough."
)
BLOCKS = COLLECTED.format(IN_BLOCKS)


FEWER_CALLS = (
    "Make fewer calls: the library puts them together already, and in each of them all ranks wait for one another. "
    "Collect what several calls move in memory, and move it in one."
)


def _fewer(context: Context) -> str:
    """Of calls; or of files, where each rank makes one call a file, or may do so."""
    files = context.files or 1
    calls, ranks = context.number(f"mpiio.collective_{small_way(context)}s"), context.number("job.nprocs")
    if files == 1 or (calls is not None and ranks and calls >= 2 * ranks * files):
        return FEWER_CALLS
    if calls is None or not ranks:
        return f"{FEWER_CALLS} Where each rank makes one call a file already, let one file have what several have now."
    return (
        "Let one file have what several have now: each rank makes one call a file already, the library puts these "
        "together, and in each of them all ranks wait for one another."
    )


def _gathered(context: Context) -> bool:
    """Whether what reaches the storage is large, or of many calls each, though the calls are small: collective
    buffering is at work."""
    way = small_way(context)
    storage = (f"posix.average_{way}_size", f"mpiio.system_{way}_average")
    metric = next((id for id in storage if context.number(id)), None)
    if metric is None:
        return False
    call = context.number(f"mpiio.average_{way}_size")
    joined = call is not None and (context.number(metric) or 0.0) >= TOGETHER * call
    return joined or context.holds(Compare(metric, ">=", AVERAGE.id))


TOGETHER = 10
"""Small calls in one access to the storage, from which something puts them together."""


def impact(context: Context) -> Impact | None:
    if context.word("io.layer") in ("DFS", "DAOS"):
        return None  # the documented rates are those of Lustre
    if picks_pieces(context):
        return None  # nothing says what an index spares
    holds = context.number("file.size")
    if goes_over_it_again(holds, _moved_of_each(context)):
        # How often it has to be written nobody knows.
        reads, every = small_way(context) == "read", (holds or 0.0) * (context.number("file.count") or 1.0)
        return documented_saving(context, "it were read once", bytes_left=every) if reads else None
    between, cure = bytes_to_read(context), "the data moved in pieces of 1 MiB or more"
    return documented_saving(context, cure, bytes_left=between, as_now=True)


rule = Rule(
    id="small-io",
    title="Many small accesses",
    clear_title="No small accesses that matter",
    scope="group",
    severity="medium",
    priority=70,
    carries=share_of_job,
    requires=all_of(
        any_of(IsOneOf("io.layer", ("MPI-IO", "POSIX", "DFS", "DAOS")), Present("profiled.small_accesses")),
        DATA_FILES,
    ),
    condition=any_of(
        when_present("io.layer", IsOneOf("io.layer", ("MPI-IO",)), any_of(small_at_layer("mpiio"), TAKEN_APART)),
        when_present(
            "io.layer",
            IsOneOf("io.layer", ("POSIX",)),
            small_at_layer("posix"),
            NOT_FROM_MEMORY,
            NOT_AS_LARGE_ONES,
            NOT_STALLED,
        ),
        *(
            when_present("io.layer", IsOneOf("io.layer", (layer,)), small_at_layer(prefix))
            for layer, prefix in _DAOS_LAYERS
        ),
        PROFILED,
    ),
    thresholds=(
        FRACTION,
        COUNT,
        AVERAGE,
        PIECES,
        RANK_TIME,
        *OF_FAST_CALLS,
        STALLED,
        TIME,
        ALONE,
    ),
    citations=(
        CONCEPTS,
        Citation("nesi-io", "Nodes which access storage via native Spectrum Scale Clients"),
        Citation("drishti", "small_requests, small_requests_absolute"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "misaligned-io",
        "system-writes-not-stripe-sized",
    ),
    claims=(
        Claim(("writes",), when=_OF_OTHERS["write"]),
        Claim(("reads",), when=_OF_OTHERS["read"]),
        Claim(("writes",), ShareOf("posix.small_write_time_fraction"), _OF_POSIX["write"]),
        Claim(("reads",), ShareOf("posix.small_read_time_fraction"), _OF_POSIX["read"]),
        Claim(("exchange",), when=all_of(_WRITES, _exchanged("write"))),
        Claim(("exchange",), when=all_of(_READS, _exchanged("read"))),
        Claim(("imbalance",), WRITES_OF_FEW, when=_WRITES),
        Claim(("imbalance",), READS_OF_FEW, when=_READS),
    ),
)

"""The same bytes are read again and again.

## What it does
Compares the bytes that the system read with the size of what was read; of files that the run writes too, with what it
wrote. It holds when each byte was read twice or more: by every rank, again and again, or by a library that fetches
the holes between the pieces that a call asks for. For the last it compares the bytes read below MPI-IO with those that
the program asked for, whatever the file's size. It holds too for files that one process each wrote over and read back
several times on a shared file system: scratch data, which nobody else needs; and for files that the steps of a job
read four times or more, each step all of them once.

## Why it matters
Ten thousand ranks that read the same input of 1 GB move 10 TB. The first copy comes from the disks, the others at best
from the caches of servers, through the same network, while everybody waits. A case study at Argonne had a program that
read 66 TiB from each of eight files.

## What to do
Let one rank read a small file and broadcast it. Let each rank read its own part of a large one, with one collective
call for all. What a rank reads of a file of its own, it can keep in memory. Let a call ask for a contiguous region, so
that there are no holes to fetch.

## Limits
Darshan does not say which bytes were read, only how many and up to where: a file that was read in part only may have
been read more often than stated. What the node's page cache answered counts as read. A program that needs its input
again in every epoch or step is reported too: whether to keep it in memory is its choice. In a run with less than a
second of I/O the share of the time says nothing, and the pattern alone is told, at info. Where collective buffering is
off, or the calls are independent, the holes are put under those findings; small and scattered reads of the same
files are put under this one, for what is not read at all need not be read in larger pieces.
"""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.access.lookups import looks_nothing_up, scattered_threshold, small_read_threshold
from iotriage.rules.access.page_cache import memory_threshold, waits_for_storage
from iotriage.rules.access.rereads import (
    CASE_STUDY,
    all_readers,
    by_all_ranks,
    bytes_read_sentence,
    copied_to_nodes,
    each_reads_all,
    in_memory_of_the_node,
    is_of_one_rank,
    keep_in_memory,
    often_read_threshold,
    single_read_saving,
    times_read_sentence,
    times_read_threshold,
)
from iotriage.rules.access.scratch_files import OF_SCRATCH, SCRATCH, scratch_words, single_use_saving
from iotriage.rules.advice.array_files import keep_chunks, open_together, read_and_broadcast
from iotriage.rules.advice.calls import NAMED_PACKED, RECORDS, hints, mostly_reads, read_together, these_files
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.open_files import wait_for_change
from iotriage.rules.advice.samples import about_samples, holds_weights, surely_holds_weights
from iotriage.rules.advice.scratch import keep_scratch_in_memory, move_reread_files, use_node_disk
from iotriage.rules.advice.stores import store_of, store_settings
from iotriage.rules.advice.tools import is_a_tool
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    share_of_job_or_reading,
)
from iotriage.rules.core.claim import BeyondOnce, Claim, ProductOf, ShareOf
from iotriage.rules.core.condition import Compare, Condition, IsOneOf, all_of, any_of, clear_where_whole, when_present
from iotriage.rules.core.data_files import DATA_FILES
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, how_often, number, paragraph, sentence, size

TIMES, OFTEN = times_read_threshold("redundant-reads", "files"), often_read_threshold("redundant-reads", "files")
FETCHED = Threshold(
    id="redundant-reads.fetched",
    title="Bytes that the library fetched for each byte asked for",
    default=2.0,
    unit="ratio",
    stated_by=ours("amplification", "More holes than data; data sieving rightly fetches small ones."),
    slider=logarithmic(1.0, 1000.0),
)
EXTRA = Threshold(
    id="redundant-reads.extra",
    title="Share of bytes that reading once would avoid",
    default=0.10,
    unit="share",
    stated_by=ours("significance", "Below a tenth of the bytes, reading once would change little."),
)
AT_AN_OPEN = Threshold(
    id="redundant-reads.bytes-at-an-open",
    title="Bytes moved per open of a file, from which reading it often comes before what else slows it",
    default=float(2**20),
    unit="B",
    stated_by=ours("amplification", "A small file that is opened for each reading costs its opening most."),
    slider=logarithmic(1024.0, float(2**30)),
)
LEAST = Threshold(
    id="redundant-reads.least-bytes",
    title="Bytes read from which a broadcast is worth its lines",
    default=float(2**16),
    unit="B",
    stated_by=ours("amplification", "Every interpreter reads a few hundred bytes twice when it starts."),
    slider=logarithmic(1.0, float(2**40)),
)
OF_STEPS = Threshold(
    id="redundant-reads.steps",
    title="Times that the steps of a job read the same files as a whole",
    default=4.0,
    unit="ratio",
    stated_by=ours("amplification", "Two or three programs that look at one result in turn are a usual chain."),
    slider=logarithmic(2.0, 1000.0),
)
SCATTERED, LOOKED_UP = scattered_threshold("redundant-reads"), small_read_threshold("redundant-reads")
MEMORY = memory_threshold("redundant-reads")
OF_A_RANK = Threshold(
    id="redundant-reads.of-a-rank",
    title="Times that a rank reads as much as its files hold, from which it reads them in whatever order",
    default=0.90,
    unit="ratio",
    stated_by=ours("random reads", "Once: then a rank asks for all of the file, but for a tenth."),
    slider=logarithmic(0.01, 1000.0),
)

COLLECTIVES = Citation("theta-io", "Cray MPI-IO Collectives")
_WHOLE_FILE, _ONCE = 0.5, 1.5
"""Times that a file is read for each rank, between which one reading that is sent to all can take the place of theirs:
of more readings nobody can say whose they are, as where each rank goes over its own part in every epoch."""
_SMALL_FILE = 2**26
"""64 MiB: up to this size a file is broadcast whole rather than shared out."""


ALONE = 0.5
"""Share of the bytes that independent calls move at least, from which it is data sieving that fetches the holes: beside
collective calls, many small ones are a library's own."""


PASSED_THROUGH = looks_nothing_up(
    SCATTERED,
    LOOKED_UP,
    all_of(Compare("posix.rank_times_read", ">=", OF_A_RANK.id), waits_for_storage(MEMORY)),
)
"""Not small reads at random places, which are no reading of the same bytes, however many they are: their time is that
of random accesses, or of memory. Where each rank asks for as much as the file holds, and waits for it, the order in
which it does changes nothing."""

READ_OFTEN = all_of(
    Compare("posix.times_read", ">=", OFTEN.id),
    when_present("file.bytes_per_open", Compare("file.bytes_per_open", ">=", AT_AN_OPEN.id)),
    PASSED_THROUGH,
)
"""So often that whatever slows each reading, as where the files lie, matters less than their number; but for small
files that are opened for each, of which others say what is wrong with them."""

READ_A_FEW_TIMES = all_of(
    any_of(
        Compare("posix.times_read", "<", OFTEN.id),
        when_present("file.bytes_per_open", Compare("file.bytes_per_open", "<", AT_AN_OPEN.id)),
    ),
    PASSED_THROUGH,
)

OPENED_AGAIN = ProductOf((BeyondOnce("posix.times_read"), ShareOf("posix.opening_fraction")))

HOLES = when_present(
    "mpiio.read_amplification",
    Compare("mpiio.read_amplification", ">=", FETCHED.id),
    Compare("mpiio.fetched_fraction", ">=", EXTRA.id),
)
"""A library fetched what lies between the pieces that a call asks for. Of a file that is read whole those are the bytes
that are read again."""

STEPS = when_present(
    "posix.steps_times_read",
    IsOneOf("io.pattern", OF_ONE_RANK),
    Compare("posix.steps_times_read", ">=", OF_STEPS.id),
    Compare("posix.times_read", "<", TIMES.id),
)
"""Programs that follow one another, one process of each of which reads once what those before it read: what the ranks
of several nodes read together fits on none of them."""


READ_AGAIN = when_present(
    "posix.times_read",
    Compare("posix.times_read", ">=", TIMES.id),
    Compare("posix.reread_fraction", ">=", EXTRA.id),
    PASSED_THROUGH,
)

Way = Literal["holes", "scratch", "steps", "again"]
WAYS: tuple[tuple[Way, Condition, str], ...] = (
    ("holes", HOLES, "mpiio.read_amplification"),
    ("scratch", SCRATCH, "file.times_read_back"),
    ("steps", STEPS, "posix.steps_times_read"),
    ("again", READ_AGAIN, "posix.times_read"),
)
"""The ways in which more is read than once, and by how much."""


def _way(context: Context) -> Way:
    """The first that holds; where none does by the numbers of the words, that in which most is read."""
    held = next((way for way, condition, _ in WAYS if context.holds(condition)), None)
    return held or max(reversed(WAYS), key=lambda one: context.number(one[2]) or 0.0)[0]


def _from_memory(context: Context) -> bool:
    """Whether a rank reads as fast as memory is copied: no copy elsewhere is read any sooner."""
    return mostly_reads(context) and (context.number("posix.rank_rate") or 0.0) >= AS_MEMORY


AS_MEMORY = 2 * 2.0**30
"""Bytes a second of a rank: four times what ARCHER's guide has for a serial writer, and a half or less of what a core
copies, are ours."""


def _about_once_a_rank(context: Context) -> bool:
    """Whether as much is read as if every rank read all of it, or most: what is sent to all serves each of them."""
    times, ranks = context.number("posix.times_read"), context.number("job.nprocs")
    if times is None or ranks is None or ranks <= 1 or is_of_one_rank(context):
        return False
    return _WHOLE_FILE * ranks <= times <= _ONCE * ranks


def _by_every_rank(context: Context) -> bool:
    """Whether each of them is seen to."""
    return _about_once_a_rank(context) and each_reads_all(context, "posix") and by_all_ranks(context, "posix")


def says(context: Context) -> Words:
    way = _way(context)
    if way == "holes":
        return Words(
            "The library reads the holes between the pieces that a call asks for.",
            paragraph(
                bytes_read_sentence(context),
                sentence(
                    "The library fetched {} bytes for each of them.",
                    formatted(context.number("mpiio.read_amplification"), number),
                ),
            ),
        )
    if way == "scratch":
        return scratch_words(context)
    if way == "steps":
        same = "the same files" if (context.files or 1) > 1 else "the same file"
        return Words(
            f"The steps of the job read {same} again, each all of it.",
            paragraph(bytes_read_sentence(context), times_read_sentence(context, "posix.steps_times_read")),
        )
    return Words(
        _read_by(context),
        paragraph(
            bytes_read_sentence(context),
            times_read_sentence(context, "posix.times_read"),
            sentence(
                "A rank read {} in a second: the memory of the node answers most of it.",
                formatted(context.number("posix.rank_rate"), size) if _from_memory(context) else None,
            ),
        ),
    )


def _read_by(context: Context) -> str:
    often = formatted(context.number("posix.times_read"), how_often)
    if _by_every_rank(context):
        same = "the same files" if (context.files or 1) > 1 else "the same file"
        return f"{all_readers(context)} read {same} in full."
    if each_reads_all(context, "posix"):
        return "The ranks that share a file each read all of it."
    if is_of_one_rank(context):
        whose = "The process reads its" if is_one_process(context) else "A rank reads its own"
        return f"{whose} file {often or 'again and again'}."
    return f"The same bytes are read {often or 'repeatedly'}."


def advise(context: Context) -> tuple[Advice, ...]:
    way = _way(context)
    if way == "holes":
        return _without_holes(context)
    if way == "scratch":
        return (keep_scratch_in_memory(context), use_node_disk(context))
    if way == "steps":
        return (_one_copy_for_steps(context),)
    if _from_memory(context):
        return (_FROM_MEMORY,)
    again = move_reread_files(context)
    if again:
        return again
    if is_of_one_rank(context) or copied_to_nodes(context) or in_memory_of_the_node(context):
        return (keep_in_memory(context), *keep_chunks(context.file, CASE_STUDY), *_awaited(context))
    store = store_of(context.file)
    if store is not None and store.copied and not is_a_tool(context.program):
        return (store_settings(store, context, CASE_STUDY, reads=True),)
    if _about_once_a_rank(context):
        return open_together(context.file) or _read_for_all(context)
    if each_reads_all(context, "posix"):
        return (_BY_THOSE_OF_A_FILE,)
    again = (*keep_chunks(context.file, CASE_STUDY), *_awaited(context))
    return (_READ_ONCE, *about_samples(context, f"If each process goes over all of them, {_OWN_SAMPLES}"), *again)


def _awaited(context: Context) -> tuple[Advice, ...]:
    """Empty but where the file may be read again since the ranks wait for what it says."""
    return wait_for_change(context, context.number("posix.opens_by_a_rank"), alone=is_of_one_rank(context))


def _without_holes(context: Context) -> tuple[Advice, ...]:
    contiguous = advice(
        "Let one call cover a contiguous region of the file: each rank asks for its whole part at once, and not "
        "all ranks for a slice of parts that lie far apart.",
        read_together(context, context.file),
        citation=COLLECTIVES,
    )
    if (context.number("mpiio.independent_bytes_lower_fraction") or 0.0) >= ALONE:
        off = "Where the parts have to lie far apart, try it without data sieving: only they are read then."
        return (contiguous, *hints(context, off, COLLECTIVES, ("romio_ds_read", "disable")))
    off = "Where the parts have to lie far apart and are large, let each rank read its own: measure it."
    return (contiguous, *hints(context, off, COLLECTIVES, ("romio_cb_read", "disable")))


def _one_copy_for_steps(context: Context) -> Advice:
    return in_program(
        f"Copy {these_files(context)} to the memory or a disk of the node before the first step, where that "
        "has room for it, and have all steps that run there read the copy. Or let one run of the program work "
        "through what several do now, if it can: it reads it once.",
        citation=CASE_STUDY,
    )


_FROM_MEMORY = advice(
    "The memory of the node has these files already, so that no copy of them elsewhere is read any sooner. "
    "What is left is the copying: a program that maps the file (mmap, numpy.memmap), or keeps what it "
    "needs again, spares that.",
    citation=CASE_STUDY,
)
_BY_THOSE_OF_A_FILE = in_program(
    "Let each of the ranks that share a file read only the part of it that it needs. Where each needs all "
    "of it, let one of them read it and send it to the others of that file.",
    citation=CASE_STUDY,
)
_READ_ONCE = in_program(
    "Read the data once and keep it in memory, or copy it to storage of the node at the start of the job, "
    "where that has room for it.",
    citation=CASE_STUDY,
)


_SAVED_CUT = (
    "a part of it, save the model once cut as the processes need it, and let each read its own: vLLM and SGLang load "
    "it so with --load-format sharded_state, PyTorch what torch.distributed.checkpoint has saved."
)
_OF_WEIGHTS, _OF_WEIGHTS_PERHAPS = (
    in_program(f"{opening} {_SAVED_CUT}", citation=CASE_STUDY)
    for opening in (
        "Each process reads the whole model. Where it keeps",
        "If these are the weights of a model, as the path suggests, and a process keeps",
    )
)


_OWN_SAMPLES = (
    "let each process read its own samples, and not all: in PyTorch by a DistributedSampler, of "
    "WebDataset by split_by_node, in TensorFlow by Dataset.shard."
)
"""As many readings are also those of more epochs, in each of which every process has its own."""


_ONE_COPY_OF_WEIGHTS = in_program(
    "Where each keeps all of it, copy the files to the memory (/dev/shm) or a disk of each node before the processes "
    "start, where that has room for them, and let all of the node load that copy.",
    citation=CASE_STUDY,
)


def _copied_by_one(context: Context) -> Advice:
    copied = "As much is written on the nodes as is read here: where each rank brings its own copy to its node, "
    if (context.number("job.nnodes") or 0.0) >= (context.number("job.nprocs") or 1.0):
        text = "let one rank read it and send it to the others, or have it brought before the program starts"
        return in_program(f"{copied}{text} (sbcast of Slurm).", citation=CASE_STUDY)
    text = (
        "let one rank of each node do so while the others wait, or have it brought before the program starts (sbcast "
        "of Slurm), and let all ranks of the node read that copy."
    )
    return in_program(copied + text, citation=CASE_STUDY)


COPIED = 0.9
"""Bytes written on disks and in memory of nodes for each that is read, from which they may be copies."""


def _is_copied_by_each(context: Context) -> bool:
    read, copied = context.number("io.bytes_read"), context.number("io.written_on_nodes")
    return bool(read) and copied is not None and COPIED * (read or 0.0) <= copied <= (read or 0.0) / COPIED


def _read_for_all(context: Context) -> tuple[Advice, ...]:
    """For a file that all ranks need: a large one may be what each needs a part of."""
    samples = about_samples(context, f"In a training {_OWN_SAMPLES}")
    if holds_weights(context):
        cut = _OF_WEIGHTS if surely_holds_weights(context) else _OF_WEIGHTS_PERHAPS
        return (cut, _ONE_COPY_OF_WEIGHTS)
    if _is_copied_by_each(context):
        return (_copied_by_one(context),)
    packed = (context.file or "").lower().endswith(NAMED_PACKED) or RECORDS.search(context.file or "") is not None
    if packed and samples:
        return samples
    broadcast = read_and_broadcast(context, CASE_STUDY)
    share_out = advice(
        "Let each rank read only the part that it needs, all together in one call.",
        read_together(context, context.file),
        citation=COLLECTIVES,
    )
    large = not packed and (context.number("file.size") or 0.0) > _SMALL_FILE
    return (*samples, share_out, broadcast) if large else (*samples, broadcast)


def impact(context: Context) -> Impact | None:
    """None where it is said that who reads it may wait for what it says."""
    way = _way(context)
    if way == "scratch":
        return single_use_saving(context)
    if any(one in advise(context) for one in _awaited(context)):
        return None
    return single_read_saving(context, next(figure for one, _, figure in WAYS if one == way))


rule = Rule(
    id="redundant-reads",
    title="The same bytes read repeatedly",
    clear_title="Nothing is read much more than once",
    scope="group",
    severity="medium",
    priority=35,
    carries=share_of_job_or_reading,
    requires=all_of(
        any_of(
            when_present("posix.times_read"),
            when_present("mpiio.read_amplification"),
            when_present("file.times_rewritten"),
        ),
        Compare("io.bytes_read", ">=", LEAST.id),
        DATA_FILES,
    ),
    condition=any_of(
        READ_AGAIN,
        clear_where_whole(HOLES),
        SCRATCH,
        STEPS,
    ),
    thresholds=(
        TIMES,
        OFTEN,
        OF_STEPS,
        AT_AN_OPEN,
        FETCHED,
        EXTRA,
        LEAST,
        *OF_SCRATCH,
        SCATTERED,
        LOOKED_UP,
        OF_A_RANK,
        MEMORY,
    ),
    citations=(CASE_STUDY, COLLECTIVES),
    says=says,
    advise=advise,
    impact=impact,
    explains=("small-io",),
    claims=(
        Claim(("reads",), BeyondOnce("posix.times_read"), READ_OFTEN, apart=True),
        Claim(("imbalance",), BeyondOnce("posix.times_read"), READ_OFTEN),
        Claim(("reads", "imbalance"), BeyondOnce("posix.times_read"), READ_A_FEW_TIMES),
        Claim(("metadata",), OPENED_AGAIN),
        Claim(("reads",), BeyondOnce("mpiio.read_amplification"), HOLES, up_to=True),
        Claim(("reads", "imbalance"), BeyondOnce("posix.steps_times_read"), STEPS, up_to=True),
        Claim(("reads",), BeyondOnce("file.times_read_back"), SCRATCH, up_to=True),
        Claim(("writes",), BeyondOnce("file.times_rewritten"), SCRATCH),
    ),
)

"""What the rules about bytes that are read more than once share, of files and of streams."""

from __future__ import annotations

from iotriage.metrics.core.averages import average_of
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.metrics.tables.mounts import OF_ONE_NODE, in_folder_of_one_node
from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.core import Advice, Citation, Context, Impact, Threshold, in_program, ours
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, how_often, number, sentence, size

CASE_STUDY = Citation("alcf-cug25", "case study 2")


def times_read_threshold(rule: str, of: str) -> Threshold:
    """How often each byte `of` what was read must have been read, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.times",
        title=f"Times that each byte of the {of} was read",
        default=2.0,
        unit="ratio",
        stated_by=ours("amplification", "Twice what one copy takes; the case study of Argonne gives no threshold."),
        slider=logarithmic(1.0, 1000.0),
    )


def often_read_threshold(rule: str, what: str) -> Threshold:
    """The threshold from which reading once comes before anything else that would make the reading faster."""
    return Threshold(
        id=f"{rule}.often",
        title=f"Times the {what} were read, from which reading them once comes before where they lie",
        default=10.0,
        unit="ratio",
        stated_by=ours("amplification", "No other place makes reads ten times as fast as those that are not made."),
        slider=logarithmic(1.0, 1e6),
    )


LITTLE = 0.1
"""Of the bytes read: to write as many takes no time that matters beside reading them again and again."""


AGAIN = 1.005
"""Times that bytes are read, from which they are said to be read more often than once."""

NEARLY_ALL_READS = 0.9
"""Of the bytes read: from here on the words are about how these were read."""


def each_reads_all(context: Context, layer: str) -> bool:
    """Whether nearly all bytes were read by ranks that each read the whole file, and once: several do, and nobody
    reads anything again."""
    return not is_of_one_rank(context) and (context.number(f"{layer}.read_whole_fraction") or 0.0) >= NEARLY_ALL_READS


def by_all_ranks(context: Context, layer: str) -> bool:
    """Whether it is every rank of the job that reads all of the files, or nearly."""
    times, ranks = context.number(f"{layer}.times_read"), context.number("job.nprocs")
    return times is not None and ranks is not None and times >= NEARLY_ALL_READS * ranks


def all_readers(context: Context) -> str:
    """Who they are, as a subject: all ranks, unless records name those that read and some are missing."""
    ranks, readers = context.number("job.nprocs") or 0.0, context.number("file.readers")
    return (
        f"All {number(ranks)} ranks"
        if readers is None or readers >= ranks
        else f"{number(readers)} of {number(ranks)} ranks"
    )


def is_of_one_rank(context: Context) -> bool:
    return context.word("io.pattern") in OF_ONE_RANK


def in_memory_of_the_node(context: Context) -> bool:
    """Whether the files are in the memory of the one node that all ranks run on: they need only be mapped."""
    return context.word("file.lies_on") == "node-memory" and context.word("file.on_nodes") == "one"


def copied_to_nodes(context: Context) -> bool:
    """Whether the files are on the disk of each of several nodes: a copy was brought there to be read by all."""
    on_each = in_folder_of_one_node(context.file or "") and (context.number("job.nnodes") or 1.0) > 1
    return on_each and context.word("file.mount_type") in OF_ONE_NODE


def keep_in_memory(context: Context) -> Advice:
    if context.word("file.mount_type") in OF_ONE_NODE:
        return in_program(
            "The files lie on the node already. Map them into memory (mmap, numpy.memmap), so that what is read again "
            "costs no call.",
            citation=CASE_STUDY,
        )
    once = "Read each file once" if is_one_process(context) else "Let each rank read its file once"
    return in_program(f"{once} and keep it in memory, or keep the file on storage of the node.", citation=CASE_STUDY)


def bytes_read_sentence(context: Context) -> str | None:
    return sentence("{} were read from {}.", formatted(context.number("io.bytes_read"), size), these_files(context))


def times_read_sentence(context: Context, metric: str) -> str | None:
    hold = "the files hold" if (context.files or 1) > 1 else "the file holds"
    return sentence(f"That is {{}} what {hold}.", formatted(context.number(metric), how_often))


def single_read_saving(context: Context, metric: str) -> Impact | None:
    """Read once, at the slowest documented rate or faster, or half of it in pieces that stay small, as the buffers of
    streams do. None where much is written too: how the time is shared between the two is not known; nor where each
    node has a copy, and in its memory what was read once; nor where nothing is read again."""
    if copied_to_nodes(context):
        return None
    times, read = context.number(metric), context.number("io.bytes_read") or 0.0
    if times is None or times < AGAIN or (context.number("io.bytes_written") or 0.0) > LITTLE * read:
        return None
    cure = f"what was read {number(times)} times were read once"
    # Where each reads all, who is to read it for the others is not said yet.
    alone = not each_reads_all(context, metric.partition(".")[0])
    piece = context.number("posix.average_read_size")
    small = metric.startswith("stdio") or (piece is not None and piece < average_of(2**20))
    return documented_saving(context, cure, bytes_left=read / times, as_now=alone, in_small_pieces=small)

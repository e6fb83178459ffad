"""A stream is read again and again.

## What it does
Compares the bytes that `fread`, `fgets` and `fscanf` gave to all ranks with the size of what was read, over the files
that the run reads and does not write. It holds when each byte came twice or more.

## Why it matters
Going back in a stream throws its buffer away, and all of it is fetched again, however little the program wants.
A case study at Argonne had a program that read 66 TiB from each of eight files through streams.

## What to do
Read the file once, by one rank, keep it in memory and broadcast it. Where the program has to jump about, read the file
into an array and jump in there.

## Limits
Darshan does not say which bytes were read, only how many and up to where. What the C library fetched into its buffer
and threw away again comes on top and is not recorded. In a run with less than a second of I/O the share of the time
says nothing, and the pattern alone is told, at info. Small stream calls are put under this finding: they are fewer once
the file is read once.
"""

from __future__ import annotations

from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.access.rereads import (
    CASE_STUDY,
    all_readers,
    by_all_ranks,
    bytes_read_sentence,
    each_reads_all,
    in_memory_of_the_node,
    is_of_one_rank,
    keep_in_memory,
    often_read_threshold,
    single_read_saving,
    times_read_sentence,
    times_read_threshold,
)
from iotriage.rules.advice.array_files import read_once_per_node, too_large_to_broadcast
from iotriage.rules.advice.caches import DISK
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.open_files import wait_for_change
from iotriage.rules.advice.snippets import BROADCAST
from iotriage.rules.core import Advice, Context, Impact, Rule, Words, advice, in_program, share_of_job_or_reading
from iotriage.rules.core.claim import BeyondOnce, Claim
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, when_present
from iotriage.rules.core.data_files import DATA_FILES
from iotriage.rules.core.words import formatted, how_often, number, paragraph, sentence, share, size

TIMES, OFTEN = times_read_threshold("stdio-reread", "streams"), often_read_threshold("stdio-reread", "streams")


CELLS: tuple[Cell, ...] = ("streams", "imbalance")

MOSTLY_OPENING = 0.5
"""Of the time of the streams: from here on it is opening them that takes it."""
_SMALL = 2**20
"""1 MiB: up to this size a file is called small."""
_REOPENED = 10
"""Opens by each rank, from which a stream is read again because it is opened again, as `reopened-files` has it."""
_PART_OF_EACH = in_program(
    "Let each rank read the part that it needs into an array, once, and go back in the array and not in the stream.",
    citation=CASE_STUDY,
)


def says(context: Context) -> Words:
    opening = context.number("stdio.metadata_fraction")
    return Words(
        _read_by(context),
        paragraph(
            bytes_read_sentence(context),
            times_read_sentence(context, "stdio.times_read"),
            sentence("Of their time, {} passes in opening and closing them.", formatted(opening, share))
            if _mostly_opening(context)
            else sentence(
                "The streams were read in pieces of {}.", formatted(context.number("stdio.average_size"), size)
            ),
        ),
    )


def _mostly_opening(context: Context) -> bool:
    """Nobody moves about in a stream that is read through once: what is no reading is opening and closing."""
    opening = context.number("stdio.metadata_fraction") or 0.0
    return each_reads_all(context, "stdio") and opening >= MOSTLY_OPENING


def _read_by(context: Context) -> str:
    often = formatted(context.number("stdio.times_read"), how_often)
    if is_one_process(context):
        which = "the same stream" if (context.files or 1) == 1 else "each of its streams"
        return f"The process reads {which} {often or 'again and again'}."
    if is_of_one_rank(context):
        return f"A rank reads its own stream {often or 'again and again'}."
    opens_each = _opens_of_a_rank(context)
    if opens_each is not None and opens_each >= _REOPENED and opens_each <= (context.number("stdio.times_read") or 0.0):
        return _reopened_by(context, how_often(opens_each))
    if not each_reads_all(context, "stdio"):
        which = "A stream is" if (context.files or 1) == 1 else "The same streams are"
        return f"{which} read {often or 'repeatedly'}."
    opens = _mostly_opening(context)
    if not by_all_ranks(context, "stdio"):
        return f"The ranks that share a file each {'open it and ' if opens else ''}read all of it."
    files = context.number("file.count") or 1.0
    each = (context.number("io.bytes_read") or 0.0) / (context.number("stdio.times_read") or 1.0) / files
    small = "small " if each <= _SMALL else ""
    same = f"the same {number(files)} {small}files" if files > 1 else f"the same {small}file"
    return f"{all_readers(context)} {'open and ' if opens else ''}read {same}."


def _reopened_by(context: Context, often: str) -> str:
    """Not by each rank where records name those that read, and others are there; of several streams each may have its
    own ranks."""
    ranks, readers = context.number("job.nprocs") or 0.0, context.number("file.readers")
    if (context.files or 1) > 1:
        return f"Each rank that reads one of these streams opens it {often}."
    if readers is None or readers >= ranks:
        return f"Each rank opens and reads the same stream {often}."
    return f"Each rank that reads the stream opens it {often}."


def _reads_a_part(context: Context) -> bool:
    """Whether a rank reads less than the file has, on average."""
    times, ranks = context.number("stdio.times_read"), context.number("job.nprocs")
    return times is not None and ranks is not None and times < ranks


def advise(context: Context) -> tuple[Advice, ...]:
    if is_of_one_rank(context) or in_memory_of_the_node(context):
        return (keep_in_memory(context), *_awaited(context))
    if each_reads_all(context, "stdio"):
        one = "Let one rank open and read each file, and send it to"
        if by_all_ranks(context, "stdio") and too_large_to_broadcast(context):
            return (read_once_per_node(context, "each file", CASE_STUDY),)
        if by_all_ranks(context, "stdio"):
            return (advice(f"{one} all.", BROADCAST, citation=CASE_STUDY), *_of_a_library(context))
        return (in_program(f"{one} the others of that file.", citation=CASE_STUDY),)
    if too_large_to_broadcast(context):
        return (_PART_OF_EACH if _reads_a_part(context) else read_once_per_node(context, "the file", CASE_STUDY),)
    reopened = (_opens_of_a_rank(context) or 0.0) >= _REOPENED
    file, others = ("the file", "the others") if (context.files or 1) == 1 else ("each file", "the others that read it")
    text = f"Read {file} once into memory, by one rank, and send it to {others}"
    again = "; go back in the array and not in the stream."
    return (advice(text + ("." if reopened else again), BROADCAST, citation=CASE_STUDY), *_awaited(context))


def _awaited(context: Context) -> tuple[Advice, ...]:
    return wait_for_change(context, _opens_of_a_rank(context), alone=is_of_one_rank(context))


def _of_a_library(context: Context) -> tuple[Advice, ...]:
    """For as many small files as a library has its tables in, which opens them by itself."""
    if (context.files or 1) < MANY_FILES or not _mostly_opening(context):
        return ()
    text = (
        "Where it is a library that reads them, and none of your code: bring them to the memory or a disk of each node "
        "as one archive before the program starts, and name the folder there in the place of this one."
    )
    return (in_program(text, citation=DISK),)


MANY_FILES = 100
"""Files from which they are the tables of a library, and no inputs of a program: ours."""


def _opens_of_a_rank(context: Context) -> float | None:
    return context.number("stdio.opens_by_a_rank")


def impact(context: Context) -> Impact | None:
    """None where it is said that who reads it may wait for what it says."""
    if any(one in advise(context) for one in _awaited(context)):
        return None
    return single_read_saving(context, "stdio.times_read")


rule = Rule(
    id="stdio-reread",
    title="A stream read repeatedly",
    clear_title="Streams are read once",
    scope="group",
    severity="medium",
    priority=36,
    carries=share_of_job_or_reading,
    requires=AllOf((IsOneOf("io.layer", ("STDIO",)), when_present("stdio.times_read"), DATA_FILES)),
    condition=Compare("stdio.times_read", ">=", TIMES.id),
    thresholds=(TIMES, OFTEN),
    citations=(CASE_STUDY,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("stdio-heavy",),
    claims=(
        Claim(CELLS, BeyondOnce("stdio.times_read"), Compare("stdio.times_read", ">=", OFTEN.id), apart=True),
        Claim(CELLS, BeyondOnce("stdio.times_read"), Compare("stdio.times_read", "<", OFTEN.id)),
    ),
)

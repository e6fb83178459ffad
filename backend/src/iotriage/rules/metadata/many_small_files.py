"""The data lies in many small files, or little is read of each of many.

## What it does
Counts the files, and what is moved each time that one is opened. It holds for a thousand files of which less than a MiB
is moved at an opening, in few pieces, or where opening takes most of the time. A hundred are enough where each takes
so long that no size of its accesses explains it.

## Why it matters
A file is found, opened and closed on the metadata server before its first byte moves, and no access can be larger than
what the file holds: larger buffers do not help. Data sets for training, of an image or a record each, are read like
that, and so are runs that leave a little file for each rank, field and step.

## What to do
Where the files are large and each is opened for a little of it, as for a header, keep that in one file that is made
once. Else pack what belongs together: an HDF5 file, the shards or records of the training's framework, an archive that
is read by its index; or unpack one archive on the memory or disk of each node and read from there. Write one file for
each node or step, not for each rank and variable.

## Limits
It looks at files that the log names together, by names that differ in digits. Where each of them is opened or asked
about again and again, opening takes its time because of that: then it has the seconds of reading and writing alone.
Otherwise it has those of opening them too, and `metadata-bound` what passes on other files. Modules of Python are
`import-storm`. Where a few opens took long and the others next to none, it is not the number of files; where each is
read or written in hundreds of pieces, it is these (`small-io`).
"""

from __future__ import annotations

from iotriage.rules.advice.caches import move_cache
from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.one_process import read_side_by_side
from iotriage.rules.advice.scratch import move_temporary_files
from iotriage.rules.advice.small_files import (
    each_open_phrase,
    each_open_sentence,
    make_fewer_files,
    mostly_read,
    read_fewer,
    read_headers_once,
    write_fewer_files,
)
from iotriage.rules.advice.stores import fewer_files
from iotriage.rules.advice.system_programs import replace_if_system_program
from iotriage.rules.advice.tools import is_a_tool
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.data_files import DATA_FILES
from iotriage.rules.core.documented_rates import A_SMALL_FILE_S, A_STRIPED_FILE_S
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, seconds, sentence, share, size

FILES = Threshold(
    id="many-small-files.files",
    title="Files",
    default=1000.0,
    unit="files",
    stated_by=ours("small files", "The guides warn of large collections of small files and give no number."),
    slider=logarithmic(10.0, 1e7),
)
BYTES = Threshold(
    id="many-small-files.bytes-each",
    title="Bytes moved per open of a file, below which it is small",
    default=float(2**20),
    unit="B",
    stated_by=ours("small files", "Below a stripe of the usual 1 MiB no access can be a large one."),
    slider=logarithmic(1024.0, float(2**30)),
)

FEW = Threshold(
    id="many-small-files.slow-files",
    title="Files, where each of them takes long",
    default=100.0,
    unit="files",
    stated_by=ours("small files", "A hundred in turn, of a twentieth of a second each, are five seconds of a run."),
    slider=logarithmic(2.0, 1e6),
)
LONG = Threshold(
    id="many-small-files.slow-time",
    title="Time on a file each time that it is opened, from which it takes long",
    default=0.05,
    unit="s",
    stated_by=ours("small files", "Five times what EPCC's slides have of a small file on one OST."),
    slider=logarithmic(0.001, 100.0),
)
STALLED = Threshold(
    id="many-small-files.stalled-time",
    title="Time on a file each time that it is opened, up to which it is what a small file costs",
    default=1.0,
    unit="s",
    stated_by=ours("small files", "A hundred times EPCC's small file: longer than that, the storage stood still."),
    slider=logarithmic(0.1, 1000.0),
)

EACH = Threshold(
    id="many-small-files.calls-each",
    title="Opens and stats of each file, below which it is their number that costs",
    default=10.0,
    unit="ratio",
    stated_by=ours("small files", "Who opens a file ten times would win more by keeping it open, however small it is."),
    slider=logarithmic(1.0, 1e6),
)

PIECES = Threshold(
    id="many-small-files.pieces",
    title="Reads and writes for each open, below which a file is moved in few pieces",
    default=100.0,
    unit="ratio",
    stated_by=ours("small files", "256 calls of 4 KiB are 1 MiB; more and smaller ones cost by their own number."),
    slider=logarithmic(1.0, 1e6),
)
OPENING = Threshold(
    id="many-small-files.opening",
    title="Metadata's share of the I/O time, from which it is the files in however many pieces",
    default=0.5,
    unit="share",
    stated_by=ours("small files", "Most of the time: a half is ours."),
    slider=linear(0.05),
)

BUFFER = Threshold(
    id="many-small-files.buffer",
    title="Bytes moved per open of a stream, below which its buffer moves them in one access",
    default=float(2**16),
    unit="B",
    stated_by=ours(
        "small files", "A stream's buffer is a block of its file system, 64 KiB or more on those that nodes share."
    ),
    slider=logarithmic(1024.0, float(2**30)),
)

SMALL_FILES = Citation("archer-bpg", "Summary of performance advice")


def says(context: Context) -> Words:
    each_open = each_open_phrase(context) or _each_file_phrase(context)
    of_large = _reads_little_of_each(context)
    files = formatted(context.number("file.count"), number) or "many"
    reached = context.number("file.usual_size") if of_large else None
    return Words(
        f"Little is read of each of {files} files{each_open}."
        if of_large
        else f"The data lies in {files} small files{each_open}.",
        paragraph(
            sentence("The reads reach {} into most of them.", formatted(reached, size)),
            sentence("{}: {} on average each time that one is opened.", these_files(context), _size_of_each(context)),
            sentence("They were opened {} in all.", formatted(_opens(context), lambda n: plural(n, "time"))),
            sentence(
                "{} of the time on them passed in opening, closing and asking about them.",
                formatted(context.number("posix.metadata_io_fraction"), share),
            ),
            each_open_sentence(context),
            _beside_documented(context),
        ),
    )


def _reads_little_of_each(context: Context) -> bool:
    """Whether the files are larger than what all ranks together read of them, and none is written."""
    each, files, read = (context.number(m) for m in ("file.usual_size", "file.count", "io.bytes_read"))
    if each is None or files is None or not read or context.number("io.bytes_written"):
        return False
    return context.holds(OF_LARGE_FILES) and read < LITTLE_OF_IT * each * files


LITTLE_OF_IT = 0.5
"""Of what the files hold up to the last byte that was read."""


def _each_file_phrase(context: Context) -> str:
    took = context.number("file.usual_time")
    return f", and each takes {seconds(took)}" if took is not None and context.holds(_TAKES_LONG) else ""


def _beside_documented(context: Context) -> str | None:
    """What such a file takes elsewhere, where a log shows that these take far longer."""
    if context.file_system != "lustre" or not context.holds(_TAKES_LONG):
        return None
    return (
        f"EPCC's slides have {seconds(A_SMALL_FILE_S)} of a small file on one OST, {seconds(A_STRIPED_FILE_S)} on 48."
    )


def _opens(context: Context) -> float | None:
    by_posix = context.number("posix.opens")
    return context.number("stdio.opens") if by_posix is None else by_posix


def _size_of_each(context: Context) -> str | None:
    return formatted(context.number("file.bytes_per_open"), size)


def advise(context: Context) -> tuple[Advice, ...]:
    read = mostly_read(context)
    others = replace_if_system_program(context.program, context.site.launcher, writes=not read)
    own_disk = move_temporary_files(context)
    kept = move_cache(context, context.file)
    if kept:
        return kept
    if others:
        return (*own_disk, *others)
    if (collected := fewer_files(context.file, SMALL_FILES)) and not own_disk:
        return collected
    if _reads_little_of_each(context):
        return (read_headers_once(context), *read_side_by_side(context))
    if read:
        return (*own_disk, read_fewer(context), *read_side_by_side(context))
    return (*own_disk, *make_fewer_files(context, write_fewer_files(context)))


def impact(context: Context) -> Impact | None:
    """None for a program of others: its files are as they are."""
    if is_a_tool(context.program):
        return None
    if _reads_little_of_each(context):
        return documented_saving(context, "what is read of them stood in one file")
    return documented_saving(context, "what lies in them stood in a few large files")


OF_LARGE_FILES = when_present("file.usual_size", Compare("file.usual_size", ">=", BYTES.id))
_STREAMS = IsOneOf("io.layer", ("STDIO",))
_TAKES_LONG = Compare("file.usual_time", ">=", LONG.id)
_EACH_IS_SLOW = AllOf((_TAKES_LONG, Compare("file.usual_time", "<=", STALLED.id)))
_IN_A_BUFFER = Compare("file.bytes_per_open", "<", BUFFER.id)
"""Whether no larger buffer makes any access larger, however small the calls on the stream are."""
_THEIR_NUMBER = AllOf((IsOneOf("io.layer", ("POSIX",)), Compare("file.metadata_calls_each", "<", EACH.id)))
"""Whether it is the number of files that makes so many openings, and not each that is opened again and again."""

rule = Rule(
    id="many-small-files",
    title="Data in many small files",
    clear_title="The data does not lie in many small files",
    scope="group",
    severity="high",
    priority=14,
    carries=share_of_job,
    requires=AllOf((IsOneOf("io.layer", ("POSIX", "STDIO")), when_present("file.bytes_per_open"), DATA_FILES)),
    condition=AllOf(
        (
            AnyOf(
                (
                    Compare("file.count", ">=", FILES.id),
                    when_present(
                        "file.usual_time",
                        Compare("file.count", ">=", FEW.id),
                        _EACH_IS_SLOW,
                        # A part of a large file is none.
                        Compare("file.size", "<", BYTES.id),
                    ),
                )
            ),
            Compare("file.bytes_per_open", "<", BYTES.id),
            # What is opened again and again to add a little each time grows large.
            AnyOf(
                (
                    IsOneOf("io.layer", ("STDIO",)),
                    Compare("file.metadata_calls_each", "<", EACH.id),
                    when_present("file.size", Compare("file.size", "<", BYTES.id)),
                )
            ),
            # Where a few opens took long and all others none, fewer of them would change nothing.
            AnyOf((IsOneOf("io.layer", ("STDIO",)), IsOneOf("posix.metadata_mostly", ("unknown", "closes")))),
            # Many small accesses to each would be as many in one large file.
            AnyOf(
                (
                    IsOneOf("io.layer", ("STDIO",)),
                    Compare("posix.accesses_per_open", "<", PIECES.id),
                    when_present("posix.metadata_io_fraction", Compare("posix.metadata_io_fraction", ">=", OPENING.id)),
                )
            ),
        )
    ),
    thresholds=(FILES, BYTES, FEW, LONG, STALLED, EACH, PIECES, OPENING, BUFFER),
    citations=(SMALL_FILES, Citation("tacc-io", "Use Each Compute Node's /tmp Storage Space")),
    says=says,
    advise=advise,
    impact=impact,
    explains=("small-io", "random-access", "too-many-files-per-directory", "below-expectation"),
    claims=(
        Claim(("metadata",), when=_THEIR_NUMBER),
        Claim(
            ("reads", "writes", "imbalance"),
            when=AllOf((IsOneOf("io.layer", ("POSIX",)), Compare("posix.accesses_per_open", "<", PIECES.id))),
        ),
        Claim(("streams", "imbalance"), ShareOf("stdio.metadata_fraction"), when=_STREAMS),
        Claim(("streams", "imbalance"), when=AllOf((_STREAMS, AnyOf((_EACH_IS_SLOW, _IN_A_BUFFER)))), up_to=True),
    ),
)

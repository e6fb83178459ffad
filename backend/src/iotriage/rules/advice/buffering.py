"""Advice about what a program does with its buffers: how large they are, and how often it empties them."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.advice.calls import library_named, library_of
from iotriage.rules.advice.logs import LINE, written_as_log
from iotriage.rules.advice.snippets import (
    BLOCKS_IN_ORDER,
    LARGE_BUFFER,
    READ_BLOCKS,
    SYNC_LOG,
    SYNC_ONCE,
    WRITE_BLOCKS,
)
from iotriage.rules.advice.stores import database_settings, log_ahead_settings
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.action import Library
from iotriage.rules.core.words import paragraph, size


def sync_once(context: Context, citation: Citation) -> Advice:
    """One sync for what belongs together, in the library that the files are written with. A database syncs by itself,
    once a transaction."""
    if settings := database_settings(context, citation):
        return settings[0]
    api = context.api if context.api in ("POSIX", "STDIO") else library_of(context)
    if api == "POSIX" and written_as_log(context):
        if ahead := log_ahead_settings(context.file, citation):
            return ahead[0]
        text = (
            "Sync the log once a step, or at its end, not after each line: what was written without a sync is lost "
            "where the node goes down, and not where the program does."
        )
        return advice(text, SYNC_LOG, citation=citation)
    text = {
        "STDIO": "Flush the stream once a step, not after every line, and give it a larger buffer.",
        "POSIX": "Keep the file open, and sync it once, when all of the checkpoint is written.",
    }.get(api, "Sync once, when all of the checkpoint is written.")
    return advice(text, SYNC_ONCE[api], citation=citation)


def sync_checkpoints(citation: Citation) -> Advice:
    """For files of streams that are forced out as a whole now and then, as all files of a run at its checkpoints."""
    text = (
        "Write checkpoints less often, or force out the checkpoint alone and not the other files with it: each sync "
        "waits for the disk."
    )
    return in_program(text, citation=citation)


SEEKS_EACH = 0.25
"""Seeks of streams for each read or write, from which their buffers are emptied after a few of these."""
SEEKING = (
    "The program seeks in the stream between its calls, and each seek out of the buffer empties it: a larger one alone "
    "would only have more read for nothing. Go through the file in its order, without seeks, and then give the stream "
    "a larger buffer; or read and write such records with pread and pwrite."
)


def _seeks(context: Context) -> bool:
    return (context.number("stdio.seeks_each") or 0.0) >= SEEKS_EACH


def larger_buffer(context: Context, citation: Citation) -> Advice:
    """A buffer of some stripes for a stream of records, where that is not emptied by seeks."""
    if _seeks(context):
        return in_program(SEEKING, citation=citation)
    text = "Give the stream a larger buffer, so that many records make one access."
    return advice(text, LARGE_BUFFER, citation=citation)


def sort_in_memory(citation: Citation) -> Advice:
    """For reads that jump about in a file: each block is read once, whatever is wanted of it."""
    text = "Sort the accesses by offset, and read a block of 1 MiB or more to pick from in memory."
    return advice(text, BLOCKS_IN_ORDER, citation=citation)


BLOCK = 2.0**20
"""Bytes of a file below which no access to it moves as much as is advised."""
IN_BLOCKS = "blocks of 1 MiB or more"
OVER_AGAIN = 10
"""Times that what a file holds is moved, from which it is written over, or read again."""


def is_below_a_block(size_of_file: float | None) -> bool:
    """Whether the file is known to hold less, and something."""
    return size_of_file is not None and 0 < size_of_file < BLOCK


def pieces_advised(size_of_file: float | None) -> str:
    """In what a file is best moved: what holds less than a block, in few calls."""
    return "few calls" if is_below_a_block(size_of_file) else IN_BLOCKS


def goes_over_it_again(size_of_file: float | None, moved: float | None) -> bool:
    """Whether so little is in the file, and so much is moved, that it is the same again: there is nothing to gather."""
    if not size_of_file or not moved:
        return False
    return size_of_file < BLOCK and moved >= OVER_AGAIN * size_of_file


def move_it_less_often(files: str, holds: float, citation: Citation, *, reads: bool) -> Advice:
    """For a file that is gone over again."""
    text = (
        f"Read {files} once and keep in memory what it says: it holds {size(holds)}."
        if reads
        else f"Write {files} less often: it holds {size(holds)}, and is written over again and again."
    )
    return in_program(text, citation=citation)


def in_larger_blocks(context: Context, text: str, layer: str | None, citation: Citation, *, reads: bool) -> Advice:
    """For the accesses to the files that a finding is about: `text`, which does not name them, with its lines; what the
    program asks of a library where that makes the accesses."""
    library = _library_between(context.file, layer)
    if library is not None:
        return larger_parts(library, citation, reads=reads)
    each = context.number("posix.average_write_size")
    return with_buffer_code(context, text, layer, citation, reads=reads, file=context.file, each=each)


def _library_between(file: str | None, layer: str | None) -> Library | None:
    return library_named(file) if layer in ("POSIX", "STDIO") else None


def with_buffer_code(
    context: Context,
    text: str,
    layer: str | None,
    citation: Citation,
    *,
    reads: bool,
    file: str | None,
    each: float | None,
) -> Advice:
    """`text` with the lines that do it in this layer: a buffer for a stream, a block of one's own for POSIX. In files
    of HDF5 or netCDF the library makes the accesses, and a program has its calls alone. `each` is what a call moves."""
    library = _library_between(file, layer)
    if library is not None:
        return larger_parts(library, citation, reads=reads, now=text)
    if layer == "STDIO" and _seeks(context):
        return in_program(f"{text} {SEEKING}", citation=citation)
    if layer == "STDIO":
        return advice(text, LARGE_BUFFER, citation=citation)
    if layer == "POSIX":
        code = READ_BLOCKS if reads else WRITE_BLOCKS
        emptied = not reads and _is_emptied(context, each)
        return advice(f"{text} {EMPTIED}" if emptied else text, code, citation=citation)
    return in_program(text, citation=citation)


EMPTIED = (
    "Writes this short mostly come from a stream that is emptied after each record, or has no buffer: leave that out "
    "(std::endl in C++, flush() and buffering=0 in Python, FLUSH in Fortran)."
)
BY_THE_CLOSE = 2
"""Accesses for each open, up to which the close sends what is written, and no flush."""


def _is_emptied(context: Context, each: float | None) -> bool:
    """Whether writes are shorter than the smallest buffer that a language gives a stream, C's, of a page; and the files
    no shorter than that."""
    for_each_open = context.number("posix.accesses_per_open")
    closed = for_each_open is not None and for_each_open <= BY_THE_CLOSE
    return each is not None and each < LINE and not closed


def larger_parts(library: Library, citation: Citation, *, reads: bool, now: str = "") -> Advice:
    """For files of a library that makes the accesses: what the program asks of it, after what they are `now`. A flush
    has it write its tables again, here and there in the file."""
    does = "Read" if reads else "Write"
    asked = (
        f"In files of {library} the library makes the accesses. {does} a large part of a variable or data set in one "
        "call, not an element or a row; where it is chunked, give it chunks of 1 MiB or more."
    )
    flushed = f"Do not {_FLUSHES[library]} after each: it then writes its tables anew each time."
    return in_program(paragraph(now, asked, "" if reads else flushed), citation=citation)


_FLUSHES: Mapping[Library, str] = {
    "HDF5": "flush or close the file",
    "netCDF-4": "sync or close the file",
    "PnetCDF": "sync or close the file",
    "MPI-IO": "sync or close the file",
}

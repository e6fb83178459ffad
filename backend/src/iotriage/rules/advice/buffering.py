"""Advice about what a program does with its buffers: how large they are, and how often it empties them."""

from __future__ import annotations

import re

from iotriage.rules.advice.calls import library_of
from iotriage.rules.advice.snippets import BLOCKS_IN_ORDER, LARGE_BUFFER, READ_BLOCKS, SYNC_ONCE, WRITE_BLOCKS
from iotriage.rules.core import Advice, Citation, Context, advice

_DATA_BASE = re.compile(r"\.(db3?|sqlite3?)(-journal|-wal)?$", re.IGNORECASE)


def sync_once(context: Context, citation: Citation) -> Advice:
    """One sync for what belongs together, in the library that the files are written with. A data base syncs by itself,
    once a transaction."""
    if is_data_base(context.file):
        return of_data_base(citation, reads=False)
    api = context.api if context.api in ("POSIX", "STDIO") else library_of(context)
    text = {
        "STDIO": "Flush the stream once a step, not after every line, and give it a larger buffer.",
        "POSIX": "Keep the file open, and sync it once, when all of the checkpoint is written.",
    }.get(api, "Sync once, when all of the checkpoint is written.")
    return advice(text, SYNC_ONCE[api], citation=citation)


def is_data_base(path: str | None) -> bool:
    """Whether the file is one of SQLite's, which a program does not open or sync by itself."""
    return _DATA_BASE.search(path or "") is not None


def of_data_base(citation: Citation, *, reads: bool) -> Advice:
    """A data base chooses by itself how much it reads or writes at a time: a page, wherever that lies."""
    text = "Make many changes in one transaction: the data base syncs at the end of each."
    if reads:
        text = (
            "Copy the data base to memory or storage of the node before the run, or let it keep more of its pages in "
            "memory (of SQLite: PRAGMA cache_size, PRAGMA mmap_size): it reads page by page, wherever these lie."
        )
    return advice(text, citation=citation)


def larger_buffer(citation: Citation) -> Advice:
    """A buffer of some stripes for a stream of records."""
    text = "Give the stream a larger buffer, so that many records make one access."
    return advice(text, LARGE_BUFFER, citation=citation)


def sorted_in_memory(citation: Citation) -> Advice:
    """For reads that jump about in a file: each block is read once, whatever is wanted of it."""
    text = "Sort the accesses by offset, and read a block of 1 MiB or more to pick from in memory."
    return advice(text, BLOCKS_IN_ORDER, citation=citation)


def in_blocks(text: str, layer: str | None, citation: Citation, *, reads: bool) -> Advice:
    """`text` with the lines that do it in this layer: a buffer for a stream, a block of one's own for POSIX."""
    if layer == "STDIO":
        return advice(text, LARGE_BUFFER, citation=citation)
    if layer == "POSIX":
        return advice(text, READ_BLOCKS if reads else WRITE_BLOCKS, citation=citation)
    return advice(text, citation=citation)

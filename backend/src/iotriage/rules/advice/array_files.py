"""What is done about reads of HDF5 and netCDF files, of which the library decides what it fetches, and of files that
one rank can read for all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from iotriage.metrics.core.metric import Metric
from iotriage.rules.advice.array_snippets import CHUNK_CACHE, READ_BY_ONE
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.placement import on_the_node_already
from iotriage.rules.advice.snippets import BROADCAST, SHARED_ON_NODE
from iotriage.rules.core import Context
from iotriage.rules.core.action import EditCode
from iotriage.rules.core.advice import Advice, Citation, advice, in_program
from iotriage.rules.core.words import formatted, sentence, size


def read_by_one(path: str | None) -> EditCode:
    """Lines with which one rank reads the file at `path` for all: by its library, if its name has one."""
    named = library_named(path)
    return BROADCAST if named is None else READ_BY_ONE[named]


FILTERS = 2.0
"""Ratio of the bytes moved through HDF5 to those moved below it from which filters, such as compression, must have
changed them."""


def are_filtered(metrics: Mapping[str, Metric], done: Literal["read", "written"]) -> bool:
    """Whether more is moved through HDF5 than all that is moved below, of which none is missing."""
    above, below = metrics.get(f"hdf5.bytes_{done}"), metrics.get(f"io.bytes_{done}")
    if above is None or below is None or below.bound is not None:
        return False
    if not isinstance(above.value, int | float) or not isinstance(below.value, int | float):
        return False
    return above.value >= FILTERS * below.value > 0


def compressed_sentence(context: Context) -> str | None:
    """Where it is the processor of who writes that takes part of the time."""
    if not are_filtered(context.metrics, "written"):
        return None
    return sentence(
        "HDF5 was given {} and wrote {}: it seems to compress or convert them, which takes the time of the rank's "
        "processor and not of the storage.",
        formatted(context.number("hdf5.bytes_written"), size),
        formatted(context.number("io.bytes_written"), size),
    )


_METADATA_OF_ADIOS = re.compile(r"\.bp[345]?(\.dir)?/(md\.(idx|\d+)|mmd\.\d+)$")


def open_together(path: str | None) -> tuple[Advice, ...]:
    """For what ADIOS2 keeps about its data, where every rank reads all of it; empty for other files."""
    if _METADATA_OF_ADIOS.search(path or "") is None:
        return ()
    return (
        in_program(
            "Open it with the communicator of all ranks, as adios2::ADIOS adios(MPI_COMM_WORLD): one rank then reads "
            "what ADIOS2 keeps about the data, and sends it to the others. Each reads it where it opens the file by "
            "itself, with MPI_COMM_SELF or without MPI. Fewer blocks and fewer steps in a file make it smaller."
        ),
    )


def keep_chunks(path: str | None, citation: Citation) -> tuple[Advice, ...]:
    """For files of which the same is read again; empty where the name says nothing of chunks."""
    named = library_named(path)
    if named is None:
        return ()
    text = (
        f"If the program asks for each value once, it is {named} that reads again: a chunk of which a part is wanted "
        "is read whole, each time that it is no longer in the cache of chunks. Make that cache as large as the chunks "
        "that one sweep touches."
    )
    rewrite = (
        "Or rewrite the files once in chunks that lie as they are read: nccopy -c for netCDF, h5repack -l for HDF5."
    )
    return (advice(text, CHUNK_CACHE[named], citation=citation), advice(rewrite, citation=citation))


def read_in_file_order(context: Context, citation: Citation) -> Advice:
    """For accesses that are large enough to be data."""
    text = (
        "The pieces are as large as data, and are read in another order than they lie in the file. Read several that "
        "lie together in one call, and pick from these in memory (to shuffle, shuffle such blocks); or rewrite the "
        "file once in the order in which it is read."
    )
    copied = " Where it is small, copy it to memory or a disk of the node first."
    return in_program(text if on_the_node_already(context) else text + copied, citation=citation)


LARGEST_BROADCAST = 2.0**31
"""Bytes from which a file is not sent to all in one call: MPI counts with an int, and each rank would hold a copy."""
LARGEST_ON_A_NODE = 2.0**36
"""64 GiB: bytes from which a file is not said to fit into a node's memory beside what the job has there."""
ON_EACH_NODE = (
    "{}one rank of each node read {} into memory that all ranks of the node share: each node reads once then, and "
    "holds one copy."
)


def too_large_to_broadcast(context: Context) -> bool:
    return (context.number("file.size") or 0.0) >= LARGEST_BROADCAST


def read_once_per_node(context: Context, what: str, citation: Citation, opening: str = "Let ") -> Advice:
    fits = (context.number("file.size") or 0.0) < LARGEST_ON_A_NODE
    piecewise = "" if fits else " Of what is larger than the memory of a node, do so piece by piece."
    return advice(ON_EACH_NODE.format(opening, what) + piecewise, SHARED_ON_NODE, citation=citation)


def read_and_broadcast(context: Context, citation: Citation) -> Advice:
    """For a file that every rank reads in full."""
    if too_large_to_broadcast(context):
        return read_once_per_node(context, "the file", citation, opening="Where each rank needs all of it, let ")
    what = "the file and send it" if (context.files or 1) == 1 else "each of these files and send it"
    return advice(f"Let one rank read {what} to all.", read_by_one(context.file), citation=citation)

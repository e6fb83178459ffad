"""Accesses jump back and forth in the file.

## What it does
Counts the accesses that begin before the end of the rank's last one, where the program calls POSIX itself. It holds
when they are more than a fifth and many, and the accesses are small; not where memory of the node answers them, for
then nobody waits for a storage, and not where the small ones can have taken little of the time: headers that are read
here and there beside large blocks of the same file are many, and cost nothing.

## Why it matters
Reading ahead brings what nobody asks for, and writing behind finds nothing to put together: every access makes its own
trip to the disks. Only large requests, of a stripe or more, bear it.

## What to do
Sort the offsets before reading. Read whole blocks and pick from them in memory. Lay the file out in the order in which
it is read, or copy it to storage of the node first, where that has room. Before writing, collect and sort. What each
rank writes and reads back itself is scratch data: keep it on a disk of the node, or in memory.

## Limits
Darshan calls an access sequential when it goes forward, however far: of accesses at random places about half count, and
the others take as long. The first access after an open is not held against the program, or ten thousand files that are
read once would seem random. Below MPI-IO the order is the library's and is not judged. Small accesses on the same files
are put under this finding: in order they would be read ahead, and their size would cost little.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import average_of
from iotriage.rules.access.page_cache import memory_threshold, waits_for_storage
from iotriage.rules.advice.array_files import LARGEST_ON_A_NODE, read_in_file_order, read_once_per_node
from iotriage.rules.advice.buffering import larger_parts, sort_in_memory
from iotriage.rules.advice.calls import library_named, these_files
from iotriage.rules.advice.one_process import read_side_by_side
from iotriage.rules.advice.placement import on_the_node_already
from iotriage.rules.advice.samples import about_samples
from iotriage.rules.advice.scratch import move_reread_files
from iotriage.rules.advice.stores import store_of, store_settings
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
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import READS_OF_FEW, WRITES_OF_FEW, Claim, ProductOf, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of
from iotriage.rules.core.data_files import DATA_FILES
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share, size

FRACTION = Threshold(
    id="random-access.fraction",
    title="Share of the accesses that go back in the file",
    default=0.20,
    unit="share",
    stated_by=Statement("drishti", "random_operations", "More than a fifth neither sequential nor consecutive."),
)
COUNT = Threshold(
    id="random-access.count",
    title="Accesses that go back in the file, all ranks",
    default=1000.0,
    unit="calls",
    stated_by=Statement("drishti", "random_operations_absolute", "More than 1,000 of them."),
    slider=logarithmic(1.0, 1e9),
)
SIZE = Threshold(
    id="random-access.size",
    title="Average access below which the order matters",
    default=float(2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "Transfers are best of the stripe size, 1 MiB by default, or a multiple of it.",
    ),
    slider=logarithmic(512.0, float(2**26)),
)
MEMORY = memory_threshold("random-access")
TIME = Threshold(
    id="random-access.time",
    title="Share of the time in reads and writes that small ones at scattered places can have taken",
    default=0.25,
    unit="share",
    stated_by=ours(
        "small accesses", "Headers beside large blocks are many and cheap: who sorts them wins what they take."
    ),
)

LARGEST_LOOKUP = average_of(2**14)
"""Bytes of an access, from which it moves data: the trees and headers of HDF5 are read in pieces of a few KiB."""

CONCEPTS = Citation("archer-bpg", "Lustre basic concepts")


def says(context: Context) -> Words:
    return Words(
        sentence(
            "Accesses of {} on average jump back and forth in the file.",
            formatted(context.number("posix.average_size"), size),
        )
        or "Small accesses jump back and forth in the file.",
        paragraph(
            sentence(
                "{} of the accesses on {} go back in the file ({} of them).",
                formatted(context.number("posix.random_fraction"), share),
                these_files(context),
                formatted(context.number("posix.random_accesses"), number),
            ),
            sentence("An access is {} on average.", formatted(context.number("posix.average_size"), size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    store = store_of(context.file)
    if store is not None:
        return (store_settings(store, context, CONCEPTS, reads=not _mostly_writes(context)),)
    library = library_named(context.file)
    if _mostly_writes(context) and library is not None:
        return (larger_parts(library, CONCEPTS, reads=False),)
    if _mostly_writes(context):
        return (
            in_program(
                "Collect what is written in memory, sort it by offset, and write it in blocks of 1 MiB or more.",
                citation=CONCEPTS,
            ),
            in_program("Or lay the file out in the order in which it is written.", citation=CONCEPTS),
        )
    if library is None and (temporaries := move_reread_files(context)):
        return (*temporaries, sort_in_memory(CONCEPTS))
    several = read_side_by_side(context)
    there = on_the_node_already(context)
    if library is not None:
        fewer = (
            "Have fewer and larger data sets and chunks in it."
            if there
            else "Copy the files to memory or a disk of the node first, where that costs little, or have fewer and "
            "larger data sets and chunks in them."
        )
        return (
            *several,
            read_in_file_order(context, CONCEPTS)
            if (context.number("posix.average_size") or 0.0) >= LARGEST_LOOKUP
            else advice(
                f"The library goes back in the file to look up where its data lies. {fewer}", citation=CONCEPTS
            ),
        )
    samples = about_samples(
        context,
        "Where a training shuffles its samples, shuffle the files and a buffer in memory, and read each file in its "
        "order: in TensorFlow Dataset.shuffle behind the interleaved files, of WebDataset shardshuffle and shuffle.",
    )
    return (
        *several,
        *samples,
        *_read_whole(context),
        sort_in_memory(CONCEPTS),
        in_program(
            "Or lay the file out in the order in which it is read"
            + ("." if there else ", or copy it to storage of the node first, where that has room for it."),
            citation=CONCEPTS,
        ),
    )


def _read_whole(context: Context) -> tuple[Advice, ...]:
    """For a file in which all ranks pick, and together read more of it than if each node read it once and whole: one
    that nobody writes, for what ranks of other nodes write is not in a node's copy."""
    held, read, nodes = context.number("file.size"), context.number("io.bytes_read"), context.number("job.nnodes")
    if context.files != 1 or context.word("io.pattern") != "shared-independent" or not held or not read or not nodes:
        return ()
    if context.number("io.bytes_written") != 0 or held >= LARGEST_ON_A_NODE or nodes * held > FEWER_BYTES * read:
        return ()
    return (read_once_per_node(context, "all of the file", CONCEPTS),)


FEWER_BYTES = 0.5
"""Bytes that all nodes read of a file together for each that the ranks read now, up to which it is well read whole."""


def _mostly_writes(context: Context) -> bool:
    back = {}
    for way in ("read", "write"):
        share_back, calls = context.number(f"posix.random_{way}_fraction"), context.number(f"posix.{way}s")
        back[way] = (share_back or 0.0) * (calls or 0.0)
    return back["write"] > back["read"]


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "the data moved in order and in pieces of 1 MiB or more", as_now=True)


rule = Rule(
    id="random-access",
    title="Small accesses in random order",
    clear_title="Accesses go forward in the files",
    scope="group",
    severity="medium",
    priority=66,
    carries=share_of_job,
    requires=all_of(IsOneOf("io.layer", ("POSIX",)), DATA_FILES),
    condition=all_of(
        Compare("posix.random_fraction", ">", FRACTION.id),
        Compare("posix.random_accesses", ">", COUNT.id),
        Compare("posix.average_size", "<", SIZE.id),
        waits_for_storage(MEMORY),
        Compare("posix.scattered_time_fraction", ">=", TIME.id),
    ),
    thresholds=(FRACTION, COUNT, SIZE, MEMORY, TIME),
    citations=(CONCEPTS, Citation("drishti", "random_operations, random_operations_absolute")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
    ),
    claims=(
        Claim(("reads",), ShareOf("posix.scattered_read_time_fraction")),
        Claim(("writes",), ShareOf("posix.scattered_write_time_fraction")),
        Claim(("imbalance",), ProductOf((ShareOf("posix.scattered_read_time_fraction"), READS_OF_FEW))),
        Claim(("imbalance",), ProductOf((ShareOf("posix.scattered_write_time_fraction"), WRITES_OF_FEW))),
    ),
)

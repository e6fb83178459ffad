"""Scratch files that one process each writes over and reads back, again and again."""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Context, Impact, Threshold, Words, ours
from iotriage.rules.core.condition import Compare, IsOneOf, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, how_often, paragraph, sentence, size
from iotriage.sites.mounts import types_of

AGAIN = Threshold(
    id="redundant-reads.again",
    title="Times that scratch files were written over, and were read",
    default=2.0,
    unit="ratio",
    stated_by=ours(
        "scratch data", "Written once and read once it may be a result; both twice, the first was replaced."
    ),
    slider=logarithmic(1.0, 1000.0),
)
BACK = Threshold(
    id="redundant-reads.read-back",
    title="Bytes of scratch files read back over bytes written",
    default=0.50,
    unit="share",
    stated_by=ours("scratch data", "A log that grows, or a checkpoint that is replaced, is hardly read."),
    slider=linear(0.05),
)
MUCH = Threshold(
    id="redundant-reads.scratch-bytes",
    title="Bytes of such files",
    default=float(2**30),
    unit="B",
    stated_by=ours("scratch data", "Below a GiB the caches of the nodes hold it anyway."),
    slider=logarithmic(float(2**20), float(2**44)),
)
OF_SCRATCH = (AGAIN, BACK, MUCH)
OF_EVERYBODY = (*types_of("lustre", "gpfs", "beegfs", "weka"), "panfs")
"""Types of the mounts that scratch data of one process shares with everybody."""
SCRATCH = when_present(
    "file.times_rewritten",
    when_present("file.mount_type", IsOneOf("file.mount_type", OF_EVERYBODY)),
    Compare("file.times_rewritten", ">=", AGAIN.id),
    Compare("file.times_read_back", ">=", AGAIN.id),
    Compare("file.read_back_fraction", ">=", BACK.id),
    Compare("io.bytes", ">=", MUCH.id),
)
"""On a file system that all share: in the memory or on a disk of the node nobody minds."""


def scratch_words(context: Context) -> Words:
    return Words(
        "Scratch files are rewritten and read again and again on the file system that all share.",
        paragraph(
            sentence("{} moved on {}:", formatted(context.number("io.bytes"), size), these_files(context)),
            sentence(
                "each was written {} and read {}, by one process.",
                formatted(context.number("file.times_rewritten"), lambda n: how_often(round(n, 1))),
                formatted(context.number("file.times_read_back"), lambda n: how_often(round(n, 1))),
            ),
            "If a restart needs them, keep the last.",
        ),
    )


def single_use_saving(context: Context) -> Impact | None:
    """What it would save if each byte were written, and read back, a single time."""
    written, read = context.number("io.bytes_written") or 0.0, context.number("io.bytes_read") or 0.0
    written_once = written / (context.number("file.times_rewritten") or 1)
    read_once = read / (context.number("file.times_read_back") or 1)
    return documented_saving(context, "it were written and read once", bytes_left=written_once + read_once)

"""What a rank writes and reads again, as scratch data, goes through the shared file system.

## What it does
Looks at files that one process each wrote and read again in the same run, on a parallel file system.

## Why it matters
Such data need not be seen by other nodes. A disk in the node serves it without the network, without locks and without
other users, and its rate grows with the number of nodes. One process on the SSD of a Theta node read 1.1 GB/s and wrote
175 MB/s, two had twice as much; at 1,024 nodes that was more than Theta's whole file system gave.

## What to do
Where the nodes have disks, ask for them and keep scratch files there; copy out at the end what is to stay.

## Limits
Never more than info: whether the nodes have disks, and whether the files are wanted afterwards, no log tells. How much
was read again is bounded by the smaller of the bytes read and written. What is rewritten and read again and again is
`redundant-reads`, which has its seconds. Theta is retired; its figures are an example.
"""

from __future__ import annotations

from iotriage.rules.access.scratch_files import OF_EVERYBODY
from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.scratch import SSD, use_node_disk
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, ours, share_of_job
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size

AGAIN = Threshold(
    id="node-local-ssd.read-back",
    title="Bytes read again over bytes written",
    default=0.50,
    unit="share",
    stated_by=ours("scratch data", "The slides speak of intermediate files and give no number; half is ours."),
    slider=linear(0.05),
)
BYTES = Threshold(
    id="node-local-ssd.bytes",
    title="Bytes of the files",
    default=float(2**30),
    unit="B",
    stated_by=ours("scratch data", "Below a GiB the caches of the nodes hold it anyway."),
    slider=logarithmic(float(2**20), float(2**44)),
)


def says(context: Context) -> Words:
    return Words(
        "Each process reads back what it wrote, and both go through the shared file system.",
        paragraph(
            sentence(
                "{}: {}, {} moved;",
                these_files(context),
                formatted(context.number("file.count"), lambda n: plural(n, "file")),
                formatted(context.number("io.bytes"), size),
            ),
            sentence(
                "up to {} of the bytes written were read again by the rank that wrote them.",
                formatted(context.number("file.read_back_fraction"), share),
            ),
            "Whether these are scratch files, or output that is read once more to see that it is whole, no log tells.",
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return (use_node_disk(context),)


rule = Rule(
    id="node-local-ssd",
    title="Scratch data on the shared file system",
    clear_title="No scratch data on the shared file system",
    scope="group",
    severity="info",
    priority=95,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("file-per-process", "file-per-node")),
            when_present("file.mount_type", IsOneOf("file.mount_type", OF_EVERYBODY)),
            when_present("file.read_back_fraction"),
        )
    ),
    condition=AllOf(
        (
            Compare("file.read_back_fraction", ">=", AGAIN.id),
            Compare("io.bytes", ">=", BYTES.id),
        )
    ),
    thresholds=(AGAIN, BYTES),
    citations=(
        SSD,
        Citation("theta-io", "Node SSD vs Lustre File-Per-Process Performance"),
        Citation("tacc-io", "Use Each Compute Node's /tmp Storage Space"),
    ),
    says=says,
    advise=advise,
)

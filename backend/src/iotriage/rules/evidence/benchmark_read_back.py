"""A benchmark read from the memory of its nodes what it had just written.

## What it does
Looks at an IOR that writes and reads in one start. It holds where the ranks read what their own node wrote, and that
went several times as fast as the writing.

## Why it matters
What a node has written is in its memory, and is read from there. The rate says nothing of the file system; a profile or
an expectation made of it is far too high.

## What to do
Read in a run of its own, with the ranks shifted to other nodes (`-C`), or write more than the nodes have memory.

## Limits
That memory answered is not seen, only that it could. Storage that reads much faster than it writes is taken for it too;
reading that memory helps less than the threshold is not found.
"""

from __future__ import annotations

from iotriage.metrics.benchmark.reading_back import OWN_NODES
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, Present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, size
from iotriage.rules.evidence.measured_again import ior_size, ior_write_then_read

FACTOR = Threshold(
    id="benchmark-read-back.factor",
    title="How many times as fast as the writing the reading must be",
    default=3.0,
    unit="ratio",
    stated_by=ours("cache", "Disks and flash of one system seldom read three times as fast as they write."),
    slider=logarithmic(1.0, 1000.0),
)

CACHING = Citation("theta-io", "Lustre file system caching")


def says(context: Context) -> Words:
    return Words(
        "The benchmark read what its own nodes had just written: that rate may be their memory's.",
        paragraph(
            sentence("Reading ran at {}/s,", formatted(context.number("benchmark.read_bandwidth"), size)),
            sentence(
                "{} times as fast as the writing, and each rank read what its own node had written.",
                formatted(context.number("benchmark.read_over_write"), number),
            ),
        ),
    )


def _as_it_ran(context: Context) -> tuple[str, ...]:
    """The options that say how much the benchmark moved, and how, as its output has them; of what it does not say a GiB
    by calls of a MiB."""
    api, access = context.word("benchmark.api"), context.word("benchmark.access")
    shared = {"file-per-process": ("-F",), "collective": ("-c",)}.get(access or "", ())
    block = context.number("benchmark.block_size") or 2**30
    transfer = context.number("benchmark.transfer_size") or 2**20
    named = ("-a", api) if api is not None and api in ("POSIX", "MPIIO", "HDF5") else ()
    return (*named, *shared, "-b", ior_size(int(block)), "-t", ior_size(int(transfer)))


def advise(context: Context) -> tuple[Advice, ...]:
    as_it_ran = _as_it_ran(context)
    return (
        advice(
            "Do not quote a read rate from this run. Write with a sync and keep the file, then read it in a run of its "
            "own with the ranks shifted to other nodes.",
            *ior_write_then_read(context, *as_it_ran),
            citation=CACHING,
        ),
    )


rule = Rule(
    id="benchmark-read-back",
    title="Benchmark that read its own writing",
    clear_title="Reading is not far faster than writing, or of what other nodes wrote",
    scope="job",
    severity="info",
    priority=84,
    requires=Present("benchmark.read_over_write"),
    condition=AllOf(
        (
            Compare("benchmark.read_over_write", ">=", FACTOR.id),
            IsOneOf("benchmark.read_back", (OWN_NODES,)),
        )
    ),
    thresholds=(FACTOR,),
    citations=(CACHING,),
    says=says,
    advise=advise,
    weighed=False,
)

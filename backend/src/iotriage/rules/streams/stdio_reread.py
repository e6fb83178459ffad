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

from iotriage.rules.access.rereads import (
    CASE_STUDY,
    by_one_reading,
    keep_in_memory,
    of_one_rank,
    said_read,
    said_times,
    times_read,
)
from iotriage.rules.advice.snippets import BROADCAST
from iotriage.rules.core import Advice, Context, Impact, Rule, Words, advice, share_of_job_or_too_short
from iotriage.rules.core.claim import BeyondOnce, Claim
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, given
from iotriage.rules.core.words import paragraph, sentence, size, told

TIMES = times_read("stdio-reread", "streams")


def says(context: Context) -> Words:
    return Words(
        "A rank reads its own stream again and again." if of_one_rank(context) else "A stream is read repeatedly.",
        paragraph(
            said_read(context),
            said_times(context, "stdio.times_read"),
            sentence("The streams were read in pieces of {}.", told(context.number("stdio.average_size"), size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    if of_one_rank(context):
        return (keep_in_memory(context),)
    return (
        advice(
            "Read the file once into memory, by one rank, and send it to the others; go back in the array and not in "
            "the stream.",
            BROADCAST,
            citation=CASE_STUDY,
        ),
    )


def impact(context: Context) -> Impact | None:
    return by_one_reading(context, "stdio.times_read")


rule = Rule(
    id="stdio-reread",
    title="A stream read repeatedly",
    clear_title="Streams are read once",
    scope="group",
    severity="medium",
    priority=36,
    carries=share_of_job_or_too_short,
    requires=AllOf((IsOneOf("io.layer", ("STDIO",)), given("stdio.times_read"))),
    condition=Compare("stdio.times_read", ">=", TIMES.id),
    thresholds=(TIMES,),
    citations=(CASE_STUDY,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("stdio-heavy",),
    claims=(Claim(("streams", "imbalance"), BeyondOnce("stdio.times_read")),),
)

"""The calls are collective, but every rank goes to the file itself.

## What it does
Looks at files that are accessed with collective calls in small pieces. It holds when collective buffering is switched
off by a hint, or when nearly all ranks moved the bytes themselves, in small system calls.

## Why it matters
A collective call only helps when the library gathers the pieces on a few aggregators. With `romio_cb_write=disable`
(or `romio_cb_read`), or where the library decides against it, each rank writes its own pieces: with data sieving the
library reads and writes back whole blocks around them, without it the file system gets thousands of small writes.
Darshan counts the calls as collective in both cases.

## What to do
Switch collective buffering on, and leave data sieving as it is: switching that off alone made the same program about
four times slower.

## Limits
`automatic` may rightly leave large contiguous accesses to the ranks; such files are left out by the size of the
system calls. Without a display of the hints the finding rests on who moved the bytes, and is inferred.
"""

from __future__ import annotations

from iotriage.rules.calls import hints, these_files
from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import (
    Advice,
    AllOf,
    AnyOf,
    Citation,
    Compare,
    Context,
    Impact,
    IsOneOf,
    Rule,
    Source,
    Threshold,
    Words,
)
from iotriage.rules.shared_files import moved_by_ranks
from iotriage.rules.walk import given
from iotriage.rules.weight import share_of_job
from iotriage.rules.wording import counted, paragraph, sentence, share, size, told

SHARE = moved_by_ranks("collective-disabled")
RANKS = Threshold(
    "collective-disabled.ranks",
    "Ranks from which aggregators differ from all ranks",
    4.0,
    "ranks",
    Source(PROJECT, "collective buffering", "On two or three ranks every rank may be an aggregator."),
    2.0,
    1024.0,
    "log",
)
SMALL = Threshold(
    "collective-disabled.small",
    "Share of the system writes or reads below 1 MiB",
    0.50,
    "1",
    Source(
        "theta-io",
        "File storage approaches",
        "Collectives pay for small discontiguous pieces, less for large contiguous ones; no share is given, half is "
        "ours.",
    ),
    0.05,
    1.0,
)
AMPLIFIED = Threshold(
    "collective-disabled.amplification",
    "Bytes stored for each byte written",
    1.5,
    "1",
    Source(PROJECT, "collective buffering", "Whole blocks are written back around small pieces; a half more is ours."),
    1.0,
    10.0,
    "log",
)
WEIGHT, CARRIES_WEIGHT = share_of_job("collective-disabled")

OVERVIEW = Citation("theta-io", "Cray MPI-IO Overview")


def says(context: Context) -> Words:
    off = "disable" in (context.word("hints.cb_write"), context.word("hints.cb_read"))
    return Words(
        "The calls are collective, but collective buffering is not at work: every rank goes to the file itself.",
        paragraph(
            sentence(
                "On {}, {} of the ranks moved the bytes themselves.",
                these_files(context),
                told(context.number("mpiio.effective_share"), share),
            ),
            sentence("A system write moves {} on average.", told(context.number("posix.average_write_size"), size)),
            sentence("There were {}.", told(context.number("posix.writes"), lambda n: counted(n, "system write"))),
            "A hint switches collective buffering off." if off else "No source shows the hints; this is inferred.",
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    text = "Switch collective buffering on, so that a few ranks write large blocks for all."
    return hints(context, text, OVERVIEW, ("romio_cb_write", "enable"), ("romio_cb_read", "enable"))


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="collective-disabled",
    title="Collective buffering not at work",
    clear_title="Collective calls are buffered",
    scope="group",
    severity="high",
    priority=12,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-collective",)),
            Compare("job.nprocs", ">=", RANKS.id),
            CARRIES_WEIGHT,
        )
    ),
    condition=AllOf(
        (
            AnyOf(
                (
                    given("posix.small_write_fraction", Compare("posix.small_write_fraction", ">=", SMALL.id)),
                    given("posix.small_read_fraction", Compare("posix.small_read_fraction", ">=", SMALL.id)),
                    given("mpiio.write_amplification", Compare("mpiio.write_amplification", ">=", AMPLIFIED.id)),
                )
            ),
            AnyOf(
                (
                    given("hints.cb_write", IsOneOf("hints.cb_write", ("disable", "false"))),
                    given("mpiio.effective_share", Compare("mpiio.effective_share", ">=", SHARE.id)),
                )
            ),
        )
    ),
    thresholds=(
        SHARE,
        RANKS,
        SMALL,
        AMPLIFIED,
        WEIGHT,
    ),
    citations=(OVERVIEW, Citation("theta-io", "Cray MPI-IO Collectives")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
        "misaligned-io",
        "lock-contention",
        "read-modify-write",
        "write-gaps",
        "system-writes-not-stripe-sized",
        "redundant-reads",
    ),
)

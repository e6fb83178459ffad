"""Ranks add small records to one file, as to a log.

## What it does
Looks at files that several ranks write without MPI-IO, in thousands of records of less than 4 KiB, and that nobody
reads. It holds where the records fill the file, or stand where Darshan counts the ranks' own writes over one another:
then each rank writes on where the last of them stopped, as `O_APPEND` does.

## Why it matters
To append, a client must know where the file ends, and each record moves that end. On a parallel file system every
record of a rank on another node takes the lock of the last block, and of the file's size, away from the one before:
the ranks write one after the other, and each record is a trip.

## What to do
Let each rank, or each node, write a log of its own, or send the lines to one rank that writes them; or keep them in
memory and write them once a step. What one log shall be can be put together after the run.

## Limits
Darshan does not record the flag with which a file was opened. A dense file of small results that each rank writes where
they belong looks the same; there collective calls are the better cure, and the advice names them. On home too it is the
log that takes the time: in another place the ranks would wait for one another all the same.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.logs import named_as_log
from iotriage.rules.advice.stores import database_settings
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
from iotriage.rules.core.action import EditCode
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, sentence, size

RECORD = Threshold(
    id="shared-log.record",
    title="Average record below which a file is like a log",
    default=average_of(4096),
    unit="B",
    stated_by=ours("shared logs", f"A page: what is less than that is no block of data. {OF_AN_AVERAGE}"),
    slider=logarithmic(16.0, float(2**20)),
)
COUNT = Threshold(
    id="shared-log.count",
    title="Records of all ranks",
    default=1000.0,
    unit="calls",
    stated_by=Statement(
        "drishti", "small_requests_absolute", "More than 1,000 small requests; the number is taken over."
    ),
    slider=logarithmic(10.0, 1e9),
)
SPAN = Threshold(
    id="shared-log.span-over-bytes",
    title="Span of the bytes written over their number, up to which the records fill the file",
    default=1.5,
    unit="ratio",
    stated_by=ours("shared logs", "A log has no holes; half as much again is room for a header."),
    slider=linear(0.5, 10.0),
)
RANKS = Threshold(
    id="shared-log.ranks",
    title="Ranks that write the file, from which they are in one another's way",
    default=4.0,
    unit="ranks",
    stated_by=ours("shared logs", "Two or three ranks seldom write at the same moment."),
    slider=logarithmic(2.0, 1024.0),
)
WRITES = Threshold(
    id="shared-log.written",
    title="Share of the bytes that are written",
    default=0.90,
    unit="share",
    stated_by=ours("shared logs", "Nobody reads a log in the run that writes it."),
    slider=linear(0.5),
)

LOCKS = Citation("theta-io", "Extent lock contention")

OWN_LOG = EditCode(
    'snprintf(name, sizeof name, "run.%05d.log", rank);\n'
    'log = fopen(name, "w");\n'
    "setvbuf(log, malloc(1 << 20), _IOFBF, 1 << 20);  /* and no fflush after every line */",
    'write(name, \'("run.", i5.5, ".log")\') rank\nopen(newunit=log, file=name)  ! and no flush after every line',
)


def says(context: Context) -> Words:
    ranks = context.number("file.writing_ranks")
    who, s = _who(ranks, context.number("job.nprocs"))
    return Words(
        f"{who} add{s} small records to one file, and they wait for one another at its end."
        if named_as_log(context.file)
        else f"{who} write{s} small records among those of the others to one file, and they wait for one another.",
        paragraph(
            sentence(
                "On {}, {} made {} of {} on average.",
                these_files(context),
                formatted(ranks, lambda n: plural(n, "rank")),
                formatted(context.number("posix.writes"), lambda n: plural(n, "write")),
                formatted(context.number("posix.average_write_size"), size),
            ),
        ),
    )


def _who(ranks: float | None, every: float | None) -> tuple[str, str]:
    """Who writes it, and what its verb ends in."""
    if ranks is None or every is None or ranks >= every:
        return "Every rank", "s"
    return f"{number(ranks)} of {number(every)} ranks", ""


def advise(context: Context) -> tuple[Advice, ...]:
    if settings := database_settings(context, LOCKS):
        return settings
    own = advice(
        "Give each rank or node a log of its own, with a buffer, and put them together after the run.",
        OWN_LOG,
        citation=LOCKS,
    )
    if context.number("job.separate_processes") is not None:
        return (own,)
    if named_as_log(context.file):
        results = "If they are results and no log, gather them, and let all ranks write them with one collective call."
        return (own, in_program(results, citation=LOCKS))
    together = "Gather the records of each rank, and let all ranks write them with one collective call."
    return (in_program(together, citation=LOCKS), own)


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "one rank wrote what all have to say, or each a file of its own")


rule = Rule(
    id="shared-log",
    title="One log of all ranks",
    clear_title="No log that all ranks add to",
    scope="group",
    severity="medium",
    priority=29,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("io.pattern", ("shared-independent",)),
            IsOneOf("io.layer", ("POSIX",)),
            when_present("posix.average_write_size"),
            Compare("file.writing_ranks", ">=", RANKS.id),
        )
    ),
    condition=AllOf(
        (
            Compare("posix.average_write_size", "<", RECORD.id),
            Compare("posix.writes", ">=", COUNT.id),
            Compare("posix.write_fraction", ">=", WRITES.id),
            Compare("file.written_span_over_bytes", "<=", SPAN.id),
        )
    ),
    thresholds=(RECORD, COUNT, SPAN, RANKS, WRITES),
    citations=(LOCKS, Citation("drishti", "small_requests, small_requests_absolute")),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "small-io",
        "random-access",
        "misaligned-io",
        "lock-contention",
        "ssf-understriped",
        "redundant-reads",
    ),
    # On another file system they would wait for one another all the same.
    claims=(Claim(("writes", "imbalance"), apart=True),),
)

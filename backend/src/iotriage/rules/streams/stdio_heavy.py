"""The data goes through buffered streams, in small calls.

## What it does
Looks at `fprintf`, `fwrite`, `fgets` and the like. It holds when they carry more than a tenth of the bytes or most of
the calls, are many and small, and take a share of the I/O time that matters.

## Why it matters
A stream copies everything through a buffer that is small by default, and formats text on the way. It knows nothing of
other ranks or of stripes. For a log that is right; for the data of a simulation it is not.

## What to do
Give the stream a larger buffer before its first access. Write data in binary, as whole arrays, and keep text for logs.

## Limits
Darshan does not record what the C library makes of the calls below its buffer, so the size of the system's accesses is
not known. Large `fwrite` calls pass the buffer by and are not reported. Standard output counts too. Where a stream is
flushed after every line, that is the cause, and this is put under it (sync-heavy).
"""

from __future__ import annotations

from iotriage.rules.advice.buffering import larger_buffer
from iotriage.rules.advice.snippets import WHOLE_ARRAYS
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, given
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.rule import Advice, Citation, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.core.words import number, paragraph, sentence, share, size, told

BYTES = Threshold(
    "stdio-heavy.bytes-fraction",
    "Share of the bytes that went through streams",
    0.10,
    "share",
    Source("drishti", "interface_stdio", "More than a tenth of the bytes."),
    0.0,
    1.0,
)
CALLS = Threshold(
    "stdio-heavy.calls-fraction",
    "Share of the calls that were to streams",
    0.50,
    "share",
    Source(PROJECT, "streams", "Most of the calls: half is ours."),
    0.0,
    1.0,
)
COUNT = Threshold(
    "stdio-heavy.count",
    "Reads and writes of streams, all ranks",
    1000.0,
    "calls",
    Source("drishti", "small_requests_absolute", "More than 1,000 small requests; the number is taken over."),
    1.0,
    1e9,
    "log",
)
AVERAGE = Threshold(
    "stdio-heavy.average-size",
    "Average access to a stream below which it is small",
    float(2**18),
    "B",
    Source(PROJECT, "streams", "A quarter of the default stripe of 1 MiB, as for other small accesses."),
    1.0,
    float(2**24),
    "log",
)
TIME = Threshold(
    "stdio-heavy.time-fraction",
    "Share of the I/O time that streams take",
    0.10,
    "share",
    Source(PROJECT, "weighing", "A fix to less of the I/O cannot change the run by more than that."),
    0.0,
    1.0,
)

STDIO = Citation("drishti", "interface_stdio")


def says(context: Context) -> Words:
    return Words(
        "The data goes through buffered streams in small calls.",
        paragraph(
            sentence(
                "{} calls to streams, {} on average.",
                told(context.number("stdio.calls"), number),
                told(context.number("stdio.average_size"), size),
            ),
            sentence("They carry {} of the bytes.", told(context.number("stdio.bytes_fraction"), share)),
            sentence("They take {} of the I/O time.", told(context.number("stdio.time_fraction"), share)),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    binary = Advice(
        "Keep streams for logs; move data in binary and in whole arrays, one large call instead of one for each value.",
        WHOLE_ARRAYS.c,
        "code",
        STDIO,
        WHOLE_ARRAYS.fortran,
    )
    return (larger_buffer(STDIO), binary)


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="stdio-heavy",
    title="Data through buffered streams",
    clear_title="Streams carry little of the I/O",
    scope="job",
    severity="medium",
    priority=72,
    requires=given("stdio.time_fraction", Compare("stdio.time_fraction", ">=", TIME.id)),
    condition=AllOf(
        (
            AnyOf(
                (
                    Compare("stdio.bytes_fraction", ">", BYTES.id),
                    Compare("stdio.calls_fraction", ">", CALLS.id),
                )
            ),
            Compare("stdio.calls", ">", COUNT.id),
            Compare("stdio.average_size", "<", AVERAGE.id),
        )
    ),
    thresholds=(BYTES, CALLS, COUNT, AVERAGE, TIME),
    citations=(STDIO, Citation("nesi-io", "IOBUF")),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation",),
)

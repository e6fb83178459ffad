"""The data goes through buffered streams, in small calls.

## What it does
Looks at `fprintf`, `fwrite`, `fgets` and the like. It holds when they carry more than a tenth of the bytes or most of
the calls, are many and small, or below 1 MiB with a seek before most of them, and take a share of the I/O time that
matters; not where a buffer takes far longer than a small access does, unless several ranks use the stream and wait for
one another, and not where a rank moves as much in a second as a serial writer of large calls does: its calls are then
copies into the buffer. Nor where all ranks together move several GiB/s through streams, in calls as large as a usual
buffer.

## Why it matters
A stream copies everything through a buffer that is small by default, and formats text on the way. It knows nothing of
other ranks or of stripes. For a log that is right; for the data of a simulation it is not.

## What to do
Give the stream a larger buffer before its first access. Write data in binary, as whole arrays, and keep text for logs.

## Limits
Darshan does not record what the C library makes of the calls below its buffer, so the size of the system's accesses is
not known. Large `fwrite` calls pass the buffer by and are not reported. Standard output counts too; standard input does
not, where most of the time passes in reading it: the program waits for what another writes. Where a stream is
flushed after every line, that is the cause, and this is put under it (sync-heavy). Darshan has no longest call of a
stream, but most calls only copy into its buffer, of 4 KiB or more: where what is left takes long, a few took seconds
while the storage stood still, and neither their size nor their number is the cause. That a program took the buffer away
no log says.
"""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.access.fast_rates import rank_rate_threshold, total_rate_threshold
from iotriage.rules.advice.buffering import larger_buffer
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.one_rank import LET_ONE_PRINT, PRINT_LESS, SEND_TO_A_FILE
from iotriage.rules.advice.snippets import WHOLE_ARRAYS
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, in_program, ours
from iotriage.rules.core.claim import Claim, ProductOf, ShareOf, ShortOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share, size

BYTES = Threshold(
    id="stdio-heavy.bytes-fraction",
    title="Share of the bytes that went through streams",
    default=0.10,
    unit="share",
    stated_by=Statement("drishti", "interface_stdio", "More than a tenth of the bytes."),
)
CALLS = Threshold(
    id="stdio-heavy.calls-fraction",
    title="Share of the calls that were to streams",
    default=0.50,
    unit="share",
    stated_by=ours("streams", "Most of the calls: half is ours."),
)
COUNT = Threshold(
    id="stdio-heavy.count",
    title="Reads and writes of streams, all ranks",
    default=1000.0,
    unit="calls",
    stated_by=Statement(
        "drishti", "small_requests_absolute", "More than 1,000 small requests; the number is taken over."
    ),
    slider=logarithmic(1.0, 1e9),
)
AVERAGE = Threshold(
    id="stdio-heavy.average-size",
    title="Average access to a stream below which it is small",
    default=average_of(2**18),
    unit="B",
    stated_by=ours(
        "streams", f"A quarter of the default stripe of 1 MiB, as for other small accesses. {OF_AN_AVERAGE}"
    ),
    slider=logarithmic(1.0, float(2**24)),
)
CALL_TIME = Threshold(
    id="stdio-heavy.call-time",
    title="Average time of a system call for streams, below which it is their number that takes the time",
    default=0.01,
    unit="s",
    stated_by=ours("streams", "A small call that goes to a disk takes some milliseconds."),
    slider=logarithmic(1e-5, 100.0),
)
SEEKS = Threshold(
    id="stdio-heavy.seeks",
    title="Seeks for each read and write of a stream, from which most of these are elsewhere in the file",
    default=0.5,
    unit="ratio",
    stated_by=ours("streams", "Every other call empties the buffer: no document has a number."),
    slider=logarithmic(0.01, 100.0),
)
SOUGHT = Threshold(
    id="stdio-heavy.sought-size",
    title="Average access to a stream, below which it matters that most of them are elsewhere in the file",
    default=float(2**20),
    unit="B",
    stated_by=Statement(
        "archer-bpg",
        "Lustre basic concepts",
        "Transfers are best of the stripe size, 1 MiB by default, or a multiple of it.",
    ),
    slider=logarithmic(512.0, float(2**26)),
)
SHARING = Threshold(
    id="stdio-heavy.sharing-ranks",
    title="Ranks that use one stream, from which its calls wait for one another",
    default=4.0,
    unit="ranks",
    stated_by=ours("streams", "Each small write to a file that several write takes its lock from another."),
    slider=logarithmic(2.0, 1e6),
)
RATE = rank_rate_threshold(
    "stdio-heavy", "Rate of a rank in its calls to streams, from which their number holds nothing up"
)
TOGETHER = total_rate_threshold(
    "stdio-heavy", "Rate of all ranks together, where most bytes go through streams, from which these are fast"
)
BUFFER = Threshold(
    id="stdio-heavy.buffer",
    title="Average access to a stream, from which that rate tells",
    default=average_of(4096),
    unit="B",
    stated_by=ours(
        "streams",
        f"A usual buffer: smaller calls cost the ranks time that no file system has a part in. {OF_AN_AVERAGE}",
    ),
    slider=logarithmic(1.0, float(2**24)),
)
TIME = Threshold(
    id="stdio-heavy.time-fraction",
    title="Share of the I/O time that streams take",
    default=0.10,
    unit="share",
    stated_by=ours("significance", "A fix to less of the I/O cannot change the run by more than that."),
)
AWAITED = Threshold(
    id="stdio-heavy.awaited",
    title="Share of the streams' time in reading standard input, from which it is what they wait for",
    default=0.50,
    unit="share",
    stated_by=ours("streams", "A pipe has nothing until another program writes into it; half of the time is ours."),
)

STDIO = Citation("drishti", "interface_stdio")


def says(context: Context) -> Words:
    return Words(
        f"{_who_prints(context)} so much to standard output or error that it takes the I/O time."
        if _prints(context)
        else sentence(
            "Streams are used in pieces of {} on average, most of them behind a seek."
            if context.holds(_BEHIND_SEEKS)
            else "The data goes through buffered streams in calls of {} on average.",
            formatted(context.number("stdio.average_size"), size),
        )
        or "The data goes through buffered streams in small calls.",
        paragraph(
            sentence(
                "{} calls to streams, {} on average.",
                formatted(context.number("stdio.calls"), number),
                formatted(context.number("stdio.average_size"), size),
            ),
            sentence("They carry {} of the bytes.", formatted(context.number("stdio.bytes_fraction"), share)),
            sentence("They take {} of the I/O time.", formatted(context.number("stdio.time_fraction"), share)),
        ),
    )


MOSTLY_PRINTS = 0.5
"""Share of the calls to streams that print, from which the program prints more than it writes: ours."""


def _prints(context: Context) -> bool:
    return (context.number("stdio.standard_fraction") or 0.0) >= MOSTLY_PRINTS


def _who_prints(context: Context) -> str:
    if is_one_process(context):
        return "The program prints"
    return "One rank prints" if _one_rank(context) else "The ranks print"


def _one_rank(context: Context) -> bool:
    return not is_one_process(context) and context.number("stdio.sharing_ranks") == 1


def advise(context: Context) -> tuple[Advice, ...]:
    if _prints(context) and is_one_process(context):
        return (advice(SEND_TO_A_FILE, citation=STDIO),)
    if _prints(context) and _one_rank(context):
        return (in_program(PRINT_LESS, citation=STDIO),)
    if _prints(context):
        return (in_program(LET_ONE_PRINT, citation=STDIO),)
    binary = advice(
        "Keep streams for logs; move data in binary and in whole arrays, one large call instead of one for each value.",
        WHOLE_ARRAYS,
        citation=STDIO,
    )
    return (larger_buffer(context, STDIO), binary)


CALLS_OF_STREAMS = ShortOf("stdio.metadata_fraction")
"""Opens and closes of streams are no small calls."""

_SMALL = Compare("stdio.average_size", "<", AVERAGE.id)
_BEHIND_SEEKS = Compare("stdio.seeks_each", ">=", SEEKS.id)
_SOUGHT = when_present("stdio.seeks_each", _BEHIND_SEEKS, Compare("stdio.average_size", "<", SOUGHT.id))

rule = Rule(
    id="stdio-heavy",
    title="Data through buffered streams",
    clear_title="Streams carry little of the I/O",
    scope="job",
    severity="medium",
    priority=72,
    requires=when_present("stdio.time_fraction", Compare("stdio.time_fraction", ">=", TIME.id)),
    condition=all_of(
        any_of(
            Compare("stdio.bytes_fraction", ">", BYTES.id),
            Compare("stdio.calls_fraction", ">", CALLS.id),
        ),
        Compare("stdio.calls", ">", COUNT.id),
        Compare("stdio.stream_rate", "<", RATE.id),
        Compare("stdio.awaited_fraction", "<", AWAITED.id),
        any_of(
            IsOneOf("io.layer", ("POSIX", "MPI-IO", "DFS", "DAOS")),
            Compare("io.bandwidth", "<", TOGETHER.id),
            Compare("stdio.average_size", "<", BUFFER.id),
        ),
        any_of(_SMALL, _SOUGHT),
        any_of(
            Compare("stdio.system_call_time", "<", CALL_TIME.id),
            Compare("stdio.sharing_ranks", ">=", SHARING.id),
        ),
    ),
    thresholds=(BYTES, CALLS, COUNT, AVERAGE, CALL_TIME, SEEKS, SOUGHT, SHARING, RATE, TOGETHER, BUFFER, AWAITED, TIME),
    citations=(STDIO, Citation("nesi-io", "IOBUF")),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(
        Claim(("streams",), CALLS_OF_STREAMS),
        Claim(("imbalance",), ProductOf((ShareOf("balance.slowest_in_streams"), CALLS_OF_STREAMS))),
    ),
)

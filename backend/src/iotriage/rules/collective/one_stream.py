"""One stream of one process: much data, in large pieces, through one OST or two, as fast as such a stream goes."""

from __future__ import annotations

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.rules.core import Context, Threshold, Words, ours
from iotriage.rules.core.condition import Compare, Condition, IsOneOf, all_of, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, seconds, sentence, size
from iotriage.sites.mounts import types_of

BYTES = Threshold(
    id="serial-io.stream-bytes",
    title="Bytes from which one process of few is a stream that is worth cutting",
    default=float(10 * 2**30),
    unit="B",
    stated_by=ours("serial I/O", "Ten seconds or more at the rate of one OST."),
    slider=logarithmic(float(2**20), float(2**50)),
)
LARGEST_FILE = Threshold(
    id="serial-io.stream-file",
    title="Largest file of such a stream, at least",
    default=float(2**30),
    unit="B",
    stated_by=ours("serial I/O", "Threads read the chunks of many small files side by side."),
    slider=logarithmic(1.0, float(2**46)),
)
PIECE = Threshold(
    id="serial-io.stream-piece",
    title="Average access of such a stream, below which the small accesses take the time",
    default=average_of(2**18),
    unit="B",
    stated_by=ours("serial I/O", f"A quarter of a default stripe, as for small accesses. {OF_AN_AVERAGE}"),
    slider=logarithmic(512.0, float(2**26)),
)
RATE = Threshold(
    id="serial-io.stream-rate",
    title="Rate of such a stream, below which something is slow",
    default=float(200 * 2**20),
    unit="B/s",
    stated_by=ours("serial I/O", "Two fifths of what ARCHER's guide expects of one writer."),
    slider=logarithmic(1024.0, float(2**33)),
)
STRIPES = Threshold(
    id="serial-io.stream-stripes",
    title="Stripes of its largest file, at most",
    default=2.0,
    unit="stripes",
    stated_by=ours("serial I/O", "One is the usual default; over more, one process reads and writes several at once."),
    slider=logarithmic(1.0, 1024.0),
)
AGAIN = Threshold(
    id="serial-io.stream-again",
    title="Share of the bytes of such a stream that were read again, from which that is what takes the time",
    default=0.25,
    unit="share",
    stated_by=ours("serial I/O", "What need not be read twice need not be read by several."),
)
BY_STEPS = Threshold(
    id="serial-io.stream-steps",
    title="Share of the bytes of such a stream that later steps of the job read again, from which that takes the time",
    default=0.70,
    unit="share",
    stated_by=ours("serial I/O", "As where four programs read the same, one after the other, and write a little."),
)
AT_A_TIME = Threshold(
    id="serial-io.stream-at-a-time",
    title="Calls of a process in progress at a time, from which they are several streams",
    default=2.0,
    unit="ratio",
    stated_by=ours("serial I/O", "Threads that read a file each do what several processes would."),
    slider=logarithmic(1.0, 1024.0),
)
OF_ONE_STREAM = (BYTES, LARGEST_FILE, PIECE, RATE, STRIPES, AGAIN, BY_STEPS, AT_A_TIME)


def one_stream(of_few_processes: Condition, by_one: Condition) -> Condition:
    """One process of a few, which has nothing to do but to move much, and moves it as fast as one stream and one OST
    go."""
    return all_of(
        of_few_processes,
        when_present("file.mount_type", IsOneOf("file.mount_type", types_of("lustre"))),
        by_one,
        Compare("io.bytes", ">=", BYTES.id),
        when_present("file.size", Compare("file.size", ">=", LARGEST_FILE.id)),
        when_present("posix.average_size", Compare("posix.average_size", ">=", PIECE.id)),
        when_present("posix.reread_fraction", Compare("posix.reread_fraction", "<", AGAIN.id)),
        when_present("posix.steps_reread_fraction", Compare("posix.steps_reread_fraction", "<", BY_STEPS.id)),
        when_present("io.bandwidth", Compare("io.bandwidth", ">=", RATE.id)),
        when_present("job.calls_at_a_time", Compare("job.calls_at_a_time", "<", AT_A_TIME.id)),
        Compare("file.stripe_count", "<=", STRIPES.id),
    )


def one_stream_words(context: Context) -> Words:
    return Words(
        "One process moves all the bytes, one access after the other, through one or two OSTs at a time.",
        paragraph(
            sentence(
                "It moved {} in {},",
                formatted(context.number("io.bytes"), size),
                formatted(context.number("job.io_time"), seconds),
            ),
            sentence("{}/s.", formatted(context.number("io.bandwidth"), size)),
            sentence(
                "The largest file has {}.",
                formatted(context.number("file.stripe_count"), lambda n: plural(n, "stripe")),
            ),
            rate_of_one_ost(context),
        ),
    )


def rate_of_one_ost(context: Context) -> str | None:
    """What one OST gives by the site's documents, where all its file systems that have a figure have the same."""
    of_one = {f.ost_bandwidth for f in context.site.file_systems if f.ost_bandwidth is not None}
    return sentence(
        "By the documents of {} one OST gives about {}/s, which one writer hardly exceeds.",
        context.site.title,
        formatted(of_one.pop() if len(of_one) == 1 else None, size),
    )

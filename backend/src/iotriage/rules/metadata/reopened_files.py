"""The same files are opened and closed again and again.

## What it does
Compares the opens of the files with the ranks that use them. It holds when each rank opens each file ten times or more,
there are many opens, no more files than a process can keep open, and metadata calls take a quarter or more of the time
that these files take; not where stats are most of these calls. It holds too where each open is to write a line or
two: the close sends these, whatever buffer they are in, and so the time of the writes is that of the opens.

## Why it matters
Every open and close goes to the metadata server, of which a Lustre file system has one or a few for all users, and a
close writes out what the node's cache held. A program that opens its file for every step or record pays for both each
time, where one open would do.

## What to do
Open the file before the first step and close it after the last. Where others have to read it meanwhile, flush or sync
it instead of closing it. Many files that are read whole each time, as the samples of a training, are kept in memory or
packed into few. Files in which nothing is read or written are looked for: look less often.

## Limits
Opens of one rank on a file that all ranks share are known only where the log has records of each rank; a reduced record
counts as opened by all ranks alike. The time of their metadata calls may include stats and seeks; that of streams what
is still in their buffers when they are closed.
"""

from __future__ import annotations

import re
from typing import Literal

from iotriage.metrics.core.averages import OF_AN_AVERAGE, average_of
from iotriage.metrics.tables.files.of_kernel import is_of_kernel
from iotriage.rules.advice.calls import library_named, library_of, these_files, through_mpi_io
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.open_files import keep_open, poll_less_often, wait_between_looks, wait_for_change
from iotriage.rules.advice.small_files import READ_EACH_ONCE, read_fewer
from iotriage.rules.advice.stores import opened_less_often
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import BeyondOnce, Claim, ProductOf, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size

TIMES = Threshold(
    id="reopened-files.times",
    title="Opens of a file by each rank that uses it",
    default=10.0,
    unit="calls",
    stated_by=ours("metadata", "A few belong to restarts and to a library that looks at a file first."),
    slider=logarithmic(2.0, 1e6),
)
CALLS = Threshold(
    id="reopened-files.calls",
    title="Opens of all ranks",
    default=1000.0,
    unit="calls",
    stated_by=ours("metadata", "Fewer calls do not load a metadata server; no document gives a number."),
    slider=logarithmic(10.0, 1e8),
)
FILES = Threshold(
    id="reopened-files.files",
    title="Files that each rank uses, up to which it can keep them open",
    default=1000.0,
    unit="files",
    stated_by=ours("metadata", "Linux lets a process have 1,024 files open, unless it asks for more."),
    slider=logarithmic(1.0, 1e6),
)
FRACTION = Threshold(
    id="reopened-files.fraction",
    title="Metadata's share of the time that the files take",
    default=0.25,
    unit="share",
    stated_by=ours("metadata", "Below a quarter the calls between the opens are worth looking at first."),
    slider=linear(0.05),
)

OPENING = Threshold(
    id="reopened-files.opening",
    title="Share of the metadata calls that belong to opening files",
    default=0.5,
    unit="share",
    stated_by=ours("metadata", "Below half the ranks mostly ask about files, and keeping them open is no cure."),
)

WRITTEN = Threshold(
    id="reopened-files.written",
    title="Bytes moved for each open, below which it is the open that makes a write of them",
    default=average_of(4096),
    unit="B",
    stated_by=ours(
        "metadata", f"Less than the least buffer of a stream, a page: only the close sends it. {OF_AN_AVERAGE}"
    ),
    slider=logarithmic(1.0, float(2**20)),
)
WRITES = Threshold(
    id="reopened-files.writes",
    title="Reads and writes for each open, up to which the close makes them",
    default=2.0,
    unit="ratio",
    stated_by=ours("metadata", "What a program adds between an open and a close leaves its buffer as one write."),
    slider=logarithmic(1.0, 100.0),
)
USED = Threshold(
    id="reopened-files.used",
    title="Reads and writes for each open, from which files are opened to write them",
    default=0.5,
    unit="ratio",
    stated_by=ours("metadata", "Where most opens read and write nothing, they are of who looks for the file."),
    slider=linear(0.0, 2.0),
)
ADDING = Threshold(
    id="reopened-files.adding",
    title="Share of the bytes that are written, from which what is moved at each open is a write",
    default=0.5,
    unit="share",
    stated_by=ours("metadata", "Half: of what is mostly read, the close sends nothing."),
)

MDS = Citation("archer-bpg", "Lustre basic concepts")


LOOKED_FOR = "No read or write of them is seen, as where a file is waited for, or is a lock."
MOSTLY_LOOKED_FOR = "Hardly one of these opens reads or writes, as where a file is waited for, or is a lock."


def says(context: Context) -> Words:
    files, layer = these_files(context), _layer(context)
    times = formatted(context.number(f"{layer}.opens_by_a_rank"), lambda n: plural(round(n), "time"))
    which = f"opens {files} {{}}" if context.files == 1 else f"opens each of its files {{}}: {files}"
    who = _who(context)
    return Words(
        f"{who} opens and closes its files {times}." if times else "The same files are opened again and again.",
        paragraph(
            sentence(f"{who} {which}.", times),
            sentence("That is {} in all.", formatted(context.number(f"{layer}.opens"), lambda n: plural(n, "open"))),
            sentence("{} of the time on them went into metadata calls.", formatted(_metadata(context), share)),
            sentence(
                "Each open is for {}, and what is written of it is sent on its own.",
                formatted(context.number("file.bytes_per_open"), size),
            )
            if context.holds(ADDS_A_LITTLE)
            else None,
            (MOSTLY_LOOKED_FOR if context.number("io.bytes") else LOOKED_FOR) if _looks(context) else None,
        ),
    )


def _who(context: Context) -> str:
    if is_one_process(context):
        return "The process"
    return "One rank" if _is_one_rank(context) else "Each rank"


def _is_one_rank(context: Context) -> bool:
    opens, times = (context.number(f"{_layer(context)}.{name}") for name in ("opens", "opens_by_a_rank"))
    alone = opens is not None and times is not None and opens <= round(times * (context.files or 1))
    return alone and context.word("io.pattern") == "serial"


def _layer(context: Context) -> Literal["posix", "stdio"]:
    """Where they are opened again and again, as metrics name it: in both, the one whose calls are seen below."""
    if context.holds(BY_STREAMS) != context.holds(BY_CALLS):
        return "stdio" if context.holds(BY_STREAMS) else "posix"
    calls, streams = (context.number(f"{layer}.opens_by_a_rank") or 0.0 for layer in ("posix", "stdio"))
    return "stdio" if streams > calls and not context.holds(BY_CALLS) else "posix"


def _metadata(context: Context) -> float | None:
    streams = _layer(context) == "stdio"
    return context.number("stdio.metadata_fraction" if streams else "posix.metadata_io_fraction")


def _looks(context: Context) -> bool:
    """Whether files are opened, again and again, and neither read nor written nor mapped, but by a few of these opens,
    as of who makes them: who opens them waits for them, or for the lock that they are."""
    hardly = _layer(context) == "posix" and (_is_hardly_used(context) or _is_a_lock(context))
    unused = context.number("io.bytes") == 0 or hardly
    return unused and not context.number("posix.mmaps")


def _is_hardly_used(context: Context) -> bool:
    """Whether all ranks together read and write far less often than each opens: where one writes at each step what all
    have opened, they do so as often."""
    each, opens, times = (context.number(f"posix.{name}") for name in ("accesses_per_open", "opens", "opens_by_a_rank"))
    if each is None or opens is None or times is None:
        return False
    return each * opens < HARDLY_USED * times * (context.files or 1)


def _is_a_lock(context: Context) -> bool:
    """By its name, where not a byte is moved at most opens: whoever has it may write who that is."""
    each = context.number("file.bytes_per_open")
    name = (context.file or "").rpartition("/")[2].lower()
    return each is not None and each < 1.0 and _LOCK.search(name) is not None


_LOCK = re.compile(r"(^|[._-])lo?ck([._-]|$)")
HARDLY_USED = 0.1
"""Reads and writes of all ranks for each open of one, below which nine of ten opens are for something else: ours."""
SEVERAL, WHOLE = 100, 0.9
"""Files of a rank, from which they are the samples of a data set; and of the file, what each open reads of it."""


def _is_data_set(context: Context) -> bool:
    """Whether each open reads the whole file, of many, as each epoch of a training does."""
    files, opens, read = (context.number(f"posix.{m}") for m in ("files_of_a_rank", "opens_by_a_rank", "times_read"))
    return files is not None and opens is not None and read is not None and files >= SEVERAL and read >= WHOLE * opens


def advise(context: Context) -> tuple[Advice, ...]:
    """In the library that opens the file; a file read back meanwhile is flushed."""
    if _looks(context):
        return (wait_between_looks(context),)
    if is_of_kernel(context.file):
        return (poll_less_often(MDS),)
    if less := opened_less_often(context.file):
        return (advice(less, citation=MDS),)
    reads, awaited = context.number("io.bytes_written") == 0, _awaited(context)
    if reads and _is_data_set(context):
        return (in_program(READ_EACH_ONCE, MDS), read_fewer(context))
    if _layer(context) == "stdio":
        text = "Open the stream once, before the first step, and close it after the last"
        flushed = "." if reads else "; flush it where others read it."
        return (advice(f"{text}{flushed}", keep_open("STDIO", reads=reads), citation=MDS), *awaited)
    named = None if through_mpi_io(context) else library_named(context.file)
    by = named or (library_of(context) if through_mpi_io(context) else "POSIX")
    keep = "Open the file once, before the first step, and close it after the last."
    return (advice(keep, keep_open(by, reads=reads), citation=MDS), *awaited)


def _awaited(context: Context) -> tuple[Advice, ...]:
    """Empty but where ranks may wait for what the file says: nobody waits for the kernel, nor for a database to change
    its own journal."""
    if is_of_kernel(context.file) or opened_less_often(context.file):
        return ()
    opens = context.number(f"{_layer(context)}.opens_by_a_rank")
    return wait_for_change(context, opens, alone=_is_one_rank(context))


def impact(context: Context) -> Impact | None:
    """None where a rank waits for what makes the file that it looks for, or may wait for what it says."""
    layer = _layer(context)
    if _looks(context) or _awaited(context):
        return None
    opens, times = context.number(f"{layer}.opens"), context.number(f"{layer}.opens_by_a_rank")
    left = None if opens is None or not times else round(opens / times)
    return fewer_calls_saving(opens, left, "each rank opened each file once")


BY_POSIX = when_present(
    "posix.opens_by_a_rank",
    Compare("posix.opens_by_a_rank", ">=", TIMES.id),
    Compare("posix.opens", ">=", CALLS.id),
    Compare("posix.files_of_a_rank", "<=", FILES.id),
    Compare("posix.metadata_io_fraction", ">=", FRACTION.id),
    Compare("posix.opening_fraction", ">=", OPENING.id),
    IsOneOf("posix.metadata_mostly", ("unknown",)),
)
"""On NFS a close that sends what was written takes as long however seldom the file is opened."""
ADDS_A_LITTLE = when_present(
    "posix.write_fraction",
    Compare("posix.write_fraction", ">=", ADDING.id),
    Compare("file.bytes_per_open", "<", WRITTEN.id),
    Compare("posix.accesses_per_open", ">=", USED.id),
    Compare("posix.accesses_per_open", "<=", WRITES.id),
)
"""Each open is to write a line or two: no buffer can put together what is closed each time."""
BY_WRITES = when_present(
    "posix.opens_by_a_rank",
    Compare("posix.opens_by_a_rank", ">=", TIMES.id),
    Compare("posix.opens", ">=", CALLS.id),
    Compare("posix.files_of_a_rank", "<=", FILES.id),
    IsOneOf("io.layer", ("POSIX",)),
    ADDS_A_LITTLE,
)
"""Where the open and the close take little, the write between them is what each open costs."""
OPENED_TO_WRITE = all_of(BY_WRITES, Compare("posix.opening_fraction", ">=", OPENING.id))
"""Where files are mostly asked about, the metadata calls stay."""
BY_CALLS = any_of(BY_POSIX, BY_WRITES)
BY_STREAMS = when_present(
    "stdio.opens_by_a_rank",
    Compare("stdio.opens_by_a_rank", ">=", TIMES.id),
    Compare("stdio.opens", ">=", CALLS.id),
    Compare("stdio.files_of_a_rank", "<=", FILES.id),
    Compare("stdio.metadata_fraction", ">=", FRACTION.id),
)

rule = Rule(
    id="reopened-files",
    title="Files opened again and again",
    clear_title="Files are opened once or a few times",
    scope="group",
    severity="high",
    priority=4,
    carries=share_of_job,
    requires=any_of(
        when_present("posix.opens_by_a_rank", when_present("posix.metadata_io_fraction")),
        when_present("stdio.opens_by_a_rank", when_present("stdio.metadata_fraction")),
    ),
    condition=any_of(*BY_CALLS.of, BY_STREAMS),
    thresholds=(TIMES, CALLS, FILES, FRACTION, OPENING, WRITTEN, WRITES, USED, ADDING),
    citations=(MDS,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("metadata-bound", "below-expectation"),
    claims=(
        Claim(("metadata",), BeyondOnce("posix.opens_by_a_rank"), any_of(BY_POSIX, OPENED_TO_WRITE)),
        Claim(("writes",), BeyondOnce("posix.opens_by_a_rank"), BY_WRITES),
        Claim(("exchange",), ShareOf("mpiio.metadata_fraction"), BY_POSIX),
        Claim(("imbalance",), ShareOf("balance.slowest_in_metadata"), BY_POSIX),
        Claim(
            ("streams",),
            ProductOf((ShareOf("stdio.metadata_fraction"), BeyondOnce("stdio.opens_by_a_rank"))),
            BY_STREAMS,
        ),
        Claim(("imbalance",), ShareOf("stdio.metadata_fraction"), BY_STREAMS),
    ),
)

"""One rank does the I/O of the whole job.

## What it does
Looks at the share of all bytes that the busiest rank moved. It holds when that is nearly everything, several ranks
were running, and the files are not written with collective calls: there, one busy rank below the library is another
matter (single-aggregator). Few bytes tell it only where they are many accesses, and opening files is not what takes
the time. It holds too, however few the bytes, when a good part of the I/O time is one rank's, in files that no other
rank uses and of which no other has one alike, and the others have far less of their own to do; not where a few small
accesses took long, which nobody shares out. Of a program of one process, or of two or three, it holds where that one
streams much through one OST or two of Lustre, in large pieces and at the rate of such a stream: then nothing is slow
but that it is one.

## Why it matters
However many ranks compute, one of them reads or writes, and the file system sees one client. ARCHER's guide expects
about the rate of one OST, 500 MiB/s, from a serial writer with default striping; ARCHER2's guide says that large
files will hardly go beyond 1 GB/s. All other ranks wait meanwhile.

## What to do
Let every rank write its part of one file with collective calls, or a file per process or node where that suits. Until
then larger stripes, and for many small records a larger buffer, help the single writer a little.

## Limits
A rank that gathers in memory and writes in a moment is not caught. Whether the others wait or compute meanwhile, no log
says: a rank that does nothing but I/O, beside others that go on, is a design and not a fault. A program that means to
use one process only should be run with one. A small result that one rank writes in a moment is not reported. Whether
the work of a single process can be cut, its user knows; where the striping is not known, it is not decided of one.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from iotriage.rules.advice.buffering import in_blocks, sorted_in_memory
from iotriage.rules.advice.calls import mostly_reads, site_environment, write_in_parallel
from iotriage.rules.advice.files_of_one_rank import (
    alone_file,
    fewer_or_shared_out,
    forced_out_less_often,
    in_turn,
    its_own_part,
    of_subfiles,
    off_nfs,
    opening_most_said,
    opening_said,
    verb,
    way,
)
from iotriage.rules.advice.one_process import busiest_said, several_processes, step_said
from iotriage.rules.advice.one_rank import not_filled_first, opened_late
from iotriage.rules.advice.stores import of_store, store_of
from iotriage.rules.collective.one_stream import OF_ONE_STREAM, one_stream, rate_of_one_ost, words_of_one_stream
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Statement,
    Threshold,
    Words,
    more_than_a_moment,
    ours,
)
from iotriage.rules.core.claim import EVERYTHING, Claim, SecondsOf, ShareOf, waited_for_storage
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.saving import as_documented
from iotriage.rules.core.words import (
    formatted,
    number,
    paragraph,
    plural,
    printable,
    rank_name,
    seconds,
    sentence,
    share,
    size,
    times_as_long,
)

SHARE = Threshold(
    id="serial-io.share",
    title="Share of the bytes moved by the busiest rank",
    default=0.90,
    unit="share",
    stated_by=ours("serial I/O", "The guides describe one master process that does all the I/O; nearly all is ours."),
    minimum=0.5,
    maximum=1.0,
)
RANKS = Threshold(
    id="serial-io.ranks",
    title="Ranks from which one writer is a waste",
    default=4.0,
    unit="ranks",
    stated_by=ours("serial I/O", "Two or three ranks have little to share."),
    minimum=2.0,
    maximum=1024.0,
    scale="log",
)
ONE_STREAM = one_stream(
    Compare("job.nprocs", "<", RANKS.id),
    when_present("balance.slowest_rank_share", Compare("balance.slowest_rank_share", ">=", SHARE.id)),
)
ALONE = Threshold(
    id="serial-io.alone-time",
    title="Share of the I/O time that one rank spends in files that it alone uses, beyond what others have",
    default=0.15,
    unit="share",
    stated_by=ours("serial I/O", "However few the bytes, the others have nothing of their own to do meanwhile."),
    minimum=0.1,
    maximum=1.0,
)
CALL_TIME = Threshold(
    id="serial-io.call-time",
    title="Average time of an access to the file that one rank alone uses, below which their number takes the time",
    default=0.01,
    unit="s",
    stated_by=ours("serial I/O", "A small access that goes to a disk takes some milliseconds."),
    minimum=1e-5,
    maximum=100.0,
    scale="log",
)
RATE = Threshold(
    id="serial-io.rate",
    title="Rate at which the file that one rank alone uses is accessed, from which it is its bytes that take the time",
    default=float(10 * 2**20),
    unit="B/s",
    stated_by=ours(
        "serial I/O", "A fiftieth of what ARCHER's guide expects of one writer: below it, something is slow."
    ),
    minimum=1024.0,
    maximum=float(2**30),
    scale="log",
)
METADATA = Threshold(
    id="serial-io.metadata",
    title="Share of that rank's time in metadata calls, below which its being alone is what takes the time",
    default=0.50,
    unit="share",
    stated_by=ours("serial I/O", "Beyond half it is the number of files that takes the time, whoever opens them."),
    minimum=0.05,
    maximum=1.0,
)
OPENS = Threshold(
    id="serial-io.opens",
    title="Opens and stats by that rank, below which its being alone is what takes the time",
    default=1000.0,
    unit="calls",
    stated_by=ours("serial I/O", "As many as a metadata server notices; see metadata-bound."),
    minimum=10.0,
    maximum=1e8,
    scale="log",
)
OPEN_TIME = Threshold(
    id="serial-io.open-time",
    title="Average time of an open or stat by that rank, below which their number takes the time",
    default=0.5,
    unit="s",
    stated_by=ours("serial I/O", "A busy metadata server answers in some milliseconds, a crowded one in some tenths."),
    minimum=1e-3,
    maximum=100.0,
    scale="log",
)
OPEN_FILES = Threshold(
    id="serial-io.open-files",
    title="Files among which that rank's time is shared, from which others could open some of them",
    default=4.0,
    unit="files",
    stated_by=ours("serial I/O", "One open that takes long is nobody's to share; four is ours."),
    minimum=1.0,
    maximum=1e6,
    scale="log",
)
MOVES_MUCH = AllOf(
    (
        AnyOf((Compare("balance.alone_metadata_fraction", "<", METADATA.id), Present("profiled.time"))),
        AnyOf(
            (
                Compare("balance.alone_call_time", "<", CALL_TIME.id),
                Compare("balance.alone_rate", ">=", RATE.id),
            )
        ),
    )
)
OPENS_MUCH = when_present(
    "balance.alone_metadata_fraction",
    Compare("balance.alone_metadata_fraction", ">=", METADATA.id),
    AnyOf(
        (
            when_present("balance.alone_open_time", Compare("balance.alone_open_time", "<", OPEN_TIME.id)),
            when_present("balance.alone_files", Compare("balance.alone_files", ">=", OPEN_FILES.id)),
        )
    ),
)
HAS_MUCH_TO_DO = AnyOf((MOVES_MUCH, OPENS_MUCH))
"""And does not wait in a few small accesses, or in an open or two, for a storage that stands still."""
RECORDS = Threshold(
    id="serial-io.records",
    title="Small accesses from which few bytes are much to do for one rank",
    default=1000.0,
    unit="calls",
    stated_by=Statement("drishti", "small_requests_absolute", "More than 1,000 small requests."),
    minimum=1.0,
    maximum=1e8,
    scale="log",
)
LEAST_BYTES = more_than_a_moment("serial-io").thresholds[0]
BY_BYTES = AllOf(
    (
        Compare("balance.slowest_rank_share", ">=", SHARE.id),
        AnyOf(
            (
                Compare("io.bytes", ">=", LEAST_BYTES.id),
                when_present(
                    "posix.small_accesses",
                    Compare("posix.small_accesses", ">=", RECORDS.id),
                    when_present(
                        "posix.data_metadata_io_fraction",
                        Compare("posix.data_metadata_io_fraction", "<", METADATA.id),
                    ),
                ),
            )
        ),
    )
)
"""Of few bytes, one rank's share of them says nothing of the time, unless they are many accesses, and what all ranks
open does not take it."""
DATA_TAKES_IT = AnyOf(
    (
        Compare("balance.alone_metadata_fraction", "<", METADATA.id),
        Compare("balance.alone_opens", "<", OPENS.id),
        Present("profiled.time"),
    )
)
"""And not the number of files that the rank opens, which another rule is about: packing them cures that. What CrayPAT
counts is reads and writes alone."""
NUMBER_TAKES_IT = AllOf(
    (
        Compare("balance.alone_metadata_fraction", ">=", METADATA.id),
        Compare("balance.alone_opens", ">=", OPENS.id),
    )
)
SERIAL = Citation("archer2-io", "Single file, single writer (Serial I/O)")


def says(context: Context) -> Words:
    if _few_processes(context):
        return words_of_one_stream(context)
    if _step_of_few(context):
        return step_said(context)
    if _opens_for_long(context):
        return opening_said(context, _that_they_wait(context))
    if _metadata_takes_it(context):
        does = "does the I/O of the whole job" if _by_bytes(context) else "does much of the I/O alone"
        return opening_most_said(context, does, _that_they_wait(context))
    if not _by_bytes(context):
        return Words("One rank does much of the I/O alone, in a file that no other rank uses.", _alone(context))
    headline, busiest = busiest_said(context)
    return Words(
        headline,
        paragraph(
            busiest,
            sentence("The job moved {}.", formatted(context.number("io.bytes"), size)),
            sentence("The rate was {}/s.", formatted(context.number("io.bandwidth"), size)),
            None if mostly_reads(context) else rate_of_one_ost(context),
            _that_they_wait(context),
        ),
    )


def _few_processes(context: Context) -> bool:
    return (context.number("job.nprocs") or RANKS.default) < RANKS.default


def _step_of_few(context: Context) -> bool:
    """Whether the bytes are those of a step of one process or few, beside steps of many."""
    few = (context.number("balance.step_ranks") or RANKS.default) < RANKS.default
    return few and not _few_processes(context) and _by_bytes(context)


def _by_bytes(context: Context) -> bool:
    alike = context.word("io.pattern") in PATTERNS
    opens = (context.number("posix.data_metadata_io_fraction") or 0.0) >= METADATA.default
    records = not opens and (context.number("posix.small_accesses") or 0.0) >= RECORDS.default
    enough = records or (context.number("io.bytes") or 0.0) >= LEAST_BYTES.default
    return alike and enough and (context.number("balance.slowest_rank_share") or 0.0) >= SHARE.default


def _opens_for_long(context: Context) -> bool:
    """Whether an open or two are what takes the rank's time: nobody shares those out, however many bytes follow."""
    metadata, each = context.number("balance.alone_metadata_fraction"), context.number("balance.alone_open_time")
    few = (context.number("balance.alone_files") or inf) < OPEN_FILES.default
    return few and (metadata or 0.0) >= METADATA.default and (each or 0.0) >= OPEN_TIME.default


def _metadata_takes_it(context: Context) -> bool:
    """Whether that rank spends most of its time in metadata calls that are too few to be another rule's."""
    metadata, opens = context.number("balance.alone_metadata_fraction"), context.number("balance.alone_opens")
    return (metadata or 0.0) >= METADATA.default and (opens or inf) < OPENS.default


def _waits_for_the_disk(context: Context) -> bool:
    """Whether that rank forces out its files, and an access takes as long as one that goes to a disk."""
    each, rate = context.number("balance.alone_call_time"), context.number("balance.alone_rate")
    slow = (each or 0.0) >= CALL_TIME.default and (rate or inf) < RATE.default
    return slow and (context.number("balance.alone_syncs") or 0.0) > 0


def _alone(context: Context) -> str:
    name, beside = context.word("balance.alone_file"), _others_have_some(context)
    return paragraph(
        sentence(
            "One of {} spent {} in files that it alone uses"
            + (
                ". Beyond what others have of their own, that is {} of the I/O time."
                if beside
                else ", {} of the I/O time."
            ),
            formatted(context.number("job.nprocs"), lambda n: plural(n, "rank")),
            formatted(context.number("balance.alone_time"), seconds),
            formatted(context.number("balance.alone_time_fraction"), share),
        ),
        sentence("Most of it passed in {}.", None if name is None else printable(name)),
        sentence("An access there moves {} on average.", formatted(context.number("balance.alone_access"), size)),
        sentence("That rank takes {} as the mean one.", formatted(context.number("balance.time"), times_as_long)),
        _that_they_wait(context),
    )


NEARLY_ALL = 0.95
"""Of the rank's time in its own files, what others have not, from which they have hardly any of their own."""


def _others_have_some(context: Context) -> bool:
    part, io_s = context.number("balance.alone_time_fraction"), context.number("job.io_time")
    alone_s = context.number("balance.alone_time")
    return part is not None and io_s is not None and alone_s is not None and part * io_s < NEARLY_ALL * alone_s


def _that_they_wait(context: Context) -> str:
    text = "Whether the others wait meanwhile is not in the log."
    if not _may_serve(context):
        return text
    return (
        f"{text} It is {rank_name(context.number('balance.alone_rank') or 0)}: as an I/O server, such as those of "
        "WRF and XIOS, it writes while the others compute, and nobody waits."
    )


def _may_serve(context: Context) -> bool:
    """Whether the rank may be there to write what the others compute: it is not the first, and writes all along."""
    later = (context.number("balance.alone_rank") or 0) > 0
    return later and way(context) == "writes" and in_turn(context)


def advise(context: Context) -> tuple[Advice, ...]:
    if _few_processes(context) or _step_of_few(context):
        return several_processes(context, SERIAL)
    if _opens_for_long(context):
        return opened_late(context, SERIAL)
    if _metadata_takes_it(context):
        late = (context.number("balance.alone_open_time") or 0.0) >= OPEN_TIME.default
        return (fewer_or_shared_out(context, SERIAL), *(opened_late(context, SERIAL) if late else ()))
    reads = way(context) == "reads"
    alone = context.word("balance.alone_file")
    store = store_of(alone)
    if store is not None:
        return (of_store(store, context, SERIAL, reads=reads),)
    if _waits_for_the_disk(context) and not reads:
        return (forced_out_less_often(context, SERIAL),)
    subfiles = of_subfiles(context, SERIAL)
    if subfiles:
        return subfiles
    if not _by_bytes(context) or reads:
        shared_out: tuple[Advice, ...] = (its_own_part(context, SERIAL),)
    else:
        filled, lines = not_filled_first(context, alone), site_environment(context, "shared-collective")
        shared_out = (*off_nfs(context, SERIAL), write_in_parallel(context, alone), *lines, *filled)
    access, part = context.number("balance.alone_access"), context.number("balance.alone_time_fraction")
    if access is None or access >= SMALL or (part or 0.0) < ALONE.default or _by_their_number(context):
        return shared_out
    if (context.number("balance.alone_rate") or 0.0) >= SERIAL_WRITER:
        return shared_out
    # What jumps about is known of the whole job: it is that rank's where the job reads as it does.
    if reads and mostly_reads(context) and (context.number("posix.random_fraction") or 0.0) >= SCATTERED:
        return (sorted_in_memory(SERIAL), *shared_out)
    does = verb(context).capitalize()
    blocks = f"{does} {alone_file(context)} in blocks of 1 MiB or more: now an access moves {size(access)}."
    return (
        in_blocks(context, blocks, context.word("balance.alone_layer"), SERIAL, reads=reads, file=alone),
        *shared_out,
    )


def _by_their_number(context: Context) -> bool:
    """Whether the rank has so many files that none of them can be read or written in large blocks."""
    metadata, opens = context.number("balance.alone_metadata_fraction"), context.number("balance.alone_opens")
    return (metadata or 0.0) >= METADATA.default and (opens or 0.0) >= OPENS.default


SMALL = 2**18
"""Bytes of an access: a quarter of a default stripe, as for other small accesses. A stream that is as fast as one OST
is no faster in larger ones."""

SCATTERED = 0.2
"""Share of the accesses that go back in the file from which blocks in its order hold little that is wanted next."""


def impact(context: Context) -> Impact | None:
    """None where perhaps nobody waits for it, or what takes the time is not the rank's."""
    ranks = context.number("job.nprocs")
    if ranks is None or ranks < 2 or _may_serve(context) or _step_of_few(context):
        return None
    if _opens_for_long(context) or _metadata_takes_it(context) or _waits_for_the_disk(context):
        return None
    return as_documented(context, f"all {number(ranks)} ranks did an equal part at the same time", most=1 - 1 / ranks)


PATTERNS = ("serial", "file-per-process", "file-per-node", "shared-independent", "subfiling")


rule = Rule(
    id="serial-io",
    title="I/O by one rank alone",
    clear_title="The I/O is spread over ranks",
    scope="job",
    severity="high",
    priority=10,
    carries=more_than_a_moment,
    requires=AllOf(
        (
            AnyOf(
                (
                    AllOf((Present("balance.slowest_rank_share"), Present("io.pattern"))),
                    Present("balance.alone_time_fraction"),
                )
            ),
            AnyOf((Compare("job.nprocs", ">=", RANKS.id), ONE_STREAM)),
        )
    ),
    condition=AnyOf(
        (
            when_present(
                "balance.slowest_rank_share", BY_BYTES, when_present("io.pattern", IsOneOf("io.pattern", PATTERNS))
            ),
            when_present(
                "balance.alone_time_fraction", Compare("balance.alone_time_fraction", ">=", ALONE.id), HAS_MUCH_TO_DO
            ),
        )
    ),
    thresholds=(
        SHARE,
        RANKS,
        ALONE,
        CALL_TIME,
        RATE,
        METADATA,
        OPENS,
        OPEN_TIME,
        OPEN_FILES,
        *OF_ONE_STREAM,
        RECORDS,
    ),
    citations=(
        SERIAL,
        Citation("archer-bpg", "Single file, single writer (Serial I/O)"),
        Citation("archer-bpg", "Summary of performance advice"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "ssf-understriped",
        "straggler-rank",
        "uneven-files",
    ),
    claims=(
        Claim(
            tuple(cell for cell in EVERYTHING if cell not in ("metadata", "exchange", "imbalance")),
            # Who moves nearly all bytes has nothing of what the others take for a few.
            ShareOf("balance.slowest_time_share"),
            when=BY_BYTES,
        ),
        *(
            replace(claim, when=AllOf((BY_BYTES, claim.when)))
            for claim in waited_for_storage(ShareOf("balance.slowest_rank_share"))
        ),
        Claim(("imbalance",), ShareOf("balance.slowest_rank_share"), when=AllOf((BY_BYTES, DATA_TAKES_IT))),
        Claim(("metadata",), ShareOf("posix.metadata_busiest_share"), when=AllOf((BY_BYTES, DATA_TAKES_IT))),
        Claim(("imbalance",), SecondsOf("balance.alone_time"), when=DATA_TAKES_IT, up_to=True),
        Claim(("imbalance",), SecondsOf("balance.alone_moving_time"), when=NUMBER_TAKES_IT, up_to=True),
    ),
)

"""One rank does the I/O of the whole job.

## What it does
Looks at the share of all bytes that the busiest rank moved. It holds when that is nearly everything, several ranks were
running, and the files are not written with collective calls: there, one busy rank below the library is another matter
(single-aggregator). Few bytes tell it only where they are many accesses, and opening files is not what takes the time.
It holds too, however few the bytes, when a good part of the I/O time is one rank's, in files that no other rank uses
and of which no other has one alike, and the others have far less of their own to do; not where a few small accesses
took long, or one of many, which nobody shares out. A thousand small ones are not few. Of a program of one process, or
of two or three, it holds where that one streams much through one OST or two of Lustre, in large pieces and at the rate
of such a stream: then nothing is slow but that it is one.

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

from iotriage.rules.advice.array_files import are_filtered, compressed_sentence
from iotriage.rules.advice.buffering import (
    goes_over_it_again,
    move_it_less_often,
    pieces_advised,
    sort_in_memory,
    with_buffer_code,
)
from iotriage.rules.advice.calls import is_one_object, mostly_reads, site_environment, write_in_parallel
from iotriage.rules.advice.files_of_one_rank import (
    direction,
    direction_verb,
    divide_among_ranks,
    divide_subfiles,
    files_phrase,
    is_looked_at,
    is_read_again,
    look_less_often,
    looked_at_words,
    mostly_opening_words,
    move_off_nfs,
    open_fewer_files,
    ranks_beside_it,
    read_less_often,
    slow_open_words,
    sync_less_often,
    used_in_turn,
    uses_longest_otherwise,
    writes_lines,
)
from iotriage.rules.advice.one_process import (
    busiest_rank_words,
    one_step_words,
    ranks_beside_busiest,
    several_processes,
)
from iotriage.rules.advice.one_rank import avoid_fill_values, check_slow_open
from iotriage.rules.advice.stores import store_of, store_settings
from iotriage.rules.advice.striping import stripe_shared_file, stripes_advised
from iotriage.rules.collective.one_busy_rank import (
    ALONE,
    BY_BYTES,
    DATA_TAKES_IT,
    HAS_MUCH_TO_DO,
    NUMBER_TAKES_IT,
    OF_BUSY_RANK,
    OPEN_TIME,
    PATTERNS,
    PIECE,
    SHARE,
    has_small_pieces,
    is_in_metadata,
    moves_nearly_all,
    opens_many_files,
    waits_for_disk,
    waits_for_open,
)
from iotriage.rules.collective.one_stream import OF_ONE_STREAM, one_stream, one_stream_words, rate_of_one_ost
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    enough_to_share_out,
    ours,
)
from iotriage.rules.core.claim import EVERYTHING, Claim, SecondsOf, ShareOf, waited_for_storage
from iotriage.rules.core.condition import Compare, IsOneOf, Present, all_of, any_of, clear_where_whole, when_present
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import logarithmic
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

RANKS = Threshold(
    id="serial-io.ranks",
    title="Ranks from which one writer is a waste",
    default=4.0,
    unit="ranks",
    stated_by=ours("serial I/O", "Two or three ranks have little to share."),
    slider=logarithmic(2.0, 1024.0),
)
_FEW = Compare("job.nprocs", "<", RANKS.id)
_SMALL_ALONE = all_of(
    Compare("balance.alone_access", "<", PIECE.id), Compare("balance.alone_time_fraction", ">=", ALONE.id)
)
ONE_STREAM = one_stream(
    _FEW,
    when_present("balance.slowest_rank_share", Compare("balance.slowest_rank_share", ">=", SHARE.id)),
)
SERIAL = Citation("archer2-io", "Single file, single writer (Serial I/O)")


def says(context: Context) -> Words:
    if _few_processes(context):
        return one_stream_words(context)
    if _step_of_few(context):
        return one_step_words(context)
    if waits_for_open(context):
        return slow_open_words(context, _that_they_wait(context))
    if is_looked_at(context):
        return looked_at_words(context, _that_they_wait(context))
    if is_in_metadata(context):
        does = "does the I/O of the whole job" if moves_nearly_all(context) else "does much of the I/O alone"
        return mostly_opening_words(context, does, _that_they_wait(context))
    if not moves_nearly_all(context) and context.number("balance.alone_time"):
        return Words(_alone_headline(context), _alone_summary(context))
    headline, busiest = busiest_rank_words(context)
    return Words(
        headline,
        paragraph(
            busiest,
            sentence("The job moved {}.", formatted(context.number("io.bytes"), size)),
            sentence("The rate was {}/s.", formatted(context.number("io.bandwidth"), size)),
            None if mostly_reads(context) else rate_of_one_ost(context),
            compressed_sentence(context),
            _that_they_wait(context),
        ),
    )


def _few_processes(context: Context) -> bool:
    return context.holds(_FEW)


def _step_of_few(context: Context) -> bool:
    """Whether the bytes are those of a step of one process or few, beside steps of many."""
    few = context.holds(Compare("balance.step_ranks", "<", RANKS.id))
    return few and not _few_processes(context) and moves_nearly_all(context)


def _alone_headline(context: Context) -> str:
    """Many small calls of that rank are as much of the cause as that it is alone. Those of a stream are more than it
    asks of the system, and only these are counted."""
    streams = context.word("balance.alone_layer") == "STDIO"
    calls = "many" if streams else formatted(context.number("balance.alone_calls"), number)
    each = formatted(context.number("balance.alone_access"), size) if has_small_pieces(context) else None
    small = sentence("One rank alone makes {} calls of {}, to a file that no other rank uses.", calls, each)
    return small or "One rank does much of the I/O alone, in a file that no other rank uses."


def _alone_summary(context: Context) -> str:
    name, beside = context.word("balance.alone_file"), _others_have_some(context)
    return paragraph(
        sentence(
            f"One of {{}}{_in_steps(context)} spent {{}} in files that it alone uses"
            + (
                ". Beyond what others have of their own, that is {} of the I/O time."
                if beside
                else ", {} of the I/O time."
            ),
            formatted(ranks_beside_it(context), lambda n: plural(n, "rank")),
            formatted(context.number("balance.alone_time"), seconds),
            formatted(context.number("balance.alone_time_fraction"), share),
        ),
        sentence("Most of it passed in {}.", None if name is None else printable(name)),
        sentence("An access there moves {} on average.", formatted(context.number("balance.alone_access"), size)),
        sentence("That rank takes {} as the mean one.", formatted(_beside_the_mean(context), times_as_long)),
        _that_they_wait(context),
    )


def _in_steps(context: Context) -> str:
    steps = round(context.number("balance.alone_steps") or 1)
    return f", in {number(steps)} steps of the job together," if steps > 1 else ""


def _beside_the_mean(context: Context) -> float | None:
    """None where the mean is that of this rank alone."""
    times = context.number("balance.time")
    return None if times is None or times < LONGER else times


LONGER = 1.1
"""Times the mean, from which a rank takes longer than others."""

NEARLY_ALL = 0.95
"""Of the rank's time in its own files, what others have not, from which they have hardly any of their own."""


def _others_have_some(context: Context) -> bool:
    part, io_s = context.number("balance.alone_time_fraction"), context.number("job.io_time")
    alone_s = context.number("balance.alone_time")
    return part is not None and io_s is not None and alone_s is not None and part * io_s < NEARLY_ALL * alone_s


def _that_they_wait(context: Context) -> str:
    awaited = context.number("mpiio.late_arriver_alone")
    if awaited:
        return f"The others wait for it in collective calls meanwhile, {seconds(awaited)} on average."
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
    return later and direction(context) == "writes" and used_in_turn(context)


def advise(context: Context) -> tuple[Advice, ...]:
    if _few_processes(context) or _step_of_few(context):
        return several_processes(context, SERIAL)
    if waits_for_open(context):
        return check_slow_open(context, SERIAL)
    alone = context.word("balance.alone_file")
    if alone is not None and is_looked_at(context):
        return (look_less_often(alone, SERIAL),)
    if alone is not None and is_read_again(context):
        return (read_less_often(alone, SERIAL),)
    holds = context.number("balance.alone_size")
    if alone is not None and holds and _goes_over_it_again(context):
        reads = (direction(context) == "reads") is not uses_longest_otherwise(context)
        return (move_it_less_often(printable(alone), holds, SERIAL, reads=reads),)
    if is_in_metadata(context):
        late = context.holds(Compare("balance.alone_open_time", ">=", OPEN_TIME.id))
        return (open_fewer_files(context, SERIAL), *(check_slow_open(context, SERIAL) if late else ()))
    reads = direction(context) == "reads"
    of_another_way = uses_longest_otherwise(context)
    store = store_of(alone)
    if store is not None:
        return (store_settings(store, context, SERIAL, reads=reads),)
    if waits_for_disk(context) and not reads:
        return (sync_less_often(context, SERIAL),)
    subfiles = divide_subfiles(context, SERIAL)
    if subfiles:
        return subfiles
    if not moves_nearly_all(context) or reads:
        shared_out: tuple[Advice, ...] = (divide_among_ranks(context, SERIAL),)
    else:
        written = context.file if of_another_way else alone
        filled, lines = avoid_fill_values(context, written), site_environment(context)
        more = stripe_shared_file(context) if _on_one_ost(context) else ()
        shared_out = (*move_off_nfs(context, SERIAL), write_in_parallel(context, written), *more, *lines, *filled)
    access = context.number("balance.alone_access")
    if access is None or not _is_slow_in_small_pieces(context):
        return shared_out
    # What jumps about is known of the whole job: it is that rank's where the job reads as it does.
    if reads and mostly_reads(context) and (context.number("posix.random_fraction") or 0.0) >= SCATTERED:
        return (sort_in_memory(SERIAL), *shared_out)
    does, files = direction_verb(context), files_phrase(context)
    if of_another_way:
        # What is said of an access is true of the longest alone.
        reads = not reads
        does, files = "read" if reads else "write", printable(alone or "the file")
    pieces = pieces_advised(context.number("balance.alone_size"))
    text = f"{does.capitalize()} {files} in {pieces}: now an access moves {size(access)}."
    blocks = with_buffer_code(
        context, text, context.word("balance.alone_layer"), SERIAL, reads=reads, file=alone, each=access
    )
    return (blocks,) if writes_lines(context) else (blocks, *shared_out)


def _goes_over_it_again(context: Context) -> bool:
    """Whether it has a little in that file again and again, and not in a database, which writes its own journal so."""
    if store_of(context.word("balance.alone_file")) is not None:
        return False
    calls, each = context.number("balance.alone_calls"), context.number("balance.alone_access")
    moved = None if calls is None or each is None else calls * each
    return goes_over_it_again(context.number("balance.alone_size"), moved)


def _is_slow_in_small_pieces(context: Context) -> bool:
    """Whether that rank alone would be done sooner with larger accesses."""
    slow = (context.number("balance.alone_rate") or 0.0) < SERIAL_WRITER
    return slow and context.holds(_SMALL_ALONE) and not opens_many_files(context)


SCATTERED = 0.2
"""Share of the accesses that go back in the file from which blocks in its order hold little that is wanted next."""


LARGE = 2.0**30
"""Bytes of a file from which one OST is few for many ranks, as `ssf-understriped` has it."""


def _on_one_ost(context: Context) -> bool:
    """Whether the rank writes one large file to one OST, of which many ranks would get no more than it does."""
    large = (context.number("file.size") or 0.0) >= LARGE and context.number("file.stripe_count") == 1
    alone, others = context.word("balance.alone_file"), context.word("file.other_osts") == "some"
    mine = context.file is not None and (alone is None or context.file.endswith(f"/{alone}"))
    by_all = mine and not is_one_object(context.file) and not are_filtered(context.metrics, "written")
    return large and others and by_all and moves_nearly_all(context) and direction(context) == "writes"


def impact(context: Context) -> Impact | None:
    """None where perhaps nobody waits for it, what takes the time is not the rank's, or a database has its own cure."""
    ranks = ranks_beside_busiest(context) if moves_nearly_all(context) else ranks_beside_it(context)
    if ranks is None or ranks < 2 or _may_serve(context) or _step_of_few(context):
        return None
    if waits_for_open(context) or is_in_metadata(context) or waits_for_disk(context):
        return None
    if is_looked_at(context) or is_read_again(context) or _goes_over_it_again(context):
        return None
    if store_of(context.word("balance.alone_file")) is not None:
        return None
    cure, osts = f"all {number(ranks)} ranks did an equal part at the same time", stripes_advised(context)
    left, most = _most_of_one_rank(context), 1 - 1 / ranks
    if writes_lines(context) and _is_slow_in_small_pieces(context):
        return documented_saving(context, "it wrote in blocks of 1 MiB or more", bytes_left=left, ranks=1)
    if _on_one_ost(context) and osts > 1:
        cure += f", in a file of {plural(osts, 'stripe')}"
        return documented_saving(context, cure, most=most, bytes_left=left, ranks=ranks, osts=osts)
    moved = moves_nearly_all(context) and direction(context) != "reads" and bool(move_off_nfs(context, SERIAL))
    return documented_saving(context, cure, most=most, bytes_left=left, ranks=ranks, moved=moved)


def _most_of_one_rank(context: Context) -> float | None:
    """What that rank moves at the most, which is what the busiest does: the others' bytes are not in its time. Of
    several steps each has another busiest rank."""
    moved, part = context.number("io.bytes"), context.number("balance.busiest_share")
    one_step = part is not None and part == context.number("balance.slowest_rank_share")
    return moved if moved is None or part is None or not one_step else part * moved


rule = Rule(
    id="serial-io",
    title="I/O by one rank alone",
    clear_title="The I/O is spread over ranks",
    scope="job",
    severity="high",
    priority=10,
    carries=enough_to_share_out,
    requires=all_of(
        any_of(
            all_of(Present("balance.slowest_rank_share"), Present("io.pattern")),
            Present("balance.alone_time_fraction"),
        ),
        any_of(Compare("job.nprocs", ">=", RANKS.id), ONE_STREAM),
    ),
    condition=clear_where_whole(
        any_of(
            when_present(
                "balance.slowest_rank_share", BY_BYTES, when_present("io.pattern", IsOneOf("io.pattern", PATTERNS))
            ),
            when_present(
                "balance.alone_time_fraction",
                Compare("balance.alone_time_fraction", ">=", ALONE.id),
                HAS_MUCH_TO_DO,
            ),
        )
    ),
    thresholds=(
        SHARE,
        RANKS,
        *OF_BUSY_RANK,
        *OF_ONE_STREAM,
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
        "wait-for-coll",
    ),
    claims=(
        Claim(
            tuple(cell for cell in EVERYTHING if cell not in ("metadata", "exchange", "imbalance")),
            # Who moves nearly all bytes has nothing of what the others take for a few.
            ShareOf("balance.slowest_time_share"),
            when=BY_BYTES,
        ),
        *(
            replace(claim, when=all_of(BY_BYTES, claim.when))
            for claim in waited_for_storage(ShareOf("balance.slowest_rank_share"))
        ),
        Claim(("imbalance",), ShareOf("balance.slowest_rank_share"), when=all_of(BY_BYTES, DATA_TAKES_IT)),
        Claim(("metadata",), ShareOf("posix.metadata_busiest_share"), when=all_of(BY_BYTES, DATA_TAKES_IT)),
        Claim(("imbalance",), SecondsOf("balance.alone_time"), when=DATA_TAKES_IT, up_to=True),
        Claim(("imbalance",), SecondsOf("balance.alone_moving_time"), when=NUMBER_TAKES_IT, up_to=True),
        Claim(("exchange",), SecondsOf("mpiio.late_arriver_alone"), when=DATA_TAKES_IT, up_to=True),
    ),
)

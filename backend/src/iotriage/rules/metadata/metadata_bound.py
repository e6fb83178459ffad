"""Opening, closing and asking about files takes more time than moving data.

## What it does
Compares the time that the busiest rank spent in metadata calls (open, close, stat, seek) with the I/O time of the
slowest. It holds when half or more goes there, or a tenth that takes a good part of the run, **and** there were many
such calls. Modules and libraries that are read while the program starts are left out: `import-storm` is about them.
Files that are opened as streams (`fopen`) have their opens in the stream's record alone: it holds, too, when half of
the I/O time goes into many of these.

## Why it matters
Every open and close of a file goes to the metadata server, of which a Lustre file system has one or a few for all
users; it does not become faster with more OSTs or more ranks. Moving a few hundred bytes takes microseconds, creating
the file for them takes milliseconds.

## What to do
Fewer files: one shared file or one per node instead of one per rank and step; of inputs, one archive instead of many
small files. Where it is one file that all open to read it, one rank reads it for all. Open a file once and keep it
open. Let one rank look whether a file exists and tell the others. Who waits for a file sleeps between two looks.

## Limits
The time of a file shared by all ranks is known as a sum only and taken to be even. Where streams are sought in several
times for each open, nobody knows what the opens take. Darshan does not count the `stat`
calls of programs built with recent C libraries. Where a few calls of the busiest rank took most of its time, and the
others next to none, it is not their number: something stood still. Spectrum Scale answered 190,000 creates per
second to native clients and 36,000 through DVS at NeSI; Lustre figures are not given there.
"""

from __future__ import annotations

from math import inf

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.array_files import read_by_one
from iotriage.rules.advice.caches import move_cache
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.open_files import (
    A_FEW,
    MDS,
    fewer_writers,
    one_rank_reads,
    open_by_fewer,
    read_in_parts,
    several_in_one,
)
from iotriage.rules.advice.scratch import move_temporary_files
from iotriage.rules.advice.small_files import (
    READ_EACH_ONCE,
    each_open_phrase,
    each_open_sentence,
    make_fewer_files,
    mostly_read,
    moved_per_file_sentence,
    read_fewer,
    write_fewer_files,
)
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.advice.stores import ask_database_less, open_by_their_readers
from iotriage.rules.advice.system_programs import replace_if_system_program
from iotriage.rules.advice.tools import is_a_tool
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
)
from iotriage.rules.core.claim import Claim, SecondsOf, ShareOf
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, clear_where_whole, when_present
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence, share
from iotriage.rules.metadata.opened_streams import beside_moving, in_streams_sentence, opened_streams_words

FRACTION = Threshold(
    id="metadata-bound.fraction",
    title="Metadata's share of the I/O time",
    default=0.50,
    unit="share",
    stated_by=Statement("wisio", "excessive metadata", "At half of the I/O time metadata is called excessive."),
    slider=linear(0.05),
)
BESIDE = Threshold(
    id="metadata-bound.beside",
    title="Metadata's share of the I/O time, where it takes much of the run beside other I/O",
    default=0.10,
    unit="share",
    stated_by=ours("metadata", "Another fault beside it makes the share smaller and it no shorter; a tenth is ours."),
    slider=linear(0.05),
)
RUN = Threshold(
    id="metadata-bound.run",
    title="Metadata's share of the run, beside other I/O",
    default=0.05,
    unit="share",
    stated_by=ours("significance", "Half of the least I/O that matters, a tenth of the run, whatever is beside it."),
    slider=linear(0.01),
)
CALLS = Threshold(
    id="metadata-bound.calls",
    title="Opens and stats of all ranks",
    default=1000.0,
    unit="calls",
    stated_by=ours("metadata", "Fewer calls do not load a metadata server; no document gives a number."),
    slider=logarithmic(10.0, 1e8),
)

_MANY_OPENS = Compare("posix.data_opens", ">=", CALLS.id)
TIMED_CALLS = all_of(when_present("posix.data_metadata_io_fraction"), IsOneOf("posix.metadata_mostly", ("unknown",)))
BY_CALLS = all_of(
    TIMED_CALLS,
    any_of(
        Compare("posix.data_metadata_io_fraction", ">=", FRACTION.id),
        when_present(
            "posix.data_metadata_run_fraction",
            Compare("posix.data_metadata_io_fraction", ">=", BESIDE.id),
            Compare("posix.data_metadata_run_fraction", ">=", RUN.id),
        ),
    ),
    Compare("posix.data_opens_and_stats", ">=", CALLS.id),
)
BY_STREAMS = when_present(
    "stdio.open_time",
    Compare("stdio.data_metadata_io_fraction", ">=", FRACTION.id),
    Compare("stdio.data_opens", ">=", CALLS.id),
)
"""What `fopen` does below is not seen at POSIX."""


def _by_streams(context: Context) -> bool:
    """Whether it is opens of streams alone that take the time."""
    return context.holds(BY_STREAMS) and not context.holds(BY_CALLS)


def says(context: Context) -> Words:
    if _by_streams(context):
        return opened_streams_words(context, _data_files(context), _bytes_per_file(context))
    opens, files = _opens(context), _data_files(context)
    asked = (
        formatted(context.number("posix.data_stats"), lambda n: plural(n, "stat")) if _mostly_stats(context) else None
    )
    polled, awaited = _polled(context), _awaited(context)
    said_files = formatted(files, lambda n: plural(n, "file")) or "files"
    return Words(
        f"{'One rank asks' if polled else 'Many ranks ask'} again and again whether {polled or awaited} has changed."
        if polled or awaited
        else f"{_asking(context) if asked else f'Opening and closing {said_files}'} takes "
        f"{beside_moving('posix.data_metadata_io_fraction', 'stdio.data_metadata_io_fraction', of=context)}"
        f"{'' if asked else each_open_phrase(context)}.",
        paragraph(
            sentence(
                f"{{}} of the I/O time went into metadata calls{_but_imports(context)} ({{}} of one rank).",
                formatted(context.number("posix.data_metadata_io_fraction"), share),
                formatted(context.number("posix.data_metadata_time_busiest"), seconds),
            ),
            sentence(
                "{} of {}.",
                formatted(opens or None, lambda n: plural(n, "open")),
                None if files is None else said_files,
            ),
            sentence("Ranks asked about files in {}.", asked),
            sentence("Most of that time passed {}.", _most_passed(context)),
            moved_per_file_sentence(context, _bytes_per_file(context), read_part=_read_part(context)),
            each_open_sentence(context),
            in_streams_sentence(context) if context.holds(BY_STREAMS) else None,
            _waited_for(context) if awaited else None,
        ),
    )


def _asking(context: Context) -> str:
    """Of the files that are asked about, however many others there are."""
    files, stats = context.number("posix.asked_files"), context.number("posix.data_stats") or 0.0
    each, ranks = stats / files if files else 0.0, _ranks_asking(context)
    again = "again and again " if each >= AGAIN * ranks else ""
    every = max(2.0, context.number("job.nprocs") or 1.0)
    by_all = " on every rank" if not again and ranks >= ALMOST_ALL * every and each >= ALMOST_ALL * ranks else ""
    return f"Asking {again}about {formatted(files, lambda n: plural(n, 'file')) or 'files'}{by_all}"


def _ranks_asking(context: Context) -> float:
    """How many ranks have a file, on average: as many have each as each has files, beside how many there are."""
    files, of_a_rank = context.number("file.count"), context.number("posix.files_of_a_rank")
    alone = (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL
    if alone or not files or of_a_rank is None:
        return 1.0
    return max(1.0, of_a_rank * (context.number("job.nprocs") or 1.0) / files)


def _most_passed(context: Context) -> str | None:
    read, directory = context.word("posix.metadata_read_file"), context.word("posix.metadata_directory")
    if read is not None:
        why = "open to read it" if _awaited(context) is None else "ask about"
        return f"on {printable(read)}, which many ranks {why}"
    return None if directory is None else f"below {printable(directory)}"


AS_LONG = 0.8
"""Of the seconds in which ranks ask, from which one that is busy alone may be whom they wait for."""


def _waited_for(context: Context) -> str | None:
    """The rank that moves data meanwhile, in files that no other uses."""
    took, asked = context.number("balance.alone_moving_time"), context.number("posix.data_metadata_time_busiest")
    if took is None or asked is None or took < AS_LONG * asked:
        return None
    text = "One rank takes {} in {}, which no other uses: the others may be waiting for that."
    return sentence(text, seconds(took), printable(context.word("balance.alone_file")))


def _read_part(context: Context) -> float | None:
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    return read / (read + written) if read + written else None


def _data_files(context: Context) -> float | None:
    """Of streams alone where it is these that take the time: others beside them are opened otherwise."""
    of_streams = context.number("stdio.data_files") if _by_streams(context) else None
    if of_streams is not None:
        return of_streams
    files = context.number("file.count")
    return None if files is None else files - (context.number("file.imported") or 0.0)


def _but_imports(context: Context) -> str:
    return ", those on modules and libraries left out" if context.number("file.imported") else ""


def _bytes_per_file(context: Context) -> float | None:
    moved = context.number("stdio.data_bytes" if _by_streams(context) else "io.bytes")
    files = _data_files(context)
    return None if moved is None or not files else moved / files


def advise(context: Context) -> tuple[Advice, ...]:
    if _by_streams(context):
        others = replace_if_system_program(context.program, context.site.launcher, writes=not mostly_read(context))
        return others or (*move_temporary_files(context), *_open_less(context))
    polled = _polled(context)
    if polled is not None:
        return (
            advice(
                f"Let that rank sleep a few seconds each time before it asks again. It waits for what writes {polled}: "
                "these seconds are won only where that is done sooner.",
                SLEEP,
                citation=MDS,
            ),
        )
    kept = move_cache(context, context.word("posix.metadata_directory")) or ask_database_less(context, MDS)
    if kept:
        return kept
    read = context.word("posix.metadata_read_file")
    if read is not None and not _mostly_stats(context):
        if read_in_parts(context):
            return (open_by_fewer(context, printable(read)),)
        return (advice(f"Let one rank read {printable(read)} and send it to all.", read_by_one(read), citation=MDS),)
    others = replace_if_system_program(context.program, context.site.launcher, writes=not mostly_read(context))
    if others:
        return others
    asked = (_ask_less(context),) if _mostly_stats(context) else ()
    if asked and (_awaited(context) is not None or not context.holds(_MANY_OPENS)):
        return asked
    if _without_bytes(context):
        return (*asked, in_program(NOTHING_MOVED, citation=MDS))
    return (*asked, *move_temporary_files(context), *_open_less(context))


def _open_less(context: Context) -> tuple[Advice, ...]:
    """Fewer files, or each of them less often: by how many ranks, and how often, a file is opened."""
    opens, files = _opens(context), _data_files(context)
    per_file = opens / files if opens is not None and files else 0.0
    of_a_rank = _opens_by_a_rank(context, per_file)
    # Each of these opens it as often as a rank does.
    ranks = min(per_file / max(1.0, of_a_rank or 1.0), context.number("job.nprocs") or inf)
    # Without the ranks' own records all opens of a file may be one rank's.
    times = per_file if of_a_rank is None else of_a_rank
    again = times >= AGAIN
    keep = in_program(
        "Open each file once and keep it open until the end of the run"
        + (f": now {_opened(of_a_rank, times)}." if again else "."),
        citation=MDS,
    )
    if of_a_rank is not None and per_file >= AGAIN and of_a_rank < per_file / 2:
        return _open_by_fewer_ranks(context, files or 0.0, ranks, (keep,) if again else ())
    shared = per_file >= SEVERAL_EACH and context.word("io.pattern") in ("shared-collective", "shared-independent")
    fewer = (
        read_fewer(context) if mostly_read(context) else several_in_one(ranks) if shared else write_fewer_files(context)
    )
    can_be_kept = (context.number(f"{_layer(context)}.files_of_a_rank") or 0.0) <= OPEN_AT_ONCE
    if again and not can_be_kept:
        return (in_program(READ_EACH_ONCE, MDS), fewer) if mostly_read(context) else (fewer,)
    if again:
        few = files is not None and files <= A_FEW
        return (keep,) if few else (keep, fewer)
    once = bool(times) and times <= ONCE
    less = (fewer, keep) if can_be_kept and not once else (fewer,)
    return less if mostly_read(context) else make_fewer_files(context, *less)


def _layer(context: Context) -> str:
    """That of the opens, as metrics name it."""
    return "stdio" if _by_streams(context) else "posix"


def _opens(context: Context) -> float | None:
    calls = None if _by_streams(context) else context.number("posix.data_opens")
    streams = context.number("stdio.data_opens") if context.holds(BY_STREAMS) else None
    return calls if streams is None else (calls or 0.0) + streams


def _opens_by_a_rank(context: Context, per_file: float) -> float | None:
    """How often a rank opens a file: on average at least as often as the data files are opened by all ranks of the job.
    Modules, which are opened once, stand in the metric beside them."""
    opens, ranks = context.number(f"{_layer(context)}.opens_by_a_rank"), context.number("job.nprocs")
    return opens if opens is None or not ranks else max(opens, per_file / ranks)


def _open_by_fewer_ranks(context: Context, files: float, ranks: float, keep: tuple[Advice, ...]) -> tuple[Advice, ...]:
    """Where each file is opened by many ranks."""
    if not mostly_read(context):
        return (*keep, fewer_writers(context, files, ranks))
    these = "the file" if files == 1 else "these files"
    known = next(iter(open_by_their_readers(context.file, MDS)), None) if files > 1 else None
    one = (
        known or open_by_fewer(context, these)
        if read_in_parts(context)
        else one_rank_reads(context, files, ranks, as_streams=_by_streams(context))
    )
    return (one, *keep, *((read_fewer(context),) if files >= MANY_FILES else ()))


NOTHING_MOVED = (
    "Nothing is read from most of these files, nor written to them: they are made, or it is seen whether they are "
    "there. Where a file marks that something is done, let one of them stand for all; where files are looked for, keep "
    "a list of them in one."
)


def _ask_less(context: Context) -> Advice:
    """For stats: of one process, or of one rank that alone asks, once for each file."""
    each = (context.number("posix.data_stats") or 0.0) / (_data_files(context) or inf)
    if is_one_process(context) or (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL:
        if each >= WAITED_FOR and (_data_files(context) or inf) <= A_FEW:
            return advice(
                f"Ask less often: now about each of these files {number(round(each))} times. Whoever waits for a file "
                "sleeps a few seconds between two questions; where another job makes it, let the scheduler start this "
                "one when that is done.",
                SLEEP,
                citation=MDS,
            )
        return in_program(
            "Ask about each file once and keep the answer: a list of the directory (os.scandir in Python, readdir in "
            "C) tells which files are there and what kind each is. What has to be asked of many files is asked sooner "
            "by several processes.",
            citation=MDS,
        )
    awaited = _awaited(context)
    if awaited is not None:
        return advice(
            f"Let one rank ask about {awaited} and tell the others. Where they wait for what makes it, that rank "
            "sleeps a few seconds each time before it asks again: these seconds are won only where it is made sooner.",
            SLEEP,
            citation=MDS,
        )
    own = context.word("io.pattern") in OF_ONE_RANK and context.word("posix.metadata_read_file") is None
    if own and each >= AGAIN:
        once = (
            f"Let each rank ask once about a file of its own, and keep the answer: now it asks {number(round(each))} "
            "times about each."
        )
        if not _may_wait_for_its_own(context):
            return in_program(once, citation=MDS)
        sleep = "If it waits for what makes that file, let it sleep a few seconds between two questions: then these"
        return advice(f"{once} {sleep} seconds are won only where that is done sooner.", SLEEP, citation=MDS)
    asking = "Let one rank ask whether files are there and how large they are, and tell the others."
    return in_program(asking, citation=MDS)


def _may_wait_for_its_own(context: Context) -> bool:
    """Whether each rank asks about a few files of its own as often as one asks about what it waits for, and does hardly
    anything else with them."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    files, own = _data_files(context) or inf, context.word("io.pattern") in OF_ONE_RANK
    few = (context.number("posix.files_of_a_rank") or inf) <= A_FEW
    return own and few and stats >= WAITED_FOR * files and stats >= POLLED * (opens + 1)


def _awaited(context: Context) -> str | None:
    """The file that many ranks ask about all the time; perhaps they wait for it."""
    name, opens = context.word("posix.metadata_read_file"), context.number("posix.data_opens") or 0.0
    asks = (context.number("posix.data_stats") or 0.0) >= POLLED * (opens + 1)
    return printable(name) if name is not None and asks else None


def _without_bytes(context: Context) -> bool:
    """Whether hardly any bytes are moved in the files, of whichever there are many."""
    moved = _bytes_per_file(context)
    return moved is not None and moved < NO_DATA


NO_DATA = 1.0
"""Bytes for each file, below which most of them are empty or untouched."""


def _opened(of_a_rank: float | None, times: float) -> str:
    return f"{'each is opened' if of_a_rank is None else 'a rank opens each'} {number(round(times))} times"


ONCE = 1.1
"""Opens of a file up to which it is opened once: a few may be opened again."""
MANY_FILES = 1000
"""Files from which fewer would help besides what else is advised."""
WAITED_FOR = 1000
"""Stats for each of a few files, from which it is waited for one of them."""
SEVERAL_EACH = 2
"""Opens of each file from which several ranks have it, where they share them."""
AGAIN = 10
"""Opens, or stats, of one file from which it is their number that takes the time, and not that of the files."""


def _mostly_stats(context: Context) -> bool:
    """Whether there are so many stats that opens can hardly be what takes the time."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    return stats >= 4 * opens and context.holds(Compare("posix.data_stats", ">=", CALLS.id))


def _polled(context: Context) -> str | None:
    """The file of which one rank asks all the time whether it is there or has changed; None where nothing is."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    name = context.word("balance.alone_file")
    alone = (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL
    of_one_file = (context.number("balance.alone_files") or inf) < 2
    asks = (context.number("balance.alone_metadata_fraction") or 0.0) >= ALMOST_ALL
    return printable(name) if name and alone and of_one_file and asks and stats >= POLLED * (opens + 1) else None


ALMOST_ALL, POLLED = 0.9, 50
"""Share of the metadata time, and of that of a file, and stats for each open of any file, from which one rank does
little but ask about one."""
OPEN_AT_ONCE = 1000
"""Files of a rank up to which it can keep them open, as for `reopened-files`."""


def impact(context: Context) -> Impact | None:
    """None where a rank waits, or may, for what writes the file that it asks about, and for a program of others, which
    has to touch each file."""
    waits = _polled(context) or _awaited(context)
    if waits or _may_wait_for_its_own(context) or is_a_tool(context.program):
        return None
    by_streams = _by_streams(context)
    calls = (_opens(context) or 0.0) + (0.0 if by_streams else context.number("posix.data_stats") or 0.0)
    asked = not by_streams and _mostly_stats(context) and not context.holds(_MANY_OPENS)
    cure = "each rank asked once" if asked else "each rank opened one file once"
    return fewer_calls_saving(calls, context.number("job.nprocs"), cure)


rule = Rule(
    id="metadata-bound",
    title="Metadata takes more time than data",
    clear_title="Metadata calls are few, or take little of the time",
    scope="job",
    severity="high",
    priority=15,
    requires=any_of(TIMED_CALLS, BY_STREAMS),
    condition=clear_where_whole(any_of(BY_CALLS, BY_STREAMS)),
    thresholds=(FRACTION, BESIDE, RUN, CALLS),
    citations=(
        MDS,
        Citation("nesi-io", "Nodes which access storage via native Spectrum Scale Clients"),
        Citation("theta-io", "File storage approaches"),
        Citation("wisio", "excessive metadata"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "fpp-many-files",
        "slow-collective-opens",
        "too-many-files-per-directory",
    ),
    claims=(
        # What many ranks open to read is opened as often wherever it lies.
        Claim(("metadata",), ShareOf("posix.metadata_read_by_many_fraction"), when=BY_CALLS, apart=True),
        Claim(("metadata",), when=BY_CALLS),
        Claim(("imbalance",), SecondsOf("posix.data_metadata_beyond_mean"), when=BY_CALLS),
        # Where only the ranks that move the bytes open a file in the storage, the others wait for that in MPI-IO.
        Claim(("exchange",), SecondsOf("mpiio.awaited_opens_time"), when=BY_CALLS),
        Claim(("streams", "imbalance"), ShareOf("stdio.data_metadata_fraction"), when=BY_STREAMS),
    ),
)

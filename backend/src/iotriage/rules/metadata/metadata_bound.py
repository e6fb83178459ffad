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

from iotriage.rules.advice.array_files import read_by_one
from iotriage.rules.advice.caches import move_cache
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
    Words,
    advice,
    in_program,
)
from iotriage.rules.core.claim import Claim, SecondsOf, ShareOf
from iotriage.rules.core.condition import Compare, any_of, clear_where_whole
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence, share
from iotriage.rules.metadata.asked_files import (
    ask_less,
    asking_phrase,
    awaited_file,
    awaited_rank_sentence,
    may_wait_for_its_own,
    mostly_stats,
    polled_file,
)
from iotriage.rules.metadata.metadata_calls import (
    AGAIN,
    BESIDE,
    BY_CALLS,
    BY_STREAMS,
    CALLS,
    FRACTION,
    RUN,
    TIMED_CALLS,
    data_files,
    opens_of_streams_alone,
    ranks_per_file,
)
from iotriage.rules.metadata.opened_streams import beside_moving, in_streams_sentence, opened_streams_words

_MANY_OPENS = Compare("posix.data_opens", ">=", CALLS.id)


def says(context: Context) -> Words:
    if opens_of_streams_alone(context):
        return opened_streams_words(context, data_files(context), _bytes_per_file(context))
    opens, files = _opens(context), data_files(context)
    asked = (
        formatted(context.number("posix.data_stats"), lambda n: plural(n, "stat")) if mostly_stats(context) else None
    )
    polled, awaited = polled_file(context), awaited_file(context)
    said_files = formatted(files, lambda n: plural(n, "file")) or "files"
    return Words(
        f"{'One rank asks' if polled else 'Many ranks ask'} again and again whether {polled or awaited} has changed."
        if polled or awaited
        else f"{asking_phrase(context) if asked else f'Opening and closing {said_files}'} takes "
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
            awaited_rank_sentence(context) if awaited else None,
        ),
    )


def _most_passed(context: Context) -> str | None:
    read, directory = context.word("posix.metadata_read_file"), context.word("posix.metadata_directory")
    if read is not None:
        why = "open to read it" if awaited_file(context) is None else "ask about"
        return f"on {printable(read)}, which many ranks {why}"
    return None if directory is None else f"below {printable(directory)}"


def _read_part(context: Context) -> float | None:
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    return read / (read + written) if read + written else None


def _but_imports(context: Context) -> str:
    return ", those on modules and libraries left out" if context.number("file.imported") else ""


def _bytes_per_file(context: Context) -> float | None:
    moved = context.number("stdio.data_bytes" if opens_of_streams_alone(context) else "io.bytes")
    files = data_files(context)
    return None if moved is None or not files else moved / files


def advise(context: Context) -> tuple[Advice, ...]:
    if opens_of_streams_alone(context):
        others = replace_if_system_program(context.program, context.site.launcher, writes=not mostly_read(context))
        return others or (*move_temporary_files(context), *_open_less(context))
    polled = polled_file(context)
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
    if read is not None and not mostly_stats(context):
        if read_in_parts(context):
            return (open_by_fewer(context, printable(read)),)
        return (advice(f"Let one rank read {printable(read)} and send it to all.", read_by_one(read), citation=MDS),)
    others = replace_if_system_program(context.program, context.site.launcher, writes=not mostly_read(context))
    if others:
        return others
    asked = (ask_less(context),) if mostly_stats(context) else ()
    if asked and (awaited_file(context) is not None or not context.holds(_MANY_OPENS)):
        return asked
    if _without_bytes(context):
        return (*asked, in_program(NOTHING_MOVED, citation=MDS))
    return (*asked, *move_temporary_files(context), *_open_less(context))


def _open_less(context: Context) -> tuple[Advice, ...]:
    """Fewer files, or each of them less often: by how many ranks, and how often, a file is opened."""
    opens, files = _opens(context), data_files(context)
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
    return "stdio" if opens_of_streams_alone(context) else "posix"


def _opens(context: Context) -> float | None:
    calls = None if opens_of_streams_alone(context) else context.number("posix.data_opens")
    streams = context.number("stdio.data_opens") if context.holds(BY_STREAMS) else None
    return calls if streams is None else (calls or 0.0) + streams


def _opens_by_a_rank(context: Context, per_file: float) -> float | None:
    """How often a rank opens a file: on average at least as often as the data files are opened by all ranks that have
    them. Modules, which are opened once, stand in the metric beside them."""
    layer = _layer(context)
    opens, ranks = context.number(f"{layer}.opens_by_a_rank"), ranks_per_file(context, layer)
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
        else one_rank_reads(context, files, ranks, as_streams=opens_of_streams_alone(context))
    )
    return (one, *keep, *((read_fewer(context),) if files >= MANY_FILES else ()))


NOTHING_MOVED = (
    "Nothing is read from most of these files, nor written to them: they are made, or it is seen whether they are "
    "there. Where a file marks that something is done, let one of them stand for all; where files are looked for, keep "
    "a list of them in one."
)


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
SEVERAL_EACH = 2
"""Opens of each file from which several ranks have it, where they share them."""


OPEN_AT_ONCE = 1000
"""Files of a rank up to which it can keep them open, as for `reopened-files`."""


def impact(context: Context) -> Impact | None:
    """None where a rank waits, or may, for what writes the file that it asks about, and for a program of others, which
    has to touch each file."""
    waits = polled_file(context) or awaited_file(context)
    if waits or may_wait_for_its_own(context) or is_a_tool(context.program):
        return None
    by_streams = opens_of_streams_alone(context)
    calls = (_opens(context) or 0.0) + (0.0 if by_streams else context.number("posix.data_stats") or 0.0)
    asked = not by_streams and mostly_stats(context) and not context.holds(_MANY_OPENS)
    if asked:
        return fewer_calls_saving(calls, data_files(context), "each file were asked about once")
    return fewer_calls_saving(calls, context.number("job.nprocs"), "each rank opened one file once")


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

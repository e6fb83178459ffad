"""The files that one rank alone uses: what it does with them, and how all ranks could."""

from __future__ import annotations

from iotriage.rules.advice.calls import (
    loses_parallel_writes,
    mostly_reads,
    of_ranks_phrase,
    read_in_parallel,
    reads_or_writes,
    write_from_all_ranks,
)
from iotriage.rules.advice.open_files import AWAITED, LITTLE_READ
from iotriage.rules.advice.placement import run_there
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.core import Advice, Citation, Context, Words, advice, in_program
from iotriage.rules.core.action import EditCode
from iotriage.rules.core.documented_rates import SERIAL_WRITER
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence, share
from iotriage.sites.mounts import kind_of

PAUSES = 0.25
"""Part of the time in which none of several files is in use, from which they are used in turn, and not in one go."""


def direction(context: Context) -> str:
    """What the one rank does: with the file that has nearly all of its time, or with most bytes of those that it alone
    uses, where there are some, else with those of the job."""
    longest = context.word("balance.alone_file_way") if _files(context) <= 1 else None
    own = longest or context.word("balance.alone_way")
    if own is not None:
        return own
    return "reads" if mostly_reads(context) else reads_or_writes(context)


def uses_longest_otherwise(context: Context) -> bool:
    """Whether it reads the file that it uses longest, and writes most of the bytes, or the other way round."""
    return {context.word("balance.alone_file_way"), direction(context)} == {"reads", "writes"}


def divide_among_ranks(context: Context, citation: Citation) -> Advice:
    """What to do with its files so that all ranks do their part of it."""
    alone, files = context.word("balance.alone_file"), files_phrase(context)
    if used_in_turn(context):
        text = (
            f"The {files} are {_done(context)} at different times of the run, so that sharing them out helps none: let "
            f"all ranks {direction_verb(context)} each of them together, every rank its part."
        )
        if direction(context) == "reads":
            return read_in_parallel(context, text, alone, citation)
        return write_from_all_ranks(context, text, alone, citation)
    if _files(context) > 1:
        text = f"Share {files} out among the ranks: each {_does(context)} some of them by itself."
        return in_program(text, citation=citation)
    text = f"Let every rank {direction_verb(context)} its part of {files} by itself."
    if direction(context) != "reads" and loses_parallel_writes(alone):
        text = f"Let all ranks {direction_verb(context)} {files} together, every rank its part."
        return write_from_all_ranks(context, text, alone, citation)
    if direction(context) != "reads":
        return in_program(text, citation=citation)
    if _on_nfs(context) and context.number("job.parallel_file_systems"):
        first = f"Copy {files} to the parallel file system first: on NFS one server would have all ranks to serve."
        text = f"{first} There let every rank read its part of it by itself."
    return read_in_parallel(context, text, alone, citation)


def writes_lines(context: Context) -> bool:
    """Whether each line that it writes goes to the system by itself: who else could write them changes nothing, for in
    blocks they would take it a tenth of the time."""
    each, rate = context.number("balance.alone_access"), context.number("balance.alone_rate")
    by_system = context.word("balance.alone_layer") == "POSIX" and context.word("balance.alone_file_way") == "writes"
    if not by_system or direction(context) == "reads" or each is None or rate is None:
        return False
    return each < LINE and rate < SERIAL_WRITER / 10


LINE = 2.0**10
"""Bytes: a program that gathers the data of others writes more at a time than a line has."""


def is_looked_at(context: Context) -> bool:
    """Whether it opens one file, or asks about it, again and again, and moves nothing there. A few opens that take long
    are no looks at it, and what is mapped may be read or written all the same."""
    asks = (context.number("balance.alone_metadata_fraction") or 0.0) >= MOSTLY_ASKS
    unused = context.number("balance.alone_access") is None and not context.number("posix.mmaps")
    return asks and unused and _files(context) <= 1 and (context.number("balance.alone_opens") or 0.0) >= AWAITED


MOSTLY_ASKS = 0.9
"""Of that rank's time in the file, metadata calls: it does little but ask."""


def is_read_again(context: Context) -> bool:
    """Whether it opens one file again and again for a few bytes each time: no other rank could take a part of that."""
    opens, calls = context.number("balance.alone_opens") or 0.0, context.number("balance.alone_calls")
    each = context.number("balance.alone_access")
    if opens < AWAITED or calls is None or each is None or _files(context) > 1 or direction(context) != "reads":
        return False
    return calls * each < LITTLE_READ * opens


def read_less_often(alone: str, citation: Citation) -> Advice:
    text = (
        f"Let that rank read {printable(alone)} once, and keep what it says. If that changes meanwhile, as of a file "
        "that is waited for, let it pause some seconds between two looks: then these seconds are won only where the "
        "change comes sooner."
    )
    return advice(text, SLEEP, citation=citation)


def look_less_often(alone: str, citation: Citation) -> Advice:
    text = (
        f"Let that rank pause some seconds between two looks at {printable(alone)}: it reads and writes nothing there, "
        "as where a file is waited for."
    )
    return advice(text, SLEEP, citation=citation)


def looked_at_words(context: Context, that_they_wait: str) -> Words:
    return Words(
        f"One rank{of_ranks_phrase(ranks_beside_it(context))} opens {files_phrase(context)} or asks about it again and "
        "again, and moves nothing there.",
        paragraph(
            sentence("That took {}.", formatted(context.number("balance.alone_time"), seconds)),
            _opens_and_stats(context),
            that_they_wait,
        ),
    )


def _opens_and_stats(context: Context) -> str | None:
    return sentence(
        "Opens and stats are {}, of {} each on average.",
        formatted(context.number("balance.alone_opens"), number),
        formatted(context.number("balance.alone_open_time"), seconds),
    )


def _on_nfs(context: Context) -> bool:
    return kind_of(context.word("balance.alone_mount") or "") == "nfs"


def move_off_nfs(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """To write it on the parallel file system that is mounted, where it goes to NFS and is slow there; else empty."""
    there = context.word("job.work_directory")
    if (
        not _on_nfs(context)
        or there is None
        or (context.number("balance.alone_rate") or SERIAL_WRITER) >= SERIAL_WRITER
    ):
        return ()
    text = (
        f"Write {files_phrase(context)} on {printable(there)}, and copy back what you want to keep: it goes to NFS, "
        "where one server has all nodes to serve, and ranks that write one file together wait for its locks."
    )
    return (advice(text, run_there(there), citation=citation),)


def ranks_beside_it(context: Context) -> float | None:
    """The ranks of its own step: another may have more."""
    ranks = context.number("balance.alone_among")
    return context.number("job.nprocs") if ranks is None else ranks


def slow_open_words(context: Context, that_they_wait: str) -> Words:
    """Where an open or two take the time of the rank that does the I/O."""
    return Words(
        "One rank waits long for a file to open, and does the I/O of the job.",
        paragraph(
            sentence(
                "An open or stat of {} took {} on average: {} of the rank's time there passed in them.",
                files_phrase(context),
                formatted(context.number("balance.alone_open_time"), seconds),
                formatted(context.number("balance.alone_metadata_fraction"), share),
            ),
            that_they_wait,
        ),
    )


def mostly_opening_words(context: Context, does: str, that_they_wait: str) -> Words:
    """Where it has most of its time in opening some files, closing them, renaming them and asking about them."""
    return Words(
        f"One rank{of_ranks_phrase(ranks_beside_it(context))} {does}, and mostly opens and closes files.",
        paragraph(
            sentence(
                "{} of the {} that it spent in files that it alone uses,",
                formatted(context.number("balance.alone_metadata_fraction"), share),
                formatted(context.number("balance.alone_time"), seconds),
            ),
            f"most of them in {files_phrase(context)}, passed in opening, closing, renaming and asking about them.",
            _opens_and_stats(context),
            that_they_wait,
        ),
    )


def open_fewer_files(context: Context, citation: Citation) -> Advice:
    """Where that is what takes the time: files at different times of the run are not opened side by side."""
    files = files_phrase(context)
    if context.word("balance.alone_way") is None and _files(context) <= 1:
        text = f"Open {files} once and keep it open, and ask about it less often: no call reads or writes it."
        return in_program(text, citation=citation)
    if used_in_turn(context) or _files(context) <= 1:
        text = (
            "Write less often, or put what belongs together into one file that stays open: it is not the bytes of "
            f"{files} that take the time, but to open, close and rename."
        )
        if direction(context) == "reads":
            text = f"Put what belongs together into one file that stays open: it is not the bytes of {files} that "
            text += "take the time, but to open and close."
        return in_program(text, citation=citation)
    return in_program(
        f"Share {files} out among the ranks, so that they are opened side by side, or put what belongs together into "
        "one file: it is not their bytes that take the time, but to open and close them.",
        citation=citation,
    )


def sync_less_often(context: Context, citation: Citation) -> Advice:
    """Where each time that files are forced out to disk takes long."""
    times = formatted(context.number("balance.alone_syncs"), lambda n: plural(n, "time"))
    return in_program(
        f"Force {files_phrase(context)} out to disk less often, once a file at its end: it is done {times} (fsync, "
        "fflush), and each waits for the disk. Where these are checkpoints, write fewer of them.",
        citation=citation,
    )


def divide_subfiles(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """For files of which a library alone decides who moves them; empty for others."""
    if direction(context) == "reads":
        known = context.word("balance.alone_subfiles_of") == "ADIOS2"
        return (_read_by_selection(citation),) if known else ()
    return (more_aggregators(context, citation),) if context.word("file.subfiles_of") == "ADIOS2" else ()


def more_aggregators(context: Context, citation: Citation) -> Advice:
    """For the subfiles of ADIOS2, whose engine gathers the data: a program that calls it has no file to share out."""
    nodes = context.number("job.nnodes")
    text = (
        "ADIOS2 gathers the data of all ranks on the one that writes. Unless NumAggregators, a parameter of its BP "
        "engines, says otherwise, one rank of each node writes: leave it out, or set it to the number of nodes or more."
    )
    if nodes is None or nodes < 2:
        return advice(text, citation=citation)
    lines = EditCode(
        f'io.SetParameter("NumAggregators", "{round(nodes)}");  // of adios2::IO, before Open',
        f"call adios2_set_parameter(io, 'NumAggregators', '{round(nodes)}', ierror)     ! before adios2_open",
    )
    return advice(text, lines, citation=citation)


def _read_by_selection(citation: Citation) -> Advice:
    """For the same subfiles where one rank reads them: which of them holds what is known to the engine alone."""
    text = (
        "Open the file with the communicator of all ranks, and let each get its own part of a variable: each "
        "then reads from the subfiles of ADIOS2 what it has selected."
    )
    lines = EditCode(
        "variable.SetSelection({start, count});  // of adios2::Variable: this rank's part\n"
        "reader.Get(variable, data, adios2::Mode::Sync);",
        "call adios2_set_selection(variable, ndims, start, count, ierror)     ! this rank's part\n"
        "call adios2_get(reader, variable, data, adios2_mode_sync, ierror)",
    )
    return advice(text, lines, citation=citation)


def used_in_turn(context: Context) -> bool:
    """Whether the files of that rank are used at different times: a checkpoint each, say."""
    return _files(context) > 1 and (context.number("balance.alone_pauses") or 0.0) >= PAUSES


def direction_verb(context: Context) -> str:
    """As a verb: read, write, or both."""
    return {"reads": "read", "writes": "write"}.get(direction(context), "read or write")


def _done(context: Context) -> str:
    return {"reads": "read", "writes": "written"}.get(direction(context), "read or written")


def _does(context: Context) -> str:
    if uses_longest_otherwise(context):
        return "reads or writes"
    if context.word("balance.alone_way") is None and context.number("balance.alone_access") is None:
        return "opens or asks about"
    done = direction(context)
    return "reads or writes" if done == "reads and writes" else done


def _files(context: Context) -> int:
    """Among how many files the rank's time there is shared."""
    return round(context.number("balance.alone_files") or 1.0)


def files_phrase(context: Context) -> str:
    """The file by its name, or how many such files."""
    name = context.word("balance.alone_file")
    if name is None:
        return "the file"
    return printable(name) if _files(context) <= 1 else f"{plural(_files(context), 'file')} such as {printable(name)}"

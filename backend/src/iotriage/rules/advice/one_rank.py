"""One rank keeps the others waiting: what to do about it, by why it does."""

from __future__ import annotations

from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.mounts import OF_A_NODE
from iotriage.rules.advice.calls import LIBRARIES, align_to_stripes, even_out, library_named
from iotriage.rules.advice.files_of_one_rank import files_phrase
from iotriage.rules.advice.placement import what_stood_still
from iotriage.rules.advice.snippets import COLLECTIVE_METADATA, NO_FILL
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.action import Export, FillIn, LaunchProgram, Library, Named, Place, RunCommand
from iotriage.rules.core.launching import PROGRAM_FILE, run_again, without_darshan
from iotriage.rules.core.support import naming_support
from iotriage.rules.core.words import number, printable

SLOW_FILE = FillIn("FILE", "the file of the slow rank")
MOSTLY, BLOCK = 0.5, 2**20
WRITTEN_AGAIN = 1.5
"""Bytes written below MPI-IO for each that the program writes, from which one rank wrote much of the file before."""


STANDARD = frozenset(("<STDOUT>", "<STDERR>"))
"""Darshan's names for the streams that a program prints to."""


LET_ONE_PRINT = "Let one rank print, once a step; what every rank has to say goes to a file of its own, or is left out."
PRINT_LESS, THESE_PRINT_LESS = (
    f"Let {who} print less: one line for many steps, and no flush after each. What is wanted of every step goes to a "
    "file of its own, through a buffer of 1 MiB."
    for who in ("that rank", "these ranks")
)
OF_PRINTS = (LET_ONE_PRINT, PRINT_LESS, THESE_PRINT_LESS)
"""For standard output or error, of which nobody makes a file of large blocks."""
SEND_TO_A_FILE, EACH_TO_A_FILE = (
    f"Send {what} on the file system for jobs ({how}), or print less. Where a pipe takes it, the program behind the "
    "pipe is what is waited for: see how long that takes by itself."
    for what, how in (
        ("the output into a file", "> FILE"),
        (
            "the output of each process into a file of its own",
            "> FILE where each is started by itself; where a launcher starts all, its option, as srun --output=FILE.%t",
        ),
    )
)
"""The same, for who starts a program and does not write it."""


def make_fewer_calls(context: Context, *, several: bool, below: bool, citation: Citation) -> tuple[Advice, ...]:
    """Where calls of a few bytes take its time: `below` MPI-IO, or its own."""
    beside = below or context.word("balance.file_layer") == "MPI-IO"
    name = context.word("balance.storage_file" if below else "balance.calls_file") or context.word("balance.file")
    who, they, s = ("these ranks", "they", "") if several else ("that rank", "it", "s")
    if name in STANDARD:
        return (in_program(THESE_PRINT_LESS if several else PRINT_LESS, citation=citation),)
    gather = in_program(
        f"Let {who} gather what {they} read{s} or write{s} in {printable(name) or 'the file'} into few "
        f"calls{', or leave it to collective calls of all ranks' if beside else ''}.",
        citation=citation,
    )
    library = library_named(name)
    if not beside or (context.api not in ("HDF5", "PnetCDF") and library is None):
        return (gather,)
    text = (
        "Small calls of one rank beside the data of all are a library's own: headers, attributes and small data sets. "
        "Define all of them before the first data is written, and write attributes once"
    )
    # Files named .nc may be netCDF-4 or PnetCDF's: neither shows the program HDF5's property lists.
    if context.api == "PnetCDF" or library == "netCDF-4":
        return (in_program(f"{text}: one nc_enddef, or ncmpi_enddef, a file.", citation=LIBRARIES), gather)
    text = f"{text}; make metadata collective."
    return (advice(text, COLLECTIVE_METADATA, citation=LIBRARIES), gather)


def switch_off_fill(library: Library, citation: Citation) -> tuple[Advice, ...]:
    """Where one rank writes the fill values of what all write then."""
    text = "Do not have the library fill what is written anyway: a data set that is not chunked is filled by one rank."
    return (advice(text, NO_FILL[library], citation=citation),)


_TWICE, ONCE = (1.7, 2.3), 1.0
"""Bytes written for each byte of the files, where fill values come before the data; and opens of a file: what is opened
again is replaced."""


def written_twice(times: float) -> bool:
    """Whether so many bytes for each byte of the files are their fill values and their data."""
    return _TWICE[0] <= times <= _TWICE[1]


def avoid_fill_values(context: Context, file: str | None) -> tuple[Advice, ...]:
    """For files of netCDF or HDF5 that one rank opens once, and writes twice over; empty for others."""
    library, span = library_named(file), context.number("file.written_span_over_bytes")
    opens, files = context.number("balance.alone_opens"), context.number("balance.alone_files")
    once = opens is not None and files is not None and opens <= ONCE * files
    if library is None or not span or not once or not written_twice(1 / span):
        return ()
    return (
        advice(
            f"{number(1 / span)} times as many bytes are written as the files have, though each is opened once: "
            f"{library.removesuffix('-4')} writes fill values before the data, it seems. Do not have it fill what is "
            "written anyway.",
            NO_FILL[library],
            citation=Citation("hdf5-fill", "Parallel I/O results"),
        ),
    )


def share_out(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Where the busiest rank has far more bytes than the others."""
    layer = context.word("balance.file_layer") or context.word("io.layer")
    reads = (context.number("balance.file_read_fraction") or 0.0) >= MOSTLY
    if layer in ("POSIX", "STDIO") and reads:
        name = printable(context.word("balance.file")) or "the file"
        average = context.number("posix.average_size" if layer == "POSIX" else "stdio.average_size") or 0.0
        until_then = "" if average >= BLOCK else "; until then, read it in blocks of 1 MiB or more"
        text = f"Let every rank or node read its part of {name}{until_then}."
        if _one_of_a_kind(context):
            largest = f"begin with the largest, or divide it{until_then}."
            text = f"Give every rank the same amount to read. Where the ranks take tasks one after the other, {largest}"
        return (in_program(text, citation=citation),)
    return even_out(context, layer, citation)


def _one_of_a_kind(context: Context) -> bool:
    """Whether each rank has such a file of its own: nobody reads a part for another."""
    own, alone = context.word("io.pattern") == "file-per-process", context.word("balance.alone_file")
    return own and alone != context.word("balance.file")


def share_out_among_movers(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Where one of the ranks that move the bytes of collective calls has far more of them."""
    name = printable(context.word("balance.storage_file")) or "the file"
    if (context.number("mpiio.write_amplification") or 0.0) >= WRITTEN_AGAIN:
        return (
            in_program(
                f"More is written to {name} than the program writes, and one rank writes it: leave out what has the "
                "library write the file before the data, MPI_File_preallocate or fill values.",
                citation=citation,
            ),
        )
    return (
        in_program(
            f"The library gives each of these ranks a part of what a call covers of {name}: let each collective call "
            "write larger contiguous blocks, and of all parts of the file, so that no part has most of the data.",
            citation=citation,
        ),
        align_to_stripes(context, "Begin every", context.word("balance.storage_file"), citation),
    )


def check_slow_call(context: Context, slow_file: str | None, citation: Citation) -> tuple[Advice, ...]:
    """Where a single call took that time."""
    kind, file = context.word("balance.longest_call_kind"), printable(context.word("balance.file")) or "the file"
    return _came_back_late(context, f"A single {kind} of {file}", slow_file, citation, fetched=kind != "write")


def check_slow_open(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Where an open or two took the time of the rank that does the I/O."""
    return _came_back_late(
        context,
        f"Opening {files_phrase(context)}",
        None,
        citation,
        fetched=(context.number("io.bytes_read") or 0.0) > 0,
    )


def _came_back_late(
    context: Context, call: str, slow_file: str | None, citation: Citation, *, fetched: bool
) -> tuple[Advice, ...]:
    """`fetched` is whether the file may have been on tape."""
    text = f"{call} took that time, and nothing that the program does explains it. "
    still = what_stood_still(context.word("file.lies_on"))
    text += f"Run it again: if it does not come back, {still} stood still once."
    if context.file_system != "lustre" or not fetched:
        return (advice(text, citation=citation),)
    see = RunCommand(("lfs", "hsm_state", SLOW_FILE if slow_file is None else Named(slow_file)))
    return (
        advice(f"{text} A file that was moved to tape is fetched back in that call, too: see whether it was.", see),
    )


def find_slow_part(
    context: Context, slow_file: str | None, *, several: bool, below: bool, citation: Citation
) -> tuple[Advice, ...]:
    """Where the rank moves no more than the others; `below` where it is one of those that move the bytes below
    MPI-IO."""
    own = may_have_own_server(context, below=below)
    if not below and passes_it_in_metadata(context):
        return (_ask_less(context, several=several, citation=citation),)
    see = (
        (RunCommand(("lfs", "getstripe", SLOW_FILE if slow_file is None else Named(slow_file))),)
        if own and context.file_system == "lustre"
        else ()
    )
    which = _what_may_be_slow(context, several=several, own_server=own)
    return (
        advice(
            naming_support(lambda support: f"{which} {_tell_which(support, own_server=own)}"),
            *see,
            citation=citation,
        ),
    )


def _ask_less(context: Context, *, several: bool, citation: Citation) -> Advice:
    """Where it is no bytes that take its time, the OSTs have no part in it, and who opens files asks the same server as
    the others."""
    name = printable(slower_in(context, MOSTLY))
    asked = "files and asking about them" if name is None else f"{name} and asking about it"
    they, them = ("They pass", "these ranks") if several else ("It passes", "that rank")
    return in_program(
        f"{they} that time in opening {asked}, which moves no bytes: where that is done again and again, have {them} "
        "do so less often. Else run again on other nodes: if the same node or core is slow, exclude the node; if "
        "neither is, others disturbed the run.",
        citation=citation,
    )


SOME = 0.05
"""Of what the slowest rank takes longer, below which one of many files says nothing."""


def slower_in(context: Context, least: float) -> str | None:
    """The file in which the slowest rank is slower than the others, where at least so much of what it takes longer
    passes there."""
    here, all_of_it = (context.number(f"balance.{of}_beyond_mean") for of in ("file", "time"))
    little = here is not None and all_of_it is not None and here < least * all_of_it
    return None if little else context.word("balance.file")


def passes_it_in_metadata(context: Context) -> bool:
    """Whether most of what the slowest rank takes longer than the others are opens, stats and closes."""
    return (context.number("balance.slowest_in_metadata") or 0.0) >= MOSTLY


def find_slow_part_by_timers(context: Context, uneven: Citation, slow: Citation) -> tuple[Advice, ...]:
    """Where MPICH_MPIIO_TIMERS alone tell of it. Of collective calls the library gives each rank that moves the bytes
    as much of the file; of independent ones nobody says what each rank has."""
    if context.word("io.pattern") in ("shared-collective", "subfiling"):
        slow_part = find_slow_part(context, None, several=False, below=True, citation=slow)
        return (*slow_part, *show_aggregator_rates(context, uneven))
    reads = context.word("timers.slowest_mover_operation") == "read"
    file = printable(context.word("timers.slowest_mover_file")) or "the file"
    do, calls = ("read", "MPI_File_read_all") if reads else ("write", "MPI_File_write_all")
    even = advice(
        f"These times do not say how much each rank has to {do}. Where that rank has more of {file} than the others, "
        f"share it out, or {do} it with collective calls ({calls}). Where it has as much, its server, its node or a "
        "foreign process on its core is slow: run again on other nodes and see whether the same rank is.",
        citation=slow,
    )
    if context.number("timers.slowest_mover_rank") is not None:
        return (even,)
    return (even, advice("Have the library name that rank.", Export("MPICH_MPIIO_TIMERS", "2"), citation=uneven))


FAR_MORE = 1.5
"""Times the mean of those that move the bytes, from which a rank moves more than most of the others."""


def may_have_own_server(context: Context, *, below: bool) -> bool:
    """Whether what is slow may be a server that the rank has to itself: none is between it and files of its node, and
    one that serves the others as well is as slow for them."""
    shared = "balance.storage_own_server" if below else "balance.own_server"
    return context.word("file.lies_on") not in OF_A_NODE and context.word(shared) != "no"


def _tell_which(support: str, *, own_server: bool) -> str:
    others = "if neither is, others disturbed the run."
    if not own_server:
        return f"To tell which, run again on other nodes: if the same node or core is slow, exclude the node; {others}"
    return (
        f"To tell which, run again on other nodes and into a new file: if the same server is slow, tell {support}; if "
        f"the same node or core is, exclude the node; {others}"
    )


def parts_of_a_rank(context: Context, *, below: bool) -> str:
    """What a rank that is slow runs on and writes to."""
    own = may_have_own_server(context, below=below)
    return "its node, its core and its server" if own else "its node and its core"


def _what_may_be_slow(context: Context, *, several: bool, own_server: bool) -> str:
    # Where some write for all, those are meant that do.
    whom = "others that are far quicker" if (context.number("balance.bytes") or 0.0) >= FAR_MORE else "the others"
    more = f"{'They move' if several else 'It moves'} no more than {whom}"
    if not own_server:
        if context.word("file.lies_on") not in OF_A_NODE:
            more += f" and {'have' if several else 'has'} no server to {'themselves' if several else 'itself'}"
        if several:
            return f"{more}, so their node or other processes on their cores are slow."
        return f"{more}, so its node or another process on its core is slow."
    server = "server (OST)" if context.maybe_on_lustre else "server"
    if several:
        return f"{more}, so their {server}, their node or other processes on their cores are slow."
    return f"{more}, so its {server}, its node or another process on its core is slow."


def show_aggregator_rates(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """How CrayPAT shows each aggregator, where the program's MPI library is Cray's."""
    library, started = context.word("mpi.library") or context.site.mpi_library, run_again(context)
    collective = context.word("io.pattern") == "shared-collective"
    can_be_run = library == CRAY_MPICH and context.site.perftools and bool(started)
    if not can_be_run or context.number("job.nprocs") is None or not collective:
        return ()
    name = context.program
    program: Place = PROGRAM_FILE if name is None else Named(name)
    instrumented = Named(f"./{name or 'program'}+pat")
    return (
        advice(
            "CrayPAT shows the rate of each aggregator: instrument the program, in the directory where it lies, run "
            "that in its place, with the same arguments, and read the report of the directory that this run leaves. A "
            "program that was linked with Darshan is linked again without.",
            *without_darshan(context.site),
            RunCommand(("module", "load", "perftools-base", "perftools")),
            RunCommand(("pat_build", "-w", "-g", "io", "-g", "mpi", program, instrumented)),
            LaunchProgram((*started, instrumented)),
            RunCommand(("pat_report", "-s", "pe=ALL", FillIn("PAT_DIRECTORY", "the directory that the run left"))),
            citation=citation,
        ),
    )

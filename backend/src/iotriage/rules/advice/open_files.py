"""How often files are opened, in the library that opens them, and by which ranks."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Literal

from iotriage.rules.advice.array_files import read_by_one
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.core import Advice, Citation, Context, advice, in_program
from iotriage.rules.core.action import EditCode, Library, MpiioHint, SetHint
from iotriage.rules.core.words import plural
from iotriage.sites.site import FILE_SYSTEM_NAMES, FileSystemKind
from iotriage_parsers.frozen import frozen

Layer = Library | Literal["POSIX", "STDIO"]


@frozen
class _Lines:
    """How a file is opened and closed: `{}` is how it is opened, `modes` to write and to read it."""

    opened: str
    modes: tuple[str, str]
    handle: str
    closed: str


@frozen
class _OfLibrary:
    c: _Lines
    fortran: _Lines


_OF_LIBRARIES: Mapping[Layer, _OfLibrary] = {
    "HDF5": _OfLibrary(
        _Lines(
            "hid_t file = H5Fopen(name, {}, access);", ("H5F_ACC_RDWR", "H5F_ACC_RDONLY"), "file", "H5Fclose(file);"
        ),
        _Lines(
            "call h5fopen_f(name, {}, file, error, access)",
            ("H5F_ACC_RDWR_F", "H5F_ACC_RDONLY_F"),
            "file",
            "call h5fclose_f(file, error)",
        ),
    ),
    "netCDF-4": _OfLibrary(
        _Lines("nc_open(name, {}, &ncid);", ("NC_WRITE", "NC_NOWRITE"), "ncid", "nc_close(ncid);"),
        _Lines(
            "status = nf90_open(name, {}, ncid)",
            ("NF90_WRITE", "NF90_NOWRITE"),
            "ncid",
            "status = nf90_close(ncid)",
        ),
    ),
    "PnetCDF": _OfLibrary(
        _Lines(
            "ncmpi_open(MPI_COMM_WORLD, name, {}, MPI_INFO_NULL, &ncid);",
            ("NC_WRITE", "NC_NOWRITE"),
            "ncid",
            "ncmpi_close(ncid);",
        ),
        _Lines(
            "status = nf90mpi_open(MPI_COMM_WORLD, name, {}, MPI_INFO_NULL, ncid)",
            ("NF90_WRITE", "NF90_NOWRITE"),
            "ncid",
            "status = nf90mpi_close(ncid)",
        ),
    ),
    "MPI-IO": _OfLibrary(
        _Lines(
            "MPI_File_open(MPI_COMM_WORLD, name, {}, MPI_INFO_NULL, &file);",
            ("MPI_MODE_RDWR", "MPI_MODE_RDONLY"),
            "file",
            "MPI_File_close(&file);",
        ),
        _Lines(
            "call MPI_File_open(MPI_COMM_WORLD, name, {}, MPI_INFO_NULL, file, ierror)",
            ("MPI_MODE_RDWR", "MPI_MODE_RDONLY"),
            "file",
            "call MPI_File_close(file, ierror)",
        ),
    ),
    "POSIX": _OfLibrary(
        _Lines("int file = open(name, {});", ("O_RDWR | O_CREAT, 0644", "O_RDONLY"), "file", "close(file);"),
        _Lines("open(newunit=unit, file=name, access='stream'{})", ("", ", action='read'"), "unit", "close(unit)"),
    ),
    "STDIO": _OfLibrary(
        _Lines("FILE *stream = fopen(name, {});", ('"a"', '"r"'), "stream", "fclose(stream);"),
        _Lines("open(newunit=unit, file=name, {})", ("position='append'", "action='read'"), "unit", "close(unit)"),
    ),
}


def keep_open(layer: Layer, *, reads: bool) -> EditCode:
    """`reads` is whether the steps only read the file: an input may be nobody's to write."""
    library, step = _OF_LIBRARIES[layer], "read_step" if reads else "write_step"
    c, fortran = library.c, library.fortran
    return EditCode(
        f"{c.opened.format(c.modes[reads])}  /* once, before the first step */\n"
        "for (int step = 0; step < steps; step++)\n"
        f"    {step}({c.handle}, step);\n"
        f"{c.closed}  /* after the last */",
        f"{fortran.opened.format(fortran.modes[reads])}  ! once, before the first step\n"
        "do step = 1, steps\n"
        f"  call {step}({fortran.handle}, step)\n"
        "end do\n"
        f"{fortran.closed}  ! after the last",
        mpi=layer in ("PnetCDF", "MPI-IO"),
    )


def poll_less_often(citation: Citation) -> Advice:
    """For files of the kernel, as those below /proc."""
    return in_program(
        "Look less often: the kernel makes what it says there anew each time that it is read, and no file system is "
        "asked. Where it is needed often, keep the file open, and read it again from its beginning (pread at 0).",
        citation,
    )


_WITH_METADATA_SERVERS: frozenset[FileSystemKind] = frozenset(("lustre", "beegfs", "unknown"))


def who_opens_files(kind: FileSystemKind, server: str) -> str:
    """Who makes and opens the files of a file system: `server`, a word for a metadata server, where it has some, else
    the file system itself."""
    if kind in _WITH_METADATA_SERVERS:
        return server
    return "its file system" if kind in ("local", "other") else FILE_SYSTEM_NAMES[kind]


MDS = Citation("archer-bpg", "Lustre basic concepts")
A_FEW = 10
"""Files up to which fewer would change nothing."""
OF_THOSE_THAT_OPEN = 0.1
"""Ranks that write for each that opens a file, up to which the others open it for nothing."""


def one_rank_reads(context: Context, files: float, ranks: float, *, as_streams: bool = False) -> Advice:
    """For files that many ranks open, each once; `as_streams` where the largest file of the job may be another."""
    what, now = ("the file", f"{_open(ranks)} it") if files == 1 else ("each of these files", _open_each(ranks))
    return advice(
        f"Let one rank read {what} and send it to the others: now {now}.",
        read_by_one(None if as_streams else context.file),
        citation=MDS,
    )


def wait_for_change(context: Context, opens: float | None, *, alone: bool) -> tuple[Advice, ...]:
    """For a file of a few bytes that each rank opens so many times to read it, or one `alone`: it may wait for what the
    file says."""
    little = (context.number("file.bytes_per_open") or inf) < LITTLE_READ and not context.number("io.bytes_written")
    if not little or opens is None or opens < AWAITED or (context.files or 1) > 1:
        return ()
    look, among_ranks = (
        ("pause some seconds between two looks", "")
        if alone or is_one_process(context)
        else (
            "let one rank look, with a pause of some seconds between two looks, and tell the others",
            " Between ranks of one job a message is faster than a file.",
        )
    )
    text = (
        f"If what it says changes meanwhile, as of a file that is waited for, {look}: then these seconds are won only "
        f"where that change comes sooner.{among_ranks}"
    )
    return (advice(text, SLEEP, citation=MDS),)


def wait_between_looks(context: Context) -> Advice:
    """For a file that is opened or asked about time and again, and hardly ever read or written."""
    who, among_ranks = (
        ("Let the program sleep a few seconds each time before it looks again.", "")
        if is_one_process(context)
        else (
            "Let who waits for such a file sleep a few seconds each time before it looks again, or let one rank look "
            "and tell the others.",
            " Between ranks of one job a message is faster than a file.",
        )
    )
    text = f"{who} It waits for what makes the file: these seconds are won only where that is done sooner.{among_ranks}"
    return advice(text, SLEEP, citation=MDS)


LITTLE_READ, AWAITED = 4096.0, 100.0
"""Bytes read at an open, and opens by each rank, from which a file of little is looked at rather than read."""
WHOLE, SENT = 0.5, 64 * 2**20
"""The part of a file that a rank reads from which it reads all of it, and bytes up to which all of a file is soon sent
to all, whatever they need of it."""


def read_in_parts(context: Context) -> bool:
    """Whether the ranks open large files of which each reads a part: nobody could send them to all."""
    part, largest = context.number("posix.read_by_many_part"), context.number("posix.read_by_many_size")
    return part is not None and largest is not None and part < WHOLE and largest > SENT


def open_by_fewer(context: Context, files: str) -> Advice:
    """For files that many ranks open, each to read a part."""
    if not context.number("mpiio.collective_reads"):
        return in_program(
            f"Let fewer ranks open {files}, of which each reads a part: one rank of each node reads what its node "
            "needs and hands it on, or all read with collective calls of MPI-IO, whose hint romio_no_indep_rw has "
            "only those open a file that read it for the others.",
            citation=MDS,
        )
    return advice(
        f"Let fewer ranks open {files}, of which each reads a part: where all calls are collective, the hint "
        "romio_no_indep_rw has only those open it that read it for the others.",
        SetHint("*", (MpiioHint("romio_no_indep_rw", "true"),), through="MPI-IO", only_read=True),
        citation=MDS,
    )


def _open_each(ranks: float) -> str:
    return f"{_open(ranks)} each"


def _open(ranks: float) -> str:
    return f"{plural(round(ranks), 'rank')} {'open' if round(ranks) > 1 else 'opens'}"


def fewer_writers(context: Context, files: float, ranks: float) -> Advice:
    """Where the files are few already, fewer of them would change nothing: fewer ranks open them."""
    collective, writers = context.number("mpiio.collective_writes"), context.number("file.writing_ranks")
    now = f"now {_open_each(ranks)}"
    only_written = files <= 1 and not collective and context.number("io.bytes_read") == 0
    if only_written and writers is not None and writers <= OF_THOSE_THAT_OPEN * ranks:
        who = "the rank that writes" if round(writers) == 1 else f"the {plural(round(writers), 'rank')} that write"
        # Of a record of all ranks together nobody knows whether the others wrote nothing, or little beside these.
        others = "and the others write nothing to it, or little, which they can send there"
        return in_program(f"Let only {who} open the file: {now}, {others}.", MDS)
    if files > 1 and (files > A_FEW or not collective):
        return several_in_one(ranks)
    alone = sum(context.number(f"mpiio.independent_{way}s") or 0.0 for way in ("write", "read"))
    if alone or not collective or context.api in ("HDF5", "PnetCDF"):
        return in_program(
            f"Let fewer ranks open the file, or open it less often: {now}. Keep it open for several steps, or gather "
            "the data on one rank of each node and open it by these.",
            citation=MDS,
        )
    return advice(
        f"Let only those ranks open the file that move the bytes for the others: {now}. Where all calls on it are "
        "collective, as here, the hint romio_no_indep_rw does that.",
        SetHint("*", (MpiioHint("romio_no_indep_rw", "true"),), through="MPI-IO"),
        citation=MDS,
    )


def several_in_one(ranks: float) -> Advice:
    """For files that many ranks write together: one for each node would be more of them, and no fewer opens."""
    return in_program(
        f"Put several steps, or all variables, into one file, so that fewer are made: now {_open_each(ranks)}.",
        citation=MDS,
    )

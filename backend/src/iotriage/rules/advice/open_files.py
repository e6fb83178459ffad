"""Files that are opened once, before the first step, and closed after the last: in the library that opens them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from iotriage.rules.core import Advice, Citation, in_program
from iotriage.rules.core.action import EditCode, Library
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

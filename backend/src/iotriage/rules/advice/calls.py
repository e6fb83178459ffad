"""Lines of code and hints that make a program's I/O collective, by the library it calls."""

from __future__ import annotations

import re

from iotriage.rules.advice.snippets import (
    COLLECTIVE,
    GATHER_ON_NODE,
    NODE_FILE,
    NONBLOCKING_PNETCDF,
    ONE_AGGREGATOR_A_NODE,
    SHARED_WRITE,
    Library,
    Snippet,
)
from iotriage.rules.core.rule import Advice, Citation, Context
from iotriage.rules.core.words import plain

_SAFE_NAME = re.compile(r"[A-Za-z0-9._-]+")
_NETCDF_NAME = re.compile(r"\.nc4?$", re.IGNORECASE)

ARCHER_COLLECTIVE = Citation("archer-bpg", "Summary of performance advice")
LIBRARIES = Citation("theta-io", "Theta IO Libraries")


_COLLECTIVE_TEXT: dict[Library, str] = {
    "HDF5": "Ask HDF5 for collective transfers.",
    "netCDF-4": "Ask netCDF for collective access to each variable.",
    "PnetCDF": "Use the collective data mode of PnetCDF: the routines whose names end in _all.",
    "MPI-IO": "Use the collective routines, whose names end in _all.",
}


def library_of(context: Context) -> Library:
    """The library whose calls advice is about: MPI-IO where there is none above it. Darshan sees HDF5 below netCDF-4,
    so the name of the file tells."""
    if context.api == "HDF5":
        return "netCDF-4" if _NETCDF_NAME.search(context.file or "") else "HDF5"
    return "PnetCDF" if context.api == "PnetCDF" else "MPI-IO"


def through_mpi_io(context: Context) -> bool:
    """Whether the files are opened with MPI-IO, by the program or by a library above it."""
    return context.api in ("HDF5", "PnetCDF", "MPI-IO")


def make_collective(context: Context) -> Advice:
    """The collective form of the call, in the library that the files are written with."""
    library = library_of(context)
    text = f"{_COLLECTIVE_TEXT[library]} Then check that the calls really are collective: libraries fall back silently."
    snippet = COLLECTIVE[library]
    return Advice(text, snippet.c, "code", ARCHER_COLLECTIVE, snippet.fortran)


def aggregate_variables(context: Context) -> tuple[Advice, ...]:
    """PnetCDF's nonblocking calls, which put small variables together; nothing for other libraries."""
    if context.api != "PnetCDF":
        return ()
    text = "Where the variables are small, post their writes and let one call write all of them together."
    snippet = NONBLOCKING_PNETCDF
    return (Advice(text, snippet.c, "code", LIBRARIES, snippet.fortran),)


def write_in_parallel(context: Context) -> Advice:
    """From one writer to all ranks writing one file together."""
    if through_mpi_io(context):
        return make_collective(context)
    return Advice(
        "Let all ranks write their part of one file with collective calls, instead of gathering on one rank.",
        SHARED_WRITE.c,
        "code",
        Citation("archer2-io", "Single Shared File with collective writes (SSF)"),
        SHARED_WRITE.fortran,
    )


def file_a_node(source: Citation) -> Advice:
    """A file for each node, between one for all and one for each rank."""
    text = "Write one file per node, with collective calls among the ranks of the node."
    return Advice(text, NODE_FILE.c, "code", source, NODE_FILE.fortran)


def aggregate_on_every_node(source: Citation) -> Advice:
    """ROMIO's hints for one aggregator a node, for file systems without stripes to go by."""
    lines = ONE_AGGREGATOR_A_NODE
    return Advice("Let one rank of every node aggregate.", lines.c, "code", source, lines.fortran)


def collect_by_node(source: Citation) -> Advice:
    """Gather on one rank of every node before the collective call: fewer ranks take part in the exchange."""
    text = "Or collect the data of each node on one of its ranks first, so that fewer ranks take part in the call."
    return Advice(text, GATHER_ON_NODE.c, "code", source, GATHER_ON_NODE.fortran)


def site_environment(context: Context, pattern: str) -> tuple[Advice, ...]:
    """The lines that the site's documents recommend for an I/O pattern."""
    return tuple(
        Advice(e.text, "\n".join(e.lines), "job-script", Citation(e.source.document, e.source.section))
        for e in context.site.environment_for(pattern, context.file_system)
    )


def hints(context: Context, text: str, source: Citation, *pairs: tuple[str, str]) -> tuple[Advice, ...]:
    """MPI-IO hints: in the job script where Cray MPICH may be in use, and in the program for any MPI library."""
    found = []
    if context.file_system in ("lustre", "unknown"):
        settings = ":".join(f"{key}={value}" for key, value in pairs)
        line = f'export MPICH_MPIIO_HINTS="{file_pattern(context.file)}:{settings}"'
        found.append(Advice(f"{text} With Cray MPICH, in the job script:", line, "job-script", source))
    code = "\n".join(
        (
            "MPI_Info_create(&info);",
            *(f'MPI_Info_set(info, "{key}", "{value}");' for key, value in pairs),
            _OPEN[library_of(context)].c,
        )
    )
    fortran = "\n".join(
        (
            "call MPI_Info_create(info, ierror)",
            *(f"call MPI_Info_set(info, '{key}', '{value}', ierror)" for key, value in pairs),
            _OPEN[library_of(context)].fortran,
        )
    )
    opening = "With another MPI library, when the file is opened:" if found else f"{text} When the file is opened:"
    found.append(Advice(opening, code, "code", source, fortran))
    return tuple(found)


_OPEN: dict[Library, Snippet] = {
    "HDF5": Snippet(
        "H5Pset_fapl_mpio(file_access, MPI_COMM_WORLD, info);",
        "call h5pset_fapl_mpio_f(file_access, MPI_COMM_WORLD, info, error)",
    ),
    "netCDF-4": Snippet(
        "nc_create_par(name, NC_NETCDF4, MPI_COMM_WORLD, info, &ncid);",
        "status = nf90_create_par(name, NF90_NETCDF4, MPI_COMM_WORLD, info, ncid)",
    ),
    "PnetCDF": Snippet(
        "ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER | NC_64BIT_DATA, info, &ncid);",
        "status = nf90mpi_create(MPI_COMM_WORLD, name, ior(NF90_CLOBBER, NF90_64BIT_DATA), info, ncid)",
    ),
    "MPI-IO": Snippet(
        "MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);",
        "call MPI_File_open(MPI_COMM_WORLD, name, mode, info, file, ierror)",
    ),
}
"""The call that takes the hints."""


def file_pattern(path: str | None) -> str:
    """The file's name as MPICH_MPIIO_HINTS takes it, runs of digits as `*`; `*` alone where the name could break out
    of the hint string."""
    name = "" if path is None else path.rsplit("/", 1)[-1]
    if not _SAFE_NAME.fullmatch(name):
        return "*"
    return re.sub(r"\*+", "*", "*" + re.sub(r"[0-9]+", "*", name))


def these_files(context: Context) -> str:
    """What the words call the files of the scope."""
    return plain(context.label)

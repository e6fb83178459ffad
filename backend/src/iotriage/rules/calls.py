"""Lines of code and hints that make a program's I/O collective, by the library it calls."""

from __future__ import annotations

import re

from iotriage.rules.rule import Advice, Citation, Context
from iotriage.rules.wording import plain

_COLLECTIVE_CODE = {
    "HDF5": """\
hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, data);
/* netCDF-4: nc_var_par_access(ncid, varid, NC_COLLECTIVE); */""",
    "PnetCDF": """\
/* no ncmpi_begin_indep_data(); the routines that end in _all are collective */
ncmpi_put_vara_double_all(ncid, varid, start, count, data);""",
    "MPI-IO": """\
/* every rank of the file's communicator calls it, with a count of 0 where it has nothing */
MPI_File_write_at_all(file, offset, data, count, MPI_DOUBLE, &status);   /* C */
call MPI_File_write_at_all(file, offset, data, count, MPI_DOUBLE_PRECISION, status, ierror)   ! Fortran""",
}

_PARALLEL_CODE = """\
MPI_File_open(MPI_COMM_WORLD, "output.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
MPI_File_set_view(file, offset, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
MPI_File_write_all(file, data, count, MPI_DOUBLE, &status);
MPI_File_close(&file);"""

_SAFE_NAME = re.compile(r"[A-Za-z0-9._-]+")

ARCHER_COLLECTIVE = Citation("archer-bpg", "Summary of performance advice")


def make_collective(context: Context) -> Advice:
    """The collective form of the call, in the library that the files are written with."""
    api = context.api if context.api in _COLLECTIVE_CODE else "MPI-IO"
    text = {
        "HDF5": "Ask HDF5 for collective transfers (netCDF-4: collective access of each variable).",
        "PnetCDF": "Use the collective data mode of PnetCDF: the routines whose names end in _all.",
        "MPI-IO": "Use the collective routines, whose names end in _all.",
    }[api]
    check = " Then check that the calls really are collective: libraries fall back without a word."
    return Advice(text + check, _COLLECTIVE_CODE[api], "code", ARCHER_COLLECTIVE)


def write_in_parallel(context: Context) -> Advice:
    """From one writer to all ranks writing one file together."""
    if context.api in ("HDF5", "PnetCDF", "MPI-IO"):
        return make_collective(context)
    return Advice(
        "Let all ranks write their part of one file with collective calls, instead of gathering on one rank.",
        _PARALLEL_CODE,
        "code",
        Citation("archer2-io", "Single Shared File with collective writes (SSF)"),
    )


_BY_NODE_CODE = """\
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
MPI_Gatherv(data, count, MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, 0, node);
/* one rank of every node then calls the collective write, on a communicator of these ranks */"""


def collect_by_node(source: Citation) -> Advice:
    """Gather on one rank of every node before the collective call: fewer ranks take part in the exchange."""
    text = "Or collect the data of each node on one of its ranks first, so that fewer ranks take part in the call."
    return Advice(text, _BY_NODE_CODE, "code", source)


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
            _open(context),
        )
    )
    opening = "With another MPI library, when the file is opened:" if found else f"{text} When the file is opened:"
    found.append(Advice(opening, code, "code", source))
    return tuple(found)


def _open(context: Context) -> str:
    """The call that takes the hints."""
    return {
        "HDF5": "H5Pset_fapl_mpio(file_access, MPI_COMM_WORLD, info);",
        "PnetCDF": "ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER | NC_64BIT_DATA, info, &ncid);",
    }.get(context.api or "", "MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);")


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

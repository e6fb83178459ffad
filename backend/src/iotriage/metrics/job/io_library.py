"""Which library of files the program uses, of those that access some bytes independently."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import JobContext, Lines

_MODULES = {
    "PnetCDF": re.compile(r"(cray-)?(parallel-netcdf|pnetcdf)(/|$)"),
    "HDF5": re.compile(r"\S*hdf5-?parallel(/|$)"),
}
_TABLES = {"HDF5": ("H5F", "H5D"), "PnetCDF": ("PNETCDF_FILE", "PNETCDF_VAR")}
_ENDINGS = {"HDF5": (".h5", ".hdf5", ".he5"), "NetCDF": (".nc", ".nc4")}


@metric(
    "job.io_library",
    "Library of files with independent access",
    "word",
    formula="HDF5 or PnetCDF by Darshan's records; else (inferred) by the parallel module that the job script loads; "
    "else by the ending of a file in STATS: HDF5 by .h5, .hdf5 and .he5, NetCDF by .nc and .nc4",
    needs="a Darshan log, a job script, or MPICH_MPIIO_STATS",
    scopes=["job"],
)
def io_library(s: Selection) -> Outcome:
    for library, modules in _TABLES.items():
        for rows, table in (found for module in modules for found in s.tables(module)):
            return Value(library, where=rows.where(table, f"{table.module}_OPENS"))
    return next(_hinted(s), Absent("no source shows that HDF5 or PnetCDF is used"))


def _hinted(s: Selection) -> Iterator[Value]:
    for source, context in s.of(JobContext):
        for name, line in _loaded(context):
            for library, pattern in _MODULES.items():
                if pattern.match(name):
                    yield Value(library, "inferred", (Where(source, Lines(line, line)),))
    for one in s.stats:
        for library, endings in _ENDINGS.items():
            if one.block.file.lower().endswith(endings):
                yield Value(library, "inferred")


def _loaded(context: JobContext) -> Iterator[tuple[str, int]]:
    """The modules that a script loads, each with its line."""
    for command in context.modules:
        if command.action in ("load", "swap"):
            names = command.names if command.action == "load" else command.names[-1:]
            yield from ((name, command.line) for name in names)

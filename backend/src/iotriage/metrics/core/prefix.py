"""What the names of counters begin with, by Darshan's module."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.evidence import CounterTable

PREFIX = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO", "DFS": "DFS", "DAOS": "DAOS"}
"""The modules that are the highest layer of some file."""

LIBRARIES = ("H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR")
"""The modules of libraries, whose data the layers below them count too."""

TOTALLED = ("MPI-IO", "POSIX", "STDIO")
"""The modules whose totals darshan-parser prints and we read, the highest layer first."""


def prefix_of(table: CounterTable) -> str:
    """The prefix of the counters of the table's module: "POSIX", "MPIIO", …."""
    return PREFIX.get(table.module, table.module)


KINDS = {"MPI-IO": ("INDEP_", "COLL_", "SPLIT_", "NB_")}
"""How the calls of a module are divided, where Darshan counts kinds apart: independent, collective, …."""


def access_counters(module: str, *directions: Literal["read", "write"]) -> tuple[str, ...]:
    """The counters of a module's reads, or writes, of whatever kind: "POSIX_READS", "MPIIO_INDEP_READS" and so on."""
    prefix, kinds = PREFIX.get(module, module), KINDS.get(module, ("",))
    return tuple(f"{prefix}_{kind}{direction.upper()}S" for direction in directions for kind in kinds)

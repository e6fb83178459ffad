"""What the names of counters begin with, by Darshan's module."""

from __future__ import annotations

from iotriage_parsers.evidence import CounterTable

PREFIX = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO", "DFS": "DFS", "DAOS": "DAOS"}
"""The modules that are the highest layer of some file."""

TOTALLED = ("MPI-IO", "POSIX", "STDIO")
"""The modules whose totals darshan-parser prints and we read, the highest layer first."""


def prefix_of(table: CounterTable) -> str:
    """What the names of the table's counters begin with."""
    return PREFIX.get(table.module, table.module)

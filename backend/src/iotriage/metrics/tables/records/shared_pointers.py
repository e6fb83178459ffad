"""The files in which MPI libraries keep shared file pointers.

MPI_File_write_shared, _ordered and their like take their place from a pointer that all ranks share, and ROMIO and Open
MPI keep that in a hidden file beside the data: eight bytes, which each call locks, reads and writes again. MPI-IO's
calls on the data file hold that time, so that the accesses to the pointer are none that the program makes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from iotriage.metrics.core.selection import LogRows, of_files, select_rows
from iotriage.metrics.tables.files.names_as_text import END, may_have

_ROMIO = re.compile(r"(?P<folder>.*/|)\.(?P<name>[^/]+)\.shfp\.\d+(?:\.\d+)?", re.DOTALL)
_OPEN_MPI = re.compile(r"(?P<folder>.*/|)(?P<name>[^/]+?)-\d+(?:-\d+)?\.lock", re.DOTALL)

POINTER_BYTES = 8
"""An MPI_Offset."""


def without_shared_pointers(rows: LogRows) -> LogRows:
    """The log without the POSIX records of pointers into files that MPI-IO opened."""
    posix, found = rows.posix, pointers(rows)
    if posix is None or not found:
        return rows
    reach = np.maximum(posix.count("POSIX_MAX_BYTE_WRITTEN"), posix.count("POSIX_MAX_BYTE_READ"))
    mine = of_files(posix, np.array([*found], np.uint64)) & (reach < POINTER_BYTES)
    return replace(rows, posix=select_rows(posix, ~mine)) if mine.any() else rows


def pointers(rows: LogRows) -> Mapping[int, str]:
    """The records that are named as pointers into files of MPI-IO, with the paths of these files."""
    if rows.mpiio is None or not may_have(rows, (".shfp.", f".lock{END}")):
        return {}
    opened = {rows.name_of(record) for record in rows.mpiio.ids.tolist()}
    named = ((record, path) for record, name in rows.log.names.items() if (path := _pointed_into(name)) is not None)
    return {record: path for record, path in named if path in opened}


def _pointed_into(name: str) -> str | None:
    shape = _ROMIO if ".shfp." in name else _OPEN_MPI if name.endswith(".lock") else None
    found = None if shape is None else shape.fullmatch(name)
    return None if found is None else found["folder"] + found["name"]

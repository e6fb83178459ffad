"""Lists of MPI-IO hints: Cray MPICH's MPICH_MPIIO_HINTS_DISPLAY, and what looks like it: ROMIO_PRINT_HINTS, IOR's `-H`
and programs that print their MPI_Info. Each list says who printed it; only Cray MPICH names the file.
"""

from __future__ import annotations

from typing import Final

from iotriage_parsers.evidence import MpiioHints, Part
from iotriage_parsers.readers.mpich_hints.machines import begins, start
from iotriage_parsers.text.blocks import BlockReader
from iotriage_parsers.text.wording import plural

_PRINTERS: Final = {
    "cray-mpich": "MPICH_MPIIO_HINTS_DISPLAY",
    "romio": "ROMIO_PRINT_HINTS",
    "ior": "IOR's hints",
    "application": "hints that the program printed",
}


def _describe(parts: tuple[Part, ...]) -> str | None:
    lists = [p for p in parts if isinstance(p, MpiioHints)]
    contents = []
    for printer, title in _PRINTERS.items():
        own = [p for p in lists if p.printed_by == printer]
        if own:
            files = {p.file for p in own if p.file is not None}
            of = f" of {plural(len(files), 'file')}" if files else ""
            contents.append(f"{title}: {plural(len(own), 'list')}{of}")
    return "; ".join(contents) or None


reader: Final = BlockReader(
    id="mpich_hints",
    title="MPI-IO hints",
    anchors=(
        b"MPIIO hints for ",
        b"hints passed to MPI_File_open",
        b"hints returned from opened file",
        b"key =",
        b"MPI hint:",
    ),
    begins=begins,
    start=start,
    describe=_describe,
    precedence=30,
)

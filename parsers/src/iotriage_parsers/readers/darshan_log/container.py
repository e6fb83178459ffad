"""The container of a Darshan 3.x log: header, region map, and where each region really ends.

Layout: darshan-log-format.h of Darshan 3.0 to 3.5. Every offset and length is checked against the file before a byte
is read; Python's integers cannot wrap.
"""

from __future__ import annotations

import re
import struct
from typing import Final, Literal

from iotriage_parsers.evidence import Problem
from iotriage_parsers.frozen import frozen

ByteOrder = Literal["little", "big"]
Compression = Literal["zlib", "bzip2", "none"]

MAGIC: Final = 6567223
FORMATS: Final = ("3.00", "3.10", "3.20", "3.21", "3.41")
"""The log formats that Darshan 3.0 to 3.5 wrote. Another number is a newer Darshan or a damaged header."""

COMPRESSIONS: Final[tuple[Compression, ...]] = ("zlib", "bzip2", "none")
_VERSION = re.compile(rb"3\.\d\d\0{4}")
_MAGICS: Final = (MAGIC.to_bytes(8, "little"), MAGIC.to_bytes(8, "big"))

MODULES: Final = (
    "NULL",
    "POSIX",
    "MPI-IO",
    "H5F",
    "H5D",
    "PNETCDF_FILE",
    "PNETCDF_VAR",
    "BG/Q",
    "LUSTRE",
    "STDIO",
    "DXT_POSIX",
    "DXT_MPIIO",
    "MDHIM",
    "APXC",
    "APMPI",
    "HEATMAP",
    "DFS",
    "DAOS",
)
"""Module names by index in format 3.41; older formats lack some of them, see `_modules_of`."""


JOB_ROOM_BYTES: Final = 64 * 1024
"""What a job record inflates to at the most."""


@frozen
class Layout:
    """Where the header's fields stand: `flags` is the struct letter of the partial flags."""

    header_bytes: int
    flags_at: int
    flags: str
    map_at: int
    entries: int


_LAYOUT_341: Final = Layout(1328, 24, "Q", 32, 64)
_LAYOUT_OLD: Final = Layout(360, 20, "I", 24, 16)


@frozen
class Entry:
    """A region as the header's map states it: the name table ("names") or a module. Offset and length in bytes."""

    name: str
    offset: int
    length: int
    version: int = 0
    partial: bool = False


@frozen
class Header:
    """`compression` is None where the header's code is none of the three. `modules` are the mapped ones only;
    `flagged_empty` names modules that are flagged partial and have no region."""

    version: str
    byte_order: ByteOrder
    compression: Compression | None
    header_bytes: int
    names: Entry
    modules: tuple[Entry, ...]
    flagged_empty: tuple[str, ...] = ()


@frozen
class Region:
    """What of an entry lies inside the file: bytes `start` to `end`. `problem` says why that is less than the map
    says; then nothing (`start` == `end`) or a part is left."""

    entry: Entry
    start: int
    end: int
    problem: Problem | None = None


def recognises(head: bytes) -> float:
    """1.0 for a version string and the magic number in either byte order; 0.5 where one of the two is damaged."""
    version, magic = _VERSION.fullmatch(head[:8]) is not None, head[8:16] in _MAGICS
    if version and magic:
        return 1.0
    return 0.5 if version or magic else 0.0


def layout_of(version: str) -> Layout:
    return _LAYOUT_341 if version >= "3.41" else _LAYOUT_OLD


def byte_order_of(head: bytes) -> ByteOrder | None:
    """None where the magic number stands in neither byte order."""
    if head[8:16] == _MAGICS[0]:
        return "little"
    return "big" if head[8:16] == _MAGICS[1] else None


def version_of(head: bytes) -> str | None:
    """The format version, "3.41"; None where the first eight bytes are no version string."""
    return head[:4].decode("ascii") if _VERSION.fullmatch(head[:8]) else None


def parse_header(head: bytes, version: str, byte_order: ByteOrder) -> Header:
    """`head` has at least `layout_of(version).header_bytes` bytes."""
    layout, mark = layout_of(version), "<" if byte_order == "little" else ">"
    (flags,) = struct.unpack_from(f"{mark}{layout.flags}", head, layout.flags_at)
    pairs = list(struct.iter_unpack(f"{mark}QQ", head[layout.map_at : layout.map_at + 16 * (1 + layout.entries)]))
    versions = struct.unpack_from(f"{mark}{layout.entries}I", head, layout.map_at + 16 * (1 + layout.entries))
    known = _modules_of(version)
    modules, flagged_empty = [], []
    for index, (offset, length) in enumerate(pairs[1:]):
        name = known[index] if index < len(known) else f"module {index}"
        partial = bool(flags >> index & 1)
        if length:
            modules.append(Entry(name, offset, length, versions[index], partial))
        elif partial:
            flagged_empty.append(name)
    flagged_empty += [f"module {index}" for index in range(layout.entries, flags.bit_length()) if flags >> index & 1]
    code = head[16]
    return Header(
        version=version,
        byte_order=byte_order,
        compression=COMPRESSIONS[code] if code < len(COMPRESSIONS) else None,
        header_bytes=layout.header_bytes,
        names=Entry("names", *pairs[0]),
        modules=tuple(modules),
        flagged_empty=tuple(flagged_empty),
    )


def _modules_of(version: str) -> tuple[str, ...]:
    if version >= "3.41":
        return MODULES
    absent = {"PNETCDF_VAR"} if version >= "3.20" else {"PNETCDF_VAR", "H5D"}
    return tuple(name for name in MODULES if name not in absent)[: _LAYOUT_OLD.entries]


def place(header: Header, file_bytes: int) -> tuple[Region, ...]:
    """The regions of the name table (where it has one) and of every mapped module, in the map's order."""
    entries = ((header.names,) if header.names.length else ()) + header.modules
    starts = sorted(e.offset for e in entries if header.header_bytes <= e.offset < file_bytes)
    return tuple(_place(entry, starts, header.header_bytes, file_bytes) for entry in entries)


def _place(entry: Entry, starts: list[int], header_bytes: int, file_bytes: int) -> Region:
    start, stated_end = entry.offset, entry.offset + entry.length
    where = "name table" if entry.name == "names" else entry.name

    def lost(reason: str, code: Literal["damaged", "truncated"] = "damaged", end: int = start) -> Region:
        return Region(entry, start, end, Problem(code, f"{where}: {reason}", loses_data=True, where=where))

    if start < header_bytes:
        return lost("the header's map points into the header itself, so this region cannot be read.")
    if start >= file_bytes:
        return lost(f"the file is truncated before this region begins (byte {start:,} of {file_bytes:,}).", "truncated")
    if starts.count(start) > 1:
        return lost("the header's map gives another region the same place, so neither is read.")
    following = next((s for s in starts if s > start), None)
    if following is not None and stated_end > following:
        return lost(
            f"the header's map says {entry.length:,} bytes, but the next region begins after {following - start:,}; "
            "only these are read.",
            end=following,
        )
    if stated_end > file_bytes:
        return lost(
            f"the file is truncated inside this region: {file_bytes - start:,} of {entry.length:,} bytes are there.",
            "truncated",
            end=file_bytes,
        )
    return Region(entry, start, stated_end)


def job_end(header: Header, file_bytes: int) -> int:
    """Where the job region ends: at the first mapped region, or at the end of the file."""
    offsets = [e.offset for e in (header.names, *header.modules) if header.header_bytes < e.offset < file_bytes]
    return min(offsets, default=file_bytes)

"""Writes Darshan 3.x logs: any format and module version, either byte order, whole or broken on purpose.

For tests, the sample maker and the bench. A log is a value; `build` turns it into bytes:

    name = "/lustre/out.dat"
    log = Log(
        job=Job(nprocs=4, exe="./sim in.nml", mounts=(("/lustre", "lustre"), ("/", "ext4"))),
        names={record_id(name): name},
        modules=(
            Counters.of("POSIX", {"id": record_id(name), "rank": -1, "POSIX_OPENS": 4, "POSIX_F_WRITE_TIME": 1.5}),
            Lustre((LustreFile(record_id(name), (Stripes(osts=(3, 4)),)),)),
        ),
    )
    Path("x.darshan").write_bytes(build(log))

Layouts follow darshan-log-format.h and the module headers of Darshan 3.0 to 3.5. Nothing here uses the reader.
"""

from __future__ import annotations

import bz2
import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from iotriage_parsers.readers.darshan_log import counters as names_of

MAGIC = 6567223
ByteOrder = Literal["little", "big"]
Compression = Literal["zlib", "bzip2", "none"]

MODULES_341 = (
    "NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO",
    "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS",
)  # fmt: skip
"""Module indices of format 3.41. Before 3.41 there is no PNETCDF_VAR, before 3.20 no H5D either."""

_POSIX_V4 = names_of.POSIX_COUNTERS
_POSIX_V3 = _POSIX_V4[:1] + _POSIX_V4[3:10] + _POSIX_V4[13:]
_STDIO_CALLS = ("POSIX_FOPENS", "POSIX_FREADS", "POSIX_FWRITES", "POSIX_FSEEKS")
_POSIX_F_OLD = names_of.POSIX_F_COUNTERS[:3] + names_of.POSIX_F_COUNTERS[5:]
_MPIIO_F_OLD = names_of.MPIIO_F_COUNTERS[:3] + names_of.MPIIO_F_COUNTERS[5:]
SHAPES: Mapping[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("POSIX", 4): (_POSIX_V4, names_of.POSIX_F_COUNTERS),
    ("POSIX", 3): (_POSIX_V3, names_of.POSIX_F_COUNTERS),
    ("POSIX", 2): (_POSIX_V3, _POSIX_F_OLD),
    ("POSIX", 1): (_POSIX_V3[:6] + _STDIO_CALLS + _POSIX_V3[6:], _POSIX_F_OLD),
    ("MPI-IO", 3): (names_of.MPIIO_COUNTERS, names_of.MPIIO_F_COUNTERS),
    ("MPI-IO", 2): (names_of.MPIIO_COUNTERS, _MPIIO_F_OLD),
    ("MPI-IO", 1): (names_of.MPIIO_COUNTERS, _MPIIO_F_OLD),
    ("STDIO", 2): (names_of.STDIO_COUNTERS, names_of.STDIO_F_COUNTERS),
    ("STDIO", 1): (names_of.STDIO_COUNTERS[:1] + names_of.STDIO_COUNTERS[2:], names_of.STDIO_F_COUNTERS),
}
"""The int64 and float64 counters of each module version, in the order of the record."""

JOB_REGION_BYTES = 4096
METADATA_BYTES = 1024


def record_id(name: str | bytes) -> int:
    """A 64-bit id for a file name. Darshan hashes with Jenkins' function; any stable hash will do for a reader."""
    raw = name if isinstance(name, bytes) else name.encode()
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Job:
    """Times are whole seconds and nanoseconds since the epoch; `mounts` are (path, type) pairs."""

    uid: int = 20417
    start_s: int = 1_760_000_000
    start_ns: int = 0
    end_s: int = 1_760_000_100
    end_ns: int = 0
    nprocs: int = 4
    job_id: int = 4127001
    exe: str | bytes = "./sim input.nml"
    mounts: Sequence[tuple[str | bytes, str | bytes]] = (("/scratch", "lustre"), ("/", "ext4"))
    metadata: Sequence[tuple[str, str]] = (("lib_ver", "3.5.0"), ("h", "romio_no_indep_rw=true;cb_nodes=4"))
    raw: bytes | None = None
    """The whole inflated region instead of the fields above."""

    def encode(self, version: str, order: ByteOrder) -> bytes:
        if self.raw is not None:
            return self.raw
        if version >= "3.41":
            numbers = (self.uid, self.start_s, self.start_ns, self.end_s, self.end_ns, self.nprocs, self.job_id)
        else:
            numbers = (self.uid, self.start_s, self.end_s, self.nprocs, self.job_id)
        lines = "".join(f"{key}={value}\n" for key, value in self.metadata).encode()
        tail = _raw(self.exe) + b"".join(b"\n" + _raw(kind) + b"\t" + _raw(path) for path, kind in self.mounts)
        fixed = struct.pack(f"{_mark(order)}{len(numbers)}q", *numbers) + lines.ljust(METADATA_BYTES, b"\0")
        return fixed + tail + b"\0"


class Module(Protocol):
    """What `build` needs of a module. `streams` is into how many compressed streams its region is cut."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def partial(self) -> bool: ...
    @property
    def streams(self) -> int: ...
    def encode(self, order: ByteOrder) -> bytes: ...


@dataclass(frozen=True, eq=False)
class Counters:
    """POSIX, MPI-IO or STDIO records (any version in `SHAPES`), or other modules of id, rank, int64s, float64s.

    `ints` (n, int64 counters of that version) and `floats` (n, float64 counters).
    """

    name: str
    ids: ArrayLike
    ranks: ArrayLike
    ints: ArrayLike
    floats: ArrayLike
    version: int
    partial: bool = False
    streams: int = 1

    @classmethod
    def of(
        cls,
        name: str,
        *rows: Mapping[str, int | float],
        version: int | None = None,
        partial: bool = False,
        streams: int = 1,
    ) -> Counters:
        """One record a mapping: "id", "rank" and counters by name; what is not named is 0."""
        version = version or max(v for module, v in SHAPES if module == name)
        int_names, float_names = SHAPES[name, version]
        unknown = {key for row in rows for key in row} - {"id", "rank", *int_names, *float_names}
        if unknown:
            raise KeyError(f"{name} version {version} has no {sorted(unknown)}")
        return cls(
            name,
            np.array([row["id"] for row in rows], np.uint64),
            np.array([row.get("rank", -1) for row in rows], np.int64),
            np.array([[row.get(key, 0) for key in int_names] for row in rows], np.int64).reshape(-1, len(int_names)),
            np.array([[row.get(key, 0.0) for key in float_names] for row in rows], np.float64).reshape(
                -1, len(float_names)
            ),
            version,
            partial,
            streams,
        )

    def encode(self, order: ByteOrder) -> bytes:
        ids, ranks = np.asarray(self.ids, np.uint64), np.asarray(self.ranks, np.int64)
        ints, floats = np.asarray(self.ints, np.int64), np.asarray(self.floats, np.float64)
        mark = _mark(order)
        rows = np.zeros(
            len(ids),
            [
                ("id", f"{mark}u8"),
                ("rank", f"{mark}i8"),
                ("ints", f"{mark}i8", (ints.shape[1],)),
                ("floats", f"{mark}f8", (floats.shape[1],)),
            ],
        )
        rows["id"], rows["rank"], rows["ints"], rows["floats"] = ids, ranks, ints, floats
        return rows.tobytes()


@dataclass(frozen=True)
class Stripes:
    """One component of a Lustre layout. `count` stands in the record instead of len(osts) where it is given."""

    size: int = 1 << 20
    osts: Sequence[int] = (0,)
    pattern: int = 1
    flags: int = 0
    start: int = 0
    end: int = -1
    mirror: int = 0
    pool: str = ""
    count: int | None = None


@dataclass(frozen=True)
class LustreFile:
    id: int
    components: Sequence[Stripes] = (Stripes(),)
    rank: int = -1
    osts_in_fs: int = 96
    mdts_in_fs: int = 4
    """The last two stand in version 1 only; `declared_stripes` and `declared_components` replace the true counts."""
    declared_components: int | None = None
    declared_stripes: int | None = None


@dataclass(frozen=True)
class Lustre:
    """Version 1 has one component a file and the numbers of OSTs and MDTs of the file system, version 2 neither."""

    files: Sequence[LustreFile]
    version: int = 2
    partial: bool = False
    streams: int = 1
    name: str = field(default="LUSTRE", init=False)

    def encode(self, order: ByteOrder) -> bytes:
        one = self._version_1 if self.version == 1 else self._version_2
        return b"".join(one(file, _mark(order)) for file in self.files)

    @staticmethod
    def _version_1(file: LustreFile, mark: str) -> bytes:
        stripes = file.components[0]
        width = len(stripes.osts) if stripes.count is None else stripes.count
        offset = stripes.osts[0] if stripes.osts else -1
        head = struct.pack(
            f"{mark}Q6q", file.id, file.rank, file.osts_in_fs, file.mdts_in_fs, offset, stripes.size, width
        )
        return head + struct.pack(f"{mark}{len(stripes.osts)}q", *stripes.osts)

    @staticmethod
    def _version_2(file: LustreFile, mark: str) -> bytes:
        osts = [ost for part in file.components for ost in part.osts]
        components = len(file.components) if file.declared_components is None else file.declared_components
        stripes = len(osts) if file.declared_stripes is None else file.declared_stripes
        head = struct.pack(f"{mark}Q3q", file.id, file.rank, components, stripes)
        parts = b"".join(
            struct.pack(
                f"{mark}7q16s",
                part.size,
                len(part.osts) if part.count is None else part.count,
                part.pattern,
                part.flags,
                part.start,
                part.end,
                part.mirror,
                part.pool.encode(),
            )
            for part in file.components
        )
        return head + parts + struct.pack(f"{mark}{len(osts)}q", *osts)


@dataclass(frozen=True)
class HeatmapRow:
    """One rank at one layer. Give `id` the id of the name "heatmap:POSIX" (or MPIIO, STDIO) in the log's names."""

    id: int
    rank: int
    bin_width_s: float
    written: Sequence[int]
    read: Sequence[int]
    declared_bins: int | None = None


@dataclass(frozen=True)
class HeatmapRows:
    rows: Sequence[HeatmapRow]
    version: int = 1
    partial: bool = False
    streams: int = 1
    name: str = field(default="HEATMAP", init=False)

    def encode(self, order: ByteOrder) -> bytes:
        mark, parts = _mark(order), []
        for row in self.rows:
            bins = len(row.written) if row.declared_bins is None else row.declared_bins
            parts.append(struct.pack(f"{mark}Qqdq16x", row.id, row.rank, row.bin_width_s, bins))
            parts.append(np.asarray([*row.written, *row.read], f"{mark}i8").tobytes())
        return b"".join(parts)


@dataclass(frozen=True)
class DxtFile:
    """The trace of one rank on one file. A segment is (offset, length, start s, end s) or, in 40-byte segments,
    (offset, length, start s, end s, thread id)."""

    id: int
    rank: int
    writes: Sequence[tuple[float, ...]] = ()
    reads: Sequence[tuple[float, ...]] = ()
    hostname: str = "nid001040"
    shared: int = 0
    declared_writes: int | None = None
    declared_reads: int | None = None


@dataclass(frozen=True)
class Dxt:
    """`name` is "DXT_POSIX" (40-byte segments from version 2) or "DXT_MPIIO" (from version 3)."""

    name: Literal["DXT_POSIX", "DXT_MPIIO"]
    files: Sequence[DxtFile]
    version: int = 1
    partial: bool = False
    streams: int = 1

    def encode(self, order: ByteOrder) -> bytes:
        mark, parts = _mark(order), []
        wide = self.version >= (2 if self.name == "DXT_POSIX" else 3)
        for file in self.files:
            writes = len(file.writes) if file.declared_writes is None else file.declared_writes
            reads = len(file.reads) if file.declared_reads is None else file.declared_reads
            parts.append(
                struct.pack(f"{mark}Qqq64sqq", file.id, file.rank, file.shared, file.hostname.encode(), writes, reads)
            )
            for segment in (*file.writes, *file.reads):
                offset, length, start, end = segment[:4]
                parts.append(struct.pack(f"{mark}qqdd", int(offset), int(length), start, end))
                if wide:
                    parts.append(struct.pack(f"{mark}Q", int(segment[4]) if len(segment) > 4 else 0))
        return b"".join(parts)


@dataclass(frozen=True)
class Raw:
    """Any bytes under any module; `payload` is inflated bytes in the log's own byte order."""

    name: str
    version: int
    payload: bytes
    partial: bool = False
    streams: int = 1

    def encode(self, order: ByteOrder) -> bytes:
        return self.payload


@dataclass(frozen=True)
class Log:
    """`names` maps record ids to file names, or is the inflated name region itself as bytes."""

    job: Job = Job()
    names: Mapping[int, str | bytes] | bytes = field(default_factory=dict)
    modules: Sequence[Module] = ()
    version: str = "3.41"
    byte_order: ByteOrder = "little"
    compression: Compression = "zlib"
    name_streams: int = 1
    level: int = 6


def build(log: Log) -> bytes:
    """The bytes of the log."""
    order, mark = log.byte_order, _mark(log.byte_order)
    layout = Layout.of(log.version)
    header = bytearray(layout.header_bytes)
    struct.pack_into(f"{mark}8sqB", header, 0, log.version.encode(), MAGIC, _COMPRESSION_CODES[log.compression])
    out = [bytes(header)]
    position = layout.header_bytes

    def append(raw: bytes, streams: int) -> tuple[int, int]:
        nonlocal position
        packed = _pack(raw, streams, log.compression, log.level) if raw else b""
        out.append(packed)
        start, position = position, position + len(packed)
        return start, len(packed)

    job = log.job.encode(log.version, order)
    append(job.ljust(JOB_REGION_BYTES, b"\0") if log.job.raw is None else job, 1)
    flags = 0
    maps = {"names": append(_names(log), log.name_streams)}
    for module in sorted(log.modules, key=lambda m: layout.modules.index(m.name)):
        maps[module.name] = append(module.encode(order), module.streams)
        index = layout.modules.index(module.name)
        flags |= int(module.partial) << index
        struct.pack_into(f"{mark}I", header, layout.version_at(module.name), module.version)
    struct.pack_into(f"{mark}{layout.flags_format}", header, layout.flags_offset, flags)
    for name, (start, length) in maps.items():
        struct.pack_into(f"{mark}2Q", header, layout.map_at(name), start, length)
    out[0] = bytes(header)
    return b"".join(out)


@dataclass(frozen=True)
class Layout:
    """Where the header fields of a log format stand, for building logs and for breaking them."""

    header_bytes: int
    flags_offset: int
    flags_format: str
    name_map_offset: int
    entries: int
    modules: tuple[str, ...]

    @classmethod
    def of(cls, version: str) -> Layout:
        if version >= "3.41":
            return cls(1328, 24, "Q", 32, 64, MODULES_341)
        absent = {"PNETCDF_VAR"} if version >= "3.20" else {"PNETCDF_VAR", "H5D"}
        return cls(360, 20, "I", 24, 16, tuple(m for m in MODULES_341 if m not in absent))

    def map_at(self, name: str) -> int:
        """The offset of the {offset u64, length u64} of a module, or of "names"."""
        return self.name_map_offset + (0 if name == "names" else 16 * (1 + self.modules.index(name)))

    def version_at(self, name: str) -> int:
        return self.name_map_offset + 16 * (1 + self.entries) + 4 * self.modules.index(name)


def region(data: bytes, name: str) -> tuple[int, int]:
    """Offset and length of "names" or a module in a built log."""
    version = data[:8].rstrip(b"\0").decode()
    mark = "<" if struct.unpack_from("<q", data, 8)[0] == MAGIC else ">"
    start, length = struct.unpack_from(f"{mark}2Q", data, Layout.of(version).map_at(name))
    return start, length


def with_region(data: bytes, name: str, start: int, length: int) -> bytes:
    """The log with another offset and length in its map: a lie about where "names" or a module stands."""
    version = data[:8].rstrip(b"\0").decode()
    mark = "<" if struct.unpack_from("<q", data, 8)[0] == MAGIC else ">"
    out = bytearray(data)
    struct.pack_into(f"{mark}2Q", out, Layout.of(version).map_at(name), start, length)
    return bytes(out)


def with_flipped_bit(data: bytes, position: int, bit: int = 0) -> bytes:
    out = bytearray(data)
    out[position] ^= 1 << bit
    return bytes(out)


def with_job(log: Log, **changes: object) -> Log:
    """The log with some fields of its job changed."""
    return replace(log, job=replace(log.job, **changes))  # type: ignore[arg-type]


_COMPRESSION_CODES: Mapping[Compression, int] = {"zlib": 0, "bzip2": 1, "none": 2}


def _mark(order: ByteOrder) -> str:
    return "<" if order == "little" else ">"


def _raw(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _names(log: Log) -> bytes:
    if isinstance(log.names, bytes):
        return log.names
    mark, parts = _mark(log.byte_order), []
    for key, name in log.names.items():
        raw = _raw(name)
        if log.version == "3.00":
            parts.append(struct.pack(f"{mark}QI", key, len(raw)) + raw)
        else:
            parts.append(struct.pack(f"{mark}Q", key) + raw + b"\0")
    return b"".join(parts)


def _pack(raw: bytes, streams: int, compression: Compression, level: int) -> bytes:
    size = max(1, -(-len(raw) // streams))
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    if compression == "zlib":
        return b"".join(zlib.compress(piece, level) for piece in pieces)
    return b"".join(bz2.compress(piece) if compression == "bzip2" else piece for piece in pieces)

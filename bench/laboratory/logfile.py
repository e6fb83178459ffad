"""Darshan logs of format 3.41, from the headers darshan-log-format.h and darshan-*-log-format.h of Darshan 3.5.

The names of the counters and their order are libdarshan-util's own, asked of pydarshan.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from darshan.backend.cffi_backend import counter_names, fcounter_names

from .calls import Ints
from .counters import Records
from .programs import File, Program

MAGIC = 6567223
HEADER_BYTES, ENTRIES = 1328, 64
MODULES = {"POSIX": (1, 4), "MPI-IO": (2, 3), "H5F": (3, 3), "LUSTRE": (8, 2), "STDIO": (9, 2), "HEATMAP": (15, 1)}
"""Index and version of each module."""
BEGAN_S = 1_760_000_000
HOME_MOUNT, WORK_MOUNT = "/home", "/lustre"


@dataclass(frozen=True)
class Heat:
    """One rank at one layer: bytes in each bin."""

    layer: str
    rank: int
    bin_s: float
    written: Ints
    read: Ints


@dataclass(frozen=True)
class Job:
    nprocs: int
    wall_s: float
    exe: str
    job_id: int
    mounts: Sequence[tuple[str, str]]


def record_id(path: str) -> int:
    """A 64-bit id; Darshan's own is another hash, and no reader computes it again."""
    return int.from_bytes(blake2b(path.encode(), digest_size=8).digest(), "little")


def encoded(job: Job, paths: Sequence[str], modules: dict[str, bytes]) -> bytes:
    """The bytes of a log with these regions, as inflated."""
    header = bytearray(HEADER_BYTES)
    struct.pack_into("<8sqB", header, 0, b"3.41", MAGIC, 0)
    body = [zlib.compress(_job_region(job), 6)]
    names = b"".join(struct.pack("<Q", record_id(path)) + path.encode() + b"\0" for path in paths)
    at = HEADER_BYTES + len(body[0])
    regions = [(0, None, names)] + [
        (1 + index, version, modules[name]) for name, (index, version) in MODULES.items() if name in modules
    ]
    for entry, version, raw in regions:
        packed = zlib.compress(raw, 6)
        struct.pack_into("<2Q", header, 32 + 16 * entry, at, len(packed))
        if version is not None:
            struct.pack_into("<I", header, 32 + 16 * (1 + ENTRIES) + 4 * (entry - 1), version)
        body.append(packed)
        at += len(packed)
    return bytes(header) + b"".join(body)


def _job_region(job: Job) -> bytes:
    whole = int(job.wall_s)
    fixed = struct.pack(
        "<7q", 20417, BEGAN_S, 0, BEGAN_S + whole, int((job.wall_s - whole) * 1e9), job.nprocs, job.job_id
    )
    metadata = b"lib_ver=3.5.0\nh=romio_no_indep_rw=true;cb_nodes=4\n".ljust(1024, b"\0")
    mounts = "".join(f"\n{kind}\t{path}" for path, kind in job.mounts)
    return (fixed + metadata + (job.exe + mounts).encode() + b"\0").ljust(4096, b"\0")


def counters(records: Records, files: Sequence[File]) -> bytes:
    """Records of POSIX, MPI-IO, STDIO or H5F; a counter that the laboratory does not know is 0."""
    int_names, float_names = counter_names(records.module), fcounter_names(records.module)
    unknown = (set(records.ints) | set(records.floats)) - set(int_names) - set(float_names)
    if unknown:
        raise KeyError(f"{records.module} has no {sorted(unknown)}")
    rows = np.zeros(
        len(records),
        [("id", "<u8"), ("rank", "<i8"), ("ints", "<i8", (len(int_names),)), ("floats", "<f8", (len(float_names),))],
    )
    rows["id"] = np.array([record_id(file.path) for file in files], np.uint64)[records.file]
    rows["rank"] = records.rank
    for index, name in enumerate(int_names):
        rows["ints"][:, index] = records.ints.get(name, 0)
    for index, name in enumerate(float_names):
        rows["floats"][:, index] = records.floats.get(name, 0.0)
    return rows.tobytes()


def layouts(program: Program, files: Ints) -> bytes:
    """A record of module LUSTRE for each of the files: one component, its stripes and their OSTs."""
    parts: list[bytes] = []
    for index in files:
        file = program.files[int(index)]
        osts = (file.first_ost + np.arange(file.stripes)) % program.systems[file.system].osts
        parts.append(struct.pack("<Q3q", record_id(file.path), -1, 1, file.stripes))
        parts.append(struct.pack("<7q16s", file.stripe_size, file.stripes, 1, 0, 0, -1, 0, b""))
        parts.append(osts.astype("<i8").tobytes())
    return b"".join(parts)


def heatmap(rows: Sequence[Heat]) -> bytes:
    parts: list[bytes] = []
    for row in rows:
        parts.append(struct.pack("<Qqdq16x", record_id(f"heatmap:{row.layer}"), row.rank, row.bin_s, len(row.written)))
        parts.append(np.r_[row.written, row.read].astype("<i8").tobytes())
    return b"".join(parts)

"""DXT records: one rank on one file, a head with counts and a host name, then that many write and read segments."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import SEGMENT, DxtTrace, Problem
from iotriage_parsers.evidence.darshan import NOT_AVAILABLE
from iotriage_parsers.evidence.dxt import LAYER_OF_MODULE
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.damaged import damaged
from iotriage_parsers.readers.darshan_log.values import Run, untrue_calls

VERSIONS: Final[Mapping[str, tuple[int, ...]]] = {"DXT_POSIX": (1, 2), "DXT_MPIIO": (1, 2, 3)}

SHORTEST_SEGMENT_BYTES: Final = 32
_WIDE_FROM: Final[Mapping[str, int]] = {"DXT_POSIX": 2, "DXT_MPIIO": 3}
"""Versions from which a segment ends with the id of its POSIX thread."""

_HOST_BYTES: Final = 64


@frozen
class _Head:
    """One record: its segments, writes before reads, begin at byte `first` of the region."""

    record: int
    rank: int
    host: bytes
    writes: int
    reads: int
    first: int


@frozen
class DxtRead:
    """`trace` is None where no record could be read; `records` counts those that were."""

    trace: DxtTrace | None
    records: int
    problems: tuple[Problem, ...]


def read_dxt(
    module: str,
    data: bytes,
    version: int,
    byte_order: ByteOrder,
    names: Mapping[int, str],
    run: Run,
    *,
    partial: bool,
    cut: bool,
    most: int,
) -> DxtRead:
    """The trace of one layer. `cut` says that the region ended early: then the last record keeps the segments that are
    there. At most `most` segments are read."""
    mark = "<" if byte_order == "little" else ">"
    fields = [("offset", f"{mark}i8"), ("length", f"{mark}i8"), ("start", f"{mark}f8"), ("end", f"{mark}f8")]
    wide = version >= _WIDE_FROM[module]
    stored = np.dtype([*fields, ("thread", f"{mark}u8")] if wide else fields)
    heads, problems = _walk(module, data, mark, stored.itemsize, run.nprocs, cut, most)
    if not heads:
        return DxtRead(None, 0, problems)
    segments = _segments(heads, data, stored)
    if module == "DXT_MPIIO" and version == 1:
        # Darshan before 3.2 wrote no usable offset here; libdarshan-util gives −1 too.
        segments["offset"] = NOT_AVAILABLE
    segments, complaints = _without_untrue(module, segments, run)
    problems = (*problems, *complaints)
    segments.flags.writeable = False
    trace = DxtTrace(
        layer=LAYER_OF_MODULE[module],
        segments=segments,
        hostnames={head.rank: head.host.split(b"\0", 1)[0].decode("utf-8", "backslashreplace") for head in heads},
        names={head.record: names[head.record] for head in heads if head.record in names},
        partial=partial or cut or any(problem.loses_data for problem in problems),
    )
    return DxtRead(trace, len(heads), problems)


def _walk(
    module: str, data: bytes, mark: str, segment_bytes: int, nprocs: int | None, cut: bool, most: int
) -> tuple[list[_Head], tuple[Problem, ...]]:
    head = struct.Struct(f"{mark}Qqq{_HOST_BYTES}sqq")
    heads: list[_Head] = []
    problems: list[Problem] = []
    position = impossible = 0
    while position + head.size <= len(data):
        record, rank, _, host, writes, reads = head.unpack_from(data, position)
        first = position + head.size
        end = first + segment_bytes * (writes + reads)
        if writes < 0 or reads < 0 or (end > len(data) and not cut):
            problems.append(
                damaged(
                    module,
                    f"the record at byte {position} claims {writes} writes and {reads} reads, which do not fit its "
                    f"region of {len(data)} bytes; it and what follows are left out.",
                )
            )
            break
        if rank < 0 or (nprocs is not None and rank >= nprocs):
            impossible += 1
        else:
            stored = min(writes + reads, (len(data) - first) // segment_bytes)
            room = min(stored, most)
            heads.append(_Head(record, rank, host, min(writes, room), max(0, room - writes), first))
            most -= room
            if room < stored:
                problems.append(
                    Problem("limit", f"{module}: has more segments than are allowed.", loses_data=True, where=module)
                )
                break
        position = end
    else:
        if position < len(data) and not cut:
            rest = len(data) - position
            problems.append(damaged(module, f"the last {rest} bytes of the region are not a whole record."))
    if impossible:
        problems.append(damaged(module, f"{impossible} records name a rank that the job cannot have; left out."))
    return heads, tuple(problems)


def _segments(heads: list[_Head], data: bytes, stored: np.dtype[np.void]) -> NDArray[np.void]:
    view, size = memoryview(data), stored.itemsize
    # Joined as bytes: np.concatenate would promote the structured type anew for every record.
    joined = b"".join(view[head.first : head.first + size * (head.writes + head.reads)] for head in heads)
    read = np.frombuffer(joined, stored)
    segments = np.zeros(len(read), SEGMENT)
    counts = np.array([(head.writes, head.reads) for head in heads], np.int64)
    per_head = counts.sum(axis=1)
    segments["record"] = np.repeat(np.array([head.record for head in heads], np.uint64), per_head)
    segments["rank"] = np.repeat(np.array([head.rank for head in heads], np.int64), per_head)
    segments["write"] = np.repeat(np.tile([True, False], len(heads)), counts.ravel())
    for name in stored.names or ():
        segments[name] = read[name]
    return segments


def _without_untrue(module: str, segments: NDArray[np.void], run: Run) -> tuple[NDArray[np.void], tuple[Problem, ...]]:
    """Drops segments whose offset or time is impossible."""
    problems = []
    keep = np.ones(len(segments), np.bool_)
    for bad, why in untrue_calls(segments, run):
        first = segments[bad][0]
        where = f"first: record {first['record']}, rank {first['rank']}"
        problems.append(damaged(module, f"{int(bad.sum())} segments have {why} ({where}); left out."))
        keep &= ~bad
    return (segments[keep], tuple(problems)) if problems else (segments, ())

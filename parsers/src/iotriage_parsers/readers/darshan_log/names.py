"""The name table: record ids to file names."""

from __future__ import annotations

import operator
import struct

import numpy as np

from iotriage_parsers.evidence import Problem
from iotriage_parsers.readers.darshan_log.container import ByteOrder

LONGEST_NAME_BYTES = 64 * 1024
"""Longer names are cut. Paths in Linux have at most 4,096 bytes."""

_WHERE = "name table"


def read_names(data: bytes, byte_order: ByteOrder, format_version: str) -> tuple[dict[int, str], tuple[Problem, ...]]:
    """A byte that is not UTF-8 stands as \\xNN."""
    if format_version == "3.00":
        ids, starts, ends, rest = _entries_by_length(data, byte_order)
    else:
        ids, starts, ends, rest = _entries_by_nul(data, byte_order)
    problems = []
    longest = max(map(operator.sub, ends, starts), default=0)
    if longest > LONGEST_NAME_BYTES:
        ends = [min(end, start + LONGEST_NAME_BYTES) for start, end in zip(starts, ends, strict=True)]
    names = {
        key: data[start:end].decode("utf-8", "backslashreplace")
        for key, start, end in zip(ids, starts, ends, strict=True)
    }
    if longest > LONGEST_NAME_BYTES:
        problems.append(
            Problem(
                "line-too-long",
                f"A file name of {longest} bytes was cut to {LONGEST_NAME_BYTES}; its counters are whole.",
                where=_WHERE,
            )
        )
    if rest:
        problems.append(
            Problem(
                "damaged",
                f"The name table breaks off within an entry, after {rest} B of it; the names before it were read.",
                loses_data=True,
                where=_WHERE,
            )
        )
    if "" in names.values():
        problems.append(Problem("note", "The name table has an empty file name.", where=_WHERE))
    return names, tuple(problems)


_Entries = tuple[list[int], list[int], list[int], int]
"""The ids, where each name begins and ends, and how many bytes behind the last entry are left."""


def _entries_by_nul(data: bytes, byte_order: ByteOrder) -> _Entries:
    """Entries of id u64 and NUL-terminated bytes. An id may hold NULs, so the end of a name is the first NUL at
    least eight bytes behind its entry's start; the successor of every NUL is found for all at once."""
    raw = np.frombuffer(data, np.uint8)
    nuls = np.flatnonzero(raw == 0)
    if len(nuls) == 0:
        return [], [], [], len(data)
    follows = np.searchsorted(nuls, nuls + 9).tolist()
    at = int(np.searchsorted(nuls, 8))
    chain = []
    while at < len(nuls):
        chain.append(at)
        at = follows[at]
    ends = nuls[chain]
    starts = np.concatenate(([0], ends[:-1] + 1)) if chain else ends
    ids = raw[starts[:, None] + np.arange(8)] if chain else np.empty((0, 8), np.uint8)
    mark = "<" if byte_order == "little" else ">"
    keys = np.ascontiguousarray(ids).view(f"{mark}u8").ravel().tolist()
    rest = len(data) - (int(ends[-1]) + 1 if chain else 0)
    return keys, (starts + 8).tolist(), ends.tolist(), rest


def _entries_by_length(data: bytes, byte_order: ByteOrder) -> _Entries:
    """Entries of format 3.00: id u64, length u32, bytes."""
    head = struct.Struct("<QI" if byte_order == "little" else ">QI")
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    while position + head.size <= len(data):
        key, length = head.unpack_from(data, position)
        start = position + head.size
        if start + length > len(data):
            break
        ids.append(key)
        starts.append(start)
        ends.append(start + length)
        position = start + length
    return ids, starts, ends, len(data) - position

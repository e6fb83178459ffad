"""Mutants of Darshan logs: regions are inflated, changed and deflated again with the right lengths and checksums, or
the header or the bytes of the file are damaged. And a second decoder, which shares nothing with the reader.
"""

from __future__ import annotations

import bz2
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

Kind = Literal["values", "lengths", "header", "bytes"]

_LAYOUTS: Final = {True: (1328, "Q", 24, 32, 64), False: (360, "I", 20, 24, 16)}
_COUNTS: Final = (-1, -2, -7, 0, 1, 2, 5, 2**31 - 1, 2**31, 2**32, 2**53, 2**60, 2**60 + 1, 2**62, 2**63 - 1, -(2**63))
_FLOATS: Final = (float("nan"), float("inf"), -float("inf"), 1e308, 1e18, 1e9, 5e-324, -0.0, -1.0, -3.5, 1e-12)

RECORDS: Final = {
    # id, version → (int64 counters, float64 counters, words before them, bytes behind them)
    (1, 4): (69, 17, 2, 0),
    (1, 3): (64, 17, 2, 0),
    (2, 3): (51, 17, 2, 0),
    (9, 2): (14, 15, 2, 0),
    (3, 3): (3, 5, 2, 0),
    (4, 2): (94, 17, 3, 0),
}
"""Modules of format 3.41 whose records are counters alone, by their place in the header's map."""

READ: Final = frozenset(range(1, 18)) - {12}
"""The places in the map of format 3.41 that have a reader."""


@dataclass(frozen=True, slots=True)
class Region:
    """A region inflated; `place` is −1 for the name table, else that in the map."""

    place: int
    version: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Apart:
    """A log taken apart: its header as it stands, the job region, and the others in the order of the file."""

    header: bytes
    wide: bool
    order: Literal["little", "big"]
    code: int
    job: bytes
    regions: tuple[Region, ...]

    @property
    def mark(self) -> str:
        return "<" if self.order == "little" else ">"


class UnsoundError(Exception):
    """The second decoder cannot follow the log, or finds something that cannot be."""


def apart(data: bytes) -> Apart:
    """The log's parts. UnsoundError where a byte belongs to none of them, or a checksum fails."""
    if len(data) < 16 or not (data[:2] == b"3." and data[4:8] == b"\0\0\0\0"):
        raise UnsoundError("version")
    order: Literal["little", "big"] = "little" if data[8:16] == (6567223).to_bytes(8, "little") else "big"
    if order == "big" and data[8:16] != (6567223).to_bytes(8, "big"):
        raise UnsoundError("magic")
    wide = data[:4] == b"3.41"
    mark = "<" if order == "little" else ">"
    size, letter, flags_at, at, count = _LAYOUTS[wide]
    if len(data) < size or data[16] not in (0, 1):
        raise UnsoundError("header")
    (flags,) = struct.unpack_from(mark + letter, data, flags_at)
    pairs = list(struct.iter_unpack(mark + "QQ", data[at : at + 16 * (count + 1)]))
    versions = struct.unpack_from(f"{mark}{count}I", data, at + 16 * (count + 1))
    mapped = sorted((o, n, i - 1) for i, (o, n) in enumerate(pairs) if n)
    reached = mapped[0][0] if mapped else len(data)
    job = _inflated(data[size:reached], data[16])
    regions = []
    for offset, length, place in mapped:
        if offset != reached or offset + length > len(data):
            raise UnsoundError("regions do not follow one another")
        reached = offset + length
        version = versions[place] if place >= 0 else 0
        regions.append(Region(place, version, _inflated(data[offset:reached], data[16])))
    if reached != len(data) or flags:
        raise UnsoundError("bytes behind the last region, or partial flags")
    return Apart(data[:size], wide, order, data[16], job, tuple(regions))


def _inflated(packed: bytes, code: int) -> bytes:
    found = b""
    try:
        while packed:
            stream = zlib.decompressobj() if code == 0 else bz2.BZ2Decompressor()
            found += stream.decompress(packed)
            if not stream.eof or len(found) > 2**28:
                raise UnsoundError("a stream is cut")
            packed = stream.unused_data
    except (zlib.error, OSError, ValueError, EOFError) as error:
        raise UnsoundError(str(error)) from error
    return found


def together(log: Apart, *, level: int = 1) -> bytes:
    """The log again, with the lengths, places and checksums that its parts have now."""

    def packed(data: bytes) -> bytes:
        return zlib.compress(data, level) if log.code == 0 else bz2.compress(data, 1)

    size, _, _, at, count = _LAYOUTS[log.wide]
    header = bytearray(log.header)
    header[at : at + 16 * (count + 1)] = bytes(16 * (count + 1))
    body = packed(log.job)
    for region in log.regions:
        piece = packed(region.data)
        struct.pack_into(log.mark + "QQ", header, at + 16 * (region.place + 1), size + len(body), len(piece))
        if region.place >= 0:
            struct.pack_into(log.mark + "I", header, at + 16 * (count + 1) + 4 * region.place, region.version)
        body += piece
    return bytes(header) + body


def sound(data: bytes) -> dict[int, int]:
    """What the second decoder counts of a log in which it finds nothing wrong: records by place in the map. It knows
    format 3.41 alone to the last value; UnsoundError says what is wrong."""
    log = apart(data)
    if not log.wide:
        return {}
    numbers = struct.unpack_from(f"{log.mark}7q", log.job) if len(log.job) >= 56 + 1024 else None
    if numbers is None or not 0 < numbers[5] < 2**31:
        raise UnsoundError("job record")
    if numbers[1] > numbers[3] != 0 or not (0 <= numbers[2] < 10**9 and 0 <= numbers[4] < 10**9):
        raise UnsoundError("times of the job")
    seconds = numbers[3] - numbers[1] + (numbers[4] - numbers[2]) / 1e9 if numbers[3] else float("inf")
    found = {}
    for region in log.regions:
        if region.place >= 0 and region.place not in READ:
            raise UnsoundError(f"module {region.place}")
        shape = RECORDS.get((region.place, region.version))
        if shape is not None:
            found[region.place] = _records(region, shape, log.mark, numbers[5], seconds)
    return found


def _records(region: Region, shape: tuple[int, int, int, int], mark: str, nprocs: int, seconds: float) -> int:
    ints, floats, before, behind = shape
    length = 8 * (before + ints + floats) + behind
    if len(region.data) % length:
        raise UnsoundError("half a record")
    words = np.frombuffer(region.data, np.dtype((np.void, length)))
    whole = np.frombuffer(words.tobytes(), f"{mark}i8").reshape(len(words), length // 8)
    ranks, counters = whole[:, 1], whole[:, before : before + ints].astype(np.int64)
    if region.place == 1 and ints == 69:
        # A record id, and the sum of marks for not available.
        counters[:, 12] = 0
        counters[(ranks == -1) & (counters[:, 7] >= -nprocs), 7] = 0
    times = np.frombuffer(words.tobytes(), f"{mark}f8").reshape(len(words), length // 8)[:, before + ints :]
    if len(words) and (ranks.min() < -1 or ranks.max() >= nprocs):
        raise UnsoundError("a rank that is not the job's")
    if counters.size and (counters.min() < -1 or counters.max() > 2**60):
        raise UnsoundError("a counter that cannot be")
    if times.size and not (np.isfinite(times).all() and ((times >= 0) | (times == -1)).all()):
        raise UnsoundError("a time that cannot be")
    if region.place in (1, 2, 9) and times.size:
        moments = times[:, :8] if region.place != 9 else times[:, 3:11]
        if moments.max() > 1.02 * seconds + 11:
            raise UnsoundError("a time after the end")
    return len(words)


def mutant(data: bytes, chance: random.Random) -> tuple[bytes, Kind]:
    """A log that differs from the sound log `data`, and in what."""
    kind: Kind = chance.choice(("values", "values", "values", "lengths", "header", "bytes"))
    if kind == "bytes":
        return _bytes(data, chance), kind
    log = apart(data)
    if kind == "header":
        return _header(data, log, chance), kind
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        change = _value if kind == "values" else _length
        at = chance.randrange(-1, len(log.regions))
        if at < 0:
            log = replace(log, job=change(log.job, log, chance, 56))
        else:
            regions = list(log.regions)
            regions[at] = replace(regions[at], data=change(regions[at].data, log, chance, 1 << 62))
            log = replace(log, regions=tuple(regions))
    return together(log), kind


def _value(data: bytes, log: Apart, chance: random.Random, first: int) -> bytes:
    """One number changed in `data`, most often within its first bytes, where heads stand."""
    if len(data) < 16:
        return data
    changed = bytearray(data)
    reach = min(len(data), first, chance.choice((64, 1024, len(data))))
    at = 8 * chance.randrange(max(1, reach // 8))
    at = min(at, len(data) - 8)
    way = chance.randrange(5)
    if way == 0:
        struct.pack_into(log.mark + "q", changed, at, chance.choice(_COUNTS))
    elif way == 1:
        struct.pack_into(log.mark + "d", changed, at, chance.choice(_FLOATS))
    elif way == 2:
        changed[at + chance.randrange(8)] ^= 1 << chance.randrange(8)
    elif way == 3:
        (word,) = struct.unpack_from(log.mark + "q", changed, at)
        near = max(-(2**63), min(2**63 - 1, word + chance.choice((-1, 1, -1000, 10**6, word, -2 * word))))
        struct.pack_into(log.mark + "q", changed, at, near)
    else:
        other = 8 * chance.randrange(max(1, len(data) // 8 - 1))
        changed[at : at + 8] = data[other : other + 8]
    return bytes(changed)


def _length(data: bytes, log: Apart, chance: random.Random, first: int) -> bytes:
    """`data` longer or shorter: cut, a piece taken out, doubled, or repeated."""
    start = chance.randrange(len(data) + 1)
    piece = data[start : start + chance.choice((1, 8, 16, 100, 704, 560, 248))]
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:start],
        lambda: data[:start] + data[start + len(piece) :],
        lambda: data[:start] + piece + data[start:],
        lambda: data + piece * chance.choice((1, 2, 50, 1000)),
        lambda: b"",
        lambda: data + bytes(chance.choice((1, 8, 4096, 2**20))),
    )
    return chance.choice(ways)()


def _header(data: bytes, log: Apart, chance: random.Random) -> bytes:
    """A module under another id or version, or a field of the header changed."""
    size, letter, flags_at, at, count = _LAYOUTS[log.wide]
    way = chance.randrange(5)
    modules = [i for i, region in enumerate(log.regions) if region.place >= 0]
    if way < 2 and modules:
        regions = list(log.regions)
        which = chance.choice(modules)
        if way == 0:
            free = [p for p in range(count) if p not in {r.place for r in regions}]
            regions[which] = replace(regions[which], place=chance.choice(free))
        else:
            regions[which] = replace(regions[which], version=chance.choice((0, 1, 2, 3, 4, 5, 9, 2**31)))
        return together(replace(log, regions=tuple(regions)))
    changed = bytearray(data)
    if way == 2:
        struct.pack_into(log.mark + letter, changed, flags_at, 1 << chance.randrange(8 * struct.calcsize(letter)))
    elif way == 3:
        place = at + 8 * chance.randrange(2 * (count + 1))
        number = chance.choice((0, 1, size, len(data) - 1, len(data), 2**31, 2**63 + 1, chance.randrange(len(data))))
        struct.pack_into(log.mark + "Q", changed, place, number)
    else:
        changed[chance.randrange(size)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _bytes(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((1, 1, 2, 16, 512)))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:start] + bytes([data[start] ^ (1 << chance.randrange(8))]) + data[start + 1 :],
        lambda: data[:start],
        lambda: data[:start] + data[end:],
        lambda: data[:start] + chance.randbytes(end - start) + data[end:],
        lambda: data[:start] + bytes(end - start) + data[end:],
        lambda: data[:start] + chance.randbytes(end - start) + data[start:],
        lambda: data + chance.randbytes(end - start),
    )
    return chance.choice(ways)()

"""Recognises files around files: those that are inflated here (within bounds), those that a person has to unpack first,
and those that are certainly no log."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, Literal

from iotriage_parsers.evidence import Failure, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits, no_room
from iotriage_parsers.temporary_files import temporary_file

Packing = Literal["gzip", "bzip2", "xz", "zstd"]

_STEP_BYTES: Final = 2**18
_CAREFUL_BYTES: Final = 512
NO_BOMB_BYTES: Final = 64 * 2**20
LARGEST_RATIO: Final = 1000
"""Job output inflates 5 to 100 times, a file of one repeated line some 300 times, a file of one repeated byte 1030
times. Above this, and above 64 MiB, it is a bomb whatever the limit."""

_GZIP: Final = b"\x1f\x8b\x08"
_BZIP2: Final = b"BZh"
_XZ: Final = b"\xfd7zXZ\x00"
_XZ_MEMORY_BYTES: Final = 128 * 2**20
"""`xz -9` needs 65 MiB."""
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_STEP_BYTES: Final = 2**7
"""Compressed bytes decoded in one call: four bytes may stand for 128 KiB, and a call returns all that its input stands
for."""
_BZIP2_BLOCKS: Final = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")

_ARCHIVES: Final = (
    (b"PK\x03\x04", "a zip archive", "unzip"),
    (b"PK\x05\x06", "an empty zip archive", "unzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x"),
    (b"\x1f\x9d", "a compress(1) file", "uncompress"),
    (b"\x78\x9f\x3e\x22", "what Outlook packs attachments in (winmail.dat, TNEF)", "tnef"),
)

_STRANGERS: Final = (
    (b"\x7fELF", "an ELF executable or library"),
    (b"MZ", "a Windows executable"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"CDF\x01", "a netCDF file"),
    (b"CDF\x02", "a netCDF file"),
    (b"CDF\x05", "a netCDF file"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a mail of Outlook, or a document of Office"),
)

WHAT_WE_READ: Final = (
    "Give a Darshan log (*.darshan) or the job's output with the text that MPICH_MPIIO_STATS=1 makes Cray MPICH print."
)


@frozen
class Inflated:
    """The content of a compressed file, at offset 0. `problem` is set where the compressed data ended early or was
    damaged. `suspect` is true where the bytes before that may be wrong too, since a checksum only comes after the data
    that it covers."""

    file: BinaryIO
    problem: Problem | None = None
    suspect: bool = False


def refusal(head: bytes) -> Failure | None:
    """The failure for a file that no reader handles, naming what the file is where that is known."""
    for magic, name, command in _ARCHIVES:
        if head.startswith(magic):
            return Failure("unsupported", name, f"Unpack it first ({command}) and give the files inside.")
    if head[257:262] == b"ustar":
        return Failure("unsupported", "a tar archive", "Unpack it first (tar xf) and give the files inside.")
    for magic, name in _STRANGERS:
        if head.startswith(magic):
            return Failure("unrecognised", f"{name}, not a log that we know", WHAT_WE_READ)
    return None


def packing(head: bytes) -> Packing | None:
    """How the file is compressed, if as a whole and in a form that is inflated here."""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith((_XZ, _ZSTD)):
        return "xz" if head.startswith(_XZ) else "zstd"
    return "bzip2" if head.startswith(_BZIP2) and head[3:4].isdigit() and head[4:10] in _BZIP2_BLOCKS else None


@contextmanager
def inflated(stream: BinaryIO, packing: Packing, limits: Limits) -> Iterator[Inflated | Failure]:
    """The inflated content in a temporary file, which is removed afterwards. Memory stays bounded, whatever the
    input."""
    packed = stream.seek(0, 2)
    stream.seek(0)
    most, room = most_inflated(packed, limits), limits.room_bytes
    with temporary_file() as inside:
        size = 0
        problem: Problem | None = None
        suspect = False
        try:
            for piece in _unpacked(stream, packing):
                size += len(piece)
                limits.spent.inflated_bytes += len(piece)
                if size > min(most, room):
                    yield _too_large(packing, most) if most <= room else no_room(limits)
                    return
                inside.write(piece)
        except (zlib.error, _DamageError) as error:
            if size == 0:
                yield Failure(
                    "damaged", f"the {packing} data is damaged ({error})", "Copy the file again, in binary mode."
                )
                return
            problem, suspect = _problem(packing, error, size)
        inside.seek(0)
        yield Inflated(inside, problem, suspect)


def most_inflated(packed_bytes: int, limits: Limits) -> int:
    """How many bytes may come out of so many packed ones."""
    return min(limits.inflated_bytes, max(NO_BOMB_BYTES, LARGEST_RATIO * packed_bytes))


def first_inflated(stream: BinaryIO, packing: Packing, size: int) -> bytes:
    """The first `size` bytes of what is inside, or those before the damage."""
    stream.seek(0)
    found = b""
    try:
        for piece in _unpacked(stream, packing):
            found += piece
            if len(found) >= size:
                break
    except (zlib.error, _DamageError):
        pass
    return found[:size]


class _DamageError(Exception):
    """The compressed data cannot be decoded any further. The bytes decoded before are right."""


def _problem(packing: Packing, error: Exception, size: int) -> tuple[Problem, bool]:
    """The problem to report for data that stopped after `size` bytes, and whether those may be wrong."""
    if isinstance(error, _DamageError):
        message = f"the {packing} data {error} after {size:,} bytes: read up to there"
        return Problem("truncated", message, loses_data=True), False
    message = (
        f"the {packing} data fails its checksum or cannot be followed after {size:,} bytes: what was read before "
        "may be wrong"
    )
    return Problem("damaged", message, loses_data=True), True


def _too_large(packing: Packing, most: int) -> Failure:
    limit = f"{most // 2**20:,} MiB"
    return Failure(
        "too-large",
        f"the {packing} file inflates past {limit}",
        "Unpack it, keep the blocks (for a text: grep -a -B 40 -A 25 MPIIO FILE), and give what is left.",
    )


def _unpacked(stream: BinaryIO, packing: Packing) -> Iterator[bytes]:
    match packing:
        case "gzip":
            return _gunzipped(stream)
        case "bzip2":
            return _bunzipped(stream)
        case "xz":
            return _unxzed(stream)
        case "zstd":
            return _unzstded(stream)


def _gunzipped(stream: BinaryIO) -> Iterator[bytes]:
    """The data of all members, at most 256 KiB at a time."""
    inflater = zlib.decompressobj(wbits=31)
    pending = b""
    while pending or (pending := stream.read(_STEP_BYTES)):
        if inflater.eof:
            pending = pending.lstrip(b"\0")
            if not pending:
                continue
            # A member's magic number may be parted by the end of a piece.
            pending += stream.read(_STEP_BYTES) if len(pending) < len(_GZIP) else b""
            if not pending.startswith(_GZIP):
                raise _DamageError("is followed by something else")
            inflater = zlib.decompressobj(wbits=31)
        before = inflater.copy()
        try:
            piece = inflater.decompress(pending, _STEP_BYTES)
        except zlib.error:
            yield from _up_to_damage(before, pending)
            raise
        yield piece
        pending = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    while not inflater.eof:
        rest = inflater.decompress(b"", _STEP_BYTES)
        if not rest:
            raise _DamageError("ends early")
        yield rest


def _up_to_damage(inflater: zlib._Decompress, data: bytes, step: int = _CAREFUL_BYTES) -> Iterator[bytes]:
    """What can be decoded of `data` before the damage: zlib discards the output of a call that ends in an error."""
    for start in range(0, len(data), step):
        fed = data[start : start + step]
        while fed:
            before = inflater.copy()
            try:
                piece = inflater.decompress(fed, _STEP_BYTES)
            except zlib.error:
                if step > 1:
                    yield from _up_to_damage(before, fed, 1)
                return
            yield piece
            fed = inflater.unconsumed_tail


def _bunzipped(stream: BinaryIO) -> Iterator[bytes]:
    inflater = bz2.BZ2Decompressor()
    pending = b""
    while True:
        if inflater.needs_input and not pending:
            pending = stream.read(_STEP_BYTES)
            if not pending:
                raise _DamageError("ends early")
        try:
            piece = inflater.decompress(pending, _STEP_BYTES)
        except (OSError, ValueError) as error:
            raise zlib.error(str(error)) from error
        yield piece
        pending = b""
        if inflater.eof:
            pending = inflater.unused_data or stream.read(_STEP_BYTES)
            if not pending:
                return
            pending += stream.read(_STEP_BYTES) if len(pending) < len(_BZIP2) else b""
            if not pending.startswith(_BZIP2):
                raise _DamageError("is followed by something else")
            inflater = bz2.BZ2Decompressor()


def _unxzed(stream: BinaryIO) -> Iterator[bytes]:
    """The data of all streams, between which NULs may stand, at most 256 KiB at a time."""
    pending = stream.read(_STEP_BYTES)
    while pending:
        inflater = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
        while not inflater.eof:
            if inflater.needs_input and not pending and not (pending := stream.read(_STEP_BYTES)):
                raise _DamageError("ends early")
            try:
                piece = inflater.decompress(pending, _STEP_BYTES)
            except lzma.LZMAError as error:
                raise _DamageError(f"cannot be followed ({error})") from error
            pending = b""
            yield piece
        pending = inflater.unused_data.lstrip(b"\0")
        while not pending and (more := stream.read(_STEP_BYTES)):
            pending = more.lstrip(b"\0")


def _unzstded(stream: BinaryIO) -> Iterator[bytes]:
    """The data of all frames. A frame that asks for more than 128 MiB of memory is refused by the library."""
    import zstandard

    unpacker = zstandard.ZstdDecompressor()
    pending = stream.read(_ZSTD_STEP_BYTES)
    while pending:
        inflater = unpacker.decompressobj()
        while not inflater.eof:
            if not pending and not (pending := stream.read(_ZSTD_STEP_BYTES)):
                raise _DamageError("ends early")
            try:
                piece = inflater.decompress(pending)
            except zstandard.ZstdError as error:
                raise _DamageError(f"cannot be followed ({error})") from error
            pending = b""
            yield piece
        pending = inflater.unused_data or stream.read(_ZSTD_STEP_BYTES)

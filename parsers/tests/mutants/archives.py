"""Mutants of archives, and a second checker of what is in them, which shares nothing with the reader."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import random
import struct
import tarfile
import zipfile
import zlib
from typing import Final

Files = dict[str, bytes]

_FORMATS: Final = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
KINDS: Final = (*_FORMATS, "tgz", "tbz", "zip", "zip stored", "zip streamed")
_BLOCK: Final = 512


class UnsoundError(Exception):
    """The second checker finds the archive damaged or not whole."""


class _Pipe(io.RawIOBase):
    """Cannot be sought, so that `zipfile` writes the sizes behind the data."""

    def __init__(self) -> None:
        self.got = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        self.got += piece
        return len(piece)


def packed(files: Files, kind: str) -> bytes:
    """An archive of the files, of one of `KINDS`."""
    if kind.startswith("zip"):
        stored = zipfile.ZIP_STORED if kind == "zip stored" else zipfile.ZIP_DEFLATED
        out: io.BytesIO | _Pipe = _Pipe() if kind == "zip streamed" else io.BytesIO()
        with zipfile.ZipFile(out, "w", stored) as archive:  # type: ignore[arg-type]
            for name, data in files.items():
                archive.writestr(name, data)
        return out.got if isinstance(out, _Pipe) else out.getvalue()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=_FORMATS.get(kind, tarfile.PAX_FORMAT)) as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mtime = 1_760_000_000
            tar.addfile(entry, io.BytesIO(data))
    plain = buffer.getvalue()
    return gzip.compress(plain, 1) if kind == "tgz" else bz2.compress(plain, 1) if kind == "tbz" else plain


def whole(data: bytes) -> list[str]:
    """The SHA-256 of every file in an archive in which the second checker finds nothing wrong, sorted."""
    try:
        if data.startswith(b"PK"):
            return sorted(hashlib.sha256(found).hexdigest() for found in _of_zip(data))
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        elif data.startswith(b"BZh"):
            stream = bz2.BZ2Decompressor()
            data = stream.decompress(data)
            if not stream.eof or stream.unused_data:
                raise UnsoundError("bzip2")
        return sorted(hashlib.sha256(found).hexdigest() for found in _of_tar(data))
    except (zlib.error, OSError, EOFError, ValueError, struct.error, zipfile.BadZipFile, IndexError) as error:
        raise UnsoundError(str(error)) from error


def _of_tar(data: bytes) -> list[bytes]:
    """Walks the blocks by POSIX alone: checksum, octal size, two blocks of zeros, nothing behind them."""
    found, at, longer = [], 0, None
    while True:
        head = data[at : at + _BLOCK]
        if len(head) < _BLOCK:
            raise UnsoundError("no end")
        if not any(head):
            if len(data) < at + 2 * _BLOCK or any(data[at:]):
                raise UnsoundError("end")
            return found
        if int(head[148:156].strip(b"\0 "), 8) != sum(head) - sum(head[148:156]) + 8 * 32:
            raise UnsoundError("checksum")
        size = int(head[124:136].strip(b"\0 "), 8)
        body = data[at + _BLOCK : at + _BLOCK + size]
        if len(body) < size:
            raise UnsoundError("cut")
        kind = head[156:157]
        if kind == b"x" and b" size=" in body:
            longer = int(body.split(b" size=")[1].split(b"\n")[0])
        if kind in (b"0", b"7", b"\0"):
            if longer not in (None, size):
                raise UnsoundError("pax size")
            found.append(body)
            longer = None
        at += _BLOCK + -(-size // _BLOCK) * _BLOCK


def _of_zip(data: bytes) -> list[bytes]:
    """Walks the files from the first byte on; the directory and the end record must say the same."""
    found, names, at = [], [], 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        listed = archive.infolist()
        if archive.testzip() is not None:
            raise UnsoundError("checksum")
        for info in listed:
            magic, flags, method, crc, name, extra = struct.unpack_from("<4s2xHH4xI8xHH", data, info.header_offset)
            if info.header_offset != at or magic != b"PK\x03\x04" or flags != info.flag_bits:
                raise UnsoundError("place")
            if method != info.compress_type or (crc not in (info.CRC, 0)):
                raise UnsoundError("headers differ")
            content = archive.read(info)
            if len(content) != info.file_size:
                raise UnsoundError("size")
            at += 30 + name + extra + info.compress_size + (16 if flags & 8 else 0)
            found.append(content)
            names.append(info.filename)
    if data[at : at + 4] != b"PK\x01\x02" or data.count(b"PK\x01\x02", at) != len(found):
        raise UnsoundError("directory")
    end = data.index(b"PK\x05\x06", at)
    counts = struct.unpack_from("<4H2IH", data, end + 4)
    if counts[2:4] != (len(found), len(found)) or counts[4:] != (end - at, at, len(data) - end - 22):
        raise UnsoundError("end")
    return found


def mutant(data: bytes, kind: str, chance: random.Random) -> bytes:
    """An archive that differs from the sound one `data`."""
    if kind in ("tgz", "tbz") and chance.random() < 0.5:
        inner = gzip.decompress(data) if kind == "tgz" else bz2.decompress(data)
        changed = _changed(inner, chance, _tar_field)
        return gzip.compress(changed, 1) if kind == "tgz" else bz2.compress(changed, 1)
    return _changed(data, chance, _tar_field if kind in _FORMATS else _zip_field if kind.startswith("zip") else _flip)


def _changed(data: bytes, chance: random.Random, field) -> bytes:  # type: ignore[no-untyped-def]
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((1, 4, 100, 512, 1024)))
    block = start - start % _BLOCK
    ways = (
        lambda: field(data, chance),
        lambda: field(data, chance),
        lambda: _flip(data, chance),
        lambda: data[:start],
        lambda: data[:block],
        lambda: data[:start] + data[end:],
        lambda: data[:block] + data[block + _BLOCK * chance.choice((1, 2, 9)) :],
        lambda: data[:block] + bytes(_BLOCK) + data[block + _BLOCK :],
        lambda: data[:start] + bytes(end - start) + data[end:],
        lambda: data + chance.randbytes(end - start),
        lambda: data + data,
        lambda: data[:block] + data[start:end] + data[block:],
    )
    return bytes(chance.choice(ways)())


def _flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _tar_field(data: bytes, chance: random.Random) -> bytes:
    """A header of a tar with another size, type or name; its checksum right again, or not."""
    heads = [i - 257 for i in range(257, len(data), _BLOCK) if data[i : i + 5] == b"ustar"]
    if not heads:
        return _flip(data, chance)
    at = chance.choice(heads)
    head = bytearray(data[at : at + _BLOCK])
    way = chance.randrange(5)
    if way == 0:
        head[124:136] = f"{chance.choice((0, 1, 511, 513, 4096, 8**11 - 1)):011o}\0".encode()
    elif way == 1:
        head[124:136] = b"\xff" * 4 + struct.pack(">q", chance.choice((-1, -512, -(2**62))))
    elif way == 2:
        head[156] = chance.choice(b"01235679LKxgSVZ\0")
    elif way == 3:
        head[chance.randrange(100)] = chance.choice((0, 0x2F, 0xFF, 0x1B))
    else:
        head[chance.randrange(_BLOCK)] ^= 1 << chance.randrange(8)
    if chance.random() < 0.6:
        head[148:156] = b" " * 8
        head[148:156] = f"{sum(head):06o}\0 ".encode()
    return data[:at] + bytes(head) + data[at + _BLOCK :]


def _zip_field(data: bytes, chance: random.Random) -> bytes:
    """A number in one of the zip's records changed."""
    magics = ((b"PK\x03\x04", 30), (b"PK\x01\x02", 46), (b"PK\x05\x06", 22))
    places = [(i, n) for magic, n in magics for i in range(len(data)) if data.startswith(magic, i)]
    if not places:
        return _flip(data, chance)
    at, length = chance.choice(places)
    width, letter = chance.choice(((2, "<H"), (4, "<I")))
    field = min(at + 2 * chance.randrange(2, length // 2), len(data) - width)
    (old,) = struct.unpack_from(letter, data, field)
    new = chance.choice((0, 1, old - 1, old + 1, old ^ (1 << chance.randrange(8 * width)), 2 ** (8 * width) - 1))
    return data[:field] + struct.pack(letter, new % 2 ** (8 * width)) + data[field + width :]

"""Bounded inflation of a region: one or several concatenated compressed streams, each verified by its checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal, Protocol

from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.container import Compression

Stop = Literal["cut", "corrupt", "over"]
"""Why inflating ended early: the region ends within a stream; a stream is invalid or fails its checksum; the output
would exceed what is allowed; or the process ran out of memory."""

_STEP_BYTES = 16 * 1024
_COUNTED_STEP_BYTES = 64
_COUNTED_PIECE_BYTES = 128 * 1024
"""More than so much of a deflated stream gives, and so all that may be missed where a call fails."""


@frozen
class Inflated:
    """`data` holds every stream that was complete and passed its checksum and, for "cut" and "over", what the last
    one gave before it ended. Of a corrupt stream nothing is kept: any of its bytes may be wrong.
    `consumed` counts the compressed bytes of complete streams, `spent_bytes` all that came out, kept or not."""

    data: bytes
    consumed: int
    spent_bytes: int
    stop: Stop | None = None


class _Stream(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: memoryview, max_length: int = ..., /) -> bytes: ...


def inflate(region: memoryview, compression: Compression, room: int, *, only_first: bool) -> Inflated:
    """Inflates `region` to at most `room` bytes, and one more where it is "over".

    `only_first` stops behind the first stream.
    """
    if compression == "none":
        kept = bytes(region[:room])
        # An "over" takes one byte more than there is room for, here as below.
        return Inflated(kept, len(kept), min(len(region), room + 1), "over" if len(region) > room else None)
    whole = room
    opened, failures = _codec(compression)
    pieces: list[bytes] = []
    position = 0
    while position < len(region):
        # A whole region is most often one stream; later ones are fed in steps, since what is left over is copied.
        step = len(region) if not pieces else _STEP_BYTES
        stream, here = opened(), position
        of_stream: list[bytes] = []
        try:
            while not stream.eof:
                chunk = region[here : here + step]
                if not len(chunk):
                    return Inflated(b"".join(pieces + of_stream), position, whole - room, "cut")
                piece = stream.decompress(chunk, room + 1)
                room -= len(piece)
                of_stream.append(piece)
                if room < 0:
                    return Inflated(b"".join(pieces + of_stream), position, whole - room, "over")
                here += len(chunk)
                step *= 2
        except failures as error:
            of_stream.clear()
            before = sum(map(len, pieces))
            spent = before + _counted(region[position:], opened, failures, whole - before)
            stop: Stop = "over" if isinstance(error, MemoryError) else "corrupt"
            return Inflated(b"".join(pieces), position, spent, stop)
        position = here - len(stream.unused_data)
        pieces += of_stream
        if only_first:
            break
    return Inflated(pieces[0] if len(pieces) == 1 else b"".join(pieces), position, whole - room)


def _counted(
    stream_at: memoryview, opened: Callable[[], _Stream], failures: tuple[type[Exception], ...], room: int
) -> int:
    """How many bytes a stream gave before it failed, of which the call that fails says nothing; at most one more than
    there was `room` for."""
    stream, made, at, takes_more = opened(), 0, 0, True
    try:
        while made <= room and not stream.eof and (at < len(stream_at) or not takes_more):
            fed = stream_at[at : at + _COUNTED_STEP_BYTES] if takes_more else stream_at[:0]
            made += len(stream.decompress(fed, min(room + 1 - made, _COUNTED_PIECE_BYTES)))
            at += len(fed)
            # A bzip2 stream keeps what it could not give yet.
            takes_more = getattr(stream, "needs_input", True)
    except failures:
        pass
    return made


def _codec(compression: Compression) -> tuple[Callable[[], _Stream], tuple[type[Exception], ...]]:
    """isal inflates one long stream about three times as fast as zlib, and checks the same checksum."""
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError, MemoryError)
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib.decompressobj, (zlib.error, MemoryError)
    # isal's stub declares its exception class as an instance.
    return isal_zlib.decompressobj, (isal_zlib.error, zlib.error, MemoryError)  # type: ignore[return-value]

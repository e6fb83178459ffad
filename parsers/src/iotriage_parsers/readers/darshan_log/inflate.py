"""Bounded inflation of a region: one or several concatenated compressed streams, each verified by its checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal, Protocol

from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.container import Compression

Stop = Literal["cut", "corrupt", "over"]
"""Why inflation ended early: the region ends inside a stream; a stream is no stream or fails its checksum; more
would come out than is allowed, or than the process has memory for."""

_STEP_BYTES = 16 * 1024


@frozen
class Inflated:
    """`data` holds every stream that was complete and passed its checksum and, for "cut" and "over", what the last
    one gave before it ended. Of a corrupt stream nothing is kept: any of its bytes may be wrong.
    `consumed` counts the compressed bytes of complete streams."""

    data: bytes
    consumed: int
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
        return Inflated(kept, len(kept), "over" if len(region) > room else None)
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
                    return Inflated(b"".join(pieces + of_stream), position, "cut")
                piece = stream.decompress(chunk, room + 1)
                room -= len(piece)
                of_stream.append(piece)
                if room < 0:
                    return Inflated(b"".join(pieces + of_stream), position, "over")
                here += len(chunk)
                step *= 2
        except failures:
            return Inflated(b"".join(pieces), position, "corrupt")
        except MemoryError:
            return Inflated(b"".join(pieces), position, "over")
        position = here - len(stream.unused_data)
        pieces += of_stream
        if only_first:
            break
    return Inflated(pieces[0] if len(pieces) == 1 else b"".join(pieces), position)


def _codec(compression: Compression) -> tuple[Callable[[], _Stream], tuple[type[Exception], ...]]:
    """isal inflates one long stream about three times as fast as zlib, and checks the same checksum."""
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib.decompressobj, (zlib.error,)
    # isal's stub declares its exception class as an instance.
    return isal_zlib.decompressobj, (isal_zlib.error, zlib.error)  # type: ignore[return-value]

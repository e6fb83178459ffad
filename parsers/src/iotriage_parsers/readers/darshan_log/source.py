"""The open log and what reading it may still cost: regions are fetched one at a time, never the whole file."""

from __future__ import annotations

from typing import BinaryIO

from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log.container import Compression
from iotriage_parsers.readers.darshan_log.inflate import Inflated, inflate


class Source:
    """Inflates regions of one log out of one budget of inflated bytes and records."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._stream = stream
        self.size = stream.seek(0, 2)
        self._room = limits.inflated_bytes
        self._records = limits.records

    def head(self, length: int) -> bytes:
        self._stream.seek(0)
        return self._stream.read(length)

    def inflated(
        self, start: int, end: int, compression: Compression, *, only_first: bool = False, room: int | None = None
    ) -> Inflated:
        """Bytes `start` to `end` of the file, inflated; at most `room` of them where given, and never more than
        what is left of the budget."""
        self._stream.seek(start)
        # A stream cannot be longer than what it inflates to by more than a few bytes in a thousand.
        most = self._room if room is None else min(room, self._room)
        packed = self._stream.read(min(end - start, most + most // 256 + 64 * 1024))
        result = inflate(memoryview(packed), compression, most, only_first=only_first)
        self._room = max(0, self._room - len(result.data))
        return result

    def grant_records(self, wanted: int) -> int:
        """How many of `wanted` records may be read; they are taken from the budget."""
        granted = min(wanted, self._records)
        self._records -= granted
        return granted

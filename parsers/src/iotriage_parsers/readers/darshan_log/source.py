"""An open log with its budget for reading: regions are read one at a time, never the whole file."""

from __future__ import annotations

from typing import BinaryIO

from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits, no_room
from iotriage_parsers.readers.darshan_log.container import Compression
from iotriage_parsers.readers.darshan_log.inflate import Inflated, inflate


class Source:
    """Inflates regions of one log out of a budget of records, and of inflated bytes, which is that of all of the input
    that the log is a part of."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._stream = stream
        self.size = stream.seek(0, 2)
        self._limits = limits
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
        most = self._limits.room_bytes if room is None else min(room, self._limits.room_bytes)
        packed = self._stream.read(min(end - start, most + most // 256 + 64 * 1024))
        result = inflate(memoryview(packed), compression, most, only_first=only_first)
        self._limits.spent.inflated_bytes += result.spent_bytes
        return result

    def beyond_limit(self) -> Failure | None:
        """Why nothing more is inflated, where that is so."""
        return None if self._limits.room_bytes else no_room(self._limits)

    def grant_records(self, wanted: int) -> int:
        """Takes up to `wanted` records from the budget, and returns how many."""
        granted = min(wanted, self._records)
        self._records -= granted
        return granted

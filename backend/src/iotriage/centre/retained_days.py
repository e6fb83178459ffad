"""Which days a warehouse retains. The logs of dropped days stay in their folder for a while; they must not be taken in
again, to be dropped again by the next run."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.log_files import LogFile
from iotriage.centre.warehouse.manifest import put_in_place
from iotriage_parsers.frozen import frozen

_FILE: Final = "kept-since.json"
_BESIDE: Final = timedelta(days=1)
"""How far the day of a folder or a file name, in the machine's time, can be from the day in UTC."""


@frozen
class RetainedDays:
    """All days from `since` on, and the earlier days in `but`."""

    since: date
    but: frozenset[date] = frozenset()

    def has(self, day: date) -> bool:
        return day >= self.since or day in self.but

    def may_have(self, log: LogFile) -> bool:
        """Whether the log may be of a retained day, so that it has to be read: judged by its folder, else by Darshan's
        file name, else by when the file was written."""
        told = log.day or log.began_on or datetime.fromtimestamp(log.modified_ns / 1e9, UTC).date()
        return told + _BESIDE >= self.since or any(abs(told - day) <= _BESIDE for day in self.but)


@frozen
class _RetainedSince:
    day: date


_RETAINED_SINCE = TypeAdapter(_RetainedSince)
_ALL: Final = RetainedDays(date.min)


def retained_days(root: Path, but: Collection[date]) -> RetainedDays:
    """All days, where nothing was ever dropped."""
    try:
        since = _RETAINED_SINCE.validate_json((root / _FILE).read_bytes()).day
    except (OSError, ValidationError):
        return _ALL
    return RetainedDays(since, frozenset(but))


def write_retained_since(root: Path, day: date) -> None:
    """Stores the first retained day. Dropping fewer days than an earlier call has the others taken in again. Raises
    OSError."""
    content = _RETAINED_SINCE.dump_json(_RetainedSince(day))
    put_in_place(root, _FILE, lambda path: path.write_bytes(content))

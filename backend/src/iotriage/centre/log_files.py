"""Which files of a folder are logs. Their names are hints: what a log says about its job stands in its header.

Darshan's `<Y>/<M>/<D>/<user>_<exe>_id<jobid>-<pid>_<mon>-<mday>-<sec>-<logmod>_<seconds>.darshan` (darshan-core.c of
3.5; before 3.3 without the pid), the same without the seconds and with `.darshan_partial` while a run has not ended,
and names that a user or an archive chose.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from iotriage_parsers.frozen import frozen

LATE_DAYS: Final = 7
"""Days before the last day taken in that are searched again, since jobs end late and copies lag."""

_LOG: Final = re.compile(r".+\.darshan(?:_partial)?(?:\.(?:gz|bz2|xz|zst))?", re.DOTALL)
"""A name may contain any byte, line ends included."""
_NAMED_BY_DARSHAN: Final = re.compile(
    r"(?P<run>.+_id\d+(?:-\d+)?_(?P<month>\d{1,2})-(?P<day>\d{1,2})-\d+-\d+)(?:_\d+)?\.darshan(?P<partial>_partial)?(?:\.\w{2,3})?",
    re.DOTALL,
)
_LEAP_YEARS: Final = 9
"""Years to go back at most to find a 29th of February."""
_LAST_NS: Final = 2**63 - 1
"""Nanoseconds of the year 2262, the last that a column holds: whoever owns a file may give it any time."""
_PARTIAL: Final = re.compile(r"\.darshan_partial(?:\.\w{2,3})?$")


@frozen
class LogFile:
    """`modified_ns` as stat(2) has it. `day` is that of the folder, where the tree is one of dates."""

    path: str
    size_bytes: int
    modified_ns: int
    day: date | None

    @property
    def partial(self) -> bool:
        """Whether the name says that the run had not ended."""
        return _PARTIAL.search(self.path) is not None

    @property
    def run(self) -> str | None:
        """The part of the name that a run's partial and final log share; None where the name is not Darshan's."""
        named = self._named
        return None if named is None else named["run"]

    @property
    def began_on(self) -> date | None:
        """The day on which the run began, by the machine's clock, as Darshan's name has it: it has no year, and the
        last one that was not after the file was written is taken."""
        named = self._named
        if named is None:
            return None
        written = datetime.fromtimestamp(self.modified_ns / 1e9, UTC).date() + timedelta(days=1)
        for year in range(written.year, written.year - _LEAP_YEARS, -1):
            with contextlib.suppress(ValueError):
                began = date(year, int(named["month"]), int(named["day"]))
                if began <= written:
                    return began
        return None

    @property
    def _named(self) -> re.Match[str] | None:
        return _NAMED_BY_DARSHAN.fullmatch(self.path.rpartition("/")[2])


@frozen
class Shard:
    """Part `index` of `count` of all logs. A run's partial and final log are always in the same part."""

    index: int = 0
    count: int = 1

    @property
    def name(self) -> str:
        return f"{self.index}-of-{self.count}"

    @classmethod
    def named(cls, name: str) -> Shard:
        """The shard of this name, such as "0-of-4"."""
        index, _, count = name.partition("-of-")
        return cls(int(index), int(count))

    def has(self, log: LogFile) -> bool:
        name = log.run or log.path.rpartition("/")[2]
        digest = hashlib.sha256(name.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8]) % self.count == self.index


def has_come(day: date) -> bool:
    """Whether the day has begun somewhere: folders are named by the machine's time, ahead of UTC by 14 h at most."""
    return day <= (datetime.now(UTC) + timedelta(hours=14)).date()


def path_as_text(path: str | Path) -> str:
    """A path as text: what is no UTF-8 stands as \\x escapes."""
    return str(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


Unlisted = Callable[[Path, OSError], None]


def logs_in(
    folder: Path,
    outputs: Sequence[str] = (),
    since: date | None = None,
    unlisted: Unlisted = lambda _folder, _why: None,
) -> Iterator[LogFile]:
    """The logs, and the files whose names match one of the patterns `outputs`, in the order of their paths. Of a tree
    of dates (`Y/M/D`, padded or not) the days before `since` are passed over. `unlisted` is told of each folder that
    nothing could be looked for in, and why."""
    yield from _below(folder.absolute(), (), outputs, since, unlisted)


def _below(
    folder: Path, date_parts: tuple[int, ...], outputs: Sequence[str], since: date | None, unlisted: Unlisted
) -> Iterator[LogFile]:
    if since is not None and date_parts and _ends_before(date_parts, since):
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as why:
        unlisted(folder, why)
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _below(Path(entry.path), _dated(date_parts, entry.name), outputs, since, unlisted)
            elif _is_wanted(entry.name, outputs) and entry.is_file():
                found = entry.stat()
                yield LogFile(entry.path, found.st_size, modified_ns(found), _day(date_parts))
        except OSError:
            continue


def modified_ns(found: os.stat_result) -> int:
    """When the file was written, as the warehouse has it."""
    return max(-_LAST_NS, min(found.st_mtime_ns, _LAST_NS))


def _is_wanted(name: str, outputs: Collection[str]) -> bool:
    return _LOG.fullmatch(name) is not None or any(fnmatch.fnmatchcase(name, pattern) for pattern in outputs)


def _dated(parts: tuple[int, ...], name: str) -> tuple[int, ...]:
    """The year, month and day so far of a folder in a tree of dates; empty where it is none."""
    if not (name.isascii() and name.isdecimal() and len(name) <= 4):
        return ()
    number = int(name)
    if len(name) == 4 and 1990 <= number <= 2200:
        return (number,)
    return (*parts, number) if parts and len(parts) < 3 else ()


def _day(parts: tuple[int, ...]) -> date | None:
    try:
        return date(*parts) if len(parts) == 3 else None
    except ValueError:
        return None


def _ends_before(parts: tuple[int, ...], since: date) -> bool:
    """Whether the year, month or day is over before that date."""
    try:
        match parts:
            case (year,):
                end = date(year + 1, 1, 1)
            case (year, 12):
                end = date(year + 1, 1, 1)
            case (year, month):
                end = date(year, month + 1, 1)
            case (year, month, day):
                end = date(year, month, day) + timedelta(days=1)
            case _:
                return False
    except ValueError:
        return False
    return end <= since

"""`lfs df`: a row an OST or MDT, under a header that says in which unit."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Lines, OstUsage, Problem, TargetUsage, UsedUp
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.left_out import BESIDE, stands_for_rows
from iotriage_parsers.text.lines import Line

HEADER: Final = r"UUID\s+\S+\s+\S+\s+\S+\s+I?Use%\s+Mounted on"
ROW: Final = r"[\w.-]+-(?:OST|MDT)[0-9a-f]{4,8}_UUID\s+\d"

_HEADER: Final = re.compile(r"UUID\s+(\S+)\s+\S+\s+\S+\s+I?Use%\s+Mounted on")
_ROW: Final = re.compile(
    r"([\w.-]+-(OST|MDT)[0-9a-f]{4,8})_UUID\s+(\S+)\s+(\S+)\s+(\S+)\s+\d+%\s+(\S+)\[(?:OST|MDT):(\d{1,6})\]"
)
_INODES: Final = re.compile(
    r"([\w.-]+-(?:OST|MDT)[0-9a-f]{4,8})_UUID\s+\S+\s+(\S+)\s.*\s(?:99|100)%\s+(\S+)\[(?:OST|MDT):\d{1,6}\]"
)
"""A row of `lfs df -i` of a target that has no inodes left, or hardly any."""
_SUMMARY: Final = re.compile(r"filesystem[ _]summary:(?:\s+(\S+))?")
_ROUNDED: Final = 0.9
"""Share of the summary that the rows have at least, however each is rounded: "9.8P" may be 2 % off."""
_SIZE: Final = re.compile(r"(\d{1,18}(?:\.\d{1,6})?)([KMGTPE]?)")
_UNITS: Final = {unit: 1 << 10 * (power + 1) for power, unit in enumerate("KMGTPE")}
MOST_TARGETS: Final = 20_000


class UsageMachine:
    """Reads the rows up to the summary line of the file system."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        header = _HEADER.match(line.text.strip())
        self._blocks = None if header is None else header.group(1)
        self._targets: list[tuple[str, str, TargetUsage]] = []
        self._ended = self._rows_left_out = False
        self._whole: int | None = None
        self._without_inodes: list[UsedUp] = []
        if header is None:
            self._row(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        summary = _SUMMARY.match(text)
        if summary is not None:
            self._last, self._ended = line.number, True
            self._whole = self._size(summary[1] or "")
            return LineResult.LAST
        if _HEADER.match(text):
            return LineResult.OVER
        if self._row(line):
            return LineResult.TAKEN
        if line.number - self._last > BESIDE or not stands_for_rows(text):
            return LineResult.FOREIGN
        self._last, self._rows_left_out = line.number, True
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        if not self._targets:
            return BlockResult(tuple(self._without_inodes))
        lines = Lines(self._first, self._last)
        mounts = dict.fromkeys(mount for mount, _, _ in self._targets)
        complete = not self._lacks_rows(self._of(next(iter(mounts)), "OST"))
        parts = tuple(
            OstUsage(mount, self._of(mount, "OST"), self._of(mount, "MDT"), lines, complete) for mount in mounts
        )
        if not complete:
            message = f"the list of lfs df at lines {lines.first}-{lines.last} lacks targets that its file system has"
            return BlockResult(parts, (Problem("unterminated", message, loses_data=True, line=lines.first),))
        if self._ended:
            return BlockResult(parts)
        message = f"the list of lfs df at lines {lines.first}-{lines.last} has no summary line: it may lack targets"
        return BlockResult(parts, (Problem("unterminated", message, line=lines.first),))

    def _of(self, mount: str, kind: str) -> tuple[TargetUsage, ...]:
        return tuple(t for m, k, t in self._targets if (m, k) == (mount, kind))

    def _lacks_rows(self, osts: tuple[TargetUsage, ...]) -> bool:
        """Whether rows were left out, by what stands for them or by the size of all. A file system has OSTs."""
        sizes = [ost.total_bytes for ost in osts if ost.total_bytes is not None]
        less = self._whole is not None and len(sizes) == len(osts) and sum(sizes) < _ROUNDED * self._whole
        return not osts or self._rows_left_out or (bool(sizes) and less)

    def _row(self, line: Line) -> bool:
        match = _ROW.match(line.text.strip())
        if match is None or len(self._targets) >= MOST_TARGETS:
            return False
        self._last = line.number
        if self._blocks == "Inodes":
            full = _INODES.match(line.text.strip())
            if full is not None:
                self._without_inodes.append(UsedUp("files", "lfs df -i", full[3], full[1], full[2], line.number))
            return True
        name, kind, total, used, available, mount, index = match.groups()
        sizes = (self._size(total), self._size(used), self._size(available))
        self._targets.append((mount, kind, TargetUsage(name, int(index), *sizes, line.number)))
        return True

    def _size(self, text: str) -> int | None:
        """Bytes. A bare number is in the header's blocks; without a header it may as well be inodes."""
        match = _SIZE.fullmatch(text)
        if match is None:
            return None
        number, unit = match.groups()
        if unit:
            return round(float(number) * _UNITS[unit])
        factor = {"1K-blocks": 1024, "bytes": 1}.get(self._blocks or "")
        return None if factor is None else round(float(number) * factor)

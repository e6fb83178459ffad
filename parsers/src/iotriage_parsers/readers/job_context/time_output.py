"""What `time` prints of a command, a shell's (`real`, `user` and `sys`, each on its line) or GNU's, on one line or
with -v: how long it ran. Which command it was, nobody says, or need not be the program."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import ContextField, JobContext, Lines, MpiioStats, MpiioTimers, Part
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

_FIGURE: Final = r"(?:\d{1,7}m)?\d{1,9}[.,]\d{1,6}s?"
_REAL_TIME: Final = "(?:real|réel)"
"""The second is bash's in French."""
TIMED_FIRST: Final = (
    rf"{_REAL_TIME}\s+{_FIGURE}\s*$"
    r"|[\d.]{1,12}user\s+[\d.]{1,12}system\s+[\d:.]{1,16}elapsed\s+\d{1,9}%CPU"
    r"|Elapsed \(wall clock\) time \(h:mm:ss or m:ss\):\s+[\d:.]{1,16}\s*$"
)
TIMED_ANCHORS: Final = (b"real\t", b"real ", "réel\t".encode(), b"elapsed ", b"Elapsed (wall clock) time")

_REAL: Final = re.compile(rf"{_REAL_TIME}\s+(?:(\d{{1,7}})m)?(\d{{1,9}})[.,](\d{{1,6}})s?")
_OTHER: Final = re.compile(rf"(user|utilisateur|sys|système)\s+{_FIGURE}")
_ON_ONE_LINE: Final = re.compile(
    r"(?:system\s+|m:ss\):\s+)(?:(?:(\d{1,5}):)?(\d{1,5}):)?(\d{1,9})(?:\.(\d{1,6}))?(?:elapsed|\s*$)"
)


class TimedMachine:
    """Over with the last of the three lines. Without the other two it is a word of somebody's."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        text = line.text.strip()
        self._printed = text
        self._seconds, self._whole = _seconds(text), "elapsed" in text.lower()
        self._others: set[str] = set()

    def feed(self, line: Line) -> LineResult:
        if line.number == self._first:
            return LineResult.TAKEN
        other = None if self._whole else _OTHER.fullmatch(line.text.strip())
        if other is None or other[1] in self._others:
            return LineResult.OVER
        self._others.add(other[1])
        self._last, self._whole = line.number, len(self._others) == 2
        return LineResult.LAST if self._whole else LineResult.TAKEN

    def close(self) -> BlockResult:
        if not self._whole or self._seconds is None:
            return BlockResult()
        field = ContextField("elapsed_s", self._printed, self._first)
        lines = Lines(self._first, self._last)
        return BlockResult((JobContext("time", lines, None, elapsed_s=self._seconds, fields=(field,)),))


def without_other_commands(parts: tuple[Part, ...], every: tuple[Part, ...]) -> tuple[Part, ...]:
    """Without the time of a command that need not be the program: it is that where it is the only one, and all
    statistics of MPI-IO stand before it."""
    timed = [p for p in parts if isinstance(p, JobContext) and p.source == "time"]
    closes = [p.lines.last for p in every if isinstance(p, MpiioStats | MpiioTimers)]
    if len(timed) == 1 and closes and max(closes) < timed[0].lines.first:
        return parts
    return tuple(p for p in parts if not (isinstance(p, JobContext) and p.source == "time"))


def _seconds(text: str) -> float | None:
    shell = _REAL.match(text)
    if shell is not None:
        minutes, whole, rest = shell.groups()
        return int(minutes or 0) * 60 + float(f"{whole}.{rest}")
    gnu = _ON_ONE_LINE.search(text)
    if gnu is None:
        return None
    hours, minutes, whole, rest = gnu.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{whole}.{rest or 0}")

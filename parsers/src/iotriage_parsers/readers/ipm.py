"""IPM's banner (0.98 and 2.0): ranks, nodes and time of a run, and the ranks' seconds in I/O, as
https://github.com/nerscadmin/IPM prints them.

The times in MPI, the counts of calls, memory and flops are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines, Part, Problem
from iotriage_parsers.readers.job_context.figures import RequestedFields
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural

_FIRST: Final = re.compile(r"##IPMv\d[\w.]{0,20}#{10,}")
_LAST: Final = re.compile(r"#{20,}")
_TASKS: Final = re.compile(r"\bmpi_tasks\s{0,20}:\s{0,20}(\d{1,9}) on (\d{1,9}) nodes\b")
_SECONDS: Final = re.compile(r"\bwallclock\s{0,20}:\s{0,20}(\d{1,9}(?:\.\d{1,9})?)(?!\S|\s{1,20}\d)")
_OF_RANKS: Final = re.compile(r"#\s{0,20}wallclock\b")
_WALLS: Final = re.compile(r"#\s{0,20}wallclock\s{0,20}:" + r"\s{1,20}(\d{1,12}\.\d{1,9})" * 4 + r"\s{0,20}")
_TIMES: Final = re.compile(r"#\s{0,20}(start|stop)\s{0,20}:\s{0,20}(\S.{0,40}?)\s{2,}")
_IO: Final = re.compile(r"#\s{0,20}I/O\s{0,20}:" + r"\s{1,20}(\d{1,12}\.\d{1,9})" * 4 + r"\s{0,20}")
"""Seconds: added up over the ranks, mean, least, most. Of the rows below, those of percents have no sum and those of
calls no dot."""
_FIGURES: Final = re.compile(r"(?:#|.*\b)\s{0,20}(?:I/O|wallclock|mpi_tasks)\s{0,20}:\s{0,20}\d")
_FORMS: Final = ("%a %b %d %H:%M:%S %Y", "%m/%d/%y/%H:%M:%S")
_FIELD_OF: Final = {"start": "start_local", "stop": "end_local"}
_OF_OTHERS: Final = re.compile(r"#(?:[A-Z!$<]| darshan log version:)")
"""How scripts and what darshan-parser prints begin, where the banner was cut before them."""


class IpmMachine:
    """Over with the line of # that ends the banner. Of two figures of one name the first stands. What ends at the
    column at which the banner's first line does may go on behind it: that is as wide as all of it."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._width = len(line.text.rstrip())
        self._cut: int | None = None
        self._asked = RequestedFields()
        self._seconds: float | None = None
        self._io: tuple[float, float] | None = None
        self._ended = False
        self._changed = ChangedFigures("IPM")

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if _FIRST.match(text) or _OF_OTHERS.match(text):
            return LineResult.OVER
        if not text.startswith("#"):
            return LineResult.FOREIGN
        self._last = line.number
        if _LAST.fullmatch(text):
            self._ended = True
            return LineResult.LAST
        if len(line.text.rstrip()) == self._width and text[-1].isdigit():
            self._cut = self._cut or line.number
        elif line.ended and not re.match(r"#\s*command\b", text):
            self._take(text, line.number)
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        lines = Lines(self._first, self._last)
        context = JobContext(
            source="ipm",
            lines=lines,
            scheduler=None,
            complete=self._ended,
            nnodes=asked.whole("nnodes"),
            ntasks=asked.whole("ntasks"),
            elapsed_s=self._seconds,
            io_mean_s=None if self._io is None else self._io[0],
            io_slowest_s=None if self._io is None else self._io[1],
            start_local=asked.text("start_local"),
            end_local=asked.text("end_local"),
            fields=asked.fields,
        )
        changed = self._changed.problems()
        if self._cut is not None:
            left_out = "figures that may go on behind it are left out"
            changed = (*changed, cut_problem("IPM's banner", self._width, self._cut, left_out))
        if self._ended:
            return BlockResult((context,), changed)
        message = f"IPM's banner at lines {lines.first}-{lines.last} is cut off: what stands before is read"
        cut = Problem("unterminated", message, loses_data=True, line=lines.first)
        return BlockResult((context,), (cut, *changed))

    def _take(self, text: str, number: int) -> None:
        tasks, seconds, time = _TASKS.search(text), _SECONDS.search(text), _TIMES.match(text)
        walls = _WALLS.fullmatch(text)
        if _OF_RANKS.match(text):
            seconds = None
        if tasks is not None:
            self._asked.keep("ntasks", tasks[1], number)
            self._asked.keep("nnodes", tasks[2], number)
        io = _IO.fullmatch(text)
        if tasks is None and seconds is None and walls is None and io is None and _FIGURES.match(text):
            self._changed.looked_at(text, number)
        if seconds is not None and self._seconds is None:
            self._seconds = float(seconds[1])
            self._asked.keep("elapsed_s", seconds[1], number)
        if walls is not None and self._seconds is None:
            self._seconds = float(walls[4])
            self._asked.keep("elapsed_s", walls[4], number)
        if io is not None and self._io is None:
            self._io = float(io[2]), float(io[4])
            self._asked.keep("io_mean_s", io[2], number)
            self._asked.keep("io_slowest_s", io[4], number)
        if time is not None and (local := _local(time[2])) is not None:
            self._asked.keep(_FIELD_OF[time[1]], local, number)


def _local(text: str) -> str | None:
    """The time in ISO's form; None for another shape."""
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).isoformat()
        except ValueError:
            continue
    return None


def _start(line: Line, before: Iterable[Line]) -> Machine:  # noqa: ARG001
    return IpmMachine(line)


def _describe(parts: tuple[Part, ...]) -> str | None:
    banners = [p for p in parts if isinstance(p, JobContext) and p.source == "ipm"]
    return f"IPM: {plural(len(banners), 'run')}" if banners else None


reader: Final = BlockReader(
    id="ipm",
    title="IPM banner",
    anchors=(b"##IPM",),
    begins=at_line_start(_FIRST),
    start=_start,
    describe=_describe,
    signs="head",
    precedence=9,
    most_blocks=MOST_RUNS,
)

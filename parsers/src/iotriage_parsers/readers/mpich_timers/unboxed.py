"""The block without its box, as it comes out of slides: labels and numbers on lines of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import Lines, MpiioTimers, Problem
from iotriage_parsers.readers.mpich_timers.block import (
    TITLE,
    TimersSegment,
    fits,
    known_label,
    segment_of,
    segment_problems,
    trusted_part,
)
from iotriage_parsers.readers.mpich_timers.rows import KIND, columns, is_header, printed
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.boxed import Row
from iotriage_parsers.text.lines import Line

_PATIENCE: Final = 3
_FEWEST_ROWS: Final = 2
_NUMBERS: Final = re.compile(r"=?\s*(?:(?:[0-9][0-9.]*|NA|nan|inf)%?\s*)+")
_FOOTNOTE: Final = "(*) send and "
_RATE_TOLERANCE: Final = 0.01


class UnboxedMachine:
    """Numbers go to the row that still lacks some, else to the next label. What was put in order so is kept only where
    it is confirmed: a phase by its percent of the total, a bandwidth by the times that it is a quotient of."""

    def __init__(self, line: Line) -> None:
        title = TITLE.search(line.text)
        assert title is not None
        self._segment: TimersSegment = segment_of(title, line.text, line.number)
        self._open: Row | None = None
        self._early: list[str] = []
        self._last = line.number
        self._foreign = 0

    def feed(self, line: Line) -> LineResult:
        answer = self._line(line)
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._last, self._foreign = line.number, 0
        elif line.text.strip():
            self._foreign += 1
        return answer

    def close(self) -> BlockResult:
        self._shut()
        segment = self._segment
        if len(segment.rows) < _FEWEST_ROWS:
            return BlockResult()
        lines = Lines(segment.line, self._last)
        part, problems = trusted_part(segment, lines)
        confirmed, doubts = _confirmed(part)
        own = tuple(p for p in problems if p.code != "note")
        return BlockResult((confirmed,), (*segment_problems(segment, lines, boxed=False), *own, *doubts))

    def _line(self, line: Line) -> LineResult:
        text = line.text.strip()
        if TITLE.search(text):
            return LineResult.OVER
        if text.startswith(_FOOTNOTE):
            return LineResult.LAST
        if not text:
            return LineResult.FOREIGN
        found = printed(text)
        label = known_label(self._segment.direction, found.label)
        if label is not None:
            return self._begin(Row(label, found.label, found.text, line.number, not line.ended))
        if _NUMBERS.fullmatch(text):
            self._put(text.lstrip("= "))
            return LineResult.TAKEN
        if is_header(text):
            return LineResult.TAKEN
        return LineResult.OVER if self._foreign >= _PATIENCE else LineResult.FOREIGN

    def _begin(self, row: Row) -> LineResult:
        self._shut()
        row.text = " ".join((*self._early, row.text)).strip()
        self._early = []
        self._open = row
        return LineResult.TAKEN

    def _put(self, numbers: str) -> None:
        if self._open is not None and not _has_all(self._open):
            self._open.text = f"{self._open.text} {numbers}".strip()
        else:
            self._early.append(numbers)

    def _shut(self) -> None:
        row, self._open = self._open, None
        if row is None or not row.text:
            return
        if not _has_all(row):
            self._segment.torn.append(row.line)
        elif (earlier := self._segment.row(row.label)) is not None:
            self._segment.torn += [earlier.line, row.line]
            self._segment.rows.remove(earlier)
        else:
            self._segment.rows.append(row)


def _has_all(row: Row) -> bool:
    words, percent = columns(row.text)
    match KIND[row.label]:
        case "ticks":
            return percent is not None
        case "seconds":
            return len(words) >= 3
        case _:
            return len(words) >= 1


def _confirmed(part: MpiioTimers) -> tuple[MpiioTimers, tuple[Problem, ...]]:
    problems = []
    phases = []
    for phase in part.phases:
        low, high, mean = phase.ticks.minimum, phase.ticks.maximum, phase.ticks.average
        ordered = low is not None and high is not None and mean is not None and low <= mean <= high
        if ordered and fits(phase, part.total_ticks):
            phases.append(phase)
        else:
            message = f'the figures of "{phase.label}" (line {phase.line}) do not fit together: left out'
            problems.append(Problem("torn", message, loses_data=True, line=phase.line))
    part = replace(part, phases=tuple(phases), complete=part.complete and not problems)
    if _rates_fit(part):
        return part, tuple(problems)
    message = f"the bandwidths of the block at line {part.lines.first} do not fit its times: left out"
    problems.append(Problem("torn", message, loses_data=True, line=part.lines.first))
    left_out = replace(part, complete=False, data_send_bandwidth=None, raw_bandwidth=None, net_bandwidth=None)
    return left_out, tuple(problems)


def _rates_fit(part: MpiioTimers) -> bool:
    """All three are the block's bytes over a time: over the total, over that of sending, over that of the access."""
    for label, rate in (("data send", part.data_send_bandwidth), ("file access", part.raw_bandwidth)):
        phase = part.phase(label)
        if rate is None or part.net_bandwidth is None or not part.total_ticks or phase is None:
            continue
        expected = rate * (phase.ticks.average or 0) / part.total_ticks
        if abs(expected - part.net_bandwidth) > _RATE_TOLERANCE * part.net_bandwidth:
            return False
    return True

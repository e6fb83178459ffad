"""HACC-IO: what writing a checkpoint and reading it again came to. https://github.com/glennklockwood/hacc-io prints a
line for each, by the time of the slowest rank.

Its MB are 2^20 bytes. The program prints neither its ranks nor its files; a line whose rate is not that of its bytes
and seconds is changed, and not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, Lines, Part, PhaseRate, Problem
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural, rates_of

_NUMBER: Final = r"(\d{1,12}(?:\.\d{1,9})?(?:e[+-]\d{1,3})?)"
_RESULT: Final = re.compile(
    rf"(WRITE Checkpoint|READ Restart) Perf: {_NUMBER} BW\[MB/s\] (\d{{1,19}}) Bytes {_NUMBER} MaxTime\[sec\]"
)
_BEGINS: Final = re.compile(r"(?:WRITE Checkpoint|READ Restart) Perf: \d")
_PHASES: Final = {"WRITE Checkpoint": "write checkpoint", "READ Restart": "read restart"}
_MB: Final = 2**20
_ROUNDED: Final = 0.001
"""C++ prints six digits of each."""
FOREIGN_LINES: Final = 20


class HaccIoMachine:
    """The result of one run: a phase that comes again is another's."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._rates: dict[str, PhaseRate] = {}
        self._wrong: list[int] = []
        self._torn: int | None = None
        self._changed = ChangedFigures("HACC-IO")
        self._foreign = 0
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if _BEGINS.match(text) is None:
            self._foreign += bool(text)
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        result = _RESULT.fullmatch(text)
        if result is not None and _PHASES[result[1]] in self._rates:
            return LineResult.OVER
        self._foreign = 0
        self._last = line.number
        if result is None and not self._changed.looked_at(text, line.number):
            self._torn = line.number
        elif result is None:
            return LineResult.TAKEN
        else:
            self._take(result, line.number)
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        lines = Lines(self._first, self._last)
        run = BenchmarkRates("HACC_IO", lines, self._torn is None, tuple(self._rates.values()))
        problems = [
            Problem(
                "damaged",
                f"on line {n} the rate is not that of its bytes and seconds: it is not read",
                loses_data=True,
                line=n,
            )
            for n in self._wrong
        ]
        problems += self._changed.problems()
        if self._torn is not None:
            message = f"line {self._torn} is torn: a result of HACC-IO is cut"
            problems.append(Problem("torn", message, loses_data=True, line=self._torn))
        return BlockResult((run,) if self._rates or problems else (), tuple(problems))

    def _take(self, result: re.Match[str], number: int) -> None:
        rate, moved, seconds = float(result[2]) * _MB, int(result[3]), float(result[4])
        if abs(rate * seconds - moved) > _ROUNDED * moved:
            self._wrong.append(number)
            return
        phase = _PHASES[result[1]]
        self._rates[phase] = PhaseRate(phase, "B/s", number, rate, seconds=seconds)


def _start(line: Line, _before: Iterable[Line]) -> Machine:
    return HaccIoMachine(line)


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = rates_of(parts, "HACC_IO")
    return f"HACC-IO: {plural(len(runs), 'run')}" if runs else None


reader: Final = BlockReader(
    id="hacc_io",
    title="HACC-IO output",
    anchors=(b" Checkpoint Perf: ", b" Restart Perf: "),
    begins=at_line_start(_BEGINS),
    start=_start,
    describe=_describe,
    precedence=35,
    most_blocks=MOST_RUNS,
)

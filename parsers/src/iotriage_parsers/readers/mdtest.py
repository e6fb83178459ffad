"""mdtest, 1.9 to 4.1: what creating, reading and removing files and directories came to, in operations per second.

Its summary has a row for each phase; of phases that were not asked for it prints zeros, which are no results. With -v
each rank's and iteration's lines stand between; they are not read. The table of 4.x has figures of the single ranks
before those of the iterations, which are the last four columns in all versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, BenchmarkSetting, Lines, Part, PhaseRate, Problem
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult, Machine, line_finder
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural
from iotriage_parsers.text.wrapped_rows import WrappedRows

_LAUNCHED: Final = re.compile(
    r"mdtest-([\w.+-]{1,40}) was launched with (\d{1,9}) total task\(?s?\)?"
    r"(?: on (\d{1,9})(?: node\(?s?\)?|\s*$)|(?: on)?\s*$)"
)
"""Its end may stand on the next line, where a mail program broke it: then the nodes are not told."""
_STARTED: Final = re.compile(r"-- started at (.{1,40}?) --")
_COMMAND: Final = re.compile(r"Command line used:\s*(.{1,4000})")
_SUMMARY: Final = re.compile(r"SUMMARY(?: (rate|time))?\b")
_ROW: Final = re.compile(
    r"((?:File|Directory|Tree) [a-z]{1,20}(?: \([a-z]{1,20}\))?)\s*:?\s+"
    r"((?:(?:\d{1,20}(?:\.\d{0,9})?|NA|nan|inf)(?:\s+|$)){4,7})"
)
_PHASE: Final = re.compile(r"(?:File|Directory|Tree) [a-z]{1,20}(?: \([a-z]{1,20}\))?\s*:?\s+\d")
_FIGURES: Final = re.compile(r"(?:(?:\d{1,20}(?:\.\d{0,9})?|NA|nan|inf)(?:\s+|$)){1,6}")
_LAST_PHASE: Final = "tree removal"
"""Its row ends the table, with zeros where it was not asked for."""
_WITH_RANKS: Final = 7
"""Figures of a row where those of the single ranks stand before the others."""
_DIRECTORY: Final = re.compile(r"'?-d'?\s+'?([^'\s]{1,1000})")
_FIGURE: Final = re.compile(r"\d{1,20}(?:\.\d{0,9})?")
_SETTING: Final = re.compile(r"(Path|FS|barriers|iterations|items_per_dir|write_bytes|read_bytes)\s*:\s+(.{1,400})")
_ASKED: Final = re.compile(r"(\d{1,9}) tasks, (\d{1,19}) (files/directories|files|directories)")
_OWN: Final = line_finder(rb"mdtest-|-- |Command line|SUMMARY|File |Directory |Tree |Path|FS|\d{1,9} tasks,")
MOST_ROWS: Final = 1_000


class MdtestMachine:
    """Over with "-- finished at"; another start begins another run."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        launched = _LAUNCHED.search(line.text)
        assert launched is not None
        self._first = self._last = line.number
        self._version, tasks, nodes = launched.groups()
        self._nprocs, self._nodes = int(tasks), None if nodes is None else int(nodes)
        self._began: str | None = None
        self._command: str | None = None
        self._settings: list[BenchmarkSetting] = []
        self._rates: dict[str, PhaseRate] = {}
        self._seconds: dict[str, float] = {}
        self._table: str | None = None
        self._ended = False
        self._table_ended = False
        self._columns: int | None = None
        self._rows = WrappedRows("mdtest's table", _PHASE, self._is_whole)
        self._torn: list[int] = []
        self._changed = ChangedFigures("mdtest")
        for earlier in before:
            started = _STARTED.match(earlier.text.strip())
            if started is not None:
                self._began, self._first = started.group(1), earlier.number
            if started is not None or earlier.text.strip():
                break

    def next_own(self, data: bytes, start: int, end: int) -> int:
        return _OWN(data, start, end)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if _LAUNCHED.search(text) or _STARTED.match(text):
            return LineResult.OVER
        if text.startswith("-- finished at"):
            self._ended, self._last = True, line.number
            return LineResult.LAST
        answer = self._taken(line, text)
        if answer is LineResult.TAKEN:
            self._last = line.number
        return answer

    def close(self) -> BlockResult:
        rates = tuple(
            PhaseRate(r.phase, r.unit, r.line, r.mean, r.maximum, r.minimum, r.stddev, self._seconds.get(r.phase))
            for r in self._rates.values()
        )
        command = self._command or ""
        directory = _DIRECTORY.search(command)
        run = BenchmarkRates(
            "mdtest",
            Lines(self._first, self._last),
            self._ended or self._table_ended,
            rates,
            version=self._version,
            nprocs=self._nprocs,
            nodes=self._nodes,
            command_line=self._command,
            file=directory.group(1) if directory is not None else None,
            began_local=self._began,
            settings=tuple(self._settings),
        )
        problems = [
            Problem("torn", f"line {n} is torn: a row of mdtest's table is cut", loses_data=True, line=n)
            for n in self._torn
        ]
        problems += (*self._rows.problems(), *self._changed.problems())
        if not (self._ended or self._table_ended):
            rest = "what it had printed is read" if rates else "it has no results"
            message = f"the mdtest output at lines {self._first}-{self._last} has no end (-- finished at): {rest}"
            problems.append(Problem("unterminated", message, loses_data=True, line=self._first))
        return BlockResult((run,), tuple(problems))

    def _taken(self, line: Line, text: str) -> LineResult:
        summary = _SUMMARY.match(text)
        if summary is not None:
            self._table = summary.group(1) or "rate"
            return LineResult.TAKEN
        if self._table is not None and _PHASE.match(text) and self._changed.looked_at(text, line.number):
            return LineResult.TAKEN
        if "per Rank:" in text:
            self._columns = _WITH_RANKS
        given = Line(line.number, text, line.ended)
        whole = self._rows.row(given) if self._table is not None and text else None
        row = _ROW.fullmatch(whole.text) if whole is not None else None
        if whole is not None and row is not None:
            return self._row(whole, " ".join(row.group(1).split()).lower(), row.group(2).split())
        if self._rows.is_open and _FIGURES.fullmatch(text):
            return LineResult.TAKEN
        command = _COMMAND.match(text)
        if command is not None and self._command is None:
            self._command = command.group(1).strip()
            return LineResult.TAKEN
        asked = _ASKED.match(text)
        if asked is not None:
            self._settings.append(BenchmarkSetting(asked.group(3), asked.group(2), line.number))
            return LineResult.TAKEN
        setting = _SETTING.fullmatch(text)
        if setting is not None and self._table is None and len(self._settings) < MOST_ROWS:
            self._settings.append(BenchmarkSetting(setting.group(1), setting.group(2), line.number))
            return LineResult.TAKEN
        return LineResult.FOREIGN

    def _is_whole(self, text: str) -> bool:
        row = _ROW.fullmatch(text)
        return row is not None and self._columns in (None, len(row.group(2).split()))

    def _row(self, line: Line, phase: str, cells: list[str]) -> LineResult:
        if not line.ended:
            self._torn.append(line.number)
            return LineResult.TAKEN
        self._table_ended = phase == _LAST_PHASE
        highest, lowest, mean, deviation = (_figure(cell) for cell in cells[-4:])
        if not (highest or lowest or mean):
            return LineResult.TAKEN
        if self._table == "time":
            if mean is not None:
                self._seconds.setdefault(phase, mean)
        elif len(self._rates) < MOST_ROWS:
            self._rates.setdefault(phase, PhaseRate(phase, "ops/s", line.number, mean, highest, lowest, deviation))
        return LineResult.TAKEN


def _figure(text: str) -> float | None:
    return float(text) if _FIGURE.fullmatch(text) else None


def _start(line: Line, before: Iterable[Line]) -> Machine:
    return MdtestMachine(line, before)


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = [p for p in parts if isinstance(p, BenchmarkRates) and p.tool == "mdtest"]
    if not runs:
        return None
    versions = " and ".join(dict.fromkeys(r.version for r in runs if r.version is not None))
    phases = ", ".join(dict.fromkeys(rate.phase for run in runs for rate in run.rates))
    return f"mdtest {versions}: {plural(len(runs), 'run')}" + (f" ({phases})" if phases else "")


reader: Final = BlockReader(
    id="mdtest",
    title="mdtest output",
    anchors=(b" was launched with ",),
    begins=at_line_start(_LAUNCHED),
    start=_start,
    describe=_describe,
    precedence=39,
)

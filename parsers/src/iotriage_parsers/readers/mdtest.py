"""mdtest, 1.9 to 4.1: what creating, reading and removing files and directories came to, in operations per second.

Its summary has a row for each phase; of phases that were not asked for it prints zeros, which are no results. With -v
each rank's and iteration's lines stand between; they are not read. The table of 4.x has figures of the single ranks
before those of the iterations, which are the last four columns in all versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, BenchmarkSetting, Lines, Part, PhaseRate, Problem
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, line_finder
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import decimals
from iotriage_parsers.text.wording import phases_phrase, rates_of
from iotriage_parsers.text.wrapped_commands import WrappedCommand
from iotriage_parsers.text.wrapped_rows import WrappedRows

_LAUNCHED: Final = re.compile(
    r"mdtest-([\w.+-]{1,40}) was launched with (\d{1,9}) total task\(?s?\)?"
    r"(?: on (\d{1,9})(?: node\(?s?\)?|\s*$)|(?: on)?\s*$)"
)
"""Its end may stand on the next line, where a mail program broke it: then the nodes are not told."""
_DASHES: Final = "(?:--|[\u2013\u2014])"
"""Trackers of issues and word processors make one dash of two."""
_STARTED: Final = re.compile(rf"{_DASHES} started at (.{{1,40}}?) {_DASHES}")
_FINISHED: Final = re.compile(rf"{_DASHES} finished at")
_COMMAND: Final = re.compile(r"Command line used:\s*(.{1,4000})")
_OF_MDTEST: Final = re.compile(r"\S{0,400}\bmdtest\b")
_OF_ONE: Final = "(in ms/op)"
"""Since 4.1 the table of times may be of one operation, which is not the phase's."""
LINES_BEFORE: Final = 20
"""Lines before a table without a head, among which its command and its tasks may stand."""
_SUMMARY: Final = re.compile(r"SUMMARY(?: (rate|time))?\b")
_TABLE: Final = re.compile(r"SUMMARY(?: rate)?: \(of \d{1,9} iterations\)")
"""Begins a table that is pasted without the lines before it."""
_ROW: Final = re.compile(
    r"((?:File|Directory|Tree) [a-z]{1,20}(?: \([a-z]{1,20}\))?)\s*:?\s+"
    r"((?:(?:\d{1,20}(?:\.\d{0,9})?|NA|nan|inf)(?:\s+|$)){4,7})"
)
_PHASE: Final = re.compile(r"(?:File|Directory|Tree) [a-z]{1,20}(?: \([a-z]{1,20}\))?\s*:?\s+\d")
_FIGURES: Final = re.compile(r"(?:(?:\d{1,20}(?:\.\d{0,9})?|NA|nan|inf)(?:\s+|$)){1,6}")
_LAST_PHASE: Final = "tree removal"
"""Its row ends the table, with zeros where it was not asked for."""
_WITHOUT_RANKS: Final = 4
_WITH_RANKS: Final = 7
"""Figures of a row where those of the single ranks stand before the others; a row with another number of them was
broken within a figure."""
_DIRECTORY: Final = re.compile(r"['\u2018\u2019]?-d['\u2019]?\s+['\u2018\u2019]?([^'\u2019\s]{1,1000})")
_FIGURE: Final = re.compile(r"\d{1,20}(?:\.\d{0,9})?")
_SETTING: Final = re.compile(r"(Path|FS|barriers|iterations|items_per_dir|write_bytes|read_bytes)\s*:\s+(.{1,400})")
_ASKED: Final = re.compile(r"(\d{1,9}) tasks, (\d{1,19}) (files/directories|files|directories)")
_OWN: Final = line_finder(
    rb"mdtest-|(?:--|\xe2\x80[\x93\x94]) |Command line|SUMMARY|File |Directory |Tree |Path|FS"
    rb"|barriers|iterations|items_per_dir|(?:write|read)_bytes|\d{1,9} tasks,"
)
MOST_ROWS: Final = 1_000


class MdtestMachine:
    """Over with "-- finished at"; another start begins another run, and so does another table of rates."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        launched = _LAUNCHED.search(line.text)
        self._fragment = launched is None
        self._first = self._last = line.number
        self._version: str | None = None
        self._nprocs: int | None = None
        self._nodes: int | None = None
        self._began: str | None = None
        self._command = WrappedCommand()
        self._settings: list[BenchmarkSetting] = []
        self._rates: dict[str, PhaseRate] = {}
        self._seconds: dict[str, float] = {}
        self._table: str | None = None
        self._ended = False
        self._table_ended = False
        self._columns: int | None = None
        self._rows = WrappedRows("mdtest's table", _PHASE, self._is_whole)
        self._torn: list[int] = []
        self._cut_rows: dict[int, int] = {}
        self._changed = ChangedFigures("mdtest")
        if launched is None:
            self._table_alone(before)
            return
        self._version, tasks, nodes = launched.groups()
        self._nprocs, self._nodes = int(tasks), None if nodes is None else int(nodes)
        for earlier in before:
            started = _STARTED.match(earlier.text.strip())
            if started is not None:
                self._began, self._first = started.group(1), earlier.number
            if started is not None or earlier.text.strip():
                break

    def next_own(self, data: bytes, start: int, end: int) -> int:
        return start if self._command.is_open else _OWN(data, start, end)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if _LAUNCHED.search(text) or _STARTED.match(text):
            return LineResult.OVER
        if _FINISHED.match(text):
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
        problems = [
            Problem("torn", f"line {n} is torn: a row of mdtest's table is cut", loses_data=True, line=n)
            for n in self._torn
        ]
        problems += (*self._rows.problems(), *self._changed.problems())
        if self._cut_rows:
            left_out = "the last figure of a row that lacks decimals there is left out"
            column, number = max(self._cut_rows.values()), next(iter(self._cut_rows))
            problems.append(cut_problem("mdtest's table", column, number, left_out))
        if self._fragment and not rates:
            return BlockResult((), tuple(problems))
        command = self._command.text or ""
        directory = _DIRECTORY.search(command)
        run = BenchmarkRates(
            "mdtest",
            Lines(self._first, self._last),
            self._ended or self._table_ended or self._fragment,
            rates,
            version=self._version,
            nprocs=self._nprocs,
            nodes=self._nodes,
            command_line=self._command.text,
            file=directory.group(1) if directory is not None else None,
            began_local=self._began,
            settings=tuple(self._settings),
        )
        if self._fragment:
            missing = "its nodes are" if self._nprocs else "its ranks and nodes are"
            where = f"lines {self._first}-{self._last}"
            message = f"{where} are a table of mdtest without the lines before it: {missing} not known"
            problems.append(Problem("note", message, line=self._first))
        elif not (self._ended or self._table_ended):
            rest = "what it had printed is read" if rates else "it has no results"
            message = f"the mdtest output at lines {self._first}-{self._last} has no end (-- finished at): {rest}"
            problems.append(Problem("unterminated", message, loses_data=True, line=self._first))
        return BlockResult((run,), tuple(problems))

    def _table_alone(self, before: Iterable[Line]) -> None:
        """What stands near before a table that is pasted alone, up to the rows of another."""
        self._table = "rate"
        for earlier in islice(before, LINES_BEFORE):
            text = earlier.text.strip()
            if _PHASE.match(text):
                break
            asked, command = _ASKED.match(text), _COMMAND.match(text)
            if asked is not None and self._nprocs is None:
                self._nprocs, self._first = int(asked.group(1)), earlier.number
                self._settings.append(BenchmarkSetting(asked.group(3), asked.group(2), earlier.number))
            elif command is not None:
                if _OF_MDTEST.match(command.group(1)):
                    self._command.begin(earlier, command.group(1))
                    self._first = earlier.number
                break

    def _taken(self, line: Line, text: str) -> LineResult:
        if self._command.is_open and self._command.goes_on(line):
            return LineResult.TAKEN
        for read in (self._heading, self._table_row, self._asked):
            answer = read(line, text)
            if answer is not None:
                return answer
        return LineResult.FOREIGN

    def _heading(self, line: Line, text: str) -> LineResult | None:
        """Of a table, or a phase in it whose letters were changed."""
        summary = _SUMMARY.match(text)
        if summary is not None:
            if self._rates and (summary.group(1) or "rate") == "rate":
                return LineResult.OVER
            self._table = "time of one" if _OF_ONE in text else summary.group(1) or "rate"
            return LineResult.TAKEN
        if self._table is not None and _PHASE.match(text) and self._changed.looked_at(text, line.number):
            self._rows.give_up()
            return LineResult.TAKEN
        if "per Rank:" in text:
            self._columns = _WITH_RANKS
        return None

    def _table_row(self, line: Line, text: str) -> LineResult | None:
        given = Line(line.number, text, line.ended)
        whole = self._rows.row(given) if self._table is not None and text else None
        if whole is not None and self._changed.looked_at(whole.text, whole.number):
            return LineResult.TAKEN
        row = _ROW.fullmatch(whole.text) if whole is not None else None
        if whole is not None and row is not None:
            cells = row.group(2).split()
            if decimals(cells[-1]) < decimals(cells[0]) and _FIGURE.fullmatch(cells[-1]):
                cells[-1] = ""
                self._cut_rows[whole.number] = len(line.text)
            return self._row(whole, " ".join(row.group(1).split()).lower(), cells)
        return LineResult.TAKEN if self._rows.is_open and _FIGURES.fullmatch(text) else None

    def _asked(self, line: Line, text: str) -> LineResult | None:
        """What the run was asked for: its command line and its settings. Behind a table they are another run's."""
        command, asked = _COMMAND.match(text), _ASKED.match(text)
        if self._rates and (command is not None or asked is not None):
            return LineResult.OVER
        if command is not None and self._command.text is None:
            self._command.begin(line, command.group(1))
            return LineResult.TAKEN
        if asked is not None:
            self._settings.append(BenchmarkSetting(asked.group(3), asked.group(2), line.number))
            return LineResult.TAKEN
        setting = _SETTING.fullmatch(text)
        if setting is None or self._table is not None or len(self._settings) >= MOST_ROWS:
            return None
        self._settings.append(BenchmarkSetting(setting.group(1), setting.group(2), line.number))
        return LineResult.TAKEN

    def _is_whole(self, text: str) -> bool:
        row = _ROW.fullmatch(text)
        columns = (_WITHOUT_RANKS, _WITH_RANKS) if self._columns is None else (self._columns,)
        return row is not None and len(row.group(2).split()) in columns

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
        elif self._table == "rate" and len(self._rates) < MOST_ROWS:
            self._rates.setdefault(phase, PhaseRate(phase, "ops/s", line.number, mean, highest, lowest, deviation))
        return LineResult.TAKEN


def _figure(text: str) -> float | None:
    return float(text) if _FIGURE.fullmatch(text) else None


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = rates_of(parts, "mdtest")
    versions = " and ".join(dict.fromkeys(r.version for r in runs if r.version is not None))
    return phases_phrase(f"mdtest {versions}" if versions else "mdtest", runs, "run")


reader: Final = BlockReader(
    id="mdtest",
    title="mdtest output",
    anchors=(b" was launched with ", b"SUMMARY: (of ", b"SUMMARY rate: (of "),
    begins=at_line_start(re.compile(f"(?:{_LAUNCHED.pattern}|{_TABLE.pattern})")),
    start=MdtestMachine,
    describe=_describe,
    precedence=39,
    most_blocks=MOST_RUNS,
)

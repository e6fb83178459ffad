"""Reads a text of darshan-parser or darshan-dxt-parser, line by line or many rows at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import DarshanSummary, DxtTrace, ModuleSummary, Problem
from iotriage_parsers.evidence.dxt import LAYER_OF_MODULE
from iotriage_parsers.readers.darshan_text import darshan2_totals, dxt
from iotriage_parsers.readers.darshan_text.header import Header, is_start
from iotriage_parsers.readers.darshan_text.log import Sections, flag_problems, log_of, modules_of, no_header
from iotriage_parsers.readers.darshan_text.records import LAST_COLUMN, Records
from iotriage_parsers.readers.darshan_text.summary import Summaries, cut_performance, cut_totals
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

PARSER_ID: Final = "darshan_parser_text"
DXT_ID: Final = "darshan_dxt_text"

_SECTION: Final = re.compile(r"# (\S{1,30}) module data\s*")
_INCOMPLETE: Final = re.compile(r"# \*(WARNING|ERROR)\*: The (\S{1,30}) module contains incomplete data!\s*")
_PARTIAL: Final = re.compile(
    r"#\s*\*+\s*(?:WARNING|ERROR|NOTE)?\W*(\S{1,30}) module\b.*\bincomplete\b.*", re.IGNORECASE
)
_BEHIND_MARK: Final = ("", " ", "\t", "<")
"""What its comments go on with: the directives of a script do not, nor do the banners of others."""
_IN_HEADER: Final = ("# ---", "# ***", "# mounted file systems")
_WHOLE_LINES: Final = (" # seconds", " # MiB/s", " available.", " opened.", " log.")
"""Ends of lines that are whole though the text has no line end there."""

_FILE_LIST: Final = "# Per-file summary of I/O activity"
_LISTED: Final = re.compile(r"[0-9]{1,20}\t[^\t]{1,4096}(?:\t-?[0-9]{1,19}(?:\.[0-9]{1,9})?){3,20}")
_ONLY_LISTED: Final = (
    "darshan-parser --file-list: seconds by file and no counters, of which nothing is used here. "
    "Without options darshan-parser prints the counters."
)
_NO_DXT: Final = "# no DXT module data available"
_NO_FILES: Final = "# no files opened"
"""What darshan-parser 2.x prints in the place of the rows."""
_MOST_SECTIONS: Final = 1_000
_COLUMN_NAMES: Final = ("#<module>\t", "#<module> ", "#<rank>\t")


class DarshanText:
    """One text, from its header (or from the line of column names, where that is all there is) to where another
    begins. Blanks before its first line, as code in a ticket has them, stand before all of its lines."""

    def __init__(self, first: Line) -> None:
        self._header = Header()
        self._records = Records()
        self._summaries = Summaries()
        self._traces = dxt.Traces()
        self._module: str | None = None
        self._seen: set[str] = set()
        self._traced: set[str] = set()
        self._flagged: set[str] = set()
        self._refused: set[str] = set()
        self._no_dxt = self._no_files = False
        self._lists_files = False
        self._header_over = False
        self._cut_line: int | None = None
        self._began = first.number
        self._indent = first.text[: len(first.text) - len(first.text.lstrip(" \t"))]

    def feed(self, line: Line) -> LineResult:
        if self._indent:
            line = line._replace(text=line.text.removeprefix(self._indent))
        number, text, ended = line
        if is_start(line) and number > self._began:
            return LineResult.OVER
        if text.startswith(dxt.FIRST) and self._has_counters:
            return LineResult.OVER  # a trace without its header, pasted behind them
        if not ended and text.startswith(("#", "total_")) and not text.endswith(_WHOLE_LINES):
            self._cut_line = number
            return LineResult.TAKEN
        if text.startswith(_COLUMN_NAMES) or text.rstrip().endswith(LAST_COLUMN):
            self._records.head(text)
        taken = self._comment(number, text) if text.startswith("#") else self._data(number, text, ended)
        return LineResult.TAKEN if taken else LineResult.FOREIGN

    def take(self, data: bytes, start: int, end: int, _number: int) -> int:
        return self._traces.take(data, start, end) if self._traces else self._records.take(data, start, end)

    def close(self) -> BlockResult:
        self._records.flush()
        sections = Sections(
            seen=frozenset((*self._seen, *self._records.seen)),
            flagged=frozenset(self._flagged),
            refused=frozenset(self._refused),
            header_whole=self._header.whole and self._header_over,
            no_files=self._no_files,
        )
        is_trace = self._traces or self._no_dxt or not self._seen.isdisjoint(LAYER_OF_MODULE)
        if is_trace and not self._has_counters:
            found = self._dxt(sections)
        elif (self._summaries or self._lists_files) and not self._records.seen:
            found = self._summary(sections)
        else:
            log, problems = log_of(self._header, self._records, sections)
            found = BlockResult((log,), problems)
        placed = [self._placed(p) for p in found.problems]
        if self._cut_line is not None:
            message = "The text ends within a line, whose figure may be cut: it was left out."
            placed.append(Problem("truncated", message, loses_data=True, line=self._cut_line))
        return BlockResult(found.parts, tuple(placed), found.reader)

    @property
    def _has_counters(self) -> bool:
        return bool(self._summaries or self._records.seen)

    def _comment(self, number: int, text: str) -> bool:
        if text[1:2] not in _BEHIND_MARK:
            return False
        if self._header.feed(text) or text.startswith(_IN_HEADER):
            return True
        self._header_over = True
        if self._traces.heading(text):
            if text.startswith(dxt.FIRST) and self._module is not None:
                self._traced.add(self._module)
            return True
        if found := _SECTION.fullmatch(text):
            self._records.flush()
            self._module = found[1]
            if len(self._seen) < _MOST_SECTIONS:
                self._seen.add(found[1])
            return True
        if found := _INCOMPLETE.fullmatch(text) or _PARTIAL.fullmatch(text):
            self._incomplete(found)
            return True
        if text.startswith(_NO_DXT):
            self._no_dxt = True
        elif text.startswith(_NO_FILES):
            self._no_files = True
        elif text.startswith(_FILE_LIST):
            self._lists_files = True
        else:
            self._summaries.feed(self._module, number, text)
        return True

    def _incomplete(self, found: re.Match[str]) -> None:
        module = found[found.lastindex or 1]
        if len(self._flagged) < _MOST_SECTIONS:
            self._flagged.add(module)
            if found[1] == "ERROR":
                self._refused.add(module)

    def _data(self, number: int, text: str, ended: bool) -> bool:
        if not text or text.isspace():
            return False
        if text.startswith("total_"):
            return self._summaries.feed(self._module, number, text)
        if self._summaries.goes_on(number, text):
            return True
        if self._lists_files and _LISTED.fullmatch(text):
            return True
        return self._traces.row(text, ended=ended) or self._records.row(text, ended=ended)

    def _dxt(self, sections: Sections) -> BlockResult:
        problems: list[Problem] = []
        job = self._header.job(problems)
        layers = frozenset(layer for module, layer in LAYER_OF_MODULE.items() if module in self._flagged)
        traces, complaints = self._traces.result(job, layers)
        problems += complaints
        problems += flag_problems(sections)
        problems += self._missing_layers(traces)
        if not sections.header_whole:
            problems.append(no_header(self._header))
        if self._no_dxt:
            problems.append(Problem("note", "The log has no DXT data: the job ran without DXT_ENABLE_IO_TRACE."))
        return BlockResult(traces, tuple(problems), DXT_ID)

    def _missing_layers(self, traces: tuple[DxtTrace, ...]) -> list[Problem]:
        there = {trace.layer for trace in traces if len(trace)}
        return [
            Problem(
                "truncated",
                f"{module}: the header lists it with {info.compressed_bytes} bytes, but it is not in the text: "
                "it was cut off or left out.",
                loses_data=True,
                where=module,
            )
            for module, layer in LAYER_OF_MODULE.items()
            if (info := self._header.modules.get(module)) and info.compressed_bytes and layer not in there
            if not self._no_dxt and module not in self._traced
        ]

    def _summary(self, sections: Sections) -> BlockResult:
        problems: list[Problem] = []
        summary = DarshanSummary(
            log_version=self._header.version,
            job=self._header.job(problems),
            metadata=tuple(self._header.metadata),
            modules=modules_of(self._header, sections),
            summaries=self._of_modules(problems),
        )
        problems += self._summaries.problems()
        problems += cut_totals(summary.summaries, self._summaries.unread)
        problems += cut_performance(summary.summaries)
        problems += flag_problems(sections)
        if self._lists_files:
            problems.append(Problem("note", _ONLY_LISTED))
        there = {one.module for one in summary.summaries}
        for module in ("POSIX", "MPI-IO", "STDIO"):
            info = self._header.modules.get(module)
            if info is not None and info.compressed_bytes and module not in there and not self._lists_files:
                message = f"{module}: the header lists it, but its figures are not in the text: cut off or left out."
                problems.append(Problem("truncated", message, loses_data=True, where=module))
        if not sections.header_whole:
            problems.append(no_header(self._header))
        return BlockResult((summary,), tuple(problems))

    def _of_modules(self, problems: list[Problem]) -> tuple[ModuleSummary, ...]:
        """The blocks of the text; those of Darshan 2.x, which has one for all layers, by module too."""
        found = self._summaries.result()
        for one in found:
            if one.module is None:
                found += darshan2_totals.by_module(one)
                if darshan2_totals.shares_bytes(one):
                    problems.append(Problem("note", darshan2_totals.SHARED_BYTES, line=one.lines.first))
        return found

    def _placed(self, problem: Problem) -> Problem:
        """A problem of a text says on which line the text begins."""
        if problem.line is not None:
            return problem
        return Problem(problem.code, problem.message, problem.loses_data, problem.where, self._began)


def start(first: Line, _before: Iterable[Line]) -> DarshanText:
    """The machine for a text whose first line is `first`, which it reads at once."""
    machine = DarshanText(first)
    machine.feed(first)
    return machine

"""IOR's own text, and what is left of it where only result lines were kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from iotriage_parsers.evidence import BenchmarkHint, Problem
from iotriage_parsers.evidence.run_result import BenchmarkOperation, BenchmarkSource
from iotriage_parsers.readers.ior.results import (
    MOST_ITERATIONS,
    OPERATIONS,
    OneTest,
    SummaryRow,
    iteration,
    number,
    summary_row,
)
from iotriage_parsers.readers.ior.wrapped_table import WrappedTable
from iotriage_parsers.text.blocks import BlockResult, LineResult, line_finder
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.left_out import stands_for_rows
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import short
from iotriage_parsers.text.wrapped_commands import WrappedCommand

OUTPUT_FIRST: Final = (
    r"IOR-[\w.+-]{1,40}: MPI Coordinated Test of Parallel I/O"
    r"|access\s+bw\(MiB/s\)\s"
    r"|Max (?:Write|Read):\s+[\d.]+ MiB/sec"
    r"|Summary of all tests:\s*$"
    r"|Operation\s{1,8}Max ?\(MiB\)\s"
)

_OF_CSV: Final = "access,bw(MiB/s),"
_BANNER: Final = re.compile(r"IOR-([\w.+-]{1,40}): MPI Coordinated Test of Parallel I/O")
_MAXIMUM: Final = re.compile(r"Max (Write|Read):\s+(\S{1,30}(?: \d{3}\S{0,20}){0,4}) MiB/sec\b")
_SUMMARY: Final = "Summary of all tests:"
_HINTS: Final = re.compile(r"hints (passed|returned)\b[^{]{0,60}\{")
_HINT: Final = re.compile(r"([\w.:-]{1,80})\s*=\s*(\S.*)?")
_SETTING: Final = re.compile(r"([A-Za-z][A-Za-z ]{1,29}?)\s*[:=](?:\s(.*))?$")
_TEST_STARTED: Final = re.compile(r"Test \d{1,6} started:")
_RULE: Final = re.compile(r"-{3,}(?:\s+-{3,})+")
_MARK: Final = re.compile(r"\d{1,9}[:-]\s*(?=(?:write|read)\s)", re.IGNORECASE)
"""What `grep -n`, or a launcher, put before a row; the head of the table may have been copied without it."""
_FINISHED: Final = ("finished", "run finished")
_ONCE: Final = frozenset(
    ("began", "run began", "command line", "command line used", "machine", "participating tasks", *_FINISHED)
)
_OF_A_TEST: Final = frozenset(
    (
        "testid", "starttime", "path", "fs", "api", "apiversion", "test filename", "access", "type", "pattern",
        "segments", "ordering in a file", "ordering inter file", "task offset", "nodes", "tasks", "clients per node",
        "clients", "memorybuffer", "dataaccess", "gpudirect", "repetitions", "xfersize", "blocksize",
        "aggregate filesize", "verbose", "stonewallingtime", "stonewallingwearout", "lustre stripe size",
        "stripe count", "using stonewalling", "memorypertask", "memorypernode",
    )
)  # fmt: skip
_FILE_NAME: Final = "test filename"
_NAME_ALONE: Final = re.compile(r"\S{0,400}/\S{0,400}")
"""What a mail has on the line below, where a file's name is long."""
_BEGIN_A_TEST: Final = frozenset(("testid", "starttime", "api"))
_MOVED: Final = re.compile(r"WARNING: Using actual aggregate bytes moved\s*=\s*(\d{1,20})\b(?![^\s\d]?\d)")
_ERROR: Final = re.compile(r"(?:ior )?ERROR(?: in \S{1,80} \(line \d{1,6}\))?: ?(\S.{0,200})")
"""What IOR ends with where a call failed: since 3.2 in one line, before that in two, of which the second has the
reason."""
_CELL: Final = re.compile(r"-|[-+.\d]\S*|n/?a|nan|inf", re.IGNORECASE)
_RATE: Final = re.compile(r"-|\d\S*|-?(?:inf|nan)", re.IGNORECASE)
"""Of bytes over no time C makes inf, or nan of none."""
_LAST_COLUMN: Final = "iter"
_LAST_OF_SUMMARY: Final = "RefNum"
_PADDED: Final = re.compile(r"\S {2,}\S")
_COLUMNS: Final = ("Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev")

_UNDER_WAY: Final = re.compile(r"Commencing [\w ]{1,40} performance test\b|Using Time Stamp \d{1,20} \(")
"""What IOR prints with -v between its rows."""
_BETWEEN: Final = re.compile(r"(?:Options|Results): *|-{3,}|")
"""What stands between the settings and the results, and says nothing."""

LONGEST_LINE: Final = 8192
MOST_TESTS: Final = 10_000


_OWN: Final = line_finder(
    rb"(?i:" + b"|".join(sorted(k.replace(" ", r"\s+").encode() for k in (*_ONCE, *_OF_A_TEST))) + rb")\s*[:=]"
    rb"|(?i:write|read|remove|writecheck|readcheck)[ \t]|IOR-|Max |Summary of|Operation|access[ \t]|hints |\}"
    rb"|Test \d|---|WARNING: Using actual|ior ERROR|ERROR"
)


class OutputMachine:
    """Reads one start of IOR, which may run several tests: with -v and more each rank prints lines between its rows.
    Without its banner it is a fragment: the settings that stand right above its results, and over with the first line
    that is not IOR's."""

    def __init__(self, line: Line, before: Iterable[Line] = ()) -> None:
        self._began = line.number
        self._head = OneTest(line.number, line.number)
        self._tests = [OneTest(line.number, line.number)]
        self._row_columns: list[str] = []
        self._summary_columns: list[str] | None = None
        self._hints: Literal["passed", "returned"] | None = None
        self._over = False
        self._torn: list[int] = []
        self._cut_rows: dict[int, int] = {}
        self._widths: dict[int, int] = {}
        self._changed = ChangedFigures("IOR")
        self._moved: int | None = None
        self._error: tuple[int, str] | None = None
        self._command, self._command_key = WrappedCommand(), ""
        self._wrapped = WrappedTable()
        self._name_broken = 0
        banner = _BANNER.match(line.text.strip())
        self._fragment = banner is None
        if line.text.lstrip().startswith("Operation"):
            self._summary_columns = []
        if banner is not None:
            self._head.keep("version", banner.group(1), line.number)
        else:
            self._settings_above(before)
            self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            return LineResult.FOREIGN
        mark = _MARK.match(text) if self._fragment else None
        if mark is not None:
            text = text[mark.end() :]
            line = line._replace(text=text)
        if self._goes_on(line, text):
            self._head.last = self._test.last = line.number
            return LineResult.TAKEN
        if self._over or _BANNER.match(text) or text.startswith(_OF_CSV):
            return LineResult.OVER
        answer = self._taken(line, text) if len(text) <= LONGEST_LINE else LineResult.FOREIGN
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._head.last = line.number
            if not self._head_only(text):
                self._test.last = line.number
        elif answer is LineResult.FOREIGN and self._fragment and not stands_for_rows(text):
            return LineResult.OVER
        return answer

    def next_own(self, data: bytes, start: int, end: int) -> int:
        is_open = self._hints is not None or self._command.is_open or self._wrapped.is_open
        return start if self._fragment or is_open else _OWN(data, start, end)

    def close(self) -> BlockResult:
        self._give_up()
        tests = [t for t in self._tests if t.has_results or (not self._fragment and t.settings)]
        if not tests:
            return self._nothing()
        self._leave_out_cut((self._head, *tests))
        ended = self._head.text("finished") is not None or (not self._torn and tests[-1].has_all_rows(self._head))
        several = len(tests) > 1
        runs = []
        for test in tests:
            head = self._head if not several else self._head_for(test)
            source: BenchmarkSource = "fragment" if self._fragment else "text"
            runs.append(test.run(head, source, complete=ended or self._fragment))
        return BlockResult(tuple(runs), tuple(self._problems(ended, any(t.has_results for t in tests))))

    def _leave_out_cut(self, tests: Iterable[OneTest]) -> None:
        """What is said of the run on a line that ends where the table's rows are cut is no name and no figure."""
        column = max(self._cut_rows.values(), default=0)
        for test in tests:
            for key in [k for k, s in test.settings.items() if self._widths.get(s.line) == column]:
                del test.settings[key]

    @property
    def _test(self) -> OneTest:
        return self._tests[-1]

    def _head_only(self, text: str) -> bool:
        return text.startswith(("Began", "Run began", "Command line", "Machine"))

    def _head_for(self, test: OneTest) -> OneTest:
        """The head with the lines of one test: a locator of a run should not cover its neighbours."""
        return OneTest(test.first, test.last, settings=self._head.settings)

    def _nothing(self) -> BlockResult:
        if self._fragment:
            return BlockResult((), self._changed.problems())
        message = f"an IOR output begins on line {self._head.first}, but nothing of it follows: nothing was read"
        return BlockResult((), (Problem("unterminated", message, loses_data=True, line=self._head.first),))

    def _problems(self, ended: bool, results: bool) -> list[Problem]:
        first, last = self._head.first, self._head.last
        problems = [
            Problem("torn", f"line {n} is torn: a row of IOR's table lacks cells", loses_data=True, line=n)
            for n in self._torn
        ]
        problems += self._changed.problems()
        if self._cut_rows:
            left_out = "the last figure of each row, and what else ends there, is left out, as it may go on behind it"
            column, number = max(self._cut_rows.values()), next(iter(self._cut_rows))
            problems.append(cut_problem("IOR's table", column, number, left_out))
        if self._fragment:
            head = "head of its output: which run" if self._head.first == self._began else "banner: which version"
            message = f"lines {first}-{last} are results of IOR without the {head} is not known"
            problems.append(Problem("note", message, line=first))
        elif not ended:
            rest = "what it had printed is read" if results else "it has no results"
            problems.append(self._without_end(f"the IOR output at lines {first}-{last}", rest))
        return problems

    def _without_end(self, output: str, rest: str) -> Problem:
        """A text that breaks off is to be given whole; one in which IOR gives up is whole."""
        if self._error is None:
            message = f"{output} has no end (Finished): {rest}"
            return Problem("unterminated", message, loses_data=True, line=self._head.first)
        line, error = self._error
        message = f'{output} ends with an error of IOR, "{short(error)}": {rest}'
        return Problem("note", message, loses_data=True, line=line)

    def _goes_on(self, line: Line, text: str) -> bool:
        """Whether this line is the rest of one that a mail program broke: of the command, of a table's head or row."""
        if self._name_broken == line.number - 1 and _NAME_ALONE.fullmatch(text):
            self._test.lengthen(_FILE_NAME, text)
            self._name_broken = 0
            return True
        if self._command.is_open and self._command.goes_on(line):
            self._head.lengthen(self._command_key, self._command.text or "")
            return True
        columns = self._wrapped.columns(line, text)
        if columns is not None:
            if self._summary_columns is None:
                self._row_columns = columns
            else:
                self._summary_columns = columns
            return True
        if not self._wrapped.takes(line, text):
            self._give_up()
            return False
        whole = self._wrapped.whole()
        if whole is not None:
            self._row(*whole)
        return True

    def _give_up(self) -> None:
        """What was held of a row is all that there is of it."""
        held = self._wrapped.held()
        if held is not None:
            self._row(*held)

    def _taken(self, line: Line, text: str) -> LineResult:
        if self._hints is not None:
            return self._hint(line, text, self._hints)
        operation = OPERATIONS.get(text.split(maxsplit=1)[0].lower())
        if operation is not None:
            cells = text.split()
            if self._wrapped.begins(line, cells, operation, self._summary_columns or self._row_columns):
                return LineResult.TAKEN
            return self._row(line, cells, operation)
        moved = _MOVED.match(text)
        if moved is not None and not self._fragment:
            self._moved = int(moved.group(1))
            return LineResult.TAKEN
        error = _ERROR.match(text)
        if error is not None and not self._fragment:
            self._error = (line.number, error.group(1))
            return LineResult.FOREIGN
        maximum = _MAXIMUM.match(text)
        if maximum is not None:
            return self._maximum(maximum.group(1), maximum.group(2), line.number)
        if text == _SUMMARY:
            if self._fragment and self._summary_columns is not None:
                return LineResult.OVER
            self._summary_columns = []
            return LineResult.TAKEN
        if text.startswith("Operation") and self._summary_columns is not None:
            self._summary_columns = _joined(text).split()
            self._wrapped.begin_columns(line, self._summary_columns)
            return LineResult.TAKEN
        if text.startswith("access") and "bw(MiB/s)" in text:
            if self._fragment and self._test.has_results:
                return LineResult.OVER
            self._row_columns = text.split()
            self._wrapped.begin_columns(line, self._row_columns)
            return LineResult.TAKEN
        if self._row_columns and (_RULE.fullmatch(text) or _UNDER_WAY.match(text)):
            return LineResult.TAKEN
        hints = _HINTS.match(text)
        if hints is not None:
            self._hints = "passed" if hints.group(1) == "passed" else "returned"
            return LineResult.TAKEN
        return self._setting(line, text)

    def _setting(self, line: Line, text: str) -> LineResult:
        if self._fragment:
            return LineResult.FOREIGN
        if _TEST_STARTED.match(text):
            self._next_test(line.number)
            return LineResult.TAKEN
        match = _SETTING.match(text)
        if match is None:
            return LineResult.FOREIGN
        key = " ".join(match.group(1).split()).lower()
        value = (match.group(2) or "").strip()
        self._widths[line.number] = len(line.text)
        if key in _FINISHED:
            if not line.ended:
                return LineResult.FOREIGN
            self._head.keep("finished", value, line.number)
            self._over = True
            return LineResult.LAST
        if key in _ONCE:
            if not self._head.keep(key, value, line.number):
                return LineResult.FOREIGN
            if key.startswith("command line"):
                self._command_key = key
                self._command.begin(line, value)
            return LineResult.TAKEN
        if key not in _OF_A_TEST:
            return LineResult.FOREIGN
        if key in _BEGIN_A_TEST and key in self._test.settings:
            self._next_test(line.number)
        if self._test.has_results or not line.ended:
            return LineResult.FOREIGN
        kept = self._test.keep(key, value, line.number)
        if kept and key == _FILE_NAME and not value:
            self._name_broken = line.number
        return LineResult.TAKEN if kept else LineResult.FOREIGN

    def _settings_above(self, before: Iterable[Line]) -> None:
        """Keeps what is left of the head where the banner was cut off: lines of settings alone, each once."""
        for line in before:
            match = _SETTING.match(line.text.strip())
            key = " ".join(match.group(1).split()).lower() if match is not None else ""
            if match is None or not (key in _ONCE or key in _OF_A_TEST):
                if _BETWEEN.fullmatch(line.text.strip()) or _UNDER_WAY.match(line.text.strip()):
                    continue
                return
            keeper = self._head if key in _ONCE else self._test
            if key in _FINISHED or not keeper.keep(key, (match.group(2) or "").strip(), line.number):
                return
            self._widths[line.number] = len(line.text)
            self._head.first = self._test.first = line.number

    def _next_test(self, number: int) -> None:
        if self._test.has_results and self._summary_columns is None and len(self._tests) < MOST_TESTS:
            # IOR 2.10 prints the head of its table once for all tests.
            self._tests.append(OneTest(number, number))

    def _hint(self, line: Line, text: str, given: Literal["passed", "returned"]) -> LineResult:
        if text.startswith("}"):
            self._hints = None
            return LineResult.TAKEN
        match = _HINT.fullmatch(text)
        if match is None:
            return LineResult.FOREIGN
        self._test.keep_hint(BenchmarkHint(match.group(1), match.group(2) or "", given, line.number))
        return LineResult.TAKEN

    def _maximum(self, verb: str, text: str, line: int) -> LineResult:
        operation = OPERATIONS[verb.lower()]
        value = number(text)
        if operation in self._test.maxima:
            return LineResult.OVER if self._fragment else LineResult.FOREIGN
        if value is None:
            self._changed.looked_at(text, line)
        else:
            self._test.maxima[operation] = (value, line)
        return LineResult.TAKEN

    def _row(self, line: Line, cells: list[str], operation: BenchmarkOperation) -> LineResult:
        if self._summary_columns:
            return self._summary_row(line, cells, operation)
        if not self._row_columns or (len(cells) > 1 and not _RATE.fullmatch(cells[1])):
            return LineResult.FOREIGN
        if len(self._test.iterations) >= MOST_ITERATIONS:
            return LineResult.FOREIGN
        if len(cells) != len(self._row_columns) and not all(_CELL.fullmatch(cell) for cell in cells[1:]):
            return LineResult.FOREIGN
        if self._changed.looked_at(" ".join(cells), line.number):
            return LineResult.TAKEN
        if len(cells) != len(self._row_columns) or not line.ended:
            self._torn.append(line.number)
            return LineResult.TAKEN
        row = dict(zip(self._row_columns, cells, strict=True))
        if self._row_columns[-1] != _LAST_COLUMN and _PADDED.search(line.text.strip()):
            # Whatever cut the table there may have cut the figure; who picks columns, as with awk, keeps no blanks.
            del row[self._row_columns[-1]]
            self._cut_rows[line.number] = len(line.text)
        moves = operation in ("write", "read")
        self._test.iterations.append(iteration(operation, line.number, row, self._moved if moves else None))
        self._moved = None if moves else self._moved
        if operation != "remove":
            self._test.block_kib, self._test.transfer_kib = row.get("block(KiB)"), row.get("xfer(KiB)")
        return LineResult.TAKEN

    def _summary_row(self, line: Line, cells: list[str], operation: BenchmarkOperation) -> LineResult:
        columns = self._summary_columns or []
        if len(cells) >= 5 and self._changed.looked_at(" ".join(cells[1:5]), line.number):
            return LineResult.TAKEN
        if len(cells) < 5 or number(cells[1]) is None:
            return LineResult.FOREIGN
        if len(cells) != len(columns) or not line.ended:
            if not line.ended or tuple(columns[1:5]) != _COLUMNS:
                self._torn.append(line.number)
                return LineResult.TAKEN
            if len(cells) < len(columns) and _PADDED.search(line.text.strip()):
                # Whatever cut the row may have cut its last figure.
                self._torn.append(line.number)
                cells = cells[:-1]
            known = min(5, len(cells))
            columns, cells = columns[:known], cells[:known]
        if len(columns) > len(_COLUMNS) + 1 and columns[-1] != _LAST_OF_SUMMARY and _PADDED.search(line.text.strip()):
            # A wide figure moves those behind it to the right, where the head ends before them.
            columns, cells = columns[:-1], cells[:-1]
            self._cut_rows[line.number] = len(line.text)
        row = dict(reversed(list(zip(columns, cells, strict=True))))
        summary = summary_row(operation, line.number, row)
        self._test_of(summary).summary.append(summary)
        return LineResult.TAKEN

    def _test_of(self, row: SummaryRow) -> OneTest:
        """The test with this number, where tests have numbers; with one test, that one."""
        named = (t for t in self._tests if row.test is not None and t.whole("testid") == row.test)
        in_order = self._tests[row.test] if row.test is not None and row.test < len(self._tests) else self._test
        return next(named, in_order)


def _joined(header: str) -> str:
    """IOR 2.10.3 writes "Max (MiB)" and "Std Dev"."""
    return header.replace(" (", "(").replace("Std Dev", "StdDev")

"""`-O summaryFormat=JSON`, read as a stream of tokens: a document that was cut off gives what it had, each figure keeps
its line, and nesting costs nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import BenchmarkIteration, Problem
from iotriage_parsers.readers.ior.results import (
    JSON_COLUMNS,
    MOST_ITERATIONS,
    OPERATIONS,
    OneTest,
    mib,
    number,
    summary_row,
)
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.lines import Line

JSON_FIRST: Final = r'\{?\s{0,20}"Version":\s{0,20}"\d[\w.+-]{0,40}"'

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"')
_TOKEN: Final = re.compile(r'\s*+("(?:[^"\\]|\\.)*+"|[-+.\w()]++|[\[\]{},:])')
_HEAD_KEYS: Final = frozenset(("Version", "Began", "Command line", "Machine", "Finished"))
MOST_DEPTH: Final = 64
MOST_TESTS: Final = 10_000


@dataclass(slots=True)
class _Row:
    """An object of "Results" or "summary", and the line on which it begins."""

    section: str
    line: int
    cells: dict[str, str] = field(default_factory=dict)


class JsonMachine:
    """Over with the brace that closes the document. What is no JSON is another writer's."""

    def __init__(self, line: Line) -> None:
        self._head = OneTest(line.number, line.number)
        self._tests: list[OneTest] = []
        self._stack: list[str] = [] if line.text.lstrip().startswith("{") else [""]
        self._key = ""
        self._valued = False
        self._string: str | None = None
        self._row: _Row | None = None
        self._rows: list[_Row] = []
        self._keys = 0
        self._changed = ChangedFigures("IOR")
        self._ended = False
        self._cut = False
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            return LineResult.FOREIGN
        if self._ended:
            return LineResult.OVER
        outside = _STRING.sub('""', text)
        if self._changed.looked_at(outside, line.number):
            return LineResult.OVER if "{" in outside or "}" in outside else LineResult.TAKEN
        tokens = _tokens(text)
        if tokens is None:
            return LineResult.FOREIGN
        for token in tokens:
            if not self._token(token, line.number):
                return LineResult.OVER
        self._head.last = line.number
        self._cut = not line.ended and not self._ended
        return LineResult.LAST if self._ended else LineResult.TAKEN

    def close(self) -> BlockResult:
        if not {"Began", "Command line"} & {s.key for s in self._head.settings.values()} and not self._tests:
            return BlockResult()
        tests = self._tests or [OneTest(self._head.first, self._head.last)]
        for row in self._rows:
            _place(row, tests)
        head = OneTest(self._head.first, self._head.last, {k.lower(): s for k, s in self._head.settings.items()})
        if len(tests) > 1:
            head.first, head.last = self._head.last, self._head.first
        runs = tuple(t.run(head, "json", complete=self._ended) for t in tests)
        changed = self._changed.problems()
        return BlockResult(runs, changed if self._ended else (self._cut_off(), *changed))

    def _cut_off(self) -> Problem:
        message = f"IOR's JSON at lines {self._head.first}-{self._head.last} was cut off: what stands before is read"
        return Problem("unterminated", message, loses_data=True, line=self._head.first)

    def _token(self, token: str, number: int) -> bool:
        """Whether this may still be a document of IOR's."""
        if token in ("{", "["):
            self._stack.append(self._key)
            self._open(number)
            return len(self._stack) <= MOST_DEPTH
        if token in ("}", "]"):
            self._shut()
            if self._stack:
                self._stack.pop()
            self._ended = not self._stack
        elif token == ":":
            self._key, self._valued, self._string = self._string or "", True, None
            self._keys += 1
            return self._keys != 2 or self._key == "Began"
        elif token == ",":
            self._key, self._valued, self._string = "", False, None
        else:
            value = _unquoted(token)
            if self._valued:
                self._value(self._key, value, number)
                self._key, self._valued = "", False
            else:
                self._string = value
        return True

    def _open(self, number: int) -> None:
        section = next((s for s in reversed(self._stack) if s), "")
        self._key, self._valued = "", False
        if section in ("Results", "summary"):
            self._row = _Row(section, number)
        elif section == "tests" and self._stack[-1] == "" and self._stack[-2:-1] == ["tests"]:
            self._tests.append(OneTest(number, number))

    def _shut(self) -> None:
        if self._row is not None and self._row.cells and len(self._rows) < MOST_ITERATIONS:
            self._rows.append(self._row)
        self._row = None

    def _value(self, key: str, value: str, number: int) -> None:
        if self._row is not None:
            if not self._row.cells:
                self._row.line = number
            self._row.cells[key] = value
        elif key in _HEAD_KEYS and len(self._stack) <= 1:
            self._head.keep(key, value, number)
        elif self._tests and "tests" in self._stack:
            test = self._tests[-1]
            test.last = number
            if "Options" in self._stack or key == "TestID":
                test.keep(key.lower(), value, number)
            elif "Parameters" in self._stack and key == "collective":
                test.keep("type", "collective" if value == "1" else "independent", number)
            elif "Parameters" in self._stack and key in ("transferSize", "blockSize"):
                test.keep(key.lower(), value, number)


def _place(row: _Row, tests: list[OneTest]) -> None:
    """Puts a row where it belongs: results to the test in whose lines they stand, a summary by its TestID."""
    cells = row.cells
    operation = OPERATIONS.get(cells.get("access", cells.get("operation", "")).lower())
    if operation is None:
        return
    if row.section == "Results":
        test = next((t for t in reversed(tests) if t.first <= row.line), tests[0])
        test.last = max(test.last, row.line)
        test.iterations.append(
            BenchmarkIteration(
                operation,
                row.line,
                number=sum(i.operation == operation for i in test.iterations),
                bytes_per_s=mib(number(cells.get("bwMiB", ""))),
                seconds=number(cells.get("totalTime", "")),
                open_s=number(cells.get("openTime", "")),
                transfer_s=number(cells.get("wrRdTime", "")),
                close_s=number(cells.get("closeTime", "")),
                operations_per_s=number(cells.get("iops", "")),
            )
        )
        test.block_kib, test.transfer_kib = cells.get("blockKiB"), cells.get("xferKiB")
        return
    named_alike = {JSON_COLUMNS[key]: text for key, text in cells.items() if key in JSON_COLUMNS}
    summary = summary_row(operation, row.line, named_alike)
    named = (t for t in tests if summary.test is not None and t.whole("testid") == summary.test)
    next(named, tests[-1]).summary.append(summary)


def _tokens(text: str) -> list[str] | None:
    """The tokens of a line without blanks around it, or None where something in it is no JSON."""
    tokens: list[str] = []
    at = 0
    while (match := _TOKEN.match(text, at)) is not None:
        tokens.append(match.group(1))
        at = match.end()
    return tokens if at == len(text) else None


def _unquoted(token: str) -> str:
    if not token.startswith('"'):
        return token
    try:
        value = json.loads(token)
    except ValueError:
        return token[1:-1]
    return value if isinstance(value, str) else token

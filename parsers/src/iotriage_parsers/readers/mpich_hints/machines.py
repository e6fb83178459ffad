"""Which lines belong to a list of hints, and whether they are its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from iotriage_parsers.evidence import Hint, Lines, MpiioHints, Problem
from iotriage_parsers.evidence.mpiio_hints import HintsPrinter
from iotriage_parsers.readers.mpich_hints.lines import (
    CRAY_TITLE,
    INFO_COUNT,
    IOR_TITLE,
    WORDS,
    Row,
    is_piece,
    is_value,
    row_of,
    title_of,
)
from iotriage_parsers.text.blocks import BlockResult, LineResult, Machine
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import short

FOREIGN_LINES: Final = 4
"""How many other lines may stand between two rows of one list."""
MOST_ROWS: Final = 10_000
_REST_OF_FIGURES: Final = re.compile(r"\d{1,20}(?: \d{1,9}){0,99}")
MOST_MIXED_ROWS: Final = 500
KILLED: Final = re.compile(
    r"slurmstepd: error: |srun: (?:error|Job step aborted|Force Terminated)|=>> PBS: job killed|"
    r"forrtl: error \(78\)|TERM_RUNLIMIT|\*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT|mpiexec: .{0,80}(?:killed|SIGTERM)"
)
"""What schedulers and launchers print when they end a job: the list that stands before it may lack rows."""
LAST_OF_CRAY: Final = "romio_filesystem_type"
"""A hint that every whole list of Cray MPICH that is known has; the order of the others varies."""


def begins(text: str) -> int | None:
    """Where a list's title, or a row of a list without one, stands in `text`."""
    found = title_of(text)
    return None if found is None else found[1]


def start(line: Line, before: Iterable[Line]) -> Machine:
    """The machine for a list that begins with `line`."""
    found = title_of(line.text)
    printer: HintsPrinter = found[0] if found is not None else "application"
    if printer == "cray-mpich":
        return CrayMachine(line)
    return IorMachine(line) if printer == "ior" else RowsMachine(printer, line, before)


class CrayMachine:
    """`PE 0: MPIIO hints for FILE:` and its rows. There is no end: the first line of another shape is it, but for
    a few lines that somebody else may have printed between two rows."""

    def __init__(self, line: Line) -> None:
        title = CRAY_TITLE.search(line.text)
        assert title is not None
        name = line.text[title.end() :].rstrip()
        self._rank = int(title.group(1))
        self._file = name.removesuffix(":")
        self._title = line.number
        self._title_cut = not line.ended or not name.endswith(":")
        self._hints: list[Hint] = []
        self._widths: list[int] = []
        self._twice: list[int] = []
        self._keys: set[str] = set()
        self._cut_at: int | None = None
        self._killed = False
        self._foreign = 0

    def feed(self, line: Line) -> LineResult:
        if CRAY_TITLE.search(line.text):
            return LineResult.OVER
        killed = KILLED.search(line.text)
        if killed is not None:
            self._killed = True
            line = Line(line.number, line.text[: killed.start()], ended=False)
        row = row_of("cray-mpich", line.text)
        if row is not None:
            return self._row(row, line)
        if _value_below(self._hints, line):
            self._hints[-1] = replace(self._hints[-1], value=line.text.strip())
            return LineResult.TAKEN
        self._foreign += 1
        if self._foreign == 1 and is_piece(line.text):
            self._cut_at = line.number
            return LineResult.TAKEN
        return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN

    def close(self) -> BlockResult:
        last = self._hints[-1].line if self._hints else self._title
        if self._twice:
            return self._mixed(last)
        column = self._cut_column()
        if column is not None:
            # What ends there may go on behind it.
            self._hints = [h for h, width in zip(self._hints, self._widths, strict=True) if width < column]
        # At the end of the text nothing says that the list was over, but that its usual last hint is there.
        ended = LAST_OF_CRAY in self._keys or (self._foreign > 0 and not self._killed)
        complete = bool(self._hints) and ended and self._cut_at is None and not self._title_cut and column is None
        part = MpiioHints(
            "cray-mpich",
            self._file,
            tuple(self._hints),
            Lines(self._title, max(last, self._cut_at or 0)),
            complete,
            rank=self._rank,
            stage="effective",
        )
        if column is not None:
            left_out = "hints whose values may go on behind it are left out"
            what = f'the hints of "{short(self._file)}"'
            return BlockResult((part,), (cut_problem(what, column, self._title, left_out),))
        return BlockResult((part,), () if complete else (self._incomplete(),))

    def _cut_column(self) -> int | None:
        """The column at which all rows are cut, where several end at the last one, and one of them within a word."""
        column = max(self._widths, default=0)
        there = [h.value for h, width in zip(self._hints, self._widths, strict=True) if width == column]
        within = (word.startswith(value) and value != word for value in there if value for word in WORDS)
        return column if len(there) > 1 and any(within) else None

    def _row(self, row: Row, line: Line) -> LineResult:
        self._foreign = 0
        if not line.ended:
            self._cut_at = line.number
            return LineResult.TAKEN
        if row.key in self._keys:
            self._twice.append(line.number)
        self._keys.add(row.key)
        self._hints.append(Hint(row.key, row.value, line.number))
        self._widths.append(len(line.text))
        return LineResult.LAST if row.closes or len(self._hints) >= MOST_ROWS else LineResult.TAKEN

    def _incomplete(self) -> Problem:
        message = f'hints of "{short(self._file)}" at line {self._title} are cut off: {len(self._hints)} were read'
        return Problem("unterminated", message, loses_data=True, line=self._title)

    def _mixed(self, last: int) -> BlockResult:
        hints = tuple(self._hints[:MOST_MIXED_ROWS])
        lines = Lines(self._title, last)
        part = MpiioHints(
            "cray-mpich", self._file, hints, lines, complete=False, trusted=False, rank=self._rank, stage="effective"
        )
        return BlockResult((part,), (_mixture(lines),))


class IorMachine:
    """IOR's list: its title ends with `{`, and a `}` ends it."""

    def __init__(self, line: Line) -> None:
        title = IOR_TITLE.search(line.text)
        assert title is not None
        self._stage: Literal["requested", "effective"] = (
            "requested" if title.group(1).startswith("passed") else "effective"
        )
        self._first = self._last = line.number
        self._hints: list[Hint] = []
        self._foreign = 0
        self._closed = False

    def feed(self, line: Line) -> LineResult:
        if line.text.strip() == "}":
            self._closed, self._last = True, line.number
            return LineResult.LAST
        row = row_of("ior", line.text)
        if row is None or not line.ended or len(self._hints) >= MOST_ROWS:
            self._foreign += bool(line.text.strip())
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        self._last = line.number
        self._hints.append(Hint(row.key, row.value, line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        if not self._hints and not self._closed:
            return BlockResult()
        lines = Lines(self._first, self._last)
        trusted = len({h.key for h in self._hints}) == len(self._hints)
        part = MpiioHints("ior", None, tuple(self._hints), lines, self._closed and trusted, trusted, stage=self._stage)
        if not trusted:
            return BlockResult((part,), (_mixture(lines),))
        return BlockResult((part,), () if self._closed else (_cut(lines, len(self._hints)),))


class RowsMachine:
    """Lists without a title, one after the other or mixed: all their rows, told apart at the end."""

    def __init__(self, printer: HintsPrinter, line: Line, before: Iterable[Line]) -> None:
        self._printer = printer
        above = next(iter(before), None) if printer == "application" else None
        header = INFO_COUNT.search(above.text) if above is not None else None
        self._expected = int(header.group(1)) if header else None
        self._first = above.number if above is not None and header else line.number
        self._hints: list[Hint] = []
        self._foreign = 0
        self._cut = self._lacks_value = False
        self._perhaps_broken: int | None = None
        self._broken: dict[int, Problem] = {}
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        row = row_of(self._printer, line.text)
        if row is None and self._goes_on(line):
            return LineResult.TAKEN
        if row is None or len(self._hints) >= MOST_ROWS:
            self._foreign += 1
            over = self._foreign > FOREIGN_LINES or row is not None or INFO_COUNT.search(line.text)
            return LineResult.OVER if over else LineResult.FOREIGN
        if self._foreign and any(h.key == row.key for h in self._hints):
            return LineResult.OVER
        self._foreign = 0
        if self._perhaps_broken == line.number - 1:
            self._broken[self._hints[-1].line] = _broken_value(self._hints[-1])
        if not line.ended:
            self._cut = True
            return LineResult.TAKEN
        self._hints.append(Hint(row.key, row.value, line.number))
        self._lacks_value = line.text.rstrip().endswith("value =")
        return LineResult.TAKEN

    def _goes_on(self, line: Line) -> bool:
        """Whether the last row was broken and the rest of its value stands here: by a mail before it, or by a terminal
        within a word. Of figures nobody knows where they were broken, nor, before the next row, whether they were."""
        last, rest = self._hints[-1:], line.text.strip()
        if not last or last[0].line != line.number - 1 or not line.ended:
            return False
        whole = next(filter(is_value, (f"{last[0].value} {rest}", f"{last[0].value}{rest}")), None)
        if rest and whole is not None and (self._lacks_value or not is_value(last[0].value)):
            self._hints[-1] = replace(last[0], value=whole.strip())
            return True
        if last[0].value[-1:].isdecimal() and _REST_OF_FIGURES.fullmatch(rest):
            self._perhaps_broken = line.number
        return False

    def close(self) -> BlockResult:
        if not self._hints:
            return BlockResult()
        lists = _lists(self._hints)
        if lists is None:
            lines = Lines(self._first, self._hints[-1].line)
            hints = self._whole(self._hints[:MOST_MIXED_ROWS])
            part = MpiioHints(self._printer, None, hints, lines, complete=False, trusted=False)
            return BlockResult((part,), (_mixture(lines), *self._broken.values()))
        parts: list[MpiioHints] = []
        problems = list(self._broken.values())
        for number, rows in enumerate(lists):
            lines = Lines(rows[0].line if number else self._first, rows[-1].line)
            short = self._expected is not None and len(rows) < self._expected
            cut = short or (self._cut and number == len(lists) - 1)
            whole = self._whole(rows)
            stage: Literal["effective"] | None = "effective" if self._printer == "romio" else None
            complete = not cut and len(whole) == len(rows)
            parts.append(MpiioHints(self._printer, None, whole, lines, complete, stage=stage))
            if cut:
                problems.append(_cut(lines, len(rows)))
        return BlockResult(tuple(parts), tuple(problems))

    def _whole(self, rows: Sequence[Hint]) -> tuple[Hint, ...]:
        return tuple(row for row in rows if row.line not in self._broken)


def _value_below(hints: Sequence[Hint], line: Line) -> bool:
    """Whether a mail broke the last row before its value, which stands on this line."""
    lacking = hints[-1:] if hints and not hints[-1].value else ()
    return any(hint.line == line.number - 1 for hint in lacking) and line.ended and is_value(line.text)


def _broken_value(hint: Hint) -> Problem:
    message = f"line {hint.line}: the value of {hint.key} goes on below, where a line was broken: it is left out"
    return Problem("torn", message, loses_data=True, line=hint.line)


def _lists(hints: Sequence[Hint]) -> list[Sequence[Hint]] | None:
    """The rows of each list. ROMIO prints the hints in the same order each time, so that a list begins where its
    first hint comes again; None where the parts are not alike then, because lines are mixed."""
    counts = Counter(h.key for h in hints)
    if len(counts) == len(hints):
        return [hints]
    starts = [at for at, hint in enumerate(hints) if hint.key == hints[0].key]
    lists = [hints[a:b] for a, b in zip(starts, [*starts[1:], len(hints)], strict=True)]
    if any(len({h.key for h in rows}) != len(rows) for rows in lists):
        return None
    order = [h.key for h in max(lists, key=len)]
    return lists if all(_in_order([h.key for h in rows], order) for rows in lists) else None


def _in_order(keys: Sequence[str], order: Sequence[str]) -> bool:
    """Whether these hints are some of `order`, in that order, and not the first few alone."""
    rest = iter(order)
    return all(key in rest for key in keys) and len(keys) * 2 >= len(order)


def _mixture(lines: Lines) -> Problem:
    message = (
        f"hints of several files are mixed at lines {lines.first}-{lines.last}: they cannot be told apart; "
        "use srun --output=%t or -u"
    )
    return Problem("interleaved", message, loses_data=True, line=lines.first)


def _cut(lines: Lines, number: int) -> Problem:
    message = f"a list of hints at line {lines.first} is cut off: {number} were read"
    return Problem("unterminated", message, loses_data=True, line=lines.first)

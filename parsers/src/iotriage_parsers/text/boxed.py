"""Blocks in boxes that several writers may print at once: whose lines they are, and whether that is sure.

Cray MPICH prints the statistics and the times of a file as `| label = value` lines under a title and between rules.
What the formats of this family share stands here; their labels, and what these mean, stand with their readers.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from iotriage_parsers.evidence import Lines, Part, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.evidence.problem import ProblemCode
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.cut_columns import CutColumn, cut_problem
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import ONLY_FIGURES
from iotriage_parsers.text.wording import short

MOST_TITLES: Final = 10_000
WHOLE_BLOCKS_AFTER_A_CUT_ONE: Final = 8
_NAMED: Final = 4
"""How many missing lines a message names."""
RULE: Final = re.compile(r"\+-{20,}+")
_SEPARATE: Final = "use srun --output=%t or -u"


@dataclass(slots=True)
class Row:
    """A `label = value` line. `label` is the one that is meant, whatever the direction; `printed` as it stands."""

    label: str
    printed: str
    text: str
    line: int
    torn: bool = False


@dataclass(slots=True)
class Segment(ABC):
    """What stands between one title and the next, or the closing rule. `column` is where its `=` stand; `cut` are the
    lines whose figures were cut off, all at one column, and `title` is that of the title."""

    line: int
    direction: Direction
    file: str
    rows: list[Row] = field(default_factory=list)
    unknown: list[Row] = field(default_factory=list)
    twice: list[tuple[str, int, int]] = field(default_factory=list)
    of_other_direction: list[int] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    title: int = 0
    column: int | None = None
    closed: bool = False
    last: int = 0

    @property
    @abstractmethod
    def expected(self) -> tuple[str, ...]:
        """The labels that every known layout has, in their order."""

    @property
    @abstractmethod
    def in_order(self) -> bool:
        """Whether its rows stand in the order in which all known layouts print them."""

    def row(self, label: str) -> Row | None:
        return next((r for r in self.rows if r.label == label), None)

    @property
    def missing(self) -> tuple[str, ...]:
        present = {r.label for r in self.rows}
        return tuple(label for label in self.expected if label not in present)

    @property
    def clean(self) -> bool:
        """Whether all of it has come, in whole lines."""
        return not (self.missing or self.twice or self.of_other_direction or self.torn)

    @property
    def came_to_its_end(self) -> bool:
        """Whether its last row stands under its own title and its rule follows, whatever it lacks: the lines of one
        writer come in their order."""
        return self.closed and self.in_order and self.row(self.expected[-1]) is not None


def printed_label(label: str, labels: Mapping[str, str]) -> str:
    """The label as MPICH prints it; `labels` are ours by those that are printed."""
    return next((printed for printed, ours in labels.items() if ours == label), label)


def _block_phrase(file: str) -> str:
    return f'the block of "{short(file)}"' if file else "the block of a file whose name is not there"


def losses(segment: Segment, lines: Lines, *, boxed: bool, parts: str, labels: Mapping[str, str]) -> Iterator[Problem]:
    """What the lines of the block lack: `parts`, as it calls its lines, parts of lines, or the end. `labels` are ours
    by those that are printed for its direction."""
    name = f"{_block_phrase(segment.file)} (lines {lines.first}-{lines.last})"
    missing = segment.missing
    names = ", ".join(printed_label(label, labels) for label in missing[:_NAMED])
    names += f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    absent = f"not present, which is not 0: {names}"
    for line in segment.torn:
        message = f"line {line} is torn: another writer or the end of the job cut it"
        yield Problem("torn", message, loses_data=True, line=line)
    if missing and (segment.closed or not boxed):
        code: ProblemCode = "cut-lines" if segment.cut else "torn"
        yield Problem(code, f"{name} lacks lines; {absent}", loses_data=True, line=segment.line)
    elif missing:
        yield Problem("unterminated", f"{name} was cut off; {absent}", loses_data=True, line=segment.line)
    elif boxed and not segment.closed:
        yield Problem("unterminated", f"{name} has all its {parts} but no closing line", line=segment.line)


def copied(lines: Lines, first: Lines, unless: str = "") -> Problem:
    """Of a block that stands there twice; `unless` says when it is to be counted again all the same."""
    return Problem(
        "duplicate-block",
        f"the block at lines {lines.first}-{lines.last} is byte for byte that of lines {first.first}-{first.last}: "
        f"counted once{unless}",
        line=lines.first,
    )


S = TypeVar("S", bound=Segment)


class UntitledBlock(ABC):
    """Lines of a block whose title was cut off or torn. No file, so no numbers: but it is said."""

    def __init__(self, line: Line) -> None:
        self._first = line.number

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if RULE.match(text):
            return LineResult.LAST
        return LineResult.TAKEN if self._is_ours(text) else LineResult.OVER

    @abstractmethod
    def _is_ours(self, text: str) -> bool:
        """Whether only this format prints such a line."""

    def close(self) -> BlockResult:
        message = f"line {self._first} belongs to a block without a title (torn or cut off): the block was not read"
        return BlockResult((), (Problem("torn", message, loses_data=True, line=self._first),))


class BoxedBlocks(ABC, Generic[S]):
    """Takes the lines of a block; where a second title comes before the first block is over, of both, and so on.

    A block that ends in good order is over at once. Otherwise its missing lines may still come, among those of the next
    blocks, so these are taken too, until each line has come as often as there are titles, or no more lines come, or so
    many whole blocks follow that the first one was simply cut off.
    """

    NOUN: str = "blocks"
    """What a message calls several of them."""

    def __init__(self, first: int, last: int, rules: int) -> None:
        self._segments: list[S] = []
        self._seen: Counter[str] = Counter()
        self._due: Counter[str] = Counter()
        self._first, self._last = first, last
        self._cut = CutColumn()
        self._rules, self._rules_due = rules, 0
        self._waiting = False
        self._foreign = 0
        self._strays: list[int] = []
        self._fragment = ""
        self._bare: Line | None = None
        self._inside = False
        self._empty_below = False

    @abstractmethod
    def _line(self, line: Line) -> LineResult:
        """What to make of a line of the box."""

    @abstractmethod
    def _label_of(self, text: str, direction: Direction) -> str | None:
        """The label of a whole `| label = value` line that a block of that direction prints; None where it is none."""

    @abstractmethod
    def _part(self, segment: S, lines: Lines) -> BlockResult:
        """The block of a segment whose lines are surely its own, and what is wrong with it."""

    @abstractmethod
    def _may_go_on(self, row: Row, ends_there: bool) -> bool:
        """Whether figures of a row may stand behind the column at which all lines are cut."""

    @abstractmethod
    def _untrusted_part(self, segment: S, lines: Lines) -> Part:
        """The block without any number."""

    def feed(self, line: Line) -> LineResult:
        answer = self._line(line)
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._cut.see(line)
            self._last = line.number
            self._foreign = 0
        elif line.text.strip():
            self._foreign += 1
            self._tear_above(line)
        elif line.number == self._last + 1 and not self._foreign:
            self._empty_below = True
        return answer

    def _tear_above(self, line: Line) -> None:
        """Where nothing but figures stands below a row that ends in one, a line was broken within that."""
        if line.number != self._last + 1 or ONLY_FIGURES.fullmatch(line.text.strip()) is None:
            return
        for row in (*self._segment.rows[-1:], *self._segment.unknown[-1:]):
            if row.line == self._last and row.text[-1:].isdigit() and not row.torn:
                row.torn = True
                self._segment.torn.append(row.line)

    def _cut_off(self, line: Line, body: str) -> None:
        """A row of ours is torn on this line; one that ends behind its `=` may have its figures on the next."""
        self._fragment = f"|{body}"
        self._segment.torn.append(line.number)
        self._bare = Line(line.number, body) if line.ended and body.rstrip().endswith("=") else None

    def _with_figures(self, line: Line) -> Line | None:
        """The row, without its `|`, whose figures a mail program put on a line of their own, this one."""
        bare, self._bare = self._bare, None
        if bare is None or not line.ended or line.number != bare.number + 1:
            return None
        if ONLY_FIGURES.fullmatch(line.text.strip()) is None:
            return None
        self._segment.torn.remove(bare.number)
        self._fragment = ""
        return Line(line.number, f"{bare.text.rstrip()} {line.text}")

    def close(self) -> BlockResult:
        if self._mixed:
            return self._untrusted()
        founds = [self._trusted(segment) for segment in self._segments]
        return BlockResult(tuple(p for f in founds for p in f.parts), tuple(p for f in founds for p in f.problems))

    @property
    def _segment(self) -> S:
        return self._segments[-1]

    @property
    def _mixed(self) -> bool:
        """Whether some line may be another block's. After a second title only a whole block is sure to be that
        title's own, and only if the first block had begun: its labels do not come twice. Where each title has its own
        last row and rule, the blocks stand one after another, and merely lack rows that we expect."""
        if self._strays and not self._inside:
            return True
        if any(s.twice or s.of_other_direction for s in self._segments):
            return True
        if all(s.came_to_its_end for s in self._segments) or self._searched_for:
            return False
        first, *later = self._segments
        return bool(later) and not (first.rows and first.in_order and all(s.clean and s.in_order for s in later))

    @property
    def _searched_for(self) -> bool:
        """Whether somebody has picked the lines, as `grep -A 5` and `grep -E 'MPIIO|total bytes'` do: without a rule,
        which each title has above it, and of each block the same rows below its title. Their order is that of the
        text."""
        labels = {tuple(row.printed for row in s.rows) for s in self._segments}
        return not self._rules and len(labels) == 1 and labels != {()} and all(s.in_order for s in self._segments)

    @property
    def _balanced(self) -> bool:
        """Whether all lines that belong under the titles have come, under whichever title."""
        if len(self._segments) == 1:
            return self._segment.clean
        return self._rules >= self._rules_due and all(self._seen[label] >= due for label, due in self._due.items())

    @property
    def _broke_off(self) -> bool:
        """Whether a person's copy ends below the title: an empty line follows it, which no writer puts into a box."""
        return self._empty_below and len(self._segments) == 1 and not (self._segment.rows or self._segment.unknown)

    @property
    def _many_whole_since(self) -> bool:
        """Whether so many whole blocks have followed that the first one was simply cut off."""
        recent = self._segments[-WHOLE_BLOCKS_AFTER_A_CUT_ONE:]
        return len(recent) == WHOLE_BLOCKS_AFTER_A_CUT_ONE and all(s.clean and s.closed for s in recent)

    def _add(self, segment: S, due: tuple[str, ...], rules: int) -> None:
        """Another title has come, under which so many rules and these labels, as printed, are due."""
        self._segments.append(segment)
        self._due.update(due)
        self._rules_due += rules

    def _torn_by_title(self, line: Line, fragment: str) -> bool:
        """Whether a title stands in the line behind the beginning of one of the block's own."""
        if not fragment.startswith("|"):
            return False
        self._fragment = fragment
        self._segment.torn.append(line.number)
        return True

    def _rule_of_another(self) -> LineResult:
        """A rule while waiting for lines that are still due."""
        return LineResult.TAKEN if self._strays or any(s.twice for s in self._segments) else LineResult.FOREIGN

    def _stray(self, line: Line) -> LineResult:
        """A line of the format while waiting: nobody knows whose."""
        self._strays.append(line.number)
        return LineResult.TAKEN

    def _beside(self, line: Line) -> LineResult:
        """A line outside the box: perhaps the end of the line that the second block's first byte cut in two."""
        if self._waiting and self._fragment and not self._strays and len(self._segments) == 2 and not self._foreign:
            torn, inner = self._segments
            label = self._label_of((self._fragment + line.text).lstrip().removeprefix("|"), torn.direction)
            if inner.clean and label is not None:
                self._inside = True
                self._seen[label] += 1
                return self._stray(line)
        return LineResult.FOREIGN

    def _untrusted(self) -> BlockResult:
        where = f"lines {self._first}-{self._last}"
        if len(self._segments) > 1:
            message = f"{len(self._segments)} interleaved {self.NOUN} at {where}: cannot be separated; {_SEPARATE}"
        elif self._segment.twice:
            label, one, other = self._segment.twice[0]
            message = (
                f'"{label}" stands on line {one} and on line {other} of one block ({where}): neither is trusted, '
                "and no other number of the block"
            )
        else:
            message = f"lines of another block stand in the block at {where}: cannot be separated; {_SEPARATE}"
        lines = Lines(self._first, self._last)
        parts = tuple(self._untrusted_part(segment, lines) for segment in self._segments)
        return BlockResult(parts, (Problem("interleaved", message, loses_data=True, line=self._first),))

    def _trusted(self, segment: S) -> BlockResult:
        column = self._cut.column
        found = self._whole_or_cut(segment)
        if column is None or not found.parts or not segment.cut:
            return found
        what = f'the block of "{short(segment.file)}"'
        left_out = "figures that may go on behind it are left out"
        return BlockResult(found.parts, (cut_problem(what, column, segment.cut[0], left_out), *found.problems))

    def _whole_or_cut(self, segment: S) -> BlockResult:
        if segment.title and not segment.file:
            segment.torn.append(segment.title)
        if self._cut.column is not None:
            for row in (*segment.rows, *segment.unknown):
                row.torn = row.torn or self._may_go_on(row, self._cut.ends_there(row.line))
            segment.cut = sorted({*segment.torn, *(r.line for r in (*segment.rows, *segment.unknown) if r.torn)})
            segment.torn = []
        first = self._first if segment is self._segments[0] else segment.line
        return self._part(segment, Lines(first, self._last if len(self._segments) == 1 else segment.last))

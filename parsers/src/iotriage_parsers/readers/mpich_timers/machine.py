"""Which lines belong to a block in its box, and whether they are its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import Lines, MpiioTimers
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_timers.block import (
    MOST_ROWS,
    RULE,
    TITLE,
    TimersSegment,
    fits,
    known_label,
    phase_of,
    segment_of,
    segment_problems,
    trusted_part,
    untrusted_part,
)
from iotriage_parsers.readers.mpich_timers.details import BARS
from iotriage_parsers.readers.mpich_timers.rows import (
    EVERY_PRINTED,
    KIND,
    Printed,
    begins_a_label,
    figures,
    has_all_columns,
    is_header,
    printed,
    with_its_end,
)
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.boxed import MOST_TITLES, BoxedBlocks, Row
from iotriage_parsers.text.broken_titles import rest_of_title
from iotriage_parsers.text.lines import Line

_LONGEST_LABEL: Final = 60
_FOOTNOTE: Final = "(*)"
_END_OF_FOOTNOTE: Final = re.compile(r"(?:(?:(?:(?:ranks )?!= )?number )?of )?(?:writers|readers)")
_FOREIGN_BEFORE_DETAILS: Final = 3


class BoxedMachine(BoxedBlocks[TimersSegment]):
    NOUN = "blocks of times"

    """Begins with a title line, or with the segment that lines without one are of."""

    def __init__(self, begin: Line | TimersSegment, before: Iterable[Line] = ()) -> None:
        title = begin if isinstance(begin, Line) else Line(begin.line, "")
        above = _above(before) if isinstance(begin, Line) else []
        super().__init__(above[-1].number if above else title.number, title.number, len(above))
        for rule in above:
            self._cut.see(rule)
        self._box = above[-1].text.strip() if above else ""
        self._below = False
        self._title_line = title
        if isinstance(begin, Line):
            self._add_segment(begin)
        else:
            self._add(begin, begin.expected, 2)

    @property
    def is_one_whole(self) -> bool:
        """Whether it is one block whose rows came in their order, up to its last and its rule, in whole lines."""
        segment = self._segment
        return len(self._segments) == 1 and segment.came_to_its_end and not segment.torn and not segment.missing

    def _add_segment(self, line: Line) -> None:
        title = TITLE.search(line.text)
        assert title is not None
        segment = segment_of(title, line.text, line.number)
        self._title_line = line
        segment.title = line.number
        self._cut.see(line)
        if not line.ended:
            segment.torn.append(line.number)
        self._add(segment, segment.expected, 2)

    def _line(self, line: Line) -> LineResult:
        text = line.text.strip()
        whole = self._with_figures(line)
        if whole is not None:
            return self._row(whole, whole.text)
        if self._ends_above(line):
            return LineResult.TAKEN
        if text.startswith(BARS):
            return self._detail(line)
        if self._segment.closed and self._segment.details.goes_on(line):
            self._segment.last = line.number
            return LineResult.TAKEN
        if self._below and text:
            foreign = text[0] not in "|+" and self._foreign < _FOREIGN_BEFORE_DETAILS
            return LineResult.FOREIGN if foreign and "MPIIO" not in text else LineResult.OVER
        title = TITLE.search(text) if "MPIIO" in text else None
        if title is not None:
            return self._title(line, text[: title.start()].strip())
        rule = RULE.match(text)
        if rule is not None:
            return self._rule(line.number) if self._box in ("", rule.group()) else LineResult.FOREIGN
        if not text.startswith("|"):
            if line.number == self._last + 1 and _END_OF_FOOTNOTE.fullmatch(text):
                return LineResult.TAKEN
            rest = rest_of_title(self._title_line, line)
            if rest is None:
                return self._beside(line)
            self._segment.file += rest
            return LineResult.TAKEN
        body = text[1:]
        if not body.strip() or is_header(body) or body.lstrip().startswith(_FOOTNOTE):
            return LineResult.FOREIGN if self._waiting else LineResult.TAKEN
        return self._row(line, body) if body[0] in " \t" else LineResult.FOREIGN

    def _detail(self, line: Line) -> LineResult:
        """A line below the box, which belongs to the box that was closed last."""
        segment = self._segment
        if not segment.closed or (self._foreign and not self._below) or self._strays:
            return LineResult.FOREIGN
        segment.details.take(line)
        segment.last = line.number
        return LineResult.TAKEN

    def _title(self, line: Line, fragment: str) -> LineResult:
        if not self._torn_by_title(line, fragment) and not fragment and self._was_over:
            return LineResult.OVER
        if len(self._segments) >= MOST_TITLES:
            return LineResult.OVER
        self._add_segment(line)
        self._waiting = False
        return LineResult.TAKEN

    @property
    def _was_over(self) -> bool:
        """At a title: whether nothing of the blocks so far can come any more."""
        return self._segment.clean or self._broke_off if len(self._segments) == 1 else self._many_whole_since

    def _rule(self, number: int) -> LineResult:
        self._rules += 1
        segment = self._segment
        if self._waiting:
            return self._rule_of_another()
        if self._foreign and len(self._segments) == 1:
            # Foreign lines stand between the rows and this rule: it may open the next box.
            self._waiting = True
            return LineResult.OVER if segment.clean else LineResult.FOREIGN
        segment.closed, segment.last = True, number
        if self._balanced:
            self._below = len(self._segments) == 1
            return LineResult.TAKEN if self._below else LineResult.LAST
        self._waiting = True
        return LineResult.TAKEN

    def _row(self, line: Line, body: str) -> LineResult:
        rule = body.find("+----")
        torn = rule >= 0 or not line.ended
        self._rules += rule >= 0
        body = body[:rule] if rule >= 0 else body
        found = printed(body)
        if found.has_value:
            self._seen[found.label] += 1
        if self._waiting:
            return self._stray(line) if found.has_value and found.label in EVERY_PRINTED else LineResult.FOREIGN
        if not found.has_value and not torn and not begins_a_label(found.label):
            return LineResult.FOREIGN
        if torn or not found.has_value:
            self._cut_off(line, body)
        return self._keep(found, line.number, torn) if found.has_value else LineResult.TAKEN

    def _ends_above(self, line: Line) -> bool:
        """Whether this line has what the row above lacks, and no more: a mail program broke it at a blank, or a
        terminal at its width. A percent is its own where it is that of the average."""
        row = self._segment.rows[-1] if self._segment.rows else None
        if row is None or row.torn or row.line != line.number - 1 or not line.ended or self._waiting:
            return False
        joined = with_its_end(KIND[row.label], row.text, line.text.strip())
        if joined is None or not self._is_of_the_total(row.label, joined):
            return False
        row.text, row.line = joined, line.number
        return True

    def _is_of_the_total(self, label: str, text: str) -> bool:
        total = self._segment.row("total")
        phase = phase_of(label, figures(KIND[label], text), 0)
        ticks = figures("total", total.text).counts if total is not None and not total.torn else ()
        return fits(phase, next((count.number for count in ticks), None))

    def _keep(self, found: Printed, number: int, torn: bool) -> LineResult:
        segment = self._segment
        label = known_label(segment.direction, found.label)
        if label is None and found.label in EVERY_PRINTED:
            segment.of_other_direction.append(number)
            return LineResult.TAKEN
        row = Row(label or "", found.label, found.text, number, torn)
        if label is None:
            named = found.label[:1].isalpha() and len(found.label) <= _LONGEST_LABEL
            if not named or found.column != segment.column or len(segment.unknown) >= MOST_ROWS:
                return LineResult.FOREIGN
            segment.unknown.append(row)
        elif (earlier := segment.row(label)) is not None:
            segment.twice.append((found.label, earlier.line, number))
        else:
            segment.rows.append(row)
            segment.column = found.column if found.column >= 0 else segment.column
        segment.last = number
        return LineResult.TAKEN

    def _label_of(self, text: str, direction: Direction) -> str | None:
        whole = printed(text)
        return whole.label if whole.has_value and known_label(direction, whole.label) is not None else None

    def _may_go_on(self, row: Row, ends_there: bool) -> bool:
        """Of a row with fewer columns than it has, nobody knows which they are."""
        return ends_there or not has_all_columns(KIND.get(row.label, "ranks"), row.text)

    def _untrusted_part(self, segment: TimersSegment, lines: Lines) -> MpiioTimers:
        return untrusted_part(segment, lines)

    def _part(self, segment: TimersSegment, lines: Lines) -> BlockResult:
        if self._cut.column is not None:
            segment.details.leave_out(self._cut.ends_there)
        part, problems = trusted_part(segment, lines)
        if self._cut.column is not None and self._cut.ends_there(segment.title):
            part = replace(part, file=None, complete=False)
            segment.cut = segment.cut or [segment.title]
        return BlockResult((part,), (*segment_problems(segment, lines, boxed=True), *problems))


def _above(before: Iterable[Line]) -> list[Line]:
    """The rules above the title, the nearest first. The box is wider than that of MPICH_MPIIO_STATS, whose closing rule
    may stand above its opening one."""
    found: list[Line] = []
    for line in before:
        text = line.text.strip()
        if not RULE.fullmatch(text) or (found and text != found[0].text.strip()):
            break
        found.append(line)
    return found

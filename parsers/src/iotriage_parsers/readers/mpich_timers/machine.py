"""Which lines belong to a block in its box, and whether they are its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import Lines, Problem
from iotriage_parsers.readers.mpich_timers.block import (
    MOST_ROWS,
    RULE,
    TITLE,
    Row,
    Segment,
    known_label,
    segment_of,
    segment_problems,
    trusted_part,
    untrusted_part,
)
from iotriage_parsers.readers.mpich_timers.rows import EVERY_PRINTED, Printed, begins_a_label, is_header, printed
from iotriage_parsers.text.blocks import Answer, Found
from iotriage_parsers.text.lines import Line

MOST_TITLES: Final = 10_000
WHOLE_BLOCKS_AFTER_A_CUT_ONE: Final = 8
_LONGEST_LABEL: Final = 60
_FOOTNOTE: Final = "(*)"
_SEPARATE: Final = "use srun --output=%t or -u"


class UntitledMachine:
    """Lines of a block whose title was cut off or torn. No file, so no numbers: but it is said."""

    def __init__(self, line: Line) -> None:
        self._first = line.number

    def feed(self, line: Line) -> Answer:
        text = line.text.strip()
        if RULE.match(text):
            return Answer.LAST
        body = text[1:]
        ours = text.startswith("|") and (is_header(body) or printed(body).label in EVERY_PRINTED)
        return Answer.TAKEN if ours else Answer.OVER

    def close(self) -> Found:
        message = f"line {self._first} belongs to a block without a title (torn or cut off): the block was not read"
        return Found((), (Problem("torn", message, loses_data=True, line=self._first),))


class BoxedMachine:
    """Takes the lines of a block; where a second title comes before the first block is over, of both, and so on.

    A block that ends in good order is over at once. Otherwise its missing lines may still come, among those of the next
    blocks, so these are taken too, until each row has come as often as there are titles, or no more lines come, or so
    many whole blocks follow that the first one was simply cut off.
    """

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._segments: list[Segment] = []
        self._seen: Counter[str] = Counter()
        self._due: Counter[str] = Counter()
        self._box, self._first, self._rules = _above(line, before)
        self._rules_due = 0
        self._last = line.number
        self._waiting = False
        self._foreign = 0
        self._strays: list[int] = []
        self._fragment = ""
        self._inside = False
        self._add_segment(line)

    def feed(self, line: Line) -> Answer:
        answer = self._line(line)
        if answer in (Answer.TAKEN, Answer.LAST):
            self._last = line.number
            self._foreign = 0
        elif line.text.strip():
            self._foreign += 1
        return answer

    def close(self) -> Found:
        if self._mixed:
            return self._untrusted()
        founds = [self._trusted(segment) for segment in self._segments]
        return Found(tuple(p for f in founds for p in f.parts), tuple(p for f in founds for p in f.problems))

    @property
    def _segment(self) -> Segment:
        return self._segments[-1]

    @property
    def _mixed(self) -> bool:
        """Whether some line may be another block's. After a second title only a whole block is sure to be that
        title's own, and only if the first block had begun: its labels do not come twice."""
        if self._strays and not self._inside:
            return True
        if any(s.twice or s.of_other_direction for s in self._segments):
            return True
        first, *later = self._segments
        return bool(later) and not (first.rows and first.in_order and all(s.clean and s.in_order for s in later))

    @property
    def _balanced(self) -> bool:
        """Whether all lines that belong under the titles have come, under whichever title."""
        if len(self._segments) == 1:
            return self._segment.clean
        return self._rules >= self._rules_due and all(self._seen[label] >= due for label, due in self._due.items())

    def _add_segment(self, line: Line) -> None:
        title = TITLE.search(line.text)
        assert title is not None
        segment = segment_of(title, line.text, line.number)
        if not line.ended:
            segment.torn.append(line.number)
        self._segments.append(segment)
        self._due.update(segment.expected)
        self._rules_due += 2

    def _line(self, line: Line) -> Answer:
        text = line.text.strip()
        title = TITLE.search(text) if "MPIIO" in text else None
        if title is not None:
            return self._title(line, text[: title.start()].strip())
        rule = RULE.match(text)
        if rule is not None:
            return self._rule(line.number) if self._box in ("", rule.group()) else Answer.FOREIGN
        if not text.startswith("|"):
            return self._beside(line)
        body = text[1:]
        if not body.strip() or is_header(body) or body.lstrip().startswith(_FOOTNOTE):
            return Answer.FOREIGN if self._waiting else Answer.TAKEN
        return self._row(line, body) if body[0] in " \t" else Answer.FOREIGN

    def _title(self, line: Line, fragment: str) -> Answer:
        if fragment.startswith("|"):
            self._fragment = fragment
            self._segment.torn.append(line.number)
        elif not fragment and self._was_over:
            return Answer.OVER
        if len(self._segments) >= MOST_TITLES:
            return Answer.OVER
        self._add_segment(line)
        self._waiting = False
        return Answer.TAKEN

    @property
    def _was_over(self) -> bool:
        """At a title: whether nothing of the blocks so far can come any more."""
        if len(self._segments) == 1:
            return self._segment.clean
        recent = self._segments[-WHOLE_BLOCKS_AFTER_A_CUT_ONE:]
        return len(recent) == WHOLE_BLOCKS_AFTER_A_CUT_ONE and all(s.clean and s.closed for s in recent)

    def _rule(self, number: int) -> Answer:
        self._rules += 1
        segment = self._segment
        if self._waiting:
            return Answer.TAKEN if self._strays or any(s.twice for s in self._segments) else Answer.FOREIGN
        if self._foreign and len(self._segments) == 1:
            # Foreign lines stand between the rows and this rule: it may open the next box.
            self._waiting = True
            return Answer.OVER if segment.clean else Answer.FOREIGN
        segment.closed, segment.last = True, number
        if self._balanced:
            return Answer.LAST
        self._waiting = True
        return Answer.TAKEN

    def _row(self, line: Line, body: str) -> Answer:
        rule = body.find("+----")
        torn = rule >= 0 or not line.ended
        self._rules += rule >= 0
        body = body[:rule] if rule >= 0 else body
        found = printed(body)
        if found.has_value:
            self._seen[found.label] += 1
        if self._waiting:
            if not (found.has_value and found.label in EVERY_PRINTED):
                return Answer.FOREIGN
            self._strays.append(line.number)
            return Answer.TAKEN
        if not found.has_value and not torn and not begins_a_label(found.label):
            return Answer.FOREIGN
        if torn or not found.has_value:
            self._fragment = f"|{body}"
            self._segment.torn.append(line.number)
        return self._keep(found, line.number, torn) if found.has_value else Answer.TAKEN

    def _keep(self, found: Printed, number: int, torn: bool) -> Answer:
        segment = self._segment
        label = known_label(segment.direction, found.label)
        if label is None and found.label in EVERY_PRINTED:
            segment.of_other_direction.append(number)
            return Answer.TAKEN
        row = Row(label or "", found.label, found.text, number, torn)
        if label is None:
            named = found.label[:1].isalpha() and len(found.label) <= _LONGEST_LABEL
            if not named or found.column != segment.column or len(segment.unknown) >= MOST_ROWS:
                return Answer.FOREIGN
            segment.unknown.append(row)
        elif (earlier := segment.row(label)) is not None:
            segment.twice.append((found.label, earlier.line, number))
        else:
            segment.rows.append(row)
            segment.column = found.column if found.column >= 0 else segment.column
        segment.last = number
        return Answer.TAKEN

    def _beside(self, line: Line) -> Answer:
        """A line outside the box: perhaps the end of the line that the second block's first byte cut in two."""
        if self._waiting and self._fragment and not self._strays and len(self._segments) == 2 and not self._foreign:
            whole = printed((self._fragment + line.text).lstrip().removeprefix("|"))
            torn, inner = self._segments
            if inner.clean and whole.has_value and known_label(torn.direction, whole.label) is not None:
                self._inside = True
                self._seen[whole.label] += 1
                self._strays.append(line.number)
                return Answer.TAKEN
        return Answer.FOREIGN

    def _untrusted(self) -> Found:
        where = f"lines {self._first}-{self._last}"
        if len(self._segments) > 1:
            message = f"{len(self._segments)} interleaved blocks of times at {where}: cannot be separated; {_SEPARATE}"
        elif self._segment.twice:
            label, one, other = self._segment.twice[0]
            message = (
                f'"{label}" stands on line {one} and on line {other} of one block ({where}): neither is trusted, '
                "and no other number of the block"
            )
        else:
            message = f"lines of another block stand in the block at {where}: cannot be separated; {_SEPARATE}"
        lines = Lines(self._first, self._last)
        parts = tuple(untrusted_part(segment, lines) for segment in self._segments)
        return Found(parts, (Problem("interleaved", message, loses_data=True, line=self._first),))

    def _trusted(self, segment: Segment) -> Found:
        only = len(self._segments) == 1
        first = self._first if segment is self._segments[0] else segment.line
        lines = Lines(first, self._last if only else segment.last)
        part, problems = trusted_part(segment, lines)
        return Found((part,), (*segment_problems(segment, lines, boxed=True), *problems))


def _above(title: Line, before: Iterable[Line]) -> tuple[str, int, int]:
    """The rule above the title, the number of its first line, and how many such rules stand there. The box is wider
    than that of MPICH_MPIIO_STATS, whose closing rule may stand above its opening one."""
    box, first, rules = "", title.number, 0
    for line in before:
        text = line.text.strip()
        if not RULE.fullmatch(text) or (box and text != box):
            break
        box, first, rules = text, line.number, rules + 1
    return box, first, rules

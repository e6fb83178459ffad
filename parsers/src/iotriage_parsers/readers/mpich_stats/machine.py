"""Which lines belong to a block, and whether they are its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from iotriage_parsers.evidence import Lines, MpiioStats, PflComponent, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.mpich_stats.block import (
    KNOWN,
    OTHER,
    PRINTED,
    StatsSegment,
    is_known,
    may_go_on,
    segment_problems,
    trusted_part,
    untrusted_part,
)
from iotriage_parsers.readers.mpich_stats.pfl import pfl_component
from iotriage_parsers.text.blocks import BlockResult, LineResult, Machine
from iotriage_parsers.text.boxed import MOST_TITLES, RULE, BoxedBlocks, Row, UntitledBlock
from iotriage_parsers.text.broken_titles import own_name, rest_of_title
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.lines import Line

_TITLE: Final = re.compile(r"(?:\|[ \t]*)?MPIIO (write|read) access patterns for(?: |$)")
_TOTAL: Final = re.compile(r"\|[ \t]+total bytes for (?:writes|reads)\s*=")
_PFL: Final = re.compile(r"\|\s+pfl comp\b")
_UNKNOWN_LABEL: Final = re.compile(r"[A-Za-z][\w /().*-]{0,60}")

MOST_FIELDS: Final = 200
_UNBOXED_PATIENCE: Final = 3


def begins(text: str) -> int | None:
    """Where a title stands in `text`, with or without its box, or a line that must have one above it."""
    match = _TITLE.search(text) or _TOTAL.search(text)
    return None if match is None else match.start()


def start(line: Line, before: Iterable[Line]) -> Machine:
    """The machine for a block that begins with `line`."""
    return StatsMachine(line, before) if _TITLE.search(line.text) else UntitledMachine(line)


class UntitledMachine(UntitledBlock):
    def _is_ours(self, text: str) -> bool:
        return is_known(_printed_field(text))


class StatsMachine(BoxedBlocks[StatsSegment]):
    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._boxed = line.text.lstrip().startswith("|")
        above, self._pfl = _above(before) if self._boxed else ([], [])
        rules = sum(RULE.match(one.text.strip()) is not None for one in above)
        super().__init__(above[-1].number if above else line.number, line.number, rules)
        for one in above:
            self._cut.see(one)
        self._rules_since = 0
        self._label = ""
        self._add_segment(line, line.number)

    def close(self) -> BlockResult:
        if not self._boxed and len(self._segments[0].rows) < 2:
            return BlockResult()
        return super().close()

    def _line(self, line: Line) -> LineResult:
        return self._boxed_line(line) if self._boxed else self._unboxed_line(line)

    def _add_segment(self, line: Line, first: int) -> None:
        title = _TITLE.search(line.text)
        assert title is not None
        direction: Direction = "write" if title.group(1) == "write" else "read"
        name = line.text[title.end() :]
        rule = RULE.search(name)
        own = own_name(name[: rule.start()] if rule else name)
        segment = StatsSegment(first, direction, own.strip(), last=line.number)
        segment.pfl, self._pfl = self._pfl, []
        self._title_line = line
        segment.title = line.number
        self._cut.see(line)
        if not line.ended or own != name:
            segment.torn.append(line.number)
        self._add(segment, PRINTED[direction], 3 if segment.pfl else 2)

    def _boxed_line(self, line: Line) -> LineResult:
        text = line.text.strip()
        whole = self._with_figures(line)
        if whole is not None:
            return self._field(whole, whole.text)
        title = _TITLE.search(text) if "MPIIO" in text else None
        if title is not None:
            return self._title(line, text[: title.start()].strip())
        if RULE.match(text):
            return self._rule(line.number)
        if not text.startswith("|"):
            rest = rest_of_title(self._title_line, line)
            if rest is None:
                return self._beside(line)
            self._segment.file += rest
            return LineResult.TAKEN
        if _PFL.match(text):
            self._pfl.append(pfl_component(text[1:].strip(), line.number))
            return LineResult.FOREIGN
        body = text[1:]
        if not body.strip() or body.lstrip().startswith("See "):
            return LineResult.FOREIGN if self._waiting else LineResult.TAKEN
        return self._field(line, body) if body[0] in " \t" else LineResult.FOREIGN

    def _title(self, line: Line, fragment: str) -> LineResult:
        if not self._torn_by_title(line, fragment) and not fragment and self._was_over:
            return LineResult.OVER
        if len(self._segments) >= MOST_TITLES:
            return LineResult.OVER
        first = line.number
        if self._rules_since == 1 and self._waiting and not self._foreign:
            # The one rule before this title opened its box; it closed nothing.
            self._segment.closed = False
            first, self._segment.last = self._segment.last, self._segment.last - 1
        self._add_segment(line, first)
        self._waiting, self._rules_since = False, 0
        return LineResult.TAKEN

    @property
    def _was_over(self) -> bool:
        """At a title: whether nothing of the blocks so far can come any more."""
        if len(self._segments) == 1:
            own_rule = self._rules_since >= (3 if self._pfl else 2)
            ended = self._segment.at_end and own_rule and not self._strays
            return self._segment.clean or ended or self._broke_off
        return self._many_whole_since

    def _rule(self, number: int) -> LineResult:
        self._rules += 1
        self._rules_since += 1
        segment = self._segment
        if self._balanced:
            if not self._waiting and self._foreign and len(self._segments) == 1:
                # Foreign lines stand between the fields and this rule: it may open the next box.
                self._waiting = True
                return LineResult.FOREIGN
            if not self._waiting or len(self._segments) > 1:
                segment.closed, segment.last = True, number
                return LineResult.LAST
        if self._waiting:
            return self._rule_of_another()
        segment.closed, segment.last = True, number
        self._waiting = True
        return LineResult.TAKEN

    def _field(self, line: Line, body: str) -> LineResult:
        rule = body.find("+----")
        torn = rule >= 0 or not line.ended
        self._rules += rule >= 0
        body = body[:rule] if rule >= 0 else body
        label, equals, text = body.partition("=")
        printed = " ".join(label.split())
        if equals and is_known(printed):
            self._seen[printed] += 1
        if self._waiting:
            return self._stray(line) if equals and is_known(printed) else LineResult.FOREIGN
        cut = not text.strip()
        if cut and not torn and not _begins_a_label(printed):
            return LineResult.FOREIGN
        if cut or torn:
            self._cut_off(line, body)
        if cut:
            return LineResult.TAKEN
        return self._keep(printed, text.strip(), line.number, torn, column=len(label))

    def _keep(self, printed: str, text: str, number: int, torn: bool, column: int) -> LineResult:
        segment = self._segment
        label = KNOWN[segment.direction].get(printed)
        if label is None and printed in KNOWN[OTHER[segment.direction]]:
            segment.of_other_direction.append(number)
            return LineResult.TAKEN
        if label is None:
            aligned = segment.column in (None, column) or column == len(f"   {printed} ")
            if not aligned or not _UNKNOWN_LABEL.fullmatch(printed) or len(segment.unknown) >= MOST_FIELDS:
                return LineResult.FOREIGN
            segment.unknown.append(Row(printed, printed, text, number, torn))
        elif (earlier := segment.row(label)) is not None:
            segment.twice.append((printed, earlier.line, number))
        else:
            segment.rows.append(Row(label, printed, text, number, torn))
            segment.column = column if segment.column is None else segment.column
        segment.last = number
        return LineResult.TAKEN

    def _label_of(self, text: str, direction: Direction) -> str | None:
        printed = _printed_field(text)
        return printed if printed in KNOWN[direction] else None

    def _unboxed_line(self, line: Line) -> LineResult:
        """The block without its box, as it comes out of slides: a value may stand on the line after its label."""
        text = line.text.strip()
        if _TITLE.search(text):
            return LineResult.OVER
        label, equals, value = text.partition("=")
        printed = " ".join(label.split()) or self._label
        known = is_known(printed)
        if known and equals and value.strip():
            self._label = ""
            return self._keep(printed, value.strip(), line.number, not line.ended, column=0)
        if known and not equals:
            if self._label:
                self._segment.torn.append(line.number)
            self._label = printed
            return LineResult.TAKEN
        if not text or text.startswith("See "):
            return LineResult.FOREIGN
        return LineResult.OVER if self._foreign >= _UNBOXED_PATIENCE else LineResult.FOREIGN

    def _may_go_on(self, row: Row, ends_there: bool) -> bool:
        return may_go_on(row, ends_there)

    def _untrusted_part(self, segment: StatsSegment, lines: Lines) -> MpiioStats:
        return untrusted_part(segment, lines, with_text=len(self._segments) == 1)

    def _part(self, segment: StatsSegment, lines: Lines) -> BlockResult:
        if not (segment.rows or segment.unknown or segment.pfl):
            # A title alone tells of no close, and where something is wrapped around lines not even of a file.
            message = (
                f"a block of MPI-IO statistics begins on line {segment.line}, and none of its fields follows as MPI "
                "prints it: nothing of it is read"
            )
            return BlockResult((), (Problem("unterminated", message, loses_data=True, line=segment.line),))
        column = self._cut.column
        if column is not None and self._cut.ends_there(segment.title):
            left_out = "its title with them, so that whose file it is of is not known, and it was not read"
            return BlockResult((), (cut_problem("a block of MPI-IO statistics", column, segment.title, left_out),))
        if column is not None:
            segment.pfl = [c for c in segment.pfl if not self._cut.ends_there(c.line)]
        part, problems = trusted_part(segment, lines)
        of_lines = (*segment_problems(segment, lines, self._boxed), *_cut_components(segment.pfl))
        return BlockResult((part,), (*of_lines, *problems))


def _above(before: Iterable[Line]) -> tuple[list[Line], list[PflComponent]]:
    """The lines of the box above the title, the nearest first, and what its PFL lines say. Empty lines are of whoever
    copied them, and what stands below a line without its end is that end: they are longer than most terminals are
    wide."""
    found: list[Line] = []
    pfl: list[PflComponent] = []
    rule = ""
    end: Line | None = None
    for line in before:
        text = line.text.strip()
        if not text:
            continue
        if end is None and RULE.match(text) and (not rule or text == rule):
            rule = text
        elif rule and _PFL.match(text):
            rest = [] if end is None or text.endswith(")") else [end]
            pfl.append(pfl_component(text[1:].strip(), line.number, "".join(one.text.strip() for one in rest)))
            found += rest
            end = None
        elif rule and end is None and not text.startswith("|") and not RULE.match(text):
            end = line
            continue
        else:
            break
        found.append(line)
    return found, pfl[::-1]


def _cut_components(pfl: Iterable[PflComponent]) -> Iterator[Problem]:
    """That lines above the box are cut, which are longer than any in it and end in a bracket."""
    first = next((c.line for c in pfl if not c.text.endswith(")")), None)
    if first is not None:
        message = f"line {first}, of a component of the layout, is cut: its bytes are left out"
        yield Problem("cut-lines", message, loses_data=True, line=first)


def _printed_field(text: str) -> str:
    """The label of a boxed `label = value` line, or "" where it is none."""
    label, equals, value = text.lstrip().removeprefix("|").partition("=")
    return " ".join(label.split()) if equals and value.strip() else ""


def _begins_a_label(text: str) -> bool:
    return any(label.startswith(text) for known in KNOWN.values() for label in known)

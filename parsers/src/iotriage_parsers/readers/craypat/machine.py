"""Which lines of a text are a CrayPAT report's, from its banner, its version line or a pasted table to its end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence.craypat import PatField
from iotriage_parsers.readers.craypat.header import (
    INSTRUMENTED,
    INVOCATION,
    RANKS,
    ends_early,
    groups_in,
    key_and_value,
    may_follow,
    version,
)
from iotriage_parsers.readers.craypat.report import Advice, ReportParts, report_of
from iotriage_parsers.readers.craypat.table import LUSTRE_TITLE, Table
from iotriage_parsers.text.blocks import BlockResult, LineResult, Machine
from iotriage_parsers.text.lines import Line

_ADVICE_TITLES: Final = (
    "MPI Grid Detection",
    "Metric-Based Rank Order",
    "MPI Hybrid Rank Order",
    "MPI utilization",
    "Stall Cycles",
    "Program sensitivity to memory latency",
    "D1 cache utilization",
    "D1 + D2 cache utilization",
    "TLB utilization",
)
_TABLE_TITLES: Final = (
    "File Input Stats by Filename",
    "File Output Stats by Filename",
    LUSTRE_TITLE,
    "Profile by Function",
    "Profile by Group",
    "Wall Clock Time, Memory High Water Mark",
)
"""Of the tables that are read; one of these, pasted alone, is told as part of a report."""
_BANNER: Final = "CrayPat-lite Performance Statistics"
_OLD_ADVICE: Final = "Observations and suggestions"
_LABEL_HEADERS: Final = ("File Name=!x/", "File Name[max", "File Name[MAX")

ANCHORS: Final = (
    b"CrayPat/X:",
    b"CrayPat-lite Performance Statistics",
    b"Number of PEs (MPI ranks)",
    b"I/O Read Rate:",
    b"I/O Write Rate:",
    b"Observations and suggestions",
    b"Observation: ",
    b" Stats by Filename",
    b"Lustre File Information",
    b"Profile by ",
    b"Wall Clock Time, Memory High Water Mark",
    b"File Name=!x/",
    b"File Name[",
)
"""Texts of which every report, and every fragment that can be told as one, has one in its first line."""

_ANY: Final = "|".join
_FIRST: Final = re.compile(
    r"CrayPat/X:\s+Version\s"
    rf"|#\s+{_BANNER}"
    rf"|{re.escape(RANKS)}\s*:"
    r"|I/O (?:Read|Write) Rate:\s+\S+\s+Mi?Bytes/sec"
    rf"|={{5,}}\s+{_OLD_ADVICE}"
    rf"|Observation:\s+(?:{_ANY(map(re.escape, _ADVICE_TITLES))})"
    rf"|Table \d{{1,3}}:\s+(?:Sample )?(?:{_ANY(map(re.escape, _TABLE_TITLES))})(?![^(]*['\"`])"
    rf"|(?:Avg )?(?:Read|Write|Avg)\b[^|]*\|(?:[^|]*\|){{3,8}}\s*(?:{_ANY(map(re.escape, _LABEL_HEADERS))})"
)
_COMMENT: Final = re.compile(r"((?:#\w{0,8}[ \t]+){0,2}(?:#\w{0,8}|//|%|!))[ \t]+$")

_END: Final = re.compile(r"={5,}\s+End of CrayPat-lite output\b.*")
_BANNER_LINE: Final = re.compile(rf"#\s+{_BANNER}\s*#?")
_HASHES: Final = re.compile(r"#{20,}|#\s*#?")
_NOTES: Final = re.compile(r"Notes for table \d{1,3}:")
_TABLE: Final = re.compile(r"Table \d{1,3}:(?:\s+(.*))?")
_ADVICE: Final = re.compile(r"Observation:\s+(\S.*)")
_OF_OTHERS: Final = "|+#"
"""What no line of an observation begins with, as boxes, comments and scripts do."""
_ADVICE_BEGINS: Final = re.compile(rf"={{5,}}\s+{_OLD_ADVICE}\s+={{5,}}")
_ADVICE_ENDS: Final = re.compile(r"={5,}\s+End Observations\s+={5,}")
_OLD_ADVICE_ITEM: Final = re.compile(r"([A-Z][\w +/-]{2,60}):(?:\s+(\S.*))?")
_DETAILS: Final = re.compile(r"={5,}\s+Additional details\s+={5,}")
_PRUNED: Final = "The following groups were pruned due to thresholding:"
_PRUNED_LINE: Final = re.compile(r"[A-Z][A-Z0-9_]*(?:, *[A-Z][A-Z0-9_]*)*,?")

MOST_TABLES: Final = 500
MOST_FIELDS: Final = 200
MOST_ADVICE: Final = 100
MOST_ADVICE_LINES: Final = 80
LONGEST_TITLE: Final = 200
LONGEST_FIRST_LINE: Final = 2000
_START_UP_PATIENCE: Final = 5
"""An instrumented program prints its version line when it starts, and then the application's own output follows."""


def begins(text: str) -> int | None:
    """Where in `text` a report's line begins: indentation and a comment sign (`# `) belong to it, because the
    machine takes them off; what else stands before is a prefix."""
    match = _FIRST.search(text, 0, LONGEST_FIRST_LINE)
    if match is None:
        return None
    before = text[: match.start()]
    comment = _COMMENT.search(before)
    if comment is not None:
        before = before[: comment.start()]
    return len(before.rstrip(" \t"))


def start(line: Line, _before: Iterable[Line]) -> Machine:
    """The machine for a report that begins with `line`."""
    machine = ReportMachine(line)
    machine.feed(line)
    return machine


@dataclass(slots=True)
class _Pruned:
    """The list of pruned groups goes on as long as its lines end with a comma."""

    open: bool = False
    groups: list[str] = field(default_factory=list)


class ReportMachine:
    """Takes the lines of one report. Lines of others may stand between them."""

    def __init__(self, line: Line) -> None:
        match = _FIRST.search(line.text, 0, LONGEST_FIRST_LINE)
        comment = _COMMENT.search(line.text[: match.start()]) if match else None
        self._comment = comment.group(1) if comment else ""
        self._all = ReportParts(first=line.number, last=line.number)
        self._table: Table | None = None
        self._untitled: Table | None = None
        self._advice: Advice | None = None
        self._old_advice = False
        self._blank_lines = 0
        self._pending: tuple[str, int] | None = None
        self._instrumentation = False
        self._pruned = _Pruned()
        self._strange = 0

    def feed(self, line: Line) -> LineResult:
        text = self._own(line.text)
        if text is None:
            return LineResult.FOREIGN
        if not text:
            self._blank_lines += 1
            return LineResult.FOREIGN
        answer = self._line(text, line)
        self._blank_lines = 0
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._all.last = line.number
            self._strange = 0
        elif answer is LineResult.FOREIGN and not self._has_content:
            self._strange += 1
            if self._strange > _START_UP_PATIENCE:
                return LineResult.OVER
        return answer

    def close(self) -> BlockResult:
        self._end_table()
        return report_of(self._all, self._pruned.groups) if self._has_content else BlockResult()

    @property
    def _has_content(self) -> bool:
        gathered = self._all
        return bool(gathered.fields or gathered.advice) or any(
            t.rows or t.broken for t in (*gathered.tables, *self._current)
        )

    @property
    def _current(self) -> tuple[Table, ...]:
        return (self._table,) if self._table is not None else ()

    def _own(self, text: str) -> str | None:
        """The line without its comment sign and the blanks around; None for a line that has no such sign."""
        text = text.strip()
        if not self._comment:
            return text
        return text[len(self._comment) :].strip() if text.startswith(self._comment) else None

    def _line(self, text: str, line: Line) -> LineResult:
        answer = self._landmark(text, line)
        if answer is not None:
            self._pending = None
            return answer
        if self._is_of_another_fragment(text):
            return LineResult.OVER
        if self._heading(text, line) or self._field(text, line) or self._in_table(text, line):
            return LineResult.TAKEN
        if self._in_advice(text, line) or self._in_pruned(text) or self._in_options(text):
            return LineResult.TAKEN
        return self._fragment_table(text, line)

    def _landmark(self, text: str, line: Line) -> LineResult | None:
        """Lines at which a report begins or ends."""
        if _END.fullmatch(text):
            self._all.ended = True
            return LineResult.LAST
        if _BANNER_LINE.fullmatch(text):
            if self._has_content:
                return LineResult.OVER
            self._all.first, self._all.lite = line.number, True
            return LineResult.TAKEN
        stated = version(text)
        if stated is not None:
            if self._has_content:
                return LineResult.OVER
            if self._all.version is not None and not self._all.lite:
                self._all.first = line.number
            self._all.version = stated
            self._measure(text, line)
            if not line.ended:
                self._all.torn.append(line.number)
            return LineResult.TAKEN
        if _HASHES.fullmatch(text) and self._all.lite and not self._all.fields:
            return LineResult.TAKEN
        return None

    def _is_of_another_fragment(self, text: str) -> bool:
        """Without a header, a second table with the same title is of another run."""
        if self._all.version is not None or self._all.fields:
            return False
        title = _TABLE.fullmatch(text)
        direction = Table(title.group(1) or "", 0).direction if title else None
        tables = (*self._all.tables, *self._current)
        return direction is not None and any(t.direction == direction and t.rows for t in tables)

    def _heading(self, text: str, line: Line) -> bool:
        """Titles of tables, notes, observations and sections."""
        if self._untitled is not None:
            self._untitled.title, self._untitled = text[:LONGEST_TITLE], None
            return True
        table = _TABLE.fullmatch(text)
        if table is not None:
            self._new_table(Table((table.group(1) or "")[:LONGEST_TITLE], line.number, last=line.number))
            self._untitled = None if table.group(1) else self._table
            return True
        advice = _ADVICE.fullmatch(text)
        if advice is not None:
            self._end_table()
            self._new_advice(advice.group(1)[:LONGEST_TITLE], line.number)
            return True
        if _NOTES.fullmatch(text):
            self._end_table()
            self._advice, self._old_advice = None, False
            return True
        if text == _PRUNED:
            self._pruned.open = not self._pruned.groups
            return True
        return self._section(text)

    def _section(self, text: str) -> bool:
        if _ADVICE_BEGINS.fullmatch(text):
            self._end_table()
            self._advice, self._old_advice = None, True
        elif _ADVICE_ENDS.fullmatch(text):
            self._advice, self._old_advice = None, False
        elif _DETAILS.fullmatch(text):
            self._end_table()
            self._advice, self._all.details = None, True
        else:
            return False
        return True

    def _field(self, text: str, line: Line) -> bool:
        stated = key_and_value(text)
        if stated is None:
            if self._pending is None or "|" in text:
                return False
            key, _ = self._pending
            self._pending = None
            self._keep_field(key, text, line)
            return True
        key, value = stated
        self._instrumentation = key == INSTRUMENTED or (self._instrumentation and not value)
        if key == INVOCATION:
            self._end_table()
            self._advice = None
        self._pending = None
        if value or not may_follow(key):
            self._keep_field(key, value, line)
        else:
            self._pending = key, line.number
        return True

    def _measure(self, text: str, line: Line) -> None:
        width = len(line.text.rstrip())
        self._all.widths[line.number] = width
        if ends_early(text):
            self._all.early = max(width, self._all.early or 0)

    def _keep_field(self, key: str, text: str, line: Line) -> None:
        if not line.ended:
            self._all.torn.append(line.number)
        elif len(self._all.fields) < MOST_FIELDS:
            self._all.fields.append(PatField(key, text, line.number))
            self._measure(self._own(line.text) or "", line)
            if key == INSTRUMENTED:
                self._instrumentation = True
                self._keep_groups(text)

    def _keep_groups(self, text: str) -> None:
        known = self._all.traced_groups or ()
        self._all.traced_groups = tuple(dict.fromkeys((*known, *groups_in(text))))

    def _in_table(self, text: str, line: Line) -> bool:
        table = self._table
        if table is None or not table.feed(text, line.number, line.ended):
            return False
        self._all.widths[line.number] = len(line.text.rstrip())
        if table.closed:
            self._end_table()
        return True

    def _fragment_table(self, text: str, line: Line) -> LineResult:
        """The header of an I/O table that has lost its title."""
        if self._table is not None or "|" not in text or not _FIRST.match(text, 0, LONGEST_FIRST_LINE):
            return LineResult.FOREIGN
        table = Table("", line.number, last=line.number)
        if not table.feed(text, line.number, line.ended):
            return LineResult.FOREIGN
        self._new_table(table)
        return LineResult.TAKEN

    def _new_table(self, table: Table) -> None:
        self._end_table()
        self._advice, self._old_advice, self._pruned.open = None, False, False
        self._table = table

    def _end_table(self) -> None:
        if self._table is None:
            return
        self._table.close()
        if len(self._all.tables) < MOST_TABLES:
            self._all.tables.append(self._table)
        else:
            self._all.refused = self._all.refused or self._table.line
        self._table = self._untitled = None

    def _new_advice(self, title: str, number: int) -> None:
        self._advice = Advice(title, number, number)
        if len(self._all.advice) < MOST_ADVICE:
            self._all.advice.append(self._advice)

    def _in_advice(self, text: str, line: Line) -> bool:
        number = line.number
        if self._old_advice:
            item = _OLD_ADVICE_ITEM.fullmatch(text)
            if item is not None:
                self._new_advice(item.group(1), number)
                if item.group(2) and self._advice is not None:
                    self._advice.text.append(item.group(2))
                return True
        advice = self._advice
        if advice is None:
            return False
        indented = line.text[:1].isspace()
        if not self._old_advice and (
            text[0] in _OF_OTHERS or (advice.text and (self._blank_lines > 1 or (advice.indented and not indented)))
        ):
            self._advice = None
            return False
        advice.indented = advice.indented or (not advice.text and indented)
        if len(advice.text) >= MOST_ADVICE_LINES:
            return False
        advice.text.append(text)
        advice.last = number
        return True

    def _in_pruned(self, text: str) -> bool:
        pruned = self._pruned
        if not pruned.open:
            return False
        if not _PRUNED_LINE.fullmatch(text):
            pruned.open = False
            return False
        pruned.groups.extend(group.strip() for group in text.split(",") if group.strip())
        pruned.open = text.endswith(",")
        return True

    def _in_options(self, text: str) -> bool:
        """The lines of the option file under "Instrumented with"."""
        if not self._instrumentation or not text.startswith("-"):
            return False
        self._keep_groups(text)
        return True

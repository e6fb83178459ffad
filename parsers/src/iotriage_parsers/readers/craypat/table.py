"""A table as text: header lines that wrap, rules, rows of several levels, or the same as comma-separated lines.

Blanks mean nothing here, because pasting destroys them: cells are recognised by their bars alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.craypat.numbers import is_changed, is_number

MOST_ROWS: Final = 100_000
MOST_HEADER_LINES: Final = 12
LONGEST_HEADER_LINE: Final = 1000
LONGEST_CELL: Final = 48

_RULE: Final = re.compile(r"(?:\d{1,2})?\|*(?:-{4,}|={4,})")
_CLOSING: Final = re.compile(r"\|?={4,}")
_OPENING: Final = re.compile(r"\|?-{4,}")
_LEVEL: Final = re.compile(r"(?:(\d{1,2})(?=\|))?(\|*)")
_EXCLUDED: Final = re.compile(r"!x/(.*?)/(?=\s*$|\s)")
_EXCLUDES: Final = "!x/"
_FIRST_OF_IO_HEADER: Final = re.compile(r"\b(?:Avg|Read|Write)\b.*\|.*\|.*\|")
_CSV_HEADER: Final = re.compile(r"Level,[^|]*,[^|]*")
_CSV_ROW: Final = re.compile(r"(\d{1,2}),")
_COLUMNS_OF_FRAGMENTS: Final = (6, 5)
_NAMED: Final = "File Name"
LUSTRE_TITLE: Final = "Lustre File Information"
_LUSTRE_COLUMNS: Final = 5
_INPUT, _OUTPUT = "File Input Stats by Filename", "File Output Stats by Filename"


@dataclass(slots=True)
class Row:
    level: int
    cells: tuple[str, ...]
    label: str
    line: int
    torn: bool = False


@dataclass(slots=True)
class Table:
    """`labels` are the levels of the label column ("Group", "Function", "PE=HIDE"); `title` is "" where it was lost.
    `changed` are lines whose figures are not as CrayPAT prints them. `ruled_off` tells a table that ended with its
    closing rule from one that merely got no more lines."""

    title: str
    line: int
    header: list[tuple[str, ...]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    excluded: str | None = None
    columns_count: int | None = None
    rows: list[Row] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    ignored: int | None = None
    opened: bool = False
    closed: bool = False
    ruled_off: bool = False
    csv: bool = False
    last: int = 0
    _half: tuple[str, int] | None = None
    _half_header: tuple[str, int] = ("", 0)

    @property
    def is_lustre(self) -> bool:
        return self.title.startswith(LUSTRE_TITLE)

    @property
    def direction(self) -> Direction | None:
        """Of an I/O table, by its title; None for other tables and where the title was lost."""
        if self.title.startswith(_INPUT):
            return "read"
        return "write" if self.title.startswith(_OUTPUT) else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles of the data columns, each joined downwards."""
        if self.csv:
            return self.header[0] if self.header else ()
        joined = (" ".join(cell for cell in cells if cell) for cells in zip(*self.header, strict=True))
        return tuple(title.replace("/ ", "/") for title in joined)

    def feed(self, text: str, number: int, ended: bool) -> bool:
        """Whether the line (stripped, not empty) belongs to the table."""
        if self.closed:
            return False
        if _RULE.fullmatch(text):
            taken = self._rule(text)
        elif self.csv or _CSV_HEADER.fullmatch(text):
            taken = self._csv_line(text, number, ended)
        elif "|" in text:
            taken = self._barred(text, number, ended)
        else:
            taken = self._wrapped(text, number, ended)
        if taken:
            self.last = number
        return taken

    def close(self) -> None:
        """No more lines: half a row stays half."""
        self.closed = True
        if self._half is not None:
            self.broken.append(self._half[1])
            self._half = None

    def _rule(self, text: str) -> bool:
        if not self.header and not self.rows:
            return False
        if self.opened and _CLOSING.fullmatch(text):
            if self._half is not None:
                self.broken.append(self._half[1])
                self._half = None
            self.closed = self.ruled_off = True
        elif _OPENING.fullmatch(text):
            self.opened = True
        return True

    def _csv_line(self, text: str, number: int, ended: bool) -> bool:
        if not self.csv:
            self.csv = True
            names = text.split(",")
            self.header.append(tuple(names[1:-1]))
            self.labels.append(names[-1].strip())
            self.columns_count = len(names) - 2
            return True
        match = _CSV_ROW.match(text)
        parts = text.split(",", len(self.header[0]) + 1)
        if match is None or len(parts) < len(self.header[0]) + 2:
            return False
        return self._row(int(match.group(1)), parts[1:], number, ended)

    def _barred(self, text: str, number: int, ended: bool) -> bool:
        level, rest = _level(text)
        if self._half is not None:
            half, first = self._half
            self._half = None
            if self._try(*_level(f"{half} {text}"), first, ended):
                return True
            self.broken.append(first)
        if self.columns_count is None and not self.header and self.direction is not None:
            self.columns_count = _numeric_cells(rest)
            if self.columns_count is None and _lacks_name(rest):
                self.broken.append(number)
                return True
        if self.columns_count is not None and self._try(level, rest, number, ended):
            return True
        if not self.opened and not self.rows and self._header_line(text, number):
            return True
        if level > 0 and self._is_half(rest):
            self._half = text, number
            return True
        return False

    def _wrapped(self, text: str, number: int, ended: bool) -> bool:
        """The end of a row that a mail program has broken."""
        if self._half is not None:
            half, first = self._half
            if self._try(*_level(f"{half} {text}"), first, ended):
                self._half = None
                return True
        if self._half_header[1] == number - 1 and not self.rows:
            return self._header_line(text, number)
        if self.rows and not self.rows[-1].label and number == self.last + 1 and not self.is_lustre:
            self.rows[-1].label, self.rows[-1].torn = text, not ended
            return True
        return False

    def _header_line(self, text: str, number: int) -> bool:
        if len(self.header) >= MOST_HEADER_LINES or len(text) > LONGEST_HEADER_LINE:
            return False
        found = _EXCLUDED.search(text)
        if found is not None:
            self.excluded = found.group(1)
        if _EXCLUDES in text:
            # Its bars part no columns, where the line is cut within it neither.
            text = text[: text.index(_EXCLUDES)] + "!x"
        if self.is_lustre:
            return self._lustre_header(text)
        if self.direction is not None:
            whole = self._whole_header_line(text, number)
            if whole is None:
                return False
            text = whole
        if self.columns_count is None:
            # A bar before the first title is another format's: a block of MPI-IO's behind a cut report.
            if text.startswith("|") or (self.direction is not None and not _FIRST_OF_IO_HEADER.search(text)):
                return False
            self.columns_count = text.count("|")
        parts = [part.strip() for part in text.split("|", self.columns_count)]
        if len(parts) <= self.columns_count:
            return False
        self.header.append(tuple(parts[:-1]))
        if parts[-1]:
            self.labels.append(parts[-1].removesuffix("!x").rstrip("="))
        return True

    def _whole_header_line(self, text: str, number: int) -> str | None:
        """A mail program breaks the header as it does the rows: a line that lacks columns, the first one also what the
        rows are named by, is whole with the one before it, or waits for the next."""
        half, first = self._half_header
        self._half_header = text, number
        joined = (text, f"{half} {text}") if first == number - 1 else (text,)
        known = self.columns_count
        bars = known or min(_COLUMNS_OF_FRAGMENTS)
        whole = next((one for one in joined if one.count("|") >= bars and (known or _NAMED in one)), None)
        if whole is not None:
            self._half_header = "", 0
        return whole

    def _lustre_header(self, text: str) -> bool:
        parts = tuple(part.strip() for part in text.split("|"))
        if len(parts) != _LUSTRE_COLUMNS:
            return False
        self.header.append(parts)
        self.columns_count = _LUSTRE_COLUMNS
        return True

    def _try(self, level: int, rest: str, number: int, ended: bool) -> bool:
        if self.columns_count is None:
            return False
        if self.is_lustre:
            return self._lustre_row(rest, number, ended)
        parts = rest.split("|", self.columns_count)
        return len(parts) == self.columns_count + 1 and self._row(level, parts, number, ended)

    def _row(self, level: int, parts: list[str], number: int, ended: bool) -> bool:
        """`parts` are the cells and the label. Copying can put several rows on one line: they stand in the label."""
        count = len(parts) - 1
        cells, label = [part.strip() for part in parts[:-1]], parts[-1]
        if sum(map(is_changed, cells)) * 2 >= sum(map(bool, cells)) > 0:
            # The others are as likely changed, and may look like figures of another size.
            self.changed.append(number)
            return True
        if not any(is_number(c) for c in cells) or any(len(c) > LONGEST_CELL for c in cells):
            return self.csv or (level > 0 and not any(cells))
        if sum(bool(c) and not is_number(c) for c in cells) > count // 2:
            return False
        if cells[0] and not is_number(cells[0]) and is_number(label.partition("|")[0].strip()):
            return False  # What stands before it is no cell: all figures would be those of the columns beside them.
        pieces = [piece.strip() for piece in label.split("|")]
        if 1 < len(pieces) < count + 2 and all(map(is_number, pieces[:count])):
            return False  # The name was lost, and these are the cells of the row below.
        while len(pieces) >= count + 2 and all(is_number(p) for p in pieces[1 : count + 1]):
            self._keep(Row(level, tuple(cells), pieces[0], number))
            cells, pieces = pieces[1 : count + 1], pieces[count + 1 :]
            label = "|".join(pieces)
        self._keep(Row(level, tuple(cells), label.strip(), number, not ended))
        return True

    def _keep(self, row: Row) -> None:
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)
        elif self.ignored is None:
            self.ignored = row.line

    def _lustre_row(self, rest: str, number: int, ended: bool) -> bool:
        parts = [part.strip() for part in rest.rsplit("|", _LUSTRE_COLUMNS - 1)]
        if len(parts) != _LUSTRE_COLUMNS or not any(is_number(part) for part in parts[1:]):
            return False
        self._keep(Row(1, tuple(parts[1:]), parts[0], number, not ended))
        return True

    def _is_half(self, rest: str) -> bool:
        """Whether a line has the beginning of a row of an I/O table, and too few cells."""
        if self.columns_count is None or self.is_lustre or not self.is_io:
            return False
        parts = [part.strip() for part in rest.split("|", self.columns_count)]
        return 1 <= len(parts) <= self.columns_count and is_number(parts[0])

    @property
    def is_io(self) -> bool:
        return self.direction is not None or any(label.startswith(_NAMED) for label in self.labels)


def _level(text: str) -> tuple[int, str]:
    """The level of a row, and its cells: `| `, `|| `, `3| `, `4|||`; without a bar in front it is level 0."""
    match = _LEVEL.match(text)
    assert match is not None
    digits, bars = match.groups()
    return (int(digits) if digits else len(bars)), text[match.end() :]


_FIGURE: Final = re.compile(r"[\d,.%]+")


def _numeric_cells(rest: str) -> int | None:
    """How many columns a table without a header has, by its first row: six from CrayPat 7.0.2, five before. What looks
    like a figure is no name of a file, but a cell of a row that is cut behind it."""
    parts = [part.strip() for part in rest.split("|")]
    found = next((n for n in _COLUMNS_OF_FRAGMENTS if len(parts) > n and all(is_number(p) for p in parts[:n])), None)
    return None if found is None or not parts[found] or _FIGURE.fullmatch(parts[found]) else found


def _lacks_name(rest: str) -> bool:
    """Whether a row of an I/O table ends before the name of its file."""
    parts = [part.strip() for part in rest.split("|")]
    figures = [is_number(part) for part in parts[:-1]]
    return len(figures) >= 2 and all(figures) and (not parts[-1] or _FIGURE.fullmatch(parts[-1]) is not None)

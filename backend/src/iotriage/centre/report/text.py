"""A report as plain text, for a terminal and for mail."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from iotriage.centre.report.said_cells import said_cell
from iotriage.centre.report.section import Cell, Column, Distribution, Histogram, Report, Section
from iotriage.centre.report.spread_table import SPREAD_TITLE, counted_note, spread_note, spread_table

TERMINAL: Final = 100
MAIL: Final = 72
LONGEST_CELL: Final = 60
_INDENT: Final = "   "
_HELD: Final = "\u00a0"
_NAMELESS: Final = ("what", "of")
"""Titles of columns whose cells say what a row is."""
_UNIT: Final = re.compile(r"(\d) (%|[KMGTPE]?i?B\b|m?s\b|µs\b|min\b|h\b|(?:process|node)-hours?\b)")


def as_report_text(report: Report, width: int = TERMINAL) -> str:
    """No line is longer than `width`, but for a single word that is."""
    return "\n".join(_lines(report, width)) + "\n"


def wrapped(paragraph: str, width: int) -> str:
    return "\n".join(_wrapped(paragraph, width))


def _wrapped(paragraph: str, width: int, first: str = "", then: str = "") -> Iterator[str]:
    """Lines that leave a figure with its unit, and a rule's name in one piece."""
    held = _UNIT.sub(rf"\1{_HELD}\2", paragraph).replace("< ", f"<{_HELD}")
    for line in textwrap.wrap(
        held, width, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    ):
        yield line.replace(_HELD, " ")


def _lines(report: Report, width: int) -> Iterator[str]:
    yield f"I/O of {report.period.said} (days in UTC, by the start of the job)"
    chosen = [f"{name} {value}" for name, value in report.filter.chosen()]
    if chosen:
        yield from _wrapped(f"Of {', '.join(chosen)} alone.", width)
    yield ""
    for paragraph in (report.headline, report.summary, report.unseen):
        yield from _wrapped(paragraph, width)
    for section in report.sections:
        yield ""
        yield from _section(section, width)
    for histogram in report.histograms:
        yield ""
        yield from _histogram(histogram, width)
    if report.distributions:
        yield ""
        yield from _spread(report.distributions, width)


def _histogram(histogram: Histogram, width: int) -> Iterator[str]:
    yield histogram.title
    yield from _wrapped(counted_note(histogram), width, _INDENT, _INDENT)
    if histogram.of:
        bins = "; ".join(f"{bin.label}:{_HELD}{bin.logs:,}" for bin in histogram.bins)
        yield from _wrapped(bins, width, _INDENT, _INDENT)


def _spread(distributions: tuple[Distribution, ...], width: int) -> Iterator[str]:
    yield SPREAD_TITLE
    yield from _wrapped(spread_note(distributions), width, _INDENT, _INDENT)
    table = [list(row) for row in spread_table(distributions)]
    yield from _table(table, [True] + [False] * (len(table[0]) - 1), width)


def _section(section: Section, width: int) -> Iterator[str]:
    yield f"{section.number}. {section.title}"
    yield from _wrapped(section.note, width, _INDENT, _INDENT)
    if not section.rows:
        yield from _wrapped(section.none, width, _INDENT, _INDENT)
        return
    table = [[c.title for c in section.columns]]
    table += [[_shown(cell, column) for cell, column in zip(row, section.columns, strict=True)] for row in section.rows]
    yield from _table(table, [column.unit == "text" for column in section.columns], width)


def _table(table: list[list[str]], left: Sequence[bool], width: int) -> Iterator[str]:
    """`left` are the columns of words."""
    widths = [max(len(row[i]) for row in table) for i in range(len(left))]
    if sum(widths) + 2 * (len(widths) - 1) + len(_INDENT) <= width:
        yield from _aligned(table, widths, left)
    else:
        yield from _stacked(table, width)


def _aligned(table: list[list[str]], widths: Sequence[int], left: Sequence[bool]) -> Iterator[str]:
    for row in table:
        cells = (
            cell.ljust(width) if words else cell.rjust(width)
            for cell, width, words in zip(row, widths, left, strict=True)
        )
        yield (_INDENT + "  ".join(cells)).rstrip()


def _stacked(table: list[list[str]], width: int) -> Iterator[str]:
    """Where a table is wider than the page: each row as words."""
    titles, *rows = table
    for row in rows:
        told = "; ".join(
            cell if title in _NAMELESS else f"{title}: {cell}"
            for title, cell in zip(titles, row, strict=True)
            if cell != "-"
        )
        yield from _wrapped(told, width, f"{_INDENT}- ", f"{_INDENT}  ")


def _shown(cell: Cell, column: Column) -> str:
    told = said_cell(cell, column.unit)
    return told if len(told) <= LONGEST_CELL else told[: LONGEST_CELL - 1] + "…"

"""A report as plain text, for a terminal and for mail."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from iotriage.centre.report.section import Cell, Column, Report, Section
from iotriage.centre.report.summary import said
from iotriage.rules.core.words import number, plain, seconds, share, size

WIDTH: Final = 100
LONGEST_CELL: Final = 60


def as_report_text(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"I/O of {said(report.period)} (days in UTC, by the start of the job)"
    yield ""
    for paragraph in (report.headline, report.summary, report.unseen):
        yield from textwrap.wrap(paragraph, WIDTH)
    for section in report.sections:
        yield ""
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"{section.number}. {section.title}"
    yield from textwrap.wrap(section.note, WIDTH - 3, initial_indent="   ", subsequent_indent="   ")
    if not section.rows:
        yield "   none"
        return
    table = [[c.title for c in section.columns]]
    table += [[_said(cell, column) for cell, column in zip(row, section.columns, strict=True)] for row in section.rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(section.columns))]
    for row in table:
        cells = (
            _aligned(cell, width, column) for cell, width, column in zip(row, widths, section.columns, strict=True)
        )
        yield ("   " + "  ".join(cells)).rstrip()


def _aligned(cell: str, width: int, column: Column) -> str:
    return cell.ljust(width) if column.unit == "text" else cell.rjust(width)


def _said(cell: Cell, column: Column) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        said = plain(cell)
        return said if len(said) <= LONGEST_CELL else said[: LONGEST_CELL - 1] + "…"
    match column.unit:
        case "B":
            return size(cell)
        case "B/s":
            return f"{size(cell)}/s"
        case "s":
            return seconds(cell)
        case "share":
            return share(cell)
        case _:
            return f"{cell:,}" if isinstance(cell, int) and column.unit == "count" else number(cell)

"""A report as plain text, for a terminal and for mail. What the tables mean stands once, at the end: whoever reads one
each day looks for the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.forms.spread_table import SPREAD_TITLE, counted_note, spread_note, spread_table
from iotriage.centre.report.section import Distribution, Histogram, Report, Section, ThemeOfReport
from iotriage.reports.wrapped import HELD, TERMINAL, wrapped

LONGEST_CELL: Final = 60
HOW_TO_READ: Final = "How to read the tables"
_INDENT: Final = "  "
_BELOW: Final = "      "
_BETWEEN: Final = "  "


def as_report_text(report: Report, width: int = TERMINAL) -> str:
    """No line is longer than `width`, but for a single word that is, and the first column of a table."""
    return "\n".join(_lines(report, width)) + "\n"


def _lines(report: Report, width: int) -> Iterator[str]:
    yield f"I/O of {report.period.said} (days in UTC, by the start of the job)"
    chosen = [f"{name} {value}" for name, value in report.filter.chosen()]
    if chosen:
        yield from wrapped(f"Only {' and '.join(chosen)}.", width)
    yield ""
    for paragraph in (report.headline, report.summary, report.unseen):
        yield from wrapped(paragraph, width)
    for theme in report.by_theme():
        yield ""
        yield from _theme(theme, width)
    notes = [section for theme in report.by_theme() for section in theme.sections if section.rows]
    if notes:
        yield from ("", HOW_TO_READ, "=" * len(HOW_TO_READ))
    for section in notes:
        yield from wrapped(f"{section.title}. {section.note}", width, "", _INDENT)


def _theme(theme: ThemeOfReport, width: int) -> Iterator[str]:
    yield theme.question
    yield "=" * len(theme.question)
    if theme.only is not None:
        yield from _section(theme.only, width)
        return
    parts = [
        *((section.title, *_section(section, width)) for section in theme.sections),
        *(tuple(_histogram(histogram, width)) for histogram in theme.histograms),
        *([tuple(_spread(theme.distributions, width))] if theme.distributions else []),
    ]
    for at, part in enumerate(parts):
        yield from ("", *part) if at else part


def _histogram(histogram: Histogram, width: int) -> Iterator[str]:
    yield histogram.title
    yield from wrapped(counted_note(histogram), width, _INDENT, _INDENT)
    if histogram.of:
        bins = "; ".join(f"{bin.label}:{HELD}{bin.logs:,}" for bin in histogram.bins)
        yield from wrapped(bins, width, _INDENT, _INDENT)


def _spread(distributions: tuple[Distribution, ...], width: int) -> Iterator[str]:
    yield SPREAD_TITLE
    yield from wrapped(spread_note(distributions), width, _INDENT, _INDENT)
    table = [list(row) for row in spread_table(distributions)]
    yield from _table(table, [True] + [False] * (len(table[0]) - 1), width)


def _section(section: Section, width: int) -> Iterator[str]:
    if not section.rows:
        yield from wrapped(section.none, width, _INDENT, _INDENT)
        return
    table = [[c.title for c in section.columns]]
    table += [
        [cell_text(cell, column.unit) for cell, column in zip(row, section.columns, strict=True)]
        for row in section.rows
    ]
    yield from _table(table, [column.unit == "text" for column in section.columns], width)


def _table(table: list[list[str]], left: Sequence[bool], width: int) -> Iterator[str]:
    """The columns side by side as far as the page is wide enough; what a row has in the others stands below it, in
    words. `left` are the columns of words."""
    widths = [min(LONGEST_CELL, max(len(row[i]) for row in table)) for i in range(len(left))]
    ends = accumulate(widths, lambda end, next: end + len(_BETWEEN) + next, initial=len(_INDENT) - len(_BETWEEN))
    beside = max(1, sum(end <= width for end in islice(ends, 1, None)))
    titles, *rows = table
    yield ""
    yield _aligned(titles[:beside], widths, left)
    for row in rows:
        yield _aligned(row[:beside], widths, left)
        others = zip(titles[beside:], row[beside:], strict=True)
        words = "; ".join(f"{title}: {cell.removesuffix('.')}" for title, cell in others if cell != "-")
        yield from wrapped(words, width, _BELOW, _BELOW)


def _aligned(row: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    cells = (
        _cut(cell).ljust(width) if words else cell.rjust(width)
        for cell, width, words in zip(row, widths, left, strict=False)
    )
    return (_INDENT + _BETWEEN.join(cells)).rstrip()


def _cut(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 1] + "…"

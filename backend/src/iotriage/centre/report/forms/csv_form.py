"""A report as CSV: one table with a record for each cell, so that a program reads it as it is and makes each table of
the report by turning the records of its section (pandas: `pivot(index="row", columns="column", values="value")`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.section import Cell, ColumnUnit, Distribution, Histogram, LogRef, Report, Section, Trend
from iotriage.reports.escaping import escape_csv
from iotriage_parsers.frozen import frozen

COLUMNS = ("section", "row", "column", "unit", "value", "day", "log")


@frozen
class _Row:
    """A row of a table of the report; `log` is that in which most of it happened."""

    cells: tuple[tuple[str, ColumnUnit, Cell], ...]
    log: LogRef | None = None


def as_report_csv(report: Report) -> str:
    """Exact figures, what is not known empty. `day` and `log` name the log in which most of the row happened."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(COLUMNS)
    for section, rows in _tables(report):
        for number, row in enumerate(rows, 1):
            day, log = ("", "") if row.log is None else (row.log.day, row.log.log)
            lines.writerows((section, number, title, unit, _cell(cell), day, log) for title, unit, cell in row.cells)
    return written.getvalue()


def _tables(report: Report) -> Iterator[tuple[str, Iterator[_Row]]]:
    """The report itself, its sections, the logs in each bin of a figure, what shares of the jobs have at most, the
    days."""
    yield "report", iter((_of_report(report),))
    for section in report.sections:
        yield section.id, _of_section(section)
    yield "histogram", (row for histogram in report.histograms for row in _of_histogram(histogram))
    yield "distribution", map(_of_distribution, report.distributions)
    yield "trend", _of_trend(report.trend)


def _of_report(report: Report) -> _Row:
    said = {
        "first day": report.period.first.isoformat(),
        "last day": report.period.last.isoformat(),
        **dict(report.filter.chosen()),
        "headline": report.headline,
        "summary": report.summary,
        "unseen": report.unseen,
    }
    return _Row(tuple((title, "text", text) for title, text in said.items()))


def _of_section(section: Section) -> Iterator[_Row]:
    for row, log in zip(section.rows, section.logs or [None] * len(section.rows), strict=True):
        yield _Row(tuple((c.title, c.unit, cell) for c, cell in zip(section.columns, row, strict=True)), log)


def _of_histogram(histogram: Histogram) -> Iterator[_Row]:
    for bin in histogram.bins:
        yield _Row(
            (
                ("figure", "text", histogram.title),
                ("bin", "text", bin.label),
                ("logs", "count", bin.logs),
                ("process-hours", "process-hours", bin.process_hours),
            )
        )


def _of_distribution(of: Distribution) -> _Row:
    at_most = (f"{cell_text(share, 'share')} of the jobs have at most" for share in of.at)
    values = ((title, of.unit, value) for title, value in zip(at_most, of.values, strict=True))
    return _Row(
        (
            ("figure", "text", of.title),
            ("jobs", "count", of.jobs),
            *values,
            ("of the top 1 %", "share", of.top_share),
        )
    )


def _of_trend(trend: Trend) -> Iterator[_Row]:
    for at, day in enumerate(trend.days):
        yield _Row((("day", "text", f"{day}"), *((s.title, s.unit, s.values[at]) for s in trend.series)))


def _cell(cell: Cell) -> str | int | float:
    """What the report has to the last digit; whole numbers are written as such."""
    if cell is None or isinstance(cell, str):
        return "" if cell is None else escape_csv(cell)
    return int(cell) if cell == int(cell) else cell

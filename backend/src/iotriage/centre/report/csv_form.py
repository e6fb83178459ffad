"""A report as CSV: the tables one after another, each row with its section, exact figures, what is not known empty."""

from __future__ import annotations

import csv
import io

from iotriage.centre.report.section import Cell, Report
from iotriage.reports.escaping import in_csv


def as_report_csv(report: Report) -> str:
    """Each section begins with a line of its columns; the trend stands last, a line for each day."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in report.sections:
        lines.writerow(["section", *(f"{c.title} [{c.unit}]" for c in section.columns), "day", "log"])
        logs = section.logs or (None,) * len(section.rows)
        for row, log in zip(section.rows, logs, strict=True):
            lines.writerow([section.id, *map(_cell, row), *(("", "") if log is None else (log.day, log.log))])
    if report.trend.days:
        lines.writerow(["section", "day", *(f"{s.title} [{s.unit}]" for s in report.trend.series)])
        for at, day in enumerate(report.trend.days):
            lines.writerow(["trend", day, *(_cell(s.values[at]) for s in report.trend.series)])
    return written.getvalue()


def _cell(cell: Cell) -> str | int | float:
    return "" if cell is None else in_csv(cell) if isinstance(cell, str) else cell

"""A report as CSV: the tables one after another, each row with its section, exact figures, what is not known empty."""

from __future__ import annotations

import csv
import io

from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.section import Cell, Report
from iotriage.reports.escaping import escape_csv


def as_report_csv(report: Report) -> str:
    """Each section begins with a line of its columns; after them stand the logs in each bin of a figure, what shares of
    the jobs have at most, the trend, a line for each day, and what is said about the whole."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in report.sections:
        lines.writerow(["section", *(f"{c.title} [{c.unit}]" for c in section.columns), "day", "log"])
        logs = section.logs or (None,) * len(section.rows)
        for row, log in zip(section.rows, logs, strict=True):
            lines.writerow([section.id, *map(_cell, row), *(("", "") if log is None else (log.day, log.log))])
    if report.histograms:
        lines.writerow(["section", "figure", "bin", "logs [count]", "process-hours [process-hours]"])
        for histogram in report.histograms:
            for bin in histogram.bins:
                lines.writerow(["histogram", histogram.title, bin.label, bin.logs, _cell(bin.process_hours)])
    if report.distributions:
        shares = [f"at most, of {cell_text(share, 'share')} of the jobs" for share in report.distributions[0].at]
        lines.writerow(["section", "figure", "unit", "jobs [count]", *shares, "of the top 1 % [share]"])
        for of in report.distributions:
            lines.writerow(["distribution", of.title, of.unit, of.jobs, *map(_cell, of.values), _cell(of.top_share)])
    if report.trend.days:
        lines.writerow(["section", "day", *(f"{s.title} [{s.unit}]" for s in report.trend.series)])
        for at, day in enumerate(report.trend.days):
            lines.writerow(["trend", day, *(_cell(s.values[at]) for s in report.trend.series)])
    lines.writerow(["section", "said"])
    lines.writerows(["summary", escape_csv(sentence)] for sentence in (report.headline, report.summary) if sentence)
    return written.getvalue()


def _cell(cell: Cell) -> str | int | float:
    """Sums of floats have an error in their last digits; whole numbers are written as such."""
    if cell is None or isinstance(cell, str):
        return "" if cell is None else escape_csv(cell)
    rounded = float(f"{cell:.12g}")
    return int(rounded) if rounded.is_integer() else rounded

"""The report of a day: every question, asked of that day and the four weeks before it."""

from __future__ import annotations

import math
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import cast

from iotriage.centre.report.coverage import coverage
from iotriage.centre.report.questions import QUESTIONS
from iotriage.centre.report.section import Cell, DayReport, Section
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened

WEEKS_BEFORE = timedelta(days=28)


def report_of(root: Path, day: date, accounting: Path | None = None) -> DayReport:
    """With `accounting`, the text of `sacct -P` of the day, what share of it left a log too. Raises
    `BadAccountingError`, and `BadManifestError` where a day's files cannot be told."""
    known = list(days_in(root))
    days = [d for d in known if day - WEEKS_BEFORE <= d <= day]
    with closing(opened(root, days)) as connection:
        sections = tuple(
            Section(
                q.number,
                q.title,
                q.note,
                q.columns,
                tuple(
                    tuple(_cell(value) for value in row[: len(q.columns)])
                    for row in connection.execute(q.query, {"day": day} if "$day" in q.query else None).fetchall()
                ),
            )
            for q in QUESTIONS
        )
    if accounting is not None:
        beside = [d for d in known if abs((d - day).days) <= 1]
        with closing(opened(root, beside)) as connection:
            sections = (sections[0], coverage(connection, accounting, day), *sections[1:])
    return DayReport(day, tuple(d for d in days if d < day), sections)


def _cell(value: object) -> Cell:
    """DuckDB's value as one of a report; what is no number is not known."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return cast(Cell, value)

"""The report of a day: every question, asked of that day and the four weeks before it."""

from __future__ import annotations

import math
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import cast

from iotriage.centre.report.questions import QUESTIONS
from iotriage.centre.report.section import Cell, DayReport, Section
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened

WEEKS_BEFORE = timedelta(days=28)


def report_of(root: Path, day: date) -> DayReport:
    """Raises `BadManifestError` where a day's files cannot be told."""
    days = [d for d in days_in(root) if day - WEEKS_BEFORE <= d <= day]
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
    return DayReport(day, tuple(d for d in days if d < day), sections)


def _cell(value: object) -> Cell:
    """DuckDB's value as one of a report; what is no number is not known."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return cast(Cell, value)

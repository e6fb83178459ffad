"""The report of a day: every question, asked of that day and the four weeks before it."""

from __future__ import annotations

import math
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import cast

import duckdb

from iotriage.centre.report.coverage import coverage
from iotriage.centre.report.questions import QUESTIONS, Question
from iotriage.centre.report.section import Cell, DayReport, Section
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import opened

WEEKS_BEFORE = timedelta(days=28)


def report_of(root: Path, day: date, accounting: Path | None = None) -> DayReport:
    """With `accounting`, the text of `sacct -P` of the day, what share of it left a log too. Raises
    `BadAccountingError`, and `BadManifestError` where a day's files cannot be told."""
    known = list(days_in(root))
    before = [d for d in known if day - WEEKS_BEFORE <= d < day]
    today = [d for d in known if d == day]
    answers: dict[str, Section] = {}
    for days, weeks in ((today, False), ([*before, *today], True)):
        with closing(opened(root, days)) as connection:
            answers |= {q.title: _answer(connection, q, day) for q in QUESTIONS if q.weeks == weeks}
    sections = [answers[q.title] for q in QUESTIONS]
    if accounting is not None:
        beside = [d for d in known if abs((d - day).days) <= 1]
        with closing(opened(root, beside)) as connection:
            sections.insert(1, coverage(connection, accounting, day))
    return DayReport(day, tuple(before), tuple(sections))


def _answer(connection: duckdb.DuckDBPyConnection, question: Question, day: date) -> Section:
    asked = {"day": day} if "$day" in question.query else None
    found = connection.execute(question.query, asked).fetchall()
    rows = tuple(tuple(_cell(value) for value in row[: len(question.columns)]) for row in found)
    return Section(question.number, question.title, question.note, question.columns, rows)


def _cell(value: object) -> Cell:
    """DuckDB's value as one of a report; what is no number is not known."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return cast(Cell, value)

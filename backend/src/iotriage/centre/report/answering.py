"""Runs a question of the report as a query, and makes a section of DuckDB's answer."""

from __future__ import annotations

import math
from datetime import date
from typing import Final, cast

import duckdb

from iotriage.centre.report.questions import Question
from iotriage.centre.report.section import Cell, LogRef, Period, Section

_DIGITS: Final = 12


def answer_question(connection: duckdb.DuckDBPyConnection, question: Question, period: Period) -> Section:
    asked = {"first": period.first, "last": period.last} if "$first" in question.query else None
    found = connection.execute(question.query, asked).fetchall()
    width = len(question.columns)
    rows = tuple(tuple(cell_of(value) for value in row[:width]) for row in found)
    logs = tuple(log_ref(row[width], row[width + 1]) for row in found) if question.leads else ()
    return Section(
        id=question.id,
        theme=question.theme,
        title=question.title,
        note=question.note,
        columns=question.columns,
        rows=rows,
        logs=logs,
        none=question.none,
    )


def log_ref(day: object, log: object) -> LogRef | None:
    return LogRef(day, log) if isinstance(day, date) and isinstance(log, str) else None


def cell_of(value: object) -> Cell:
    """DuckDB's value as one of a report; what is no number is not known."""
    return number_of(value) if isinstance(value, float) else cast(Cell, value)


def number_of(value: object) -> float | None:
    return without_noise(float(value)) if isinstance(value, int | float) and math.isfinite(value) else None


def without_noise(value: float) -> float:
    """Without the digits in which two sums of the same numbers differ: DuckDB's threads add them up in another order on
    each look. Whole numbers, as of bytes, add up exactly."""
    return value if value.is_integer() else float(f"{value:.{_DIGITS}g}")

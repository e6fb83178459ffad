"""A section of a report: a question, a table, and what has to be known to read it."""

from __future__ import annotations

from datetime import date
from typing import Literal

from iotriage_parsers.frozen import frozen

ColumnUnit = Literal["text", "count", "B", "B/s", "s", "share", "ratio", "process-hours", "node-hours"]
Cell = str | int | float | None


@frozen
class Column:
    title: str
    unit: ColumnUnit


@frozen
class Section:
    """`number` is the section's in the list of questions, from 0. A cell that is None is not known. `note` says what
    the figures are and are not."""

    number: int
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@frozen
class DayReport:
    """`before` are the days up to 28 before `day` that the warehouse has, oldest first."""

    day: date
    before: tuple[date, ...]
    sections: tuple[Section, ...]

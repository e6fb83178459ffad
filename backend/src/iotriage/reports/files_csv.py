"""The files of a case as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import fields

from iotriage.analysis.document import FileRow
from iotriage.reports.escaping import escape_csv

COLUMNS = tuple(f.name for f in fields(FileRow))


def csv_lines(files: Iterable[FileRow]) -> Iterator[str]:
    """The head and one record a file, each with its line end. What is not known is empty. A name that a spreadsheet
    would take for a formula has an apostrophe before it."""
    yield _record(COLUMNS)
    for row in files:
        yield _record([_cell(getattr(row, column)) for column in COLUMNS])


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return escape_csv(" ".join(str(v) for v in value))
    if isinstance(value, str):
        return escape_csv(value)
    return repr(value)


def _record(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()

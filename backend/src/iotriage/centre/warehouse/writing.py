"""Outcomes of logs become rows of the tables, and rows become files of their days."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Final

import duckdb
import msgspec

from iotriage.centre.judging.rules import judged_by
from iotriage.centre.log_files import LogFile, has_come, path_as_text
from iotriage.centre.log_rows import TRIED_AGAIN, LogOutcome, LogRead, LogUnread
from iotriage.centre.warehouse.columns import (
    TABLES,
    Json,
    Table,
    as_columns,
    cells_column,
    columns_read,
    savings_column,
)
from iotriage.centre.warehouse.manifest import (
    CountedFile,
    day_folder,
    file_name,
    manifest_of,
    new_manifest,
    put_in_place,
    write_manifest,
)
from iotriage.centre.warehouse.metrics_used import current_metrics_used
from iotriage.centre.warehouse.parquet_file import write_parquet
from iotriage.centre.warehouse.replacing import without_logs
from iotriage_parsers.frozen import frozen

Row = dict[str, Json]
AfterStep = Callable[[str], None]
"""Called after each step, with what was written; tests end the process there."""

_LINES: Final = msgspec.json.Encoder()
_HELD_BYTES: Final = 16 * 2**20


@dataclass
class _Waiting:
    """Rows of one table of a day: how many, the columns that any of them has, and the lines not on disk yet."""

    rows: int = 0
    columns: set[str] = field(default_factory=set)
    lines: bytearray = field(default_factory=bytearray)


class Spool:
    """Rows that wait to be written: lines of JSON by day and table, put on disk so many bytes at a time, so that memory
    stays flat."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._judged_by = judged_by()
        self.logs = 0
        self._waiting: dict[tuple[date, Table], _Waiting] = {}
        self._misdated: dict[date, set[str]] = {}
        self._held_bytes = 0

    def add(
        self, log: LogFile, outcome: LogOutcome, *, copy: bool, day: date | None = None, misdated: bool = False
    ) -> None:
        """With `copy` the log's content is there already: only where it lies too is kept. `day` is another than its
        own."""
        day = day or day_of(log, outcome, misdated)
        if misdated and not copy:
            self._misdated.setdefault(day, set()).add(outcome.content)
        row = row_of_file(log, outcome.content) if copy or is_tried_again(outcome) else row_of_log(outcome.content, day)
        for table, columns in _rows(log, outcome, row, copy, self._judged_by):
            line = _LINES.encode(columns) + b"\n"
            waiting = self._waiting.setdefault((day, table), _Waiting())
            waiting.rows += 1
            waiting.columns.update(columns)
            waiting.lines += line
            self._held_bytes += len(line)
        self.logs += 1
        if self._held_bytes > _HELD_BYTES:
            self._put_down()

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(sorted({day for day, _ in self._waiting}))

    def rows(self, day: date, table: Table) -> int:
        waiting = self._waiting.get((day, table))
        return 0 if waiting is None else waiting.rows

    def misdated(self, day: date) -> Collection[str]:
        """The contents that the day gets and that state another."""
        return self._misdated.get(day, ())

    def columns(self, day: date, table: Table) -> Mapping[str, str]:
        """DuckDB's types by column, of the metrics those that any of the rows has a value of: hundreds are of programs
        and texts that few days have, and a column costs a file as much whether or not it says something."""
        return columns_read(table, {table: self._waiting[day, table].columns})

    def lines_of(self, day: date, table: Table) -> Path:
        """The file with the lines so far."""
        self._put_down()
        return self._path(day, table)

    def clear(self) -> None:
        for key in self._waiting:
            self._path(*key).unlink(missing_ok=True)
        self._waiting, self._misdated, self._held_bytes, self.logs = {}, {}, 0, 0

    def _put_down(self) -> None:
        for key, waiting in self._waiting.items():
            if waiting.lines:
                with self._path(*key).open("ab") as file:
                    file.write(waiting.lines)
                waiting.lines = bytearray()
        self._held_bytes = 0

    def _path(self, day: date, table: Table) -> Path:
        return self._folder / f"{day}-{table}.jsonl"


def day_of(log: LogFile, outcome: LogOutcome, misdated: bool = False) -> date:
    """The day in UTC on which the job began, as the log's header says; else that of the tree of dates, of the name that
    Darshan gave, of the file. One that has not come yet, or had not when the log was first taken in (`misdated`), is of
    a clock that was ahead: nobody would look there. The name is by that clock too, and without a year it would be of
    the year before."""
    header = header_day(outcome)
    stated = [day for day in (header, log.day) if day is not None]
    named = log.began_on if not stated else None
    written = datetime.fromtimestamp(log.modified_ns / 1e9, UTC).date()
    known = [*stated, written if named is None else named]
    return next((day for day in known if has_come(day) and not (misdated and day == header)), known[0])


def is_misdated(outcome: LogOutcome) -> bool:
    """Whether the log's header states a day that has not come, or a time of which there is no day."""
    if not isinstance(outcome, LogRead) or outcome.start_time is None:
        return False
    day = header_day(outcome)
    return day is None or not has_come(day)


def header_day(outcome: LogOutcome) -> date | None:
    """The day in UTC on which the job began, as the log's header says; None where it says nothing or no such day."""
    if isinstance(outcome, LogRead) and outcome.start_time is not None:
        with contextlib.suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(outcome.start_time, UTC).date()
    return None


@frozen
class WriteTarget:
    """Where rows are written: as which shard, and the days `again` in which they take the place of what was said of
    their logs before."""

    root: Path
    shard: str
    again: tuple[date, ...] = ()


def write_rows(
    connection: duckdb.DuckDBPyConnection, place: WriteTarget, spool: Spool, program: str, after_step: AfterStep
) -> None:
    """Files first, each whole on disk; then the day's manifest names them, by which they count."""
    for day in spool.days:
        folder = day_folder(place.root, day)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for table in TABLES:
            rows = spool.rows(day, table)
            if rows:
                name = file_name(table, place.shard)
                lines, columns = spool.lines_of(day, table), spool.columns(day, table)
                put_in_place(folder, name, partial(_copy, connection, lines, columns))
                written.append(CountedFile(table, name, rows))
                after_step(f"{table} of {day}")
        manifest = manifest_of(folder, place.shard)
        before = manifest.files if manifest is not None else ()
        misdated = (*(manifest.misdated if manifest is not None else ()), *spool.misdated(day))
        if day in place.again:
            before = tuple(without_logs(connection, folder, place.shard, before, written))
        write_manifest(folder, place.shard, new_manifest(program, (*before, *written), misdated))
        after_step(f"manifest of {day}")
    spool.clear()


def _copy(connection: duckdb.DuckDBPyConnection, lines: Path, columns: Mapping[str, str], path: Path) -> None:
    write_parquet(
        connection,
        "SELECT * FROM read_json($lines, format = 'newline_delimited', columns = $columns, "
        f"maximum_object_size = {512 * 2**20})",
        path,
        {"lines": str(lines), "columns": dict(columns)},
    )


def _rows(log: LogFile, outcome: LogOutcome, row: str, copy: bool, judged_by: str) -> Iterator[tuple[Table, Row]]:
    step: Row = {
        "row": row,
        "path": path_as_text(log.path),
        "size_bytes": log.size_bytes,
        "modified_ns": log.modified_ns,
        "run": None if log.run is None else path_as_text(log.run),
        "partial_log": log.partial,
        "content": outcome.content,
    }
    if copy:
        yield "steps", step | {"outcome": "copy"}
    elif isinstance(outcome, LogUnread):
        yield "steps", step | {"outcome": "failed", "code": outcome.code, "message": outcome.message}
    else:
        yield "steps", step | _step(outcome) | {"judged_by": judged_by}
        yield from _parts(row, outcome)


def _step(read: LogRead) -> Row:
    return {
        "outcome": "read",
        "job_id": read.job_id,
        "uid": _whole(read.uid),
        "executable": read.executable,
        "program": read.program,
        "nprocs": _whole(read.nprocs),
        "nnodes": _whole(read.nnodes),
        "start_time": read.start_time,
        "end_time": read.end_time,
        "runtime_s": read.runtime_s,
        "site": read.site,
        "losses": list(read.losses),
        "modules": [m.name for m in read.modules],
        "partial_modules": [m.name for m in read.modules if m.partial],
        "headline": read.headline,
        "headline_severity": read.headline_severity,
        "headline_rule": read.headline_rule,
        "cells": cells_column(read.cells),
        "account_basis": read.account_basis,
        "account_partial": read.account_partial,
        "savings": savings_column(read.savings),
        "looked_at": current_metrics_used().digest,
        "unexplained_s": read.unexplained_s,
    } | as_columns("steps", read.metrics)


def _parts(row: str, read: LogRead) -> Iterator[tuple[Table, Row]]:
    for group in read.groups:
        fixed: Row = {
            "row": row,
            "id": group.id,
            "position": group.position,
            "label": group.label,
            "files": group.files,
            "largest_file": group.largest_file,
            "pattern": group.pattern,
            "mount": group.mount,
            "cells": cells_column(group.cells),
            "savings": savings_column(group.savings),
        }
        yield "groups", fixed | as_columns("groups", group.metrics)
    for f in read.findings:
        yield (
            "findings",
            {
                "row": row,
                "rule": f.rule,
                "scope": f.scope,
                "scope_label": f.scope_label,
                "verdict": f.verdict,
                "severity": f.severity,
                "explained_by": f.explained_by,
                "takes_s": f.takes_s,
                "could_save_at_least_s": f.could_save_at_least_s,
                "could_save_s": f.could_save_s,
                "position": f.position,
                "headline": f.headline,
            },
        )
    if read.document is not None:
        yield "documents", {"row": row, "document": read.document}


def _whole(number: int | None) -> int | None:
    """None for what no column of the tables can hold: a text may state any number."""
    return number if number is None or -(2**63) <= number < 2**63 else None


def is_tried_again(outcome: LogOutcome) -> bool:
    return isinstance(outcome, LogUnread) and outcome.code in TRIED_AGAIN


def row_of_log(content: str, day: date) -> str:
    """The row's name, by which links lead to it: the same whichever of a log's copies is read, and by whomever."""
    return _name_of(f"{content} {day}")


def row_of_file(log: LogFile, content: str) -> str:
    """That of a row which only says where a log lies too, or that it could not be read for now."""
    return _name_of(f"{content} {log.modified_ns} {path_as_text(log.path)}")


def _name_of(identity: str) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()[:32]

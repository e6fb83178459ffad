"""How much of what a scheduler ran left a log: held against `sacct -P` of the same days.

A job leaves its log when it ends: where the text says when that was, jobs count for the period in which they ended,
however long before it they began. Of a text that does not, each counts that stands in it. Job ids are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.report.accounting import (
    COMMAND,
    END,
    IDS,
    NODES,
    READ,
    BadAccountingError,
    accounting_file,
    column_of,
    header_of,
    is_there,
)
from iotriage.centre.report.questions import columns
from iotriage.centre.report.section import WEEKS_BEFORE, Period, Section
from iotriage.rules.core.words import plural

_ALLOCATIONS: Final = """
INSERT INTO allocations
SELECT "{id}", try_cast("{nodes}" AS DOUBLE) * try_cast(ElapsedRaw AS DOUBLE) / 3600, {ended}
FROM {read} WHERE "{id}" NOT LIKE '%.%'
"""
_COVERED: Final = """
WITH all_of_them AS (SELECT id, max(hours) AS hours FROM allocations WHERE ended IN ('then', 'unsaid') GROUP BY id),
ran AS (FROM all_of_them WHERE hours > 0),
logged AS (SELECT DISTINCT job_id AS id FROM {logs} WHERE outcome = 'read')
SELECT count(*), count(*) FILTER (id IN (FROM logged)), sum(hours),
    coalesce(sum(hours) FILTER (id IN (FROM logged)), 0),
    (SELECT count(*) FROM all_of_them WHERE hours IS NULL OR hours < 0),
    (SELECT count(DISTINCT id) FROM allocations
        WHERE ended = 'later' AND hours > 0 AND id NOT IN (SELECT id FROM all_of_them)),
    (SELECT count(*) FROM allocations WHERE ended = 'unsaid') > 0
FROM ran
"""
_ENDED: Final = f"""
CASE WHEN try_cast("{END}" AS TIMESTAMP) < '{{first}}' THEN 'before'
    WHEN try_cast("{END}" AS TIMESTAMP) < '{{next}}' THEN 'then' ELSE 'later' END
"""
_UNSAID: Final = (
    " The accounting does not say when jobs ended: those that go on, and have no log yet, count as without one."
)


def coverage(connection: duckdb.DuckDBPyConnection, accounting: Sequence[Path], logs: str, period: Period) -> Section:
    """Of the jobs of the accounting, which have a log among `logs`, a table. Raises `BadAccountingError`."""
    connection.execute("CREATE OR REPLACE TABLE allocations (id VARCHAR, hours DOUBLE, ended VARCHAR)")
    within = _ENDED.format(first=period.first, next=period.last + timedelta(days=1))
    for path in accounting:
        columns_there = header_of(path)
        id, nodes = column_of(columns_there, IDS), column_of(columns_there, NODES)
        if id is None or nodes is None or "ElapsedRaw" not in columns_there:
            raise BadAccountingError(f"{path} lacks columns: make it with {COMMAND}")
        try:
            ended = within if END in columns_there else "'unsaid'"
            query = _ALLOCATIONS.format(id=id, nodes=nodes, read=READ, ended=ended)
            connection.execute(query, {"accounting": str(path)})
        except duckdb.Error as error:
            raise BadAccountingError(f"{path}: {str(error).splitlines()[0]}") from None
    found = connection.execute(_COVERED.format(logs=logs)).fetchone()
    assert found is not None
    jobs, with_log, hours, hours_with_log, unreadable, unfinished, unsaid = found
    return _section(
        "Jobs of the accounting that ran, and those of them with a log; filters do not apply here. Job ids are "
        f"compared, so that a log without one, or of an obfuscated job, counts for none.{_UNSAID if unsaid else ''}"
        f"{_unfinished(unfinished, period)}{_left_out(unreadable)}",
        (
            ("jobs", jobs, with_log, with_log / jobs if jobs else None),
            ("node-hours", hours, hours_with_log, hours_with_log / hours if hours else None),
        ),
    )


def _unfinished(jobs: int, period: Period) -> str:
    if jobs == 0:
        return ""
    ended = "ended later, or still runs, is" if jobs == 1 else "ended later, or still run, are"
    return f" {plural(jobs, 'job')} of the {period.kind} that {ended} left out."


def _left_out(jobs: int) -> str:
    if jobs == 0:
        return ""
    return f" {plural(jobs, 'job')} of it, whose nodes or time cannot be read, {'is' if jobs == 1 else 'are'} left out."


def coverage_unknown(why: str, command: str = COMMAND) -> Section:
    return _section(f"{why}. This prints one: {command}", ())


def accounting_of(root: Path, period: Period, today: date) -> list[Path]:
    """The warehouse's own texts of the period, where it has one of every day that is over."""
    if without_accounting(root, period, today):
        return []
    return [path for day in _days(period) if is_there(path := accounting_file(root, day))]


def without_accounting(root: Path, period: Period, today: date) -> list[date]:
    """The days of the period of which the warehouse has no text: of those to come there is none yet, unless all are."""
    over = [day for day in _days(period) if day < today] or _days(period)
    return [day for day in over if not is_there(accounting_file(root, day))]


def _days(period: Period) -> list[date]:
    return [period.first + timedelta(days=n) for n in range((period.last - period.first).days + 1)]


def days_of_beginning(period: Period) -> tuple[date, date]:
    """The days on which jobs of the accounting may have begun."""
    return period.first - WEEKS_BEFORE, period.last + timedelta(days=1)


def _section(note: str, rows: tuple[tuple[str, int | float | None, int | float | None, float | None], ...]) -> Section:
    described = columns(what="words", all="count", with_a_log="count", share="share")
    return Section(
        "coverage", "completeness", "Coverage", note, described, rows,
        none="How much of the machine the logs cover is not known.",
    )  # fmt: skip

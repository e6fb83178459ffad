"""How much of what a scheduler ran left a log: held against `sacct -P` of the same day.

Slurm's accounting is text parted by bars, with the columns that were asked for. A row with a dot in its job id is a
step and not counted; an allocation of several days counts for the text it stands in.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.report.section import Column, Section

COMMAND: Final = "sacct -a -X -P -S DAY -E NEXT_DAY -o JobIDRaw,NNodes,ElapsedRaw"

_IDS: Final = ("JobIDRaw", "JobID")
_NODES: Final = ("NNodes", "AllocNodes")

_QUERY: Final = """
WITH allocations AS (
    SELECT "{id}" AS id, max(try_cast("{nodes}" AS DOUBLE) * try_cast(ElapsedRaw AS DOUBLE)) / 3600 AS hours
    FROM read_csv($accounting, delim = '|', header = true, all_varchar = true, quote = '', null_padding = true)
    WHERE "{id}" NOT LIKE '%.%' GROUP BY "{id}"
),
logged AS (SELECT DISTINCT job_id AS id FROM logs WHERE outcome = 'read' AND day BETWEEN $day - 1 AND $day + 1)
SELECT count(*), count(*) FILTER (id IN (FROM logged)), sum(hours), sum(hours) FILTER (id IN (FROM logged))
FROM allocations WHERE hours > 0
"""


class BadAccountingError(Exception):
    """A text that is no such accounting, or lacks a column."""


def coverage(connection: duckdb.DuckDBPyConnection, accounting: Path, day: object) -> Section:
    """Of the jobs of the accounting, which have a log of the day or of those beside it. Raises `BadAccountingError`."""
    columns = _header(accounting)
    id = next((name for name in _IDS if name in columns), None)
    nodes = next((name for name in _NODES if name in columns), None)
    if id is None or nodes is None or "ElapsedRaw" not in columns:
        raise BadAccountingError(f"{accounting} lacks columns: make it with {COMMAND}")
    try:
        found = connection.execute(
            _QUERY.format(id=id, nodes=nodes), {"accounting": str(accounting), "day": day}
        ).fetchone()
    except duckdb.Error as error:
        raise BadAccountingError(f"{accounting}: {str(error).splitlines()[0]}") from None
    assert found is not None
    jobs, with_log, hours, hours_with_log = found
    return Section(
        0,
        "Coverage",
        "Jobs of the accounting that ran, and those of them with a log: job ids are compared, so that a log without "
        "one, or of an obfuscated job, counts for none.",
        (Column("what", "text"), Column("all", "count"), Column("with a log", "count"), Column("share", "share")),
        (
            ("jobs", jobs, with_log, with_log / jobs if jobs else None),
            ("node-hours", hours, hours_with_log, hours_with_log / hours if hours and hours_with_log else None),
        ),
    )


def _header(accounting: Path) -> tuple[str, ...]:
    try:
        with accounting.open(encoding="utf-8", errors="replace") as text:
            return tuple(text.readline(65_536).rstrip("\n").split("|"))
    except OSError as error:
        raise BadAccountingError(f"{accounting}: {error.strerror}") from None

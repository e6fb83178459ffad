"""One log of the warehouse: what a row of a report leads to, and whether the log is still where it was read."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.log_files import modified_ns
from iotriage.centre.report.log_row import CentreLog, FindingOfRow, RowOfLog, StepOfJob
from iotriage.centre.report.rollup import logs_of, rolled_up
from iotriage.centre.report.section import WEEKS_BEFORE
from iotriage.centre.warehouse.manifest import days_in
from iotriage.centre.warehouse.reading import BEST_NAMED, connected, opened
from iotriage_parsers.frozen import frozen

MOST_STEPS: Final = 200


_LOG: Final = """
SELECT EXISTS (FROM documents_written d WHERE d."row" = $log), message, job_id, uid, executable, nprocs, nnodes,
    start_time, runtime_s, site, headline, headline_severity
FROM steps_written WHERE "row" = $log AND outcome <> 'copy'
"""
_NAMES: Final = f"""
SELECT path, size_bytes, modified_ns, coalesce(partial_log, false) FROM steps_written
WHERE content = (SELECT content FROM steps_written WHERE "row" = $log AND outcome <> 'copy' LIMIT 1)
ORDER BY {BEST_NAMED}, modified_ns DESC
"""
_FINDINGS: Final = """
SELECT rule, scope_label, severity, explained_by, takes_s, headline FROM findings_written
WHERE "row" = $log AND verdict = 'triggered' ORDER BY position
"""
_STEPS: Final = """
SELECT other."row", other.start_time, other.runtime_s, other.headline, other.headline_severity
FROM logs other JOIN steps_written this ON this."row" = $log
    AND other.job_id = this.job_id AND other.uid IS NOT DISTINCT FROM this.uid AND other."row" <> this."row"
WHERE other.outcome = 'read' ORDER BY other.start_time, other."row"
"""


def log_details(root: Path, day: date, log: str) -> CentreLog | None:
    """None where the day has no such log. Raises `BadManifestError`."""
    if day not in days_in(root):
        return None
    with closing(opened(root, [day], {})) as connection:
        found = connection.execute(_LOG, {"log": log}).fetchone()
        if found is None:
            return None
        findings = tuple(FindingOfRow(*row) for row in connection.execute(_FINDINGS, {"log": log}).fetchall())
        person = _person(root, day, log)
        names = [_Name(*row) for row in connection.execute(_NAMES, {"log": log}).fetchall()]
        steps = tuple(StepOfJob(*row) for row in connection.execute(_STEPS, {"log": log}).fetchall())
    # One that was renamed, or packed, is still there.
    name, gone = next(((name, None) for name in names if _gone(name) is None), (names[0], _gone(names[0])))
    has_document, failure, *rest = found
    return CentreLog(
        day=day,
        log=log,
        path=name.path,
        size_bytes=name.size_bytes,
        gone=gone,
        row=RowOfLog(*(has_document, failure, names[0].partial, *rest, person)),
        findings=findings,
        steps=steps[:MOST_STEPS],
        more_steps=max(0, len(steps) - MOST_STEPS),
    )


def _person(root: Path, day: date, log: str) -> str | None:
    """Who the report of the day says that it was, which looks at the days before it, too."""
    shown = [one for one in days_in(root) if day - WEEKS_BEFORE <= one <= day]
    with rolled_up(root, shown) as (rollups, _), closing(connected(root)) as connection:
        asked = f'SELECT person FROM {logs_of(rollups)} WHERE "row" = $log'
        return _text(connection, asked, log) if rollups.logs else None


def _text(connection: duckdb.DuckDBPyConnection, query: str, log: str) -> str | None:
    found = connection.execute(query, {"log": log}).fetchone()
    return None if found is None or found[0] is None else str(found[0])


def document_of_log(root: Path, day: date, log: str) -> str | None:
    """The case document of then as JSON, where one is kept."""
    if day not in days_in(root):
        return None
    with closing(opened(root, [day], {})) as connection:
        # One that counts no more, as of a run that ended since, is kept under the name that it had.
        asked = (
            f'SELECT document FROM {table} WHERE "row" = $log LIMIT 1' for table in ("documents", "documents_written")
        )
        return next((document for query in asked if (document := _text(connection, query, log)) is not None), None)


def opened_log(log: CentreLog) -> int:
    """A descriptor of the log's file, for whoever reads it. Raises OSError where it is not the file of then."""
    descriptor = os.open(log.path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    there = os.fstat(descriptor)
    if stat.S_ISREG(there.st_mode) and there.st_size == log.size_bytes:
        return descriptor
    os.close(descriptor)
    raise OSError("it is not the file that was read")


@frozen
class _Name:
    """A file that holds, or held, the log."""

    path: str
    size_bytes: int
    modified_ns: int
    partial: bool


def _gone(name: _Name) -> str | None:
    try:
        there = Path(name.path).lstat()
    except OSError as error:
        return "The log is not there any more." if isinstance(error, FileNotFoundError) else f"{error.strerror}."
    if not stat.S_ISREG(there.st_mode) or (there.st_size, modified_ns(there)) != (name.size_bytes, name.modified_ns):
        return "Another file has taken the log's place."
    return None if os.access(name.path, os.R_OK) else "The server may not read the log."

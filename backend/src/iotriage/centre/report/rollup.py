"""A day's roll-up: what reports look at, of each log once and in plain columns, beside the days of the warehouse.

It is made of a day's files and, where there is one, of the day's accounting (`iotriage.centre.report.accounting`).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.report.accounting import (
    ACCOUNTING_COLUMNS,
    BadAccountingError,
    accounting_files,
    accounting_query,
)
from iotriage.centre.report.following import FOLLOWING
from iotriage.centre.report.people import named
from iotriage.centre.warehouse.columns import MetricsRead
from iotriage.centre.warehouse.derived import DerivedFiles, derived_files
from iotriage.centre.warehouse.literal import parquet_scan
from iotriage.centre.warehouse.placing import placed
from iotriage.centre.warehouse.reading import opened
from iotriage.metrics.tables.account.cells import CELLS
from iotriage_parsers.frozen import frozen

VERSION: Final = 9
"""Of the columns below, and of which logs they are of."""
FOLDER: Final = "rollups"

PARTS: Final = ("logs", "findings")

_METRICS: Final = {
    "bytes": "io.bytes",
    "bytes_read": "io.bytes_read",
    "bytes_written": "io.bytes_written",
    "files": "file.count",
    "bandwidth": "io.bandwidth",
    "io_s": "job.io_time",
    "io_fraction": "job.io_time_fraction",
    "mpiio_bandwidth": "mpiio.bandwidth",
    "mpiio_bytes": "mpiio.bytes",
    "collective_calls": "mpiio.collective_fraction",
    "independent_bytes_low": "mpiio.independent_bytes_lower_fraction",
    "independent_bytes_high": "mpiio.independent_bytes_upper_fraction",
    "to_posix_time": "mpiio.to_posix_time",
    "rmw_bytes": "mpiio.rmw_bytes",
    "rmw_fraction": "mpiio.rmw_bytes_per_byte",
    "write_amplification": "mpiio.write_amplification",
    "aggregators": "mpiio.effective_aggregators",
    "aggregators_possible": "mpiio.expected_aggregators",
    "stripes": "file.stripe_count",
    "streams_fraction": "stdio.bytes_fraction",
    "times_read": "stdio.times_read",
}
"""Columns of the roll-up by the metrics of the job that they hold."""
METRICS_SHOWN: Final = tuple(_METRICS.values())
_SLOW_OST: Final = ("ost.slowest", "ost.slowness")
METRICS_READ: Final[MetricsRead] = {"steps": (*METRICS_SHOWN, *_SLOW_OST), "groups": ("io.bytes", *_SLOW_OST)}

_WHO: Final = """
    l.day, l."row", l.site, l.job_id, l.uid::VARCHAR AS uid, a.person AS accounted, a.project,
    hash(p.place, l.uid::VARCHAR, coalesce(l.job_id, l."row")) AS job_of_day,
    parse_filename(l.executable) AS executable, coalesce(l.program, parse_filename(l.executable)) AS program,
    coalesce(l.nprocs, 1) AS nprocs,
    coalesce(l.nnodes, a.nodes) AS nodes, m.mounts
"""
"""What a log or a finding is chosen by. `accounted` is the name that the accounting has of the job's user; `job_of_day`
tells the jobs of one day apart."""

_LOGS: Final = f"""
SELECT {_WHO}, l.outcome, l.code, l.partial_log, len(l.partial_modules) > 0 OR len(l.losses) > 0 AS lossy,
    l.judged_by, l.runtime_s, l.unexplained_s, l.modules, l.headline_rule, l.headline_severity, m.mount_bytes,
    {", ".join(f'l."{metric}" AS {name}' for name, metric in _METRICS.items())}
FROM logs l JOIN places p USING ("row") LEFT JOIN accounting a ON a.id = l.job_id LEFT JOIN mounted m USING ("row")
UNION ALL BY NAME
SELECT DATE '{{day}}' AS day, 'copy' AS outcome FROM range((SELECT count(DISTINCT path) FROM steps_written)
    - (SELECT count(*) FROM logs))
"""

_ACCOUNTED_S: Final = " + ".join(f"l.cells.{cell}" for cell in CELLS)

_TRIGGERED: Final = """
CREATE TABLE triggered AS
SELECT f.*, coalesce(g."ost.slowest", l."ost.slowest")::BIGINT AS ost,
    coalesce(g."ost.slowness", l."ost.slowness") AS slowness, g.mount
FROM findings f JOIN logs l USING ("row") LEFT JOIN groups g ON g."row" = f."row" AND g.id = f.scope
WHERE f.verdict = 'triggered'
"""
_LOST: Final = """
CREATE TABLE lost AS
SELECT "row", cause AS position, sum(takes_s) AS seconds
FROM triggered JOIN following USING ("row", position) GROUP BY "row", cause
"""

_FINDINGS: Final = f"""
SELECT {_WHO}, f.rule, f.severity, f.explained_by, f.scope_label, f.headline, f.takes_s, f.could_save_s,
    f.could_save_at_least_s, {_ACCOUNTED_S} AS accounted_s, f.ost, f.slowness, f.mount,
    CASE WHEN f.takes_s IS NOT NULL THEN lost.seconds END AS lost_s,
    cause.rule AS cause, cause.ost AS cause_ost, cause.mount AS cause_mount
FROM triggered f JOIN logs l USING ("row") JOIN places p USING ("row")
LEFT JOIN accounting a ON a.id = l.job_id LEFT JOIN mounted m USING ("row")
LEFT JOIN lost ON lost."row" = f."row" AND lost.position = f.position
LEFT JOIN following ON following."row" = f."row" AND following.position = f.position
LEFT JOIN triggered cause ON cause."row" = f."row" AND cause.position = following.cause
"""
"""`lost_s` is of a cause what it takes with what follows from it, and NULL of what another finding explains; `cause` is
the rule of the finding that it follows from in the end."""

_MOUNTED: Final = """
CREATE TABLE mounted AS
SELECT "row", list(mount ORDER BY mount) AS mounts, list({'mount': mount, 'bytes': bytes} ORDER BY mount) AS mount_bytes
FROM (SELECT "row", mount, sum("io.bytes") AS bytes FROM groups WHERE mount IS NOT NULL GROUP BY "row", mount)
GROUP BY "row"
"""
_PLACES: Final = f"""
CREATE TABLE places AS SELECT "row", place FROM {placed("logs", "logs")}
"""


@frozen
class Rollups:
    """The files of some days by part; those of `days` that the warehouse has no logs of have none."""

    logs: tuple[Path, ...]
    findings: tuple[Path, ...]


def logs_of(rollups: Rollups) -> str:
    """The logs, as a table in FROM; `person` is the name that the accounting has of the user, of this job or of others,
    else their number."""
    logs = parquet_scan(rollups.logs)
    return named(logs, logs)


def findings_of(rollups: Rollups) -> str:
    """The findings that were triggered, as a table in FROM, with `person` as the logs have it."""
    return named(parquet_scan(rollups.findings), parquet_scan(rollups.logs))


@contextlib.contextmanager
def rolled_up(
    root: Path, days: Iterable[date], most_made: int | None = None
) -> Iterator[tuple[Rollups, tuple[date, ...]]]:
    """The roll-ups of these days, made where there are none of what the days hold now; where they cannot be kept, for
    as long as the context lasts. Of days that would have to be made beyond `most_made` the youngest are; the others
    are answered. Raises `BadManifestError`."""
    wanted = _files(root, sorted(days))
    missing = [files.day for files in wanted if not files.are_there]
    left = missing[: len(missing) - most_made] if most_made is not None and len(missing) > most_made else []
    with tempfile.TemporaryDirectory(prefix="iotriage-rollups-") as elsewhere:
        paths = [_rollup(root, files, Path(elsewhere)) for files in wanted if files.day not in left]
        yield Rollups(tuple(p[0] for p in paths), tuple(p[1] for p in paths)), tuple(left)


def roll_up(root: Path, days: Iterable[date]) -> None:
    """Makes the roll-ups of these days that are not there. Raises OSError where they cannot be written."""
    for files in _files(root, list(days)):
        if not files.are_there:
            _make(root, files)


def _rollup(root: Path, files: DerivedFiles, elsewhere: Path) -> tuple[Path, ...]:
    if files.are_there:
        return files.paths
    try:
        return _make(root, files)
    except OSError:
        return _make(root, files.in_folder(elsewhere))


def _make(root: Path, files: DerivedFiles) -> tuple[Path, ...]:
    with closing(opened(root, [files.day], METRICS_READ)) as connection:
        connection.execute(f"CREATE TABLE accounting ({', '.join(ACCOUNTING_COLUMNS)})")
        for path in accounting_files(root, files.day):
            # What the coverage says about a text that is none; the roll-up does without it.
            with contextlib.suppress(duckdb.Error, BadAccountingError):
                connection.execute(f"INSERT INTO accounting {accounting_query(path)}", {"accounting": str(path)})
        connection.execute(_MOUNTED)
        connection.execute(_PLACES)
        for following in (FOLLOWING, _TRIGGERED, _LOST):
            connection.execute(following)
        files.write(connection, {"logs": _LOGS.format(day=files.day), "findings": _FINDINGS})
    return files.paths


def _files(root: Path, days: Sequence[date]) -> list[DerivedFiles]:
    return derived_files(root, FOLDER, days, PARTS, lambda day: " ".join((str(VERSION), *_accountings(root, day))))


def _accountings(root: Path, day: date) -> Iterator[str]:
    for path in accounting_files(root, day):
        found = _stat(path)
        if found is not None:
            yield f"{path.name} {found.st_size} {found.st_mtime_ns}"


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None

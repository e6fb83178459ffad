"""A day's roll-up: what reports look at, of each log once and in plain columns, beside the days of the warehouse.

It is made of a day's files and, where there is one, of the day's accounting (`iotriage.centre.report.accounting`), and
its name has the digest of both: what was made of other files is made again. All of it may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Final, Literal

import duckdb

from iotriage.centre.report.accounting import (
    ACCOUNTING_COLUMNS,
    BadAccountingError,
    accounting_files,
    accounting_query,
)
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import day_folder
from iotriage.centre.warehouse.reading import opened
from iotriage_parsers.frozen import frozen

VERSION: Final = 1
"""Of the columns below."""
FOLDER: Final = "rollups"

Part = Literal["logs", "findings"]
PARTS: Final[tuple[Part, ...]] = ("logs", "findings")

_METRICS: Final = {
    "bytes": "io.bytes",
    "bytes_read": "io.bytes_read",
    "bytes_written": "io.bytes_written",
    "files": "file.count",
    "bandwidth": "io.bandwidth",
    "io_s": "job.io_time",
    "io_fraction": "job.io_time_fraction",
    "mpiio_bandwidth": "mpiio.bandwidth",
    "collective_calls": "mpiio.collective_fraction",
    "independent_bytes_low": "mpiio.independent_bytes_lower_fraction",
    "independent_bytes_high": "mpiio.independent_bytes_upper_fraction",
    "to_posix_time": "mpiio.to_posix_time",
    "rmw_fraction": "mpiio.rmw_byte_fraction",
    "write_amplification": "mpiio.write_amplification",
    "aggregators": "mpiio.effective_aggregators",
    "aggregators_possible": "mpiio.expected_aggregators",
    "stripes": "file.stripe_count",
    "streams_fraction": "stdio.bytes_fraction",
    "times_read": "stdio.times_read",
}
"""Columns of the roll-up by the metrics of the job that they hold."""
METRICS_SHOWN: Final = tuple(_METRICS.values())

_WHO: Final = """
    l.day, l."row", l.site, l.job_id, hash(l.site, l.uid, coalesce(l.job_id, l."row")) AS job,
    coalesce(a.person, l.uid::VARCHAR) AS person, a.project, parse_filename(l.executable) AS program,
    coalesce(l.nprocs, 1) AS nprocs,
    coalesce(l.nnodes, a.nodes) AS nodes, m.mounts
"""
"""What a log or a finding is chosen by. `person` is the name that the accounting has, else the number of the user."""

_LOGS: Final = f"""
SELECT {_WHO}, l.outcome, l.code, l.partial_log, len(l.partial_modules) > 0 OR len(l.losses) > 0 AS lossy,
    l.runtime_s, l.modules, l.headline_rule, l.headline_severity, m.mount_bytes,
    {", ".join(f'l."{metric}".value AS {name}' for name, metric in _METRICS.items())}
FROM logs l LEFT JOIN accounting a ON a.id = l.job_id LEFT JOIN mounted m USING ("row")
UNION ALL BY NAME
SELECT $day AS day, 'copy' AS outcome FROM range((SELECT count(DISTINCT path) FROM steps_written)
    - (SELECT count(*) FROM logs))
"""

_FINDINGS: Final = f"""
SELECT {_WHO}, f.rule, f.severity, f.explained_by, f.scope_label, f.headline, f.takes_s, f.could_save_s,
    f.could_save_at_least_s, coalesce(g."ost.slowest".value, l."ost.slowest".value)::BIGINT AS ost,
    coalesce(g."ost.slowness".value, l."ost.slowness".value) AS slowness, g.mount
FROM findings f JOIN logs l USING ("row") LEFT JOIN accounting a ON a.id = l.job_id LEFT JOIN mounted m USING ("row")
LEFT JOIN groups g ON g."row" = f."row" AND g.id = f.scope
WHERE f.verdict = 'triggered'
"""

_MOUNTED: Final = """
CREATE TABLE mounted AS
SELECT "row", list(mount ORDER BY mount) AS mounts, list({'mount': mount, 'bytes': bytes} ORDER BY mount) AS mount_bytes
FROM (SELECT "row", mount, sum("io.bytes".value) AS bytes FROM groups WHERE mount IS NOT NULL GROUP BY "row", mount)
GROUP BY "row"
"""


@frozen
class Rollups:
    """The files of some days by part; those of `days` that the warehouse has no logs of have none."""

    logs: tuple[Path, ...]
    findings: tuple[Path, ...]


@contextlib.contextmanager
def rolled_up(
    root: Path, days: Iterable[date], most_made: int | None = None
) -> Iterator[tuple[Rollups, tuple[date, ...]]]:
    """The roll-ups of these days, made where there are none of what the days hold now; where they cannot be kept, for
    as long as the context lasts. Of days that would have to be made beyond `most_made` the youngest are; the others
    are answered. Raises `BadManifestError`."""
    wanted = sorted(days)
    missing = [day for day in wanted if not _is_there(_names(root, day))]
    left = missing[: len(missing) - most_made] if most_made is not None and len(missing) > most_made else []
    with tempfile.TemporaryDirectory(prefix="iotriage-rollups-") as elsewhere:
        files = [_rollup(root, day, Path(elsewhere)) for day in wanted if day not in left]
        yield Rollups(tuple(f[0] for f in files), tuple(f[1] for f in files)), tuple(left)


def roll_up(root: Path, days: Iterable[date]) -> None:
    """Makes the roll-ups of these days that are not there. Raises OSError where they cannot be written."""
    for day in days:
        if not _is_there(_names(root, day)):
            _make(root, day, root / FOLDER)


def drop_rollup(root: Path, day: date) -> None:
    """Whatever was made of the day."""
    _forget_others(root / FOLDER, day, ())


def _rollup(root: Path, day: date, elsewhere: Path) -> Sequence[Path]:
    names = _names(root, day)
    if _is_there(names):
        return names
    try:
        return _make(root, day, root / FOLDER)
    except OSError:
        return _make(root, day, elsewhere)


def _make(root: Path, day: date, folder: Path) -> Sequence[Path]:
    folder.mkdir(exist_ok=True)
    names = [folder / name.name for name in _names(root, day)]
    with closing(opened(root, [day])) as connection:
        connection.execute(f"CREATE TABLE accounting ({', '.join(ACCOUNTING_COLUMNS)})")
        for path in accounting_files(root, day):
            # What the coverage says of a text that is none; the roll-up does without it.
            with contextlib.suppress(duckdb.Error, BadAccountingError):
                connection.execute(f"INSERT INTO accounting {accounting_query(path)}", {"accounting": str(path)})
        connection.execute(_MOUNTED)
        for query, path in zip((_LOGS, _FINDINGS), names, strict=True):
            _write(connection, query, path, day)
    _forget_others(folder, day, names)
    return names


def _write(connection: duckdb.DuckDBPyConnection, query: str, path: Path, day: date) -> None:
    """Several processes may make the same roll-up at once: each file gets its name when it is whole."""
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    asked = {"day": day} if "$day" in query else {}
    connection.execute(f"COPY ({query}) TO {literal(unfinished)} (FORMAT parquet, COMPRESSION zstd)", asked)
    unfinished.replace(path)


def _forget_others(folder: Path, day: date, names: Sequence[Path]) -> None:
    for path in folder.glob(f"{day}-*.parquet"):
        if path not in names:
            path.unlink(missing_ok=True)


def _is_there(names: Sequence[Path]) -> bool:
    return all(name.exists() for name in names)


def _names(root: Path, day: date) -> Sequence[Path]:
    digest = hashlib.sha256(str(VERSION).encode())
    for manifest in sorted(day_folder(root, day).glob("manifest-*.json")):
        digest.update(manifest.read_bytes())
    for path in accounting_files(root, day):
        stat = path.stat()
        digest.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return [root / FOLDER / f"{day}-{digest.hexdigest()[:16]}-{part}.parquet" for part in PARTS]

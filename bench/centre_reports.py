"""How long a centre's reports take over a year of logs, synthesised straight into a warehouse. It asserts nothing.

    python bench/centre_reports.py [--days 365] [--logs 20000] [--warehouse FOLDER]

Logs are of users and programs drawn at random, with the metrics that reports look at and a finding for each other log.
Processor seconds are those of this process with all its threads.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import duckdb
from measured import measured

from iotriage.centre.report.period_report import period_of, report_of, trend_of
from iotriage.centre.report.rollup import METRICS_SHOWN, roll_up
from iotriage.centre.report.section import ReportFilter
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import CountedFile, day_folder, new_manifest, write_manifest
from iotriage.centre.warehouse.reading import connected

LAST = date(2026, 11, 20)
SHARES = {"job.io_time_fraction", "mpiio.collective_fraction", "mpiio.rmw_bytes_per_byte", "stdio.bytes_fraction"}
RULES = ("independent-shared", "few-aggregators", "read-modify-write", "metadata-bound", "small-io", "slow-ost")


def _metric(id: str, at: str) -> str:
    most = 1.0 if id in SHARES else 64 if "aggregators" in id else 2e9
    return f'{at} * {most} AS "{id}"'


def _steps(logs: int, day: date) -> str:
    metrics = ", ".join(_metric(id, f"((hash(n, '{id}') % 1000000) / 1000000.0)") for id in METRICS_SHOWN)
    return f"""
    SELECT md5('{day}' || n) AS "row", 'read' AS outcome, '/logs/{day}/' || n || '.darshan' AS path,
        40000::BIGINT AS size_bytes, 0::BIGINT AS modified_ns, '{day}' || n AS run, false AS partial_log,
        sha256('{day}' || n) AS content, (1000000 + n // 4)::VARCHAR AS job_id,
        (10000 + hash(n // 4) % 400)::BIGINT AS uid,
        '/bin/code' || (hash(n // 4) % 97) AS executable, (32 * (1 + n % 40))::BIGINT AS nprocs,
        epoch('{day}'::TIMESTAMP) + n AS start_time, 100.0 + n % 7000 AS runtime_s, 'archer2' AS site,
        []::VARCHAR[] AS losses, ['POSIX', 'MPI-IO'] AS modules, []::VARCHAR[] AS partial_modules, 'said' AS headline,
        'high' AS headline_severity, 'small-io' AS headline_rule, []::VARCHAR[] AS lower_bounds, {metrics}
    FROM range({logs}) t(n)"""


def _groups(logs: int, day: date) -> str:
    return f"""
    SELECT md5('{day}' || n) AS "row", 'g' AS id, '/scratch' || n % 3 AS mount,
        {_metric("io.bytes", "(n % 1000) / 1000.0")}
    FROM range({logs}) t(n)"""


def _findings(logs: int, day: date) -> str:
    return f"""
    SELECT md5('{day}' || n) AS "row", {list(RULES)}[(1 + hash(n) % {len(RULES)})::BIGINT] AS rule, 'g' AS scope,
        'out' AS scope_label, 'triggered' AS verdict, CASE hash(n) % 9 WHEN 0 THEN 'high' ELSE 'low' END AS severity,
        (n % 100) * 1.0 AS takes_s,
        (n % 100) * 0.5 AS could_save_s, 0::BIGINT AS position, 'what is wrong' AS headline
    FROM range({logs}) t(n) WHERE n % 2 = 0"""


def make_day(connection: duckdb.DuckDBPyConnection, root: Path, day: date, logs: int) -> None:
    folder = day_folder(root, day)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for table, query in (("steps", _steps), ("groups", _groups), ("findings", _findings)):
        name = f"{table}-0of1-0.parquet"
        connection.execute(f"COPY ({query(logs, day)}) TO {literal(folder / name)} (FORMAT parquet, COMPRESSION zstd)")
        files.append(CountedFile(table, name, logs))  # type: ignore[arg-type]
    write_manifest(folder, "0of1", new_manifest("bench", files))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--logs", type=int, default=20_000)
    parser.add_argument("--warehouse", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = chosen.warehouse or Path(scratch)
        days = [LAST - timedelta(days=n) for n in range(chosen.days)]
        with closing(connected(root)) as connection:
            for day in days:
                if not day_folder(root, day).exists():
                    make_day(connection, root, day, chosen.logs)
        measured("the roll-up of one day", partial(roll_up, root, days[:1]))
        measured(f"the roll-ups of {len(days)} days", partial(roll_up, root, days))
        everything = ReportFilter()
        measured("the report of a day", partial(report_of, root, period_of(LAST)))
        measured("the same again", partial(report_of, root, period_of(LAST)))
        measured("the same of one user", partial(report_of, root, period_of(LAST), ReportFilter(user="10007")))
        measured("the report of a week", partial(report_of, root, period_of(LAST, "week")))
        measured("the report of a month", partial(report_of, root, period_of(LAST, "month")))
        for length in (len(days) // 4, len(days) // 2, len(days)):
            measured(f"the trend of {length} days", partial(trend_of, root, LAST, length, everything))
        one = ReportFilter(file_system="/scratch1")
        measured(f"the trend of {len(days)} days, of one file system", partial(trend_of, root, LAST, len(days), one))


if __name__ == "__main__":
    main()

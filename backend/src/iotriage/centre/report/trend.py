"""How figures went from day to day."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import duckdb

from iotriage.centre.report.answering import number_of
from iotriage.centre.report.questions import AGGREGATORS, INDEPENDENT, READ_MODIFY_WRITE, listed, no_more_than_accounted
from iotriage.centre.report.rollup import Rollups, findings_of, logs_of
from iotriage.centre.report.section import ColumnUnit, ReportFilter, Series, Trend
from iotriage.centre.report.tables import chosen_by
from iotriage.centre.warehouse.literal import parquet_scan
from iotriage_parsers.frozen import frozen


@frozen
class DailyFigure:
    """`of_logs` is an aggregate over a day's logs, `of_findings` over its findings; the other is empty. With
    `per_job` it is divided by the day's jobs."""

    id: str
    title: str
    note: str
    unit: ColumnUnit
    of_logs: str = ""
    of_findings: str = ""
    per_job: bool = False


_TAKEN: Final = "sum(takes_s * nprocs)"


def _lost(id: str, title: str, rules: tuple[str, ...]) -> DailyFigure:
    return DailyFigure(
        id,
        title,
        f"What findings of {', '.join(rules)} take.",
        "process-hours",
        of_findings=f"{_TAKEN} FILTER (rule IN ({listed(rules)})) / 3600",
    )


FIGURES: Final = (
    DailyFigure(
        "jobs", "Jobs with a log", "A log that names no job is counted as one.", "count", "count(DISTINCT job)"
    ),
    DailyFigure("written", "Written", "", "B", "sum(bytes_written)"),
    DailyFigure("read", "Read", "", "B", "sum(bytes_read)"),
    DailyFigure("files", "Files used", "A file counts for every log that used it.", "count", "sum(files)"),
    DailyFigure("hours", "Process-hours", "Run time by processes.", "process-hours", "sum(runtime_s * nprocs) / 3600"),
    DailyFigure(
        "io-hours",
        "Process-hours in I/O",
        "Seconds of the slowest rank in I/O, times processes.",
        "process-hours",
        "sum(io_s * nprocs) / 3600",
    ),
    DailyFigure(
        "io-share",
        "Share of process-hours in I/O",
        "Of the logs that state both.",
        "share",
        "sum(io_s * nprocs) FILTER (runtime_s IS NOT NULL) / "
        "nullif(sum(runtime_s * nprocs) FILTER (io_s IS NOT NULL), 0)",
    ),
    DailyFigure(
        "collective",
        "MPI-IO calls that are collective",
        "The share of each log's calls, weighed by its bytes.",
        "share",
        "sum(collective_calls * bytes) / nullif(sum(bytes) FILTER (collective_calls IS NOT NULL), 0)",
    ),
    DailyFigure(
        "read-to-write",
        "Bytes read in order to write",
        "Over all bytes written by the logs that state it: measured where the job printed MPICH_MPIIO_STATS, else "
        "inferred.",
        "share",
        "sum(rmw_bytes) / nullif(sum(bytes_written) FILTER (rmw_bytes IS NOT NULL), 0)",
    ),
    DailyFigure(
        "aggregators",
        "Effective aggregators of those possible",
        "In the middle of the logs with a shared file.",
        "share",
        # `least` passes over NULL: a log that states neither would have all that are possible.
        "median(least(1, aggregators / aggregators_possible)) FILTER (isfinite(aggregators / aggregators_possible))",
    ),
    DailyFigure(
        "high",
        "Jobs with a high finding",
        "One that no other finding explains.",
        "share",
        of_findings="count(DISTINCT job) FILTER (severity = 'high' AND explained_by IS NULL)",
        per_job=True,
    ),
    DailyFigure(
        "lost", "Process-hours that findings take", "Waited for; a cure need not save all.", "process-hours",
        of_findings=f"{_TAKEN} / 3600",
    ),
    DailyFigure(
        "unexplained",
        "Process-hours in I/O that no finding takes",
        "Of the logs whose time is split: what a job that moves bytes needs, and what nobody knows the cause of.",
        "process-hours",
        "sum(unexplained_s * nprocs) / 3600",
    ),
    DailyFigure(
        "could-save",
        "Process-hours that cures could save",
        "At most: waiting of others too, and a tenth by which equal runs differ; no more of a log than its I/O.",
        "process-hours",
        of_findings="sum(at_most_s * nprocs) / 3600",
    ),
    _lost("lost-independent", "Lost to independent access of shared files", INDEPENDENT),
    _lost("lost-read-to-write", "Lost to read-modify-write", READ_MODIFY_WRITE),
    _lost("lost-aggregators", "Lost to too few aggregators", AGGREGATORS),
)  # fmt: skip


def trend(
    connection: duckdb.DuckDBPyConnection,
    rollups: Rollups,
    filter: ReportFilter,
    days: tuple[date, date],
    usual_until: date,
    unread: tuple[date, ...] = (),
) -> Trend:
    """From the first of `days` to the last; what is usual, from those before `usual_until`."""
    first, last = days
    every = tuple(first + timedelta(days=n) for n in range((last - first).days + 1))
    by_day = _by_day(connection, rollups, filter) if rollups.logs else {}
    series = []
    for index, figure in enumerate(FIGURES):
        values = tuple(by_day[day][index] if day in by_day else None for day in every)
        before = [v for day, v in zip(every, values, strict=True) if day < usual_until and v is not None]
        low, usual, high = _quartiles(before)
        series.append(
            Series(
                id=figure.id,
                title=figure.title,
                note=figure.note,
                unit=figure.unit,
                values=values,
                usual=usual,
                low=low,
                high=high,
            )
        )
    return Trend(every, tuple(series), unread)


def _by_day(
    connection: duckdb.DuckDBPyConnection, rollups: Rollups, filter: ReportFilter
) -> dict[date, list[float | None]]:
    chosen, asked = chosen_by(filter)
    of_logs = [f'{f.of_logs} AS "{f.id}"' for f in FIGURES if f.of_logs]
    of_findings = [f'{f.of_findings} AS "{f.id}"' for f in FIGURES if f.of_findings]
    shown = [_shown(f) for f in FIGURES]
    # A year's names are looked up where somebody is asked for alone.
    parts = (rollups.logs, rollups.findings)
    scanned = tuple(f"(SELECT *, job_of_day AS job FROM {parquet_scan(part)})" for part in parts)
    logs, findings = scanned if filter.user is None else (logs_of(rollups), findings_of(rollups))
    rows = connection.execute(
        f"""
        WITH logs AS (
            SELECT day, {", ".join(of_logs)} FROM {logs}
            WHERE outcome = 'read' AND {chosen} GROUP BY day
        ),
        findings AS (
            SELECT day, {", ".join(of_findings)} FROM (
                SELECT *, {no_more_than_accounted("could_save_s")} AS at_most_s
                FROM {findings} WHERE {chosen}
            ) GROUP BY day
        )
        SELECT day, {", ".join(shown)} FROM logs LEFT JOIN findings USING (day)
        """,
        asked or None,
    ).fetchall()
    return {row[0]: [number_of(value) for value in row[1:]] for row in rows}


def _shown(figure: DailyFigure) -> str:
    """A day without a finding has none, and no time that one takes."""
    name = f'"{figure.id}"'
    column = f"coalesce({name}, 0)" if figure.of_findings else name
    return f"{column} / nullif(jobs, 0)" if figure.per_job else column


def _quartiles(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    if len(values) < 2:
        return (None, values[0] if values else None, None)
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high

"""The questions of a daily report, each a query over the views of `iotriage.centre.warehouse.reading`.

`$day` is the day of the report; with `weeks` the views hold up to 28 days before it too. Seconds of a finding are
those that it takes of the mean rank's time, or of the slowest rank's (`iotriage.analysis.allotment`): times the
processes they are process-hours that were spent waiting for it, of which a cure need not save all.
"""

from __future__ import annotations

from typing import Final

from iotriage.centre.report.section import Column, ColumnUnit
from iotriage_parsers.frozen import frozen

MOST_ROWS: Final = 10
LEAST_MPIIO_BYTES: Final = 2**30


@frozen
class Question:
    """`query` answers one row of `columns` each. With `weeks` it looks at the days before too."""

    number: int
    title: str
    note: str
    columns: tuple[Column, ...]
    query: str
    weeks: bool = False


def _columns(**units: ColumnUnit) -> tuple[Column, ...]:
    return tuple(Column(title.replace("_", " "), unit) for title, unit in units.items())


_READ: Final = "(FROM logs WHERE day = $day AND outcome = 'read')"
_HOURS: Final = "sum(f.takes_s * coalesce(l.nprocs, 1)) / 3600"


def _by_rule(number: int, title: str, rules: tuple[str, ...], note: str) -> Question:
    """The jobs in which findings of these rules take most."""
    named = ", ".join(f"'{rule}'" for rule in rules)
    return Question(
        number,
        title,
        f"{note} Triggered findings of {', '.join(rules)} that no other finding explains, by the time they take.",
        _columns(
            process_hours="process-hours",
            job="text",
            user="count",
            program="text",
            steps="count",
            rule="text",
            files="text",
        ),
        f"""
        SELECT sum(hours) AS hours, job_id, uid, parse_filename(any_value(executable)), count(DISTINCT "row"),
            arg_max(rule, hours), arg_max(scope_label, hours)
        FROM (
            SELECT f.takes_s * coalesce(l.nprocs, 1) / 3600 AS hours, f.rule, f.scope_label, l.*
            FROM findings f JOIN {_READ} l USING ("row")
            WHERE f.verdict = 'triggered' AND f.explained_by IS NULL AND f.severity <> 'info' AND f.rule IN ({named})
        )
        GROUP BY site, uid, job_id, CASE WHEN job_id IS NULL THEN "row" END
        ORDER BY hours DESC NULLS LAST, job_id, uid, site LIMIT {MOST_ROWS}
        """,
    )


COMPLETENESS: Final = Question(
    0,
    "Completeness",
    "Logs of the day by what became of them. Jobs that crash before MPI_Finalize leave a partial log or none, and "
    "programs that do not run under Darshan are not here at all.",
    _columns(what="text", logs="count"),
    """
    SELECT 'files of the day' AS what, count(DISTINCT path) AS logs, 0 AS place
    FROM steps_written WHERE day = $day
    UNION ALL SELECT 'read', count(*), 1 FROM logs WHERE day = $day AND outcome = 'read'
    UNION ALL SELECT 'of these: partial logs (not ended, or crashed)', count(*), 2
    FROM logs WHERE day = $day AND outcome = 'read' AND partial_log
    UNION ALL SELECT 'of these: lacking records (lower bounds)', count(*), 3
    FROM logs WHERE day = $day AND outcome = 'read' AND (len(partial_modules) > 0 OR len(losses) > 0)
    UNION ALL SELECT 'failed: ' || code, count(*), 4 FROM logs WHERE day = $day AND outcome = 'failed' GROUP BY code
    UNION ALL SELECT 'copies, and partial logs of runs that ended',
        (SELECT count(DISTINCT path) FROM steps_written WHERE day = $day)
            - (SELECT count(*) FROM logs WHERE day = $day), 5
    UNION ALL SELECT 'jobs', count(DISTINCT (site, uid, job_id)), 6
    FROM logs WHERE day = $day AND outcome = 'read' AND job_id IS NOT NULL
    ORDER BY place, what
    """,
)

_TOTALS: Final = """
    SELECT day, count(*) AS logs, count(DISTINCT (site, uid, job_id)) AS jobs,
        sum("io.bytes_read".value) AS read, sum("io.bytes_written".value) AS written, sum("file.count".value) AS files,
        sum(runtime_s * nprocs) / 3600 AS hours
    FROM logs WHERE outcome = 'read' GROUP BY day
"""

QUESTIONS: Final = (
    COMPLETENESS,
    Question(
        1,
        "Totals",
        "The day beside the median of those of the 7 and the 28 days before it that have logs.",
        _columns(what="text", today="count", median_of_7="count", median_of_28="count"),
        f"""
        WITH totals AS ({_TOTALS}),
        long AS (UNPIVOT totals ON logs, jobs, read, written, files, hours INTO NAME what VALUE amount)
        SELECT CASE what WHEN 'read' THEN 'GiB read' WHEN 'written' THEN 'GiB written'
                WHEN 'hours' THEN 'process-hours' ELSE what END,
            any_value(amount / unit) FILTER (day = $day), median(amount / unit) FILTER (day < $day AND day >= $day - 7),
            median(amount / unit) FILTER (day < $day AND day >= $day - 28)
        FROM (SELECT *, CASE WHEN what IN ('read', 'written') THEN 1073741824.0 ELSE 1.0 END AS unit FROM long)
        GROUP BY what ORDER BY list_position(['logs', 'jobs', 'files', 'read', 'written', 'hours'], what)
        """,
        weeks=True,
    ),
    Question(
        1,
        "By interface and file system",
        "Bytes of the job's files by the mount point of the largest file of each group; a job counts for every "
        "interface that it used.",
        _columns(of="text", jobs="count", moved="B"),
        f"""
        SELECT 'interface ' || module AS of, count(DISTINCT (site, uid, job_id)) AS jobs, NULL AS moved
        FROM (SELECT *, unnest(modules) AS module FROM {_READ})
        WHERE module IN ('POSIX', 'MPI-IO', 'STDIO', 'H5F', 'H5D', 'PNETCDF_FILE', 'PNETCDF_VAR', 'DFS', 'DAOS')
        GROUP BY module
        UNION ALL
        SELECT 'mount ' || coalesce(g.mount, 'not known'), count(DISTINCT (site, uid, job_id)), sum(g."io.bytes".value)
        FROM groups g JOIN {_READ} l USING ("row") GROUP BY g.mount
        ORDER BY of
        """,
    ),
    Question(
        2,
        "Who moves most",
        "Bytes read and written of a user's program, over all its jobs of the day.",
        _columns(moved="B", user="count", program="text", jobs="count", process_hours="process-hours"),
        f"""
        SELECT sum("io.bytes".value) AS moved, uid, parse_filename(executable) AS program,
            count(DISTINCT job_id), sum(runtime_s * nprocs) / 3600
        FROM {_READ} GROUP BY uid, program ORDER BY moved DESC NULLS LAST, uid, program LIMIT {MOST_ROWS}
        """,
    ),
    Question(
        3,
        "Slow MPI-IO",
        "Logs that moved more than 1 GiB and used MPI-IO, the slowest first. Effective aggregators are derived from "
        "the variance of the ranks' bytes; the ratio is seconds in MPI-IO over seconds in POSIX.",
        _columns(
            rate="B/s",
            job="text",
            user="count",
            moved="B",
            collective="share",
            effective_aggregators="ratio",
            MPI_IO_to_POSIX="ratio",
            stripes="count",
            finding="text",
        ),
        f"""
        SELECT "mpiio.bandwidth".value AS rate, job_id, uid, "io.bytes".value, "mpiio.collective_fraction".value,
            "mpiio.effective_aggregators".value, "mpiio.to_posix_time".value, "file.stripe_count".value, headline_rule
        FROM {_READ}
        WHERE list_contains(modules, 'MPI-IO') AND "io.bytes".value > {LEAST_MPIIO_BYTES} AND rate IS NOT NULL
        ORDER BY rate, job_id, "row" LIMIT {MOST_ROWS}
        """,
    ),
    _by_rule(4, "Could use collective I/O", ("independent-shared",), "Shared files, accessed independently."),
    _by_rule(
        5,
        "Too few aggregators",
        ("single-aggregator", "few-aggregators", "aggregator-skew", "serial-io"),
        "One process, or few, move what many could.",
    ),
    _by_rule(6, "Read-modify-write", ("read-modify-write", "write-gaps"), "Data sieving reads what it does not need."),
    _by_rule(
        7,
        "Metadata",
        ("metadata-bound", "too-many-files-per-directory", "fpp-many-files", "import-storm"),
        "Opening, looking and closing.",
    ),
    _by_rule(
        8,
        "Small accesses",
        ("small-io", "small-io-on-dvs", "shared-log"),
        "Accesses of a stripe or block exactly are none.",
    ),
    Question(
        9,
        "Buffered streams (STDIO)",
        "Logs with most bytes through stdio; how often the file was read over is STDIO_BYTES_READ over what it holds.",
        _columns(moved="B", job="text", user="count", program="text", of_all="share", times_read="ratio"),
        f"""
        SELECT "stdio.bytes_fraction".value * "io.bytes".value AS moved, job_id, uid, parse_filename(executable),
            "stdio.bytes_fraction".value, "stdio.times_read".value
        FROM {_READ} WHERE moved > 0 ORDER BY moved DESC, job_id, "row" LIMIT {MOST_ROWS}
        """,
    ),
    Question(
        10,
        "Share of the run in I/O",
        "Logs by the slowest rank's seconds in I/O over the run.",
        _columns(share_of_the_run="text", logs="count", process_hours="process-hours"),
        f"""
        SELECT ['below 1 %', '1 to 5 %', '5 to 10 %', '10 to 25 %', '25 to 50 %', '50 % and more'][bucket], count(*),
            sum(runtime_s * nprocs) / 3600
        FROM (
            SELECT *, 1 + list_sum([CASE WHEN "job.io_time_fraction".value >= edge THEN 1 ELSE 0 END
                FOR edge IN [0.01, 0.05, 0.10, 0.25, 0.50]])::BIGINT AS bucket
            FROM {_READ} WHERE "job.io_time_fraction".value IS NOT NULL
        )
        GROUP BY bucket ORDER BY bucket
        """,
    ),
    Question(
        11,
        "Slow OSTs",
        "OSTs that findings name as slow, by how many users: one that several users meet is the machine's fault. Since "
        "is the first of these 29 days with such a finding.",
        _columns(OST="count", mount="text", users="count", logs="count", slowness="ratio", since="text"),
        """
        WITH slow AS (
            SELECT coalesce(g."ost.slowest".value, l."ost.slowest".value) AS ost, l.uid, l.day, f."row",
                coalesce(g."ost.slowness".value, l."ost.slowness".value) AS slowness, g.mount
            FROM findings f JOIN logs l USING ("row") LEFT JOIN groups g ON g."row" = f."row" AND g.id = f.scope
            WHERE f.rule = 'slow-ost' AND f.verdict = 'triggered'
        )
        SELECT ost::BIGINT, mount, count(DISTINCT uid) FILTER (day = $day) AS users,
            count(DISTINCT "row") FILTER (day = $day) AS logs, median(slowness) FILTER (day = $day), min(day)::VARCHAR
        FROM slow WHERE ost IS NOT NULL GROUP BY ost, mount HAVING logs > 0
        ORDER BY users DESC, logs DESC, ost, mount
        """,
        weeks=True,
    ),
    Question(
        12,
        "Repeat offenders",
        "Users whose jobs had a finding of high severity on the day, by on how many of these 29 days they had the same "
        "one. When they were last written to is not known here.",
        _columns(user="count", rule="text", days="count", jobs_today="count"),
        """
        SELECT l.uid, f.rule, count(DISTINCT l.day) AS days, count(DISTINCT l.job_id) FILTER (l.day = $day) AS today
        FROM findings f JOIN logs l USING ("row")
        WHERE f.verdict = 'triggered' AND f.severity = 'high' AND f.explained_by IS NULL
        GROUP BY l.uid, f.rule HAVING today > 0 ORDER BY days DESC, today DESC, l.uid, f.rule LIMIT 20
        """,
        weeks=True,
    ),
    Question(
        13,
        "Time by cause",
        "What triggered findings take of all the day's logs, by rule. Node-hours are of the logs that state their "
        "nodes, and of no others.",
        _columns(
            process_hours="process-hours",
            rule="text",
            jobs="count",
            users="count",
            node_hours="node-hours",
            jobs_with_nodes="count",
        ),
        f"""
        SELECT {_HOURS} AS hours, f.rule, count(DISTINCT (l.site, l.uid, l.job_id)), count(DISTINCT l.uid),
            sum(f.takes_s * l.nnodes) / 3600, count(DISTINCT (l.site, l.uid, l.job_id)) FILTER (l.nnodes IS NOT NULL)
        FROM findings f JOIN {_READ} l USING ("row")
        WHERE f.verdict = 'triggered' AND f.takes_s > 0 GROUP BY f.rule ORDER BY hours DESC, f.rule
        """,
    ),
)

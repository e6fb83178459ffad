"""Views over the files that count: `logs`, of which each run is there once, their `groups`, `findings` and `documents`,
and `jobs`, the logs of one job together; a log that names no job is one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.log_rows import TRIED_AGAIN
from iotriage.centre.warehouse.columns import TABLES, MetricsRead, Table, columns_of, columns_read
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import counted
from iotriage.centre.warehouse.misdated import counted_earlier
from iotriage.centre.warehouse.placing import placed

_NARROW = f"""
CREATE OR REPLACE TABLE narrow AS
SELECT filename, file_row_number, day, "row", path, size_bytes, modified_ns, outcome, content, run, partial_log,
    CASE WHEN outcome <> 'failed' THEN 0 WHEN code NOT IN ({", ".join(map(literal, TRIED_AGAIN))}) THEN 1 ELSE 2 END
        AS unsettled,
    concat_ws(' ', job_id, uid, nprocs, start_time) AS said, executable, start_time, end_time,
    outcome = 'read' AND list_has_any(losses, ['truncated', 'damaged']) AS cut
FROM steps_written
"""
_LEFT_TO_EARLIER_DAYS = "DELETE FROM narrow WHERE day = $day AND list_contains($contents, content)"

_NAME: Final = "path, size_bytes, modified_ns, run, partial_log"
"""What is said of a file by its name and not by what it holds."""

_ALONE = f"""
CREATE OR REPLACE TABLE alone AS
SELECT filename, file_row_number, "row", {_NAME} FROM narrow
WHERE outcome <> 'copy'
    AND path NOT IN (SELECT path FROM narrow GROUP BY day, path HAVING count(*) > 1)
    AND content NOT IN (SELECT content FROM narrow GROUP BY day, content HAVING count(*) > 1)
    AND (run IS NULL OR run NOT IN (SELECT run FROM narrow WHERE run IS NOT NULL GROUP BY day, run HAVING count(*) > 1))
"""
"""Most logs share path, content and run with no other of their day: there is nothing to choose."""

BEST_NAMED: Final = "run IS NULL, partial_log, path"
"""The order of the names under which one content lies: Darshan's own first, of these that of a run that ended. A copy
may have been read before the log itself, and a partial log gets the name of a final one when its run ends."""

_CHOSEN = f"""
CREATE OR REPLACE TABLE steps_chosen AS
WITH steps AS (FROM narrow ANTI JOIN alone USING (filename, file_row_number)),
latest AS (
    SELECT day, content, {_NAME} FROM steps
    QUALIFY row_number() OVER (PARTITION BY day, path ORDER BY modified_ns DESC, unsettled, "row") = 1
),
named AS (
    FROM latest QUALIFY row_number() OVER (PARTITION BY day, content ORDER BY {BEST_NAMED}) = 1
),
known AS (
    SELECT filename, file_row_number, "row", outcome, said, named.* FROM steps JOIN named USING (day, content)
    WHERE outcome <> 'copy'
    QUALIFY row_number() OVER (
        PARTITION BY day, content
        ORDER BY unsettled, steps.path, steps.modified_ns DESC, "row", filename, file_row_number
    ) = 1
)
FROM alone
UNION ALL
SELECT filename, file_row_number, "row", {_NAME} FROM known
WHERE NOT (
    outcome = 'failed' AND partial_log AND (day, coalesce(run, '')) IN (
        SELECT day, run FROM known WHERE outcome = 'read' AND NOT partial_log AND run IS NOT NULL
    )
)
QUALIFY run IS NULL
    OR row_number() OVER (
        PARTITION BY day, run, CASE WHEN outcome = 'read' THEN said ELSE content END
        ORDER BY partial_log, modified_ns DESC, path
    ) = 1
"""
"""Of each day by itself, so that days together are their sum: of a path the file that was there last; of equal contents
one, wherever they lie, what was read before what failed, and last what is tried again, under the best of their names;
of a run's partial and final log the final one, where their headers say that they are of one run."""

_CUT_COPIES = """
DELETE FROM steps_chosen WHERE "row" IN (
    WITH read AS (FROM narrow SEMI JOIN steps_chosen USING (filename, file_row_number) WHERE outcome = 'read')
    SELECT c."row" FROM read c JOIN read w
        ON c.day = w.day AND c.said = w.said AND c.start_time = w.start_time
        AND c.executable IS NOT DISTINCT FROM w.executable AND c.end_time IS NOT DISTINCT FROM w.end_time
    WHERE c.cut AND NOT w.cut
    GROUP BY c."row" HAVING count(*) = 1
)
"""
"""A copy that was cut, whatever its name, of the one log that its header says it is of. Where there are several, as of
processes that began and ended together, it may be the rest of another."""

_WRITTEN_TWICE = "SELECT 1 FROM narrow WHERE outcome <> 'copy' GROUP BY \"row\" HAVING count(*) > 1 LIMIT 1"
"""Shards that ran at once may each have written a log, or a copy of it; nothing else writes a row again."""

_SHARD = "regexp_extract(parse_filename({of}.filename), '^[a-z]+-(.+)-[^-]+$', 1)"
_CHOSEN_PART = f"""
CREATE OR REPLACE TABLE {{table}}_chosen AS
SELECT part.filename, part.file_row_number FROM {{table}}_written part JOIN steps_chosen step USING ("row")
WHERE {_SHARD.format(of="part")} = {_SHARD.format(of="step")}
QUALIFY row_number() OVER (PARTITION BY "row", {{key}} ORDER BY part.filename, part.file_row_number) = 1
"""
_PARTS: Mapping[Table, str] = {"groups": "id", "findings": "position", "documents": '"row"'}

_VIEW = """
CREATE OR REPLACE VIEW {view} AS
SELECT * EXCLUDE (filename, file_row_number) FROM {table}_written SEMI JOIN {chosen} USING ({key})
"""
_OF_FILE = """
json_merge_patch(document, json_object('sources', json_array(json_merge_patch(
    json_extract(document, '$.sources[0]'), json_object('name', parse_filename(path), 'size_bytes', size_bytes)
))))
"""
"""The document of one log, whose source is called as the file is that the log counts under."""
_DOCUMENTS = f"""
CREATE OR REPLACE VIEW documents AS
SELECT kept.* REPLACE ({_OF_FILE} AS document) FROM documents_kept kept
JOIN (SELECT "row", path, size_bytes FROM steps_chosen) USING ("row")
"""
_PLACE = "filename, file_row_number"
_LOGS = f"""
CREATE OR REPLACE VIEW logs AS
SELECT written.* EXCLUDE (filename, file_row_number)
    REPLACE ({", ".join(f"chosen.{name} AS {name}" for name in _NAME.split(", "))})
FROM steps_written written JOIN steps_chosen chosen USING ({_PLACE})
"""

READ_LOGS = "(FROM logs WHERE outcome = 'read')"

_STEPS_OF_JOBS: Final = f"""
(SELECT written."row", site, uid, job_id, executable, nprocs, nnodes, start_time, end_time
FROM steps_written written SEMI JOIN steps_chosen USING ({_PLACE}) WHERE outcome = 'read')
"""
"""Not of `logs`: to plan a view that is named four times takes as long as it has columns."""
_JOBS = """
CREATE OR REPLACE VIEW jobs AS
SELECT any_value(coalesce(place, site) ORDER BY start_time, executable) AS site, uid, job_id, count(*) AS steps,
    any_value(executable ORDER BY start_time, executable) AS executable, max(nprocs) AS nprocs, max(nnodes) AS nnodes,
    min(start_time) AS start_time, max(end_time) AS end_time
FROM {placed}
GROUP BY place, uid, job_id, coalesce(job_id, "row")
"""

_READ = (
    "read_parquet([{paths}], union_by_name = true, hive_partitioning = true, filename = true, file_row_number = true)"
)
_DAY = "make_date(year::BIGINT, month::BIGINT, day::BIGINT) AS day"


FEW_ROWS = 1_000
"""So many rows are held in memory: each question about a view looks for the columns in every file again, which of few
rows takes far longer than to answer it."""


def opened(root: Path, days: Iterable[date], metrics: MetricsRead | None = None) -> duckdb.DuckDBPyConnection:
    """A connection with the views over these days: with every metric as a column, or with `metrics` alone. Raises
    `BadManifestError`."""
    connection, asked = connected(root), tuple(days)
    written_views(connection, root, asked, metrics=metrics)
    connection.execute(_NARROW)
    for day, contents in counted_earlier(root, asked).items():
        connection.execute(_LEFT_TO_EARLIER_DAYS, {"day": day, "contents": list(contents)})
    for choosing in (_ALONE, _CHOSEN, _CUT_COPIES):
        connection.execute(choosing)
    connection.execute(_LOGS)
    twice = connection.execute(_WRITTEN_TWICE).fetchone() is not None
    for table, key in _PARTS.items():
        view = "documents_kept" if table == "documents" else table
        if twice:
            connection.execute(_CHOSEN_PART.format(table=table, key=key))
            connection.execute(_VIEW.format(view=view, table=table, chosen=f"{table}_chosen", key=_PLACE))
        else:
            connection.execute(_VIEW.format(view=view, table=table, chosen="steps_chosen", key='"row"'))
    connection.execute(_DOCUMENTS)
    connection.execute(_JOBS.format(placed=placed(_STEPS_OF_JOBS, _STEPS_OF_JOBS)))
    return connection


def count_of(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """The number that is all that the query answers."""
    found = connection.execute(query).fetchone()
    return 0 if found is None else int(found[0])


def connected(root: Path) -> duckdb.DuckDBPyConnection:
    """A database in memory that spills into the warehouse's own scratch folder, and loads nothing from elsewhere."""
    scratch = root / "scratch"
    return duckdb.connect(
        config={
            "temp_directory": str(scratch),
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
        }
    )


def written_views(
    connection: duckdb.DuckDBPyConnection,
    root: Path,
    days: Iterable[date],
    tables: Iterable[Table] = TABLES,
    metrics: MetricsRead | None = None,
) -> None:
    """`…_written` for each of the tables: all rows of the files that count, with the columns of this version, and the
    `day` in whose folder they are. To declare one of hundreds of columns takes longer than to ask it: name the tables,
    and the metrics, that are asked."""
    files = counted(root, days)
    for table in tables:
        columns = columns_of(table) if metrics is None else columns_read(table, metrics)
        typed = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(
            f"CREATE OR REPLACE TABLE {table}_empty ({typed}, filename VARCHAR, file_row_number BIGINT, day DATE)"
        )
        written = f"SELECT * FROM {table}_empty"
        if files[table].paths:
            paths = ", ".join(map(literal, files[table].paths))
            written += f" UNION ALL BY NAME SELECT {_named(columns)}, {_DAY} FROM {_READ.format(paths=paths)}"
            if table != "documents" and files[table].rows <= FEW_ROWS:
                connection.execute(f"CREATE OR REPLACE TABLE {table}_in_memory AS {written}")
                written = f"SELECT * FROM {table}_in_memory"
        connection.execute(f"CREATE OR REPLACE VIEW {table}_written AS {written}")


def _named(columns: Iterable[str]) -> str:
    """Those of the columns that the files have: one of an earlier version lacks some. By one expression: DuckDB looks
    through a list of names once for every column."""
    names = "|".join(map(re.escape, (*columns, "filename", "file_row_number")))
    return f"COLUMNS({literal(f'^({names})$')})"

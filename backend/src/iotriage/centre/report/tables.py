"""The tables that a report's questions are asked of, for one period and filter, in a database in memory.

`period` has the logs of the period that were read and `found` their triggered findings; `recent` has the findings, and
`recent_logs` the logs, of the 28 days before it too. `machines_osts` are the OSTs of the period that are slow for
several users, whatever is asked for. `every` has all logs of the period, whatever is asked for: of one that failed
nobody knows whose it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import duckdb

from iotriage.centre.report.people import named_by_tables, people_of
from iotriage.centre.report.rollup import Rollups, logs_of
from iotriage.centre.report.section import Period, ReportFilter
from iotriage.centre.warehouse.literal import parquet_scan

_CHOSEN: Final[Mapping[str, str]] = {
    "file_system": "list_contains(mounts, $file_system)",
    "project": "project = $project",
    "user": "(person = $user OR list_contains(known_as, $user))",
    "application": "(program = $application OR executable = $application)",
}

SEVERAL_USERS: Final = 3
"""From so many on, who meet one slow OST, it is the machine and not what one of them does: this is ours."""

_MACHINES_OSTS: Final = f"""
CREATE TABLE machines_osts AS
SELECT site, mount, ost FROM {{all_findings}}
WHERE rule = 'slow-ost' AND ost IS NOT NULL AND day BETWEEN '{{first}}' AND '{{last}}'
GROUP BY ALL HAVING count(DISTINCT person) >= {SEVERAL_USERS}
"""


def machines_ost(ost: str, mount: str) -> str:
    """Whether the OST of this number, of a file system at this mount point, is slow for several users; both are columns
    of a finding `f`."""
    return (
        f"EXISTS (FROM machines_osts m WHERE m.ost = f.{ost} AND m.site IS NOT DISTINCT FROM f.site "
        f"AND m.mount IS NOT DISTINCT FROM f.{mount})"
    )


OF_MACHINES_OST: Final = f"(cause = 'slow-ost' AND {machines_ost('cause_ost', 'cause_mount')})"
"""Whether what a finding `f` follows from in the end, or is itself, is an OST that is slow for several users. NULL
where none of a circle of findings is a cause."""

_RECENT_LOGS: Final = """
CREATE TABLE recent_logs AS
SELECT day, site, uid, person, program, job, judged_by, nprocs, runtime_s, bandwidth, bytes, bytes_read, bytes_written,
    mount_bytes
FROM {logs} WHERE outcome = 'read' AND {chosen}
"""
_TABLES: Final = (
    "CREATE TABLE every AS SELECT * FROM {logs} WHERE day BETWEEN '{first}' AND '{last}'",
    "CREATE {narrowed} period AS SELECT * EXCLUDE (known_as) FROM every WHERE outcome = 'read' AND {chosen}",
    "CREATE TABLE recent AS SELECT * FROM {findings} WHERE {chosen}",
    "CREATE VIEW found AS SELECT * FROM recent WHERE day BETWEEN '{first}' AND '{last}'",
    _MACHINES_OSTS,
    _RECENT_LOGS,
)


def make_tables(connection: duckdb.DuckDBPyConnection, rollups: Rollups, period: Period, filter: ReportFilter) -> None:
    """`rollups` are of the period and of the days before it."""
    chosen, asked = chosen_by(filter)
    logs, findings = parquet_scan(rollups.logs), named_by_tables(parquet_scan(rollups.findings))
    for name, query in people_of(logs).items():
        connection.execute(f"CREATE TABLE {name} AS {query}")
    parts = {
        "logs": named_by_tables(logs),
        "findings": findings,
        "all_findings": findings if asked else "recent",
        "first": period.first,
        "last": period.last,
        "chosen": chosen,
        # A view takes no parameters, and a table of all logs would have them twice.
        "narrowed": "TABLE" if asked else "VIEW",
    }
    for table in _TABLES:
        connection.execute(table.format(**parts), asked if asked and "{chosen}" in table else None)


def jobs_of(connection: duckdb.DuckDBPyConnection, rollups: Rollups, filter: ReportFilter) -> int:
    """How many jobs the chosen logs are of; one whose logs are of several days is one."""
    chosen, asked = chosen_by(filter)
    query = f"SELECT count(DISTINCT job) FROM {logs_of(rollups)} WHERE outcome = 'read' AND {chosen}"
    found = connection.execute(query, asked or None).fetchone()
    assert found is not None
    return int(found[0])


def chosen_by(filter: ReportFilter) -> tuple[str, dict[str, str]]:
    """The filter as a condition of SQL, and its parameters. A user is known by number, too."""
    wanted = {
        name: value
        for name, value in (
            ("file_system", filter.file_system),
            ("project", filter.project),
            ("user", filter.user),
            ("application", filter.application),
        )
        if value is not None
    }
    return " AND ".join(["true", *(_CHOSEN[name] for name in wanted)]), wanted

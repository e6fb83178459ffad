"""Users' programs that lost much and have stopped: mended, or at another task. Nobody is to be called for them, and
somebody may be thanked."""

from __future__ import annotations

from typing import Final

import duckdb

from iotriage.centre.report.answering import cell_of
from iotriage.centre.report.contacts import DAYS_OF_STOPPING, WORTH_A_CALL
from iotriage.centre.report.questions import HOURS_DIGITS, MOST_FIRST, MOST_ROWS, PROCESS_HOURS, columns, of_first
from iotriage.centre.report.section import Section
from iotriage.centre.report.tables import OF_MACHINES_OST

_NO_MORE: Final = f"""
WITH lost AS (
    SELECT person, program, sum(hours) AS taken, {of_first("rule", 'hours DESC NULLS LAST, "row", rule')} AS rule,
        min(day) AS since, max(day) AS last
    FROM (SELECT *, lost_s * nprocs / 3600 AS hours FROM recent) f
    WHERE severity = 'high' AND explained_by IS NULL AND {OF_MACHINES_OST} IS NOT TRUE
    GROUP BY person, program HAVING round(taken, {HOURS_DIGITS}) >= {WORTH_A_CALL}
)
SELECT taken, l.person, l.program, l.rule, l.since::VARCHAR, l.last::VARCHAR, count(DISTINCT r.day),
    count(DISTINCT r.job)
FROM lost l JOIN recent_logs r
    ON r.person IS NOT DISTINCT FROM l.person AND r.program IS NOT DISTINCT FROM l.program AND r.day > l.last
GROUP BY taken, l.person, l.program, l.rule, l.since, l.last HAVING count(DISTINCT r.day) >= {DAYS_OF_STOPPING}
ORDER BY {MOST_FIRST}, l.person, l.program LIMIT {MOST_ROWS}
"""


def lost_no_more(connection: duckdb.DuckDBPyConnection) -> Section:
    """Of the period and of the four weeks before it."""
    found = connection.execute(_NO_MORE).fetchall()
    return Section(
        "no-more",
        "effect",
        "Lost much, and no more",
        "Users' programs that lost a process-hour or more by findings of high severity, with what follows from them, "
        f"in the period and the four weeks before, and that ran on {DAYS_OF_STOPPING} later days or more without one: "
        f"somebody mended them, or they are at another task. Those that lost most come first, {MOST_ROWS} at most.",
        (
            PROCESS_HOURS,
            *columns(user="name", program="words", rule="rule", since="date", last="date"),
            *columns(days_since="count", jobs_since="count"),
        ),
        tuple(tuple(map(cell_of, row)) for row in found),
        none="None found.",
    )

"""Whether the logs of a period and of the days before it were judged alike: a finding that a new rule, or another
threshold, has brought looks as if jobs had become worse."""

from __future__ import annotations

from typing import Final

import duckdb

from iotriage.centre.report.section import day_in_words
from iotriage.rules.core.words import plural

_APART: Final = """
WITH ways AS (
    SELECT coalesce(judged_by, '') AS way, min(day) AS first, max(day) AS last, count(*) AS logs FROM recent_logs
    GROUP BY way
),
newest AS (SELECT way FROM ways ORDER BY last DESC, logs DESC, way LIMIT 1)
SELECT count(DISTINCT day), min(day), max(day) FROM recent_logs
WHERE coalesce(judged_by, '') <> (SELECT way FROM newest)
"""
"""Rows of a version that did not keep how it judged are alike among themselves."""


def judged_apart(connection: duckdb.DuckDBPyConnection) -> str | None:
    """What to know where they were not; None where they were."""
    found = connection.execute(_APART).fetchone()
    assert found is not None
    days, first, last = found
    if not days:
        return None
    when = f"of {day_in_words(last)}" if days == 1 else f"of {plural(days, 'day')} from {day_in_words(first)} on"
    again = f"{last} judges these" if days == 1 else "DAY judges those of a day"
    return (
        f"Logs {when} were judged by other rules or thresholds than the last ones, and are compared with them all the "
        f"same: iotriage ingest --again {again} as the last."
    )

"""Which cause each finding of a log follows from in the end, as a query: what `iotriage.analysis.decision.following`
says of a document, over findings that the days of a warehouse have."""

from __future__ import annotations

from typing import Final

from iotriage.analysis.evaluation import THE_JOB

_SAME_FILES: Final = f"(c.scope = f.scope OR (c.scope = '{THE_JOB.id}') <> (f.scope = '{THE_JOB.id}'))"

FOLLOWING: Final = f"""
CREATE TABLE following AS
WITH RECURSIVE triggered AS (
    SELECT "row", position, rule, scope, explained_by FROM findings WHERE verdict = 'triggered'
),
explaining AS (
    SELECT f."row", f.position,
        first(c.position ORDER BY c.scope <> f.scope, c.explained_by IS NOT NULL, c.position) AS by
    FROM triggered f JOIN triggered c ON c."row" = f."row" AND c.rule = f.explained_by AND {_SAME_FILES}
    GROUP BY f."row", f.position
),
ends AS (
    SELECT "row", position, position AS cause FROM triggered WHERE explained_by IS NULL
    UNION ALL
    SELECT e."row", e.position, known.cause FROM ends known JOIN explaining e
        ON e."row" = known."row" AND e.by = known.position
)
FROM ends
"""
"""By the places of the findings in their log: of each its `cause`, which is itself where nothing explains it. Those of
a circle, in which each explains the next, have no row."""

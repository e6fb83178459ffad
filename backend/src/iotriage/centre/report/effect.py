"""What became of users who were written to: the same user and program before and after, beside those who were not.

What is worst today is better tomorrow by itself: only what became better than it did for the others is an effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import duckdb

from iotriage.centre.report.answering import cell_of
from iotriage.centre.report.contacts import CONTACTS_UNKNOWN
from iotriage.centre.report.people import names_of
from iotriage.centre.report.questions import columns
from iotriage.centre.report.rollup import Rollups, findings_of, logs_of
from iotriage.centre.report.section import Contact, Section

BESIDE: Final = timedelta(days=28)
"""So long before and after a contact is compared."""
MOST_CONTACTS: Final = 20

_BY_DAY: Final = """
CREATE TABLE used AS
WITH lost AS (
    SELECT day, person, program,
        sum(takes_s * nprocs) FILTER ("row" IN (SELECT "row" FROM {logs} WHERE runtime_s IS NOT NULL)) AS lost,
        bool_or(severity = 'high' AND explained_by IS NULL) AS high
    FROM {findings} GROUP BY day, person, program
)
SELECT day, person, known_as, program, coalesce(lost, 0) AS lost, coalesce(high, false) AS high, spent
FROM (
    SELECT day, person, any_value(known_as) AS known_as, program, sum(runtime_s * nprocs) AS spent
    FROM {logs} WHERE outcome = 'read'
    GROUP BY day, person, program
) LEFT JOIN lost USING (day, person, program)
"""
_COMPARED: Final = """
WITH shares AS (
    SELECT person, program, list_has_any($contacted, flatten(list(known_as))) AS written_to,
        list_has_any($names, flatten(list(known_as))) AS chosen,
        sum(lost) FILTER (day < $day) / sum(spent) FILTER (day < $day) AS before,
        sum(lost) FILTER (day > $day) / sum(spent) FILTER (day > $day) AS after
    FROM used WHERE day BETWEEN $day - $beside AND $day + $beside GROUP BY person, program
    HAVING bool_or(high AND day < $day)
),
others AS (
    SELECT median(after / before) AS change, count(*) AS number FROM shares
    WHERE NOT written_to AND before > 0 AND after IS NOT NULL
)
SELECT person, program, before, after, after / nullif(before, 0), others.change, others.number
FROM shares, others WHERE chosen AND after IS NOT NULL ORDER BY before DESC, program
"""


def effects(
    connection: duckdb.DuckDBPyConnection, rollups: Rollups, contacts: Sequence[Contact] | None, last: date
) -> Section:
    """Of contacts in the eight weeks until `last`, a week ago or longer; None are not known. `rollups` hold the time
    beside them."""
    earliest, latest = last - 2 * BESIDE, last - timedelta(days=7)
    known = contacts or ()
    recent = sorted((c for c in known if earliest <= c.day <= latest), key=lambda c: c.day)
    contacted = [name for contact in known for name in names_of(contact)]
    rows = []
    if recent and rollups.logs:
        connection.execute(_BY_DAY.format(logs=logs_of(rollups), findings=findings_of(rollups)))
        for contact in recent[-MOST_CONTACTS:]:
            asked = {"day": contact.day, "beside": BESIDE.days, "names": list(names_of(contact))}
            found = connection.execute(_COMPARED, asked | {"contacted": contacted}).fetchall()
            rows += [(contact.day.isoformat(), *map(cell_of, row)) for row in found]
    return Section(
        "effect",
        "effect",
        "After the contact",
        "The share of a user's process-hours in a program that findings take, in the four weeks before and after the "
        "helpdesk answered; beside it how that changed, in the middle, for others who had a high finding then and were "
        "not written to. Below 1 is better, and an effect is what is below the others.",
        columns(
            contact="date",
            user="name",
            program="words",
            lost_before="share",
            lost_after="share",
            after_over_before="ratio",
            others="ratio",
            number_of_others="count",
        ),
        tuple(rows),
        none=CONTACTS_UNKNOWN if contacts is None else "Nobody was answered between eight weeks and a week before.",
    )

"""When a user was last written to, as the helpdesk's tickets have it, and which of a period's users lose most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Final

import duckdb

from iotriage.centre.report.answering import cell_of, log_ref, number_of
from iotriage.centre.report.people import names_of
from iotriage.centre.report.questions import (
    HOURS_DIGITS,
    MOST_FIRST,
    PROCESS_HOURS,
    SAVES_AT_MOST,
    columns,
    no_more_than_accounted,
    of_first,
)
from iotriage.centre.report.section import NOT_AGAIN_WITHIN, Cell, Contact, Period, Section
from iotriage.centre.report.tables import OF_MACHINES_OST

ROWS_SHOWN: Final = 20
"""So many at least, where there are so many; all who are to be called are shown."""
WORTH_A_CALL: Final = 1.0
"""Process-hours that a user loses by findings in the period, from which somebody writes: this is ours."""
_USER, _DAYS_SINCE, _LAST_CONTACT = 2, 11, 12
"""Where they stand in a row."""
DAYS_OF_STOPPING: Final = 3
"""On so many later days a program that has stopped losing ran without a finding of high severity: this is ours."""
NOT_CALLED: Final = (
    "Users who lost less than one process-hour, were written to in the last 7 days, or have stopped (their programs "
    f"ran on {DAYS_OF_STOPPING} later days without such a finding) need no call."
)

_OF_MOST: Final = 'hours DESC NULLS LAST, "row", rule, scope_label'

_IN_NEED: Final = f"""
WITH need AS (
    SELECT sum(hours) FILTER (now) AS taken, sum(at_most_s * nprocs) FILTER (now) / 3600 AS at_most, person, program,
        {of_first("rule", _OF_MOST)} FILTER (now) AS rule, {of_first("headline", _OF_MOST)} FILTER (now) AS headline,
        count(DISTINCT job) FILTER (now) AS jobs, {of_first("job_id", _OF_MOST)} FILTER (now) AS job,
        count(DISTINCT day) AS days, min(day) AS since, max(day) AS last,
        {of_first("day", _OF_MOST)} FILTER (now) AS of_day, {of_first('"row"', _OF_MOST)} FILTER (now) AS of_log,
        flatten(list(known_as)) AS known_as
    FROM (
        SELECT *, lost_s * nprocs / 3600 AS hours, day BETWEEN $first AND $last AS now,
            {no_more_than_accounted("could_save_s")} AS at_most_s
        FROM recent f WHERE severity = 'high' AND explained_by IS NULL AND {OF_MACHINES_OST} IS NOT TRUE
    )
    GROUP BY person, program HAVING jobs > 0
),
later AS (
    SELECT n.person, n.program, count(DISTINCT r.day) AS days FROM need n JOIN recent_logs r
    ON r.person IS NOT DISTINCT FROM n.person AND r.program IS NOT DISTINCT FROM n.program AND r.day > n.last
    GROUP BY n.person, n.program
)
SELECT taken, at_most, n.person, n.program, rule, headline, jobs, job, n.days, since::VARCHAR, last::VARCHAR,
    coalesce(l.days, 0), of_day, of_log, known_as
FROM need n LEFT JOIN later l ON l.person IS NOT DISTINCT FROM n.person AND l.program IS NOT DISTINCT FROM n.program
ORDER BY {MOST_FIRST}, n.person, n.program
"""


CONTACTS_UNKNOWN: Final = (
    "Whom the helpdesk answered is not known here: IOTRIAGE_DATA_DIR or IOTRIAGE_DATABASE_URL names its database."
)


def users_in_need(connection: duckdb.DuckDBPyConnection, period: Period, contacts: Sequence[Contact] | None) -> Section:
    """Users and programs with a finding of high severity, by what they lose: the first rows, and all users who are to
    be called. `contacts` None are not known."""
    found = connection.execute(_IN_NEED, {"first": period.first, "last": period.last}).fetchall()
    last = last_contacts(contacts or (), period.last)
    rows, logs = [], []
    for *shown, day, log, known_as in found:
        contact = max((last[name] for name in last.keys() & known_as), key=lambda c: c.day, default=None)
        cells = (None, None, None) if contact is None else (contact.day.isoformat(), contact.ticket, contact.status)
        rows.append((*map(cell_of, shown), *cells))
        logs.append(log_ref(day, log))
    chosen = _shown(rows, set(_called(rows, period)))
    return Section(
        id="help",
        theme="help",
        title="Users and programs that lose most",
        note="Users and programs with a finding of high severity that no other finding explains, by what that takes "
        "with what follows from it, who loses most first. Rule and finding are those with most of it, and the job with "
        "most is the one that loses most. Days are how many of the period and of the four weeks before had one, since "
        "is the first of them, last the last one; days since are later ones on which the program ran without such a "
        "finding. "
        f"{_contacts_from(contacts)} "
        "What waits for an OST that is slow for several users is not theirs to mend, and stands under Slow OSTs. "
        f"{NOT_CALLED} All who are to be called are here.",
        columns=(
            PROCESS_HOURS,
            SAVES_AT_MOST,
            *columns(user="name", program="words", rule="rule", finding="sentence", jobs="count", job_with_most="name"),
            *columns(days="count", since="date", last="date", days_since="count"),
            *columns(empty="unknown" if contacts is None else "never", last_contact="date"),
            *columns(empty="unknown" if contacts is None else "none", ticket="name", status="name"),
        ),
        rows=tuple(rows[at] for at in chosen),
        logs=tuple(logs[at] for at in chosen),
        none="Nobody had a finding of high severity that no other explains and that is theirs to mend.",
    )


def _contacts_from(contacts: Sequence[Contact] | None) -> str:
    return CONTACTS_UNKNOWN if contacts is None else "The last contact is by the helpdesk's tickets."


def _shown(rows: Sequence[Sequence[Cell]], called: Set[Cell]) -> list[int]:
    """The first rows, and behind them of users who are to be called as many as show that they are."""
    chosen: list[int] = []
    lost: dict[Cell, list[float | None]] = {}
    for at, row in enumerate(rows):
        user = row[_USER]
        if at < ROWS_SHOWN or (user in called and not _is_enough(lost.get(user, []))):
            chosen.append(at)
            lost.setdefault(user, []).append(number_of(row[0]))
    return chosen


def _is_enough(hours: Sequence[float | None]) -> bool:
    """Whether so many process-hours together are worth a call; those that nobody knows are."""
    return any(one is None for one in hours) or _together(hours) >= WORTH_A_CALL


def _together(hours: Sequence[float | None]) -> float:
    """Ten times a tenth are one, whichever way they are added up."""
    return round(sum(one or 0.0 for one in hours), HOURS_DIGITS)


def last_contacts(contacts: Sequence[Contact], until: date) -> Mapping[str, Contact]:
    """The last one not after `until`, by each name that the person may have in a log."""
    in_time = sorted((c for c in contacts if c.day <= until), key=lambda c: c.day)
    return {name: contact for contact in in_time for name in names_of(contact)}


def users_to_call(section: Section, period: Period) -> tuple[Cell, ...]:
    """Users in need who lost enough, or of whom nobody knows how much, and who were not written to within a week before
    the period's end, and have not stopped, those with most first; None is one whom no log names."""
    return _called(section.rows, period)


def _called(rows: Sequence[Sequence[Cell]], period: Period) -> tuple[Cell, ...]:
    lost: dict[Cell, list[float | None]] = {}
    for row in rows:
        last, since = row[_LAST_CONTACT], row[_DAYS_SINCE]
        if isinstance(since, int) and since >= DAYS_OF_STOPPING:
            continue
        if not isinstance(last, str) or date.fromisoformat(last) < period.last - NOT_AGAIN_WITHIN:
            lost.setdefault(row[_USER], []).append(number_of(row[0]))
    by_loss = sorted(lost, key=lambda user: -_together(lost[user]))
    return tuple(user for user in by_loss if _is_enough(lost[user]))

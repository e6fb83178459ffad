"""When a user was last written to, as the helpdesk's tickets have it, and which of a period's users lose most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from math import inf
from typing import Final

import duckdb

from iotriage.centre.report.answering import cell_of, log_ref
from iotriage.centre.report.questions import PROCESS_HOURS, SAVES_AT_MOST, columns, no_more_than_accounted
from iotriage.centre.report.section import NOT_AGAIN_WITHIN, Cell, Contact, Period, Section
from iotriage_parsers.frozen import frozen

MOST_IN_NEED: Final = 20
WORTH_A_CALL: Final = 1.0
"""Process-hours that the findings of a user take in the period, from which somebody writes: this is ours."""
NOT_CALLED: Final = "Users who lost less than one process-hour, or were written to in the last 7 days, need no call."

_IN_NEED: Final = f"""
SELECT sum(hours) FILTER (now) AS taken, sum(at_most_s * nprocs) FILTER (now) / 3600, person, program,
    arg_max(rule, known) FILTER (now), arg_max(headline, known) FILTER (now), count(DISTINCT job) FILTER (now) AS jobs,
    count(DISTINCT day), min(day)::VARCHAR, arg_max(day, known) FILTER (now), arg_max("row", known) FILTER (now)
FROM (
    SELECT *, takes_s * nprocs / 3600 AS hours, coalesce(hours, 0) AS known, day BETWEEN $first AND $last AS now,
        {no_more_than_accounted("could_save_s")} AS at_most_s
    FROM recent WHERE severity = 'high' AND explained_by IS NULL
)
GROUP BY person, program HAVING jobs > 0 ORDER BY taken DESC NULLS LAST, person, program
"""


@frozen
class InNeed:
    """How many users have a finding of high severity, and those of them who deserve a call: all, whether a table has
    room for them or not."""

    users: int
    called: tuple[Cell, ...]


def in_need(
    connection: duckdb.DuckDBPyConnection, period: Period, contacts: Sequence[Contact]
) -> tuple[Section, InNeed]:
    """Users and programs with a finding of high severity, by what those take: `MOST_IN_NEED` of them in the section."""
    found = connection.execute(_IN_NEED, {"first": period.first, "last": period.last}).fetchall()
    last = last_contacts(contacts, period.last)
    rows = []
    for row in found:
        contact = last.get(str(row[2]))
        cells = (None, None, None) if contact is None else (contact.day.isoformat(), contact.ticket, contact.status)
        rows.append((*(cell_of(value) for value in row[:9]), *cells))
    section = Section(
        "help",
        "help",
        "Who loses most",
        "Users and programs with a finding of high severity that no other finding explains, who loses most first; "
        f"{MOST_IN_NEED} at most. Rule and finding are those that take most of it. Days are how many of the period and "
        "of the four weeks before had one. The last contact is by the helpdesk's tickets. "
        f"{NOT_CALLED}",
        (
            PROCESS_HOURS,
            SAVES_AT_MOST,
            *columns(user="text", program="text", rule="text", finding="text", jobs="count", days="count"),
            *columns(since="text", last_contact="text", ticket="text", status="text"),
        ),
        tuple(rows),
        tuple(log_ref(row[9], row[10]) for row in found),
        "Nobody had a finding of high severity that no other explains.",
    )
    shown = replace(section, rows=section.rows[:MOST_IN_NEED], logs=section.logs[:MOST_IN_NEED])
    return shown, InNeed(len({row[2] for row in rows}), to_be_called(section, period))


def last_contacts(contacts: Sequence[Contact], until: date) -> Mapping[str, Contact]:
    """Of each person the last one, not after `until`."""
    return {c.person: c for c in sorted(contacts, key=lambda c: c.day) if c.day <= until}


def to_be_called(section: Section, period: Period) -> tuple[Cell, ...]:
    """Users in need who lost enough, or of whom nobody knows how much, and who were not written to within a week before
    the period's end, those with most first; None is one whom no log names."""
    lost: dict[Cell, float] = {}
    for row in section.rows:
        hours, user, last = row[0], row[2], row[9]
        if not isinstance(last, str) or date.fromisoformat(last) < period.last - NOT_AGAIN_WITHIN:
            lost[user] = lost.get(user, 0.0) + (hours if isinstance(hours, int | float) else inf)
    return tuple(user for user, hours in lost.items() if hours >= WORTH_A_CALL)

"""Who the user of a log is: a number that is one person's at one site, and the names that the accounting has of it.

A person who was renamed is one, by the last name: no job has the earlier name once one has the later, and both have
jobs in one project. Names that stand side by side are several people's, as of containers in which everybody has one
number; their jobs are of whom the accounting says each is, and what it lacks is of a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final

from iotriage.centre.report.section import Contact
from iotriage.centre.warehouse.placing import placed, placed_by_tables, places_of

_UNPLACED: Final = "?"
"""In the place of the site of a number that no log places."""
_NOBODYS: Final = "0"
"""The number of who is root in a container."""

_PEOPLE: Final = """
WITH seen AS (
    SELECT place, uid, accounted, project, min(day) AS begins, max(day) AS ends, count(*) AS jobs
    FROM {placed} GROUP BY place, uid, accounted, project
),
places AS (SELECT uid, count(DISTINCT place) AS places FROM seen WHERE uid IS NOT NULL GROUP BY uid),
names AS (
    SELECT uid, place, accounted, min(begins) AS begins, max(ends) AS ends, sum(jobs) AS jobs,
        coalesce(list(DISTINCT project) FILTER (project IS NOT NULL), []) AS projects
    FROM seen WHERE uid IS NOT NULL AND accounted IS NOT NULL GROUP BY uid, place, accounted
),
successive AS (
    SELECT *, lag(ends) OVER one_by_one AS ended, lag(projects) OVER one_by_one AS had FROM names
    WINDOW one_by_one AS (PARTITION BY place, uid ORDER BY begins, ends, jobs, accounted)
),
known AS (
    SELECT uid, place, last(accounted ORDER BY begins, ends, jobs, accounted) AS name, list(accounted) AS names,
        uid <> '{nobodys}' AND bool_and(ended IS NULL OR (begins > ended AND list_has_any(projects, had))) AS is_one
    FROM successive GROUP BY uid, place
)
SELECT DISTINCT seen.place, seen.uid, accounted,
    CASE WHEN is_one THEN name ELSE coalesce(
        accounted,
        CASE WHEN places > 1 AND seen.place IS NOT NULL THEN seen.uid || ' (' || seen.place || ')' ELSE seen.uid END
    ) END AS person,
    list_filter(
        list_concat(
            CASE WHEN is_one THEN names ELSE [accounted] END,
            [seen.uid, seen.uid || ' (' || coalesce(seen.place, '{unplaced}') || ')']
        ),
        lambda one: one IS NOT NULL
    ) AS known_as
FROM seen LEFT JOIN places USING (uid)
LEFT JOIN known ON known.uid = seen.uid AND known.place IS NOT DISTINCT FROM seen.place
"""
_NAMED: Final = """
SELECT part.* EXCLUDE (accounted, place, site), coalesce(part.place, part.site) AS site,
    hash(part.place, part.uid, coalesce(part.job_id, part."row")) AS job, person, known_as
FROM {placed} part LEFT JOIN people ON people.place IS NOT DISTINCT FROM part.place
    AND people.uid IS NOT DISTINCT FROM part.uid AND people.accounted IS NOT DISTINCT FROM part.accounted
"""


def named(part: str, logs: str) -> str:
    """`part`, logs or what belongs to them, as a table in FROM, with `person` and what else they are `known_as`, and
    the `job` of each: `logs` say who is who, and of which site."""
    return f"(WITH people AS ({_people(placed(logs, logs))}) {_NAMED.format(placed=placed(part, logs))})"


def people_of(logs: str) -> Mapping[str, str]:
    """The queries of tables, by name and in this order, that `named_by_tables` looks at: who is who takes a look at all
    logs, and is worked out once for several parts of them."""
    return {**places_of(logs), "people": _people(placed_by_tables(logs))}


def named_by_tables(part: str) -> str:
    """As `named`, by the logs of which there are the tables of `people_of`."""
    return f"({_NAMED.format(placed=placed_by_tables(part))})"


def _people(placed_logs: str) -> str:
    return _PEOPLE.format(placed=placed_logs, nobodys=_NOBODYS, unplaced=_UNPLACED)


def is_number(user: str) -> bool:
    """Whether a user is called by their number, of one site or at all."""
    return user.partition(" (")[0].isdecimal()


def names_of(contact: Contact) -> Set[str]:
    """What somebody who was written to may be `known_as`: a number is one person's at its system."""
    if contact.system is None or not contact.person.isdecimal():
        return {contact.person}
    return {f"{contact.person} ({system})" for system in (contact.system, _UNPLACED)}

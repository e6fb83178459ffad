"""Who the user of a log is: a number that is one person's at one site, and the names that the accounting has of it.

A person who was renamed is one, by the last name: no job has the earlier name once one has the later, and both have
jobs in one project. Names that stand side by side are several people's, as of containers in which everybody has one
number; their jobs are of whom the accounting says each is, and what it lacks is of a number.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from iotriage.centre.report.section import Contact
from iotriage.centre.warehouse.literal import literal
from iotriage.sites import all_sites

_UNPLACED: Final = "?"
"""In the place of the site of a number that no log places."""
_NOBODYS: Final = "0"
"""The number of who is root in a container."""

_NAMED: Final = """
(WITH seen AS (
    SELECT site, uid, accounted, project, {place} AS place, min(day) AS begins, max(day) AS ends, count(*) AS jobs
    FROM {logs} GROUP BY site, uid, accounted, project
),
sites AS (
    SELECT uid, list(DISTINCT place) FILTER (place IS NOT NULL) AS places FROM seen WHERE uid IS NOT NULL GROUP BY uid
),
names AS (
    SELECT uid, {home} AS home, accounted, min(begins) AS begins, max(ends) AS ends, sum(jobs) AS jobs,
        coalesce(list(DISTINCT project) FILTER (project IS NOT NULL), []) AS projects
    FROM seen JOIN sites USING (uid) WHERE accounted IS NOT NULL GROUP BY uid, home, accounted
),
successive AS (
    SELECT *, lag(ends) OVER one_by_one AS ended, lag(projects) OVER one_by_one AS had FROM names
    WINDOW one_by_one AS (PARTITION BY home, uid ORDER BY begins, ends, jobs, accounted)
),
known AS (
    SELECT uid, home, last(accounted ORDER BY begins, ends, jobs, accounted) AS name, list(accounted) AS names,
        uid <> '{nobodys}' AND bool_and(ended IS NULL OR (begins > ended AND list_has_any(projects, had))) AS is_one
    FROM successive GROUP BY uid, home
),
people AS (
    SELECT DISTINCT site, uid, accounted,
        CASE WHEN is_one THEN name ELSE coalesce(accounted, {numbered}) END AS person,
        list_filter(
            list_concat(CASE WHEN is_one THEN names ELSE [accounted] END, [uid, {as_of_site}]),
            lambda one: one IS NOT NULL
        ) AS known_as
    FROM seen LEFT JOIN sites USING (uid)
    LEFT JOIN known ON known.uid = seen.uid AND known.home IS NOT DISTINCT FROM {home}
)
SELECT part.* EXCLUDE (accounted), person, known_as
FROM {part} part LEFT JOIN people ON people.site IS NOT DISTINCT FROM part.site
    AND people.uid IS NOT DISTINCT FROM part.uid AND people.accounted IS NOT DISTINCT FROM part.accounted)
"""
_HOME: Final = "coalesce(place, CASE WHEN len(places) = 1 THEN places[1] END)"
"""The site of a log, also of one that itself does not say it where all others with this number are of one."""


def named(part: str, logs: str) -> str:
    """`part`, logs or what belongs to them, as a table in FROM, with `person` and what else they are `known_as`: `logs`
    say who is who."""
    any_system = ", ".join(literal(id) for id, site in all_sites().items() if site.status == "generic")
    place = f"CASE WHEN site NOT IN ({any_system}) THEN site END" if any_system else "site"
    return _NAMED.format(
        part=part,
        logs=logs,
        place=place,
        home=_HOME,
        nobodys=_NOBODYS,
        numbered="CASE WHEN len(places) > 1 AND place IS NOT NULL THEN uid || ' (' || place || ')' ELSE uid END",
        as_of_site=f"uid || ' (' || coalesce({_HOME}, '{_UNPLACED}') || ')'",
    )


def is_number(user: str) -> bool:
    """Whether a user is called by their number, of one site or at all."""
    return user.partition(" (")[0].isdecimal()


def names_of(contact: Contact) -> Set[str]:
    """What somebody who was written to may be `known_as`: a number is one person's at its system."""
    if contact.system is None or not contact.person.isdecimal():
        return {contact.person}
    return {f"{contact.person} ({system})" for system in (contact.system, _UNPLACED)}

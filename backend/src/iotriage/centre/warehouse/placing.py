"""Where a log is of: the site that it names, or that others of its job name.

A log of a job that touched no path of its centre is read by a profile for any system. Its job is no other for that, and
its user no other person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iotriage.centre.warehouse.literal import literal
from iotriage.sites import all_sites

_TABLES: Final = {
    "named_site": "SELECT uid, job_id, {named_site} AS place, count(*) AS logs FROM {logs} GROUP BY ALL",
    "of_job": """
        SELECT uid, job_id, any_value(place) AS place FROM named_site WHERE job_id IS NOT NULL
        GROUP BY uid, job_id HAVING count(DISTINCT place) = 1 AND count(*) > 1
    """,
    "of_user": """
        SELECT uid, any_value(place) AS place FROM named_site WHERE uid IS NOT NULL
        GROUP BY uid HAVING count(DISTINCT place) = 1
    """,
}
_PLACED: Final = """
SELECT part.*, coalesce({named_site}, of_job.place, of_user.place) AS place
FROM {part} part
LEFT JOIN of_job ON of_job.job_id = part.job_id AND of_job.uid IS NOT DISTINCT FROM part.uid
LEFT JOIN of_user ON of_user.uid = part.uid
"""


def placed(part: str, logs: str) -> str:
    """`part`, logs or what belongs to them, as a table in FROM, with the `place` of each: the site that its log names,
    else the one that others of its job name, else the one of all others with its number, as `logs` have them. NULL
    where there is none, or several."""
    tables = ", ".join(f"{name} AS ({query})" for name, query in places_of(logs).items())
    return f"(WITH {tables} {_placed(part)})"


def places_of(logs: str) -> Mapping[str, str]:
    """The queries of tables, by name and in this order, that `placed_by_tables` looks at."""
    named_site = _named_site()
    return {name: query.format(named_site=named_site, logs=logs) for name, query in _TABLES.items()}


def placed_by_tables(part: str) -> str:
    """As `placed`, by the logs of which there are the tables of `places_of`."""
    return f"({_placed(part)})"


def _placed(part: str) -> str:
    return _PLACED.format(part=part, named_site=_named_site())


def _named_site() -> str:
    any_system = ", ".join(literal(id) for id, site in all_sites().items() if site.status == "generic")
    return f"CASE WHEN site NOT IN ({any_system}) THEN site END" if any_system else "site"

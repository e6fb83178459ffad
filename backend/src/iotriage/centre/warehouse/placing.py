"""Where a log is of: the site that it names, or that others of its job name.

A log of a job that touched no path of its centre is read by a profile for any system. Its job is no other for that, and
its user no other person.
"""

from __future__ import annotations

from typing import Final

from iotriage.centre.warehouse.literal import literal
from iotriage.sites import all_sites

_PLACED: Final = """
(WITH named_site AS (SELECT uid, job_id, {named_site} AS place, count(*) AS logs FROM {logs} GROUP BY ALL),
of_job AS (
    SELECT uid, job_id, any_value(place) AS place FROM named_site WHERE job_id IS NOT NULL
    GROUP BY uid, job_id HAVING count(DISTINCT place) = 1 AND count(*) > 1
),
of_user AS (
    SELECT uid, any_value(place) AS place FROM named_site WHERE uid IS NOT NULL
    GROUP BY uid HAVING count(DISTINCT place) = 1
)
SELECT part.*, coalesce({named_site}, of_job.place, of_user.place) AS place
FROM {part} part
LEFT JOIN of_job ON of_job.job_id = part.job_id AND of_job.uid IS NOT DISTINCT FROM part.uid
LEFT JOIN of_user ON of_user.uid = part.uid)
"""


def placed(part: str, logs: str) -> str:
    """`part`, logs or what belongs to them, as a table in FROM, with the `place` of each: the site that its log names,
    else the one that others of its job name, else the one of all others with its number, as `logs` have them. NULL
    where there is none, or several."""
    any_system = ", ".join(literal(id) for id, site in all_sites().items() if site.status == "generic")
    named_site = f"CASE WHEN site NOT IN ({any_system}) THEN site END" if any_system else "site"
    return _PLACED.format(part=part, logs=logs, named_site=named_site)
